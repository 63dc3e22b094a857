#ifndef BRICKCCL_RUNS_RUNTABLE_CUH
#define BRICKCCL_RUNS_RUNTABLE_CUH

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/RuleConversion.h"
#include "BrickCCL/Cuda/Launch.cuh"
#include "BrickCCL/Cuda/Scan.cuh"
#include "BrickCCL/Cuda/StagedCopy.cuh"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <optional>

/** Runs on the device, as RunVolume keeps them on the host: bit rows in words of 32 bits, two for each of its words,
 * and the number of runs before every word. */
namespace brickccl::cuda
{

using DeviceWord = unsigned int;

inline constexpr int BitsPerDeviceWord = 32;

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

  /** Row and word within the row; division by 32-bit numbers wherever they suffice, since 64-bit ones are slow. */
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

__device__ inline DeviceWord
BitsUpToLane(int bit)
{
  return 0xFFFFFFFFu >> (BitsPerDeviceWord - 1 - bit);
}

/** Starts of runs in a word: stored, or the bits whose left neighbour is background. */
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

/** 32 bytes from any address, of which the aligned words that hold them can be read. */
__device__ inline void
LoadBytes(const unsigned char * place, unsigned (&words)[8])
{
  const auto offset = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(place));
  if (offset % 16 == 0)
  {
    const uint4 low = reinterpret_cast<const uint4 *>(place)[0];
    const uint4 high = reinterpret_cast<const uint4 *>(place)[1];
    words[0] = low.x, words[1] = low.y, words[2] = low.z, words[3] = low.w;
    words[4] = high.x, words[5] = high.y, words[6] = high.z, words[7] = high.w;
    return;
  }
  const auto * aligned = reinterpret_cast<const unsigned *>(place - offset % 4);
#pragma unroll
  for (int i = 0; i < 8; ++i)
  {
    words[i] = aligned[i];
  }
  if (offset % 4 != 0)
  {
    const unsigned last = aligned[8];
#pragma unroll
    for (int i = 0; i < 8; ++i)
    {
      words[i] = words[i] >> (8 * (offset % 4)) | (i < 7 ? words[i + 1] : last) << (32 - 8 * (offset % 4));
    }
  }
}

/** The highest bits of eight bytes side by side, 7 bits to the left: each is 128, times the bit that is its own. */
__device__ inline unsigned
HighestOfBytes(unsigned first, unsigned second)
{
  constexpr unsigned highest = 0x80808080u;
  return __dp4a(second & highest, 0x80402010u, __dp4a(first & highest, 0x08040201u, 0u));
}

/** The foreground bits of 32 voxels of one byte, four at a time: bytes are compared within a word by subtracting
 * without their highest bits, which then hold the answers (Warren, Hacker's Delight, chapter 2). */
template <typename T>
__device__ inline DeviceWord
PackBytes(const unsigned (&words)[8], const ForegroundRule<T> & rule)
{
  constexpr unsigned highest = 0x80808080u;
  constexpr unsigned flip = std::is_signed_v<T> ? highest : 0u;
  const auto         spread = [](T value) { return (static_cast<unsigned char>(value) * 0x01010101u) ^ flip; };
  const unsigned     low = spread(rule.low);
  const unsigned     high = spread(rule.high);
  const bool         isNonZero = rule.outside && rule.low == 0 && rule.high == 0;
  // At each highest bit: whether the byte of a is at least that of b.
  const auto atLeast = [](unsigned a, unsigned b) { return (a & ~b) | (~(a ^ b) & ((a | highest) - (b & ~highest))); };
  const auto pack = [&](const auto & answersOf) {
    unsigned eight[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
    {
      eight[i] = HighestOfBytes(answersOf(words[2 * i]), answersOf(words[2 * i + 1]));
    }
    return eight[0] >> 7 | eight[1] << 1 | eight[2] << 9 | eight[3] << 17;
  };
  if (isNonZero)
  {
    return pack([](unsigned four) { return ((four & ~highest) + ~highest) | four; });
  }
  return pack([&](unsigned four) {
    const unsigned value = four ^ flip;
    const unsigned answers = atLeast(value, low) & atLeast(high, value);
    return rule.outside ? ~answers : answers;
  });
}

/** The foreground bits of up to 32 voxels of a row, from `x` on. */
template <typename T>
__device__ inline DeviceWord
PackWord(const T * voxels, const VoxelRule<T> & rule, const Extent & extent, std::int64_t row, std::int64_t x)
{
  const std::int64_t left = extent.RowLength() - x;
  if (left <= 0)
  {
    return 0;
  }
  const DeviceWord inRow = BitsUpToLane(left < BitsPerDeviceWord ? static_cast<int>(left) - 1 : BitsPerDeviceWord - 1);
  const std::int64_t first = row * extent.RowLength() + x;
  const T *          place = voxels + first * rule.channels;
  DeviceWord         bits = 0;
  // What lies past the row's end is read as long as it lies in the volume, and left out then.
  if (rule.channels == 1 && first + BitsPerDeviceWord + 3 < extent.VoxelCount())
  {
    if constexpr (sizeof(T) == 1)
    {
      unsigned words[8];
      LoadBytes(reinterpret_cast<const unsigned char *>(place), words);
      return PackBytes(words, rule.foreground) & inRow;
    }
    else
    {
      constexpr int perVector = 16 / sizeof(T);
      union Vector
      {
        uint4 whole;
        T     values[perVector];
      };
      const bool isAligned = reinterpret_cast<std::uintptr_t>(place) % 16 == 0;
#pragma unroll
      for (int v = 0; v < BitsPerDeviceWord / perVector; ++v)
      {
        Vector vector;
        if (isAligned)
        {
          vector.whole = reinterpret_cast<const uint4 *>(place)[v];
        }
        else
        {
#pragma unroll
          for (int i = 0; i < perVector; ++i)
          {
            vector.values[i] = place[v * perVector + i];
          }
        }
#pragma unroll
        for (int i = 0; i < perVector; ++i)
        {
          bits |= static_cast<DeviceWord>(rule.foreground(vector.values[i])) << (v * perVector + i);
        }
      }
      return bits & inRow;
    }
  }
#pragma unroll 1
  for (int i = 0; i < BitsPerDeviceWord && i < left; ++i)
  {
    bits |= static_cast<DeviceWord>(rule.IsForeground(place + i * rule.channels)) << i;
  }
  return bits;
}

/** One word of foreground bits per thread. */
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

/** The bits of `candidates` whose voxel is joined to the one `distance` voxels further on. */
template <typename T>
__device__ inline DeviceWord
LinksOf(const T * voxels, const VoxelRule<T> & rule, std::int64_t voxel, std::int64_t distance, DeviceWord candidates)
{
  if (rule.followsForeground)
  {
    return candidates;
  }
  DeviceWord links = 0;
  for (DeviceWord rest = candidates; rest != 0; rest &= rest - 1)
  {
    const T * place = voxels + (voxel + __ffs(static_cast<int>(rest)) - 1) * rule.channels;
    if (rule.AreJoined(place, place + distance * rule.channels))
    {
      links |= rest & (0u - rest);
    }
  }
  return links;
}

/** The bits of `candidates` whose voxel is joined to the one before it in the row, for all of a word at once. */
template <typename T>
__device__ inline DeviceWord
LinksToLeft(const T *            voxels,
            const VoxelRule<T> & rule,
            const Extent &       extent,
            std::int64_t         voxel,
            DeviceWord           candidates)
{
  const T * place = voxels + voxel;
  // Few candidates are looked at one by one, and so is what cannot be loaded by vectors.
  if (rule.followsForeground || rule.channels != 1 || __popc(candidates) < 4 ||
      voxel + BitsPerDeviceWord > extent.VoxelCount() || reinterpret_cast<std::uintptr_t>(place) % 16 != 0)
  {
    return LinksOf(voxels, rule, voxel, -1, candidates);
  }
  constexpr int perVector = 16 / sizeof(T);
  union Vector
  {
    uint4 whole;
    T     values[perVector];
  };
  DeviceWord links = 0;
  T          last = (candidates & 1u) != 0 ? place[-1] : place[0];
#pragma unroll
  for (int v = 0; v < BitsPerDeviceWord / perVector; ++v)
  {
    Vector vector;
    vector.whole = reinterpret_cast<const uint4 *>(place)[v];
#pragma unroll
    for (int i = 0; i < perVector; ++i)
    {
      links |= static_cast<DeviceWord>(rule.difference(vector.values[i], last)) << (v * perVector + i);
      last = vector.values[i];
    }
  }
  return links & candidates;
}

/** Starts of runs where they are more than the foreground tells. */
template <typename T>
__global__ void
StartsKernel(const T *          voxels,
             VoxelRule<T>       rule,
             WordGrid           grid,
             bool               joinAlongX,
             const DeviceWord * foreground,
             DeviceWord *       starts)
{
  for (std::int64_t word = ThreadIndex(); word < grid.words; word += ThreadCount())
  {
    std::int64_t row, wordOfRow;
    grid.Locate(word, row, wordOfRow);
    const DeviceWord   bits = foreground[word];
    const DeviceWord   before = wordOfRow > 0 ? foreground[word - 1] >> 31 : 0u;
    const DeviceWord   candidates = joinAlongX ? bits & ((bits << 1) | before) : 0u;
    const std::int64_t voxel = row * grid.extent.RowLength() + wordOfRow * BitsPerDeviceWord;
    starts[word] = bits & ~LinksToLeft(voxels, rule, grid.extent, voxel, candidates);
  }
}

template <typename TIndex>
__global__ void
CountStartsKernel(WordGrid grid, const DeviceWord * foreground, const DeviceWord * starts, TIndex * counts)
{
  for (std::int64_t word = ThreadIndex(); word <= grid.words; word += ThreadCount())
  {
    if (word == grid.words)
    {
      counts[word] = 0;
      continue;
    }
    std::int64_t row, wordOfRow;
    grid.Locate(word, row, wordOfRow);
    counts[word] = static_cast<TIndex>(__popc(StartsOf(foreground, starts, word, wordOfRow)));
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

/** The label map: four voxels per thread and step, so that 16 bytes are written at once. */
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

/** A labeling problem whose voxels lie on the device. */
struct DeviceProblem
{
  ImageView                image;
  std::optional<ImageView> mask;
  Criterion                criterion;
  Connectivity             connectivity = Connectivity::Face(1);
};

/** Memory for the runs of a volume, kept between calls. */
template <typename TIndex>
struct RunTable
{
  DeviceBuffer<DeviceWord>    foreground;
  DeviceBuffer<DeviceWord>    starts;
  DeviceBuffer<TIndex>        runsBefore;
  DeviceBuffer<TIndex>        labelOfRun;
  DeviceBuffer<unsigned char> scratch;
  PinnedValue<TIndex>         fetched;
  bool                        hasStarts = false;
  std::int64_t                runs = 0;

  std::size_t
  CapacityBytes() const
  {
    return foreground.CapacityBytes() + starts.CapacityBytes() + runsBefore.CapacityBytes() +
           labelOfRun.CapacityBytes() + scratch.CapacityBytes();
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
    using T = typename decltype(rule)::Pixel;
    const WordGrid grid(image.extent);
    BRICKCCL_LAUNCH(PackForegroundKernel<T>, ShapeFor(grid.words), stream, pixels, rule, grid, mask, foreground);
  });
}

/** Foreground bits of a problem, mask included. */
template <typename TIndex>
void
PackForeground(const DeviceProblem & problem, RunTable<TIndex> & table, cudaStream_t stream)
{
  const WordGrid grid(problem.image.extent);
  table.foreground.Resize(static_cast<std::size_t>(grid.words));
  const DeviceWord * mask = nullptr;
  if (problem.mask)
  {
    // The mask's bits lie where the image's are then written, word by word.
    PackForeground<TIndex>(*problem.mask, Criterion::Foreground(0), nullptr, table.foreground.Data(), stream);
    mask = table.foreground.Data();
  }
  PackForeground<TIndex>(problem.image, problem.criterion, mask, table.foreground.Data(), stream);
}

/** Starts and numbers of the runs; waits for the stream to learn how many there are. */
template <typename TIndex>
void
FindRuns(const DeviceProblem & problem, RunTable<TIndex> & table, cudaStream_t stream)
{
  const WordGrid grid(problem.image.extent);
  const bool     joinAlongX = problem.connectivity.Uses(0);
  table.hasStarts = !problem.criterion.FollowsForeground() || !joinAlongX;
  if (table.hasStarts)
  {
    table.starts.Resize(static_cast<std::size_t>(grid.words));
    VisitPixels(problem.image, problem.criterion, [&](auto rule, const auto * pixels) {
      using T = typename decltype(rule)::Pixel;
      BRICKCCL_LAUNCH(StartsKernel<T>,
                      ShapeFor(grid.words),
                      stream,
                      pixels,
                      rule,
                      grid,
                      joinAlongX,
                      table.foreground.Data(),
                      table.starts.Data());
    });
  }
  table.runsBefore.Resize(static_cast<std::size_t>(grid.words) + 1);
  BRICKCCL_LAUNCH(CountStartsKernel<TIndex>,
                  ShapeFor(grid.words + 1),
                  stream,
                  grid,
                  table.foreground.Data(),
                  table.Starts(),
                  table.runsBefore.Data());
  ExclusiveSum(table.runsBefore.Data(), table.runsBefore.Data(), grid.words + 1, table.scratch, stream);
  table.runs = static_cast<std::int64_t>(table.fetched.Fetch(table.runsBefore.Data() + grid.words, stream));
  table.labelOfRun.Resize(static_cast<std::size_t>(table.runs) + 1);
}

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

/** Brings labeled runs to the host. */
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
  const auto copy = [&](void * to, const void * from, std::size_t bytes) {
    if (bytes > 0)
    {
      staged.Download(to, from, bytes, stream, context);
    }
  };
  const std::size_t rowBytes = static_cast<std::size_t>(grid.words) * sizeof(DeviceWord);
  copy(volume.Foreground(0), table.foreground.Data(), rowBytes);
  if (table.hasStarts)
  {
    copy(volume.StoredStarts(0), table.starts.Data(), rowBytes);
  }
  const auto rows = static_cast<std::size_t>(extent.RowCount()) + 1;
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
