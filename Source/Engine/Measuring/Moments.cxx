// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/Moments.h"

#include "BrickCCL/Geometry/SymmetricEigen.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace brickccl
{

static void
SetNoMoments(ShapeMeasures & measures)
{
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::fill_n(measures.principalMoments, MaximumDimension, none);
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    std::fill_n(measures.covariance[axis], MaximumDimension, none);
    std::fill_n(measures.principalAxes[axis], MaximumDimension, none);
  }
}

template <int VDimension>
static void
FinishMomentsOf(const ComponentTable & table,
                std::size_t            component,
                const ProductSums &    products,
                ShapeMeasures &        measures)
{
  const Geometry & geometry = table.geometry;
  std::uint64_t    sums[MaximumDimension] = {};
  for (int axis = 0; axis < VDimension; ++axis)
  {
    sums[axis] = table.components.IndexSum(component, axis);
    if (sums[axis] == ShapeSums::NoSum)
    {
      SetNoMoments(measures);
      return;
    }
  }
  double indices[MaximumDimension][MaximumDimension] = {};
  products.Covariance(VDimension, table.components.VoxelCount(component), sums, indices);
  // The covariance in space is steps * indices * transposed steps, with one step in space per index.
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
  // A smaller value is rounding: a component that is one voxel thick has no extent across.
  const double least = 1e-12 * system.values[VDimension - 1];
  for (int axis = 0; axis < VDimension; ++axis)
  {
    measures.principalMoments[axis] = system.values[axis] > least ? system.values[axis] : 0;
    std::copy_n(system.vectors[axis], MaximumDimension, measures.principalAxes[axis]);
  }
}

void
FinishMoments(const ComponentTable & table,
              std::size_t            component,
              const ProductSums &    products,
              ShapeMeasures &        measures)
{
  switch (table.extent.dimension)
  {
  case 1:
    FinishMomentsOf<1>(table, component, products, measures);
    break;
  case 2:
    FinishMomentsOf<2>(table, component, products, measures);
    break;
  case 3:
    FinishMomentsOf<3>(table, component, products, measures);
    break;
  default:
    FinishMomentsOf<4>(table, component, products, measures);
  }
}

void
MergeMoments(const MergeInput & input, ComponentTable & table)
{
  if (table.measures.Has<ShapeMeasures>())
  {
    return;
  }
  std::vector<ProductSums>   products(table.components.size());
  std::vector<ShapeMeasures> shapes(table.components.size());
  input.ForComponents([&](std::size_t c) {
    input.ForParts(c, [&](const PartRow & row) {
      ProductSums             own = row.table->measures.Of<ProductSums>()[row.place];
      const ComponentMeasures measures = row.table->components[row.place];
      own.Shift(measures.voxelCount, measures.indexSum, PartOffset(row, table).along);
      products[c].Merge(own);
    });
    FinishMoments(table, c, products[c], shapes[c]);
  });
  table.measures.Set(std::move(products));
  table.measures.Set(std::move(shapes));
}

} // namespace brickccl
