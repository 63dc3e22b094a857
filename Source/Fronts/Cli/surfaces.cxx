// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/RunApp.h"
#include "BrickCCL/Cli/SurfaceOptions.h"

// The program with the commands that need VTK; main.cxx continues as this program.
int
main(int argc, char ** argv) // NOLINT(bugprone-exception-escape): commands are made before any work
{
  CLI::App app("BrickCCL: surfaces of components", "brickccl");
  app.require_subcommand(1);
  brickccl::cli::AddMeshCommand(app, brickccl::cli::RunMesh);
  brickccl::cli::AddRenderCommand(app, brickccl::cli::RunRender);
  brickccl::cli::ArrangeHelp(app);
  return brickccl::cli::RunApp(app, argc, argv);
}
