// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_STREAMING_PORESBYSLABS_H
#define BRICKCCL_STREAMING_PORESBYSLABS_H

#include "BrickCCL/Streaming/LabelBySlabs.h"
#include "BrickCCL/Streaming/WorkFolder.h"

namespace brickccl
{

/** Labels the pores of a part, as FindPores finds them, slab by slab: first the pieces of the material, then what is
 *  not of the largest one, then the pores. The state of all three is in the folder. */
SlabResult LabelPoresBySlabs(const SlabImages & images, const SlabOptions & options, const WorkFolder & folder);

} // namespace brickccl

#endif
