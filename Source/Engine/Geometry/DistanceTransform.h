// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/UninitializedVector.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>

namespace brickccl
{

/** Where the distances of a voxel's center end. */
enum class DistanceTo
{
  /** At the nearest center of a voxel outside. The border of the image is not a border. */
  Centers,
  /** At the nearest voxel outside, taken as a box. Everything beyond the image's border is outside. */
  Boxes
};

/** The square of distances that are infinite or too large for the type. */
template <typename T>
inline constexpr T UnknownSquare = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                                               : static_cast<T>(sizeof(T) == 2 ? 0xFFFF : 0x7FFFFFFF);

/** The unit of squared distances. A distance in mm is the root of its square times `length`. */
struct DistanceUnit
{
  DistanceTo to;
  /** A common length of the spacings, of which they are multiples; for boxes, half of it. 1 if there is none. */
  double length = 1;
  /** The smallest spacing of a used axis, in this unit. */
  double smallest = 1;
  /** The square of a step, for boxes of half a step, along each axis; 0 along axes that are not used. */
  double weights[MaximumDimension] = {};
  /** Whether these are whole numbers. */
  bool isWhole = true;
  /** The axes along which the image repeats; for distances to centers. */
  PeriodicAxes periodic;

  /** \param axes  a bit for each axis along which voxels outside are looked for
   *  \throws InvalidArgument for a spacing that is not above 0. */
  DistanceUnit(DistanceTo distanceTo, const Extent & extent, const Geometry & geometry, unsigned axes);

  /** A distance in units of the length, correctly rounded. */
  template <typename T>
  static double
  RootOf(T square)
  {
    return square == UnknownSquare<T> ? std::numeric_limits<double>::infinity()
                                      : std::sqrt(static_cast<double>(square));
  }
};

/** Calls `function(TypeTag<T>{})` with a type for the values of a label image: an unsigned one of the same size for
 *  integers. \throws InvalidArgument for several channels. */
template <typename TFunction>
decltype(auto)
VisitLabels(const ImageView & labels, TFunction && function)
{
  ThrowIf<InvalidArgument>(labels.channels != 1,
                           "labels of " + std::to_string(labels.channels) + " channels were given; there must be 1");
  switch (labels.type)
  {
  case ScalarType::Float32:
    return function(TypeTag<float>{});
  case ScalarType::Float64:
    return function(TypeTag<double>{});
  default:
    const std::size_t size = SizeOf(labels.type);
    return VisitLabelType(size == 1   ? LabelType::UInt8
                          : size == 2 ? LabelType::UInt16
                          : size == 4 ? LabelType::UInt32
                                      : LabelType::UInt64,
                          function);
  }
}

/** The squares of the distances from every voxel to the nearest one of another label, 0 included, for all labels but 0
 *  at once; 0 where the label is. They have the smallest type that holds them. Whole numbers are exact; else they are
 *  sums of doubles in the order of axes.
 *
 *  The transform goes axis by axis. Each line becomes the smallest of all sums of a square on it and the square of the
 *  way there, with vectors for many lines at once. The search of a voxel ends at the first way that is too long
 *  by itself, and leaves out blocks of places whose smallest square is too large. So it needs about as many steps as
 * the distance has voxels, and few in large distances. */
struct SquaredDistances
{
  std::variant<Buffer<std::uint16_t>, Buffer<std::uint32_t>, Buffer<double>> squares;
  /** Whether there are several labels. */
  bool areSeveral = false;

  SquaredDistances(const ImageView & labels, const DistanceUnit & unit, const HostContext & context);
};

/** The squares (mm^2) to boxes, for labels of 32 bits. */
UninitializedVector<float> SquaredDistancesToOthers(const Extent &                             extent,
                                                    const Geometry &                           geometry,
                                                    const UninitializedVector<std::uint32_t> & labels,
                                                    const HostContext &                        context);

} // namespace brickccl
