// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Criteria/PixelRules.h"

#include <cstdint>

/** For a tolerance: two values that separate kinds of voxels. They are found from samples. */
namespace brickccl
{

/** Two values so far apart that no voxel at or below `low` is joined to one at or above `high`. */
template <typename T>
struct SeparatingValues
{
  T low;
  T high;
};

/** Samples of neighbors in a one-channel image. The first that are not joined are candidates for separating values. */
template <typename T>
class NeighborSamples
{
public:
  static constexpr int Maximum = 1024;
  static constexpr int MaximumSeparated = 64;

  /** \param count  the image's voxels \param toNeighbor  the distance between the two voxels of a sample */
  NeighborSamples(const T * voxels, std::int64_t count, std::int64_t toNeighbor, const VoxelRule<T> & rule)
    : m_Voxels(voxels)
    , m_Places(count - toNeighbor)
    , m_ToNeighbor(toNeighbor)
    , m_Rule(rule)
  {}

  int
  Count() const
  {
    constexpr std::int64_t voxelsPerSample = 16;
    const std::int64_t     wanted = m_Places / voxelsPerSample;
    return wanted < 0 ? 0 : wanted < Maximum ? static_cast<int>(wanted) : Maximum;
  }
  /** Whether the voxels of the i-th sample are not joined. If so, `values` gets theirs. */
  bool
  IsSeparated(int i, SeparatingValues<T> & values) const
  {
    // Multiples of the golden ratio lie evenly and in step with nothing.
    const std::uint64_t share = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u;
    const auto          place =
      static_cast<std::int64_t>(static_cast<UInt128>(share) * static_cast<std::uint64_t>(m_Places) >> 64);
    const T a = m_Voxels[place];
    const T b = m_Voxels[place + m_ToNeighbor];
    values = { a < b ? a : b, a < b ? b : a };
    return m_Rule.foreground(a) && m_Rule.foreground(b) && !m_Rule.difference(a, b);
  }

private:
  const T *            m_Voxels;
  std::int64_t         m_Places;
  std::int64_t         m_ToNeighbor;
  const VoxelRule<T> & m_Rule;
};

/** The separated samples that two values explain: one voxel is at or below `low`, the other at or above `high`. */
template <typename T>
struct ExplainedSamples
{
  SeparatingValues<T> values;
  /** The number of samples that the values explain. */
  int count;

  /** Keeps the candidate's low value, and lowers the high one to each sample in turn that can be explained. */
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
  /** Whether the values are worth using. They are not if few neighbors are separated, or if these are of many kinds:
   *  even then values in the middle explain half of them. */
  bool
  AreMost(int separatedCount) const
  {
    constexpr int leastSeparated = 8;
    return separatedCount >= leastSeparated && 4 * count >= 3 * separatedCount;
  }
  /** The values moved towards each other, by a quarter each of what they differ more than the limit. */
  SeparatingValues<T>
  InTheMiddle(const VoxelRule<T> & rule) const
  {
    const auto                slack = DifferenceRule<T>::Difference(values.low, values.high) - rule.difference.limit;
    const auto                part = static_cast<T>(slack / 4);
    const SeparatingValues<T> moved{ static_cast<T>(values.low + part), static_cast<T>(values.high - part) };
    return moved.low < moved.high && !rule.difference(moved.low, moved.high) ? moved : values;
  }
};

} // namespace brickccl
