// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_SLICESALONGX_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_SLICESALONGX_CUH

#include "BrickCCL/Algorithms/BundleMerging/BundleBricks.cuh"

/** Slices orthogonal to x (GridAxes::YThenZThenX): bits, or a copy of the image, with rows within slices, and the
 *  label map with the axes of the volume. */
namespace brickccl::cuda
{

/** So many voxels a side of a plane are copied by one block, by way of shared memory. */
inline constexpr unsigned TileSide = 32;
inline constexpr unsigned TileThreads = 256;
/** The same, counted in words of several voxels. */
inline constexpr unsigned TileSideInWords = 16;

/** Copies voxels of one value each so that y comes first, then z, then x. */
template <typename T>
__global__ void
__launch_bounds__(TileThreads)
  YThenZThenXKernel(const T * __restrict__ voxels, const __grid_constant__ Extent volume, T * __restrict__ copy)
{
  __shared__ T       tile[TileSide][TileSide + 1];
  const auto         tilesX = (volume.size[0] - 1) / TileSide + 1;
  const auto         tilesY = (volume.size[1] - 1) / TileSide + 1;
  const std::int64_t tiles = tilesX * tilesY * volume.size[2];
  const unsigned     lane = threadIdx.x % TileSide;
  for (std::int64_t i = blockIdx.x; i < tiles; i += gridDim.x)
  {
    const std::int64_t atX = i % tilesX * TileSide;
    const std::int64_t atY = i / tilesX % tilesY * TileSide;
    const std::int64_t z = i / tilesX / tilesY;
    for (unsigned line = threadIdx.x / TileSide; line < TileSide; line += TileThreads / TileSide)
    {
      if (atY + line < volume.size[1] && atX + lane < volume.size[0])
      {
        tile[line][lane] = voxels[(z * volume.size[1] + atY + line) * volume.size[0] + atX + lane];
      }
    }
    __syncthreads();
    for (unsigned line = threadIdx.x / TileSide; line < TileSide; line += TileThreads / TileSide)
    {
      if (atX + line < volume.size[0] && atY + lane < volume.size[1])
      {
        copy[((atX + line) * volume.size[2] + z) * volume.size[1] + atY + lane] = tile[lane][line];
      }
    }
    __syncthreads();
  }
}

/** As many rows as a word has voxels become columns: four of bytes, or two of two bytes. */
__device__ inline void
Transpose(unsigned (&rows)[4])
{
  const unsigned firstPair[2] = { __byte_perm(rows[0], rows[1], 0x5140), __byte_perm(rows[0], rows[1], 0x7362) };
  const unsigned secondPair[2] = { __byte_perm(rows[2], rows[3], 0x5140), __byte_perm(rows[2], rows[3], 0x7362) };
#pragma unroll
  for (int i = 0; i < 2; ++i)
  {
    rows[2 * i] = __byte_perm(firstPair[i], secondPair[i], 0x5410);
    rows[2 * i + 1] = __byte_perm(firstPair[i], secondPair[i], 0x7632);
  }
}

__device__ inline void
Transpose(unsigned (&rows)[2])
{
  const unsigned first = __byte_perm(rows[0], rows[1], 0x5410);
  rows[1] = __byte_perm(rows[0], rows[1], 0x7632);
  rows[0] = first;
}

/** The same where a word has several voxels, and rows and columns have whole words: a thread takes as many rows as a
 *  word has voxels. \param volume  its x and y are counted in words */
template <unsigned VPerWord>
__global__ void
__launch_bounds__(TileThreads) WordsYThenZThenXKernel(const unsigned * __restrict__ voxels,
                                                      const __grid_constant__ Extent volume,
                                                      unsigned * __restrict__ copy)
{
  constexpr unsigned  side = TileSideInWords;
  constexpr unsigned  columns = VPerWord * side;
  __shared__ unsigned tile[columns][side + 1];
  static_assert(side * side == TileThreads);
  const auto         tilesX = (volume.size[0] - 1) / side + 1;
  const auto         tilesY = (volume.size[1] - 1) / side + 1;
  const std::int64_t tiles = tilesX * tilesY * volume.size[2];
  const unsigned     lane = threadIdx.x % side;
  const unsigned     line = threadIdx.x / side;
  for (std::int64_t i = blockIdx.x; i < tiles; i += gridDim.x)
  {
    const std::int64_t atX = i % tilesX * side;
    const std::int64_t atY = i / tilesX % tilesY * side;
    const std::int64_t z = i / tilesX / tilesY;
    if (atX + lane < volume.size[0] && atY + line < volume.size[1])
    {
      const std::int64_t row = (z * volume.size[1] + atY + line) * VPerWord;
      unsigned           rows[VPerWord];
#pragma unroll
      for (unsigned k = 0; k < VPerWord; ++k)
      {
        rows[k] = voxels[(row + k) * volume.size[0] + atX + lane];
      }
      Transpose(rows);
#pragma unroll
      for (unsigned k = 0; k < VPerWord; ++k)
      {
        tile[VPerWord * lane + k][line] = rows[k];
      }
    }
    __syncthreads();
#pragma unroll
    for (unsigned column = line; column < columns; column += side)
    {
      const std::int64_t x = VPerWord * atX + column;
      if (x < VPerWord * volume.size[0] && atY + lane < volume.size[1])
      {
        copy[(x * volume.size[2] + z) * volume.size[1] + atY + lane] = tile[column][lane];
      }
    }
    __syncthreads();
  }
}

/** The same for voxels of several values, which are rare: a thread copies one value. */
template <typename T>
__global__ void
ChannelsYThenZThenXKernel(const T * __restrict__ values,
                          const __grid_constant__ Extent volume,
                          int                            channels,
                          T * __restrict__ copy)
{
  const std::int64_t count = volume.VoxelCount() * channels;
  for (std::int64_t i = ThreadIndex(); i < count; i += ThreadCount())
  {
    const std::int64_t voxel = i / channels;
    const std::int64_t y = voxel % volume.size[1];
    const std::int64_t z = voxel / volume.size[1] % volume.size[2];
    const std::int64_t x = voxel / volume.size[1] / volume.size[2];
    copy[i] = values[((z * volume.size[1] + y) * volume.size[0] + x) * channels + (i - voxel * channels)];
  }
}

/** Calls `function` with an unsigned integer of a scalar type's size. */
template <typename TFunction>
void
VisitScalarSize(ScalarType type, TFunction && function)
{
  switch (SizeOf(type))
  {
  case 1:
    return function(TypeTag<std::uint8_t>{});
  case 2:
    return function(TypeTag<std::uint16_t>{});
  case 4:
    return function(TypeTag<std::uint32_t>{});
  default:
    return function(TypeTag<std::uint64_t>{});
  }
}

/** A block for each tile of the planes of a volume. */
inline LaunchShape
ShapeForTiles(const Extent & volume, unsigned side)
{
  const std::int64_t tiles = ((volume.size[0] - 1) / side + 1) * ((volume.size[1] - 1) / side + 1) * volume.size[2];
  return ShapeFor(tiles * TileThreads, TileThreads);
}

/** Queues a copy of the image whose x, y and z are its y, z and x. \return a view of the copy */
inline ImageView
CopyYThenZThenX(const ImageView & image, DeviceBuffer<unsigned char> & copy, cudaStream_t stream)
{
  const Extent & volume = image.extent;
  copy.Resize(static_cast<std::size_t>(volume.VoxelCount()) * SizeOf(image.type) *
              static_cast<std::size_t>(image.channels));
  VisitScalarSize(image.type, [&](auto typeTag) {
    using T = typename decltype(typeTag)::Type;
    const T * const from = static_cast<const T *>(image.data);
    T * const       to = reinterpret_cast<T *>(copy.Data());
    if (image.channels > 1)
    {
      BRICKCCL_LAUNCH(ChannelsYThenZThenXKernel<T>,
                      ShapeFor(volume.VoxelCount() * image.channels),
                      stream,
                      from,
                      volume,
                      image.channels,
                      to);
      return;
    }
    if constexpr (sizeof(T) < sizeof(unsigned))
    {
      constexpr unsigned perWord = sizeof(unsigned) / sizeof(T);
      const bool         hasWholeWords = volume.size[0] % perWord == 0 && volume.size[1] % perWord == 0;
      if (hasWholeWords && reinterpret_cast<std::uintptr_t>(from) % sizeof(unsigned) == 0)
      {
        const Extent words{ volume.size[0] / perWord, volume.size[1] / perWord, volume.size[2] };
        BRICKCCL_LAUNCH_BLOCKS(WordsYThenZThenXKernel<perWord>,
                               ShapeForTiles(words, TileSideInWords),
                               stream,
                               reinterpret_cast<const unsigned *>(from),
                               words,
                               reinterpret_cast<unsigned *>(to));
        return;
      }
    }
    BRICKCCL_LAUNCH_BLOCKS(YThenZThenXKernel<T>, ShapeForTiles(volume, TileSide), stream, from, volume, to);
  });
  return { copy.Data(), image.type, { volume.size[1], volume.size[2], volume.size[0] }, image.channels };
}

/** The bit x of lane y's word becomes bit y of lane x's word. */
__device__ inline DeviceWord
TransposeBits(DeviceWord bits)
{
  const unsigned lane = threadIdx.x % BitsPerDeviceWord;
  DeviceWord     lower = 0x0000FFFFu;
#pragma unroll
  for (unsigned step = BitsPerDeviceWord / 2; step > 0; step /= 2)
  {
    // Lanes that lie a step apart exchange the upper bits of the one for the lower bits of the other.
    const DeviceWord other = __shfl_xor_sync(AllLanes, bits, step);
    bits = (lane & step) == 0 ? (bits & lower) | (other & lower) << step : (bits & ~lower) | (other >> step & lower);
    lower ^= lower << (step / 2);
  }
  return bits;
}

/** So many words a side of a plane of bits are turned by one block, a column of them by each warp. */
inline constexpr unsigned TileSideOfBits = TileThreads / BitsPerDeviceWord;

/** Packs the foreground so that y comes first, then z, then x. \param mask  bits with the layout of the volume, or null
 */
template <typename T>
__global__ void
__launch_bounds__(TileThreads) PackYThenZThenXKernel(const T *               voxels,
                                                     const __grid_constant__ VoxelRule<T> rule,
                                                     const __grid_constant__ WordGrid     volume,
                                                     const __grid_constant__ WordGrid     turned,
                                                     const DeviceWord * __restrict__ mask,
                                                     DeviceWord * __restrict__ packed)
{
  constexpr unsigned    side = TileSideOfBits;
  __shared__ DeviceWord tile[side * BitsPerDeviceWord][side + 1];
  const auto            tilesX = (volume.wordsPerRow - 1) / side + 1;
  const auto            tilesY = (turned.wordsPerRow - 1) / side + 1;
  const std::int64_t    tiles = tilesX * tilesY * volume.extent.size[2];
  for (std::int64_t i = blockIdx.x; i < tiles; i += gridDim.x)
  {
    const std::int64_t z = i / tilesX / tilesY;
    const std::int64_t atY = i / tilesX % tilesY * side;
    const std::int64_t atX = i % tilesX * side;
    const std::int64_t wordOfRow = atX + threadIdx.x / BitsPerDeviceWord;
#pragma unroll 2
    for (unsigned k = 0; k < side; ++k)
    {
      const std::int64_t y = (atY + k) * BitsPerDeviceWord + threadIdx.x % BitsPerDeviceWord;
      const std::int64_t row = z * volume.extent.size[1] + y;
      DeviceWord         bits = 0;
      if (y < volume.extent.size[1] && wordOfRow < volume.wordsPerRow)
      {
        bits = mask != nullptr ? mask[row * volume.wordsPerRow + wordOfRow] : 0xFFFFFFFFu;
        bits &= PackWord(voxels, rule, volume.extent, row, wordOfRow * BitsPerDeviceWord);
      }
      tile[threadIdx.x][k] = TransposeBits(bits);
    }
    __syncthreads();
    for (unsigned column = threadIdx.x / side; column < side * BitsPerDeviceWord; column += TileThreads / side)
    {
      const std::int64_t x = atX * BitsPerDeviceWord + column;
      const std::int64_t word = atY + threadIdx.x % side;
      if (x < volume.extent.size[0] && word < turned.wordsPerRow)
      {
        packed[(x * volume.extent.size[2] + z) * turned.wordsPerRow + word] = tile[column][threadIdx.x % side];
      }
    }
    __syncthreads();
  }
}

/** Queues the packing of the foreground whose x, y and z are the image's y, z and x. \param mask  bits in the volume's
 * order, or null */
inline void
PackYThenZThenX(const ImageView &          image,
                const Criterion &          criterion,
                const DeviceWord *         mask,
                DeviceBuffer<DeviceWord> & packed,
                cudaStream_t               stream)
{
  const WordGrid volume(image.extent);
  const WordGrid turned({ image.extent.size[1], image.extent.size[2], image.extent.size[0] });
  packed.Resize(static_cast<std::size_t>(turned.words));
  const std::int64_t tilesX = (volume.wordsPerRow - 1) / TileSideOfBits + 1;
  const std::int64_t tilesY = (turned.wordsPerRow - 1) / TileSideOfBits + 1;
  VisitPixels(image, criterion, [&](auto rule, const auto * pixels) {
    using T = typename std::decay_t<decltype(rule)>::Pixel;
    BRICKCCL_LAUNCH_BLOCKS(PackYThenZThenXKernel<T>,
                           ShapeFor(tilesX * tilesY * image.extent.size[2] * TileThreads, TileThreads),
                           stream,
                           pixels,
                           rule,
                           volume,
                           turned,
                           mask,
                           packed.Data());
  });
}

/** Writes the label map of slices orthogonal to x. A thread writes the voxels of one word, which lie along y. The
 * threads of a warp have slices side by side, so that they write side by side. */
template <typename TLayout, typename TLabel>
__global__ void
WriteSlicesAlongXKernel(const __grid_constant__ BundleGrid  grid,
                        const __grid_constant__ BrickArrays bricks,
                        TLabel * __restrict__ labels)
{
  if (!bricks.Fit())
  {
    return;
  }
  const std::int64_t slices = grid.sizeZ;
  const std::int64_t wordsPerRow = (grid.extent.RowLength() - 1) / BitsPerDeviceWord + 1;
  const std::int64_t count = slices * wordsPerRow * grid.bundlesY;
  for (std::int64_t i = ThreadIndex(); i < count; i += ThreadCount())
  {
    const std::int64_t line = i / slices;
    const auto         slice = static_cast<unsigned>(i - line * slices);
    const auto         bundle = static_cast<int>(line / wordsPerRow);
    const auto         word = static_cast<int>(line - bundle * wordsPerRow);
    const BrickWord    place(grid, word, bundle, static_cast<int>(slice));
    const std::size_t  index = place.Index();
    const auto         kept = bricks.Kept<TLayout>(index);
    const auto         rows = TLayout::Rows(kept);
    const DeviceWord   united = rows.United();
    const bool         hasBefore = !TLayout::keepsStarts && place.local % WordsPerBrickRow > 0;
    const DeviceWord   before = hasBefore ? bricks.Rows<TLayout>(index - 1).United() : 0u;
    const DeviceWord   starts = TLayout::Starts(kept, before);
    const BrickBase    base = united != 0 ? bricks.bases[place.brick] : BrickBase{};
    // The run that continues from the word before, if there is one, comes first. The label of the next run to start is
    // fetched when the run before it starts, since lanes wait for each other's.
    unsigned       run = united != 0 ? bricks.runsBefore[index] - 1u : 0u;
    const auto     labelOf = [&] { return __ldg(bricks.parent + bricks.ComponentOf(base, run)); };
    unsigned       label = (united & ~starts & 1u) != 0 ? labelOf() : 0u;
    DeviceWord     toStart = starts;
    const auto     nextLabel = [&] { return toStart != 0 ? (++run, labelOf()) : 0u; };
    unsigned       next = nextLabel();
    const auto     y = static_cast<unsigned>(word) * BitsPerDeviceWord;
    const auto     z = static_cast<unsigned>(bundle) << grid.rowsShiftY;
    const unsigned left = grid.rowLength - y;
    const int      voxels = left < BitsPerDeviceWord ? static_cast<int>(left) : BitsPerDeviceWord;
    for (int x = 0; x < voxels; ++x)
    {
      if ((starts >> x & 1u) != 0)
      {
        label = next;
        toStart &= toStart - 1;
        next = nextLabel();
      }
#pragma unroll
      for (int r = 0; r < TLayout::rowCount; ++r)
      {
        if (z + r < grid.sizeY)
        {
          const std::size_t number =
            (std::size_t{ z + static_cast<unsigned>(r) } * grid.rowLength + y + static_cast<unsigned>(x)) * grid.sizeZ;
          labels[number + slice] = static_cast<TLabel>((rows.rows[r] >> x & 1u) != 0 ? label : 0u);
        }
      }
    }
  }
}

} // namespace brickccl::cuda

#endif
