#include "BrickCCL/Vtk/Chart.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"
#include "BrickCCL/Host/System.h"

#include <vtkChartXY.h>
#include <vtkContextScene.h>
#include <vtkContextView.h>
#include <vtkNew.h>
#include <vtkObject.h>
#include <vtkPNGWriter.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkWindowToImageFilter.h>

#include <filesystem>

namespace brickccl
{

namespace
{

void
Draw(const std::string & path, const std::function<void(vtkChartXY &)> & fill)
{
  vtkObject::GlobalWarningDisplayOff();
  vtkNew<vtkContextView> view;
  view->GetRenderer()->SetBackground(1, 1, 1);
  view->GetRenderWindow()->SetSize(1000, 600);
  view->GetRenderWindow()->SetOffScreenRendering(1);
  vtkNew<vtkChartXY> chart;
  view->GetScene()->AddItem(chart);
  fill(*chart);
  view->Render();

  vtkNew<vtkWindowToImageFilter> image;
  image->SetInput(view->GetRenderWindow());
  vtkNew<vtkPNGWriter> writer;
  writer->SetInputConnection(image->GetOutputPort());
  writer->SetFileName(path.c_str());
  writer->Write();
}

} // namespace

void
WriteChart(const std::string & path, const std::function<void(vtkChartXY &)> & fill)
{
  ReplaceFile(path, [&](const std::string & temporary) {
    // What VTK and X say of a missing display is said better below.
    if (!RunInChild([&] { Draw(temporary, fill); }) || !std::filesystem::exists(temporary))
    {
      throw Error("cannot draw '" + path + "': VTK needs a display; without one, run the command by `xvfb-run -a`");
    }
  });
}

} // namespace brickccl
