#ifndef BRICKCCL_LABELS_SIZEORDER_CUH
#define BRICKCCL_LABELS_SIZEORDER_CUH

#include "BrickCCL/Labels/ComponentTiles.cuh"
#include "BrickCCL/Labels/RelabelOnDevice.cuh"

/** The order of components by size in four kernels, where there are not too many of them. */
namespace brickccl::cuda
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

/** Where the numbers of sorted components go. */
struct SortedNumbers
{
  /** So many stay at most. */
  std::int64_t         most;
  unsigned long long * numbers;
  /** If it is not null, those that stay are only marked: numbers are given in raster order afterwards. */
  unsigned char * stays;

  /** \param place  in the order by size \param isWithin  whether the limits hold its size. \return whether it stays */
  __device__ bool
  Set(std::int64_t component, std::int64_t place, bool isWithin) const
  {
    const bool isKept = isWithin && place < most;
    if (stays != nullptr)
    {
      stays[component] = isKept ? 1 : 0;
    }
    else
    {
      numbers[component] = isKept ? static_cast<unsigned long long>(place) + 1 : 0;
    }
    return isKept;
  }
};

/** Sizes are sorted by two digits, first the lower one, then the upper one. Digits count from the largest size down. Of
 *  sizes that are too large for two digits there are few: both of their digits are 0, and they are compared with each
 *  other. */
struct SizeDigits
{
  static constexpr unsigned count = 1024;
  /** The lower digit's values. Two more stand for what is too large, and for what goes. */
  static constexpr unsigned base = count - 2;
  static constexpr unsigned tooLarge = base * (count - 1);

  template <bool VUpper>
  __device__ static unsigned
  Of(unsigned long long size)
  {
    if (size >= tooLarge)
    {
      return 0;
    }
    const auto small = static_cast<unsigned>(size);
    return VUpper ? count - 1 - small / base : small == 0 ? count - 1 : base - small % base;
  }
};

/** The components in raster order. */
struct SizesInRasterOrder
{
  const unsigned long long * sizes;
  SizeLimits                 limits;

  __device__ SizedComponent
  operator()(std::int64_t at) const
  {
    const unsigned long long size = sizes[at];
    return { (limits.Hold(size) ? size << SizedComponent::indexBits : 0) | static_cast<unsigned long long>(at) };
  }
};

/** The components in the order of the lower digit. */
struct SizesInOrder
{
  const SizedComponent * components;

  __device__ SizedComponent
  operator()(std::int64_t at) const
  {
    return components[at];
  }
};

/** Counts how often each digit occurs in a tile. \param inTile  a row of counts for each tile, two in a word */
template <bool VUpper, typename TSizes>
__global__ void
__launch_bounds__(ComponentTile::threads)
  CountDigitsKernel(std::int64_t components, const __grid_constant__ TSizes sizes, unsigned * inTile)
{
  constexpr unsigned  rounds = ComponentTile::rounds;
  __shared__ unsigned counts[SizeDigits::count];
  for (unsigned digit = threadIdx.x; digit < SizeDigits::count; digit += ComponentTile::threads)
  {
    counts[digit] = 0;
  }
  WaitForEarlierKernels();
  SizedComponent own[rounds];
#pragma unroll
  for (unsigned round = 0; round < rounds; ++round)
  {
    const std::int64_t at = ComponentTile::At(round);
    own[round] = at < components ? sizes(at) : SizedComponent{ 0 };
  }
  __syncthreads();
#pragma unroll
  for (unsigned round = 0; round < rounds; ++round)
  {
    if (ComponentTile::At(round) < components)
    {
      atomicAdd(&counts[SizeDigits::Of<VUpper>(own[round].Size())], 1u);
    }
  }
  __syncthreads();
  static_assert(SizeDigits::count == 2 * ComponentTile::threads && ComponentTile::size < 1u << 16);
  inTile[std::size_t{ blockIdx.x } * ComponentTile::threads + threadIdx.x] =
    counts[2 * threadIdx.x] | counts[2 * threadIdx.x + 1] << 16;
}

/** What a block knows of the digits while it arranges a tile, in shared memory. */
struct DigitPlaces
{
  /** By warp and digit: first how many the warp has had so far, then how many there are in the warps before. A word
   *  has two digits, and neither of its halves grows beyond 16 bits, since a tile has fewer components. */
  unsigned inWarps[ComponentTile::warps][ComponentTile::threads];
  /** The place of a tile's first component with a digit. */
  unsigned first[SizeDigits::count];
  TileSums sums;
  /** How many components have digit 0. */
  unsigned withZero;

  __device__ void
  Clear()
  {
    for (unsigned warp = 0; warp < ComponentTile::warps; ++warp)
    {
      inWarps[warp][threadIdx.x] = 0;
    }
  }
  /** What inWarps has for a digit and this warp. */
  __device__ unsigned
  OfWarp(unsigned digit) const
  {
    return inWarps[threadIdx.x / 32][digit / 2] >> digit % 2 * 16 & 0xFFFFu;
  }
  /** Finds the first places from the counts of all tiles. \return how many components have the last digit, to the last
   *  thread */
  __device__ unsigned
  FindFirst(const unsigned * inTile)
  {
    // Each thread has two digits.
    unsigned before[2] = { 0, 0 };
    unsigned all[2] = { 0, 0 };
#pragma unroll 8
    for (unsigned tile = 0; tile < gridDim.x; ++tile)
    {
      const unsigned counts = inTile[std::size_t{ tile } * ComponentTile::threads + threadIdx.x];
      const unsigned earlier = tile < blockIdx.x ? counts : 0u;
      before[0] += earlier & 0xFFFFu;
      before[1] += earlier >> 16;
      all[0] += counts & 0xFFFFu;
      all[1] += counts >> 16;
    }
    const unsigned both = all[0] + all[1];
    const unsigned upTo = SumOfLanes(both);
    if (threadIdx.x % 32 == 31)
    {
      sums.ofWarps[threadIdx.x / 32] = upTo;
    }
    unsigned       total;
    const unsigned smaller = sums.Before(total) + upTo - both;
    first[2 * threadIdx.x] = smaller + before[0];
    first[2 * threadIdx.x + 1] = smaller + all[0] + before[1];
    if (threadIdx.x == 0)
    {
      withZero = all[0];
    }
    return all[1];
  }
  /** The number of earlier lanes and rounds of this warp that had a digit. All lanes must call, with a digit that does
   *  not exist if they have none. */
  __device__ unsigned
  TakeInWarp(unsigned digit)
  {
    const unsigned same = __match_any_sync(AllLanes, digit);
    const unsigned earlier = same & (BitsUpToLane(static_cast<int>(threadIdx.x % 32)) >> 1);
    const bool     exists = digit < SizeDigits::count;
    const unsigned had = exists ? OfWarp(digit) : 0u;
    __syncwarp();
    if (exists && earlier == 0)
    {
      atomicAdd(&inWarps[threadIdx.x / 32][digit / 2], static_cast<unsigned>(__popc(same)) << digit % 2 * 16);
    }
    __syncwarp();
    return had + static_cast<unsigned>(__popc(earlier));
  }
  /** Makes the counts of the warps those of the warps before. */
  __device__ void
  SumOverWarps()
  {
    __syncthreads();
    unsigned before = 0;
#pragma unroll
    for (unsigned warp = 0; warp < ComponentTile::warps; ++warp)
    {
      const unsigned counts = inWarps[warp][threadIdx.x];
      inWarps[warp][threadIdx.x] = before;
      before += counts;
    }
    __syncthreads();
  }
  /** The place of a component, from what TakeInWarp said. */
  __device__ unsigned
  Place(unsigned digit, unsigned inWarp) const
  {
    return first[digit] + OfWarp(digit) + inWarp;
  }
};

/** Calls `take(component, place, at)` for the components of a tile with their places in the order of a digit. \return
 *  how many components have the last digit, to the last thread */
template <bool VUpper, typename TSizes, typename TTake>
__device__ inline unsigned
ArrangeTile(DigitPlaces &    places,
            std::int64_t     components,
            const TSizes &   sizes,
            const unsigned * inTile,
            const TTake &    take)
{
  constexpr unsigned rounds = ComponentTile::rounds;
  places.Clear();
  WaitForEarlierKernels();
  SizedComponent own[rounds];
#pragma unroll
  for (unsigned round = 0; round < rounds; ++round)
  {
    const std::int64_t at = ComponentTile::At(round);
    own[round] = at < components ? sizes(at) : SizedComponent{ 0 };
  }
  const unsigned last = places.FindFirst(inTile);
  unsigned       digits[rounds];
  unsigned       inWarp[rounds];
#pragma unroll
  for (unsigned round = 0; round < rounds; ++round)
  {
    digits[round] =
      ComponentTile::At(round) < components ? SizeDigits::Of<VUpper>(own[round].Size()) : SizeDigits::count;
    inWarp[round] = places.TakeInWarp(digits[round]);
  }
  places.SumOverWarps();
#pragma unroll
  for (unsigned round = 0; round < rounds; ++round)
  {
    if (digits[round] < SizeDigits::count)
    {
      take(own[round], places.Place(digits[round], inWarp[round]), ComponentTile::At(round));
    }
  }
  return last;
}

/** Sorts by the lower digit. \param kept  receives how many components stay, of which there are `most` at most */
__global__ void
__launch_bounds__(ComponentTile::threads) SortByLowerDigitKernel(std::int64_t                               components,
                                                                 const __grid_constant__ SizesInRasterOrder sizes,
                                                                 const unsigned *                           inTile,
                                                                 SizedComponent *                           sorted,
                                                                 std::int64_t                               most,
                                                                 unsigned long long *                       kept)
{
  __shared__ DigitPlaces places;
  const unsigned         dropped =
    ArrangeTile<false>(places, components, sizes, inTile, [&](SizedComponent own, unsigned place, std::int64_t) {
      sorted[place] = own;
    });
  if (blockIdx.x == 0 && threadIdx.x + 1 == ComponentTile::threads)
  {
    const std::int64_t within = components - dropped;
    *kept = static_cast<unsigned long long>(within < most ? within : most);
  }
}

/** Sorts by the upper digit, and so by size, and numbers the components. */
__global__ void
__launch_bounds__(ComponentTile::threads) NumberByUpperDigitKernel(std::int64_t                          components,
                                                                   const __grid_constant__ SizesInOrder  sizes,
                                                                   const unsigned *                      inTile,
                                                                   const __grid_constant__ SortedNumbers numbers)
{
  __shared__ DigitPlaces places;
  ArrangeTile<true>(places, components, sizes, inTile, [&](SizedComponent own, unsigned place, std::int64_t at) {
    const unsigned long long size = own.Size();
    if (size >= SizeDigits::tooLarge)
    {
      // These are the first ones in the order of the lower digit, among each other in raster order.
      place = 0;
      for (unsigned other = 0; other < places.withZero; ++other)
      {
        const unsigned long long otherSize = sizes(other).Size();
        place += otherSize > size || (otherSize == size && other < at) ? 1 : 0;
      }
    }
    numbers.Set(own.Index(), place, size != 0);
  });
}

} // namespace brickccl::cuda

#endif
