// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BRICKS_BRICKS_H
#define BRICKCCL_BRICKS_BRICKS_H

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Labels/Labels.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/** Labeling a volume brick by brick: LabelBrick for each brick, BrickMerge for all, WriteBrick for each. README.md
 *  shows the steps for a volume. */
namespace brickccl
{

/** A brick: a box of voxels of a volume that is labeled separately. */
struct BrickBox
{
  Extent       volume;
  std::int64_t begin[MaximumDimension] = {};
  /** It has the volume's dimension. */
  Extent extent;

  BrickBox() = default;
  /** \throws InvalidArgument unless the box is inside the volume. */
  BrickBox(const Extent & wholeVolume, const std::int64_t * first, const Extent & size);

  std::int64_t
  End(int axis) const
  {
    return begin[axis] + extent.size[axis];
  }

  /** The raster index in the volume (x fastest) of a voxel with a raster index in the brick. */
  std::uint64_t PlaceInVolume(std::uint64_t placeInBrick) const;

  /** The row of the brick at a position in the volume (x does not matter); -1 if it is outside. */
  std::int64_t RowAt(const std::int64_t (&at)[MaximumDimension]) const;

  /** "the brick at (0, 0, 128) of 512 x 512 x 64 voxels" */
  std::string ToString() const;

  friend bool
  operator==(const BrickBox & a, const BrickBox & b)
  {
    bool same = a.volume == b.volume && a.extent == b.extent;
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      same = same && a.begin[axis] == b.begin[axis];
    }
    return same;
  }
  friend bool
  operator!=(const BrickBox & a, const BrickBox & b)
  {
    return !(a == b);
  }
};

/** Cuts a volume into bricks of a size, smaller ones at its upper ends, in raster order.
 *  \param volume  the extent of the whole volume volume
 *  \param brick  has the volume's dimension; sizes may be larger than the volume's. \throws InvalidArgument. */
std::vector<BrickBox> CutIntoBricks(const Extent & volume, const Extent & brick);

/** The data that the steps of labeling by bricks pass on and keep in files. */
using Bytes = std::vector<std::uint8_t>;

/** A view of bytes in a vector, a mapped file or a Python object. */
struct BytesView
{
  const std::uint8_t * data = nullptr;
  std::size_t          size = 0;

  BytesView() = default;
  BytesView(const std::uint8_t * first, std::size_t count)
    : data(first)
    , size(count)
  {}
  BytesView(const Bytes & bytes)
    : data(bytes.data())
    , size(bytes.size())
  {}
};

/** How to label a volume brick by brick. It must be the same for all bricks, except for the images, the device and
 *  threads. */
struct BrickOptions
{
  /** As for the whole volume. The mask has the extent of the brick. The limits on sizes, the order and `largest`
   *  apply to the volume's components; the geometry describes the volume. */
  LabelOptions label;
  /** Whether to measure bricks, so that their tables can be merged. */
  bool measures = true;
  /** Columns and images to measure. Images have the extent of the brick. */
  MeasureOptions measure;
};

/** The result of labeling a brick. Both parts have a version and a checksum. */
struct LabeledBrick
{
  /** The data for BrickMerge: faces, first voxels and sizes of its components, the partial table. */
  Bytes record;
  /** The runs, from which WriteBrick makes labels without the image. */
  Bytes runs;
};

/** Labels a brick of a volume. Components that reach no other brick and exceed the limits on sizes are dropped. The
 *  same brick gives the same bytes on any device, with any algorithm and number of threads.
 *  \param image    the voxels of the brick
 *  \param box      its place in the volume
 *  \param options  the same for all bricks of a volume
 *  \throws InvalidArgument, Unsupported (which names columns that cannot be measured by bricks), Canceled. */
LabeledBrick LabelBrick(const ImageView & image, const BrickBox & box, const BrickOptions & options);

/** As above, reusing the memory of an earlier labeling, which afterwards can only be used for that. */
LabeledBrick
LabelBrick(const ImageView & image, const BrickBox & box, const BrickOptions & options, Labeling & scratch);

/** The brick of a record or a map. \throws Error for other bytes. */
BrickBox BoxOf(BytesView recordOrMap);

/** \throws Unsupported, which names the group, if requested columns cannot be merged from bricks or are not available
 *  for periodic axes. */
void CheckColumnsOfBricks(const MeasureOptions & options, const PeriodicAxes & periodic);

/** Writes the labels of a brick, x fastest, to a buffer of its extent, from its runs.
 *  \param runs     from LabelBrick
 *  \param map      of this brick, from BrickMerge
 *  \param labels   points to voxels of the type
 *  \param type     not Auto
 *  \param threads  the number of threads; 0: all
 *  \throws LabelOverflow before anything is written, if the type is too small for the volume's labels; Error for
 *  damaged bytes and for runs and a map of different bricks. */
void WriteBrick(BytesView runs, BytesView map, void * labels, LabelType type, int threads = 0);

/** Joins components across bricks, and numbers them as for the whole volume.
 *
 *  Bricks may have any sizes and come in any order; the labels do not depend on either. Faces of a brick are kept
 *  until all bricks next to it were added: in raster order, the faces of a layer of bricks. Otherwise it needs 24
 *  bytes for each component of a brick. */
class BrickMerge
{
public:
  /** \param threads  the number of threads; 0: all. The result does not depend on it. */
  explicit BrickMerge(int threads = 0);
  ~BrickMerge();
  BrickMerge(BrickMerge &&) noexcept;
  BrickMerge & operator=(BrickMerge &&) noexcept;

  /** Adds the record of a brick. \return the brick's number: 0, 1, 2 ... in the order of these calls.
   *  \throws InvalidArgument, which names the brick, if it was added before, overlaps others, or was labeled with
   *  other options or in another volume; Error for damaged bytes. */
  std::size_t Add(BytesView bytes);
  /** Adds several records, reading them at once. \return the number of the first; the others follow. If a record is
   *  damaged, none is added. */
  std::size_t Add(const std::vector<BytesView> & records);

  /** Numbers the components. \throws InvalidArgument if bricks are missing; it names a position where one is missing.
   */
  void Finish();

  /** The following are available after Finish. */

  /** The number of the volume's components, after the limits on sizes. */
  std::uint64_t ComponentCount() const;
  /** The components that the limits on sizes dropped, and the number of remaining voxels. */
  const RelabelReport & Relabeled() const;
  std::uint64_t         ForegroundVoxelCount() const;
  /** The number of NaN values in the image. */
  std::uint64_t NotNumberCount() const;

  /** The label in the volume for each label of a brick. \param number  of the brick, from Add */
  Bytes Map(std::size_t number) const;

  /** The memory that it uses, in bytes. */
  std::size_t MemoryBytes() const;
  /** The most memory for this many bricks with this many components, without their faces and links through ends. */
  static std::size_t BytesFor(std::size_t bricks, std::uint64_t parts);
  std::size_t        BrickCount() const;
  /** The number of the bricks' components, which make up the volume's components. */
  std::uint64_t PartCount() const;

private:
  struct State;
  std::unique_ptr<State> m_State;
};

/** A brick after merging. */
struct MergedBrick
{
  BytesView record;
  BytesView map;
};

/** Whether CountBrick needs a brick for another one: it has voxels in the layer before it along some axis. */
bool IsNeededToCount(const BrickBox & brick, const BrickBox & other);

/** Counts the parts of the surface and the Euler numbers of the volume's components in one brick, with the layer of
 *  voxels before it along each axis, for the columns of the groups `surface` and `topology`. It comes after merging;
 *  MergeBrickTables uses the counts of all bricks.
 *  \param brick    the brick of the runs
 *  \param runs     from LabelBrick
 *  \param before   all bricks for which IsNeededToCount is true; may contain others
 *  \param threads  the number of threads; 0: all
 *  \throws InvalidArgument, which names the brick, if one of them is missing; Error for damaged bytes. */
Bytes CountBrick(const MergedBrick & brick, BytesView runs, const std::vector<MergedBrick> & before, int threads = 0);

/** The table of the volume from the tables of all bricks. It equals the table of the whole volume, except that
 *  intensities other than integers of at most 32 bits, the enclosing ball and the oriented box have a relative error
 *  of up to 1e-12.
 *  \param bricks  the number of bricks
 *  \param record  returns the record of brick i; called once for each, in the order of their numbers
 *  \param map     returns the map of brick i from BrickMerge
 *  \param counts  returns the result of CountBrick for brick i; needed for the groups `surface` and `topology`
 *  \param threads  the number of threads; 0: all. The table does not depend on it.
 *  \throws InvalidArgument if a brick was not measured, or differently from the others, or counts are missing; Error.
 */
ComponentTable MergeBrickTables(std::size_t                                     bricks,
                                const std::function<Bytes(std::size_t brick)> & record,
                                const std::function<Bytes(std::size_t brick)> & map,
                                const std::function<Bytes(std::size_t brick)> & counts = nullptr,
                                int                                             threads = 0);

} // namespace brickccl

#endif
