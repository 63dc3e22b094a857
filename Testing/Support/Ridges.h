// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_SUPPORT_RIDGES_H
#define BRICKCCL_TESTING_SUPPORT_RIDGES_H

#include "BrickCCL/Phantoms/Phantoms.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

/** A ridge pattern R_l^k, from the ridge patterns of CUCCL (gitlab.com/lcg/cuccl). The equation numbers below refer
 *  to its paper. The pattern is one component on which label equivalence with 8 neighbors takes l rounds. A crest of
 *  vertical peaks is on a base whose rows each begin one pixel further right:
 *
 *      #           #
 *      #     #     #
 *      #  #  #  #  #
 *      #############        level 4, k = 0
 *       #############
 *        #############  ...
 *
 *  Level 1 has no crest. It is a square of 2^(k+1) pixels a side. */
struct RidgePattern
{
  int level;
  /** k: the crest is 2^k times as wide. */
  int scale;

  /** \throws InvalidArgument unless 1 <= level, 0 <= scale and the pattern has less than 2^30 pixels a side. */
  RidgePattern(int patternLevel, int patternScale);

  /** 2^(l-2) + 1 (equation 6); 0 for level 1. */
  std::int64_t PeakCount() const;
  /** The first column of a peak: 2^k 3 i (equation 7). */
  std::int64_t PeakPlace(std::int64_t peak) const;
  /** One more than the number of powers 2^0 ... 2^(l-2) that divide i (equation 8). */
  std::int64_t PeakHeight(std::int64_t peak) const;

  /** 2^k (2^(l-1) + 2^(l-2) + 1) (equations 9 and 13). */
  std::int64_t CrestWidth() const;
  /** l (equations 10 and 14). */
  std::int64_t CrestHeight() const;
  /** 2 w(C) - h(C) - 1, which is the middle of equation 11. Its right side, and equation 15, say one more. */
  std::int64_t Width() const;
  /** w(C) - h(C) (equations 12 and 16). */
  std::int64_t BaseHeight() const;
  /** The height of crest and base together. */
  std::int64_t Height() const;

  bool Covers(std::int64_t x, std::int64_t y) const;
};

/** The families of images of ridge patterns (section IV-C of the paper). They are square, 2^n pixels a side. */
struct RidgeImage
{
  enum class Family
  {
    /** One pattern, as large as fits. Its level varies. */
    Leveling,
    /** The pattern of Leveling, made smaller by `parameter` (0 to 1). */
    Scaling,
    /** 4^subdivisions patterns. */
    Subdivision,
    /** Each pattern of Subdivision is there with the probability `parameter`. */
    RandomInstancing,
    /** Neighboring patterns of Subdivision are joined by a line with the probability `parameter`. */
    RandomMerging,
    /** A spiral instead of patterns, on the share `parameter` of each side. */
    Spiral
  };

  Family        family = Family::Leveling;
  int           level = 3;
  int           subdivisions = 0;
  double        parameter = 1;
  std::uint64_t seed = 1;

  /** The family of a name: "leveling", "scaling", "subdivision", "random-instancing", "random-merging" or "spiral".
   *  \throws InvalidArgument, which lists these names. */
  static Family FamilyFromName(const std::string & name);
};

/** \throws InvalidArgument if the extent is not 2^n x 2^n or has no room for the patterns. There is room if 1 <= level
 *  and level + subdivisions <= n - 1. */
std::vector<std::uint8_t> MakeRidges(const Extent & extent, const RidgeImage & image);

} // namespace brickccl

#endif
