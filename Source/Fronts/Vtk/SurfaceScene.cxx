// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Vtk/SurfaceScene.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/System.h"

#include <vtkActor.h>
#include <vtkAutoInit.h>
#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkLight.h>
#include <vtkNew.h>
#include <vtkObject.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkTypeInt32Array.h>
#include <vtkUnsignedCharArray.h>

#include <cstddef>
#include <string>

VTK_MODULE_INIT(vtkRenderingOpenGL2)

namespace brickccl
{

constexpr double PartOpacity = 0.22;

/** An array of VTK on the memory of a vector, which must live as long. */
template <typename TArray, typename T>
static vtkSmartPointer<TArray>
ArrayOn(const std::vector<T> & values, int components)
{
  auto array = vtkSmartPointer<TArray>::New();
  array->SetNumberOfComponents(components);
  // VTK keeps the memory, and does not write to it.
  array->SetArray(const_cast<T *>(values.data()), static_cast<vtkIdType>(values.size()), 1);
  return array;
}

static vtkSmartPointer<vtkActor>
ActorOf(const ColoredSurface & colored)
{
  const Surface &   surface = colored.surface;
  vtkNew<vtkPoints> points;
  points->SetData(ArrayOn<vtkFloatArray>(surface.points, 3));
  vtkNew<vtkTypeInt32Array> offsets;
  const auto                triangles = static_cast<vtkIdType>(surface.triangles.size() / 3);
  offsets->SetNumberOfValues(triangles + 1);
  for (vtkIdType i = 0; i <= triangles; ++i)
  {
    offsets->SetValue(i, static_cast<vtkTypeInt32>(3 * i));
  }
  vtkNew<vtkCellArray> cells;
  cells->SetData(offsets, ArrayOn<vtkTypeInt32Array>(surface.triangles, 1));
  vtkNew<vtkPolyData> mesh;
  mesh->SetPoints(points);
  mesh->SetPolys(cells);
  mesh->GetPointData()->SetNormals(ArrayOn<vtkFloatArray>(surface.normals, 3));
  if (!colored.colors.empty())
  {
    mesh->GetPointData()->SetScalars(ArrayOn<vtkUnsignedCharArray>(colored.colors, 3));
  }
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputData(mesh);
  mapper->SetColorModeToDirectScalars();
  mapper->SetScalarVisibility(!colored.colors.empty());
  auto actor = vtkSmartPointer<vtkActor>::New();
  actor->SetMapper(mapper);
  actor->GetProperty()->SetAmbient(0.15);
  actor->GetProperty()->SetDiffuse(0.85);
  actor->GetProperty()->SetSpecular(0.15);
  actor->GetProperty()->SetSpecularPower(20);
  return actor;
}

static void
PlaceCamera(const SurfaceView & view, vtkRenderer * renderer)
{
  vtkCamera * const camera = renderer->GetActiveCamera();
  camera->ParallelProjectionOn();
  camera->SetFocalPoint(view.center);
  const double distance = 2 * view.radius;
  camera->SetPosition(view.center[0] + distance * view.toEye[0],
                      view.center[1] + distance * view.toEye[1],
                      view.center[2] + distance * view.toEye[2]);
  camera->SetViewUp(view.up);
  camera->SetParallelScale(0.5 * view.pixelSize * view.height);
  camera->SetClippingRange(distance - 1.05 * view.radius, distance + 1.05 * view.radius);
}

/** The picture is drawn with this many times as many pixels along both axes. */
constexpr int Oversampling = 2;

/** The means of squares of pixels, from the top row on; OpenGL begins with the bottom row. */
static std::vector<unsigned char>
Shrink(const unsigned char * pixels, int width, int height)
{
  std::vector<unsigned char> means;
  means.reserve(std::size_t{ 3 } * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const auto stride = static_cast<std::ptrdiff_t>(3) * Oversampling * width;
  for (int row = height - 1; row >= 0; --row)
  {
    for (int column = 0; column < width; ++column)
    {
      const unsigned char * const corner =
        pixels + stride * Oversampling * row + std::ptrdiff_t{ 3 } * Oversampling * column;
      for (int channel = 0; channel < 3; ++channel)
      {
        int sum = 0;
        for (int i = 0; i < Oversampling * Oversampling; ++i)
        {
          sum += corner[stride * (i / Oversampling) + std::ptrdiff_t{ 3 } * (i % Oversampling) + channel];
        }
        means.push_back(
          static_cast<unsigned char>((sum + Oversampling * Oversampling / 2) / (Oversampling * Oversampling)));
      }
    }
  }
  return means;
}

constexpr char NoOpenGL[] = "surfaces need OpenGL 3.2, which this display lacks; install Mesa's drivers (Debian and "
                            "Ubuntu: apt-get install libgl1-mesa-dri)";

std::vector<unsigned char>
DrawScene(const ColoredSurface & components,
          const ColoredSurface & part,
          const SurfaceView &    view,
          const Color &          ground)
{
  vtkObject::GlobalWarningDisplayOff();
  // VTK ends the process where an X server has no OpenGL.
  static const std::string message = std::string("brickccl: error: ") + NoOpenGL + "\n";
  CatchAborts(message.c_str());
  vtkNew<vtkRenderer> renderer;
  renderer->SetBackground(ground.red / 255.0, ground.green / 255.0, ground.blue / 255.0);
  renderer->AddActor(ActorOf(components));
  if (!part.surface.triangles.empty())
  {
    const auto actor = ActorOf(part);
    actor->GetProperty()->SetColor(0.75, 0.82, 0.9);
    actor->GetProperty()->SetOpacity(PartOpacity);
    actor->GetProperty()->SetAmbient(0.3);
    // Back faces would be visible through front faces.
    actor->GetProperty()->BackfaceCullingOn();
    renderer->AddActor(actor);
  }
  // A light next to the eye shows shapes better than one at the eye.
  vtkNew<vtkLight> light;
  light->SetLightTypeToCameraLight();
  light->SetPosition(-0.5, 0.6, 1);
  renderer->AddLight(light);
  vtkNew<vtkLight> fill;
  fill->SetLightTypeToCameraLight();
  fill->SetPosition(1, -0.2, 0.8);
  fill->SetIntensity(0.35);
  renderer->AddLight(fill);
  PlaceCamera(view, renderer);

  vtkNew<vtkRenderWindow> window;
  window->SetOffScreenRendering(1);
  // More pixels than are asked for smooth edges at a fifth of what OpenGL's multisampling costs without a GPU.
  window->SetMultiSamples(0);
  window->SetSize(Oversampling * view.width, Oversampling * view.height);
  window->AddRenderer(renderer);
  ThrowIf<Unsupported>(window->SupportsOpenGL() == 0, NoOpenGL);
  window->Render();
  vtkNew<vtkUnsignedCharArray> pixels;
  const int                    width = Oversampling * view.width;
  const int                    height = Oversampling * view.height;
  const int                    got = window->GetPixelData(0, 0, width - 1, height - 1, 0, pixels);
  ThrowIf(got == 0 || pixels->GetNumberOfValues() != 3 * static_cast<vtkIdType>(width) * height,
          "OpenGL did not return a picture of the surfaces");
  CatchAborts(nullptr);
  return Shrink(pixels->GetPointer(0), view.width, view.height);
}

} // namespace brickccl
