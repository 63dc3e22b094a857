#ifndef BRICKCCL_CRITERIA_SEPARATINGVALUES_H
#define BRICKCCL_CRITERIA_SEPARATINGVALUES_H

#include "BrickCCL/Criteria/PixelRules.h"

#include <cstdint>

/** With a tolerance: two values that tell kinds of voxels apart, found from samples, on host and device alike. */
namespace brickccl
{

/** Two values too far apart for any voxel at or below the one to be joined to any at or above the other. */
template <typename T>
struct SeparatingValues
{
  T low;
  T high;
};

/** Samples of neighbours in an image of one channel. Those that are not joined, in order and up to a number, are pairs
 *  of values of which some may tell of most others. */
template <typename T>
class NeighbourSamples
{
public:
  static constexpr int Maximum = 1024;
  static constexpr int MaximumSeparated = 64;

  /** \param count        voxels of the image
   *  \param toNeighbour  how far apart the voxels of a sample lie */
  BRICKCCL_HOST_DEVICE
  NeighbourSamples(const T * voxels, std::int64_t count, std::int64_t toNeighbour, const VoxelRule<T> & rule)
    : m_Voxels(voxels)
    , m_Places(count - toNeighbour)
    , m_ToNeighbour(toNeighbour)
    , m_Rule(rule)
  {}

  BRICKCCL_HOST_DEVICE int
  Count() const
  {
    constexpr std::int64_t voxelsPerSample = 16;
    const std::int64_t     wanted = m_Places / voxelsPerSample;
    return wanted < 0 ? 0 : wanted < Maximum ? static_cast<int>(wanted) : Maximum;
  }
  /** Whether the i-th is not joined, and if so, its values. */
  BRICKCCL_HOST_DEVICE bool
  IsSeparated(int i, SeparatingValues<T> & values) const
  {
    // Multiples of the golden ratio lie evenly and in step with nothing.
    const std::uint64_t share = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u;
    const auto          place =
      static_cast<std::int64_t>(static_cast<UInt128>(share) * static_cast<std::uint64_t>(m_Places) >> 64);
    const T a = m_Voxels[place];
    const T b = m_Voxels[place + m_ToNeighbour];
    values = { a < b ? a : b, a < b ? b : a };
    return m_Rule.foreground(a) && m_Rule.foreground(b) && !m_Rule.difference(a, b);
  }

private:
  const T *            m_Voxels;
  std::int64_t         m_Places;
  std::int64_t         m_ToNeighbour;
  const VoxelRule<T> & m_Rule;
};

/** What two values tell of samples that are not joined. */
template <typename T>
struct ExplainedSamples
{
  SeparatingValues<T> values;
  /** Of how many they tell that these are not joined. */
  int count;

  /** The least high value that goes with a sample's low one and with as many others as can be, one after the other. */
  BRICKCCL_HOST_DEVICE
  ExplainedSamples(const SeparatingValues<T> & candidate,
                   const SeparatingValues<T> * separated,
                   int                         separatedCount,
                   const VoxelRule<T> &        rule)
    : values(candidate)
    , count(0)
  {
    for (int i = 0; i < separatedCount; ++i)
    {
      const SeparatingValues<T> & pair = separated[i];
      if (pair.low <= values.low && values.low < pair.high && !rule.difference(values.low, pair.high))
      {
        values.high = pair.high < values.high ? pair.high : values.high;
        ++count;
      }
    }
  }
  /** Whether it pays to ask for the values: not where few neighbours are separated, nor of many kinds, of which half of
   *  the pairs at least lie at both sides of the middle. */
  BRICKCCL_HOST_DEVICE bool
  AreMost(int separatedCount) const
  {
    constexpr int leastSeparated = 8;
    return separatedCount >= leastSeparated && 4 * count >= 3 * separatedCount;
  }
  /** The values, with what lies between two kinds shared out, as far as it is more than the limit. */
  BRICKCCL_HOST_DEVICE SeparatingValues<T>
                       InTheMiddle(const VoxelRule<T> & rule) const
  {
    const auto                slack = DifferenceRule<T>::Difference(values.low, values.high) - rule.difference.limit;
    const auto                part = static_cast<T>(slack / 4);
    const SeparatingValues<T> moved{ static_cast<T>(values.low + part), static_cast<T>(values.high - part) };
    return moved.low < moved.high && !rule.difference(moved.low, moved.high) ? moved : values;
  }
};

} // namespace brickccl

#endif
