#include "BrickCCL/Itk/ImageFile.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"
#include "BrickCCL/Itk/FileCheck.h"

#include "itkGDCMImageIO.h"
#include "itkGDCMSeriesFileNames.h"
#include "itkImage.h"
#include "itkImageIOBase.h"
#include "itkImageIOFactory.h"
#include "itkImageSeriesReader.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace brickccl
{

namespace
{

using IO = itk::ImageIOBase;

std::string
CannotRead(const std::string & path, const std::string & reason)
{
  return "cannot read '" + path + "': " + reason;
}

std::string
CannotWrite(const std::string & path, const std::string & reason)
{
  return "cannot write '" + path + "': " + reason;
}

/** What an ITK exception says, on one line. */
std::string
ReasonOf(const itk::ExceptionObject & error)
{
  std::string text = error.GetDescription();
  const auto  colons = text.find("): ");
  if (text.compare(0, 5, "ITK E") == 0 && colons != std::string::npos)
  {
    text = text.substr(colons + 3);
  }
  for (char & letter : text)
  {
    letter = letter == '\n' ? ' ' : letter;
  }
  while (!text.empty() && text.back() == ' ')
  {
    text.pop_back();
  }
  return text;
}

ScalarType
ToScalarType(itk::IOComponentEnum component, const std::string & path)
{
  switch (component)
  {
  case itk::IOComponentEnum::CHAR:
    return ScalarType::Int8;
  case itk::IOComponentEnum::UCHAR:
    return ScalarType::UInt8;
  case itk::IOComponentEnum::SHORT:
    return ScalarType::Int16;
  case itk::IOComponentEnum::USHORT:
    return ScalarType::UInt16;
  case itk::IOComponentEnum::INT:
    return ScalarType::Int32;
  case itk::IOComponentEnum::UINT:
    return ScalarType::UInt32;
  case itk::IOComponentEnum::LONG:
    return sizeof(long) == 8 ? ScalarType::Int64 : ScalarType::Int32;
  case itk::IOComponentEnum::ULONG:
    return sizeof(long) == 8 ? ScalarType::UInt64 : ScalarType::UInt32;
  case itk::IOComponentEnum::LONGLONG:
    return ScalarType::Int64;
  case itk::IOComponentEnum::ULONGLONG:
    return ScalarType::UInt64;
  case itk::IOComponentEnum::FLOAT:
    return ScalarType::Float32;
  case itk::IOComponentEnum::DOUBLE:
    return ScalarType::Float64;
  default:
    throw Unsupported(CannotRead(path,
                                 "voxels of type " + IO::GetComponentTypeAsString(component) +
                                   " are not supported; convert them to integers, float or double"));
  }
}

/** 64-bit integers as `long`, the type that every ITK image format knows. */
itk::IOComponentEnum
ToComponentType(ScalarType type)
{
  switch (type)
  {
  case ScalarType::Int8:
    return itk::IOComponentEnum::CHAR;
  case ScalarType::UInt8:
    return itk::IOComponentEnum::UCHAR;
  case ScalarType::Int16:
    return itk::IOComponentEnum::SHORT;
  case ScalarType::UInt16:
    return itk::IOComponentEnum::USHORT;
  case ScalarType::Int32:
    return itk::IOComponentEnum::INT;
  case ScalarType::UInt32:
    return itk::IOComponentEnum::UINT;
  case ScalarType::Int64:
    return sizeof(long) == 8 ? itk::IOComponentEnum::LONG : itk::IOComponentEnum::LONGLONG;
  case ScalarType::UInt64:
    return sizeof(long) == 8 ? itk::IOComponentEnum::ULONG : itk::IOComponentEnum::ULONGLONG;
  case ScalarType::Float32:
    return itk::IOComponentEnum::FLOAT;
  case ScalarType::Float64:
    break;
  }
  return itk::IOComponentEnum::DOUBLE;
}

/** \throws Error for spacings that give no volume; turns negative ones into a flipped direction. */
void
SettleSpacing(int dimension, const std::string & path, Geometry & geometry)
{
  for (int axis = 0; axis < dimension; ++axis)
  {
    if (!(std::fabs(geometry.spacing[axis]) > 0) || std::isinf(geometry.spacing[axis]))
    {
      throw Error(CannotRead(path,
                             "its spacing along axis " + std::to_string(axis) + " is " +
                               std::to_string(geometry.spacing[axis]) + "; it must be above 0"));
    }
    if (geometry.spacing[axis] < 0)
    {
      geometry.spacing[axis] = -geometry.spacing[axis];
      for (int row = 0; row < dimension; ++row)
      {
        geometry.direction[row][axis] = -geometry.direction[row][axis];
      }
    }
  }
}

LoadedImage
ReadFile(const std::string & path)
{
  const IO::Pointer io = itk::ImageIOFactory::CreateImageIO(path.c_str(), itk::IOFileModeEnum::ReadMode);
  if (!io)
  {
    throw Error(CannotRead(path, "its format is not known, or the file is damaged"));
  }
  const std::string reader = io->GetNameOfClass();
  const auto        throwIfIncomplete = [&](std::uint64_t bytes) {
    const std::string missing = WhatIsMissing(path, reader, bytes);
    if (!missing.empty())
    {
      throw Error(CannotRead(path, missing));
    }
  };
  if (reader == "TIFFImageIO")
  {
    // Of a truncated file ITK would show fewer pages.
    throwIfIncomplete(0);
  }
  io->SetFileName(path);
  io->ReadImageInformation();

  LoadedImage image;
  image.type = ToScalarType(io->GetComponentType(), path);
  image.channels = static_cast<int>(io->GetNumberOfComponents());
  if (io->GetPixelType() == itk::IOPixelEnum::COMPLEX)
  {
    throw Unsupported(CannotRead(path, "complex voxels are not supported; give their magnitude instead"));
  }
  unsigned dimension = io->GetNumberOfDimensions();
  while (dimension > static_cast<unsigned>(MaximumDimension) && io->GetDimensions(dimension - 1) == 1)
  {
    --dimension;
  }
  if (dimension > static_cast<unsigned>(MaximumDimension))
  {
    throw Unsupported(CannotRead(path,
                                 "it has " + std::to_string(dimension) + " dimensions; up to " +
                                   std::to_string(MaximumDimension) + " are supported"));
  }
  std::int64_t       sizes[MaximumDimension];
  itk::ImageIORegion region(io->GetNumberOfDimensions());
  for (unsigned axis = 0; axis < io->GetNumberOfDimensions(); ++axis)
  {
    region.SetIndex(axis, 0);
    region.SetSize(axis, io->GetDimensions(axis));
  }
  for (unsigned axis = 0; axis < dimension; ++axis)
  {
    sizes[axis] = static_cast<std::int64_t>(io->GetDimensions(axis));
    image.geometry.spacing[axis] = io->GetSpacing(axis);
    image.geometry.origin[axis] = io->GetOrigin(axis);
    const std::vector<double> column = io->GetDirection(axis);
    for (unsigned row = 0; row < dimension && row < column.size(); ++row)
    {
      image.geometry.direction[row][axis] = column[row];
    }
  }
  image.extent = Extent(static_cast<int>(dimension), sizes);
  SettleSpacing(image.extent.dimension, path, image.geometry);
  io->SetIORegion(region);
  const auto bytes = static_cast<std::size_t>(io->GetImageSizeInBytes());
  if (reader != "TIFFImageIO")
  {
    throwIfIncomplete(bytes);
  }
  image.voxels.Resize(bytes);
  io->Read(image.voxels.Data());
  return image;
}

template <typename T>
LoadedImage
ReadSeries(const std::vector<std::string> & files)
{
  using Image = itk::Image<T, 3>;
  auto reader = itk::ImageSeriesReader<Image>::New();
  reader->SetImageIO(itk::GDCMImageIO::New());
  reader->SetFileNames(files);
  reader->Update();
  const Image * volume = reader->GetOutput();

  LoadedImage  image;
  std::int64_t sizes[3];
  for (unsigned axis = 0; axis < 3; ++axis)
  {
    sizes[axis] = static_cast<std::int64_t>(volume->GetLargestPossibleRegion().GetSize(axis));
    image.geometry.spacing[axis] = volume->GetSpacing()[axis];
    image.geometry.origin[axis] = volume->GetOrigin()[axis];
    for (unsigned row = 0; row < 3; ++row)
    {
      image.geometry.direction[row][axis] = volume->GetDirection()[row][axis];
    }
  }
  image.type = ScalarTypeOf<T>();
  image.extent = Extent(3, sizes);
  const auto bytes = static_cast<std::size_t>(image.extent.VoxelCount()) * sizeof(T);
  image.voxels.Resize(bytes);
  std::memcpy(image.voxels.Data(), volume->GetBufferPointer(), bytes);
  return image;
}

LoadedImage
ReadFolder(const std::string & path)
{
  auto names = itk::GDCMSeriesFileNames::New();
  names->SetUseSeriesDetails(true);
  names->SetGlobalWarningDisplay(false);
  names->SetDirectory(path);
  const auto & series = names->GetSeriesUIDs();
  if (series.empty())
  {
    throw Error(CannotRead(path, "the folder holds no DICOM series"));
  }
  if (series.size() > 1)
  {
    throw Error(CannotRead(path,
                           "the folder holds " + std::to_string(series.size()) +
                             " DICOM series; put the one to be labeled into a folder of its own"));
  }
  const auto files = names->GetFileNames(series.front());
  auto       io = itk::GDCMImageIO::New();
  io->SetFileName(files.front());
  io->ReadImageInformation();
  if (io->GetNumberOfComponents() != 1)
  {
    throw Unsupported(CannotRead(path, "a DICOM series of several channels is not supported"));
  }
  LoadedImage image = VisitScalarType(ToScalarType(io->GetComponentType(), path),
                                      [&](auto tag) { return ReadSeries<typename decltype(tag)::Type>(files); });
  SettleSpacing(3, path, image.geometry);
  return image;
}

/** What the formats that keep label maps exactly can hold. */
struct Format
{
  const char * writer;
  int          mostDimensions;
  std::size_t  mostBytesPerVoxel;
};

constexpr Format Formats[] = { { "NrrdImageIO", 4, 8 },
                               { "NiftiImageIO", 4, 8 },
                               { "MetaImageIO", 4, 8 },
                               { "TIFFImageIO", 3, 4 },
                               { "PNGImageIO", 2, 2 } };

struct Writer
{
  IO::Pointer io;
  /** The image's extent without trailing axes of size 1 that the format does not have. */
  Extent extent;
};

/** The writer for a path. \throws Unsupported, which says what the format lacks. */
Writer
WriterFor(const std::string & path, ScalarType type, const Extent & extent)
{
  Writer writer{ itk::ImageIOFactory::CreateImageIO(path.c_str(), itk::IOFileModeEnum::WriteMode), extent };
  for (const Format & format : Formats)
  {
    if (!writer.io || std::strcmp(writer.io->GetNameOfClass(), format.writer) != 0)
    {
      continue;
    }
    while (writer.extent.dimension > format.mostDimensions && writer.extent.size[writer.extent.dimension - 1] == 1)
    {
      --writer.extent.dimension;
    }
    if (writer.extent.dimension > format.mostDimensions)
    {
      throw Unsupported(CannotWrite(path,
                                    "the format does not hold " + std::to_string(extent.dimension) +
                                      " dimensions; use .nrrd, .nii.gz or .mha"));
    }
    if (SizeOf(type) > format.mostBytesPerVoxel)
    {
      throw Unsupported(CannotWrite(path,
                                    std::string("the format does not hold voxels of type ") + NameOf(type) +
                                      "; use a smaller label type, or .nrrd, .nii.gz or .mha"));
    }
    return writer;
  }
  throw Unsupported(
    CannotWrite(path,
                "no format with this extension keeps label maps; use .nrrd, .nii.gz, .mha, .tif or, in 2-D, .png"));
}

} // namespace

LoadedImage
ReadImageFile(const std::string & path)
{
  try
  {
    const std::filesystem::path file(path);
    if (!std::filesystem::exists(file))
    {
      throw Error(CannotRead(path, "there is no such file"));
    }
    if (std::filesystem::is_directory(file))
    {
      return ReadFolder(path);
    }
    if (!std::ifstream(file))
    {
      throw Error(CannotRead(path, std::strerror(errno)));
    }
    return ReadFile(path);
  }
  catch (const itk::ExceptionObject & error)
  {
    throw Error(CannotRead(path, ReasonOf(error)));
  }
  catch (const InvalidArgument & error)
  {
    throw InvalidArgument(CannotRead(path, error.what()));
  }
  catch (const std::filesystem::filesystem_error & error)
  {
    throw Error(CannotRead(path, error.code().message()));
  }
  catch (const std::bad_alloc &)
  {
    throw Error(CannotRead(path, "it does not fit into memory"));
  }
}

void
CheckImageFileWritable(const std::string & path, ScalarType type, const Extent & extent)
{
  WriterFor(path, type, extent);
  CheckWritable(path);
}

void
WriteImageFile(const std::string & path,
               const void *        voxels,
               ScalarType          type,
               const Extent &      extent,
               const Geometry &    geometry,
               bool                compress)
{
  const Writer       writer = WriterFor(path, type, extent);
  const IO::Pointer  io = writer.io;
  const auto         dimension = static_cast<unsigned>(writer.extent.dimension);
  itk::ImageIORegion region(dimension);
  io->SetNumberOfDimensions(dimension);
  for (unsigned axis = 0; axis < dimension; ++axis)
  {
    const auto size = static_cast<itk::SizeValueType>(writer.extent.size[axis]);
    region.SetIndex(axis, 0);
    region.SetSize(axis, size);
    io->SetDimensions(axis, size);
    io->SetSpacing(axis, geometry.spacing[axis]);
    io->SetOrigin(axis, geometry.origin[axis]);
    std::vector<double> column(dimension);
    for (unsigned row = 0; row < dimension; ++row)
    {
      column[row] = geometry.direction[row][axis];
    }
    io->SetDirection(axis, column);
  }
  io->SetIORegion(region);
  io->SetPixelType(itk::IOPixelEnum::SCALAR);
  io->SetNumberOfComponents(1);
  io->SetComponentType(ToComponentType(type));
  io->SetUseCompression(compress);
  try
  {
    ReplaceFile(path, [&](const std::string & temporary) {
      io->SetFileName(temporary);
      io->Write(voxels);
    });
  }
  catch (const itk::ExceptionObject & error)
  {
    throw Error(CannotWrite(path, ReasonOf(error)));
  }
}

void
CheckSameGrid(const LoadedImage & image, const LoadedImage & other, const std::string & otherName)
{
  if (image.extent != other.extent)
  {
    throw InvalidArgument("'" + otherName + "' has the extent " + other.extent.ToString() +
                          " but the input image has " + image.extent.ToString() + "; they must be the same");
  }
  const auto complain = [&](const char * what, double theirs, double ours) {
    std::ostringstream text;
    text << "'" << otherName << "' lies elsewhere in space than the input image: its " << what << " is " << theirs
         << " instead of " << ours << "; resample it to the grid of the input image";
    throw InvalidArgument(text.str());
  };
  constexpr double relative = 1e-4;
  for (int axis = 0; axis < image.extent.dimension; ++axis)
  {
    const double spacing = image.geometry.spacing[axis];
    if (std::fabs(other.geometry.spacing[axis] - spacing) > relative * spacing)
    {
      complain("spacing", other.geometry.spacing[axis], spacing);
    }
    if (std::fabs(other.geometry.origin[axis] - image.geometry.origin[axis]) > 1e-3 * spacing)
    {
      complain("origin", other.geometry.origin[axis], image.geometry.origin[axis]);
    }
    for (int row = 0; row < image.extent.dimension; ++row)
    {
      if (std::fabs(other.geometry.direction[row][axis] - image.geometry.direction[row][axis]) > relative)
      {
        complain("direction", other.geometry.direction[row][axis], image.geometry.direction[row][axis]);
      }
    }
  }
}

} // namespace brickccl
