#ifndef BRICKCCL_BRICKS_MERGEBRICKS_H
#define BRICKCCL_BRICKS_MERGEBRICKS_H

#include "BrickCCL/Bricks/BrickBox.h"
#include "BrickCCL/Bricks/Bytes.h"
#include "BrickCCL/Labels/Labels.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace brickccl
{

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
  /** What it takes at least for so many bricks, beside their faces. */
  static std::size_t StartBytes(std::size_t bricks);
  std::size_t        BrickCount() const;
  /** The number of the bricks' components, of which those of the volume are made. */
  std::uint64_t PartCount() const;

private:
  struct State;
  std::unique_ptr<State> m_State;
};

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
