// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Vtk/FilterInputs.h"

#include "BrickCCL/Core/Error.h"

#include <vtkAlgorithm.h>
#include <vtkImageData.h>
#include <vtkInformation.h>
#include <vtkInformationVector.h>
#include <vtkMath.h>
#include <vtkMatrix3x3.h>

#include <algorithm>
#include <string>

namespace brickccl
{

/** Whether the voxels of two images have the same positions, to a thousandth of a voxel. */
static bool
HaveSameGrid(vtkImageData * a, vtkImageData * b)
{
  const int * const ofA = a->GetExtent();
  const int * const ofB = b->GetExtent();
  const double *    spacing = a->GetSpacing();
  const double      allowed = 1e-3 * std::min({ spacing[0], spacing[1], spacing[2] });
  bool              isSame = std::equal(a->GetDimensions(), a->GetDimensions() + 3, b->GetDimensions());
  // Three corners that no rotation leaves where they are, by their places in the extent.
  constexpr int corners[3][3] = { { 0, 2, 4 }, { 1, 2, 5 }, { 0, 3, 5 } };
  for (const auto & corner : corners)
  {
    double placeOfA[3];
    double placeOfB[3];
    a->TransformIndexToPhysicalPoint(ofA[corner[0]], ofA[corner[1]], ofA[corner[2]], placeOfA);
    b->TransformIndexToPhysicalPoint(ofB[corner[0]], ofB[corner[1]], ofB[corner[2]], placeOfB);
    isSame = isSame && vtkMath::Distance2BetweenPoints(placeOfA, placeOfB) <= allowed * allowed;
  }
  return isSame;
}

/** The array of an input, one voxel behind the other in memory; null for one that is not given. */
vtkSmartPointer<vtkDataArray>
FilterInputs::FindArray(vtkAlgorithm * filter, int input, vtkInformationVector ** inputs, const ArrayFinder & find)
{
  static const char * const names[] = { "image", "mask", "intensity image", "part" };
  const std::string         name = names[input];
  const int                 port = filter->GetInputArrayInformation(input)->Get(vtkAlgorithm::INPUT_PORT());
  vtkImageData * const      data = vtkImageData::GetData(inputs[port]);
  if (data == nullptr && port == input && input != Image)
  {
    return nullptr;
  }
  int            association = vtkDataObject::FIELD_ASSOCIATION_NONE;
  vtkDataArray * array = data != nullptr ? find(input, association) : nullptr;
  const bool     hasCells = association == vtkDataObject::FIELD_ASSOCIATION_CELLS;
  ThrowIf<InvalidArgument>(array == nullptr || (!hasCells && association != vtkDataObject::FIELD_ASSOCIATION_POINTS),
                           "port " + std::to_string(port) + " has no numeric array for the " + name +
                             "; set active point scalars, or choose a point or cell array with SetInputArrayToProcess");
  const vtkIdType values = array->GetNumberOfTuples();
  ThrowIf<InvalidArgument>(values == 0 || values != (hasCells ? data->GetNumberOfCells() : data->GetNumberOfPoints()),
                           "the array of the " + name + " has " + std::to_string(values) + " values for " +
                             std::to_string(data->GetNumberOfPoints()) + " points");
  if (input == Image)
  {
    image = data;
    areCells = hasCells;
  }
  else if (hasCells != areCells || array->GetNumberOfComponents() != 1 || !HaveSameGrid(image, data))
  {
    throw InvalidArgument("the " + name + " must have one component, the grid of the image, and values of " +
                          (areCells ? "cells" : "points") + ", as the image has");
  }
  if (array->HasStandardMemoryLayout())
  {
    return array;
  }
  vtkSmartPointer<vtkDataArray> copy;
  copy.TakeReference(vtkDataArray::CreateDataArray(array->GetDataType()));
  copy->DeepCopy(array);
  return copy;
}

FilterInputs::FilterInputs(vtkAlgorithm * filter, vtkInformationVector ** inputs, const ArrayFinder & find)
{
  for (int input = Image; input < 4; ++input)
  {
    m_Arrays[input] = this->FindArray(filter, input, inputs, find);
  }
  std::int64_t      sizes[3];
  const int * const points = image->GetDimensions();
  for (int axis = 0; axis < 3; ++axis)
  {
    sizes[axis] = points[axis] - (areCells && points[axis] > 1 ? 1 : 0);
  }
  const vtkMatrix3x3 & direction = *image->GetDirectionMatrix();
  const bool           keepsPlane = direction.GetElement(0, 2) == 0 && direction.GetElement(1, 2) == 0 &&
                          direction.GetElement(2, 0) == 0 && direction.GetElement(2, 1) == 0;
  const bool isFlat = points[2] == 1 && keepsPlane;
  extent = Extent(isFlat ? 2 : 3, sizes);
}

Geometry
FilterInputs::GetGeometry() const
{
  Geometry       geometry;
  const int *    ends = image->GetExtent();
  vtkMatrix3x3 * direction = image->GetDirectionMatrix();
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    geometry.spacing[axis] = image->GetSpacing()[axis];
    geometry.origin[axis] = image->GetOrigin()[axis];
    geometry.startIndex[axis] = ends[std::ptrdiff_t{ 2 } * axis];
    for (int column = 0; column < extent.dimension; ++column)
    {
      geometry.direction[axis][column] = direction->GetElement(axis, column);
      const bool isThick = image->GetDimensions()[column] > 1;
      geometry.origin[axis] +=
        areCells && isThick ? 0.5 * geometry.direction[axis][column] * image->GetSpacing()[column] : 0.0;
    }
  }
  return geometry;
}

std::optional<ImageView>
FilterInputs::View(int input) const
{
  vtkDataArray * const array = m_Arrays[input];
  if (array == nullptr)
  {
    return std::nullopt;
  }
  const void * voxels = array->GetVoidPointer(0);
  switch (array->GetDataType())
  {
    vtkTemplateMacro(return ImageView(static_cast<const VTK_TT *>(voxels), extent, array->GetNumberOfComponents()));
  }
  throw Unsupported(std::string("arrays of the type ") + array->GetDataTypeAsString() +
                    " are not supported; they must hold numbers");
}

std::optional<ImageView>
FilterInputs::ViewMask()
{
  if (!(areCells ? image->HasAnyBlankCells() : image->HasAnyBlankPoints()))
  {
    return this->View(Mask);
  }
  vtkDataArray * const mask = m_Arrays[Mask];
  for (vtkIdType i = 0; i < extent.VoxelCount(); ++i)
  {
    const bool isVisible = (areCells ? image->IsCellVisible(i) : image->IsPointVisible(i)) != 0;
    m_Visible.push_back(isVisible && (mask == nullptr || mask->GetComponent(i, 0) != 0) ? 1 : 0);
  }
  return ImageView(m_Visible.data(), extent);
}

} // namespace brickccl
