// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/FrontEnd.h"
#include "BrickCCL/Cli/SurfaceOptions.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Vtk/Meshes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace brickccl::cli
{

void
RunMesh(const MeshArguments & arguments)
{
  CheckMeshName(arguments.output);
  arguments.chosen.Check();
  const ColumnGroups groups = ParseColumns(arguments.chosen.ColumnNames(), false);
  // Which files there will be, if each component has its own, is known when the components are.
  const NamedFiles outputs = arguments.oneFileEach ? NamedFiles() : NamedFiles{ { "OUTPUT", arguments.output } };
  const NamedFiles inputs = { { "LABELS", arguments.input } };
  CheckFiles(arguments, inputs, outputs);
  CheckWritable(arguments.oneFileEach ? MeshPathOf(arguments.output, 1) : arguments.output);

  Reporter    reporter(arguments.quiet || arguments.json);
  ImageReader reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  const LoadedImage image = reader.Read(arguments.input, true);
  if (image.channels != 1 || image.extent.dimension != 3)
  {
    throw InvalidArgument(Quoted(arguments.input) + " has " + Counted(image.extent.dimension, "dimension") + " and " +
                          Counted(image.channels, "channel") +
                          "; a mesh needs a label map of 3 dimensions and one channel");
  }
  reporter.Step("measuring");
  const ProgressHooks  hooks = reporter.Hooks();
  const HostContext    context{ arguments.threads, Progress(hooks) };
  const ComponentTable table =
    MeasureLabelImage(image.View(), image.geometry, { std::nullopt, groups }, arguments.threads, hooks);
  const std::vector<std::size_t> places = arguments.chosen.PlacesIn(table, arguments.input, "make a mesh of");
  if (arguments.oneFileEach)
  {
    NamedFiles each;
    for (const std::size_t place : places)
    {
      each.emplace_back("OUTPUT", MeshPathOf(arguments.output, table.components.Label(place)));
    }
    CheckOutputs({}, each);
    reader.CheckNotRead(each);
  }
  reporter.Step("making meshes");
  ReplacedTogether together;
  MeshOptions      options = arguments.mesh;
  options.columns = arguments.chosen.ColumnNames();
  const std::vector<MeshReport> reports =
    WriteMeshes(image.View(), table, places, options, arguments.output, arguments.oneFileEach, context);
  together.Move();
  std::int64_t triangles = 0;
  double       worst = 0;
  std::size_t  rough = 0;
  for (const MeshReport & report : reports)
  {
    rough += report.isSmooth ? 0 : 1;
    triangles += report.triangles;
    worst = std::max(worst, std::abs(report.meshVolume / report.volume - 1));
  }
  if (arguments.mesh.smoothingPasses > 0 && rough > 0)
  {
    reader.Note(std::to_string(rough) + (rough == 1 ? " component was not smoothed" : " components were not smoothed") +
                ": too small or thin");
  }
  job::Findings findings;
  findings.push_back({ "components", reports.size(), 1, "#", "component" });
  findings.push_back({ "triangles", triangles, 1, "#", "triangle" });
  findings.push_back({ "space", arguments.mesh.ras ? "RAS" : "LPS", 1, "in # mm" });
  findings.push_back({ "largest_volume_difference", worst });
  AddSpacing(findings, image, 2);
  findings.push_back({ "notes", reader.Notes() });
  findings.push_back({ "",
                       Printable(arguments.oneFileEach ? MeshPathOf(arguments.output, reports.front().label) + " ..."
                                                       : arguments.output),
                       3,
                       "written: #" });
  PrintFindings(findings, arguments, reporter);
}

} // namespace brickccl::cli
