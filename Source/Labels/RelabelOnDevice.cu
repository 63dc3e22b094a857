#include "BrickCCL/Labels/RelabelOnDevice.cuh"

#include "BrickCCL/Cuda/Launch.cuh"
#include "BrickCCL/Cuda/Scan.cuh"

#include <limits>

namespace brickccl::cuda
{

namespace
{

/** The limits of sizes, as kernel argument. */
struct SizeLimits
{
  unsigned long long minimum;
  unsigned long long maximum;

  __device__ bool
  Hold(unsigned long long size) const
  {
    return size >= minimum && size <= maximum;
  }
};

/** Sets a flag for each component within the limits. Behind the last one is a 0. */
__global__ void
FlagSizesKernel(std::int64_t               components,
                const unsigned long long * sizes,
                SizeLimits                 limits,
                unsigned long long *       flags)
{
  for (std::int64_t i = ThreadIndex(); i <= components; i += ThreadCount())
  {
    flags[i] = i < components && limits.Hold(sizes[i]) ? 1 : 0;
  }
}

__global__ void
FlagKeptKernel(std::int64_t components, const unsigned char * keeps, unsigned long long * flags)
{
  for (std::int64_t i = ThreadIndex(); i <= components; i += ThreadCount())
  {
    flags[i] = i < components && keeps[i] != 0 ? 1 : 0;
  }
}

__global__ void
NumberFlaggedKernel(std::int64_t               components,
                    const unsigned long long * keptBefore,
                    unsigned long long *       numbers,
                    unsigned long long *       kept)
{
  for (std::int64_t i = ThreadIndex(); i < components; i += ThreadCount())
  {
    const unsigned long long before = keptBefore[i];
    numbers[i] = keptBefore[i + 1] != before ? before + 1 : 0;
  }
  if (ThreadIndex() == 0)
  {
    *kept = keptBefore[components];
  }
}

/** Keys put the largest components first. What goes comes last: its key is the largest possible size. */
template <typename T>
__global__ void
SizeKeysKernel(std::int64_t               components,
               const unsigned long long * sizes,
               SizeLimits                 limits,
               unsigned long long         largestSize,
               T *                        keys,
               T *                        values)
{
  for (std::int64_t i = ThreadIndex(); i < components; i += ThreadCount())
  {
    const unsigned long long size = sizes[i];
    keys[i] = static_cast<T>(limits.Hold(size) ? largestSize - size : largestSize);
    values[i] = static_cast<T>(i);
  }
}

/** By size: gives the sorted components their numbers. Else: flags those that stay, for numbers in raster order. */
template <typename T>
__global__ void
NumberSortedKernel(std::int64_t         components,
                   const T *            keys,
                   const T *            values,
                   unsigned long long   largestSize,
                   std::int64_t         most,
                   bool                 bySize,
                   unsigned long long * result,
                   unsigned long long * kept)
{
  const auto stays = [&](std::int64_t place) { return place < most && keys[place] != static_cast<T>(largestSize); };
  for (std::int64_t place = ThreadIndex(); place < components; place += ThreadCount())
  {
    const bool isKept = stays(place);
    result[values[place]] = !isKept ? 0 : bySize ? static_cast<unsigned long long>(place) + 1 : 1;
    if (isKept && (place + 1 == components || !stays(place + 1)))
    {
      *kept = static_cast<unsigned long long>(place) + 1;
    }
  }
  if (!bySize && ThreadIndex() == 0)
  {
    result[components] = 0;
  }
}

/** From flags in `memory.keptBefore` to numbers in raster order. */
void
NumberFlagged(std::int64_t components, RelabelMemory & memory, cudaStream_t stream)
{
  unsigned long long * const flags = memory.keptBefore.Data();
  ExclusiveSum(flags, flags, components + 1, memory.scratch, stream);
  BRICKCCL_LAUNCH(NumberFlaggedKernel,
                  ShapeFor(components),
                  stream,
                  components,
                  flags,
                  memory.numbers.Data(),
                  memory.kept.Data());
}

void
Resize(std::uint64_t components, RelabelMemory & memory)
{
  memory.numbers.Resize(static_cast<std::size_t>(components));
  memory.keptBefore.Resize(static_cast<std::size_t>(components) + 1);
}

template <typename T>
void
NumberSorted(std::int64_t           count,
             const RelabelOptions & options,
             const SizeLimits &     limits,
             std::uint64_t          largestSize,
             RelabelMemory &        memory,
             SortMemory<T> &        sort,
             cudaStream_t           stream)
{
  sort.Resize(static_cast<std::size_t>(count));
  BRICKCCL_LAUNCH(SizeKeysKernel<T>,
                  ShapeFor(count),
                  stream,
                  count,
                  memory.sizes.Data(),
                  limits,
                  largestSize,
                  sort.keys.Data(),
                  sort.values.Data());
  SortPairs(sort, count, static_cast<T>(largestSize), stream);
  const bool bySize = options.order == LabelOrder::Size;
  const bool isCut = options.largest != 0 && options.largest < static_cast<std::uint64_t>(count);
  *memory.kept.Data() = 0;
  BRICKCCL_LAUNCH(NumberSortedKernel<T>,
                  ShapeFor(count),
                  stream,
                  count,
                  sort.sortedKeys.Data(),
                  sort.sortedValues.Data(),
                  largestSize,
                  isCut ? static_cast<std::int64_t>(options.largest) : count,
                  bySize,
                  bySize ? memory.numbers.Data() : memory.keptBefore.Data(),
                  memory.kept.Data());
  if (!bySize)
  {
    NumberFlagged(count, memory, stream);
  }
}

} // namespace

void
NumberBySize(std::uint64_t          components,
             const RelabelOptions & options,
             std::uint64_t          largestSize,
             RelabelMemory &        memory,
             cudaStream_t           stream)
{
  Resize(components, memory);
  const auto       count = static_cast<std::int64_t>(components);
  const SizeLimits limits = { options.minimumSize, options.maximumSize };
  if (options.order == LabelOrder::Raster && options.largest == 0)
  {
    BRICKCCL_LAUNCH(FlagSizesKernel,
                    ShapeFor(count + 1),
                    stream,
                    count,
                    memory.sizes.Data(),
                    limits,
                    memory.keptBefore.Data());
    NumberFlagged(count, memory, stream);
  }
  else if (largestSize <= std::numeric_limits<unsigned>::max())
  {
    NumberSorted(count, options, limits, largestSize, memory, memory.narrow, stream);
  }
  else
  {
    NumberSorted(count, options, limits, largestSize, memory, memory.wide, stream);
  }
  memory.numbered.Record(stream);
}

void
NumberKept(std::uint64_t components, const unsigned char * keeps, RelabelMemory & memory, cudaStream_t stream)
{
  Resize(components, memory);
  const auto count = static_cast<std::int64_t>(components);
  BRICKCCL_LAUNCH(FlagKeptKernel, ShapeFor(count + 1), stream, count, keeps, memory.keptBefore.Data());
  NumberFlagged(count, memory, stream);
  memory.numbered.Record(stream);
}

} // namespace brickccl::cuda
