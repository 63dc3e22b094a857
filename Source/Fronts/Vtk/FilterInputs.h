// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"

#include <vtkDataArray.h>
#include <vtkSmartPointer.h>

#include <functional>
#include <optional>
#include <vector>

class vtkAlgorithm;
class vtkImageData;
class vtkInformationVector;

namespace brickccl
{

/** The input arrays of vtkBrickConnectedComponents, by their InputType. */
class FilterInputs
{
public:
  static constexpr int Image = 0;
  static constexpr int Mask = 1;

  /** vtkAlgorithm::GetInputArrayToProcess, which only a filter itself may call. */
  using ArrayFinder = std::function<vtkDataArray *(int input, int & association)>;

  /** \throws InvalidArgument for arrays that are not there or do not fit the image. */
  FilterInputs(vtkAlgorithm * filter, vtkInformationVector ** inputs, const ArrayFinder & find);

  vtkImageData * image = nullptr;
  /** Whether the voxels are cells, not points. */
  bool   areCells = false;
  Extent extent;
  /** The place of the voxels. Those of cells are around the cells' centers. */
  Geometry GetGeometry() const;

  /** The voxels of an input; nothing if it is not given. \throws Unsupported for types that are not numbers. */
  std::optional<ImageView> View(int input) const;

  /** The mask, also without the blanked voxels, which it views in memory of this object. */
  std::optional<ImageView> ViewMask();

private:
  vtkSmartPointer<vtkDataArray>
  FindArray(vtkAlgorithm * filter, int input, vtkInformationVector ** inputs, const ArrayFinder & find);

  vtkSmartPointer<vtkDataArray> m_Arrays[4];
  std::vector<unsigned char>    m_Visible;
};

} // namespace brickccl
