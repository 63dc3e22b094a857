#ifndef BRICKCCL_FILES_TIFFDESCRIPTION_H
#define BRICKCCL_FILES_TIFFDESCRIPTION_H

#include "BrickCCL/Files/TiffPages.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

/** What the description of a TIFF file's first page says of the stack. */
struct TiffStack
{
  /** Slices and time points; both 0 if it says nothing. */
  std::int64_t slices = 0;
  std::int64_t frames = 0;
  /** Pages after the first one that have no directory but lie after it, as ImageJ writes them. */
  bool isWithoutDirectories = false;
  /** The pages in the order of slices, then frames; empty: as they are. */
  std::vector<std::size_t> order;
  /** mm; 0 where it says nothing. */
  double                   spacing[3] = { 0, 0, 0 };
  std::vector<std::string> notes;
};

/** Understands the descriptions of ImageJ, OME and tifffile, and the tags of resolution.
 *  \throws Error where pages are not the slices of one volume (channels, planes in other files). */
TiffStack DescribeTiffStack(const TiffPages & found);

} // namespace brickccl::files

#endif
