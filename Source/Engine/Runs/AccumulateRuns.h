// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

namespace brickccl
{

/** Calls `function(component)` for the components 0..components - 1, several at once. */
template <typename TFunction>
void
ForComponents(std::uint64_t components, const HostContext & context, TFunction function)
{
  const Chunks parts(static_cast<std::int64_t>(components), 1 << 10, 64);
  StopPoint    stop(context);
  ParallelFor(parts.count, context.Quiet(), [&](std::int64_t part) {
    for (auto c = static_cast<std::size_t>(parts.Begin(part)); c < static_cast<std::size_t>(parts.End(part)); ++c)
    {
      stop.AskAt(c);
      function(c);
    }
  });
}

/** The accumulators that a slab of rows adds to. They are in blocks of components; a block is made when the slab
 *  meets one of its components. A slab that may do so takes the result's own block if no other slab has taken it.
 *  Then nothing has to be added up afterwards, and with labels in raster order two slabs meet in few blocks. */
template <typename TAccumulator>
class SlabAccumulators
{
public:
  static constexpr std::size_t BlockSize = 64;

  /** \param taken  says for each block of `total` whether a slab has taken it. */
  SlabAccumulators(UninitializedVector<TAccumulator> & total, std::vector<unsigned char> & taken, bool mayTake)
    : m_Total(total)
    , m_Memory(total.data(), total.size() * sizeof(TAccumulator))
    , m_Taken(taken)
    , m_MayTake(mayTake)
    , m_Blocks(taken.size(), nullptr)
  {}

  TAccumulator &
  operator[](std::size_t component)
  {
    const std::size_t number = component / BlockSize;
    if (m_Blocks[number] == nullptr)
    {
      Open(number);
    }
    return m_Blocks[number][component % BlockSize];
  }

  /** Null if the slab met no component of the block. */
  const TAccumulator *
  Block(std::size_t block) const
  {
    return m_Blocks[block];
  }

private:
  void
  Open(std::size_t number)
  {
    TAccumulator * block = nullptr;
    if (m_MayTake && __atomic_exchange_n(&m_Taken[number], 1, __ATOMIC_RELAXED) == 0)
    {
      const std::size_t size = std::min(BlockSize, m_Total.size() - number * BlockSize);
      block = m_Total.data() + number * BlockSize;
      m_Memory.Touch(block, size * sizeof(TAccumulator));
      std::fill_n(block, size, TAccumulator());
    }
    else
    {
      m_Own.emplace_back(new TAccumulator[BlockSize]());
      block = m_Own.back().get();
    }
    m_Blocks[number] = block;
  }

  UninitializedVector<TAccumulator> &          m_Total;
  FreshMemory                                  m_Memory;
  std::vector<unsigned char> &                 m_Taken;
  bool                                         m_MayTake;
  std::vector<TAccumulator *>                  m_Blocks;
  std::vector<std::unique_ptr<TAccumulator[]>> m_Own;
};

/** Collects one accumulator per component, slab by slab. `add(accumulators, begin, end, stop)` is called once for each
 *  slab of rows. It adds what the rows hold to the accumulators of the components; component 1 has the accumulator 0.
 *  It asks the StopPoint now and then. Slabs run in parallel and are then combined by `TAccumulator::Merge`. If
 *  `TAccumulator::IsExact`, the order of merging does not matter and is not fixed. Otherwise slabs are merged in their
 *  order, and depend on the volume and the number of components, never on the number of threads; so floating-point sums
 *  do not depend on the threads either. The memory of `old` is used again. */
template <typename TAccumulator, typename TAdd>
UninitializedVector<TAccumulator>
AccumulateSlabs(const RunVolume &                 volume,
                std::uint64_t                     components,
                const HostContext &               context,
                TAdd                              add,
                UninitializedVector<TAccumulator> old = {})
{
  using Accumulators = SlabAccumulators<TAccumulator>;
  const Extent &         extent = volume.GetExtent();
  const auto             bytes = static_cast<std::int64_t>((components + 1) * sizeof(TAccumulator));
  const std::int64_t     threads = EffectiveThreadCount(context.threads);
  const std::int64_t     maximumSlabs = TAccumulator::IsExact ? std::min<std::int64_t>(threads, 16) : 16;
  constexpr std::int64_t leastVoxels = 1 << 18;
  const std::int64_t     affordable = 1 + std::max(extent.VoxelCount() / 2, std::int64_t{ 1 } << 24) / bytes;
  const Chunks slabs(extent.RowCount(), 1 + leastVoxels / extent.RowLength(), std::min(maximumSlabs, affordable));

  UninitializedVector<TAccumulator> total = MakeUnset(static_cast<std::size_t>(components), std::move(old));
  std::vector<unsigned char>        taken((total.size() + Accumulators::BlockSize - 1) / Accumulators::BlockSize, 0);
  std::vector<std::unique_ptr<Accumulators>> partial(static_cast<std::size_t>(slabs.count));
  StopPoint                                  stop(context);
  ParallelFor(slabs.count, context, [&](std::int64_t slab) {
    auto & accumulators = partial[static_cast<std::size_t>(slab)];
    accumulators = std::make_unique<Accumulators>(total, taken, TAccumulator::IsExact || slab == 0);
    add(*accumulators, slabs.Begin(slab), slabs.End(slab), stop);
  });

  const Chunks parts(static_cast<std::int64_t>(taken.size()), 16, 64);
  ParallelFor(parts.count, context.Quiet(), [&](std::int64_t part) {
    for (auto b = static_cast<std::size_t>(parts.Begin(part)); b < static_cast<std::size_t>(parts.End(part)); ++b)
    {
      stop.AskAt(b * Accumulators::BlockSize);
      TAccumulator * const block = total.data() + b * Accumulators::BlockSize;
      const std::size_t    count = std::min(Accumulators::BlockSize, total.size() - b * Accumulators::BlockSize);
      bool                 isSet = taken[b] != 0;
      for (const auto & accumulators : partial)
      {
        const TAccumulator * const own = accumulators->Block(b);
        if (own == nullptr || own == block)
        {
          continue;
        }
        if (!isSet)
        {
          std::copy_n(own, count, block);
          isSet = true;
          continue;
        }
        for (std::size_t c = 0; c < count; ++c)
        {
          block[c].Merge(own[c]);
        }
      }
      if (!isSet)
      {
        std::fill_n(block, count, TAccumulator());
      }
    }
  });
  return total;
}

/** The same row by row. `makeVisit()` is called once for each slab and makes what its rows share. It returns
 *  `visit(accumulators, row)`, called for each row that has runs (`emptyRowsToo`: for every row), in raster order. */
template <typename TAccumulator, typename TMakeVisit>
UninitializedVector<TAccumulator>
AccumulateRows(const RunVolume &                 volume,
               std::uint64_t                     components,
               const HostContext &               context,
               TMakeVisit                        makeVisit,
               bool                              emptyRowsToo = false,
               UninitializedVector<TAccumulator> old = {})
{
  return AccumulateSlabs<TAccumulator>(
    volume,
    components,
    context,
    [&](auto & accumulators, std::int64_t begin, std::int64_t end, StopPoint & stop) {
      const std::int64_t rowsBetween = 1 + StopPoint::Steps / volume.GetExtent().RowLength();
      auto               visit = makeVisit();
      for (std::int64_t row = begin; row < end; ++row)
      {
        if ((row - begin) % rowsBetween == 0)
        {
          stop.Ask();
        }
        if (emptyRowsToo || volume.FirstRun(row) != volume.FirstRun(row + 1))
        {
          visit(accumulators, row);
        }
      }
    },
    std::move(old));
}

/** Collects one accumulator per component of a volume with labels 1..components or 0. It calls `add(accumulator, row,
 *  position, begin, end)` once for each run of a component, in the order of AccumulateRows. */
template <typename TAccumulator, typename TAdd>
UninitializedVector<TAccumulator>
AccumulateRuns(const RunVolume &                 volume,
               std::uint64_t                     components,
               const HostContext &               context,
               TAdd                              add,
               UninitializedVector<TAccumulator> old = {})
{
  const auto makeVisit = [&] {
    return [&](auto & accumulators, std::int64_t row) {
      const RowPosition position(volume.GetExtent(), row);
      volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        const std::uint64_t label = volume.Label(run);
        if (label != 0)
        {
          add(accumulators[static_cast<std::size_t>(label - 1)], row, position, begin, end);
        }
      });
    };
  };
  return AccumulateRows<TAccumulator>(volume, components, context, makeVisit, false, std::move(old));
}

} // namespace brickccl
