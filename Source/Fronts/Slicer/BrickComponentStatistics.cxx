// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Slicer/RunModule.h"

#include "BrickComponentStatisticsXml.h"

using namespace brickccl::slicer;

static void
MeasureComponents(ModuleRun & run)
{
  const ModuleValues & values = run.values;
  CommandArguments     arguments{ { "stats", values.Text("inputLabels") } };
  AddTable(arguments, "--output", values.Text("outputTable"));
  std::string groups;
  for (const auto & [parameter, group] : { std::pair{ "measurePlace", "place" },
                                           std::pair{ "measureShape", "shape" },
                                           std::pair{ "measureFeret", "feret" },
                                           std::pair{ "measureHull", "hull" },
                                           std::pair{ "measureGeodesic", "geodesic" },
                                           std::pair{ "measureSkeleton", "skeleton" },
                                           std::pair{ "measureSurface", "surface" },
                                           std::pair{ "measureTopology", "topology" },
                                           std::pair{ "measureInscribed", "inscribed" },
                                           std::pair{ "measureThickness", "thickness" },
                                           std::pair{ "measureNeighbors", "neighbors" },
                                           std::pair{ "measureIntensity", "intensity" } })
  {
    if (values.IsOn(parameter))
    {
      groups += (groups.empty() ? "" : ",") + std::string(group);
    }
  }
  arguments.AddUnless("", "--columns", groups)
    .AddUnless("", "--intensity", values.Text("intensityVolume"))
    .AddUnless("", "--part", values.Text("partVolume"))
    .Add("--threads", { values.Text("threads") });
  // Reading, measuring and writing.
  const int  steps = 3 + (values.Text("intensityVolume").empty() ? 0 : 1) + (values.Text("partVolume").empty() ? 0 : 1);
  const auto summary = run.RunCommand(brickccl::cli::AddStatsCommand, arguments.list, steps);
  run.ReturnTotals(summary);
  run.Return("porosity_percent", 100 * summary.at("totals").at("fraction").get<double>());
}

int
BrickComponentStatistics(int argc, char ** argv)
{
  const ModuleWords::ParametersOfOptions names = { { "--output", "outputTable" },
                                                   { "--intensity", "intensityVolume" },
                                                   { "--part", "partVolume" } };
  return RunModule({ "BrickComponentStatistics", BrickComponentStatisticsXml, MeasureComponents, names }, argc, argv);
}
