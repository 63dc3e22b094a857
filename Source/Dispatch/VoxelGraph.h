#ifndef BRICKCCL_DISPATCH_VOXELGRAPH_H
#define BRICKCCL_DISPATCH_VOXELGRAPH_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Dispatch/Label.h"

#include <cstdint>

namespace brickccl
{

/** Writes the graph of an image, x fastest: bit VoxelGraphBit(step) of a voxel says that it is joined to its neighbour
 * at that step. Bits of steps out of the image are set, those of steps that the connectivity lacks are not. TWord is
 *  uint8_t, which holds faces and all bits of one and two dimensions, or uint32_t. Of the options the connectivity,
 *  periodic axes, criterion, mask, threads, grain and progress are used.
 *  \throws InvalidArgument, also for more than 3 dimensions or bits that TWord does not hold; Cancelled. */
template <typename TWord>
void WriteVoxelGraph(const ImageView & image, const LabelOptions & options, TWord * graph);

/** Labels the components of a voxel graph on the CPU: an image of uint8 or uint32 whose bits join voxels. All voxels
 * take part, but for those where `options.mask` is 0. `options.criterion` is not used; if there is no connectivity, it
 * is that of all steps for which the type has bits. Bits of steps out of the image matter along periodic axes alone,
 * which must have 3 voxels or more. \throws InvalidArgument, also for a graph of which only one of two neighbours has
 * the bit towards the other; Unsupported, Cancelled, std::bad_alloc. */
Labeling LabelVoxelGraph(const ImageView & graph, const LabelOptions & options = {});

} // namespace brickccl

#endif
