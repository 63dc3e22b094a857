// SPDX-License-Identifier: Apache-2.0
#include <vtkBrickConnectedComponents.h>

#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkTable.h>

#include <iostream>

int
main()
{
  vtkNew<vtkImageData> image;
  image->SetDimensions(8, 8, 8);
  image->AllocateScalars(VTK_UNSIGNED_CHAR, 1);
  image->GetPointData();
  auto * voxels = static_cast<unsigned char *>(image->GetScalarPointer());
  for (int i = 0; i < 512; ++i)
  {
    voxels[i] = i % 2 == 0 ? 1 : 0;
  }
  vtkNew<vtkBrickConnectedComponents> filter;
  filter->SetInputData(image);
  filter->Update();
  std::cout << filter->GetNumberOfComponents() << " components" << std::endl;
  return filter->GetNumberOfComponents() == 4 && filter->GetTable()->GetNumberOfRows() == 4 ? 0 : 1;
}
