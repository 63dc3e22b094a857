#include "BrickCCL/Vtk/HistogramChart.h"

#include "BrickCCL/Vtk/Chart.h"

#include <vtkAxis.h>
#include <vtkChartXY.h>
#include <vtkDoubleArray.h>
#include <vtkNew.h>
#include <vtkPlot.h>
#include <vtkTable.h>

namespace brickccl
{

void
WriteHistogramChart(const std::string & path, const Histogram & histogram)
{
  WriteChart(path, [&](vtkChartXY & chart) {
    vtkNew<vtkDoubleArray> places;
    vtkNew<vtkDoubleArray> counts;
    const std::string      title = histogram.column + (histogram.unit.empty() ? "" : " [" + histogram.unit + "]");
    places->SetName("place");
    counts->SetName("components");
    for (std::size_t i = 0; i < histogram.counts.size(); ++i)
    {
      places->InsertNextValue((histogram.edges[i] + histogram.edges[i + 1]) / 2);
      counts->InsertNextValue(static_cast<double>(histogram.counts[i]));
    }
    vtkNew<vtkTable> table;
    table->AddColumn(places);
    table->AddColumn(counts);
    vtkPlot * const bars = chart.AddPlot(vtkChart::BAR);
    bars->SetInputData(table, 0, 1);
    bars->SetColor(60, 110, 160, 255);
    chart.SetBarWidthFraction(0.95f);
    chart.GetAxis(vtkAxis::BOTTOM)->SetTitle(title);
    chart.GetAxis(vtkAxis::LEFT)->SetTitle("components");
    chart.GetAxis(vtkAxis::LEFT)->SetMinimum(0);
  });
}

} // namespace brickccl
