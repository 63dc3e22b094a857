// SPDX-License-Identifier: Apache-2.0
// Reads a CT scan of a log, smooths it, labels and measures its knots, selects some of them and writes label maps: a
// pipeline of ITK filters.
#include <itkBrickConnectedComponentImageFilter.h>

#include <itkImageFileReader.h>
#include <itkImageFileWriter.h>
#include <itkLabelMapToLabelImageFilter.h>
#include <itkMedianImageFilter.h>
#include <itkShapeLabelObject.h>
#include <itkShapeOpeningLabelMapFilter.h>

#include <cstdlib>
#include <iostream>

int
main(int argc, char ** argv)
{
  if (argc != 4)
  {
    std::cerr << "usage: knots SCAN LABELS SELECTED_LABELS" << std::endl;
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
    filter->SetIntensityImage(reader->GetOutput()); // for statistics of gray values

    auto writer = itk::ImageFileWriter<LabelImage>::New();
    writer->SetInput(filter->GetOutput());
    writer->SetFileName(argv[2]);
    writer->UseCompressionOn();
    writer->Update();
    std::cout << filter->GetObjectCount() << " knots" << std::endl;

    // The components as an itk::LabelMap, with the attributes that ITK's filters of label maps know.
    using Objects = itk::LabelMap<itk::ShapeLabelObject<unsigned int, 3>>;
    const Objects::Pointer map = filter->MakeLabelMap<Objects>();
    for (const auto & object : map->GetLabelObjects())
    {
      const auto knot = filter->GetComponentTable().components[object->GetLabel() - 1];
      std::cout << "knot " << object->GetLabel() << ": " << object->GetPhysicalSize() << " mm^3, elongation "
                << object->GetElongation() << ", mean " << knot.intensity.mean << " HU" << std::endl;
    }

    // ITK's own filter selects by an attribute.
    auto selection = itk::ShapeOpeningLabelMapFilter<Objects>::New();
    selection->SetInput(map);
    selection->SetAttribute("Elongation");
    selection->SetLambda(3);
    auto selected = itk::LabelMapToLabelImageFilter<Objects, LabelImage>::New();
    selected->SetInput(selection->GetOutput());
    writer->SetInput(selected->GetOutput());
    writer->SetFileName(argv[3]);
    writer->Update();
    std::cout << selection->GetOutput()->GetNumberOfLabelObjects() << " are long" << std::endl;
    return EXIT_SUCCESS;
  }
  catch (const itk::ExceptionObject & error)
  {
    std::cerr << error << std::endl;
    return EXIT_FAILURE;
  }
}
