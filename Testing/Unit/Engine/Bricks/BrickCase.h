// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_BRICKCASE_H
#define BRICKCCL_TESTING_BRICKCASE_H

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Phantoms/Random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/** Random volumes, how they are labeled, and how they are cut. */
namespace brickccl
{

/** Random choices from a seed. */
class Choices
{
public:
  explicit Choices(std::uint64_t seed)
    : m_Seed(seed)
  {}

  /** 0 .. count - 1. */
  std::int64_t
  Below(std::int64_t count)
  {
    return static_cast<std::int64_t>(HashOf(m_Seed, ++m_Step) % static_cast<std::uint64_t>(count));
  }
  bool
  Heads()
  {
    return Below(2) == 1;
  }

private:
  std::uint64_t m_Seed;
  std::uint64_t m_Step = 0;
};

/** A random volume and how it is labeled. */
struct Case
{
  Extent                    extent;
  ScalarType                type = ScalarType::UInt8;
  int                       channels = 1;
  std::vector<long double>  values;
  std::vector<std::byte>    voxels;
  std::vector<std::uint8_t> mask;
  std::vector<std::int16_t> intensity;
  BrickOptions              options;
  int                       sliceAxis = -1;
  /** Whether FloodFill knows the neighbors. */
  bool hasOracle = true;

  std::size_t
  VoxelBytes() const
  {
    return SizeOf(type) * static_cast<std::size_t>(channels);
  }
};

/** Copies the voxels of a box, each of `size` bytes. */
inline std::vector<std::byte>
Cut(const void * voxels, std::size_t size, const BrickBox & box)
{
  std::vector<std::byte> cut;
  const auto *           from = static_cast<const std::byte *>(voxels);
  for (std::int64_t place = 0; place < box.extent.VoxelCount(); ++place)
  {
    const std::byte * const voxel = from + box.PlaceInVolume(static_cast<std::uint64_t>(place)) * size;
    cut.insert(cut.end(), voxel, voxel + size);
  }
  return cut;
}

/** A symmetric set of offsets. */
inline Connectivity
RandomNeighborhood(int dimension, Choices & choose)
{
  std::vector<NeighborOffset> offsets;
  for (const NeighborOffset & offset : Connectivity::Full(dimension).Offsets())
  {
    NeighborOffset opposite = offset;
    for (int & step : opposite)
    {
      step = -step;
    }
    if (offset < opposite && choose.Heads())
    {
      offsets.push_back(offset);
      offsets.push_back(opposite);
    }
  }
  return Connectivity::FromOffsets(dimension, offsets);
}

inline Case
MakeCase(Choices & choose)
{
  Case      made;
  const int dimension = static_cast<int>(1 + choose.Below(4));
  made.extent.dimension = dimension;
  for (int axis = 0; axis < dimension; ++axis)
  {
    made.extent.size[axis] = 1 + choose.Below(axis == 0 ? (dimension == 1 ? 300 : 80) : 24 / dimension);
  }
  const ScalarType types[] = { ScalarType::UInt8, ScalarType::Int16, ScalarType::Float32, ScalarType::UInt64 };
  made.type = types[choose.Below(4)];
  made.channels = choose.Below(4) == 0 ? 2 : 1;
  const std::int64_t values = 2 + choose.Below(5);
  const auto         count = static_cast<std::size_t>(made.extent.VoxelCount());
  for (std::size_t i = 0; i < count * static_cast<std::size_t>(made.channels); ++i)
  {
    made.values.push_back(static_cast<long double>(choose.Below(values)));
  }
  made.voxels.resize(count * made.VoxelBytes());
  VisitScalarType(made.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    std::transform(made.values.begin(), made.values.end(), reinterpret_cast<T *>(made.voxels.data()), [](auto value) {
      return static_cast<T>(value);
    });
  });
  for (std::size_t i = 0; i < count; ++i)
  {
    made.mask.push_back(static_cast<std::uint8_t>(choose.Below(5)));
    made.intensity.push_back(static_cast<std::int16_t>(choose.Below(4000) - 1000));
  }

  LabelOptions & label = made.options.label;
  const int      rank = static_cast<int>(1 + choose.Below(dimension));
  label.connectivity = Connectivity(dimension, rank);
  if (dimension > 1 && choose.Below(4) == 0)
  {
    made.sliceAxis = static_cast<int>(choose.Below(dimension));
    label.connectivity = Connectivity(dimension - 1, std::min(rank, dimension - 1)).WithinSlices(made.sliceAxis);
  }
  if (dimension > 1 && choose.Below(5) == 0)
  {
    label.connectivity = RandomNeighborhood(dimension, choose);
    made.sliceAxis = -1;
    made.hasOracle = false;
  }
  const Criterion criteria[] = { Criterion::Foreground(), Criterion::InRange(1, 2),
                                 Criterion::EqualValue(), Criterion::EqualValue(std::nullopt),
                                 Criterion::Tolerance(1), Criterion::Tolerance(1, std::nullopt) };
  label.criterion = criteria[choose.Below(6)];
  label.geometry.spacing[0] = 0.5;
  label.geometry.spacing[1] = 0.75;
  label.geometry.origin[0] = -12.25;
  label.geometry.startIndex[0] = 3;
  label.threads = 1;
  if (choose.Heads())
  {
    label.relabel.order = choose.Heads() ? LabelOrder::Size : LabelOrder::Raster;
    label.relabel.minimumSize = choose.Heads() ? static_cast<std::uint64_t>(choose.Below(6)) : 0;
    label.relabel.maximumSize =
      choose.Heads() ? static_cast<std::uint64_t>(5 + choose.Below(40)) : label.relabel.maximumSize;
    label.relabel.largest = choose.Heads() ? static_cast<std::uint64_t>(choose.Below(5)) : 0;
    if (made.sliceAxis >= 0 && choose.Heads())
    {
      label.relabel.largestAcross = made.sliceAxis;
    }
    label.minimumVolume = choose.Heads() ? 1.0 : 0;
  }
  return made;
}

inline ImageView
ViewOf(const std::vector<std::byte> & voxels, ScalarType type, const Extent & extent, int channels)
{
  return ImageView(static_cast<const void *>(voxels.data()), type, extent, channels);
}

/** Cuts a box at random places, again and again, so that neighboring bricks do not end at the same places. */
inline void
CutAtRandom(const BrickBox & box, Choices & choose, int cuts, std::vector<BrickBox> & boxes)
{
  const int axis = static_cast<int>(choose.Below(box.volume.dimension));
  if (cuts == 0 || box.extent.size[axis] == 1)
  {
    boxes.push_back(box);
    return;
  }
  const std::int64_t at = 1 + choose.Below(box.extent.size[axis] - 1);
  Extent             lower = box.extent;
  Extent             upper = box.extent;
  lower.size[axis] = at;
  upper.size[axis] -= at;
  std::int64_t begin[MaximumDimension];
  std::copy_n(box.begin, MaximumDimension, begin);
  CutAtRandom(BrickBox(box.volume, begin, lower), choose, cuts - 1, boxes);
  begin[axis] += at;
  CutAtRandom(BrickBox(box.volume, begin, upper), choose, cuts - 1, boxes);
}

inline std::vector<BrickBox>
MakeBricks(const Extent & extent, Choices & choose)
{
  std::vector<BrickBox> boxes;
  if (choose.Below(3) == 0)
  {
    const std::int64_t begin[MaximumDimension] = {};
    CutAtRandom(BrickBox(extent, begin, extent), choose, 5, boxes);
  }
  else
  {
    Extent brick = extent;
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      // Bricks of one voxel along an axis are among them.
      const std::int64_t least = axis == 0 ? 1 : std::max<std::int64_t>(1, extent.size[axis] / 6);
      brick.size[axis] = std::max<std::int64_t>(extent.size[axis] / 9, least + choose.Below(extent.size[axis]));
    }
    boxes = CutIntoBricks(extent, brick);
  }
  for (std::size_t i = boxes.size(); i > 1; --i)
  {
    std::swap(boxes[i - 1], boxes[static_cast<std::size_t>(choose.Below(static_cast<std::int64_t>(i)))]);
  }
  return boxes;
}

} // namespace brickccl

#endif
