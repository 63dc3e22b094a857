#include "BrickCCL/Clean/EnteringVoxels.h"

#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Criteria/RuleConversion.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

namespace brickccl
{

/** The turns of values of type T. */
template <typename T>
class EnteringVoxels::Turns
{
public:
  Turns(const std::vector<double> & thresholds, bool below)
    : m_Below(below)
    , m_Count(static_cast<int>(thresholds.size()))
  {
    // Of thresholds beyond the type all voxels are foreground, or none.
    for (const double threshold : thresholds)
    {
      T bound{};
      if (below ? FloorOf(threshold, bound) : CeilingOf(threshold, bound))
      {
        m_Bounds.push_back(bound);
      }
    }
    if (!m_Bounds.empty())
    {
      const auto low = static_cast<double>(m_Bounds.front());
      const auto range = static_cast<double>(m_Bounds.back()) - low;
      m_Low = low;
      m_PerValue = range > 0 ? static_cast<double>(m_Bounds.size() - 1) / range : 0;
      FillTable();
    }
  }

  /** The values of voxels that enter: all that are foreground at some turn but 0. There may be some more. */
  Criterion::Range
  Entering() const
  {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (m_Bounds.empty())
    {
      return { 1, 0 };
    }
    // At turn 0 nothing is foreground if its threshold lies beyond the type.
    const bool isWhole = static_cast<int>(m_Bounds.size()) == m_Count;
    return m_Below ? Criterion::Range{ isWhole ? Number(m_Bounds.front()) : Number(-infinity),
                                       static_cast<Number>(m_Bounds.back()) }
                   : Criterion::Range{ static_cast<Number>(m_Bounds.front()),
                                       isWhole ? Number(m_Bounds.back()) : Number(infinity) };
  }

  /** The turn at which a value in the range enters. */
  int
  Of(T value) const
  {
    if constexpr (sizeof(T) <= 2 && std::is_integral_v<T>)
    {
      return m_Table[static_cast<std::size_t>(static_cast<std::int32_t>(value) - std::numeric_limits<T>::lowest())];
    }
    else
    {
      return Search(value);
    }
  }

private:
  /** The number of bounds that are below the value, or at most as large if those are foreground that are above. The
   *  bounds lie at nearly equal distances, so that a guess is nearly right. */
  int
  Search(T value) const
  {
    const auto count = static_cast<int>(m_Bounds.size());
    const auto guess = (static_cast<double>(value) - m_Low) * m_PerValue;
    // Ranges beyond doubles, or smaller than their inverse is a double, give no guess.
    int        place = guess > 0 ? static_cast<int>(std::min(guess, static_cast<double>(count))) : 0;
    const auto isBefore = [&](int i) {
      const T bound = m_Bounds[static_cast<std::size_t>(i)];
      return m_Below ? bound < value : bound <= value;
    };
    while (place > 0 && !isBefore(place - 1))
    {
      --place;
    }
    while (place < count && isBefore(place))
    {
      ++place;
    }
    return m_Below ? m_Count - count + place : m_Count - place;
  }

  void
  FillTable()
  {
    if constexpr (sizeof(T) <= 2 && std::is_integral_v<T>)
    {
      constexpr std::int32_t largest = std::numeric_limits<T>::max();
      constexpr std::int32_t lowest = std::is_signed_v<T> ? -largest - 1 : 0;
      m_Table.resize(static_cast<std::size_t>(largest - lowest) + 1);
      for (std::int32_t value = lowest; value <= largest; ++value)
      {
        m_Table[static_cast<std::size_t>(value - lowest)] = Search(static_cast<T>(value));
      }
    }
  }

  bool             m_Below;
  int              m_Count;
  std::vector<T>   m_Bounds;
  double           m_Low = 0;
  double           m_PerValue = 0;
  std::vector<int> m_Table;
};

template <typename TVisit>
void
EnteringVoxels::ForEach(const HostContext & context, std::int64_t every, TVisit visit) const
{
  VisitScalarType(m_Image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const Turns<T> turns(m_Thresholds, m_Below);
    const auto     range = turns.Entering();
    const auto     last = static_cast<int>(m_Thresholds.size());
    if (!(range.low <= range.high))
    {
      return;
    }
    const auto         links = MakeRowLinks(m_Image, Criterion::InRange(range.low, range.high));
    const T * const    voxels = static_cast<const T *>(m_Image.data);
    const std::int64_t length = m_Image.extent.RowLength();
    ParallelFor(m_Chunks.count, context, [&](std::int64_t chunk) {
      std::vector<Word> bits(static_cast<std::size_t>(WordsForBits(length)));
      for (std::int64_t row = m_Chunks.Begin(chunk); row < m_Chunks.End(chunk); row += every)
      {
        links->PackForeground(row, bits.data());
        for (std::size_t w = 0; w < bits.size(); ++w)
        {
          for (Word rest = bits[w]; rest != 0; rest &= rest - 1)
          {
            const std::int64_t x = static_cast<std::int64_t>(w) * BitsPerWord + LowestBit(rest);
            const int          turn = turns.Of(voxels[row * length + x]);
            if (turn > 0 && turn < last)
            {
              visit(chunk, row, x, turn);
            }
          }
        }
      }
    });
  });
}

std::vector<std::uint64_t>
EnteringVoxels::Estimate(const ImageView &           image,
                         const std::vector<double> & thresholds,
                         bool                        below,
                         const HostContext &         context)
{
  // An odd number, so that rows of all parts of slices are among them.
  constexpr std::int64_t     every = 15;
  std::vector<std::uint64_t> counts = EnteringVoxels(image, thresholds, below, context, every).m_Counts;
  for (std::uint64_t & count : counts)
  {
    count *= every;
  }
  return counts;
}

EnteringVoxels::EnteringVoxels(const ImageView &           image,
                               const std::vector<double> & thresholds,
                               bool                        below,
                               const HostContext &         context,
                               std::int64_t                every)
  : m_Image(image)
  , m_Thresholds(thresholds)
  , m_Below(below)
  , m_Chunks(RowChunks(image.extent, context))
  , m_OfChunk(static_cast<std::size_t>(m_Chunks.count), std::vector<std::uint64_t>(thresholds.size(), 0))
  , m_Counts(thresholds.size(), 0)
{
  ForEach(context, every, [this](std::int64_t chunk, std::int64_t, std::int64_t, int turn) {
    ++m_OfChunk[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(turn)];
  });
  for (const std::vector<std::uint64_t> & ofChunk : m_OfChunk)
  {
    std::transform(m_Counts.begin(), m_Counts.end(), ofChunk.begin(), m_Counts.begin(), std::plus<>());
  }
}

void
EnteringVoxels::List(const std::vector<bool> & isListed, const PaddedPlaces & places, const HostContext & context)
{
  std::uint64_t before = 0;
  m_First.assign(1, 0);
  for (std::size_t turn = 0; turn < isListed.size(); ++turn)
  {
    for (std::vector<std::uint64_t> & ofChunk : m_OfChunk)
    {
      before += std::exchange(ofChunk[turn], before) * (isListed[turn] ? 1 : 0);
    }
    m_First.push_back(before);
  }
  m_Places.Resize(static_cast<std::size_t>(before));
  ForEach(context, 1, [&](std::int64_t chunk, std::int64_t row, std::int64_t x, int turn) {
    if (!isListed[static_cast<std::size_t>(turn)])
    {
      return;
    }
    std::uint64_t & next = m_OfChunk[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(turn)];
    m_Places[static_cast<std::size_t>(next++)] =
      static_cast<std::uint32_t>(places.OfRow(RowPosition(m_Image.extent, row)) + x);
  });
}

} // namespace brickccl
