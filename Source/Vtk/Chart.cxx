#include "BrickCCL/Vtk/Chart.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"

#include <vtkChartXY.h>
#include <vtkContextScene.h>
#include <vtkContextView.h>
#include <vtkNew.h>
#include <vtkObject.h>
#include <vtkPNGWriter.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
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

/** Whether a child process drew the chart. */
bool
DrawInChild(const std::string & path, const std::function<void(vtkChartXY &)> & fill)
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
    Draw(path, fill);
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
  {}
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 && access(path.c_str(), R_OK) == 0;
}

} // namespace

void
WriteChart(const std::string & path, const std::function<void(vtkChartXY &)> & fill)
{
  ReplaceFile(path, [&](const std::string & temporary) {
    if (!DrawInChild(temporary, fill))
    {
      throw Error("cannot draw '" + path + "': VTK needs a display; without one, run the command by `xvfb-run -a`");
    }
  });
}

} // namespace brickccl
