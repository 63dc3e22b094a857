// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/DrawBalls.h"

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Geometry/BallReach.h"
#include "BrickCCL/Geometry/DistanceTransform.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <type_traits>
#include <variant>

namespace brickccl
{

namespace
{

/** The number of voxels along each side of a block. */
constexpr std::int64_t Side = 8;

/** The voxels that no ball has set yet. */
class UnsetVoxels
{
public:
  UnsetVoxels(const Extent & extent, float * squares)
    : m_Extent(extent)
    , m_Squares(squares)
    , m_WordsOfRow(WordsForBits(Blocks(0)))
    , m_RowHasAny(static_cast<std::size_t>(WordsForBits(BlockRows())), 0)
    , m_HasAny(static_cast<std::size_t>(BlockRows() * m_WordsOfRow), 0)
    , m_Bits(static_cast<std::size_t>(BlockRows() * Blocks(0) * Side), 0)
    , m_Boxes(static_cast<std::size_t>(BlockRows() * Blocks(0)))
  {}

  std::int64_t
  Blocks(int axis) const
  {
    return (m_Extent.size[axis] + Side - 1) / Side;
  }

  /** The number of rows of blocks, each of Blocks(0). */
  std::int64_t
  BlockRows() const
  {
    return Blocks(1) * Blocks(2);
  }

  /** Adds all voxels of a row of blocks that are not 0. */
  void
  AddBlockRow(std::int64_t blockRow)
  {
    const std::int64_t y = blockRow % Blocks(1) * Side;
    const std::int64_t z = blockRow / Blocks(1) * Side;
    for (std::int64_t atZ = z; atZ < std::min(z + Side, m_Extent.size[2]); ++atZ)
    {
      for (std::int64_t atY = y; atY < std::min(y + Side, m_Extent.size[1]); ++atY)
      {
        const float * const row = Row(atY, atZ);
        for (std::int64_t x = 0; x < m_Extent.size[0]; ++x)
        {
          if (row[x] != 0)
          {
            BlockBits(blockRow, x / Side)[atZ - z] |= Word{ 1 } << ((atY - y) * Side + x % Side);
            m_HasAny[static_cast<std::size_t>(blockRow * m_WordsOfRow + x / Side / BitsPerWord)] |=
              Word{ 1 } << (x / Side % BitsPerWord);
            m_RowHasAny[static_cast<std::size_t>(blockRow / BitsPerWord)] |= Word{ 1 } << (blockRow % BitsPerWord);
          }
        }
      }
    }
  }

  /** Sets what is left of the balls' voxels in the rows of blocks [begin, end). */
  void
  Draw(const BallsOfSize & balls, BallReach & reach, std::int64_t begin, std::int64_t end, StopPoint & stop)
  {
    reach.SetSquare(balls.square);
    const std::int64_t slice = m_Extent.size[0] * m_Extent.size[1];
    const std::int64_t first = (begin / Blocks(1) * Side - reach.AlongZ()) * slice;
    const std::int64_t past = (((end - 1) / Blocks(1) + 1) * Side + reach.AlongZ()) * slice;
    std::uint64_t      drawn = 0;
    for (auto place = std::lower_bound(balls.places.begin(), balls.places.end(), first);
         place != balls.places.end() && *place < past;
         ++place)
    {
      stop.AskAt(++drawn);
      Draw(*place, reach, begin, end);
    }
  }

private:
  /** The same for one ball. */
  void
  Draw(std::int64_t place, BallReach & reach, std::int64_t begin, std::int64_t end)
  {
    const std::int64_t slice = m_Extent.size[0] * m_Extent.size[1];
    const Center       center{ place % m_Extent.size[0], place % slice / m_Extent.size[0], place / slice };
    const std::int64_t firstZ =
      std::max(begin / Blocks(1), std::max<std::int64_t>(0, center.z - reach.AlongZ()) / Side);
    const std::int64_t lastZ =
      std::min((end - 1) / Blocks(1), std::min(m_Extent.size[2] - 1, center.z + reach.AlongZ()) / Side);
    for (std::int64_t z = firstZ; z <= lastZ; ++z)
    {
      const std::int64_t reachY = reach.AlongY(Apart(center.z, z));
      const std::int64_t firstY = std::max(begin - z * Blocks(1), std::max<std::int64_t>(0, center.y - reachY) / Side);
      const std::int64_t lastY =
        std::min(end - 1 - z * Blocks(1), std::min(m_Extent.size[1] - 1, center.y + reachY) / Side);
      ForEachSetBit(m_RowHasAny.data(), z * Blocks(1) + firstY, z * Blocks(1) + lastY, [&](std::int64_t blockRow) {
        const std::int64_t y = blockRow - z * Blocks(1);
        const std::int64_t reachX = reach.AlongX(Apart(center.y, y), Apart(center.z, z));
        return reachX < 0 || DrawInBlockRow(reach, center, reachX, y, z);
      });
    }
  }

  struct Center
  {
    std::int64_t x;
    std::int64_t y;
    std::int64_t z;
  };

  /** The voxels of a block that are left are between these along x, y and z. */
  struct Box
  {
    std::uint8_t first[3] = { 0, 0, 0 };
    std::uint8_t last[3] = { Side - 1, Side - 1, Side - 1 };
  };

  /** The steps from a center to the nearest of a block's voxels [first, last], along one axis. */
  static std::int64_t
  Apart(std::int64_t center, std::int64_t block, std::int64_t first = 0, std::int64_t last = Side - 1)
  {
    return std::max<std::int64_t>({ 0, block * Side + first - center, center - (block * Side + last) });
  }

  /** Calls keep(i) with the set bits of [first, last], and clears those for which it returns false. */
  template <typename TKeep>
  static void
  ForEachSetBit(Word * words, std::int64_t first, std::int64_t last, const TKeep & keep)
  {
    for (std::int64_t word = first / BitsPerWord; word <= last / BitsPerWord && first <= last; ++word)
    {
      Word left = words[word];
      left &= word == first / BitsPerWord ? ~Word{ 0 } << (first % BitsPerWord) : ~Word{ 0 };
      left &= word == last / BitsPerWord ? ~Word{ 0 } >> (BitsPerWord - 1 - last % BitsPerWord) : ~Word{ 0 };
      for (; left != 0; left &= left - 1)
      {
        const std::int64_t bit = LowestBit(left);
        if (!keep(word * BitsPerWord + bit))
        {
          words[word] &= ~(Word{ 1 } << bit);
        }
      }
    }
  }

  float *
  Row(std::int64_t y, std::int64_t z) const
  {
    return m_Squares + (z * m_Extent.size[1] + y) * m_Extent.size[0];
  }

  /** The words of a block, one for each slice. Bit 8 y + x is a voxel. */
  Word *
  BlockBits(std::int64_t blockRow, std::int64_t x)
  {
    return m_Bits.data() + (blockRow * Blocks(0) + x) * Side;
  }

  /** Whether the row of blocks has unset voxels left. \param reachX  the most steps along x from its center */
  bool
  DrawInBlockRow(BallReach & reach, const Center & center, std::int64_t reachX, std::int64_t y, std::int64_t z)
  {
    Word * const       hasAny = m_HasAny.data() + (z * Blocks(1) + y) * m_WordsOfRow;
    const std::int64_t first = std::max<std::int64_t>(0, center.x - reachX) / Side;
    const std::int64_t last = std::min(m_Extent.size[0] - 1, center.x + reachX) / Side;
    ForEachSetBit(hasAny, first, last, [&](std::int64_t x) { return DrawInBlock(reach, center, x, y, z); });
    return std::any_of(hasAny, hasAny + m_WordsOfRow, [](Word word) { return word != 0; });
  }

  /** Returns whether the block has voxels that are still not set. */
  bool
  DrawInBlock(BallReach & reach, const Center & center, std::int64_t x, std::int64_t y, std::int64_t z)
  {
    const std::int64_t blockRow = z * Blocks(1) + y;
    Box &              box = m_Boxes[static_cast<std::size_t>(blockRow * Blocks(0) + x)];
    const std::int64_t apartY = Apart(center.y, y, box.first[1], box.last[1]);
    const std::int64_t apartZ = Apart(center.z, z, box.first[2], box.last[2]);
    if (apartZ > reach.AlongZ() || apartY > reach.AlongY(apartZ) ||
        Apart(center.x, x, box.first[0], box.last[0]) > reach.AlongX(apartY, apartZ))
    {
      return true;
    }
    Word * const       bits = BlockBits(blockRow, x);
    const std::int64_t firstZ = std::max<std::int64_t>(box.first[2], center.z - reach.AlongZ() - z * Side);
    const std::int64_t lastZ = std::min<std::int64_t>(box.last[2], center.z + reach.AlongZ() - z * Side);
    for (std::int64_t atZ = firstZ; atZ <= lastZ; ++atZ)
    {
      const std::int64_t dz = std::abs(z * Side + atZ - center.z);
      const std::int64_t reachY = reach.AlongY(dz);
      // The rows that the ball may reach, and that have voxels left.
      Word left = bits[atZ] & RowsBetween(center.y - y * Side, reachY);
      while (left != 0)
      {
        const std::int64_t atY = LowestBit(left) / Side;
        const Word         row = (left >> (atY * Side)) & 0xff;
        left &= ~(Word{ 0xff } << (atY * Side));
        const std::int64_t reachX = reach.AlongX(std::abs(y * Side + atY - center.y), dz);
        const Word         set = row & BitsBetween(center.x - x * Side, reachX);
        bits[atZ] &= ~(set << (atY * Side));
        float * const target = Row(y * Side + atY, z * Side + atZ) + x * Side;
        for (Word voxels = set; voxels != 0; voxels &= voxels - 1)
        {
          target[LowestBit(voxels)] = -reach.Square();
        }
      }
    }
    return Bound(bits, box);
  }

  /** Finds what a block has left. Returns whether that is anything. */
  static bool
  Bound(const Word * bits, Box & box)
  {
    Word all = 0;
    for (std::int64_t z = 0; z < Side; ++z)
    {
      box.first[2] = static_cast<std::uint8_t>(all == 0 ? z : box.first[2]);
      box.last[2] = static_cast<std::uint8_t>(bits[z] != 0 ? z : box.last[2]);
      all |= bits[z];
    }
    if (all == 0)
    {
      return false;
    }
    box.first[1] = static_cast<std::uint8_t>(LowestBit(all) / Side);
    box.last[1] = static_cast<std::uint8_t>((BitsPerWord - 1 - __builtin_clzll(all)) / Side);
    all |= all >> 32;
    all |= all >> 16;
    all = (all | all >> 8) & 0xff;
    box.first[0] = static_cast<std::uint8_t>(LowestBit(all));
    box.last[0] = static_cast<std::uint8_t>(BitsPerWord - 1 - __builtin_clzll(all));
    return true;
  }

  /** The bits 0 to 7 that are at most this many steps from a place; none for less than 0. */
  static Word
  BitsBetween(std::int64_t place, std::int64_t steps)
  {
    const std::int64_t first = std::max<std::int64_t>(0, place - steps);
    const std::int64_t last = std::min(Side - 1, place + steps);
    return first > last ? 0 : (Word{ 0xff } >> (Side - 1 - (last - first))) << first;
  }

  /** The same for the rows of a block's slice, each of 8 bits. */
  static Word
  RowsBetween(std::int64_t place, std::int64_t steps)
  {
    const std::int64_t first = std::max<std::int64_t>(0, place - steps);
    const std::int64_t last = std::min(Side - 1, place + steps);
    return first > last ? 0 : (~Word{ 0 } >> ((Side - 1 - (last - first)) * Side)) << (first * Side);
  }

  const Extent &    m_Extent;
  float *           m_Squares;
  std::int64_t      m_WordsOfRow;
  std::vector<Word> m_RowHasAny;
  std::vector<Word> m_HasAny;
  std::vector<Word> m_Bits;
  std::vector<Box>  m_Boxes;
};

/** Drops balls [begin, ...) that hold only voxels of value 0. */
void
LeaveOutSetBalls(const Extent &             extent,
                 const double *             spacing,
                 const HostContext &        context,
                 const float *              voxels,
                 std::size_t                begin,
                 std::vector<BallsOfSize> & balls)
{
  Geometry                  geometry;
  unsigned                  axes = 0;
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(extent.VoxelCount()));
  std::transform(voxels, voxels + mask.size(), mask.begin(), [](float voxel) { return voxel > 0 ? 0 : 1; });
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    axes |= spacing[axis] < FlatAxis ? 1u << axis : 0u;
    geometry.spacing[axis] = spacing[axis];
  }
  const DistanceUnit     unit(DistanceTo::Centers, extent, geometry, axes);
  const SquaredDistances found(ImageView(mask.data(), extent), unit, context);
  std::visit(
    [&](const auto & squares) {
      for (auto ofSize = balls.begin() + static_cast<std::ptrdiff_t>(begin); ofSize != balls.end(); ++ofSize)
      {
        const auto isFar = [&](std::int64_t place) {
          const auto square = squares[static_cast<std::size_t>(place)];
          return square == UnknownSquare<std::decay_t<decltype(square)>> ||
                 static_cast<double>(square) * unit.length * unit.length >= static_cast<double>(ofSize->square);
        };
        auto & places = ofSize->places;
        places.erase(std::remove_if(places.begin(), places.end(), isFar), places.end());
      }
    },
    found.squares);
}

} // namespace

void
DrawBalls(std::vector<BallsOfSize> balls,
          const Extent &           extent,
          const double *           spacing,
          const HostContext &      context,
          float *                  squares)
{
  StopPoint   stop(context);
  UnsetVoxels voxels(extent, squares);
  // Slabs share no word of bits.
  const Chunks slabs(WordsForBits(voxels.BlockRows()), 1, std::int64_t{ 4 } * EffectiveThreadCount(context.threads));
  for (std::size_t begin = 0; begin < balls.size();)
  {
    // Once balls reach as many rows of blocks as there are voxels, a distance transform finds the rest for less.
    std::size_t end = begin;
    for (double rows = 0; end < balls.size() && rows < static_cast<double>(extent.VoxelCount()); ++end)
    {
      rows += static_cast<double>(balls[end].places.size()) *
              (1 + static_cast<double>(balls[end].square) / (0.25 * Side * Side * spacing[1] * spacing[2]));
    }
    const auto progress = context.Part(static_cast<double>(begin) / static_cast<double>(balls.size()), 1);
    ParallelFor(slabs.count, progress, [&](std::int64_t slab) {
      const std::int64_t firstRow = slabs.Begin(slab) * BitsPerWord;
      const std::int64_t endRow = std::min(slabs.End(slab) * BitsPerWord, voxels.BlockRows());
      for (std::int64_t row = firstRow; begin == 0 && row < endRow; ++row)
      {
        voxels.AddBlockRow(row);
      }
      BallReach reach(extent, spacing);
      for (std::size_t i = begin; i < end; ++i)
      {
        stop.AskAt(i * 64);
        voxels.Draw(balls[i], reach, firstRow, endRow, stop);
      }
    });
    begin = end;
    if (begin < balls.size())
    {
      LeaveOutSetBalls(extent, spacing, context.Quiet(), squares, begin, balls);
    }
  }
  // The squares that were set are negative so far.
  const Chunks chunks(extent.VoxelCount(), context.grain, 256);
  ParallelFor(chunks.count, context.Quiet(), [&](std::int64_t chunk) {
    float * const first = squares + chunks.Begin(chunk);
    std::transform(first, squares + chunks.End(chunk), first, [](float square) { return std::fabs(square); });
  });
}

} // namespace brickccl
