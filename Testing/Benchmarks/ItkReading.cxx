// SPDX-License-Identifier: Apache-2.0
// Times ITK's reader on a volume of 16-bit voxels, or on a folder with one DICOM series:
//
//   brickccl-itk-reading IMAGE
//
// prints the seconds of one reading, from the reader's making to the voxels in memory. whole_commands.py takes it for
// `--itk`.

#include "itkGDCMImageIO.h"
#include "itkGDCMSeriesFileNames.h"
#include "itkImage.h"
#include "itkImageFileReader.h"
#include "itkImageSeriesReader.h"
#include "itkMetaImageIOFactory.h"
#include "itkNiftiImageIOFactory.h"
#include "itkNrrdImageIOFactory.h"
#include "itkTIFFImageIOFactory.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace
{

using Scan = itk::Image<short, 3>;

Scan::Pointer
Read(const std::string & path)
{
  if (std::filesystem::is_directory(path))
  {
    auto names = itk::GDCMSeriesFileNames::New();
    names->SetInputDirectory(path);
    auto reader = itk::ImageSeriesReader<Scan>::New();
    reader->SetImageIO(itk::GDCMImageIO::New());
    reader->SetFileNames(names->GetInputFileNames());
    reader->Update();
    return reader->GetOutput();
  }
  auto reader = itk::ImageFileReader<Scan>::New();
  reader->SetFileName(path);
  reader->Update();
  return reader->GetOutput();
}

} // namespace

int
main(int argc, char ** argv)
{
  if (argc != 2)
  {
    std::fprintf(stderr, "usage: brickccl-itk-reading IMAGE\n");
    return 1;
  }
  itk::MetaImageIOFactory::RegisterOneFactory();
  itk::NiftiImageIOFactory::RegisterOneFactory();
  itk::NrrdImageIOFactory::RegisterOneFactory();
  itk::TIFFImageIOFactory::RegisterOneFactory();
  try
  {
    const auto   begin = std::chrono::steady_clock::now();
    const auto   scan = Read(argv[1]);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (scan->GetBufferedRegion().GetNumberOfPixels() == 0)
    {
      throw std::runtime_error("the image is empty");
    }
    std::printf("%.6f\n", seconds);
    return 0;
  }
  catch (const std::exception & error)
  {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
