// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Vtk/SurfaceScene.h"

#include "BrickCCL/Vtk/ClosedMesh.h"

#include <vtkDataArray.h>
#include <vtkFlyingEdges3D.h>
#include <vtkImageData.h>
#include <vtkMath.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkSmartPointer.h>

#include <algorithm>

namespace brickccl
{

/** This many empty blocks are around the box. */
constexpr std::int64_t Margin = 2;

static void
AddNeighbors(std::vector<std::uint16_t> & values, const std::int64_t (&size)[3], int axis)
{
  const std::int64_t stride = axis == 0 ? 1 : axis == 1 ? size[0] : size[0] * size[1];
  const auto         length = static_cast<std::size_t>(stride);
  const auto         lines = static_cast<std::size_t>(size[axis]);
  // Along y and z whole rows are added at once.
  std::vector<std::uint16_t> before(length);
  std::vector<std::uint16_t> here(length);
  for (std::size_t begin = 0; begin < values.size(); begin += length * lines)
  {
    std::fill(before.begin(), before.end(), std::uint16_t{ 0 });
    for (std::size_t line = 0; line < lines; ++line)
    {
      std::uint16_t * const       at = &values[begin + line * length];
      const std::uint16_t * const after = line + 1 < lines ? at + length : nullptr;
      std::copy_n(at, length, here.begin());
      for (std::size_t i = 0; i < length; ++i)
      {
        at[i] = static_cast<std::uint16_t>(at[i] + before[i] + (after == nullptr ? 0 : after[i]));
      }
      std::swap(before, here);
    }
  }
}

/** Fills blocks with voxels inside and no full block around, since parts thinner than a block would be lost. */
static void
FillBlocksOfThinParts(BlockCounts & blocks, std::uint16_t voxelsPerBlock)
{
  std::vector<std::uint16_t> fullBlocksAround(blocks.counts.size());
  std::transform(
    blocks.counts.begin(),
    blocks.counts.end(),
    fullBlocksAround.begin(),
    [voxelsPerBlock](std::uint16_t count) { return static_cast<std::uint16_t>(count == voxelsPerBlock ? 1 : 0); });
  for (int axis = 0; axis < 3; ++axis)
  {
    AddNeighbors(fullBlocksAround, blocks.size, axis);
  }
  for (std::size_t i = 0; i < blocks.counts.size(); ++i)
  {
    const bool isAlone = blocks.counts[i] > 0 && fullBlocksAround[i] == 0;
    blocks.counts[i] = isAlone ? voxelsPerBlock : blocks.counts[i];
  }
}

/** A field that is above Threshold inside and below it outside. Its gradient is smooth, since it looks at the 26
 *  neighbors of a block, too; these weigh so little that they do not move a voxel to the other side. */
constexpr int OwnWeight = 54;
constexpr int AllWeights = OwnWeight + 27;

static vtkSmartPointer<vtkImageData>
FieldOf(const SurfaceSource & source)
{
  BlockCounts blocks = CountInBlocks(source, Margin);
  const int   voxelsPerBlock = source.block[0] * source.block[1] * source.block[2];
  if (voxelsPerBlock > 1)
  {
    FillBlocksOfThinParts(blocks, static_cast<std::uint16_t>(voxelsPerBlock));
  }
  std::vector<std::uint16_t> sums = blocks.counts;
  for (int axis = 0; axis < 3; ++axis)
  {
    AddNeighbors(sums, blocks.size, axis);
  }
  auto field = vtkSmartPointer<vtkImageData>::New();
  field->SetDimensions(static_cast<int>(blocks.size[0]),
                       static_cast<int>(blocks.size[1]),
                       static_cast<int>(blocks.size[2]));
  double spacing[3];
  double origin[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    const double voxel = source.geometry.spacing[axis];
    spacing[axis] = voxel * source.block[axis];
    // The center of the first block with voxels, less the margin.
    origin[axis] = voxel * (static_cast<double>(source.low[axis]) + 0.5 * (source.block[axis] - 1)) -
                   static_cast<double>(Margin) * spacing[axis];
  }
  field->SetSpacing(spacing);
  field->SetOrigin(origin);
  field->AllocateScalars(VTK_UNSIGNED_SHORT, 1);
  auto * const values = static_cast<unsigned short *>(field->GetScalarPointer());
  for (std::size_t i = 0; i < sums.size(); ++i)
  {
    values[i] = static_cast<unsigned short>(OwnWeight * blocks.counts[i] + sums[i]);
  }
  return field;
}

/** A vector along the image's axes as one along physical axes. */
static void
Turn(const Geometry & geometry, const double * from, float * to)
{
  for (int row = 0; row < 3; ++row)
  {
    double value = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
      value += geometry.direction[row][axis] * from[axis];
    }
    to[row] = static_cast<float>(value);
  }
}

SurfaceSource
SourceOf(const ImageView & labels, const Geometry & geometry, const ComponentMeasures & component)
{
  SurfaceSource source{ labels, geometry, component.label, {}, {}, { 1, 1, 1 } };
  for (int axis = 0; axis < 3; ++axis)
  {
    source.low[axis] = component.boxMinimum[axis] - geometry.startIndex[axis];
    source.high[axis] = component.boxMaximum[axis] - geometry.startIndex[axis];
  }
  return source;
}

BlockCounts
CountInBlocks(const SurfaceSource & source, std::int64_t margin)
{
  BlockCounts blocks;
  for (int axis = 0; axis < 3; ++axis)
  {
    const std::int64_t voxels = source.high[axis] - source.low[axis] + 1;
    blocks.size[axis] = (voxels + source.block[axis] - 1) / source.block[axis] + 2 * margin;
  }
  blocks.counts.assign(static_cast<std::size_t>(blocks.size[0] * blocks.size[1] * blocks.size[2]), 0);
  const std::int64_t * const sizes = source.labels.extent.size;
  VisitScalarType(source.labels.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto label = static_cast<T>(source.label.value_or(0));
    const bool hasLabel = source.label.has_value();
    for (std::int64_t z = source.low[2]; z <= source.high[2]; ++z)
    {
      for (std::int64_t y = source.low[1]; y <= source.high[1]; ++y)
      {
        const T * const    row = static_cast<const T *>(source.labels.data) + (z * sizes[1] + y) * sizes[0];
        const std::int64_t blockY = (y - source.low[1]) / source.block[1] + margin;
        const std::int64_t blockZ = (z - source.low[2]) / source.block[2] + margin;
        std::uint16_t *    out =
          &blocks.counts[static_cast<std::size_t>((blockZ * blocks.size[1] + blockY) * blocks.size[0] + margin)];
        for (std::int64_t x = source.low[0]; x <= source.high[0]; ++out)
        {
          const std::int64_t end = std::min(source.high[0] + 1, x + source.block[0]);
          int                count = 0;
          for (; x < end; ++x)
          {
            count += (hasLabel ? row[x] == label : row[x] != T(0)) ? 1 : 0;
          }
          *out = static_cast<std::uint16_t>(*out + count);
        }
      }
    }
  });
  return blocks;
}

Surface
MakeSurface(const SurfaceSource & source)
{
  static_assert(AllWeights * MaximumVoxelsPerBlock * MaximumVoxelsPerBlock * MaximumVoxelsPerBlock < 65536,
                "16 bits hold it");
  const int                voxels = source.block[0] * source.block[1] * source.block[2];
  vtkNew<vtkFlyingEdges3D> contour;
  contour->SetInputData(FieldOf(source));
  contour->SetValue(0, 0.5 * AllWeights * voxels);
  contour->ComputeNormalsOn();
  contour->ComputeGradientsOff();
  contour->ComputeScalarsOff();
  contour->Update();
  vtkPolyData * const mesh = contour->GetOutput();

  Surface    surface;
  const auto points = static_cast<std::size_t>(mesh->GetNumberOfPoints());
  surface.points.resize(3 * points);
  surface.normals.resize(3 * points);
  vtkDataArray * const normals = mesh->GetPointData()->GetNormals();
  for (std::size_t i = 0; i < points; ++i)
  {
    double place[3];
    double normal[3];
    mesh->GetPoint(static_cast<vtkIdType>(i), place);
    normals->GetTuple(static_cast<vtkIdType>(i), normal);
    Turn(source.geometry, place, &surface.points[3 * i]);
    Turn(source.geometry, normal, &surface.normals[3 * i]);
  }
  // A mirrored image turns triangles around.
  const auto & axes = source.geometry.direction;
  const bool   isMirrored = vtkMath::Determinant3x3(axes[0], axes[1], axes[2]) < 0;
  surface.triangles.reserve(3 * static_cast<std::size_t>(mesh->GetNumberOfPolys()));
  ForTriangles(mesh, [&](vtkIdType a, vtkIdType b, vtkIdType c) {
    for (const vtkIdType corner : { a, isMirrored ? c : b, isMirrored ? b : c })
    {
      surface.triangles.push_back(static_cast<std::int32_t>(corner));
    }
  });
  return surface;
}

} // namespace brickccl
