// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/SlabPlan.h"

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Core/AxisOfParts.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Job/JobCriterion.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace brickccl
{

constexpr double Kibi = 1024.0;

/** The memory per voxel for the masks of a part and its pores, and the runs of its material and of all other voxels;
 *  several parts have masks of numbers, too, and are joined by them. */
constexpr double BytesOfPores = 8;

/** The same for the numbers of objects, by which they are labeled. */
constexpr double BytesOfSplit = 24;

/** The bytes of the faces of a part, and of the lines along which bores are found. */
static double
BytesOfFaces(const Extent & extent)
{
  std::int64_t voxels = 0;
  for (int axis = 0; axis < 3; ++axis)
  {
    voxels += extent.VoxelCount() / extent.size[axis];
  }
  return 8 * static_cast<double>(voxels);
}

/** The bytes of an image's voxel while a slab is labeled. */
static double
VoxelBytesOf(const LoadedImage * image)
{
  return image == nullptr ? 0 : static_cast<double>(SizeOf(image->type)) * image->channels;
}

/** Larger slabs are not faster. */
constexpr double MaximumVoxels = 64.0 * 1024 * 1024;

/** The bytes of the program before labeling, of the pieces of the output that its threads pack, and of the chunks that
 * they read: as stored, as values, and on the way. */
static std::uint64_t
FixedBytes(int threads, const SlabImages & images)
{
  constexpr std::uint64_t ofProgram = std::uint64_t{ 48 } << 20;
  std::uint64_t           ofThread = std::uint64_t{ 8 } << 20;
  for (const LoadedImage * const image : { images.image, images.mask, images.intensity, images.zones })
  {
    ofThread += image == nullptr ? 0 : 3 * image->chunkBytes;
  }
  return ofProgram + ofThread * static_cast<std::uint64_t>(EffectiveThreadCount(threads));
}

/** The bytes of all slabs' records if they have few components: its start, and the face of a slab that
 *  waits for the next one, with its values, for joining and notes. \param slices  the largest number of slabs */
static double
LeastToKnow(const SlabImages & images, const Extent & slice, std::int64_t slices)
{
  const double rowBytes = 2 * sizeof(std::uint64_t);
  const double valueBytes = VoxelBytesOf(images.image);
  return static_cast<double>(BrickMerge::BytesFor(static_cast<std::size_t>(slices), 1)) +
         static_cast<double>(slice.RowCount()) * rowBytes + static_cast<double>(slice.VoxelCount()) * valueBytes;
}

/** The fewest slices of a slab that can be read: all of a compressed image of one slice, whose rows are the slices. */
static std::int64_t
FewestSlices(const SlabImages & images, const Extent & slice)
{
  std::int64_t fewest = 1;
  for (const LoadedImage * const image : { images.image, images.mask, images.intensity, images.zones })
  {
    if (image != nullptr && image->stream)
    {
      const std::uint64_t bytes =
        static_cast<std::uint64_t>(slice.VoxelCount() * image->channels) * SizeOf(image->type);
      const std::uint64_t least = (image->stream->BytesAtLeast() + bytes - 1) / bytes;
      fewest = std::lcm(fewest, static_cast<std::int64_t>(std::max<std::uint64_t>(1, least)));
    }
  }
  return fewest;
}

/** The slices for this many bytes: a multiple of the slices compressed together, if they fit. */
static std::int64_t
ChooseSlices(std::int64_t together, const Extent & slice, double bytes, double sliceBytes)
{
  const auto   chunk = static_cast<double>(together);
  const double enough = std::max(MaximumVoxels / static_cast<double>(slice.VoxelCount()), chunk);
  const double maximum = std::min(bytes / sliceBytes, enough);
  return static_cast<std::int64_t>(maximum < chunk ? maximum : std::floor(maximum / chunk) * chunk);
}

std::string
BytesAsText(std::uint64_t bytes)
{
  static const char * const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
  auto                      value = static_cast<double>(bytes);
  int                       unit = 0;
  while (value >= Kibi && unit < 4)
  {
    value /= Kibi;
    ++unit;
  }
  char text[64];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.2f %s", value, units[unit]);
  return text;
}

std::string
SlabPlan::ToString() const
{
  const BrickBox & first = slabs.front();
  const int        axis = AxisOfParts(first.volume);
  return std::to_string(slabs.size()) + (slabs.size() == 1 ? " slab" : " slabs") + " of up to " +
         std::to_string(first.extent.size[axis]) + " of " + std::to_string(first.volume.size[axis]) + " slices, " +
         BytesAsText(inputBytes) + " to read; memory " + BytesAsText(memory) + ": a slab takes up to " +
         BytesAsText(slabBytes) + ", " + BytesAsText(BytesForMerging()) + " are left for the records of all slabs; " +
         "state on disk about " + BytesAsText(diskBytes) +
         (cutsChunks ? "; slices compressed together are decompressed again for each slab; more --memory avoids that"
                     : "");
}

std::string
SlabPlan::AskForBytes(std::uint64_t bytes) const
{
  constexpr std::uint64_t mebi = std::uint64_t{ 1 } << 20;
  const std::uint64_t     all = fixedBytes + bytes + bytes / 16;
  return "use --memory " + std::to_string(std::max(all, memory) / mebi + 1) + "MiB";
}

SlabPlan
PlanSlabs(const SlabImages & images, const Criterion & criterion, const job::Job & job)
{
  const Extent & extent = images.image->extent;
  const int      axis = AxisOfParts(extent);
  Extent         slice = extent;
  // A single row is not cut.
  slice.size[axis] = axis == 0 ? extent.size[0] : 1;
  const double imageBytes = VoxelBytesOf(images.image) + VoxelBytesOf(images.mask) + VoxelBytesOf(images.intensity);
  // For labeling: bits, labels of runs, the algorithm's memory, rows of components. Noise has a run for every few
  // voxels, and a component for every few runs.
  const double workBytes = criterion.FollowsForeground() ? 16 : 32;
  const double perVoxel = imageBytes + workBytes +
                          (job.pores           ? BytesOfPores * (job::PartsOf(job) ? 3 : 1)
                           : job.split.empty() ? 0
                                               : BytesOfSplit);
  const std::int64_t fewest = axis == 0 ? 1 : std::min(extent.size[axis], FewestSlices(images, slice));
  const auto         sliceVoxels = static_cast<double>(slice.VoxelCount());
  const double       fewestBytes = sliceVoxels * static_cast<double>(fewest) * perVoxel;
  SlabPlan           plan;
  plan.memory = job.memory;
  const double faces = job.pores ? BytesOfFaces(extent) : 0;
  plan.fixedBytes = FixedBytes(job.threads, images) + static_cast<std::uint64_t>(faces);
  plan.inputBytes = static_cast<std::uint64_t>(static_cast<double>(extent.VoxelCount()) * imageBytes);
  plan.diskBytes = static_cast<std::uint64_t>((job.pores           ? 0.09
                                               : job.split.empty() ? 0.03
                                                                   : 4.1) *
                                              static_cast<double>(extent.VoxelCount()));
  // Half of what is left is for what is known of all slabs, and at least what that takes with few components.
  constexpr double share = 0.5;
  const auto       fixed = static_cast<double>(plan.fixedBytes);
  const double     known = LeastToKnow(images, slice, extent.size[axis]);
  const double     least = fixed + fewestBytes + std::max(fewestBytes, known);
  if (static_cast<double>(job.memory) < least)
  {
    const int threads = EffectiveThreadCount(job.threads);
    // GiB with two decimals may be less.
    const auto          mebibytes = static_cast<std::uint64_t>(std::ceil(least / (Kibi * Kibi)));
    const std::uint64_t chunk = images.image->chunkBytes;
    throw InvalidArgument(
      "a memory of " + BytesAsText(job.memory) + " is too little even for slices of " +
      std::to_string(slice.VoxelCount() * fewest) + " voxels with few components; the minimum is " +
      std::to_string(mebibytes) + " MiB" +
      (threads == 1 ? "" : " with " + std::to_string(threads) + " threads; fewer --threads need less") +
      (6 * static_cast<double>(chunk) * threads > least
         ? "; each thread reads whole chunks of the scan, of " + BytesAsText(chunk)
         : ""));
  }
  const double room = static_cast<double>(job.memory) - fixed;
  const double forSlab = std::min(share * room, room - known);
  std::int64_t slices = ChooseSlices(images.image->slicesAtOnce, slice, forSlab, sliceVoxels * perVoxel);
  slices = std::max(fewest, slices / fewest * fewest);
  Extent slab = extent;
  slab.size[axis] = axis == 0 ? extent.size[0] : std::clamp<std::int64_t>(slices, 1, extent.size[axis]);
  const auto all = { images.image, images.mask, images.intensity, images.zones };
  plan.cutsChunks = slab.size[axis] < extent.size[axis] &&
                    std::any_of(all.begin(), all.end(), [slices = slab.size[axis]](const LoadedImage * image) {
                      return image != nullptr && slices % image->slicesAtOnce != 0;
                    });
  plan.slabBytes = static_cast<std::uint64_t>(static_cast<double>(slab.VoxelCount()) * perVoxel);
  plan.slabs = CutIntoBricks(extent, slab);
  return plan;
}

} // namespace brickccl
