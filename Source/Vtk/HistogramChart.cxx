#include "BrickCCL/Vtk/HistogramChart.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"

#include <vtkAxis.h>
#include <vtkChartLegend.h>
#include <vtkChartXY.h>
#include <vtkContextScene.h>
#include <vtkContextView.h>
#include <vtkDoubleArray.h>
#include <vtkNew.h>
#include <vtkObject.h>
#include <vtkPNGWriter.h>
#include <vtkPlot.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkTable.h>
#include <vtkWindowToImageFilter.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>

namespace brickccl
{

namespace
{

void
Draw(const std::string & path, const Histogram & histogram)
{
  vtkObject::GlobalWarningDisplayOff();
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

  vtkNew<vtkContextView> view;
  view->GetRenderer()->SetBackground(1, 1, 1);
  view->GetRenderWindow()->SetSize(1000, 600);
  view->GetRenderWindow()->SetOffScreenRendering(1);
  vtkNew<vtkChartXY> chart;
  view->GetScene()->AddItem(chart);
  vtkPlot * const bars = chart->AddPlot(vtkChart::BAR);
  bars->SetInputData(table, 0, 1);
  bars->SetColor(60, 110, 160, 255);
  chart->SetBarWidthFraction(0.95f);
  chart->GetAxis(vtkAxis::BOTTOM)->SetTitle(title);
  chart->GetAxis(vtkAxis::LEFT)->SetTitle("components");
  chart->GetAxis(vtkAxis::LEFT)->SetMinimum(0);
  view->Render();

  vtkNew<vtkWindowToImageFilter> image;
  image->SetInput(view->GetRenderWindow());
  vtkNew<vtkPNGWriter> writer;
  writer->SetInputConnection(image->GetOutputPort());
  writer->SetFileName(path.c_str());
  writer->Write();
}

/** Whether a child process drew the chart. */
bool
DrawInChild(const std::string & path, const Histogram & histogram)
{
  const pid_t child = fork();
  if (child < 0)
  {
    throw Error("cannot start a process to draw '" + path + "': " + std::strerror(errno));
  }
  if (child == 0)
  {
    // What VTK and X say of a missing display is said better below.
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    Draw(path, histogram);
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
  {}
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 && access(path.c_str(), R_OK) == 0;
}

} // namespace

void
WriteHistogramChart(const std::string & path, const Histogram & histogram)
{
  ReplaceFile(path, [&](const std::string & temporary) {
    if (!DrawInChild(temporary, histogram))
    {
      throw Error("cannot draw '" + path + "': VTK needs a display; without one, run the command by `xvfb-run -a`");
    }
  });
}

} // namespace brickccl
