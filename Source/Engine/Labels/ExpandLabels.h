// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/HugePages.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Runs/ExpandRow.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace brickccl
{

/** The largest label that voxels of type T hold exactly. */
template <typename T>
constexpr std::uint64_t
LargestLabelOf()
{
  if constexpr (std::is_floating_point_v<T>)
  {
    return std::uint64_t{ 1 } << std::numeric_limits<T>::digits;
  }
  else
  {
    return static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  }
}

/** Whether a background value is one of the numbers that components would otherwise get. */
template <typename T>
constexpr bool
BackgroundIsAmongLabels(T background, std::uint64_t components)
{
  if constexpr (std::is_signed_v<T>)
  {
    if (background < T(0))
    {
      return false;
    }
  }
  return static_cast<std::uint64_t>(background) <= components &&
         static_cast<T>(static_cast<std::uint64_t>(background)) == background;
}

/** The type by which vector code writes labels of type T, with the same bits; void if it does not write them. */
template <typename T>
using VectorLabel = std::conditional_t<
  std::is_same_v<T, float>,
  float,
  std::conditional_t<
    !std::is_integral_v<T>,
    void,
    std::conditional_t<sizeof(T) == 1,
                       std::uint8_t,
                       std::conditional_t<sizeof(T) == 2,
                                          std::uint16_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>>>;

/** Label maps of more bytes are written past the caches. */
inline constexpr std::int64_t LargestOutputInCaches = std::int64_t{ 1 } << 24;

/** Writes a label to every voxel of `output`, which has room for the whole extent. With the background 0, labels are
 *  1..components. Another background value is left out of the numbers 0, 1, 2 ... that components then get in the same
 *  order, as in itk::ConnectedComponentImageFilter. \throws LabelOverflow, before it writes, if T is too small. */
template <typename T>
void
ExpandLabels(const RunVolume &   volume,
             std::uint64_t       components,
             const HostContext & context,
             T *                 output,
             T                   background = T(0))
{
  const std::uint64_t skipped = BackgroundIsAmongLabels(background, components)
                                ? static_cast<std::uint64_t>(background)
                                : std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t last = skipped < components ? components : components - (components > 0 ? 1 : 0);
  if (last > LargestLabelOf<T>())
  {
    throw LabelOverflow(std::to_string(components) + " components do not fit the label type, whose largest label is " +
                        std::to_string(LargestLabelOf<T>()) + "; use " + NameOf(SmallestLabelType(components)) +
                        " or wider");
  }
  const Extent & extent = volume.GetExtent();
  const Chunks   chunks = RowChunks(extent, context);
  AdviseHugePages(output, static_cast<std::size_t>(extent.VoxelCount()) * sizeof(T));
  using Stored = VectorLabel<T>;
  if constexpr (!std::is_void_v<Stored>)
  {
    if (!volume.IsWide() && background == T(0))
    {
      // A map that no cache can hold should not push out what the caches do hold.
      const bool pastCaches = extent.VoxelCount() * std::int64_t{ sizeof(T) } > LargestOutputInCaches;
      ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
        const std::size_t bytes = static_cast<std::size_t>(extent.RowLength()) * sizeof(T);
        FreshMemory       memory(output, static_cast<std::size_t>(extent.VoxelCount()) * sizeof(T));
        volume.VisitLabels([&](const auto * labels) {
          for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
          {
            if constexpr (sizeof(*labels) == sizeof(std::uint32_t))
            {
              T * const  voxels = output + row * extent.RowLength();
              const bool goesPast = pastCaches && !memory.Touch(voxels, bytes);
              if (!goesPast && volume.FirstRun(row) == volume.FirstRun(row + 1))
              {
                std::fill_n(voxels, extent.RowLength(), T(0));
                continue;
              }
              simd::ExpandRow({ volume.Foreground(row),
                                volume.StartsFollowForeground() ? nullptr : volume.StoredStarts(row),
                                extent.RowLength(),
                                labels + volume.FirstRun(row) },
                              reinterpret_cast<Stored *>(voxels),
                              goesPast);
            }
          }
        });
        simd::FlushStores();
      });
      return;
    }
  }
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    volume.VisitLabels([&](const auto * labels) {
      for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
      {
        T *          voxels = output + row * extent.RowLength();
        std::int64_t done = 0;
        volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
          const std::uint64_t label = labels[run];
          std::fill(voxels + done, voxels + begin, background);
          std::fill(voxels + begin,
                    voxels + end,
                    label == 0 ? background : static_cast<T>(label - 1 + (label - 1 >= skipped ? 1 : 0)));
          done = end;
        });
        std::fill(voxels + done, voxels + extent.RowLength(), background);
      }
    });
  });
}

/** Writes the labels of the rows [begin, end) with the background 0, on the calling thread. `output` has room for these
 *  rows only. T must hold all labels. */
template <typename T>
void
ExpandRows(const RunVolume & volume, std::int64_t begin, std::int64_t end, T * output)
{
  const std::int64_t length = volume.GetExtent().RowLength();
  volume.VisitLabels([&](const auto * labels) {
    for (std::int64_t row = begin; row < end; ++row, output += length)
    {
      if constexpr (sizeof(*labels) == sizeof(std::uint32_t))
      {
        simd::ExpandRow({ volume.Foreground(row),
                          volume.StartsFollowForeground() ? nullptr : volume.StoredStarts(row),
                          length,
                          labels + volume.FirstRun(row) },
                        reinterpret_cast<VectorLabel<T> *>(output),
                        false);
        continue;
      }
      std::fill(output, output + length, T(0));
      volume.ForEachRun(row, [&](std::int64_t first, std::int64_t last, std::uint64_t run) {
        std::fill(output + first, output + last, static_cast<T>(labels[run]));
      });
    }
  });
}

/** Does the same for a label type that is chosen at run time. */
inline void
ExpandRows(const RunVolume & volume, std::int64_t begin, std::int64_t end, LabelType type, void * output)
{
  VisitLabelType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    ExpandRows(volume, begin, end, static_cast<T *>(output));
  });
}

} // namespace brickccl
