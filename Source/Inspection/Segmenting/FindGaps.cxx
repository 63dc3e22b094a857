// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/FindGaps.h"

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Criteria/RowLinks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace brickccl
{

namespace
{

/** A line with the number of voxels on the other side that are near enough to each of its voxels. */
struct MeasuredLine
{
  GapLine                  steps;
  std::vector<std::size_t> reach;
};

/** Finds gaps 64 voxels of a row at a time. */
class GapFinder
{
public:
  GapFinder(const std::uint8_t * mask,
            const Extent &       extent,
            const Geometry &     geometry,
            double               width,
            int                  sides,
            const HostContext &  context)
    : m_Extent(extent)
    , m_Words(WordsForBits(extent.RowLength()))
  {
    for (GapLine & steps : LinesAcrossGaps(extent, geometry, width, sides))
    {
      MeasuredLine line;
      for (const auto & step : steps)
      {
        std::size_t count = 0;
        while (count < steps.size() && AreAcrossGap(step, steps[count], geometry, width))
        {
          ++count;
        }
        line.reach.push_back(count);
        for (int axis = 0; axis < 3; ++axis)
        {
          m_Reach[axis] = std::max(m_Reach[axis], std::abs(step[static_cast<std::size_t>(axis)]));
        }
      }
      line.steps = std::move(steps);
      m_Lines.push_back(std::move(line));
    }
    m_Border = 1 + WordsForBits(m_Reach[0]);
    m_Stride = m_Words + 2 * m_Border;
    m_Bits.resize(static_cast<std::size_t>((extent.RowCount() + 1) * m_Stride));
    PackMask(mask, context);
    MarkBlocks(context);
  }

  void
  FindRow(std::int64_t row, std::vector<Word> & gaps) const
  {
    const std::int64_t        y = row % m_Extent.size[1];
    const std::int64_t        z = row / m_Extent.size[1];
    std::vector<std::int64_t> places;
    gaps.assign(static_cast<std::size_t>(m_Words), Word{ 0 });
    for (std::int64_t w = 0; w < m_Words; ++w)
    {
      if (m_IsNear[BlockOf(w, y, z)] != 0 && OpenVoxels(row, w) != 0)
      {
        places.push_back(w);
      }
    }
    std::vector<const Word *> before;
    std::vector<const Word *> behind;
    std::vector<Word>         found;
    for (std::size_t i = 0; i < m_Lines.size() && !places.empty(); ++i)
    {
      const MeasuredLine & line = m_Lines[i];
      before.clear();
      behind.clear();
      for (const auto & step : line.steps)
      {
        before.push_back(RowAt(y - step[1], z - step[2]));
        behind.push_back(RowAt(y + step[1], z + step[2]));
      }
      for (const std::int64_t w : places)
      {
        Word &     gap = gaps[static_cast<std::size_t>(w)];
        const Word open = OpenVoxels(row, w) & ~gap;
        gap |= open == 0 ? 0 : open & Across(line, before, behind, w, open, found);
      }
    }
  }

private:
  /** Blocks have a word along x and this many rows along y and z. */
  static constexpr std::int64_t RowsOfBlock = 8;

  const Word *
  RowAt(std::int64_t y, std::int64_t z) const
  {
    const bool isThere = y >= 0 && y < m_Extent.size[1] && z >= 0 && z < m_Extent.size[2];
    return m_Bits.data() + (isThere ? z * m_Extent.size[1] + y : m_Extent.RowCount()) * m_Stride + m_Border;
  }

  /** The voxels of a word that are 0 in the mask. */
  Word
  OpenVoxels(std::int64_t row, std::int64_t w) const
  {
    const std::int64_t rest = m_Extent.RowLength() - w * BitsPerWord;
    return ~m_Bits[static_cast<std::size_t>(row * m_Stride + m_Border + w)] &
           BitsUpTo(static_cast<int>(std::min<std::int64_t>(rest, BitsPerWord) - 1));
  }

  /** 64 voxels from `step` voxels behind the beginning of a word on. */
  static Word
  WindowAt(const Word * row, std::int64_t w, std::int64_t step)
  {
    const std::int64_t at = w * BitsPerWord + step;
    const std::int64_t word = at >> 6;
    const auto         shift = static_cast<int>(at & (BitsPerWord - 1));
    return shift == 0 ? row[word] : row[word] >> shift | row[word + 1] << (BitsPerWord - shift);
  }

  /** The voxels of a word between voxels of a line. \param found  memory for it to work in */
  static Word
  Across(const MeasuredLine &              line,
         const std::vector<const Word *> & before,
         const std::vector<const Word *> & behind,
         std::int64_t                      w,
         Word                              open,
         std::vector<Word> &               found)
  {
    found.clear();
    Word any = 0;
    for (std::size_t i = 0; i < line.steps.size(); ++i)
    {
      any |= WindowAt(before[i], w, -line.steps[i][0]);
      found.push_back(any);
    }
    Word across = 0;
    for (std::size_t i = 0; i < line.steps.size() && (any & open) != 0; ++i)
    {
      across |= WindowAt(behind[i], w, line.steps[i][0]) & found[line.reach[i] - 1];
    }
    return across;
  }

  std::size_t
  BlockOf(std::int64_t w, std::int64_t y, std::int64_t z) const
  {
    return static_cast<std::size_t>((z / RowsOfBlock * m_Blocks[1] + y / RowsOfBlock) * m_Blocks[0] + w);
  }

  void
  PackMask(const std::uint8_t * mask, const HostContext & context)
  {
    const auto   links = MakeRowLinks(ImageView(mask, m_Extent), Criterion::Foreground());
    const Chunks chunks(m_Extent.RowCount(), 1, 256);
    ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
      for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
      {
        links->PackForeground(row, m_Bits.data() + row * m_Stride + m_Border);
      }
    });
  }

  /** Marks the blocks of which a line may reach a voxel of the mask. */
  void
  MarkBlocks(const HostContext & context)
  {
    m_Blocks[0] = m_Words;
    std::int64_t reach[3] = { WordsForBits(m_Reach[0]), 0, 0 };
    for (int axis = 1; axis < 3; ++axis)
    {
      m_Blocks[axis] = (m_Extent.size[axis] + RowsOfBlock - 1) / RowsOfBlock;
      reach[axis] = (m_Reach[axis] + RowsOfBlock - 1) / RowsOfBlock;
    }
    m_IsNear.assign(static_cast<std::size_t>(m_Blocks[0] * m_Blocks[1] * m_Blocks[2]), 0);
    for (std::int64_t row = 0; row < m_Extent.RowCount(); ++row)
    {
      for (std::int64_t w = 0; w < m_Words; ++w)
      {
        const bool isSet = m_Bits[static_cast<std::size_t>(row * m_Stride + m_Border + w)] != 0;
        m_IsNear[BlockOf(w, row % m_Extent.size[1], row / m_Extent.size[1])] |= isSet ? 1 : 0;
      }
    }
    context.progress.Update(0);
    std::int64_t stride = 1;
    for (int axis = 0; axis < 3; ++axis)
    {
      const std::vector<std::uint8_t> marks = m_IsNear;
      for (std::int64_t place = 0; place < static_cast<std::int64_t>(marks.size()); ++place)
      {
        const std::int64_t at = place / stride % m_Blocks[axis];
        const std::int64_t last = std::min(at + reach[axis], m_Blocks[axis] - 1);
        for (std::int64_t other = std::max<std::int64_t>(0, at - reach[axis]); other <= last; ++other)
        {
          m_IsNear[static_cast<std::size_t>(place)] |= marks[static_cast<std::size_t>(place + (other - at) * stride)];
        }
      }
      stride *= m_Blocks[axis];
    }
  }

  const Extent &            m_Extent;
  std::int64_t              m_Words;
  std::vector<MeasuredLine> m_Lines;
  /** The farthest that lines reach along each axis, in voxels. */
  std::int64_t m_Reach[3] = { 0, 0, 0 };
  /** Rows have this many words of zeros at both ends, and a row of zeros follows the last one. */
  std::int64_t              m_Border = 0;
  std::int64_t              m_Stride = 0;
  std::vector<Word>         m_Bits;
  std::int64_t              m_Blocks[3] = { 1, 1, 1 };
  std::vector<std::uint8_t> m_IsNear;
};

} // namespace

bool
AreAcrossGap(const std::array<std::int64_t, 3> & before,
             const std::array<std::int64_t, 3> & behind,
             const Geometry &                    geometry,
             double                              width)
{
  double       square = 0;
  std::int64_t steps = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const std::int64_t offset = std::abs(before[axis]) + std::abs(behind[axis]);
    const double       length = static_cast<double>(offset) * geometry.spacing[axis];
    square += length * length;
    steps = std::max(steps, offset);
  }
  // Half a step of the line is in each of the two voxels. Files round spacings to floats.
  return std::sqrt(square) * static_cast<double>(steps - 1) <= width * static_cast<double>(steps) * (1 + 1e-6);
}

std::vector<GapLine>
LinesAcrossGaps(const Extent & extent, const Geometry & geometry, double width, int sides)
{
  double largest = 0;
  for (int axis = 0; axis < 3; ++axis)
  {
    largest = extent.size[axis] > 1 ? std::max(largest, geometry.spacing[axis]) : largest;
  }
  std::int64_t half[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    half[axis] =
      extent.size[axis] > 1 ? std::min<std::int64_t>(4, sides * std::llround(largest / geometry.spacing[axis])) : 0;
  }
  std::vector<GapLine> lines;
  const std::int64_t   count = (2 * half[0] + 1) * (2 * half[1] + 1) * (2 * half[2] + 1);
  // Opposite directions have the same lines. The center is in the middle of the box.
  for (std::int64_t place = count / 2 + 1; place < count; ++place)
  {
    const std::int64_t to[3] = { place % (2 * half[0] + 1) - half[0],
                                 place / (2 * half[0] + 1) % (2 * half[1] + 1) - half[1],
                                 place / (2 * half[0] + 1) / (2 * half[1] + 1) - half[2] };
    const std::int64_t longest = std::max({ std::abs(to[0]), std::abs(to[1]), std::abs(to[2]) });
    bool               isOnSurface = false;
    for (int axis = 0; axis < 3; ++axis)
    {
      isOnSurface = isOnSurface || (half[axis] > 0 && std::abs(to[axis]) == half[axis]);
    }
    GapLine line;
    for (std::int64_t t = 1; isOnSurface; ++t)
    {
      std::array<std::int64_t, 3> step{};
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        const std::int64_t away = (2 * t * std::abs(to[axis]) + longest - 1) / (2 * longest);
        step[axis] = to[axis] < 0 ? -away : away;
      }
      if (!AreAcrossGap(line.empty() ? step : line.front(), step, geometry, width))
      {
        break;
      }
      line.push_back(step);
    }
    if (!line.empty())
    {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

void
FindGaps(std::uint8_t *      mask,
         const Extent &      extent,
         const Geometry &    geometry,
         double              width,
         std::uint8_t        gap,
         const HostContext & context,
         int                 sides)
{
  const GapFinder finder(mask, extent, geometry, width, sides, context.Quiet());
  const Chunks    chunks(extent.RowCount(), 1, 4096);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    std::vector<Word> gaps;
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      finder.FindRow(row, gaps);
      for (std::int64_t w = 0; w < WordsForBits(extent.RowLength()); ++w)
      {
        for (Word rest = gaps[static_cast<std::size_t>(w)]; rest != 0; rest &= rest - 1)
        {
          mask[row * extent.RowLength() + w * BitsPerWord + LowestBit(rest)] = gap;
        }
      }
    }
  });
}

} // namespace brickccl
