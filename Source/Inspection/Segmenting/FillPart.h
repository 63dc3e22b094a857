// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_SEGMENTING_FILLPART_H
#define BRICKCCL_SEGMENTING_FILLPART_H

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"

#include <cstdint>

namespace brickccl
{

/** Holes of a part that run straight through the image. They stay outside. */
struct Bores
{
  std::uint64_t count = 0;
  std::uint64_t voxels = 0;
};

/** Gives the value `hole` to the voxels of value 0 that the others enclose, as FindPores says. 	hrows Canceled.
 */
Bores FillPart(std::uint8_t *      mask,
               const Extent &      extent,
               std::uint8_t        hole,
               const PoreOptions & options,
               const HostContext & context);

} // namespace brickccl

#endif
