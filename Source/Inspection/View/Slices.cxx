// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/View/LiveLabeling.h"

#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Pictures/Slice.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace brickccl::view
{

namespace
{

/** The voxels of a slice: `across` x `down` of them, and how far apart they are in the image. */
struct Grid
{
  std::int64_t first = 0;
  std::int64_t across = 1;
  std::int64_t down = 1;
  std::int64_t stepAcross = 1;
  std::int64_t stepDown = 1;

  Grid(const Extent & extent, const Slice & slice)
  {
    const std::int64_t steps[3] = { 1, extent.size[0], extent.size[0] * extent.size[1] };
    const int          a = slice.axis == 0 ? 1 : 0;
    const int          b = slice.axis == 2 ? 1 : 2;
    first = slice.index * steps[slice.axis];
    across = extent.size[a];
    down = extent.size[b];
    stepAcross = steps[a];
    stepDown = steps[b];
  }

  template <typename T, typename TFunction>
  std::string
  Collect(const TFunction & valueAt) const
  {
    std::string bytes(static_cast<std::size_t>(across * down) * sizeof(T), '\0');
    T *         value = reinterpret_cast<T *>(bytes.data());
    for (std::int64_t v = 0; v < down; ++v)
    {
      for (std::int64_t u = 0; u < across; ++u)
      {
        *value++ = static_cast<T>(valueAt(first + v * stepDown + u * stepAcross));
      }
    }
    return bytes;
  }
};

} // namespace

bool
Labeled::IsInPart(std::int64_t row, std::int64_t x) const
{
  return part && (part->part.empty() ? LabelAt(RunsOf(partOfDevice), row, x) != 0
                                     : part->part[static_cast<std::size_t>(row * part->extent.size[0] + x)] != 0);
}

std::string
GrayOf(const LoadedImage & image, const Slice & slice)
{
  return VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    using TSent = std::conditional_t<std::is_integral_v<T> && sizeof(T) == 8, double, T>;
    const T * const values = reinterpret_cast<const T *>(image.voxels.Data());
    return Grid(image.extent, slice).Collect<TSent>([&](std::int64_t place) { return values[place]; });
  });
}

std::string
LabelsOf(const Labeled & labeled, const Slice & slice)
{
  const Extent & extent = labeled.values->image->extent;
  return Grid(extent, slice).Collect<std::uint32_t>([&](std::int64_t place) -> std::uint64_t {
    const std::int64_t  row = place / extent.size[0];
    const std::int64_t  x = place % extent.size[0];
    const std::uint64_t label = labeled.runs != nullptr ? LabelAt(*labeled.runs, row, x) : 0;
    return label == 0 && labeled.IsInPart(row, x) ? InPart : label;
  });
}

std::string
BlocksOf(const Labeled & labeled, std::int64_t block[3])
{
  constexpr double most = 128;
  const Extent &   extent = labeled.values->image->extent;
  const double *   spacing = labeled.values->image->geometry.spacing;
  double           longest = 0;
  std::int64_t     size[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    longest = std::max(longest, spacing[axis] * static_cast<double>(extent.size[axis]));
  }
  for (int axis = 0; axis < 3; ++axis)
  {
    block[axis] = std::max<std::int64_t>(1, std::llround(std::ceil(longest / most / spacing[axis])));
    size[axis] = (extent.size[axis] + block[axis] - 1) / block[axis];
  }
  std::string           bytes(static_cast<std::size_t>(size[0] * size[1] * size[2]) * sizeof(std::uint32_t), '\0');
  std::uint32_t * const blocks = reinterpret_cast<std::uint32_t *>(bytes.data());
  for (std::int64_t row = 0; row < extent.size[1] * extent.size[2]; ++row)
  {
    const std::int64_t    y = row % extent.size[1];
    const std::int64_t    z = row / extent.size[1];
    std::uint32_t * const line = blocks + size[0] * (y / block[1] + size[1] * (z / block[2]));
    const auto            mark = [&](std::int64_t first, std::int64_t last, std::uint32_t label) {
      std::fill(line + first / block[0], line + last / block[0] + 1, label);
    };
    // The part is large: of each block the middle voxel counts.
    for (std::int64_t x = block[0] / 2; labeled.part && y % block[1] == 0 && z % block[2] == 0 && x < extent.size[0];
         x += block[0])
    {
      labeled.IsInPart(row, x) && line[x / block[0]] == 0 ? mark(x, x, InPart) : void();
    }
    if (labeled.runs != nullptr)
    {
      labeled.runs->ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        const auto label = static_cast<std::uint32_t>(labeled.runs->Label(run));
        label != 0 ? mark(begin, end - 1, label) : void();
      });
    }
  }
  return bytes;
}

} // namespace brickccl::view
