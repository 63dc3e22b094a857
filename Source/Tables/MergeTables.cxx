#include "BrickCCL/Measuring/MeasureGroups.h"
#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace brickccl
{

namespace
{

void
CheckMergeable(const ComponentTable & a, const ComponentTable & b)
{
  const int dimension = a.extent.dimension;
  bool      isSame = b.extent.dimension == dimension;
  for (int axis = 0; axis < dimension && isSame; ++axis)
  {
    isSame = a.geometry.spacing[axis] == b.geometry.spacing[axis] &&
             a.geometry.origin[axis] == b.geometry.origin[axis] &&
             std::equal(a.geometry.direction[axis], a.geometry.direction[axis] + dimension, b.geometry.direction[axis]);
  }
  if (!isSame)
  {
    throw InvalidArgument("the tables are of images of different dimension, spacing, origin or direction; the parts of "
                          "one image differ in nothing but their start index and extent");
  }
  if (a.hasIntensity != b.hasIntensity || a.hasPart != b.hasPart || !(a.groups == b.groups) ||
      a.sliceAxis != b.sliceAxis)
  {
    throw InvalidArgument(
      "the tables have different columns; both parts must be measured with the same groups and images");
  }
  if (!a.intensitySums.empty() && !b.intensitySums.empty() &&
      (a.intensitySums[0].isWhole != b.intensitySums[0].isWhole ||
       a.intensitySums[0].hasSquares != b.intensitySums[0].hasSquares))
  {
    throw InvalidArgument("the tables' intensities are of different types");
  }
}

/** The smallest box around both parts. */
void
UniteExtents(const ComponentTable & a, const ComponentTable & b, ComponentTable & united)
{
  united.extent = a.extent;
  united.geometry = a.geometry;
  for (int axis = 0; axis < a.extent.dimension; ++axis)
  {
    const std::int64_t startA = a.geometry.startIndex[axis];
    const std::int64_t startB = b.geometry.startIndex[axis];
    const std::int64_t start = std::min(startA, startB);
    united.geometry.startIndex[axis] = start;
    united.extent.size[axis] = std::max(startA + a.extent.size[axis], startB + b.extent.size[axis]) - start;
  }
}

/** One component of a part, with its measures as the united table counts them. */
struct PartComponent
{
  ComponentMeasures       measures;
  IntensitySums           intensity;
  ProductSums             products;
  double                  partDistance = std::numeric_limits<double>::quiet_NaN();
  std::vector<VoxelIndex> hull;
};

PartComponent
TakeComponent(const ComponentTable & part, std::size_t component, const ComponentTable & united)
{
  PartComponent taken;
  taken.measures = part.components[component];
  const std::size_t place = taken.measures.place;
  std::int64_t      offset[MaximumDimension] = {};
  for (int axis = 0; axis < part.extent.dimension; ++axis)
  {
    offset[axis] = part.geometry.startIndex[axis] - united.geometry.startIndex[axis];
  }
  if (!part.shapes.empty())
  {
    taken.products = part.shapes[place].products;
    taken.products.Shift(taken.measures.voxelCount, taken.measures.indexSum, offset);
  }
  std::int64_t rest = static_cast<std::int64_t>(taken.measures.firstVoxel);
  std::int64_t stride = 1;
  std::int64_t first = 0;
  for (int axis = 0; axis < part.extent.dimension; ++axis)
  {
    first += (rest % part.extent.size[axis] + offset[axis]) * stride;
    rest /= part.extent.size[axis];
    stride *= united.extent.size[axis];
    taken.measures.indexSum[axis] += static_cast<std::uint64_t>(offset[axis]) * taken.measures.voxelCount;
  }
  taken.measures.firstVoxel = static_cast<std::uint64_t>(first);
  if (part.hasIntensity)
  {
    taken.intensity = part.intensitySums[place];
  }
  if (part.hasPart)
  {
    taken.partDistance = part.partDistances[place];
  }
  if (part.groups.feret)
  {
    taken.hull = part.extents[place].hull;
    for (VoxelIndex & voxel : taken.hull)
    {
      std::transform(voxel.at, voxel.at + MaximumDimension, offset, voxel.at, std::plus<>());
    }
  }
  return taken;
}

void
MergeInto(PartComponent & one, PartComponent & other)
{
  one.intensity.Merge(one.measures.voxelCount, other.intensity, other.measures.voxelCount);
  one.products.Merge(other.products);
  one.measures.voxelCount += other.measures.voxelCount;
  one.measures.firstVoxel = std::min(one.measures.firstVoxel, other.measures.firstVoxel);
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    one.measures.indexSum[axis] += other.measures.indexSum[axis];
    one.measures.boxMinimum[axis] = std::min(one.measures.boxMinimum[axis], other.measures.boxMinimum[axis]);
    one.measures.boxMaximum[axis] = std::max(one.measures.boxMaximum[axis], other.measures.boxMaximum[axis]);
  }
  // fmin leaves "none" out.
  one.partDistance = std::fmin(one.partDistance, other.partDistance);
  one.hull.insert(one.hull.end(), other.hull.begin(), other.hull.end());
}

/** What a row of the united table is worked out from. */
ShapeSums
SumsOf(const ComponentMeasures & measures, const Geometry & geometry)
{
  ShapeSums sums;
  sums.voxels = measures.voxelCount;
  sums.firstVoxel = measures.firstVoxel;
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    sums.indexSum[axis] = measures.indexSum[axis];
    sums.minimum[axis] = measures.boxMinimum[axis] - geometry.startIndex[axis];
    sums.maximum[axis] = measures.boxMaximum[axis] - geometry.startIndex[axis];
  }
  return sums;
}

std::unordered_map<std::uint64_t, std::size_t>
PlacesOfLabels(const ComponentTable & table)
{
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (std::size_t c = 0; c < table.components.size(); ++c)
  {
    places[table.components.Label(c)] = c;
  }
  return places;
}

std::size_t
PlaceOf(const std::unordered_map<std::uint64_t, std::size_t> & places, std::uint64_t label, const char * part)
{
  const auto found = places.find(label);
  if (found == places.end())
  {
    throw InvalidArgument("a pair names the label " + std::to_string(label) + ", which the " + part +
                          " table does not have");
  }
  return found->second;
}

} // namespace

ComponentTable
MergeComponentTables(const ComponentTable &                                       a,
                     const ComponentTable &                                       b,
                     const std::vector<std::pair<std::uint64_t, std::uint64_t>> & pairs,
                     MergedLabels *                                               labels)
{
  CheckMergeable(a, b);
  ComponentTable united;
  UniteExtents(a, b, united);
  united.sliceAxis = a.sliceAxis;
  united.hasIntensity = a.hasIntensity;
  united.hasPart = a.hasPart;
  united.partTotals = { a.partTotals.voxels + b.partTotals.voxels,
                        a.partTotals.componentVoxels + b.partTotals.componentVoxels };
  united.groups.place = a.groups.place;
  united.groups.shape = a.groups.shape;
  united.groups.feret = a.groups.feret;

  // Which components become one: those of b come after those of a.
  std::vector<std::size_t> parent(a.components.size() + b.components.size());
  std::iota(parent.begin(), parent.end(), std::size_t{ 0 });
  const auto rootOf = [&parent](std::size_t node) {
    while (parent[node] != node)
    {
      node = parent[node] = parent[parent[node]];
    }
    return node;
  };
  const auto placesOfA = PlacesOfLabels(a);
  const auto placesOfB = PlacesOfLabels(b);
  for (const auto & [labelA, labelB] : pairs)
  {
    const std::size_t first = rootOf(PlaceOf(placesOfA, labelA, "first"));
    const std::size_t second = rootOf(a.components.size() + PlaceOf(placesOfB, labelB, "second"));
    parent[std::max(first, second)] = std::min(first, second);
  }

  std::vector<PartComponent> merged;
  std::vector<std::size_t>   placeOfRoot(parent.size());
  for (std::size_t node = 0; node < parent.size(); ++node)
  {
    const bool    isOfA = node < a.components.size();
    PartComponent component =
      isOfA ? TakeComponent(a, node, united) : TakeComponent(b, node - a.components.size(), united);
    const std::size_t root = rootOf(node);
    if (root == node)
    {
      placeOfRoot[node] = merged.size();
      merged.push_back(std::move(component));
    }
    else
    {
      MergeInto(merged[placeOfRoot[root]], component);
    }
  }
  for (std::size_t c = 0; c < merged.size(); ++c)
  {
    merged[c].measures.place = c;
  }
  std::sort(merged.begin(), merged.end(), [](const PartComponent & x, const PartComponent & y) {
    return x.measures.firstVoxel < y.measures.firstVoxel;
  });
  if (labels)
  {
    std::vector<std::uint64_t> labelOfPlace(merged.size());
    for (std::size_t c = 0; c < merged.size(); ++c)
    {
      labelOfPlace[merged[c].measures.place] = c + 1;
    }
    *labels = {};
    for (std::size_t node = 0; node < parent.size(); ++node)
    {
      (node < a.components.size() ? labels->ofFirst : labels->ofSecond)
        .push_back(labelOfPlace[placeOfRoot[rootOf(node)]]);
    }
  }

  UninitializedVector<ShapeSums>         sums;
  std::vector<IntensityMeasures> intensities;
  for (const PartComponent & component : merged)
  {
    sums.push_back(SumsOf(component.measures, united.geometry));
    if (united.hasIntensity)
    {
      united.intensitySums.push_back(component.intensity);
      intensities.push_back(component.intensity.Measures(component.measures.voxelCount));
    }
  }
  united.components = ComponentRows(united.extent, united.geometry, std::move(sums));
  united.components.SetIntensities(std::move(intensities));
  for (std::size_t c = 0; c < merged.size(); ++c)
  {
    PartComponent & component = merged[c];
    if (!a.shapes.empty() || !b.shapes.empty())
    {
      united.shapes.push_back(ShapeMeasures());
      united.shapes.back().products = component.products;
      FinishMoments(united, c);
    }
    if (united.hasPart)
    {
      united.partDistances.push_back(component.partDistance);
    }
    if (united.groups.feret)
    {
      united.extents.emplace_back();
      united.extents.back().hull = std::move(component.hull);
      FinishExtent(united, c);
    }
  }
  return united;
}

} // namespace brickccl
