// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/SpreadSquares.h"

#include <algorithm>
#include <type_traits>

// Highway compiles the rest of this file once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "BrickCCL/Geometry/SpreadSquares-simd.cxx"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();

namespace brickccl::simd
{
namespace HWY_NAMESPACE
{

namespace hn = hwy::HWY_NAMESPACE;

/** Some lines of a bundle, as many as a vector has lanes. */
template <typename T>
class LinesOfVector
{
public:
  using Tag = hn::CappedTag<T, LinesOfBundle<T>>;
  using Vector = hn::Vec<Tag>;

  HWY_INLINE
  LinesOfVector(const LineBundle<T> & bundle, std::size_t line)
    : m_Bundle(bundle)
    , m_Line(line)
  {}

  HWY_INLINE void
  Spread() const
  {
    for (std::int64_t begin = 0; begin < m_Bundle.length; begin += SpreadBlock)
    {
      Vector smallest = Load(m_Bundle.from, begin);
      for (std::int64_t i = begin + 1; i < std::min(m_Bundle.length, begin + SpreadBlock); ++i)
      {
        smallest = hn::Min(smallest, Load(m_Bundle.from, i));
      }
      hn::StoreU(smallest, Tag(), m_Bundle.blocks + Place(begin / SpreadBlock));
    }
    for (std::int64_t i = 0; i < m_Bundle.length; ++i)
    {
      hn::StoreU(SmallestSum(i), Tag(), m_Bundle.to + Place(i));
    }
  }

private:
  HWY_INLINE std::size_t
             Place(std::int64_t i) const
  {
    return static_cast<std::size_t>(i) * LinesOfBundle<T> + m_Line;
  }

  HWY_INLINE Vector
  Load(const T * values, std::int64_t i) const
  {
    return hn::LoadU(Tag(), values + Place(i));
  }

  HWY_INLINE Vector
  Cost(std::int64_t steps) const
  {
    return hn::Set(Tag(), m_Bundle.costs[steps]);
  }

  static HWY_INLINE Vector
  Sum(Vector a, Vector b)
  {
    if constexpr (std::is_same_v<T, std::uint16_t>)
    {
      return hn::SaturatedAdd(a, b);
    }
    else
    {
      return hn::Add(a, b);
    }
  }

  static HWY_INLINE bool
  IsNoneSmaller(Vector best, Vector sums)
  {
    return hn::AllTrue(Tag(), hn::Eq(hn::Min(best, sums), best));
  }

  HWY_INLINE Vector
  SmallestSum(std::int64_t i) const
  {
    const std::int64_t last = m_Bundle.length - 1;
    Vector             best = hn::Min(Load(m_Bundle.to, i), Load(m_Bundle.from, i));
    for (std::int64_t k = 1; k <= std::min(SpreadBlock, last); ++k)
    {
      const Vector cost = Cost(k);
      if (IsNoneSmaller(best, cost))
      {
        return best;
      }
      // Past an end the last place again, as if it were farther away.
      const Vector before = Load(m_Bundle.from, std::max<std::int64_t>(i - k, 0));
      const Vector behind = Load(m_Bundle.from, std::min(i + k, last));
      best = hn::Min(best, Sum(hn::Min(before, behind), cost));
    }
    for (std::int64_t before = i / SpreadBlock - 1, behind = i / SpreadBlock + 1;; --before, ++behind)
    {
      const std::int64_t toBefore = i - (before + 1) * SpreadBlock + 1;
      const std::int64_t toBehind = behind * SpreadBlock - i;
      const bool         hasBehind = toBehind <= last - i;
      if ((before < 0 && !hasBehind) || IsNoneSmaller(best, Cost(std::min({ toBefore, toBehind, last }))))
      {
        return best;
      }
      best = before < 0 ? best : WithBlock(best, i, before, toBefore);
      best = hasBehind ? WithBlock(best, i, behind, toBehind) : best;
    }
  }

  /** The smallest sums with the places of a block, of which the nearest is this many steps away. */
  HWY_INLINE Vector
  WithBlock(Vector best, std::int64_t i, std::int64_t block, std::int64_t steps) const
  {
    if (!IsNoneSmaller(best, Sum(Load(m_Bundle.blocks, block), Cost(steps))))
    {
      const std::int64_t end = std::min(m_Bundle.length, (block + 1) * SpreadBlock);
      for (std::int64_t j = block * SpreadBlock; j < end; ++j)
      {
        best = hn::Min(best, Sum(Load(m_Bundle.from, j), Cost(std::max(i - j, j - i))));
      }
    }
    return best;
  }

  const LineBundle<T> & m_Bundle;
  const std::size_t     m_Line;
};

template <typename T>
HWY_INLINE void
SpreadSquaresOf(const LineBundle<T> & bundle)
{
  for (std::size_t line = 0; line < LinesOfBundle<T>; line += hn::Lanes(typename LinesOfVector<T>::Tag()))
  {
    LinesOfVector<T>(bundle, line).Spread();
  }
}

void
SpreadU16(const LineBundle<std::uint16_t> & bundle)
{
  SpreadSquaresOf(bundle);
}

void
SpreadU32(const LineBundle<std::uint32_t> & bundle)
{
  SpreadSquaresOf(bundle);
}

void
SpreadF64(const LineBundle<double> & bundle)
{
  SpreadSquaresOf(bundle);
}

} // namespace HWY_NAMESPACE
} // namespace brickccl::simd

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace brickccl::simd
{

HWY_EXPORT(SpreadU16);
HWY_EXPORT(SpreadU32);
HWY_EXPORT(SpreadF64);

void
SpreadSquares(const LineBundle<std::uint16_t> & bundle)
{
  HWY_DYNAMIC_DISPATCH(SpreadU16)(bundle);
}

void
SpreadSquares(const LineBundle<std::uint32_t> & bundle)
{
  HWY_DYNAMIC_DISPATCH(SpreadU32)(bundle);
}

void
SpreadSquares(const LineBundle<double> & bundle)
{
  HWY_DYNAMIC_DISPATCH(SpreadF64)(bundle);
}

} // namespace brickccl::simd

#endif
