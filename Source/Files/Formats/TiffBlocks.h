// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_FORMATS_TIFFBLOCKS_H
#define BRICKCCL_FILES_FORMATS_TIFFBLOCKS_H

#include "BrickCCL/Files/Formats/TiffPages.h"
#include "BrickCCL/Host/Parallel.h"

#include <vector>

namespace brickccl::files
{

/** Decodes pages of one kind to voxels, page after page. The channels of a pixel lie side by side, and each page is
 *  turned as its orientation says. \throws Error for damaged or missing data. If it returns, every voxel is set. */
void DecodeTiffPages(const FileBytes &             file,
                     const std::vector<TiffPage> & pages,
                     unsigned char *               voxels,
                     const HostContext &           context);

/** Converts numbers of 16 bits to float32. */
void HalfToFloat(const unsigned char * stored, float * values, std::size_t count);

} // namespace brickccl::files

#endif
