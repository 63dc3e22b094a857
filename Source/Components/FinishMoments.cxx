#include "BrickCCL/Components/Eigen.h"
#include "BrickCCL/Components/MeasureGroups.h"

#include <algorithm>

namespace brickccl
{

void
FinishMoments(ComponentTable & table, std::size_t component)
{
  const ComponentMeasures row = table.components[component];
  const Geometry &        geometry = table.geometry;
  const int               dimension = table.extent.dimension;
  ShapeMeasures &         measures = table.shapes[component];
  double                  indices[MaximumDimension][MaximumDimension] = {};
  measures.products.Covariance(dimension, row.voxelCount, row.indexSum, indices);
  // Steps along the axes in space, times indices, times steps.
  double steps[MaximumDimension][MaximumDimension];
  for (int k = 0; k < dimension; ++k)
  {
    for (int i = 0; i < dimension; ++i)
    {
      steps[k][i] = geometry.direction[k][i] * geometry.spacing[i];
    }
  }
  for (int k = 0; k < dimension; ++k)
  {
    double half[MaximumDimension] = {};
    for (int i = 0; i < dimension; ++i)
    {
      for (int j = 0; j < dimension; ++j)
      {
        half[j] += steps[k][i] * indices[i][j];
      }
    }
    for (int l = 0; l < dimension; ++l)
    {
      for (int j = 0; j < dimension; ++j)
      {
        measures.covariance[k][l] += half[j] * steps[l][j];
      }
    }
  }
  const EigenSystem system(dimension, measures.covariance);
  // Rounding, and nothing that a component has: one voxel across has no extent there.
  const double least = 1e-12 * system.values[dimension - 1];
  for (int axis = 0; axis < dimension; ++axis)
  {
    measures.principalMoments[axis] = system.values[axis] > least ? system.values[axis] : 0;
    std::copy_n(system.vectors[axis], MaximumDimension, measures.principalAxes[axis]);
  }
}

} // namespace brickccl
