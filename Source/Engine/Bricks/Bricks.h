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
 * shows the way of a volume. */
namespace brickccl
{

/** A brick: a box of voxels of a volume that is labeled on its own. */
struct BrickBox
{
  Extent       volume;
  std::int64_t begin[MaximumDimension] = {};
  /** It has the volume's dimension. */
  Extent extent;

  BrickBox() = default;
  /** \throws InvalidArgument unless the box lies in the volume. */
  BrickBox(const Extent & wholeVolume, const std::int64_t * first, const Extent & size);

  std::int64_t
  End(int axis) const
  {
    return begin[axis] + extent.size[axis];
  }

  /** The raster place in the volume (x fastest) of a voxel with a raster place in the brick. */
  std::uint64_t PlaceInVolume(std::uint64_t placeInBrick) const;

  /** The row of the brick at a place of the volume (x does not matter); -1 if the brick does not have it. */
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

/** Cuts a volume into bricks of a size, smaller ones at its upper ends. Their order is raster order.
 *  \param volume  the extent of the whole
 *  \param brick  has the volume's dimension; sizes may be larger than the volume's. \throws InvalidArgument. */
std::vector<BrickBox> CutIntoBricks(const Extent & volume, const Extent & brick);

/** What the steps of labeling by bricks hand on and keep in files. */
using Bytes = std::vector<std::uint8_t>;

/** Bytes that lie elsewhere: in a vector, a mapped file or an object of Python. */
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

/** Finds which components of bricks are one, and numbers them as labeling the whole volume at once does.
 *
 *  Bricks may have any sizes and come in any order; the labels do not depend on either. Faces of a brick are kept until
 *  all bricks beside it are there: in raster order those of a layer of bricks. Beside these it takes 24 bytes for each
 *  component of a brick. */
class BrickMerge
{
public:
  /** \param threads  how many threads it uses; 0 stands for all. The result does not depend on it. */
  explicit BrickMerge(int threads = 0);
  ~BrickMerge();
  BrickMerge(BrickMerge &&) noexcept;
  BrickMerge & operator=(BrickMerge &&) noexcept;

  /** Takes the record of a brick, its bytes. \return the brick's number: 0, 1, 2 ... in the order of these calls.
   *  \throws InvalidArgument, which names the brick, if it was added before, overlaps others, or was labeled with other
   *  options or in another volume than they; Error for damaged bytes. */
  std::size_t Add(BytesView bytes);
  /** The same for several, which are read side by side. \return the number of the first; the others follow. If a
   *  record is damaged, none is added. */
  std::size_t Add(const std::vector<BytesView> & records);

  /** Numbers the components. \throws InvalidArgument if bricks are missing; it names a place where one is. */
  void Finish();

  /** The following are there once Finish has returned. */

  /** The number of the volume's components, after the limits on sizes. */
  std::uint64_t ComponentCount() const;
  /** What the limits on sizes dropped, and how many voxels are left. */
  const RelabelReport & Relabeled() const;
  std::uint64_t         ForegroundVoxelCount() const;
  /** Values of the image that are not a number (NaN). */
  std::uint64_t NotNumberCount() const;

  /** For each label of a brick its label in the volume. \param number  of the brick, from Add */
  Bytes Map(std::size_t number) const;

  /** The bytes of memory that it takes. */
  std::size_t MemoryBytes() const;
  /** What it takes at most for so many bricks with so many components, beside their faces and links through ends. */
  static std::size_t BytesFor(std::size_t bricks, std::uint64_t parts);
  std::size_t        BrickCount() const;
  /** The number of the bricks' components, of which those of the volume are made. */
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

/** Counts what the surface and the Euler numbers of the volume's components are made of in one brick, with the layer of
 *  voxels before it along each axis: the second look that the columns of the groups `surface` and `topology` need. It
 *  comes after merging; MergeBrickTables takes the counts of all bricks.
 *  \param brick    whose runs these are
 *  \param runs     from LabelBrick
 *  \param before   all bricks for which IsNeededToCount is true, and others if need be
 *  \param threads  the number of threads; 0 stands for all
 *  \throws InvalidArgument, which names the brick, if one of those is missing; Error for damaged bytes. */
Bytes CountBrick(const MergedBrick & brick, BytesView runs, const std::vector<MergedBrick> & before, int threads = 0);

/** The table of the volume from the tables of all bricks, the same as that of the volume labeled at once; intensities
 *  that are no integers of at most 32 bits, the enclosing ball and the oriented box are the same to 1e-12.
 *  \param bricks  how many there are
 *  \param record  the record of brick i. It is called once for each, in the order of their numbers.
 *  \param map     the map of brick i from BrickMerge
 *  \param counts  what CountBrick says of brick i; needed for the columns of the groups `surface` and `topology`
 *  \param threads  how many threads it uses; 0 stands for all. The table does not depend on it.
 *  \throws InvalidArgument if a brick was not measured, or not in the same way as the others, or counts are needed and
 *  not given; Error. */
ComponentTable MergeBrickTables(std::size_t                                     bricks,
                                const std::function<Bytes(std::size_t brick)> & record,
                                const std::function<Bytes(std::size_t brick)> & map,
                                const std::function<Bytes(std::size_t brick)> & counts = nullptr,
                                int                                             threads = 0);

} // namespace brickccl

#endif
