#ifndef BRICKCCL_BRICKS_COUNTBRICK_H
#define BRICKCCL_BRICKS_COUNTBRICK_H

#include "BrickCCL/Bricks/BrickBox.h"
#include "BrickCCL/Bricks/Bytes.h"

#include <vector>

namespace brickccl
{

/** A brick after merging. */
struct MergedBrick
{
  BytesView record;
  BytesView map;
};

/** Whether CountBrick needs a brick for another one: it has voxels in the layer before it along some axis. */
bool IsNeededToCount(const BrickBox & brick, const BrickBox & other);

/** Counts what the surface and the Euler numbers of the volume's components are made of in one brick, with the layer of
 *  voxels before it along each axis: the second look that the columns of the groups `surface` and `topology` need. It
 *  comes after merging; MergeBrickTables takes the counts of all bricks.
 *  \param brick    whose runs these are
 *  \param runs     from LabelBrick
 *  \param before   all bricks for which IsNeededToCount is true, and others if need be
 *  \param threads  the number of threads; 0 stands for all
 *  \throws InvalidArgument, which names the brick, if one of those is missing; Error for damaged bytes. */
Bytes CountBrick(const MergedBrick & brick, BytesView runs, const std::vector<MergedBrick> & before, int threads = 0);

} // namespace brickccl

#endif
