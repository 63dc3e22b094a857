// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"

#include <array>
#include <cstdint>
#include <vector>

namespace brickccl
{

/** The places of components that continue through the ends of periodic axes. Cutting its links through ends divides
 *  such a component into pieces. Moving the pieces together by whole images unwraps it. A component that meets its
 *  own copy along an axis cannot be unwrapped along it: it wraps. */
struct Unwrapping
{
  using Shift = std::array<std::int64_t, MaximumDimension>;

  PeriodicAxes periodic;
  /** The piece of each run, from 1 on; 0 for the runs of components that have no links through ends. */
  std::vector<std::uint32_t> pieceOfRun;
  /** By how many images each piece is moved along each axis; piece 0 is not. No piece is moved back, so that unwrapped
   *  components begin in the image and may reach beyond its upper ends. Along axes along which components wrap, pieces
   *  are not moved. */
  std::vector<Shift> shifts;
  /** Bit a of a piece says that its component wraps along axis a. */
  std::vector<unsigned char> wraps;

  const Shift &
  ShiftOf(std::uint64_t run) const
  {
    return shifts[pieceOfRun[static_cast<std::size_t>(run)]];
  }
};

} // namespace brickccl
