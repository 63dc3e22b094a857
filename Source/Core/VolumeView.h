#ifndef BRICKCCL_CORE_VOLUMEVIEW_H
#define BRICKCCL_CORE_VOLUMEVIEW_H

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Core/ScalarType.h"

#include <cstdint>

namespace brickccl
{

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

  BRICKCCL_HOST_DEVICE T *
  Row(std::int64_t row) const
  {
    return data + row * extent.RowLength();
  }
};

/** A non-owning, read-only view of contiguous voxels whose type is known at run time, x fastest. Voxels of several
 *  channels (RGB, vectors) are interleaved: the channels of one voxel lie side by side. */
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
      throw InvalidArgument("an image without voxels (a null pointer) was given");
    }
    if (channelCount < 1)
    {
      throw InvalidArgument("an image of " + std::to_string(channelCount) +
                            " channels was given; there must be at least 1");
    }
  }
};

/** Where voxels lie in space: x_physical = origin + direction * (spacing .* index), as in ITK. Lengths are in mm. */
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

  /** The physical point of a continuous index that counts from the first voxel of the buffer. */
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
