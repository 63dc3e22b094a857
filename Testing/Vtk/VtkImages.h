// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_VTKIMAGES_H
#define BRICKCCL_TESTING_VTKIMAGES_H

#include "vtkBrickConnectedComponents.h"

#include "BrickCCL/Core/Extent.h"

#include <vtkDataArray.h>
#include <vtkImageData.h>
#include <vtkPointData.h>
#include <vtkSmartPointer.h>

#include <cstdint>
#include <vector>

namespace brickccl::testing
{

inline const Extent extent{ 37, 20, 11 };

inline vtkSmartPointer<vtkImageData>
MakeImage(const std::vector<std::uint8_t> & voxels, const Extent & size, int type = VTK_UNSIGNED_CHAR)
{
  auto image = vtkSmartPointer<vtkImageData>::New();
  // The extent need not begin at 0.
  image->SetExtent(3,
                   2 + static_cast<int>(size.size[0]),
                   -2,
                   static_cast<int>(size.size[1]) - 3,
                   0,
                   static_cast<int>(size.size[2]) - 1);
  image->SetSpacing(0.5, 0.25, 2);
  image->SetOrigin(10, -20, 30);
  image->AllocateScalars(type, 1);
  vtkDataArray * scalars = image->GetPointData()->GetScalars();
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    scalars->SetComponent(static_cast<vtkIdType>(i), 0, voxels[i]);
  }
  return image;
}

inline std::vector<std::uint64_t>
LabelsOf(vtkBrickConnectedComponents * filter)
{
  vtkDataArray *             scalars = filter->GetOutput()->GetPointData()->GetScalars();
  std::vector<std::uint64_t> labels;
  for (vtkIdType i = 0; scalars != nullptr && i < scalars->GetNumberOfTuples(); ++i)
  {
    labels.push_back(static_cast<std::uint64_t>(scalars->GetComponent(i, 0)));
  }
  return labels;
}

} // namespace brickccl::testing

#endif
