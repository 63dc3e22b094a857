// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Slicer/RunModule.h"
#include "BrickCCL/Tables/Condition.h"

#include "BrickDefectAnalysisXml.h"

using namespace brickccl::slicer;

static void
AnalyzeDefects(ModuleRun & run)
{
  const ModuleValues & values = run.values;
  run.RequireFromZero("maximumPorosity", 100);
  run.RequireFromZero("maximumDefectVolume");
  CommandArguments arguments{ { "label", values.Text("inputVolume"), values.Text("outputLabels"), "--pores" } };
  const bool       isManual = values.Text("thresholdMethod") == "manual";
  const bool       isSmoothed = values.Number("medianRadius") != 0;
  arguments.Add("--threshold", { values.Text(isManual ? "manualThreshold" : "thresholdMethod") })
    .Add("--connectivity", { values.Text("connectivity") })
    .Add("--close", { values.Text("closeWidth") })
    .Add("--parts", { values.Text("parts") })
    .Add("--minimum-size", { values.Text("minimumSize") })
    .Add("--minimum-volume", { values.Text("minimumVolume") })
    .Add("--order", { "size" })
    .Add("--device", { values.Text("device") })
    .Add("--threads", { values.Text("threads") })
    .AddIf(values.IsOn("darkMaterial"), "--below")
    .AddIf(isSmoothed, "--smooth", { "median:" + values.Text("medianRadius") });
  AddBoxes(arguments, values.Points("regions"));
  AddTable(arguments, "--statistics", values.Text("outputTable"));
  arguments.AddIf(!values.Text("outputTable").empty(), "--columns", { "surface" });
  // Reading, the threshold, the part, labeling, measuring, writing; and smoothing and the table.
  const int    tables = values.Text("outputTable").empty() ? 0 : 1;
  const int    steps = 5 + (isManual ? 0 : 1) + (isSmoothed ? 1 : 0) + tables;
  const auto   summary = run.RunCommand(brickccl::cli::AddLabelCommand, arguments.list, steps);
  const auto & pores = summary.at("pores");
  const double count = summary.at("components");
  const double porosity = pores.at("porosity_percent");
  const double largest = SizeIn(summary, pores, "largest_");
  bool         isAsked = false;
  std::string  broken;
  const auto   check = [&](const char * limit, const char * maximum, double value, const std::string & what) {
    isAsked = isAsked || values.IsOn(limit);
    if (values.IsOn(limit) && !brickccl::Condition::IsAtMost(value, values.Number(maximum)))
    {
      broken += (broken.empty() ? ": " : ", ") + what + " above " +
                brickccl::cli::ParseNumber(values.Text(maximum), maximum).ToString();
    }
  };
  check("limitPorosity", "maximumPorosity", porosity, "porosity in %");
  check("limitDefectVolume", "maximumDefectVolume", largest, "largest defect in mm3");
  check("limitDefectCount", "maximumDefectCount", count, "number of defects");
  run.Return("verdict", !isAsked ? "none" : broken.empty() ? "pass" : "fail" + broken);
  run.Return("componentCount", summary.at("components"));
  run.Return("porosity_percent", porosity);
  run.Return("largestDefectVolume", largest);
  run.Return("partVolume", SizeIn(summary, pores, "part_"));
  run.Return("threshold", summary.at("threshold").at("value"));
}

int
BrickDefectAnalysis(int argc, char ** argv)
{
  const ModuleWords::ParametersOfOptions names = {
    { "--threshold", "thresholdMethod" }, { "--below", "darkMaterial" }, { "--smooth", "medianRadius" },
    { "--close", "closeWidth" },          { "--box", "regions" },        { "--parts", "parts" },
    { "--statistics", "outputTable" }
  };
  return RunModule({ "BrickDefectAnalysis", BrickDefectAnalysisXml, AnalyzeDefects, names }, argc, argv);
}
