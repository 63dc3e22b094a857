// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_SURFACEOPTIONS_H
#define BRICKCCL_CLI_SURFACEOPTIONS_H

#include "BrickCCL/Cli/ChosenLabels.h"
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Vtk/Meshes.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace brickccl::cli
{

/** What `mesh` asks. */
struct MeshArguments : job::Job
{
  ChosenLabels chosen;
  MeshOptions  mesh;
  bool         oneFileEach = false;
};

/** What `render` asks. */
struct RenderArguments : job::Job
{
  std::string  style = "slices";
  std::string  column;
  std::string  size;
  ChosenLabels chosen;
  bool         hasPatientAxes = false;
};

/** Adds the subcommand. It is known where VTK is not, for help and completion.
 *  \param run  what runs it; empty if another program does */
void AddMeshCommand(CLI::App & app, const std::function<void(const MeshArguments &)> & run);
void AddRenderCommand(CLI::App & app, const std::function<void(const RenderArguments &)> & run);

/** What the program of surfaces runs. */
void RunMesh(const MeshArguments & arguments);
void RunRender(const RenderArguments & arguments);

} // namespace brickccl::cli

#endif
