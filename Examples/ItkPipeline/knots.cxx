// Reads a CT scan of a log, smooths it, labels its knots and writes the label map: a pipeline of ITK filters.
#include <itkBrickConnectedComponentImageFilter.h>

#include <itkImageFileReader.h>
#include <itkImageFileWriter.h>
#include <itkMedianImageFilter.h>
#include <itkShapeLabelObject.h>

#include <cstdlib>
#include <iostream>

int
main(int argc, char ** argv)
{
  if (argc != 3)
  {
    std::cerr << "usage: knots SCAN LABELS" << std::endl;
    return EXIT_FAILURE;
  }
  using CtImage = itk::Image<short, 3>;
  using LabelImage = itk::Image<unsigned char, 3>;
  try
  {
    auto reader = itk::ImageFileReader<CtImage>::New();
    reader->SetFileName(argv[1]);
    auto median = itk::MedianImageFilter<CtImage, CtImage>::New();
    median->SetInput(reader->GetOutput());

    // In the place of itk::ConnectedComponentImageFilter.
    auto filter = itk::BrickConnectedComponentImageFilter<CtImage, LabelImage>::New();
    filter->SetInput(median->GetOutput());
    filter->SetConnectivity(18);
    filter->SetCriterion(brickccl::Criterion::InRange(0, 3000));
    filter->SetMinimumObjectVolume(1000); // mm^3
    filter->SetOrder(brickccl::LabelOrder::Size);

    auto writer = itk::ImageFileWriter<LabelImage>::New();
    writer->SetInput(filter->GetOutput());
    writer->SetFileName(argv[2]);
    writer->UseCompressionOn();
    writer->Update();
    std::cout << filter->GetObjectCount() << " knots" << std::endl;

    // The components as an itk::LabelMap, for ITK's filters of label maps.
    using Objects = itk::LabelMap<itk::ShapeLabelObject<unsigned int, 3>>;
    const Objects::Pointer map = filter->MakeLabelMap<Objects>();
    for (const auto & object : map->GetLabelObjects())
    {
      std::cout << "knot " << object->GetLabel() << ": " << object->GetPhysicalSize() << " mm^3, elongation "
                << object->GetElongation() << std::endl;
    }
    return EXIT_SUCCESS;
  }
  catch (const itk::ExceptionObject & error)
  {
    std::cerr << error << std::endl;
    return EXIT_FAILURE;
  }
}
