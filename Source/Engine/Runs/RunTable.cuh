// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_RUNS_RUNTABLE_CUH
#define BRICKCCL_RUNS_RUNTABLE_CUH

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/PackWord.cuh"
#include "BrickCCL/Criteria/Problem.h"
#include "BrickCCL/Criteria/RuleConversion.h"
#include "BrickCCL/Cuda/Launch.cuh"
#include "BrickCCL/Cuda/StagedCopy.cuh"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <optional>

/** Runs on the device, as RunVolume keeps them on the host. Rows of bits have words of 32 bits here, two for each word
 *  of the host, and the number of runs before every word is kept. */
namespace brickccl::cuda
{

/** The words of a volume's rows. */
struct WordGrid
{
  Extent       extent;
  std::int64_t wordsPerRow;
  std::int64_t words;

  explicit WordGrid(const Extent & volume)
    : extent(volume)
    , wordsPerRow(2 * WordsForBits(volume.RowLength()))
    , words(wordsPerRow * volume.RowCount())
  {}

  /** Finds the row of a word and its place in the row. It divides 32-bit numbers where they suffice, since 64-bit
   *  divisions are slow. */
  __device__ void
  Locate(std::int64_t word, std::int64_t & row, std::int64_t & wordOfRow) const
  {
    if (words <= 0xFFFFFFFFll)
    {
      row = static_cast<unsigned>(word) / static_cast<unsigned>(wordsPerRow);
    }
    else
    {
      row = word / wordsPerRow;
    }
    wordOfRow = word - row * wordsPerRow;
  }
};

/** The starts of runs in a word. Where none are stored, they are the bits whose left neighbor is background. */
__device__ inline DeviceWord
StartsOf(const DeviceWord * foreground, const DeviceWord * starts, std::int64_t word, std::int64_t wordOfRow)
{
  if (starts != nullptr)
  {
    return starts[word];
  }
  const DeviceWord bits = foreground[word];
  return bits & ~((bits << 1) | (wordOfRow > 0 ? foreground[word - 1] >> 31 : 0u));
}

/** One thread packs one word of foreground bits. */
template <typename T>
__global__ void
PackForegroundKernel(const T *          voxels,
                     VoxelRule<T>       rule,
                     WordGrid           grid,
                     const DeviceWord * mask,
                     DeviceWord *       foreground)
{
  for (std::int64_t word = ThreadIndex(); word < grid.words; word += ThreadCount())
  {
    std::int64_t row, wordOfRow;
    grid.Locate(word, row, wordOfRow);
    const DeviceWord wanted = mask != nullptr ? mask[word] : 0xFFFFFFFFu;
    foreground[word] =
      wanted == 0 ? 0u : wanted & PackWord(voxels, rule, grid.extent, row, wordOfRow * BitsPerDeviceWord);
  }
}

template <typename TIndex>
__global__ void
FirstRunsKernel(WordGrid grid, const TIndex * runsBefore, unsigned long long * firstRuns)
{
  for (std::int64_t row = ThreadIndex(); row <= grid.extent.RowCount(); row += ThreadCount())
  {
    firstRuns[row] = runsBefore[row * grid.wordsPerRow];
  }
}

/** Writes the label map. A thread writes four voxels per step, so that 16 bytes are written at once. */
template <typename TIndex, typename TLabel>
__global__ void
ExpandKernel(WordGrid           grid,
             const DeviceWord * foreground,
             const DeviceWord * starts,
             const TIndex *     runsBefore,
             const TIndex *     labelOfRun,
             TLabel *           labels)
{
  constexpr int      perThread = 4;
  constexpr int      threadsPerWord = BitsPerDeviceWord / perThread;
  const std::int64_t pieces = grid.words * threadsPerWord;
  for (std::int64_t piece = ThreadIndex(); piece < pieces; piece += ThreadCount())
  {
    const std::int64_t word = piece / threadsPerWord;
    std::int64_t       row, wordOfRow;
    grid.Locate(word, row, wordOfRow);
    const int          first = static_cast<int>(piece % threadsPerWord) * perThread;
    const std::int64_t x = wordOfRow * BitsPerDeviceWord + first;
    const std::int64_t left = grid.extent.RowLength() - x;
    if (left <= 0)
    {
      continue;
    }
    const DeviceWord bits = foreground[word];
    TLabel           values[perThread] = {};
    if (((bits >> first) & 0xFu) != 0)
    {
      const DeviceWord startBits = StartsOf(foreground, starts, word, wordOfRow);
      const TIndex     before = runsBefore[word];
      for (int i = 0; i < perThread; ++i)
      {
        if ((bits >> (first + i)) & 1u)
        {
          const auto run = before + static_cast<TIndex>(__popc(startBits & BitsUpToLane(first + i))) - 1;
          values[i] = static_cast<TLabel>(labelOfRun[run]);
        }
      }
    }
    TLabel * place = labels + row * grid.extent.RowLength() + x;
    if (sizeof(TLabel) == 4 && left >= perThread && reinterpret_cast<std::uintptr_t>(place) % 16 == 0)
    {
      *reinterpret_cast<uint4 *>(place) = make_uint4(static_cast<unsigned>(values[0]),
                                                     static_cast<unsigned>(values[1]),
                                                     static_cast<unsigned>(values[2]),
                                                     static_cast<unsigned>(values[3]));
    }
    else
    {
      for (int i = 0; i < perThread && i < left; ++i)
      {
        place[i] = values[i];
      }
    }
  }
}

/** Memory for the runs of a volume, kept between calls. */
template <typename TIndex>
struct RunTable
{
  DeviceBuffer<DeviceWord> foreground;
  DeviceBuffer<DeviceWord> starts;
  DeviceBuffer<TIndex>     runsBefore;
  DeviceBuffer<TIndex>     labelOfRun;
  Workspace                workspace;
  PinnedValue<TIndex>      fetched;
  bool                     hasStarts = false;
  std::int64_t             runs = 0;

  std::size_t
  CapacityBytes() const
  {
    return foreground.CapacityBytes() + starts.CapacityBytes() + runsBefore.CapacityBytes() +
           labelOfRun.CapacityBytes() + workspace.CapacityBytes();
  }

  const DeviceWord *
  Starts() const
  {
    return hasStarts ? starts.Data() : nullptr;
  }
};

template <typename TIndex>
void
PackForeground(const ImageView &  image,
               const Criterion &  criterion,
               const DeviceWord * mask,
               DeviceWord *       foreground,
               cudaStream_t       stream)
{
  VisitPixels(image, criterion, [&](auto rule, const auto * pixels) {
    using T = typename std::decay_t<decltype(rule)>::Pixel;
    const WordGrid grid(image.extent);
    BRICKCCL_LAUNCH(PackForegroundKernel<T>, ShapeFor(grid.words), stream, pixels, rule, grid, mask, foreground);
  });
}

/** Packs the bits of a problem's mask, which must be there. */
template <typename TIndex>
void
PackMask(const Problem & problem, RunTable<TIndex> & table, cudaStream_t stream)
{
  table.foreground.Resize(static_cast<std::size_t>(WordGrid(problem.image.extent).words));
  PackForeground<TIndex>(*problem.mask, Criterion::Foreground(0), nullptr, table.foreground.Data(), stream);
}

/** Packs the foreground bits of a problem and applies its mask. */
template <typename TIndex>
void
PackForeground(const Problem & problem, RunTable<TIndex> & table, cudaStream_t stream)
{
  const DeviceWord * mask = nullptr;
  if (problem.mask)
  {
    // The bits of the mask lie where the bits of the image are then written, word by word.
    PackMask(problem, table, stream);
    mask = table.foreground.Data();
  }
  else
  {
    table.foreground.Resize(static_cast<std::size_t>(WordGrid(problem.image.extent).words));
  }
  PackForeground<TIndex>(problem.image, problem.criterion, mask, table.foreground.Data(), stream);
}

/** Finds the starts and the numbers of the runs. It waits for the stream to learn how many runs there are. */
template <typename TIndex>
void FindRuns(const Problem & problem, RunTable<TIndex> & table, cudaStream_t stream);

/** Writes the label map to device memory. */
template <typename TIndex>
void
ExpandRuns(const Extent & extent, const RunTable<TIndex> & table, void * labels, LabelType type, cudaStream_t stream)
{
  const WordGrid grid(extent);
  VisitLabelType(type, [&](auto tag) {
    using TLabel = typename decltype(tag)::Type;
    BRICKCCL_LAUNCH((ExpandKernel<TIndex, TLabel>),
                    ShapeFor(grid.words * 8),
                    stream,
                    grid,
                    table.foreground.Data(),
                    table.Starts(),
                    table.runsBefore.Data(),
                    table.labelOfRun.Data(),
                    static_cast<TLabel *>(labels));
  });
}

/** Copies labeled runs to the host. */
template <typename TIndex>
void
DownloadRuns(const Extent &                     extent,
             const RunTable<TIndex> &           table,
             DeviceBuffer<unsigned long long> & firstRuns,
             RunVolume &                        volume,
             StagedCopy &                       staged,
             const HostContext &                context,
             cudaStream_t                       stream)
{
  const WordGrid grid(extent);
  volume.Reset(extent, !table.hasStarts);
  const auto        rows = static_cast<std::size_t>(extent.RowCount()) + 1;
  const std::size_t rowBytes = static_cast<std::size_t>(grid.words) * sizeof(DeviceWord);
  const std::size_t allBytes = rowBytes * (table.hasStarts ? 2 : 1) + rows * sizeof(unsigned long long) +
                               static_cast<std::size_t>(table.runs) * sizeof(TIndex);
  std::size_t done = 0;
  const auto  copy = [&](void * to, const void * from, std::size_t bytes) {
    if (bytes > 0)
    {
      const auto all = static_cast<double>(allBytes);
      const auto begin = static_cast<double>(done) / all;
      done += bytes;
      staged.Download(to, from, bytes, stream, context.Part(begin, static_cast<double>(done) / all));
    }
  };
  copy(volume.Foreground(0), table.foreground.Data(), rowBytes);
  if (table.hasStarts)
  {
    copy(volume.StoredStarts(0), table.starts.Data(), rowBytes);
  }
  firstRuns.Resize(rows);
  BRICKCCL_LAUNCH(FirstRunsKernel<TIndex>,
                  ShapeFor(extent.RowCount() + 1),
                  stream,
                  grid,
                  table.runsBefore.Data(),
                  firstRuns.Data());
  copy(&volume.FirstRun(0), firstRuns.Data(), rows * sizeof(unsigned long long));
  volume.ResizeLabels(sizeof(TIndex) == 8);
  volume.VisitLabels([&](auto * labels) {
    static_assert(sizeof(*labels) == 4 || sizeof(*labels) == 8);
    copy(labels, table.labelOfRun.Data(), static_cast<std::size_t>(table.runs) * sizeof(*labels));
  });
}

} // namespace brickccl::cuda

#endif
