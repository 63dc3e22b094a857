// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/DistanceTransform.h"
#include "BrickCCL/Geometry/DrawBalls.h"
#include "BrickCCL/Splitting/LabelGrowth.h"
#include "BrickCCL/Splitting/Split.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>
#include <vector>

namespace brickccl
{

/** Whether at least 3^(n - 1) of the 3^n voxels around one in n dimensions are steady. */
template <typename TIsSteady>
static bool
IsInWall(const Extent & extent, int sliceAxis, std::int64_t voxel, const TIsSteady & isSteady)
{
  const std::int64_t * const size = extent.size;
  const std::int64_t         at[3] = { voxel % size[0], voxel / size[0] % size[1], voxel / size[0] / size[1] };
  std::int64_t               begin[3] = { 0, 0, 0 };
  std::int64_t               end[3] = { 1, 1, 1 };
  int                        missing = 1;
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    const bool isUsed = axis != sliceAxis && size[axis] > 1;
    missing *= isUsed ? 3 : 1;
    begin[axis] = std::max<std::int64_t>(at[axis] - (isUsed ? 1 : 0), 0);
    end[axis] = std::min(at[axis] + (isUsed ? 2 : 1), size[axis]);
  }
  missing = std::max(missing / 3, 1);
  for (std::int64_t z = begin[2]; z < end[2]; ++z)
  {
    for (std::int64_t y = begin[1]; y < end[1]; ++y)
    {
      for (std::int64_t x = begin[0]; x < end[0]; ++x)
      {
        missing -= isSteady((z * size[1] + y) * size[0] + x) ? 1 : 0;
      }
    }
  }
  return missing <= 0;
}

ThinnestWall
WallThickness(const ImageView & labels, float * diameters, const DistanceOptions & options)
{
  const Extent & extent = labels.extent;
  const unsigned axes = AxesAcross(extent, options.sliceAxis);
  ThrowIf<InvalidArgument>(
    diameters == nullptr || extent.dimension > 3 || (extent.dimension == 1 && options.sliceAxis == 0),
    diameters == nullptr ? "the diameters are a null pointer; they need memory for all voxels"
                         : "wall thickness is for images of up to 3 dimensions and their slices");
  const HostContext context{ options.threads, Progress(options.progress) };
  CheckLabels(labels, context);
  const DistanceUnit     unit(DistanceTo::Boxes, extent, options.geometry, axes);
  const SquaredDistances found(labels, unit, context.Part(0, 0.2));
  // Balls do not reach beyond their slice.
  Geometry geometry = options.geometry;
  geometry.spacing[std::max(options.sliceAxis, 0)] = options.sliceAxis < 0 ? geometry.spacing[0] : FlatAxis;
  ThinnestWall thinnest = std::visit(
    [&](const auto & distances) {
      const auto own = [&, square = unit.length * unit.length](std::int64_t voxel) {
        return static_cast<float>(static_cast<double>(distances[static_cast<std::size_t>(voxel)]) * square);
      };
      ForEachVoxel(extent, context.Silent(), [&](std::size_t i) { diameters[i] = own(static_cast<std::int64_t>(i)); });
      DrawBalls(FindRidge(extent, geometry.spacing, context.Part(0.2, 0.5), diameters),
                extent,
                geometry.spacing,
                context.Part(0.5, 0.95),
                diameters);
      // No much larger ball holds a steady voxel than the one around it.
      const auto   isSteady = [&](std::int64_t voxel) { return diameters[voxel] < 1.5F * 1.5F * own(voxel); };
      const Chunks chunks(extent.VoxelCount(), context.grain, 256);
      std::vector<ThinnestWall> walls(static_cast<std::size_t>(chunks.count));
      const auto                isBetter = [](const ThinnestWall & a, const ThinnestWall & b) {
        return a.place >= 0 && (b.place < 0 || a.thickness < b.thickness);
      };
      ParallelFor(chunks.count, context.Part(0.95, 1), [&](std::int64_t chunk) {
        ThinnestWall & best = walls[static_cast<std::size_t>(chunk)];
        for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
        {
          const ThinnestWall wall{ static_cast<double>(diameters[i]), i };
          best = isBetter(wall, best) && isSteady(i) && IsInWall(extent, options.sliceAxis, i, isSteady) ? wall : best;
        }
      });
      return *std::min_element(walls.begin(), walls.end(), isBetter);
    },
    found.squares);
  // So far, there were squares of radii.
  ForEachVoxel(extent, context.Silent(), [&](std::size_t i) {
    diameters[i] = static_cast<float>(2 * std::sqrt(static_cast<double>(diameters[i])));
  });
  thinnest.thickness = 2 * std::sqrt(thinnest.thickness);
  return thinnest;
}

} // namespace brickccl
