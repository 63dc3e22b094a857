#include "BrickCCL/Segmenting/CloseMask.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Geometry/DistanceTransform.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace brickccl
{

namespace
{

/** A box of voxels around a mask, which may reach beyond the image. */
struct Surroundings
{
  std::int64_t begin[3] = { 0, 0, 0 };
  Extent       extent;

  /** The place in the image of the first voxel of a row, moved into the image along y and z. */
  std::int64_t
  RowInImage(const Extent & image, std::int64_t row) const
  {
    const std::int64_t y = std::clamp<std::int64_t>(begin[1] + row % extent.size[1], 0, image.size[1] - 1);
    const std::int64_t z = std::clamp<std::int64_t>(begin[2] + row / extent.size[1], 0, image.size[2] - 1);
    return (z * image.size[1] + y) * image.size[0];
  }

  bool
  HasRow(const Extent & image, std::int64_t row) const
  {
    const std::int64_t y = begin[1] + row % extent.size[1];
    const std::int64_t z = begin[2] + row / extent.size[1];
    return y >= 0 && y < image.size[1] && z >= 0 && z < image.size[2];
  }
};

/** The box around the ones of a mask, wider by so many voxels that what lies beyond it does not reach the closing. */
Surroundings
SurroundingsOf(const std::uint8_t * mask, const Extent & extent, const Geometry & geometry, double width)
{
  std::int64_t low[3] = { extent.size[0], extent.size[1], extent.size[2] };
  std::int64_t high[3] = { -1, -1, -1 };
  for (std::int64_t row = 0; row < extent.RowCount(); ++row)
  {
    const std::uint8_t * const voxels = mask + row * extent.RowLength();
    const auto *               first = std::find(voxels, voxels + extent.RowLength(), std::uint8_t{ 1 });
    if (first == voxels + extent.RowLength())
    {
      continue;
    }
    const auto * last = voxels + extent.RowLength() - 1;
    while (*last != 1)
    {
      --last;
    }
    const std::int64_t from[3] = { first - voxels, row % extent.size[1], row / extent.size[1] };
    const std::int64_t to[3] = { last - voxels, from[1], from[2] };
    for (int axis = 0; axis < 3; ++axis)
    {
      low[axis] = std::min(low[axis], from[axis]);
      high[axis] = std::max(high[axis], to[axis]);
    }
  }
  Surroundings surroundings;
  std::int64_t size[3] = { 1, 1, 1 };
  for (int axis = 0; axis < extent.dimension && high[0] >= 0; ++axis)
  {
    const std::int64_t margin = MarginOfClosing(width, geometry.spacing[axis]);
    surroundings.begin[axis] = low[axis] - margin;
    size[axis] = high[axis] - low[axis] + 1 + 2 * margin;
  }
  surroundings.extent = Extent(extent.dimension, size);
  return surroundings;
}

} // namespace

std::int64_t
MarginOfClosing(double width, double spacing)
{
  return 2 * static_cast<std::int64_t>(std::ceil(0.5 * width / spacing)) + 2;
}

void
CloseMask(std::uint8_t *      mask,
          const Extent &      extent,
          const Geometry &    geometry,
          double              width,
          const HostContext & context)
{
  double longest = 0;
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    longest = std::max(longest, geometry.spacing[axis] * static_cast<double>(extent.size[axis]));
  }
  if (!(width >= 0) || width > longest)
  {
    std::ostringstream text;
    text << "gaps of " << width << " mm cannot be closed (--close, part.close_mm): the image is " << longest
         << " mm long; give the width of the cracks, from 0 to that";
    throw InvalidArgument(text.str());
  }
  const double       radius = 0.5 * width;
  const Surroundings around = SurroundingsOf(mask, extent, geometry, width);
  const Extent &     box = around.extent;
  const auto         forEachRow = [&](auto work) {
    const Chunks chunks(box.RowCount(), 1, 64);
    ParallelFor(chunks.count, context.Silent(), [&](std::int64_t chunk) {
      for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
      {
        work(row);
      }
    });
  };
  UninitializedVector<std::uint32_t> outside(static_cast<std::size_t>(box.VoxelCount()));
  forEachRow([&](std::int64_t row) {
    const std::uint8_t * voxels = mask + around.RowInImage(extent, row);
    for (std::int64_t x = 0; x < box.size[0]; ++x)
    {
      const std::int64_t at = std::clamp<std::int64_t>(around.begin[0] + x, 0, extent.size[0] - 1);
      outside[static_cast<std::size_t>(row * box.size[0] + x)] = voxels[at] == 1 ? 0 : 1;
    }
  });
  // Distances are rounded to floats; a voxel just as far as the radius counts as near.
  const auto reach = static_cast<float>(radius * radius * (1 + 1e-5));
  auto       distances = SquaredDistancesToOthers(box, geometry, outside, context.Part(0, 0.5));
  forEachRow([&](std::int64_t row) {
    for (auto place = static_cast<std::size_t>(row * box.size[0]);
         place < static_cast<std::size_t>((row + 1) * box.size[0]);
         ++place)
    {
      outside[place] = outside[place] == 0 || distances[place] <= reach ? 1 : 0;
    }
  });
  // The first distances go before the second ones come.
  distances = {};
  distances = SquaredDistancesToOthers(box, geometry, outside, context.Part(0.5, 1));
  forEachRow([&](std::int64_t row) {
    std::uint8_t * voxels = mask + around.RowInImage(extent, row);
    for (std::int64_t x = 0; x < box.size[0] && around.HasRow(extent, row); ++x)
    {
      const std::int64_t at = around.begin[0] + x;
      if (at >= 0 && at < extent.size[0] && distances[static_cast<std::size_t>(row * box.size[0] + x)] > reach)
      {
        voxels[at] = 1;
      }
    }
  });
}

} // namespace brickccl
