#include "BrickCCL/Components/Eigen.h"
#include "BrickCCL/Components/MeasureGroups.h"

#include <algorithm>

namespace brickccl
{

namespace
{

/** Index covariances in physical space, and their axes. */
void
FinishMoments(const ComponentMeasures & component, int dimension, const Geometry & geometry, ShapeMeasures & measures)
{
  double indices[MaximumDimension][MaximumDimension] = {};
  measures.products.Covariance(dimension, component.voxelCount, component.indexSum, indices);
  for (int row = 0; row < dimension; ++row)
  {
    for (int column = 0; column < dimension; ++column)
    {
      for (int i = 0; i < dimension; ++i)
      {
        for (int j = 0; j < dimension; ++j)
        {
          measures.covariance[row][column] += geometry.direction[row][i] * geometry.spacing[i] * indices[i][j] *
                                              geometry.spacing[j] * geometry.direction[column][j];
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

} // namespace

void
FinishComponent(ComponentTable & table, std::size_t component)
{
  ComponentMeasures & measures = table.components[component];
  for (int axis = 0; axis < table.extent.dimension; ++axis)
  {
    measures.centroid[axis] = static_cast<double>(table.geometry.startIndex[axis]) +
                              static_cast<double>(measures.indexSum[axis]) / static_cast<double>(measures.voxelCount);
  }
  if (table.hasIntensity)
  {
    measures.intensity = table.intensitySums[component].Measures(measures.voxelCount);
  }
  if (!table.shapes.empty())
  {
    FinishMoments(measures, table.extent.dimension, table.geometry, table.shapes[component]);
  }
}

} // namespace brickccl
