// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Labels/RelabelOnDevice.cuh"

#include "BrickCCL/Cuda/Thrust.cuh"
#include "BrickCCL/Labels/SizeOrder.cuh"

#include <limits>

namespace brickccl::cuda
{

namespace
{

/** 1 for components that are marked. */
template <typename TMark>
struct KeepsMarked
{
  const TMark * marks;

  __device__ unsigned long long
  operator()(std::int64_t component) const
  {
    return marks[component] != 0 ? 1 : 0;
  }
};

/** Receives how many components stay up to each one, and numbers those that stay. */
template <typename TKeeps>
struct NumberKeptOnes
{
  TKeeps               keeps;
  std::int64_t         components;
  unsigned long long * numbers;
  unsigned long long * kept;

  __device__ void
  operator()(std::int64_t component, unsigned long long upTo) const
  {
    numbers[component] = upTo * keeps(component);
    if (component + 1 == components)
    {
      *kept = upTo;
    }
  }
};

/** Queues numbers in raster order. */
template <typename TKeeps>
void
NumberInRasterOrder(std::int64_t components, const TKeeps & keeps, RelabelMemory & memory, cudaStream_t stream)
{
  const NumberKeptOnes<TKeeps> number{ keeps, components, memory.numbers.Data(), memory.kept.Data() };
  CallThrust(memory.workspace, stream, [&](const auto & policy) {
    thrust::transform_inclusive_scan(policy,
                                     CountFrom(0),
                                     CountFrom(components),
                                     thrust::make_tabulate_output_iterator(number),
                                     keeps,
                                     thrust::plus<unsigned long long>());
  });
}

/** Sets keys that put the largest components first and those that go last. */
template <typename TKey>
struct SetSizeKey
{
  KeepsWithinLimits keeps;
  TKey              largest;
  TKey *            keys;
  unsigned *        order;

  __device__ void
  operator()(std::int64_t component) const
  {
    keys[component] = keeps(component) != 0 ? largest - static_cast<TKey>(keeps.sizes[component]) : largest;
    order[component] = static_cast<unsigned>(component);
  }
};

/** Numbers the component at a place in the order of the keys. */
template <typename TKey>
struct NumberByKey
{
  std::int64_t         components;
  std::int64_t         most;
  TKey                 largest;
  const TKey *         keys;
  const unsigned *     order;
  unsigned long long * numbers;
  unsigned long long * kept;

  __device__ bool
  Stays(std::int64_t place) const
  {
    return place < most && place < components && keys[place] != largest;
  }
  __device__ void
  operator()(std::int64_t place) const
  {
    const auto number = static_cast<unsigned long long>(place) + 1;
    numbers[order[place]] = Stays(place) ? number : 0;
    if (Stays(place) && !Stays(place + 1))
    {
      *kept = number;
    }
  }
};

/** Queues numbers by size, by two digits of the sizes. */
void
NumberByDigits(std::int64_t              count,
               const KeepsWithinLimits & keeps,
               std::int64_t              most,
               RelabelMemory &           memory,
               cudaStream_t              stream)
{
  const LaunchShape shape = ComponentTile::ShapeOf(count);
  memory.inTiles.Resize(std::size_t{ shape.blocks.x } * SizeDigits::count);
  memory.sized.Resize(static_cast<std::size_t>(count));
  unsigned * const           inTiles = memory.inTiles.Data();
  SizedComponent * const     sized = memory.sized.Data();
  unsigned long long * const kept = memory.kept.Data();
  const SizesInRasterOrder   sizes{ keeps };
  const SizesInOrder         sorted{ sized };
  BRICKCCL_LAUNCH_BLOCKS_EARLY((CountDigitsKernel<false, SizesInRasterOrder>), shape, stream, count, sizes, inTiles);
  BRICKCCL_LAUNCH_BLOCKS_EARLY(SortByLowerDigitKernel, shape, stream, count, sizes, inTiles, sized, most, kept);
  BRICKCCL_LAUNCH_BLOCKS_EARLY((CountDigitsKernel<true, SizesInOrder>), shape, stream, count, sorted, inTiles);
  BRICKCCL_LAUNCH_BLOCKS_EARLY(NumberByUpperDigitKernel,
                               shape,
                               stream,
                               count,
                               sorted,
                               inTiles,
                               most,
                               memory.numbers.Data());
}

/** The same by a sort of the sizes. \param largest  no component is larger */
template <typename TKey>
void
NumberBySort(std::int64_t              count,
             const KeepsWithinLimits & keeps,
             std::int64_t              most,
             TKey                      largest,
             RelabelMemory &           memory,
             cudaStream_t              stream)
{
  if (count > std::int64_t{ std::numeric_limits<unsigned>::max() })
  {
    throw Unsupported("a device cannot order more than 4294967295 components by size");
  }
  memory.keys.Resize(static_cast<std::size_t>(count) * sizeof(TKey));
  memory.order.Resize(static_cast<std::size_t>(count));
  auto * const            keys = reinterpret_cast<TKey *>(memory.keys.Data());
  unsigned * const        order = memory.order.Data();
  const SetSizeKey<TKey>  setKey{ keeps, largest, keys, order };
  const NumberByKey<TKey> number{ count, most, largest, keys, order, memory.numbers.Data(), memory.kept.Data() };
  *memory.kept.Data() = 0;
  CallThrust(memory.workspace, stream, [&](const auto & policy) {
    thrust::for_each(policy, CountFrom(0), CountFrom(count), setKey);
    thrust::stable_sort_by_key(policy, keys, keys + count, order);
    thrust::for_each(policy, CountFrom(0), CountFrom(count), number);
  });
}

} // namespace

void
NumberBySize(std::uint64_t          components,
             const RelabelOptions & options,
             std::uint64_t          largestSize,
             RelabelMemory &        memory,
             cudaStream_t           stream)
{
  const auto              count = static_cast<std::int64_t>(components);
  const bool              isCut = options.largest != 0 && options.largest < components;
  const bool              isBySize = options.order == LabelOrder::Size;
  const std::int64_t      most = isCut ? static_cast<std::int64_t>(options.largest) : count;
  const KeepsWithinLimits keeps{ memory.sizes.Data(), options.minimumSize, options.maximumSize };
  memory.numbers.Resize(components);
  if (!isBySize && !isCut)
  {
    NumberInRasterOrder(count, keeps, memory, stream);
  }
  else if (count <= SizedComponent::mostComponents && largestSize <= SizedComponent::mostVoxels)
  {
    NumberByDigits(count, keeps, most, memory, stream);
  }
  else if (largestSize <= std::numeric_limits<unsigned>::max())
  {
    NumberBySort(count, keeps, most, static_cast<unsigned>(largestSize), memory, stream);
  }
  else
  {
    NumberBySort<unsigned long long>(count, keeps, most, largestSize, memory, stream);
  }
  if (!isBySize && isCut)
  {
    NumberInRasterOrder(count, KeepsMarked<unsigned long long>{ memory.numbers.Data() }, memory, stream);
  }
  memory.numbered.Record(stream);
}

void
SumSizesBefore(std::uint64_t components, unsigned long long * offsets, Workspace & workspace, cudaStream_t stream)
{
  // The value behind the last size is not added to any sum.
  BRICKCCL_CUDA_CHECK(cudaMemsetAsync(offsets + components, 0, sizeof(*offsets), stream));
  CallThrust(workspace, stream, [&](const auto & policy) {
    thrust::exclusive_scan(policy, offsets, offsets + components + 1, offsets, 0ull);
  });
}

void
NumberKept(std::uint64_t components, const unsigned char * keeps, RelabelMemory & memory, cudaStream_t stream)
{
  memory.numbers.Resize(components);
  NumberInRasterOrder(static_cast<std::int64_t>(components), KeepsMarked<unsigned char>{ keeps }, memory, stream);
  memory.numbered.Record(stream);
}

} // namespace brickccl::cuda
