// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Slicer/RunModule.h"

#include "BrickCleanSegmentationXml.h"

using namespace brickccl::slicer;

static void
CleanSegmentation(ModuleRun & run)
{
  const ModuleValues & values = run.values;
  run.RequireFromZero("maximumHoleVolume");
  CommandArguments arguments{ { "clean", values.Text("inputSegmentation"), values.Text("outputSegmentation") } };
  arguments.AddUnless("", "--values", values.Text("segments"))
    .Add("--minimum-size", { values.Text("minimumSize") })
    .Add("--minimum-volume", { values.Text("minimumVolume") })
    .Add("--largest", { values.Text("largest") })
    .Add("--connectivity", { values.Text("connectivity") })
    .Add("--threads", { values.Text("threads") });
  const std::string & holes = values.Text("fillHoles");
  if (holes != "No")
  {
    const bool isLimited = values.Number("maximumHoleVolume") > 0;
    arguments.Add("--fill-holes", { isLimited ? values.Text("maximumHoleVolume") : "inf" });
    const std::string axis = holes == "InSlicesX" ? "x" : holes == "InSlicesY" ? "y" : holes == "InSlicesZ" ? "z" : "";
    arguments.AddUnless("", "--holes-by-slice", axis);
  }
  // Reading, cleaning, writing.
  constexpr int steps = 3;
  const auto    summary = run.RunCommand(brickccl::cli::AddCleanCommand, arguments.list, steps);
  run.Return("removedComponents", summary.at("removed_components"));
  run.Return("removedVoxels", summary.at("removed_voxels"));
  run.Return("filledHoles", summary.at("filled_holes"));
  run.Return("filledVoxels", summary.at("filled_voxels"));
}

int
BrickCleanSegmentation(int argc, char ** argv)
{
  const ModuleWords::ParametersOfOptions names = { { "--values", "segments" }, { "--holes-by-slice", "fillHoles" } };
  return RunModule({ "BrickCleanSegmentation", BrickCleanSegmentationXml, CleanSegmentation, names }, argc, argv);
}
