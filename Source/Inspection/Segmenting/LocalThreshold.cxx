// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/Threshold.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace brickccl
{

namespace
{

std::array<std::int64_t, 3>
RadiusOf(double window, const Extent & extent, const Geometry & geometry)
{
  constexpr double            widest = 127;
  std::array<std::int64_t, 3> radius{};
  double                      largest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const double reach = extent.size[axis] > 1 ? std::floor(window / (2 * geometry.spacing[axis])) : 0;
    largest = std::max(largest, reach);
    radius[axis] = static_cast<std::int64_t>(std::min(reach, widest));
  }
  ThrowIf<InvalidArgument>(largest < 1 || largest > widest,
                           "the window of " + Shortest(window) + " mm is " + (largest < 1 ? "1 voxel" : "too") +
                             " wide; a local threshold needs 3 to 255 voxels along an axis");
  return radius;
}

/** Sums and numbers of the material's levels. */
struct Sums
{
  std::int64_t sum = 0;
  std::int64_t count = 0;

  void
  Add(const Sums & other, std::int64_t sign)
  {
    sum += sign * other.sum;
    count += sign * other.count;
  }
};

/** Moves a window along an axis: `add(i, sign)` for what enters (1) or leaves (-1), `work(i)` at each place. */
template <typename TAdd, typename TWork>
void
Slide(std::int64_t  begin,
      std::int64_t  end,
      std::int64_t  size,
      std::int64_t  radius,
      const TAdd &  add,
      const TWork & work)
{
  for (std::int64_t i = std::max<std::int64_t>(0, begin - radius); i < std::min(size, begin + radius); ++i)
  {
    add(i, 1);
  }
  for (std::int64_t i = begin; i < end; ++i)
  {
    if (i + radius < size)
    {
      add(i + radius, 1);
    }
    work(i);
    if (i >= radius)
    {
      add(i - radius, -1);
    }
  }
}

/** The whole numbers that values are compared as: air and the least material, and the value of a voxel. */
struct Levels
{
  double       first;
  double       width;
  std::int64_t material;
  std::int64_t air;

  Levels(const ValueHistogram & histogram, const Threshold & found)
    : first(histogram.first)
    , width(histogram.width)
    , material(static_cast<std::int64_t>(std::ceil((static_cast<double>(found.value) - first) / width)))
  {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    for (std::size_t bin = found.padding ? 1 : 0; static_cast<std::int64_t>(bin) < material; ++bin)
    {
      count += histogram.counts[bin];
      sum += histogram.counts[bin] * bin;
    }
    air = static_cast<std::int64_t>((sum + count / 2) / std::max<std::uint64_t>(1, count));
  }

  template <typename T>
  std::int64_t
  Of(T value) const
  {
    constexpr double farthest = 1 << 20;
    // A value that is not a number is air.
    const double level = std::floor((static_cast<double>(value) - first) / width + 0.5);
    return static_cast<std::int64_t>(level > -farthest ? std::min(level, farthest) : -farthest);
  }
};

} // namespace

void
CompareLocally(const ImageView &      image,
               const Geometry &       geometry,
               const Threshold &      found,
               const ValueHistogram & histogram,
               std::uint8_t *         mask,
               const HostContext &    context)
{
  ThrowIf<InvalidArgument>(image.extent.dimension > 3, "a local threshold supports up to 3 dimensions");
  const std::int64_t * const size = image.extent.size;
  const auto                 radius = RadiusOf(found.method.window, image.extent, geometry);
  const Levels               levels(histogram, found);
  // Each piece first adds the slices before it.
  const Chunks pieces(size[2], 2 * radius[2] + 1, std::int64_t{ 4 } * EffectiveThreadCount(context.threads));
  StopPoint    stop(context);
  VisitScalarType(image.type, [&](auto tag) {
    const auto * const voxels = static_cast<const typename decltype(tag)::Type *>(image.data);
    ParallelFor(pieces.count, context, [&](std::int64_t piece) {
      std::vector<Sums> slices(static_cast<std::size_t>(size[0] * size[1]));
      const auto        addSlice = [&](std::int64_t z, std::int64_t sign) {
        for (std::size_t place = 0; place < slices.size(); ++place)
        {
          const std::int64_t level = levels.Of(voxels[static_cast<std::size_t>(z) * slices.size() + place]);
          slices[place].Add(level >= levels.material ? Sums{ level, 1 } : Sums(), sign);
        }
      };
      Slide(pieces.Begin(piece), pieces.End(piece), size[2], radius[2], addSlice, [&](std::int64_t z) {
        stop.Ask();
        std::vector<Sums> rows(static_cast<std::size_t>(size[0]));
        const auto        addRow = [&](std::int64_t y, std::int64_t sign) {
          for (std::size_t x = 0; x < rows.size(); ++x)
          {
            rows[x].Add(slices[static_cast<std::size_t>(y) * rows.size() + x], sign);
          }
        };
        Slide(0, size[1], size[1], radius[1], addRow, [&](std::int64_t y) {
          Sums       window;
          const auto add = [&](std::int64_t x, std::int64_t sign) {
            window.Add(rows[static_cast<std::size_t>(x)], sign);
          };
          Slide(0, size[0], size[0], radius[0], add, [&](std::int64_t x) {
            const std::int64_t place = (z * size[1] + y) * size[0] + x;
            const std::int64_t above = levels.Of(voxels[place]) - levels.air;
            const std::int64_t material = window.sum - levels.air * window.count;
            mask[place] = window.count > 0 && 100 * above * window.count >= found.method.percent * material ? 1 : 0;
          });
        });
      });
    });
  });
}

} // namespace brickccl
