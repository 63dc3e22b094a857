// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_WRITEBRICKS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_WRITEBRICKS_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"

/** From bits, runs and labels of components to label maps. */
namespace brickccl::cuda
{

/** The data of a word, loaded from shared memory at once. */
template <typename TLayout>
struct alignas(16) LayerWord
{
  RowWords<TLayout::rowCount> rows;
  DeviceWord                  starts;
  /** The runs of the layer that start before the word. */
  unsigned runsBefore;
};

/** One layer of a brick in shared memory, and the labels of its runs. */
template <typename TLayout>
struct LayerMemory
{
  LayerWord<TLayout> words[WordsPerLayer];
  /** The label of run i is at i + 2, so that the label of the run before the first one can be read, too. */
  unsigned labels[WordsPerLayer * TLayout::runsPerWord + 2];

  /** The place of the label of the last run that starts within `upTo`, which are the bits of the word up to some bit.
   *  If a run covers that bit, it is that run. */
  __device__ const unsigned *
  LabelAt(const LayerWord<TLayout> & word, DeviceWord upTo) const
  {
    return labels + 1 + word.runsBefore + static_cast<unsigned>(__popc(word.starts & upTo));
  }
};

/** So many voxels of a row are written by one lane. */
inline constexpr int VoxelsPerLane = VoxelsPerBrickRow / 32;

template <typename TLabel>
using LaneLabels = TLabel[VoxelsPerLane];

/** Pointers to labels must be multiples of this for StoreTogether. */
template <typename TLabel>
inline constexpr unsigned LabelAlignment = sizeof(LaneLabels<TLabel>) < 16 ? sizeof(LaneLabels<TLabel>) : 16;

/** Writes a lane's labels, which lie side by side. */
template <typename TLabel>
__device__ inline void
StoreTogether(TLabel * place, const LaneLabels<TLabel> & values)
{
  if constexpr (sizeof(TLabel) == 1)
  {
    __stcs(reinterpret_cast<unsigned *>(place),
           static_cast<unsigned>(values[0] | values[1] << 8 | values[2] << 16) | static_cast<unsigned>(values[3])
                                                                                   << 24);
  }
  else if constexpr (sizeof(TLabel) == 2)
  {
    __stcs(reinterpret_cast<uint2 *>(place),
           make_uint2(values[0] | static_cast<unsigned>(values[1]) << 16,
                      values[2] | static_cast<unsigned>(values[3]) << 16));
  }
  else if constexpr (sizeof(TLabel) == 4)
  {
    __stcs(reinterpret_cast<uint4 *>(place), make_uint4(values[0], values[1], values[2], values[3]));
  }
  else
  {
    const auto low = [&](int i) { return static_cast<unsigned>(values[i]); };
    const auto high = [&](int i) { return static_cast<unsigned>(values[i] >> 32); };
    __stcs(reinterpret_cast<uint4 *>(place), make_uint4(low(0), high(0), low(1), high(1)));
    __stcs(reinterpret_cast<uint4 *>(place) + 1, make_uint4(low(2), high(2), low(3), high(3)));
  }
}

/** Finds the labels of four voxels side by side, from `x` on, of the runs that cover them. Other voxels get any label.
 *  \param upToLast  the bits of the word up to the last of the four voxels */
template <typename TLayout>
__device__ inline void
FindLabels(const LayerMemory<TLayout> & memory,
           const LayerWord<TLayout> &   word,
           int                          x,
           DeviceWord                   upToLast,
           unsigned (&label)[VoxelsPerLane])
{
  static_assert(VoxelsPerLane == 4);
  const unsigned * const last = memory.LabelAt(word, upToLast);
  const DeviceWord       starts = word.starts >> x & 0xFu;
  if constexpr (TLayout::keepsStarts)
  {
#pragma unroll
    for (int i = 0; i < VoxelsPerLane; ++i)
    {
      label[i] = *(last - __popc(starts >> (i + 1)));
    }
  }
  else
  {
    // Between two runs there is a background voxel. So at most two runs have voxels here: the last run and, before its
    // start, the run before it.
    const unsigned labelOfLast = last[0];
    const unsigned labelBefore = last[-1];
#pragma unroll
    for (int i = 0; i < VoxelsPerLane; ++i)
    {
      label[i] = starts >> (i + 1) != 0 ? labelBefore : labelOfLast;
    }
  }
}

/** The layers of all bricks in the order in which their rows begin in memory: along x, then y, then z. So blocks that
 *  run together write near each other. */
struct LayerOrder
{
  unsigned layersX;
  unsigned layersY;
  unsigned layers;
  Divisor  byLayersX;
  Divisor  byLayersY;

  explicit LayerOrder(const BundleGrid & grid)
    : layersX(static_cast<unsigned>(grid.bricksX))
    , layersY(static_cast<unsigned>((grid.bundlesY - 1) / BundlesPerLayer + 1))
    , layers(layersX * layersY * static_cast<unsigned>(grid.bundlesZ))
    , byLayersX(layersX)
    , byLayersY(layersY)
  {}
};

/** A lane of a warp that writes the labels of a layer of a brick. Run goes through the phases. All rows of a bundle
 * take their labels from the same runs. */
template <typename TLayout, typename TLabel>
class LayerWriter
{
public:
  using Memory = LayerMemory<TLayout>;

  __device__
  LayerWriter(const BundleGrid &  grid,
              const LayerOrder &  order,
              const BrickArrays & bricks,
              TLabel *            labels,
              Memory (&layers)[LayersPerBrick])
    : m_Grid(grid)
    , m_Bricks(bricks)
    , m_Labels(labels)
    , m_Memory(layers[threadIdx.x / WordsPerLayer])
    , m_Lane(static_cast<int>(threadIdx.x % WordsPerLayer))
  {
    const unsigned layer = blockIdx.x * LayersPerBrick + threadIdx.x / WordsPerLayer;
    const unsigned rowOfLayers = order.byLayersX.Quotient(layer);
    m_BrickX = layer - rowOfLayers * order.layersX;
    m_LayerZ = order.byLayersY.Quotient(rowOfLayers);
    m_LayerY = rowOfLayers - m_LayerZ * order.layersY;
    m_IsLayer = layer < order.layers;
  }

  __device__ __forceinline__ void
  Run()
  {
    if (!m_IsLayer || !ReadRuns())
    {
      return;
    }
    // A lane's voxels are four side by side, or every 32nd one if rows do not begin at multiples of four labels.
    const bool together =
      m_Grid.rowLength % VoxelsPerLane == 0 && reinterpret_cast<std::uintptr_t>(m_Labels) % LabelAlignment<TLabel> == 0;
    FindRows(together);
    if (!together)
    {
      WriteApart();
    }
    else if (m_First < m_Grid.rowLength)
    {
      WriteTogether();
    }
  }

private:
  static constexpr int rowCount = TLayout::rowCount;

  /** Reads the layer's words and the labels of their runs. \return whether there are all */
  __device__ __forceinline__ bool
  ReadRuns()
  {
    const BrickWord   place(m_Grid,
                          static_cast<int>(m_BrickX) * WordsPerBrickRow,
                          static_cast<int>(m_LayerY) * BundlesPerLayer,
                          static_cast<int>(m_LayerZ));
    const std::size_t index = place.Index() + static_cast<unsigned>(m_Lane);
    WaitForEarlierKernels();
    const auto      kept = m_Bricks.Kept<TLayout>(index);
    const unsigned  runsBefore = m_Bricks.runsBefore[index];
    const BrickBase base = m_Bricks.bases[place.brick];
    if (!m_Bricks.Fit())
    {
      return false;
    }
    const RowWords<rowCount> own = TLayout::Rows(kept);
    const DeviceWord         united = own.United();
    const DeviceWord         before = __shfl_up_sync(AllLanes, united, 1);
    m_NonEmpty = __ballot_sync(AllLanes, united != 0);
    if (m_NonEmpty != 0)
    {
      const DeviceWord starts = TLayout::Starts(kept, m_Lane % WordsPerBrickRow > 0 ? before : 0u);
      const unsigned   firstRun = __shfl_sync(AllLanes, runsBefore, 0);
      const unsigned   runs =
        __shfl_sync(AllLanes, runsBefore + static_cast<unsigned>(__popc(starts)), WordsPerLayer - 1) - firstRun;
      m_Memory.words[m_Lane] = { own, starts, runsBefore - firstRun };
      const unsigned short * const componentOfRun = m_Bricks.componentOfRun + base.run + firstRun;
      for (unsigned run = static_cast<unsigned>(m_Lane); run < runs; run += 32)
      {
        m_Memory.labels[run + 2] = __ldg(m_Bricks.parent + base.component + __ldg(componentOfRun + run));
      }
      __syncwarp();
    }
    return true;
  }

  /** Finds the layer's rows in the label map. */
  __device__ __forceinline__ void
  FindRows(bool together)
  {
    const unsigned rowLength = m_Grid.rowLength;
    const unsigned rowY = m_LayerY * BundlesPerLayer << m_Grid.rowsShiftY;
    const unsigned rowZ = m_LayerZ << m_Grid.rowsShiftZ;
    const int      bundleY = static_cast<int>(m_LayerY) * BundlesPerLayer;
    m_Bundles = m_Grid.bundlesY - bundleY < BundlesPerLayer ? m_Grid.bundlesY - bundleY : BundlesPerLayer;
    m_RowsY = m_Grid.sizeY - rowY < 2 * BundlesPerLayer ? static_cast<int>(m_Grid.sizeY - rowY) : 2 * BundlesPerLayer;
    m_HasNextZ = rowZ + 1 < m_Grid.sizeZ;
    m_VoxelsPerY = std::size_t{ rowLength } * m_Grid.rowsPerY;
    m_VoxelsPerZ = std::size_t{ rowLength } * m_Grid.rowsPerZ;
    m_First = m_BrickX * VoxelsPerBrickRow + static_cast<unsigned>(together ? m_Lane * VoxelsPerLane : m_Lane);
    m_Line = m_Labels + (rowZ * m_VoxelsPerZ + rowY * m_VoxelsPerY + m_First);
  }
  __device__ __forceinline__ bool
  IsEmpty(int bundle) const
  {
    return (m_NonEmpty >> bundle * WordsPerBrickRow & 0xFu) == 0;
  }
  __device__ __forceinline__ bool
  HasRow(int bundle, int r) const
  {
    return (rowCount == 1 || 2 * bundle + (r & 1) < m_RowsY) && ((r >> 1) == 0 || m_HasNextZ);
  }
  /** The lane's first voxel in row r of the bundle that is written. */
  __device__ __forceinline__ TLabel *
  RowAt(int r) const
  {
    return m_Line + (r & 1) * m_VoxelsPerY + (r >> 1) * m_VoxelsPerZ;
  }

  __device__ __forceinline__ void
  WriteTogether()
  {
    constexpr int                    lanesPerWord = BitsPerDeviceWord / VoxelsPerLane;
    const int                        x = m_Lane % lanesPerWord * VoxelsPerLane;
    const DeviceWord                 upToLast = BitsUpToLane(x + VoxelsPerLane - 1);
    const LayerWord<TLayout> * const words = m_Memory.words + m_Lane / lanesPerWord;
    constexpr int unrolled = rowCount == 2 ? TuningOf<Tuned::WriteUnrollOfPairs> : TuningOf<Tuned::WriteUnroll>;
#pragma unroll unrolled
    for (int b = 0; b < m_Bundles; ++b, m_Line += m_VoxelsPerY << m_Grid.rowsShiftY)
    {
      RowWords<rowCount> rows = {};
      unsigned           label[VoxelsPerLane] = {};
      if (!IsEmpty(b))
      {
        const LayerWord<TLayout> word = words[b * WordsPerBrickRow];
        rows = word.rows;
        FindLabels(m_Memory, word, x, upToLast, label);
      }
#pragma unroll
      for (int r = 0; r < rowCount; ++r)
      {
        const DeviceWord   bits = rows.rows[r] >> x;
        LaneLabels<TLabel> values;
#pragma unroll
        for (int i = 0; i < VoxelsPerLane; ++i)
        {
          values[i] = static_cast<TLabel>((bits >> i & 1u) != 0 ? label[i] : 0u);
        }
        if (HasRow(b, r))
        {
          StoreTogether(RowAt(r), values);
        }
      }
    }
  }
  __device__ __forceinline__ void
  WriteApart()
  {
    for (int b = 0; b < m_Bundles; ++b, m_Line += m_VoxelsPerY << m_Grid.rowsShiftY)
    {
      const bool isEmpty = IsEmpty(b);
#pragma unroll
      for (int i = 0; i < WordsPerBrickRow; ++i)
      {
        RowWords<rowCount> rows = {};
        unsigned           label = 0;
        if (!isEmpty)
        {
          const LayerWord<TLayout> word = m_Memory.words[b * WordsPerBrickRow + i];
          rows = word.rows;
          label = *m_Memory.LabelAt(word, BitsUpToLane(m_Lane));
        }
#pragma unroll
        for (int r = 0; r < rowCount; ++r)
        {
          if (HasRow(b, r) && m_First + static_cast<unsigned>(i) * 32 < m_Grid.rowLength)
          {
            RowAt(r)[i * 32] = static_cast<TLabel>((rows.rows[r] >> m_Lane & 1u) != 0 ? label : 0u);
          }
        }
      }
    }
  }

  const BundleGrid &  m_Grid;
  const BrickArrays & m_Bricks;
  TLabel * const      m_Labels;
  Memory &            m_Memory;
  const int           m_Lane;
  bool                m_IsLayer;
  unsigned            m_BrickX;
  unsigned            m_LayerY;
  unsigned            m_LayerZ;
  /** The words that have foreground. Each bundle has WordsPerBrickRow bits. */
  unsigned m_NonEmpty = 0;
  /** The bundles of the layer, its rows along y, and whether bundles have rows at the next z. */
  int         m_Bundles = 0;
  int         m_RowsY = 0;
  bool        m_HasNextZ = false;
  std::size_t m_VoxelsPerY = 0;
  std::size_t m_VoxelsPerZ = 0;
  /** The lane's first voxel along x, and its place in the first row of the bundle that is written. */
  unsigned m_First = 0;
  TLabel * m_Line = nullptr;
};

/** Writes the label map, one warp per layer of a brick. */
template <typename TLayout, typename TLabel>
__global__ void
__launch_bounds__(WordsPerBrick,
                  TLayout::rowCount < 4 ? TuningOf<Tuned::WriteBlocks> : TuningOf<Tuned::WriteBlocksOfSquares>)
  WriteBricksKernel(const __grid_constant__ BundleGrid  grid,
                    const __grid_constant__ LayerOrder  order,
                    const __grid_constant__ BrickArrays bricks,
                    TLabel * __restrict__ labels)
{
  __shared__ LayerMemory<TLayout> layers[LayersPerBrick];
  LayerWriter<TLayout, TLabel>(grid, order, bricks, labels, layers).Run();
}

} // namespace brickccl::cuda

#endif
