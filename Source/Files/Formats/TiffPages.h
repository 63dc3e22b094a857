// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_FORMATS_TIFFPAGES_H
#define BRICKCCL_FILES_FORMATS_TIFFPAGES_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Files/Formats/TiffHandle.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

/** How the pixels of a page are stored. */
struct TiffPage
{
  /** The place of the page's directory in the file. */
  std::uint64_t place = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint16_t bits = 1;
  std::uint16_t samples = 1;
  std::uint16_t format = SAMPLEFORMAT_UINT;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  std::uint16_t orientation = ORIENTATION_TOPLEFT;
  std::uint16_t compression = COMPRESSION_NONE;
  bool          hasPredictor = false;
  bool          isSeparate = false;
  bool          isTiled = false;
  bool          isFillReversed = false;
  /** The size of a strip or tile. */
  std::uint32_t blockWidth = 0;
  std::uint32_t blockHeight = 0;
  /** The samples that are values; alpha is left out. */
  std::vector<std::uint16_t> channels;

  /** The type of the voxels in memory. */
  ScalarType Type() const;

  std::uint32_t
  BlocksAcross() const
  {
    return (width - 1) / blockWidth + 1;
  }
  std::uint32_t
  BlocksDown() const
  {
    return (height - 1) / blockHeight + 1;
  }
  std::uint32_t
  BlocksPerPlane() const
  {
    return BlocksAcross() * BlocksDown();
  }
  std::uint32_t
  Blocks() const
  {
    return BlocksPerPlane() * (isSeparate ? samples : 1u);
  }
  int
  SamplesPerBlock() const
  {
    return isSeparate ? 1 : samples;
  }
  /** The bytes of a row of a strip or tile, as it is stored. */
  std::uint64_t
  BlockRowBytes() const
  {
    return (std::uint64_t{ blockWidth } * static_cast<std::uint64_t>(SamplesPerBlock()) * bits + 7) / 8;
  }
  /** Whether samples are numbers of 1, 2, 4 or 8 bytes. */
  bool
  IsWholeBytes() const
  {
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
  }
};

/** Pixels per unit along x and y; 0 if a page does not say. */
struct TiffResolution
{
  double x = 0;
  double y = 0;
  /** RESUNIT_INCH ..., or another number that the file has. */
  std::uint64_t unit = RESUNIT_INCH;
  bool          hasUnit = false;

  /** The unit in mm; 0 for none and for unknown numbers. */
  double Millimeters() const;
};

/** The contents of a file's directories. */
struct TiffPages
{
  std::vector<TiffPage>    pages;
  std::vector<std::string> notes;
  std::string              description;
  /** That of the first page. */
  TiffResolution resolution;
};

/** Makes libtiff decode the current page as ReadTiffPages() describes it. */
void PrepareDecoding(TIFF * tiff, std::uint16_t compression, std::uint16_t photometric);

/** Reads all directories. Reduced images and masks are left out with a note.
 *  \throws Error for damage, for pages that are not slices of one volume and for pixels that cannot be read. */
TiffPages ReadTiffPages(const FileBytes & file);

} // namespace brickccl::files

#endif
