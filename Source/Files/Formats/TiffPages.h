// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Files/Formats/TiffHandle.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

struct TiffPage
{
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
  std::uint32_t blockWidth = 0;
  std::uint32_t blockHeight = 0;
  /** The samples that are values; alpha is left out. */
  std::vector<std::uint16_t> channels;

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

/** The description of the stack on a TIFF file's first page. */
struct TiffStack
{
  /** The numbers of slices and of time points; both are 0 if the description does not say. */
  std::int64_t slices = 0;
  std::int64_t frames = 0;
  /** Whether the pages after the first one have no directory but lie behind it, as ImageJ writes them. */
  bool isWithoutDirectories = false;
  /** The spacing in mm; 0 where the description says nothing. */
  double                   spacing[3] = { 0, 0, 0 };
  std::vector<std::string> notes;
};

/** Reads the descriptions of ImageJ, OME and tifffile, and the resolution tags.
 *  \throws Error if pages are not the slices of one volume (channels, planes in other files). */
TiffStack DescribeTiffStack(const TiffPages & found);

/** Reads the description of OME. \throws Error as DescribeTiffStack() does */
void DescribeByOme(const TiffPages & found, TiffStack & stack);

/** The whole number in a text of a description. \throws Error that names it if it is negative or not a number
 *  \param otherwise  the number of an empty text */
std::int64_t NumberOfDescription(const std::string & text, std::int64_t otherwise, const std::string & name);

/** Decodes pages of one kind to voxels, page after page. The channels of a pixel lie side by side, and each page is
 *  turned as its orientation says. \throws Error for damaged or missing data. If it returns, every voxel is set. */
void DecodeTiffPages(const FileBytes &             file,
                     const std::vector<TiffPage> & pages,
                     unsigned char *               voxels,
                     const HostContext &           context);

} // namespace brickccl::files
