// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/PartialVoxels.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Formats/TiffPages.h"
#include "BrickCCL/Files/Voxels.h"

#include <cmath>

namespace brickccl::files
{

/** The place of a plain page's bytes if its strips lie one after the other; else 0. */
static std::uint64_t
PlaceOfPlainPage(TiffHandle & handle, const TiffPage & page, std::uint64_t pageBytes)
{
  if (page.compression != COMPRESSION_NONE || page.isTiled || page.isSeparate || page.isFillReversed ||
      page.channels.size() != page.samples || page.orientation != ORIENTATION_TOPLEFT ||
      SizeOf(page.Type()) * 8 != page.bits)
  {
    return 0;
  }
  const std::uint64_t begin = TIFFGetStrileOffset(handle.Get(), 0);
  std::uint64_t       place = begin;
  for (std::uint32_t strip = 0; strip < page.Blocks(); ++strip)
  {
    if (TIFFGetStrileOffset(handle.Get(), strip) != place)
    {
      return 0;
    }
    place += TIFFGetStrileByteCount(handle.Get(), strip);
  }
  return place - begin == pageBytes && !handle.HasError() ? begin : 0;
}

/** Uses the voxels in the mapped file, without a copy, if all pages lie one after the other as they would in memory.
 *  Pages after the first one may have no directories. */
static bool
TakeInPlace(const FileBytes &   file,
            const TiffPages &   found,
            const TiffStack &   stack,
            const HostContext & context,
            LoadedImage &       image)
{
  const TiffPage &    first = found.pages.front();
  const std::uint64_t bytes = image.ByteCount();
  const std::uint64_t pageBytes = std::uint64_t{ first.width } * first.height * first.samples * SizeOf(image.type);
  TiffHandle          handle(file, true);
  std::uint64_t       begin = 0;
  const bool          isSwapped = TIFFIsByteSwapped(handle.Get()) != 0 && SizeOf(image.type) > 1;
  for (std::size_t i = 0; i < found.pages.size(); ++i)
  {
    const TiffPage & page = found.pages[i];
    handle.FailIf(TIFFSetSubDirectory(handle.Get(), page.place) != 1, "a TIFF directory is damaged");
    const std::uint64_t place = PlaceOfPlainPage(handle, page, pageBytes);
    begin = i == 0 ? place : begin;
    if (place == 0 || place != begin + i * pageBytes)
    {
      return false;
    }
  }
  if (!stack.isWithoutDirectories && (begin > file.Size() || bytes > file.Size() - begin))
  {
    return false;
  }
  const bool isAligned = reinterpret_cast<std::uintptr_t>(file.Data() + begin) % SizeOf(image.type) == 0;
  if (!stack.isWithoutDirectories && (isSwapped || !isAligned))
  {
    return false;
  }
  TakeStored(file, begin, isSwapped, context, image);
  return true;
}

static void
SetSpacing(const TiffStack & stack, LoadedImage & image)
{
  bool told[3] = {};
  for (int axis = 0; axis < std::min(3, image.extent.dimension); ++axis)
  {
    told[axis] = stack.spacing[axis] > 0 && std::isfinite(stack.spacing[axis]);
    image.geometry.spacing[axis] = told[axis] ? stack.spacing[axis] : 1;
  }
  if (!told[0] && !told[1] && !told[2])
  {
    image.spacingSource = "none";
  }
  else if (image.extent.dimension > 2 && !told[2])
  {
    image.notes.push_back("the file has no slice spacing; 1 mm is assumed");
  }
}

bool
IsTiff(const FileBytes & file)
{
  // A DICOM file may begin as TIFF does, so that readers of either take it (PS3.10, 7.1).
  if (IsDicom(file) && !HasExtension(file.Path(), ".tif .tiff"))
  {
    return false;
  }
  // 42 is classic TIFF, 43 is BigTIFF.
  return file.BeginsWith("II*\0", 4) || file.BeginsWith("MM\0*", 4) || file.BeginsWith("II+\0", 4) ||
         file.BeginsWith("MM\0+", 4);
}

LoadedImage
ReadTiff(const FileBytes & file, const ReadOptions & options)
{
  const TiffPages  found = ReadTiffPages(file);
  const TiffStack  stack = DescribeTiffStack(found);
  const TiffPage & first = found.pages.front();
  LoadedImage      image;
  image.inParts = options.inParts;
  image.notes = found.notes;
  image.notes.insert(image.notes.end(), stack.notes.begin(), stack.notes.end());
  NoteIf(IsDicom(file),
         "it is also a DICOM file, but its name has it read as TIFF, without DICOM's scaling and "
         "geometry; to read it as DICOM, name a copy .dcm",
         image.notes);

  const auto                pages = static_cast<std::int64_t>(found.pages.size());
  std::vector<std::int64_t> sizes = { first.width, first.height };
  const std::int64_t        slices = stack.slices > 0 ? stack.slices : pages;
  const std::int64_t        frames = stack.slices > 0 ? stack.frames : 1;
  if (slices * frames > 1)
  {
    sizes.push_back(slices);
    sizes.push_back(frames);
  }
  image.extent = SettleExtent(sizes);
  image.type = first.Type();
  image.channels = static_cast<int>(first.channels.size());
  const std::size_t bytes = VoxelBytes(image.extent, image.channels, image.type);
  NoteIf(frames > 1,
         "its pages are " + std::to_string(slices) + (slices > 1 ? " slices" : " slice") + " at " +
           std::to_string(frames) + " time points",
         image.notes);
  image.meaning = first.photometric == PHOTOMETRIC_MINISWHITE ? "counted from white" : image.meaning;
  if (first.photometric == PHOTOMETRIC_PALETTE)
  {
    image.meaning = "numbers of palette colors";
    image.notes.push_back("it has a palette; the voxels are numbers of colors, not brightness");
  }
  NoteIf(first.orientation != ORIENTATION_TOPLEFT,
         "its pages are turned as their orientation (" + std::to_string(first.orientation) + ") says",
         image.notes);
  SetSpacing(stack, image);
  TellHeader(options, image);
  const HostContext context = options.Context();
  if (TakeInPlace(file, found, stack, context, image))
  {
    return image;
  }
  ThrowIf<Unsupported>(stack.isWithoutDirectories,
                       "its description says " + std::to_string(slices * frames) + " images but there is one page, " +
                         "with pixels compressed or in pieces: the file is truncated or was changed");
  if (options.inParts)
  {
    const auto read = [=, all = found.pages](std::size_t begin, std::size_t count, std::byte * output) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin);
      DecodeTiffPages(file,
                      { from, from + static_cast<std::ptrdiff_t>(count) },
                      reinterpret_cast<unsigned char *>(output),
                      context);
      Forget(file);
    };
    image.stream = SliceVoxels(bytes / static_cast<std::size_t>(pages), read);
    return image;
  }
  DecodeTiffPages(file, found.pages, reinterpret_cast<unsigned char *>(image.voxels.Resize(bytes)), context);
  return image;
}

} // namespace brickccl::files
