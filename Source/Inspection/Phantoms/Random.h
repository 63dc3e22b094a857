// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace brickccl
{

/** The finalizer of SplitMix64 (Steele, Lea and Flood 2014) over a seed and a place: without state, so that any voxel's
 *  number can be had in any order, the same on every machine. */
inline std::uint64_t
HashOf(std::uint64_t seed, std::uint64_t place)
{
  std::uint64_t z = (seed + 1) * 0x9E3779B97F4A7C15u + place * 0xD1B54A32D192ED03u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/** As HashOf, but a number 0 <= u < 1 with 53 bits. */
inline double
UniformOf(std::uint64_t seed, std::uint64_t place)
{
  return static_cast<double>(HashOf(seed, place) >> 11) * (1.0 / 9007199254740992.0);
}

} // namespace brickccl
