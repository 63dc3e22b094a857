// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Slicer/RunModule.h"

#include "BrickLabelVolumeXml.h"

using namespace brickccl::slicer;

static void
LabelVolume(ModuleRun & run)
{
  const ModuleValues & values = run.values;
  run.RequireFromZero("tolerance");
  run.RequireFromZero("splitHeight");
  CommandArguments arguments{ { "label", values.Text("inputVolume"), values.Text("outputLabels") } };
  // Reading, labeling, measuring, writing; reading the mask and writing the table.
  int steps = 4 + (values.Text("maskVolume").empty() ? 0 : 1) + (values.Text("outputTable").empty() ? 0 : 1);
  const std::string & foreground = values.Text("foreground");
  const std::string   lower = foreground == "AtMostUpper" ? "-inf" : values.Text("lowerThreshold");
  const std::string   upper = foreground == "AtLeastLower" ? "inf" : values.Text("upperThreshold");
  if (foreground == "AtLeastFoundThreshold" || foreground == "BelowFoundThreshold")
  {
    arguments.Add("--threshold", { values.Text("thresholdMethod") });
    arguments.AddIf(foreground == "BelowFoundThreshold", "--below");
    ++steps;
  }
  else if (foreground != "NotZero")
  {
    arguments.Add("--range", { lower, upper });
  }
  if (values.Number("medianRadius") != 0)
  {
    arguments.Add("--smooth", { "median:" + values.Text("medianRadius") });
    ++steps;
  }
  arguments.AddIf(values.Text("joining") == "EqualValues", "--equal-value")
    .AddIf(values.Text("joining") == "SimilarValues", "--tolerance", { values.Text("tolerance") })
    .AddIf(values.IsOn("clearBorder"), "--clear-border")
    .AddIf(values.IsOn("fillHoles"), "--fill-holes", { "inf" });
  if (values.IsOn("split"))
  {
    arguments.Add("--split", { values.Number("splitHeight") != 0 ? values.Text("splitHeight") : "auto" });
    ++steps;
  }
  if (!values.Points("seeds").empty())
  {
    arguments.Add("--seeds", { brickccl::Joined(values.Points("seeds"), ";") }).Add("--physical-seeds", {});
  }
  const std::string & connectivity = values.Text("connectivity");
  const bool          isBySlice = values.Text("bySlice") != "no";
  arguments.Add("--connectivity",
                { !isBySlice            ? connectivity
                  : connectivity == "6" ? "4"
                                        : "8" })
    .AddUnless("no", "--by-slice", values.Text("bySlice"))
    .AddUnless("", "--mask", values.Text("maskVolume"))
    .Add("--minimum-size", { values.Text("minimumSize") })
    .AddUnless("", "--maximum-size", values.Number("maximumSize") != 0 ? values.Text("maximumSize") : "")
    .Add("--minimum-volume", { values.Text("minimumVolume") })
    .Add("--largest", { values.Text("largest") })
    .Add("--order", { values.Text("order") })
    .Add("--label-type", { values.Text("labelType") })
    .Add("--device", { values.Text("device") })
    .Add("--threads", { values.Text("threads") });
  AddBoxes(arguments, values.Points("regions"));
  AddTable(arguments, "--statistics", values.Text("outputTable"));
  const auto summary = run.RunCommand(brickccl::cli::AddLabelCommand, arguments.list, steps);
  run.ReturnTotals(summary);
  run.Return("volumeFraction", summary.at("totals").at("fraction"));
  const auto & threshold = summary.at("threshold");
  run.Return("threshold", threshold.is_null() ? "nan" : threshold.at("value"));
}

int
BrickLabelVolume(int argc, char ** argv)
{
  const ModuleWords::ParametersOfOptions names = { { "--threshold", "foreground=AtLeastFoundThreshold" },
                                                   { "--below", "foreground=BelowFoundThreshold" },
                                                   { "--range", "foreground=FromLowerToUpper" },
                                                   { "--smooth", "medianRadius" },
                                                   { "--equal-value", "joining=EqualValues" },
                                                   { "--mask", "maskVolume" },
                                                   { "--box", "regions" },
                                                   { "--statistics", "outputTable" } };
  return RunModule({ "BrickLabelVolume", BrickLabelVolumeXml, LabelVolume, names }, argc, argv);
}
