#ifndef BRICKCCL_BRICKS_LABELBRICK_H
#define BRICKCCL_BRICKS_LABELBRICK_H

#include "BrickCCL/Bricks/BrickBox.h"
#include "BrickCCL/Bricks/Bytes.h"
#include "BrickCCL/Dispatch/Label.h"

#include <cstdint>

namespace brickccl
{

/** How a volume is labeled brick by brick. It must be the same for all bricks, but for the images, the device and
 *  threads. */
struct BrickOptions
{
  /** As for the whole volume. The mask has the extent of the brick. The limits on sizes, the order and `largest` count
   *  for the volume's components; the geometry is that of the volume. */
  LabelOptions label;
  /** Whether bricks are measured, so that their tables can be merged. */
  bool measures = true;
  /** What is measured. Images have the extent of the brick. */
  MeasureOptions measure;
};

/** What labeling a brick gives. Both parts have a version and a checksum. */
struct LabeledBrick
{
  /** What BrickMerge needs: faces, first voxels and sizes of its components, the partial table. */
  Bytes record;
  /** The runs, from which WriteBrick makes labels without the image. RelabelBrick does without them. */
  Bytes runs;
};

/** Labels a brick of a volume. Components that reach no other brick and that the limits on sizes drop are left out.
 *  The same brick gives the same bytes on any device, with any algorithm and number of threads.
 *  \param image    the voxels of the brick
 *  \param box      where it lies in the volume
 *  \param options  the same for all bricks of a volume
 *  \throws InvalidArgument, Unsupported (which names columns that cannot be measured by bricks), Cancelled. */
LabeledBrick LabelBrick(const ImageView & image, const BrickBox & box, const BrickOptions & options);

/** The same with the memory of an earlier labeling, which afterwards is good only for that. */
LabeledBrick
LabelBrick(const ImageView & image, const BrickBox & box, const BrickOptions & options, Labeling & scratch);

/** The brick that a record or a map is of. \throws Error for bytes that are neither. */
BrickBox BoxOf(BytesView recordOrMap);

/** \throws Error unless the runs are whole, and belong to the record. */
void CheckRunsOf(BytesView record, BytesView runs);

/** \throws Unsupported, which names the group, if columns that are asked for cannot be merged from those of bricks, or
 *  are not there for periodic axes. */
void CheckColumnsOfBricks(const MeasureOptions & options, const PeriodicAxes & periodic);

/** Writes the labels of a brick, x fastest, to a buffer of its extent, from its runs.
 *  \param runs     from LabelBrick
 *  \param map      from BrickMerge; that of this brick
 *  \param labels   points to voxels of the type
 *  \param type     not Auto
 *  \param threads  the number of threads; 0 stands for all
 *  \throws LabelOverflow before anything is written, if the type is too small for the volume's labels; Error for
 *  damaged bytes and for runs and a map of different bricks. */
void WriteBrick(BytesView runs, BytesView map, void * labels, LabelType type, int threads = 0);

/** The same from the image. The brick is labeled once more, with the options of before. */
void RelabelBrick(const ImageView &    image,
                  const BrickBox &     box,
                  const BrickOptions & options,
                  BytesView            map,
                  void *               labels,
                  LabelType            type);

} // namespace brickccl

#endif
