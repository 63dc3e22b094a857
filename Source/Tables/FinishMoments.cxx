#include "BrickCCL/Geometry/SymmetricEigen.h"
#include "BrickCCL/Measuring/MeasureGroups.h"

#include <algorithm>

namespace brickccl
{

namespace
{

template <int VDimension>
void
FinishMomentsOf(ComponentTable & table, std::size_t component)
{
  const Geometry & geometry = table.geometry;
  ShapeMeasures &  measures = table.shapes[component];
  std::uint64_t    sums[MaximumDimension] = {};
  for (int axis = 0; axis < VDimension; ++axis)
  {
    sums[axis] = table.components.IndexSum(component, axis);
  }
  double indices[MaximumDimension][MaximumDimension] = {};
  measures.products.Covariance(VDimension, table.components.VoxelCount(component), sums, indices);
  // Steps along the axes in space, times indices, times steps.
  double steps[MaximumDimension][MaximumDimension] = {};
  for (int k = 0; k < VDimension; ++k)
  {
    for (int i = 0; i < VDimension; ++i)
    {
      steps[k][i] = geometry.direction[k][i] * geometry.spacing[i];
    }
  }
  for (int k = 0; k < VDimension; ++k)
  {
    double half[MaximumDimension] = {};
    for (int i = 0; i < VDimension; ++i)
    {
      for (int j = 0; j < VDimension; ++j)
      {
        half[j] += steps[k][i] * indices[i][j];
      }
    }
    for (int l = 0; l < VDimension; ++l)
    {
      for (int j = 0; j < VDimension; ++j)
      {
        measures.covariance[k][l] += half[j] * steps[l][j];
      }
    }
  }
  const EigenSystem<VDimension> system(measures.covariance);
  // Rounding, and nothing that a component has: one voxel across has no extent there.
  const double least = 1e-12 * system.values[VDimension - 1];
  for (int axis = 0; axis < VDimension; ++axis)
  {
    measures.principalMoments[axis] = system.values[axis] > least ? system.values[axis] : 0;
    std::copy_n(system.vectors[axis], MaximumDimension, measures.principalAxes[axis]);
  }
}

} // namespace

void
FinishMoments(ComponentTable & table, std::size_t component)
{
  switch (table.extent.dimension)
  {
  case 1:
    FinishMomentsOf<1>(table, component);
    break;
  case 2:
    FinishMomentsOf<2>(table, component);
    break;
  case 3:
    FinishMomentsOf<3>(table, component);
    break;
  default:
    FinishMomentsOf<4>(table, component);
  }
}

} // namespace brickccl
