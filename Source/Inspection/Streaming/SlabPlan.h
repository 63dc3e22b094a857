#ifndef BRICKCCL_STREAMING_SLABPLAN_H
#define BRICKCCL_STREAMING_SLABPLAN_H

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Files/LoadedImage.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

/** The images of a volume, all read in parts. */
struct SlabImages
{
  const LoadedImage * image = nullptr;
  /** Null if there are none. */
  const LoadedImage * mask = nullptr;
  const LoadedImage * intensity = nullptr;
};

/** How a volume is cut into slabs of whole slices along its slowest axis, so that the work fits into a memory. */
struct SlabPlan
{
  /** In raster order. */
  std::vector<BrickBox> slabs;
  std::uint64_t         inputBytes = 0;
  /** What one slab takes while it is labeled, at most in all likelihood, and what the program itself takes. */
  std::uint64_t slabBytes = 0;
  std::uint64_t fixedBytes = 0;
  std::uint64_t memory = 0;
  /** Whether slices that are compressed together with those of the next slab are kept for it
   * (LoadedImage::slicesAtOnce). If they should be and do not fit, the memory in which they do. */
  bool          keepsSlices = false;
  std::uint64_t memoryToKeep = 0;
  /** What the state in the work folder will take, by a rule of thumb. */
  std::uint64_t diskBytes = 0;

  /** What is left for what is known of all slabs. */
  std::uint64_t
  BytesForMerging() const
  {
    return memory - fixedBytes - slabBytes;
  }

  /** "16 slabs of 64 slices, 1.00 GiB to read; up to ... of memory ..." */
  std::string ToString() const;

  /** "give --memory 84MiB": the memory in which so many bytes have room beside what the program takes, also if slabs of
   *  other sizes have some more components. */
  std::string AskForBytes(std::uint64_t bytes) const;
};

/** Plans for a memory of so many bytes. \param slices  the slices of a slab, from an earlier plan; 0: as many as fit.
 *  \throws InvalidArgument, which says the least that would do if there are few components, and how many threads would,
 *  if the fewest slices that can be read do not fit, or slabs of these slices. */
SlabPlan PlanSlabs(const SlabImages & images,
                   const Criterion &  criterion,
                   std::uint64_t      memory,
                   int                threads,
                   std::int64_t       slices = 0);

/** The slices of the first slab of a plan, as PlanSlabs takes them. */
std::int64_t SlicesOfSlab(const SlabPlan & plan);

/** "1.50 GiB" */
std::string BytesAsText(std::uint64_t bytes);

} // namespace brickccl

#endif
