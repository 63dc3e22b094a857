// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Vtk/Meshes.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace brickccl::cli
{

/** The options to choose the components of a label map to draw or write. */
struct ChosenLabels
{
  std::string labels;
  std::string where;

  /** The columns that the condition names, in mm, with commas between. */
  std::string ColumnNames() const;

  /** The places in the table of the components that are chosen, at least one.
   *  \param table  gets the names of segments
   *  \param file   the label map, for messages
   *  \param what  what becomes of them: "make a mesh of"
   *  \throws InvalidArgument for a label that the table does not have, and if none is left. */
  std::vector<std::size_t> PlacesIn(ComponentTable &     table,
                                    const Segmentation & segmentation,
                                    const std::string &  file,
                                    const std::string &  what) const;
};

struct MeshArguments : job::Job
{
  ChosenLabels chosen;
  MeshOptions  mesh;
  /** The value of surfaces in a scan, as ThresholdMethod::FromText reads it. */
  std::string iso;
  std::string column;
  bool        oneFileEach = false;
};

struct RenderArguments : job::Job
{
  std::string  style = "slices";
  std::string  column;
  std::string  size;
  ChosenLabels chosen;
  bool         hasPatientAxes = false;
};

/** The command is known without VTK, for help and completion. \param run  empty if another program runs it */
void AddMeshCommand(CLI::App & app, const std::function<void(const MeshArguments &)> & run);
void AddRenderCommand(CLI::App & app, const std::function<void(const RenderArguments &)> & run);

/** Runs in the program with VTK. */
void RunMesh(const MeshArguments & arguments);
void RunRender(const RenderArguments & arguments);

} // namespace brickccl::cli
