#include "BrickCCL/Labels/RelabelOnDevice.cuh"

#include "BrickCCL/Labels/SizeOrder.cuh"

#include <limits>

namespace brickccl::cuda
{

namespace
{

/** Says which components the limits of sizes keep. */
struct KeepsWithinLimits
{
  const unsigned long long * sizes;
  SizeLimits                 limits;

  __device__ bool
  operator()(std::int64_t component) const
  {
    return limits.Hold(sizes[component]);
  }
};

struct KeepsMarked
{
  const unsigned char * stays;

  __device__ bool
  operator()(std::int64_t component) const
  {
    return stays[component] != 0;
  }
};

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

template <typename T>
__global__ void
NumberSortedKernel(std::int64_t         components,
                   const T *            keys,
                   const T *            values,
                   unsigned long long   largestSize,
                   SortedNumbers        numbers,
                   unsigned long long * kept)
{
  const auto isWithin = [&](std::int64_t place) { return keys[place] != static_cast<T>(largestSize); };
  for (std::int64_t place = ThreadIndex(); place < components; place += ThreadCount())
  {
    const bool isKept = numbers.Set(static_cast<std::int64_t>(values[place]), place, isWithin(place));
    if (isKept && (place + 1 == components || place + 1 == numbers.most || !isWithin(place + 1)))
    {
      *kept = static_cast<unsigned long long>(place) + 1;
    }
  }
}

/** Queues numbers in raster order. */
template <typename TKeeps>
void
NumberInRasterOrder(std::int64_t components, const TKeeps & keeps, RelabelMemory & memory, cudaStream_t stream)
{
  const LaunchShape shape = ComponentTile::ShapeOf(components);
  memory.inTiles.Resize(shape.blocks.x);
  BRICKCCL_LAUNCH_BLOCKS_EARLY(CountKeptKernel<TKeeps>, shape, stream, components, keeps, memory.inTiles.Data());
  BRICKCCL_LAUNCH_BLOCKS_EARLY(NumberKeptKernel<TKeeps>,
                               shape,
                               stream,
                               components,
                               keeps,
                               memory.inTiles.Data(),
                               memory.numbers.Data(),
                               memory.kept.Data());
}

/** Queues numbers by size, or marks of those that stay, by two digits of the sizes. */
void
NumberByDigits(std::int64_t          count,
               const SizeLimits &    limits,
               const SortedNumbers & numbers,
               RelabelMemory &       memory,
               cudaStream_t          stream)
{
  const LaunchShape shape = ComponentTile::ShapeOf(count);
  memory.inTiles.Resize(std::size_t{ shape.blocks.x } * ComponentTile::threads);
  memory.sized.Resize(static_cast<std::size_t>(count));
  unsigned * const         inTiles = memory.inTiles.Data();
  const SizesInRasterOrder sizes{ memory.sizes.Data(), limits };
  const SizesInOrder       sorted{ memory.sized.Data() };
  BRICKCCL_LAUNCH_BLOCKS_EARLY((CountDigitsKernel<false, SizesInRasterOrder>), shape, stream, count, sizes, inTiles);
  BRICKCCL_LAUNCH_BLOCKS_EARLY(SortByLowerDigitKernel,
                               shape,
                               stream,
                               count,
                               sizes,
                               inTiles,
                               memory.sized.Data(),
                               numbers.most,
                               memory.kept.Data());
  BRICKCCL_LAUNCH_BLOCKS_EARLY((CountDigitsKernel<true, SizesInOrder>), shape, stream, count, sorted, inTiles);
  BRICKCCL_LAUNCH_BLOCKS_EARLY(NumberByUpperDigitKernel, shape, stream, count, sorted, inTiles, numbers);
}

/** The same by a sort of the sizes. */
template <typename T>
void
NumberBySort(std::int64_t          count,
             const SizeLimits &    limits,
             std::uint64_t         largestSize,
             const SortedNumbers & numbers,
             RelabelMemory &       memory,
             SortMemory<T> &       sort,
             cudaStream_t          stream)
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
  *memory.kept.Data() = 0;
  BRICKCCL_LAUNCH(NumberSortedKernel<T>,
                  ShapeFor(count),
                  stream,
                  count,
                  sort.sortedKeys.Data(),
                  sort.sortedValues.Data(),
                  largestSize,
                  numbers,
                  memory.kept.Data());
}

} // namespace

void
NumberBySize(std::uint64_t          components,
             const RelabelOptions & options,
             std::uint64_t          largestSize,
             RelabelMemory &        memory,
             cudaStream_t           stream)
{
  memory.numbers.Resize(static_cast<std::size_t>(components));
  const auto       count = static_cast<std::int64_t>(components);
  const SizeLimits limits = { options.minimumSize, options.maximumSize };
  const bool       isCut = options.largest != 0 && options.largest < components;
  const bool       isBySize = options.order == LabelOrder::Size;
  if (!isBySize && !isCut)
  {
    NumberInRasterOrder(count, KeepsWithinLimits{ memory.sizes.Data(), limits }, memory, stream);
    memory.numbered.Record(stream);
    return;
  }
  if (!isBySize)
  {
    memory.stays.Resize(static_cast<std::size_t>(components));
  }
  const SortedNumbers numbers = { isCut ? static_cast<std::int64_t>(options.largest) : count,
                                  memory.numbers.Data(),
                                  isBySize ? nullptr : memory.stays.Data() };
  if (count <= SizedComponent::mostComponents && largestSize <= SizedComponent::mostVoxels)
  {
    NumberByDigits(count, limits, numbers, memory, stream);
  }
  else if (largestSize <= std::numeric_limits<unsigned>::max())
  {
    NumberBySort(count, limits, largestSize, numbers, memory, memory.narrow, stream);
  }
  else
  {
    NumberBySort(count, limits, largestSize, numbers, memory, memory.wide, stream);
  }
  if (!isBySize)
  {
    NumberInRasterOrder(count, KeepsMarked{ memory.stays.Data() }, memory, stream);
  }
  memory.numbered.Record(stream);
}

void
NumberKept(std::uint64_t components, const unsigned char * keeps, RelabelMemory & memory, cudaStream_t stream)
{
  memory.numbers.Resize(static_cast<std::size_t>(components));
  NumberInRasterOrder(static_cast<std::int64_t>(components), KeepsMarked{ keeps }, memory, stream);
  memory.numbered.Record(stream);
}

} // namespace brickccl::cuda
