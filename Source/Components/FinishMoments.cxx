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
  for (int k = 0; k < dimension; ++k)
  {
    for (int l = 0; l < dimension; ++l)
    {
      for (int i = 0; i < dimension; ++i)
      {
        for (int j = 0; j < dimension; ++j)
        {
          measures.covariance[k][l] += geometry.direction[k][i] * geometry.spacing[i] * indices[i][j] *
                                       geometry.spacing[j] * geometry.direction[l][j];
        }
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
