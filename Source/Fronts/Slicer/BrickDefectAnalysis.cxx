// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Slicer/RunModule.h"
#include "BrickCCL/Tables/Condition.h"

#include "BrickDefectAnalysisXml.h"

namespace
{

using namespace brickccl::slicer;

/** The results and their limits. */
class Verdict
{
public:
  explicit Verdict(const ModuleValues & values)
    : m_Values(values)
  {}

  /** Compares a value with the limit `maximum` if the boolean `limit` is on. */
  void
  Check(const std::string & limit, const std::string & maximum, double value, const std::string & what)
  {
    if (!m_Values.IsOn(limit))
    {
      return;
    }
    m_IsAsked = true;
    if (!brickccl::Condition::IsAtMost(value, m_Values.Number(maximum)))
    {
      m_Broken += (m_Broken.empty() ? ": " : ", ") + what + " above " +
                  brickccl::cli::ParseNumber(m_Values.Text(maximum), maximum).ToString();
    }
  }

  std::string
  Text() const
  {
    return !m_IsAsked ? "none" : m_Broken.empty() ? "pass" : "fail" + m_Broken;
  }

private:
  const ModuleValues & m_Values;
  bool                 m_IsAsked = false;
  std::string          m_Broken;
};

void
AnalyzeDefects(ModuleRun & run)
{
  const ModuleValues & values = run.Values();
  run.RequireFromZero("maximumPorosity", 100);
  run.RequireFromZero("maximumDefectVolume");
  run.RequireFromZero("maximumDefectCount");
  CommandArguments arguments({ "label", values.Text("inputVolume"), values.Text("outputLabels"), "--pores" });
  const bool       isManual = values.Text("thresholdMethod") == "manual";
  const bool       isSmoothed = values.Number("medianRadius") != 0;
  arguments.Add("--threshold", { values.Text(isManual ? "manualThreshold" : "thresholdMethod") })
    .Add("--connectivity", { values.Text("connectivity") })
    .Add("--close", { values.Text("closeWidth") })
    .Add("--minimum-size", { values.Text("minimumSize") })
    .Add("--minimum-volume", { values.Text("minimumVolume") })
    .Add("--order", { "size" })
    .Add("--device", { values.Text("device") })
    .Add("--threads", { values.Text("threads") });
  if (values.IsOn("darkMaterial"))
  {
    arguments.Add("--below", {});
  }
  if (isSmoothed)
  {
    arguments.Add("--smooth", { "median:" + values.Text("medianRadius") });
  }
  AddTable(arguments, "--statistics", values.Text("outputTable"));
  if (!values.Text("outputTable").empty())
  {
    arguments.Add("--columns", { "surface" });
  }
  // Reading, the threshold, the part, labeling, measuring, writing; and smoothing and the table.
  const int    tables = values.Text("outputTable").empty() ? 0 : 1;
  const int    steps = 5 + (isManual ? 0 : 1) + (isSmoothed ? 1 : 0) + tables;
  const auto   summary = run.RunCommand(brickccl::cli::AddLabelCommand, arguments.List(), steps);
  const auto & pores = summary.at("pores");
  const double count = summary.at("components");
  const double porosity = pores.at("porosity_percent");
  const double largest = SizeIn(summary, pores, "largest_");
  Verdict      verdict(values);
  verdict.Check("limitPorosity", "maximumPorosity", porosity, "porosity in %");
  verdict.Check("limitDefectVolume", "maximumDefectVolume", largest, "largest defect in mm3");
  verdict.Check("limitDefectCount", "maximumDefectCount", count, "number of defects");
  run.Return("verdict", verdict.Text());
  run.Return("componentCount", summary.at("components"));
  run.Return("porosity_percent", porosity);
  run.Return("largestDefectVolume", largest);
  run.Return("partVolume", SizeIn(summary, pores, "part_"));
  run.Return("threshold", summary.at("threshold").at("value"));
}

} // namespace

int
main(int argc, char ** argv)
{
  const ModuleWords::ParametersOfOptions names = { { "--threshold", "thresholdMethod" },
                                                   { "--below", "darkMaterial" },
                                                   { "--smooth", "medianRadius" },
                                                   { "--close", "closeWidth" },
                                                   { "--statistics", "outputTable" } };
  return RunModule({ "BrickDefectAnalysis", BrickDefectAnalysisXml, AnalyzeDefects, names }, argc, argv);
}
