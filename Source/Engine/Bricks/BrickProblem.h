// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Bricks/ByteStream.h"
#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Labels/Labels.h"

#include <cstdint>
#include <string>

namespace brickccl
{

/** The options that must be the same for all bricks of a volume: joining of neighbors, and filters. */
struct BrickProblem
{
  int            dimension = 0;
  Criterion      criterion;
  ScalarType     type = ScalarType::UInt8;
  int            channels = 1;
  PeriodicAxes   periodic;
  RelabelOptions relabel;

  BrickProblem() = default;
  BrickProblem(const Connectivity &   connectivity,
               const Criterion &      imageCriterion,
               ScalarType             imageType,
               int                    imageChannels,
               const PeriodicAxes &   periodicAxes,
               const RelabelOptions & relabelOptions);

  /** Whether a voxel has the neighbor one step away, each step -1, 0 or 1. */
  bool
  Has(const int (&step)[MaximumDimension]) const
  {
    const int bit = BitOf(step);
    return (m_Steps[bit / 64] >> (bit % 64) & 1) != 0;
  }
  /** Whether neighbors may differ along the axis. */
  bool Uses(int axis) const;

  /** The data for joining voxels of different bricks. */
  enum class Values
  {
    None,
    /** One for each run, since all voxels of a run have the same. */
    OfRuns,
    OfVoxels
  };
  Values
  NeededValues() const
  {
    return criterion.joining == Criterion::Joining::Foreground ? Values::None
         : criterion.joining == Criterion::Joining::EqualValue ? Values::OfRuns
                                                               : Values::OfVoxels;
  }
  std::size_t
  VoxelBytes() const
  {
    return static_cast<std::size_t>(channels) * SizeOf(type);
  }

  void                Write(ByteWriter & writer) const;
  static BrickProblem Read(ByteReader & reader);

  /** Names the first thing in which two problems differ, for errors; empty if they are the same. */
  std::string DifferenceFrom(const BrickProblem & other) const;

private:
  static constexpr int StepCount = 3 * 3 * 3 * 3;

  static int
  BitOf(const int (&step)[MaximumDimension])
  {
    return ((step[3] * 3 + step[2]) * 3 + step[1]) * 3 + step[0] + StepCount / 2;
  }

  /** Bits of the steps to neighbors. */
  std::uint64_t m_Steps[2] = {};
};

PeriodicAxes ReadPeriodicAxes(ByteReader & reader);

} // namespace brickccl
