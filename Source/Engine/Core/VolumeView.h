// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CORE_VOLUMEVIEW_H
#define BRICKCCL_CORE_VOLUMEVIEW_H

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Extent.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace brickccl
{

/** Types of one channel of a voxel. */
enum class ScalarType
{
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float32,
  Float64
};

/** Types of a label map. `Auto` means the smallest type that holds the number of components. */
enum class LabelType
{
  Auto,
  UInt8,
  UInt16,
  UInt32,
  UInt64
};

template <typename T>
struct TypeTag
{
  using Type = T;
};

/** Calls `function(TypeTag<T>{})` with the C++ type T of `type`. */
template <typename TFunction>
decltype(auto)
VisitScalarType(ScalarType type, TFunction && function)
{
  switch (type)
  {
  case ScalarType::Int8:
    return function(TypeTag<std::int8_t>{});
  case ScalarType::UInt8:
    return function(TypeTag<std::uint8_t>{});
  case ScalarType::Int16:
    return function(TypeTag<std::int16_t>{});
  case ScalarType::UInt16:
    return function(TypeTag<std::uint16_t>{});
  case ScalarType::Int32:
    return function(TypeTag<std::int32_t>{});
  case ScalarType::UInt32:
    return function(TypeTag<std::uint32_t>{});
  case ScalarType::Int64:
    return function(TypeTag<std::int64_t>{});
  case ScalarType::UInt64:
    return function(TypeTag<std::uint64_t>{});
  case ScalarType::Float32:
    return function(TypeTag<float>{});
  case ScalarType::Float64:
    return function(TypeTag<double>{});
  }
  throw InvalidArgument("unknown scalar type " + std::to_string(static_cast<int>(type)));
}

/** As VisitScalarType; \throws InvalidArgument for LabelType::Auto, which is not a type. */
template <typename TFunction>
decltype(auto)
VisitLabelType(LabelType type, TFunction && function)
{
  switch (type)
  {
  case LabelType::UInt8:
    return function(TypeTag<std::uint8_t>{});
  case LabelType::UInt16:
    return function(TypeTag<std::uint16_t>{});
  case LabelType::UInt32:
    return function(TypeTag<std::uint32_t>{});
  case LabelType::UInt64:
    return function(TypeTag<std::uint64_t>{});
  case LabelType::Auto:
    break;
  }
  throw InvalidArgument("choose a label type: uint8, uint16, uint32 or uint64");
}

/** The scalar type with the size, signedness and kind of the arithmetic type T (so `long` is Int64 on Linux). */
template <typename T>
constexpr ScalarType
ScalarTypeOf()
{
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8,
                "a voxel channel must have an integer or floating-point type");
  if constexpr (std::is_floating_point_v<T>)
  {
    return sizeof(T) == 4 ? ScalarType::Float32 : ScalarType::Float64;
  }
  else
  {
    constexpr bool isSigned = std::is_signed_v<T>;
    switch (sizeof(T))
    {
    case 1:
      return isSigned ? ScalarType::Int8 : ScalarType::UInt8;
    case 2:
      return isSigned ? ScalarType::Int16 : ScalarType::UInt16;
    case 4:
      return isSigned ? ScalarType::Int32 : ScalarType::UInt32;
    default:
      return isSigned ? ScalarType::Int64 : ScalarType::UInt64;
    }
  }
}

std::size_t SizeOf(ScalarType type);

/** The scalar type of a label map; \throws InvalidArgument for LabelType::Auto. */
ScalarType ScalarTypeOfLabel(LabelType type);

/** "int16", "float32" ... */
const char * NameOf(ScalarType type);

/** "auto", "uint8" ... */
const char * NameOf(LabelType type);

/** The largest label that a type holds. Auto counts as uint64. */
std::uint64_t MaximumLabel(LabelType type);

/** The smallest label type that holds `componentCount` labels and the background 0. */
LabelType SmallestLabelType(std::uint64_t componentCount);

/** \throws InvalidArgument, which lists the valid names. */
LabelType LabelTypeFromName(const std::string & name);

/** A non-owning view of contiguous voxels whose type is known at compile time, x fastest. Trivially copyable. */
template <typename T>
struct VolumeView
{
  T *    data = nullptr;
  Extent extent;

  VolumeView() = default;
  VolumeView(T * voxels, const Extent & voxelExtent)
    : data(voxels)
    , extent(voxelExtent)
  {}

  constexpr T *
  Row(std::int64_t row) const
  {
    return data + row * extent.RowLength();
  }
};

/** A non-owning, read-only view of contiguous voxels whose type is known at run time, x fastest. Voxels of several
 *  channels (RGB, vectors) are interleaved: the channels of one voxel are adjacent. */
struct ImageView
{
  const void * data = nullptr;
  ScalarType   type = ScalarType::UInt8;
  int          channels = 1;
  Extent       extent;

  ImageView() = default;

  /** A view of `channels` values of T for each voxel of `extent`. \throws InvalidArgument for a null pointer or no
   *  channel. */
  template <typename T>
  ImageView(const T * voxels, const Extent & voxelExtent, int channelCount = 1)
    : ImageView(voxels, ScalarTypeOf<T>(), voxelExtent, channelCount)
  {}

  ImageView(const void * voxels, ScalarType scalarType, const Extent & voxelExtent, int channelCount)
    : data(voxels)
    , type(scalarType)
    , channels(channelCount)
    , extent(voxelExtent)
  {
    if (voxels == nullptr)
    {
      throw InvalidArgument("the image has no voxels (a null pointer)");
    }
    if (channelCount < 1)
    {
      throw InvalidArgument("an image of " + std::to_string(channelCount) +
                            " channels was given; there must be at least 1");
    }
  }
};

/** The place of voxels in space: x_physical = origin + direction * (spacing .* index), as in ITK. Lengths are in mm. */
struct Geometry
{
  double spacing[MaximumDimension] = { 1, 1, 1, 1 };
  double origin[MaximumDimension] = { 0, 0, 0, 0 };
  double direction[MaximumDimension][MaximumDimension] = { { 1, 0, 0, 0 },
                                                           { 0, 1, 0, 0 },
                                                           { 0, 0, 1, 0 },
                                                           { 0, 0, 0, 1 } };
  /** Index of the first voxel of the buffer (the start of an ITK region). */
  std::int64_t startIndex[MaximumDimension] = { 0, 0, 0, 0 };

  /** The physical point of a continuous index relative to the first voxel of the buffer. */
  void
  IndexToPhysical(int dimension, const double * index, double * point) const
  {
    for (int row = 0; row < dimension; ++row)
    {
      point[row] = origin[row];
      for (int axis = 0; axis < dimension; ++axis)
      {
        point[row] += direction[row][axis] * spacing[axis] * (index[axis] + static_cast<double>(startIndex[axis]));
      }
    }
  }

  /** Length, area or volume of one voxel. */
  double
  VoxelVolume(int dimension) const
  {
    double volume = 1;
    for (int axis = 0; axis < dimension; ++axis)
    {
      volume *= spacing[axis];
    }
    return volume;
  }
};

} // namespace brickccl

#endif
