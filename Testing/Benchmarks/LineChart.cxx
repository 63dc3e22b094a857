// Draws lines of a comma-separated file as a PNG, through VTK:
//
//   brickccl-line-chart FILE.csv OUT.png TITLE X_TITLE Y_TITLE [--log]
//
// Each line of the file is "series,x,y"; --log makes both axes logarithmic. Without a display: xvfb-run -a ...

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Vtk/Chart.h"

#include <vtkAxis.h>
#include <vtkChartLegend.h>
#include <vtkChartXY.h>
#include <vtkDoubleArray.h>
#include <vtkNew.h>
#include <vtkPlot.h>
#include <vtkPlotPoints.h>
#include <vtkTable.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace
{

struct Series
{
  std::string                            name;
  std::vector<std::pair<double, double>> points;
};

/** \throws brickccl::Error for a file that cannot be read, or a line that does not have the form. */
std::vector<Series>
ReadSeries(const std::string & path)
{
  std::ifstream       file(path);
  std::vector<Series> all;
  for (std::string line; std::getline(file, line);)
  {
    std::istringstream parts(line);
    std::string        name;
    char               comma = 0;
    double             x = 0, y = 0;
    if (!std::getline(parts, name, ',') || !(parts >> x >> comma >> y) || comma != ',')
    {
      throw brickccl::Error("'" + path + "' has the line '" + line + "'; write series,x,y");
    }
    if (all.empty() || all.back().name != name)
    {
      all.push_back({ name, {} });
    }
    all.back().points.emplace_back(x, y);
  }
  if (all.empty())
  {
    throw brickccl::Error("'" + path + "' cannot be read, or has no lines");
  }
  return all;
}

void
AddLines(vtkChartXY & chart, const std::vector<Series> & all)
{
  // Told apart by people who do not see all colours as well (Okabe and Ito).
  static const unsigned char colors[][3] = { { 0, 114, 178 }, { 213, 94, 0 },   { 0, 158, 115 }, { 204, 121, 167 },
                                             { 230, 159, 0 }, { 86, 180, 233 }, { 0, 0, 0 },     { 150, 150, 150 } };
  std::size_t                number = 0;
  for (const Series & series : all)
  {
    vtkNew<vtkDoubleArray> xs;
    vtkNew<vtkDoubleArray> ys;
    xs->SetName("x");
    ys->SetName(series.name.c_str());
    for (const auto & [x, y] : series.points)
    {
      xs->InsertNextValue(x);
      ys->InsertNextValue(y);
    }
    vtkNew<vtkTable> table;
    table->AddColumn(xs);
    table->AddColumn(ys);
    auto * const line = vtkPlotPoints::SafeDownCast(chart.AddPlot(vtkChart::LINE));
    const auto & color = colors[number++ % std::size(colors)];
    line->SetInputData(table, 0, 1);
    line->SetColor(color[0], color[1], color[2], 255);
    line->SetWidth(2);
    line->SetMarkerStyle(vtkPlotPoints::CIRCLE);
  }
  chart.SetShowLegend(true);
}

} // namespace

int
main(int argc, char ** argv)
{
  const bool isLogarithmic = argc == 7 && std::string(argv[6]) == "--log";
  if (argc != 6 && !isLogarithmic)
  {
    std::fprintf(stderr, "usage: brickccl-line-chart FILE.csv OUT.png TITLE X_TITLE Y_TITLE [--log]\n");
    return 1;
  }
  try
  {
    const std::vector<Series> all = ReadSeries(argv[1]);
    brickccl::WriteChart(argv[2], [&](vtkChartXY & chart) {
      AddLines(chart, all);
      // Beside the lines, not over them.
      chart.GetLegend()->SetInline(false);
      chart.GetLegend()->SetHorizontalAlignment(vtkChartLegend::RIGHT);
      chart.SetTitle(argv[3]);
      chart.GetAxis(vtkAxis::BOTTOM)->SetTitle(argv[4]);
      chart.GetAxis(vtkAxis::LEFT)->SetTitle(argv[5]);
      chart.GetAxis(vtkAxis::BOTTOM)->SetLogScale(isLogarithmic);
      chart.GetAxis(vtkAxis::LEFT)->SetLogScale(isLogarithmic);
    });
  }
  catch (const brickccl::Error & error)
  {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
