// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_FORMATS_TIFFDESCRIPTION_H
#define BRICKCCL_FILES_FORMATS_TIFFDESCRIPTION_H

#include "BrickCCL/Files/Formats/TiffPages.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

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

} // namespace brickccl::files

#endif
