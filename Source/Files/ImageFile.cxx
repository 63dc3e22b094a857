// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/ImageFile.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/FilePattern.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Formats/Hdf5Datasets.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/SliceNames.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Host/System.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>

namespace brickccl
{

using namespace files;

static std::string
ListFormats(bool written)
{
  std::string text;
  for (const Format & format : AllFormats())
  {
    if (written && format.write == nullptr)
    {
      continue;
    }
    const std::string extensions = Joined(SplitAt(' ', format.extensions), ", ");
    text += (text.empty() ? "" : ", ") + std::string(format.name) + " (" + extensions +
            (format.remark == nullptr ? "" : std::string("; ") + format.remark) + ")";
    text += written && format.maximumDimension == 2 ? " in 2-D" : "";
  }
  return text;
}

/** The usual extensions of the formats that can hold such an image: ".nrrd, .nii.gz". */
static std::string
ExtensionsThatHold(ScalarType type, int dimension)
{
  std::string text;
  for (const Format & format : AllFormats())
  {
    if (format.write != nullptr && dimension <= format.maximumDimension && format.holds(type))
    {
      const std::string extensions = format.extensions;
      text += (text.empty() ? "" : ", ") + extensions.substr(0, extensions.find(' '));
    }
  }
  return text;
}

/** \throws Unsupported if an image is to be read in parts, and files of this kind are not. */
static void
CheckParts(const std::string & name, bool isReadInParts, const ReadOptions & options)
{
  ThrowIf<Unsupported>(options.inParts && !isReadInParts,
                       name + " files are not read in parts; those that are: " + FormatsReadInParts() +
                         ", and folders of slice images; read it whole, without --memory, or convert it");
}

static LoadedImage ReadByHeader(const FileBytes & file, const ReadOptions & options);

static LoadedImage
ReadOneFile(const FileBytes & file, const ReadOptions & options)
{
  const Format * const format = FormatOfFile(file, options);
  if (format == nullptr)
  {
    return ReadByHeader(file, options);
  }
  ThrowIf<InvalidArgument>(!options.dataset.empty() && format->recognizes != IsHdf5 && format->recognizes != IsVgi &&
                             format->recognizes != IsVtk,
                           "only HDF5, .vgi and .vti files have datasets (::" + options.dataset + "), and " +
                             file.QuotedName() + " is a " + format->name + " file");
  CheckParts(format->name, format->isReadInParts, options);
  if (options.onFile)
  {
    options.onFile(file);
  }
  return format->read(file, options);
}

/** Reads a file that has no header by the one next to it. \throws Error if it is not that header's data file. */
static LoadedImage
ReadByHeader(const FileBytes & file, const ReadOptions & options)
{
  if (const std::string header = HeaderNextTo(file.Path()); !header.empty())
  {
    LoadedImage image =
      WithContext("its header " + Quoted(header) + ": ", [&] { return ReadOneFile(FileBytes::Map(header), options); });
    const auto isThis = [&](const std::string & data) { return AreSameExistingFile(data, file.Path()); };
    if (std::any_of(image.files.begin(), image.files.end(), isThis))
    {
      image.notes.push_back("it is read by its header " + Quoted(header));
      image.files.push_back(header);
      return image;
    }
  }
  throw Error(WhyNotRead(file, 3));
}

static LoadedImage
ReadAny(const std::string & path, const ReadOptions & options)
{
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure))
  {
    if (const std::string header = ZarrHeader(path); !header.empty())
    {
      return ReadZarr(FileBytes::Map(header), options);
    }
    if (HoldsDicom(path))
    {
      return ReadDicomFolder(path, options);
    }
    const auto slices = SlicesOfFolder(path);
    const bool areRaw = !slices.empty() && HasExtension(slices[0], RawExtensions);
    if (slices.empty() || (areRaw && options.raw.empty()))
    {
      const FileBytes raw =
        areRaw ? FileBytes::Map(*std::min_element(slices.begin(), slices.end(), NaturallyBefore)) : FileBytes();
      throw Error("the folder holds no DICOM files and no slice images (.tif, .png, .bmp, .jpg)" +
                  (areRaw ? "; " + raw.QuotedName() + ": " + WhyNotRead(raw, 2) : ""));
    }
    return ReadSliceImages(slices, options);
  }
  const DatasetPath dataset(path);
  if (dataset.file.empty() && !IsThere(path) && IsFilePattern(path))
  {
    auto slices = FilesOfPattern(path);
    // As in a folder: other folders and pipes are not slices. A broken link is a missing slice.
    const auto isNoFile = [](const std::string & each) { return IsThere(each) && !IsRegularFile(each); };
    slices.erase(std::remove_if(slices.begin(), slices.end(), isNoFile), slices.end());
    const std::string hint = HintOnPadding(path);
    ThrowIf(slices.empty(), "no file matches this pattern" + (hint.empty() ? "" : ": " + hint));
    ThrowIf(!hint.empty() && !options.acceptIrregularSlices,
            "the pattern matches only a part of the slices: " + hint +
              ", or accept them with --accept-irregular-slices");
    // The position of a DICOM slice is in its header, not in its name.
    const bool isDicom = std::any_of(slices.begin(), slices.end(), IsDicomFile);
    return isDicom ? ReadDicomFiles(slices, options) : ReadSliceImages(slices, options);
  }
  if (dataset.file.empty())
  {
    return ReadOneFile(FileBytes::Map(path), options);
  }
  ReadOptions withDataset = options;
  withDataset.dataset = dataset.name;
  LoadedImage image = ReadOneFile(FileBytes::Map(dataset.file), withDataset);
  image.files.push_back(dataset.file);
  return image;
}

static void
TakeSpacing(const std::vector<double> & spacing, LoadedImage & image)
{
  const auto dimension = static_cast<std::size_t>(image.extent.dimension);
  ThrowIf<InvalidArgument>(spacing.size() < std::min<std::size_t>(dimension, 3) || spacing.size() > dimension,
                           "--spacing has " + Counted(spacing.size(), "number") + " but the image " +
                             Counted(dimension, "dimension"));
  for (std::size_t axis = 0; axis < spacing.size(); ++axis)
  {
    ThrowIf<InvalidArgument>(!(spacing[axis] >= MinimumSpacing && spacing[axis] <= MaximumSpacing),
                             "the spacing " + Shortest(spacing[axis]) +
                               " is invalid; it must be a number above 0, from 1e-30 to 1e30 mm");
    image.geometry.spacing[axis] = spacing[axis];
  }
  image.spacingSource = "--spacing";
}

static void
Complete(const std::string & name, const ReadOptions & options, LoadedImage & image)
{
  if (!options.spacing.empty())
  {
    TakeSpacing(options.spacing, image);
  }
  if (image.stream)
  {
    const auto read = [name, stream = image.stream](std::uint64_t begin, std::byte * output, std::size_t size) {
      WithContext(CannotRead(name), [&] { stream->Read(begin, output, size); });
    };
    image.stream = std::make_shared<VoxelStream>(image.stream->BytesAtLeast(), read);
  }
}

static const Format &
FormatForWriting(const std::string & path)
{
  const Format * const format = FormatOfName(path);
  ThrowIf<Unsupported>(format == nullptr || format->write == nullptr,
                       "this extension is not a format for label maps; use one of " + WritableFormats());
  return *format;
}

/** The image's extent without trailing axes of size 1 that the format does not have. */
static Extent
ExtentInFormat(const Format & format, ScalarType type, const Extent & extent)
{
  Extent written = extent;
  while (written.dimension > format.maximumDimension && written.size[written.dimension - 1] == 1)
  {
    --written.dimension;
  }
  ThrowIf<Unsupported>(written.dimension > format.maximumDimension,
                       std::string(format.name) + " files do not hold " + Counted(extent.dimension, "dimension") +
                         "; use " + ExtensionsThatHold(type, extent.dimension));
  ThrowIf<Unsupported>(!format.holds(type),
                       std::string(format.name) + " files do not hold voxels of type " + NameOf(type) +
                         "; use a smaller label type, or " + ExtensionsThatHold(type, written.dimension));
  return written;
}

/** An existing header of another format that may use the data file of the header at `path`; else empty. */
static std::string
OtherHeaderOf(const std::string & beside, const std::string & path)
{
  const std::string stem = std::filesystem::path(path).replace_extension().string();
  for (const Format & format : AllFormats())
  {
    if (format.beside == nullptr || &format == FormatOfName(path))
    {
      continue;
    }
    std::istringstream extensions(format.extensions);
    for (std::string extension; extensions >> extension;)
    {
      const auto files = format.beside(stem + extension);
      if (IsThere(stem + extension) && std::find(files.begin(), files.end(), beside) != files.end())
      {
        return stem + extension;
      }
    }
  }
  return "";
}

/** \throws Error if a companion file exists and may belong to something else: if the image's own file does not exist,
 * or if another header may use the same file. */
static void
CheckBeside(const std::string & path)
{
  for (const std::string & beside : FilesBesideImage(path))
  {
    if (!IsThere(beside))
    {
      continue;
    }
    ThrowIf(!IsThere(path),
            "its voxels or its header would go to " + Quoted(beside) +
              ", which exists already; use another name, or remove that file");
    const std::string other = OtherHeaderOf(beside, path);
    ThrowIf(!other.empty(),
            "its voxels would go to " + Quoted(beside) + ", which may be the data file of " + Quoted(other) +
              " too; use another name, or remove one of the headers");
  }
}

std::vector<std::string>
FilesBesideImage(const std::string & path)
{
  const Format * const format = FormatOfName(path);
  return format != nullptr && format->beside != nullptr ? format->beside(path) : std::vector<std::string>();
}

ImageToWrite
ImageToWrite::FromMemory(const void * voxels, ScalarType type, const Extent & extent, const Geometry & geometry)
{
  const std::size_t rowBytes = static_cast<std::size_t>(extent.RowLength()) * SizeOf(type);
  return { type, extent, geometry, [=](std::int64_t begin, std::int64_t end, void * output) {
            std::memcpy(output,
                        static_cast<const std::byte *>(voxels) + static_cast<std::size_t>(begin) * rowBytes,
                        static_cast<std::size_t>(end - begin) * rowBytes);
          } };
}

std::string
ReadableFormats()
{
  return ListFormats(false);
}

std::string
WritableFormats()
{
  return ListFormats(true);
}

std::string
FormatsReadInParts()
{
  std::string names;
  for (const Format & format : AllFormats())
  {
    names += format.isReadInParts ? (names.empty() ? "" : ", ") + std::string(format.name) : "";
  }
  return names;
}

void
CheckFilesBeside(const std::string & path)
{
  WithContext(CannotWrite(path), [&] { CheckBeside(path); });
}

LoadedImage
ReadImageFile(const std::string & path, const ReadOptions & options)
{
  return WithContext(CannotRead(path), [&] {
    LoadedImage image = ReadAny(path, options);
    image.files.push_back(path);
    Complete(path, options, image);
    return image;
  });
}

LoadedImage
ReadImageFiles(const std::string & name, const std::vector<std::string> & files, const ReadOptions & options)
{
  return WithContext(CannotRead(name), [&] {
    const bool  areDicom = std::any_of(files.begin(), files.end(), IsDicomFile);
    LoadedImage image = areDicom ? ReadDicomFiles(files, options) : ReadSliceImages(files, options);
    Complete(name, options, image);
    return image;
  });
}

void
CheckImageFileWritable(const std::string & path, ScalarType type, const Extent & extent)
{
  WithContext(CannotWrite(path), [&] {
    ExtentInFormat(FormatForWriting(path), type, extent);
    CheckBeside(path);
  });
  CheckWritable(path);
}

std::vector<std::string>
WriteImageFile(const std::string & path, const ImageToWrite & image, const WriteOptions & options)
{
  return WithContext(CannotWrite(path), [&] {
    const Format & format = FormatForWriting(path);
    ImageToWrite   written = image;
    written.extent = ExtentInFormat(format, image.type, image.extent);
    CheckBeside(path);
    std::vector<std::string> notes;
    ReplaceFile(path, [&](const std::string & temporary) { notes = format.write(temporary, written, options); });
    return notes;
  });
}

void
CheckSameGrid(const LoadedImage & image,
              const LoadedImage & other,
              const std::string & otherName,
              const std::string & name)
{
  const std::string who = other.spacingSource == "none" ? "its file" : image.spacingSource == "none" ? "the input" : "";
  ThrowIf<InvalidArgument>(!std::equal(image.extent.size, image.extent.size + MaximumDimension, other.extent.size),
                           Quoted(otherName) + " has the extent " + other.extent.ToString() + " but " + name + " has " +
                             image.extent.ToString() + "; they must be the same");
  const bool isAtZero = std::count(other.geometry.origin, other.geometry.origin + 3, 0.0) == 3;
  const auto complainIf = [&](bool condition, const char * what, double theirs, double ours) {
    if (!condition)
    {
      return;
    }
    std::ostringstream text;
    text << Quoted(otherName) << " is elsewhere in space than " << name << ": its " << what << " is " << theirs
         << " instead of " << ours
         << (*what != 's' && isAtZero
               ? "; if its file has no geometry, save it with the geometry of " + name + ", else resample it"
             : *what == 's' && !who.empty()
               ? ", assumed since " + who + " has no voxel size; save it with one, or set --spacing X Y Z for both"
               : "; resample it to the grid of " + name);
    throw InvalidArgument(text.str());
  };
  constexpr double relative = 1e-4;
  // A slice in a file of two dimensions has no place along z.
  const int dimension = std::min(image.extent.dimension, other.extent.dimension);
  for (int axis = 0; axis < dimension; ++axis)
  {
    const double spacing = image.geometry.spacing[axis];
    complainIf(std::fabs(other.geometry.spacing[axis] - spacing) > relative * spacing,
               "spacing",
               other.geometry.spacing[axis],
               spacing);
    complainIf(std::fabs(other.geometry.origin[axis] - image.geometry.origin[axis]) > 1e-3 * spacing,
               "origin",
               other.geometry.origin[axis],
               image.geometry.origin[axis]);
    for (int row = 0; row < dimension; ++row)
    {
      complainIf(std::fabs(other.geometry.direction[row][axis] - image.geometry.direction[row][axis]) > relative,
                 "direction",
                 other.geometry.direction[row][axis],
                 image.geometry.direction[row][axis]);
    }
  }
}

} // namespace brickccl
