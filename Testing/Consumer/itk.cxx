#include <itkBrickConnectedComponentImageFilter.h>

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
  return filter->GetObjectCount() == 1 && filter->GetOutput()->GetPixel(index) == 1 ? 0 : 1;
}
