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

static bool
KeepsPlane(vtkMatrix3x3 * direction)
{
  return direction->GetElement(0, 2) == 0 && direction->GetElement(1, 2) == 0 && direction->GetElement(2, 0) == 0 &&
         direction->GetElement(2, 1) == 0;
}

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
  vtkImageData * const      image = vtkImageData::GetData(inputs[port]);
  if (image == nullptr && port == input && input != Image)
  {
    return nullptr;
  }
  int            association = vtkDataObject::FIELD_ASSOCIATION_NONE;
  vtkDataArray * array = image != nullptr ? find(input, association) : nullptr;
  const bool     areCells = association == vtkDataObject::FIELD_ASSOCIATION_CELLS;
  ThrowIf<InvalidArgument>(array == nullptr || (!areCells && association != vtkDataObject::FIELD_ASSOCIATION_POINTS),
                           "port " + std::to_string(port) + " has no numeric array for the " + name +
                             "; set active point scalars, or choose a point or cell array with SetInputArrayToProcess");
  const vtkIdType values = array->GetNumberOfTuples();
  ThrowIf<InvalidArgument>(values == 0 || values != (areCells ? image->GetNumberOfCells() : image->GetNumberOfPoints()),
                           "the array of the " + name + " has " + std::to_string(values) + " values for " +
                             std::to_string(image->GetNumberOfPoints()) + " points");
  if (input == Image)
  {
    m_Image = image;
    m_AreCells = areCells;
  }
  else if (areCells != m_AreCells || array->GetNumberOfComponents() != 1 || !HaveSameGrid(m_Image, image))
  {
    throw InvalidArgument("the " + name + " must have one component, the grid of the image, and values of " +
                          (m_AreCells ? "cells" : "points") + ", as the image has");
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
  const int * const points = m_Image->GetDimensions();
  for (int axis = 0; axis < 3; ++axis)
  {
    sizes[axis] = points[axis] - (m_AreCells && points[axis] > 1 ? 1 : 0);
  }
  const bool isFlat = points[2] == 1 && KeepsPlane(m_Image->GetDirectionMatrix());
  m_Extent = Extent(isFlat ? 2 : 3, sizes);
}

Geometry
FilterInputs::GetGeometry() const
{
  Geometry       geometry;
  const int *    extent = m_Image->GetExtent();
  vtkMatrix3x3 * direction = m_Image->GetDirectionMatrix();
  for (int axis = 0; axis < m_Extent.dimension; ++axis)
  {
    geometry.spacing[axis] = m_Image->GetSpacing()[axis];
    geometry.origin[axis] = m_Image->GetOrigin()[axis];
    geometry.startIndex[axis] = extent[std::ptrdiff_t{ 2 } * axis];
    for (int column = 0; column < m_Extent.dimension; ++column)
    {
      geometry.direction[axis][column] = direction->GetElement(axis, column);
      const bool isThick = m_Image->GetDimensions()[column] > 1;
      geometry.origin[axis] +=
        m_AreCells && isThick ? 0.5 * geometry.direction[axis][column] * m_Image->GetSpacing()[column] : 0.0;
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
    vtkTemplateMacro(return ImageView(static_cast<const VTK_TT *>(voxels), m_Extent, array->GetNumberOfComponents()));
  }
  throw Unsupported(std::string("arrays of the type ") + array->GetDataTypeAsString() +
                    " are not supported; they must hold numbers");
}

std::optional<ImageView>
FilterInputs::ViewMask()
{
  if (!(m_AreCells ? m_Image->HasAnyBlankCells() : m_Image->HasAnyBlankPoints()))
  {
    return this->View(Mask);
  }
  vtkDataArray * const mask = m_Arrays[Mask];
  for (vtkIdType i = 0; i < m_Extent.VoxelCount(); ++i)
  {
    const bool isVisible = (m_AreCells ? m_Image->IsCellVisible(i) : m_Image->IsPointVisible(i)) != 0;
    m_Visible.push_back(isVisible && (mask == nullptr || mask->GetComponent(i, 0) != 0) ? 1 : 0);
  }
  return ImageView(m_Visible.data(), m_Extent);
}

} // namespace brickccl
