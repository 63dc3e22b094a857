// SPDX-License-Identifier: Apache-2.0
// A VTK pipeline from a scan to a picture: the air around a casting and the pores in it are labeled, and the pores are
// drawn.   pores SCAN.mha PICTURE.png

#include <vtkBrickConnectedComponents.h>

#include <vtkActor.h>
#include <vtkCamera.h>
#include <vtkDiscreteFlyingEdges3D.h>
#include <vtkImageData.h>
#include <vtkLookupTable.h>
#include <vtkMetaImageReader.h>
#include <vtkNew.h>
#include <vtkPNGWriter.h>
#include <vtkPolyDataMapper.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkTable.h>
#include <vtkWindowToImageFilter.h>

#include <iostream>

int
main(int argc, char ** argv)
{
  if (argc != 3)
  {
    std::cerr << "pores SCAN.mha PICTURE.png\n";
    return 1;
  }
  vtkNew<vtkMetaImageReader> reader;
  reader->SetFileName(argv[1]);

  // Label 1 is the largest component, the air around the casting; the pores follow, the largest first.
  vtkNew<vtkBrickConnectedComponents> components;
  components->SetInputConnection(reader->GetOutputPort());
  components->SetConnectivity(26);
  components->SetCriterionToRange();
  components->SetUpperThreshold(450);
  components->SetMinimumSize(20);
  components->SortBySizeOn();
  components->SetColumnGroups("surface");
  components->Update();
  const vtkIdType count = components->GetNumberOfComponents();
  if (count < 2)
  {
    std::cerr << "there are no pores in '" << argv[1] << "'\n";
    return 1;
  }
  vtkTable * const table = components->GetTable();
  std::cout << count - 1 << " pores; volume and sphericity of the largest:\n";
  for (vtkIdType row = 1; row < 4 && row < count; ++row)
  {
    std::cout << table->GetValueByName(row, "volume_mm3").ToDouble() << " mm3, "
              << table->GetValueByName(row, "sphericity").ToDouble() << '\n';
  }

  vtkNew<vtkDiscreteFlyingEdges3D> surfaces;
  surfaces->SetInputConnection(components->GetOutputPort());
  // Gradients of labels are no normals of surfaces; without normals VTK shades the triangles.
  surfaces->ComputeNormalsOff();
  surfaces->GenerateValues(static_cast<int>(count - 1), 2, static_cast<double>(count));

  vtkNew<vtkLookupTable> colors;
  colors->SetNumberOfTableValues(count - 1);
  colors->SetTableRange(2, static_cast<double>(count));
  colors->Build();
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputConnection(surfaces->GetOutputPort());
  // VTK would take labels of unsigned char for colors.
  mapper->SetColorModeToMapScalars();
  mapper->SetLookupTable(colors);
  mapper->UseLookupTableScalarRangeOn();
  vtkNew<vtkActor> actor;
  actor->SetMapper(mapper);

  vtkNew<vtkRenderer> renderer;
  renderer->AddActor(actor);
  renderer->SetBackground(1, 1, 1);
  renderer->GetActiveCamera()->SetPosition(1, -2, 1);
  renderer->GetActiveCamera()->SetViewUp(0, 0, 1);
  renderer->ResetCamera();
  renderer->GetActiveCamera()->Zoom(1.5);
  vtkNew<vtkRenderWindow> window;
  window->SetOffScreenRendering(1);
  window->SetSize(640, 480);
  window->AddRenderer(renderer);
  window->Render();

  vtkNew<vtkWindowToImageFilter> pixels;
  pixels->SetInput(window);
  pixels->ReadFrontBufferOff();
  vtkNew<vtkPNGWriter> writer;
  writer->SetInputConnection(pixels->GetOutputPort());
  writer->SetFileName(argv[2]);
  writer->Write();
  return writer->GetErrorCode() == 0 ? 0 : 1;
}
