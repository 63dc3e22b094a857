// SPDX-License-Identifier: Apache-2.0
#include <itkInPlaceImageFilter.h>
// ITK 6 does not have this macro.
#undef ITKv5_CONST

#include <itkBrickBinaryFillholeImageFilter.h>
#include <itkBrickConnectedComponentImageFilter.h>
#include <itkBrickLabelImageToShapeLabelMapFilter.h>

#include <iostream>

int
main()
{
  using Image = itk::Image<unsigned char, 2>;
  auto             image = Image::New();
  Image::SizeType  size{ { 8, 8 } };
  Image::IndexType index{ { 2, 3 } };
  image->SetRegions(size);
  image->Allocate(true);
  image->SetPixel(index, 1);
  auto filter = itk::BrickConnectedComponentImageFilter<Image, Image>::New();
  filter->SetInput(image);
  filter->Update();
  std::cout << filter->GetObjectCount() << " component" << std::endl;
  // The other sources' needs of ITK are linked as well.
  auto map = itk::BrickLabelImageToShapeLabelMapFilter<Image>::New();
  map->SetInput(filter->GetOutput());
  map->Update();
  auto filled = itk::BrickBinaryFillholeImageFilter<Image>::New();
  filled->SetInput(image);
  filled->SetForegroundValue(1);
  filled->Update();
  const bool isRight = filter->GetObjectCount() == 1 && filter->GetOutput()->GetPixel(index) == 1 &&
                       map->GetOutput()->GetLabelObject(1)->GetNumberOfPixels() == 1 &&
                       filled->GetNumberOfFilledHoles() == 0;
  return isRight ? 0 : 1;
}
