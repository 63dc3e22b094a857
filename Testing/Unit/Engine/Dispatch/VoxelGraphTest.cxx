// SPDX-License-Identifier: Apache-2.0
#include "SlowBuild.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <vector>

namespace brickccl
{
namespace
{

/** The place of a voxel's neighbor; -1 if it is outside. */
std::int64_t
NeighborOf(const Extent & extent, const PeriodicAxes & periodic, std::int64_t place, const NeighborOffset & step)
{
  std::int64_t neighbor = 0;
  std::int64_t stride = 1;
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    const std::int64_t size = extent.size[axis];
    std::int64_t       to = place % size + step[static_cast<std::size_t>(axis)];
    if ((to < 0 || to >= size) && !periodic.Has(axis))
    {
      return -1;
    }
    to = (to + size) % size;
    neighbor += to * stride;
    stride *= size;
    place /= size;
  }
  return neighbor;
}

NeighborOffset
OppositeOf(const NeighborOffset & step)
{
  return { -step[0], -step[1], -step[2], -step[3] };
}

template <typename TWord>
TWord
BitOf(const NeighborOffset & step, int dimension)
{
  return static_cast<TWord>(TWord{ 1 } << VoxelGraphBit(step, dimension));
}

/** A caller's own links: each one is there with a probability, bits towards the outside at random. */
template <typename TWord>
std::vector<TWord>
RandomGraph(const Extent &       extent,
            const Connectivity & connectivity,
            const PeriodicAxes & periodic,
            std::uint64_t        percent,
            std::uint64_t        seed)
{
  std::vector<TWord> graph(static_cast<std::size_t>(extent.VoxelCount()), 0);
  std::uint64_t      next = 0;
  const auto         steps = connectivity.Offsets();
  for (std::int64_t place = 0; place < extent.VoxelCount(); ++place)
  {
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
      const std::int64_t other = NeighborOf(extent, periodic, place, steps[i]);
      if ((i < steps.size() / 2 || other < 0) && (HashOf(seed, next++) >> 20) % 100 < percent)
      {
        graph[static_cast<std::size_t>(place)] |= BitOf<TWord>(steps[i], extent.dimension);
        if (other >= 0)
        {
          graph[static_cast<std::size_t>(other)] |= BitOf<TWord>(OppositeOf(steps[i]), extent.dimension);
        }
      }
    }
  }
  return graph;
}

template <typename TWord>
std::vector<std::uint64_t>
FloodFillGraph(const Extent &                    extent,
               const Connectivity &              connectivity,
               const PeriodicAxes &              periodic,
               const std::vector<std::uint8_t> & mask,
               const std::vector<TWord> &        graph)
{
  std::vector<std::uint64_t> labels(graph.size(), 0);
  std::uint64_t              components = 0;
  for (std::size_t seed = 0; seed < graph.size(); ++seed)
  {
    if (labels[seed] != 0 || mask[seed] == 0)
    {
      continue;
    }
    labels[seed] = ++components;
    std::queue<std::size_t> open;
    for (open.push(seed); !open.empty(); open.pop())
    {
      for (const NeighborOffset & step : connectivity.Offsets())
      {
        const auto other = NeighborOf(extent, periodic, static_cast<std::int64_t>(open.front()), step);
        const auto next = static_cast<std::size_t>(other);
        if (other >= 0 && labels[next] == 0 && mask[next] != 0 &&
            (graph[open.front()] & BitOf<TWord>(step, extent.dimension)) != 0)
        {
          labels[next] = components;
          open.push(next);
        }
      }
    }
  }
  return labels;
}

template <typename TWord>
void
CheckRandomGraphs(const Extent & extent, const Connectivity & connectivity)
{
  for (const char * axes : { "", "x", "y", "xy" })
  {
    const auto periodic = PeriodicAxes::FromNames(extent.dimension > 1 ? axes : "");
    for (const std::uint64_t percent : { 3, 12, 40 })
    {
      const auto                graph = RandomGraph<TWord>(extent, connectivity, periodic, percent, percent + 7);
      std::vector<std::uint8_t> mask(graph.size());
      for (std::size_t i = 0; i < mask.size(); ++i)
      {
        mask[i] = HashOf(3, i) % 8 != 0;
      }
      LabelOptions options;
      options.connectivity = connectivity;
      options.periodic = periodic;
      options.mask = ImageView(mask.data(), extent);
      for (const int threads : testing::NumbersOfThreads())
      {
        options.threads = threads;
        options.grain = threads == 1 ? 1 << 16 : 1;
        std::vector<std::uint64_t> labels(graph.size());
        LabelVoxelGraph(ImageView(graph.data(), extent), options).Write(labels.data());
        ASSERT_EQ(labels, FloodFillGraph(extent, connectivity, periodic, mask, graph))
          << extent.ToString() << ", " << connectivity.ToString() << ", periodic along " << axes << ", " << percent;
      }
    }
  }
}

TEST(VoxelGraph, RandomLinksGiveTheComponentsOfAFloodFill)
{
  for (int rank = 1; rank <= 3; ++rank)
  {
    CheckRandomGraphs<std::uint32_t>({ 67, 9, 8 }, Connectivity(3, rank));
    CheckRandomGraphs<std::uint32_t>({ 5, 3, 40 }, Connectivity(3, rank));
  }
  CheckRandomGraphs<std::uint8_t>({ 67, 9, 8 }, Connectivity::Face(3));
  CheckRandomGraphs<std::uint8_t>({ 66, 21 }, Connectivity::Full(2));
  CheckRandomGraphs<std::uint8_t>({ 300 }, Connectivity::Face(1));
  CheckRandomGraphs<std::uint32_t>(
    { 66, 9, 8 },
    Connectivity::FromOffsets(3, { { 1, 1, 0 }, { -1, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } }));
}

TEST(VoxelGraph, BitsAreInTheDocumentedOrder)
{
  EXPECT_EQ(VoxelGraphBit({ 1 }, 1), 0);
  EXPECT_EQ(VoxelGraphBit({ 0, -1 }, 2), 3);
  EXPECT_EQ(VoxelGraphBit({ -1, -1 }, 2), 7);
  EXPECT_EQ(VoxelGraphBit({ 0, 0, -1 }, 3), 5);
  EXPECT_EQ(VoxelGraphBit({ -1, -1, 0 }, 3), 9);
  EXPECT_EQ(VoxelGraphBit({ 1, 0, -1 }, 3), 14);
  EXPECT_EQ(VoxelGraphBit({ -1, -1, -1 }, 3), 25);
  EXPECT_THROW(VoxelGraphBit({ 0, 1 }, 1), InvalidArgument);
  EXPECT_THROW(VoxelGraphBit({ 0, 0, 0 }, 3), InvalidArgument);
  EXPECT_THROW(VoxelGraphBit({ 1 }, 4), InvalidArgument);
}

TEST(VoxelGraph, GraphsWithoutMeaningAreRefused)
{
  const Extent                     extent{ 4, 3, 3 };
  const std::vector<std::uint32_t> none(36, 0);
  const std::vector<std::uint8_t>  narrow(36, 0);
  LabelOptions                     full;
  full.connectivity = Connectivity::Full(3);
  EXPECT_THROW(LabelVoxelGraph(ImageView(narrow.data(), extent), full), InvalidArgument);
  EXPECT_THROW(LabelVoxelGraph(ImageView(std::vector<std::int32_t>(36).data(), extent)), InvalidArgument);
  EXPECT_THROW(LabelVoxelGraph(ImageView(none.data(), { 4, 3, 3, 1 })), InvalidArgument);
  EXPECT_EQ(LabelVoxelGraph(ImageView(none.data(), extent)).ComponentCount(), 36u);
  std::vector<std::uint32_t> oneSided(36, 0);
  oneSided[5] = BitOf<std::uint32_t>({ 1 }, 3);
  try
  {
    LabelVoxelGraph(ImageView(oneSided.data(), extent));
    FAIL() << "a link of one side was accepted";
  }
  catch (const InvalidArgument & error)
  {
    EXPECT_STREQ(error.what(),
                 "of the voxels 6 and 5, places from 0 on, only one has the bit towards the other; a graph must have "
                 "both or none");
  }
  LabelOptions periodic;
  periodic.periodic = PeriodicAxes::FromNames("y");
  EXPECT_THROW(LabelVoxelGraph(ImageView(none.data(), { 9, 2, 2 }), periodic), InvalidArgument);
  EXPECT_EQ(LabelVoxelGraph(ImageView(none.data(), extent), periodic).ComponentCount(), 36u);
  LabelOptions ofImage;
  ofImage.connectivity = Connectivity::Full(3);
  std::vector<std::uint8_t> tooNarrow(36);
  EXPECT_THROW(WriteVoxelGraph(ImageView(narrow.data(), extent), ofImage, tooNarrow.data()), InvalidArgument);
}

} // namespace
} // namespace brickccl
