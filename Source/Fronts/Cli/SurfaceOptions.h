#ifndef BRICKCCL_CLI_SURFACEOPTIONS_H
#define BRICKCCL_CLI_SURFACEOPTIONS_H

#include "BrickCCL/Cli/ChosenLabels.h"
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/RunningOptions.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Vtk/Meshes.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace brickccl::cli
{

/** What `mesh` asks. */
struct MeshArguments : RunningArguments
{
  std::string   labels;
  std::string   output;
  ChosenLabels  chosen;
  MeshOptions   mesh;
  bool          oneFileEach = false;
  FileArguments files;
};

/** What `render` asks. */
struct RenderArguments : RunningArguments
{
  std::string    labels;
  std::string    output;
  std::string    style = "slices";
  std::string    column;
  std::string    size;
  ChosenLabels   chosen;
  TableArguments images;
  bool           hasPatientAxes = false;
  FileArguments  files;
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
