// SPDX-License-Identifier: Apache-2.0
// Whether the module's headers and library fit together in an ITK build. Testing/Itk tests the filters themselves.
#include "itkBrickBinaryFillholeImageFilter.h"
#include "itkBrickConnectedComponentImageFilter.h"
#include "itkBrickLabelImageToShapeLabelMapFilter.h"
#include "itkBrickScalarConnectedComponentImageFilter.h"
#include "itkConnectedComponentImageFilter.h"
#include "itkImageRegionConstIterator.h"

#include <cstdlib>
#include <iostream>

int
main()
{
  using Image = itk::Image<unsigned char, 3>;
  using Labels = itk::Image<unsigned short, 3>;
  auto             image = Image::New();
  Image::SizeType  size = { { 20, 15, 10 } };
  Image::IndexType index;
  image->SetRegions(size);
  image->Allocate(true);
  for (index[2] = 0; index[2] < 10; index[2] += 3)
  {
    for (index[1] = 0; index[1] < 15; index[1] += 2)
    {
      for (index[0] = index[2]; index[0] < 20; index[0] += 5)
      {
        image->SetPixel(index, 1);
      }
    }
  }
  auto ours = itk::BrickConnectedComponentImageFilter<Image, Labels>::New();
  auto theirs = itk::ConnectedComponentImageFilter<Image, Labels>::New();
  ours->SetInput(image);
  theirs->SetInput(image);
  ours->Update();
  theirs->Update();
  itk::ImageRegionConstIterator<Labels> a(ours->GetOutput(), ours->GetOutput()->GetLargestPossibleRegion());
  itk::ImageRegionConstIterator<Labels> b(theirs->GetOutput(), theirs->GetOutput()->GetLargestPossibleRegion());
  for (; !a.IsAtEnd(); ++a, ++b)
  {
    if (a.Get() != b.Get())
    {
      std::cerr << "label " << a.Get() << " instead of " << b.Get() << " at " << a.GetIndex() << std::endl;
      return EXIT_FAILURE;
    }
  }
  auto map = itk::BrickLabelImageToShapeLabelMapFilter<Labels>::New();
  map->SetInput(ours->GetOutput());
  map->Update();
  if (ours->GetObjectCount() < 100 || map->GetOutput()->GetNumberOfLabelObjects() != ours->GetObjectCount())
  {
    std::cerr << ours->GetObjectCount() << " components, but " << map->GetOutput()->GetNumberOfLabelObjects()
              << " label objects" << std::endl;
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
