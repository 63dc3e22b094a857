#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace brickccl
{
namespace
{

using Index = std::array<std::int64_t, 3>;

const Device cpu{ Device::Kind::Cpu, 0 };

/** Labels in touching and separate pieces: cubes of a few values. */
std::vector<std::uint16_t>
RandomLabels(const Extent & extent, int grain, int values, double background, std::uint64_t seed)
{
  std::vector<std::uint16_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    const auto         place = static_cast<std::int64_t>(i);
    const std::int64_t cell = place % extent.size[0] / grain +
                              1000 * (place / extent.size[0] % extent.size[1] / grain) +
                              1000000 * (place / extent.size[0] / extent.size[1] / grain);
    const auto at = static_cast<std::uint64_t>(cell);
    labels[i] = UniformOf(seed, at) < background
                ? std::uint16_t{ 0 }
                : static_cast<std::uint16_t>(1 + HashOf(seed + 1, at) % static_cast<std::uint64_t>(values));
  }
  return labels;
}

Geometry
Anisotropic()
{
  Geometry geometry;
  geometry.spacing[0] = 0.5;
  geometry.spacing[1] = 1.25;
  geometry.spacing[2] = 2;
  geometry.origin[0] = 3;
  geometry.startIndex[1] = -7;
  // Turned by 30 degrees about z.
  geometry.direction[0][0] = geometry.direction[1][1] = std::sqrt(3.0) / 2;
  geometry.direction[0][1] = -0.5;
  geometry.direction[1][0] = 0.5;
  return geometry;
}

std::map<std::uint64_t, std::vector<Index>>
VoxelsOf(const Extent & extent, const std::vector<std::uint16_t> & labels)
{
  std::map<std::uint64_t, std::vector<Index>> voxels;
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    const auto place = static_cast<std::int64_t>(i);
    if (labels[i] != 0)
    {
      voxels[labels[i]].push_back(
        { place % extent.size[0], place / extent.size[0] % extent.size[1], place / extent.size[0] / extent.size[1] });
    }
  }
  return voxels;
}

ComponentTable
MeasureLabels(const Extent &                     extent,
              const std::vector<std::uint16_t> & labels,
              const std::string &                groups,
              const Geometry &                   geometry = {},
              int                                threads = 0)
{
  MeasureOptions options;
  options.groups = ColumnGroups::FromNames(groups);
  HostContext context;
  context.threads = threads;
  context.grain = 64;
  RunVolume volume;
  return MeasureLabelImage(ImageView(labels.data(), extent), geometry, options, context, volume);
}

std::vector<std::uint16_t>
Filled(const Extent & extent, bool (*isInside)(double, double, double))
{
  std::vector<std::uint16_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    const auto place = static_cast<std::int64_t>(i);
    labels[i] = isInside(static_cast<double>(place % extent.size[0]),
                         static_cast<double>(place / extent.size[0] % extent.size[1]),
                         static_cast<double>(place / extent.size[0] / extent.size[1]))
                ? 1
                : 0;
  }
  return labels;
}

/** Counts the closed boxes' elements: a cell has even coordinates where it is thin. */
std::int64_t
EulerOfClosedBoxes(const std::vector<Index> & voxels, int dimension)
{
  std::set<Index> cells;
  for (const Index & voxel : voxels)
  {
    for (int part = 0; part < 27; ++part)
    {
      const Index step{ part % 3 - 1, part / 3 % 3 - 1, part / 9 - 1 };
      if ((dimension == 2 && step[2] != 0) || (dimension == 1 && (step[2] != 0 || step[1] != 0)))
      {
        continue;
      }
      cells.insert({ 2 * voxel[0] + 1 + step[0], 2 * voxel[1] + 1 + step[1], 2 * voxel[2] + 1 + step[2] });
    }
  }
  std::int64_t euler = 0;
  for (const Index & cell : cells)
  {
    int thick = 0;
    for (int axis = 0; axis < dimension; ++axis)
    {
      thick += cell[static_cast<std::size_t>(axis)] % 2 != 0 ? 1 : 0;
    }
    euler += thick % 2 == 0 ? 1 : -1;
  }
  return euler;
}

/** Voxels, pairs, squares and cubes of voxels that join through faces. */
std::int64_t
EulerOfFaceNeighbours(const std::vector<Index> & voxels, int dimension)
{
  const std::set<Index> set(voxels.begin(), voxels.end());
  std::int64_t          euler = 0;
  for (const Index & voxel : voxels)
  {
    for (int block = 0; block < 1 << dimension; ++block)
    {
      bool isFull = true;
      int  thick = 0;
      for (int corner = 0; corner < 1 << dimension; ++corner)
      {
        if ((corner & ~block) == 0)
        {
          isFull =
            isFull &&
            set.count({ voxel[0] + (corner & 1), voxel[1] + (corner >> 1 & 1), voxel[2] + (corner >> 2 & 1) }) > 0;
        }
      }
      for (int axis = 0; axis < dimension; ++axis)
      {
        thick += block >> axis & 1;
      }
      euler += isFull ? (thick % 2 == 0 ? 1 : -1) : 0;
    }
  }
  return euler;
}

TEST(Topology, EulerNumbersEqualTheCountsOfElements)
{
  for (const Extent & extent : { Extent{ 70, 12, 9 }, Extent{ 66, 40 }, Extent{ 200 } })
  {
    for (const int grain : { 1, 2 })
    {
      const auto labels = RandomLabels(extent, grain, 4, 0.35, static_cast<std::uint64_t>(grain));
      const auto table = MeasureLabels(extent, labels, "topology");
      const auto voxels = VoxelsOf(extent, labels);
      ASSERT_EQ(table.measures.Of<TopologyMeasures>().size(), voxels.size());
      for (std::size_t c = 0; c < table.components.size(); ++c)
      {
        const auto & own = voxels.at(table.components[c].label);
        EXPECT_EQ(table.measures.Of<TopologyMeasures>()[c].eulerFull, EulerOfClosedBoxes(own, extent.dimension))
          << extent.ToString();
        EXPECT_EQ(table.measures.Of<TopologyMeasures>()[c].eulerFace, EulerOfFaceNeighbours(own, extent.dimension))
          << extent.ToString();
      }
    }
  }
}

/** Two voxels that touch and differ, in a corner of an image that has nothing near it, so that the image's neighbours
 *  are not all of one component. */
void
AddTouchingPair(const Extent & extent, std::vector<std::uint16_t> & labels)
{
  const auto         last = labels.size() - 1;
  const std::int64_t before = extent.size[2] > 1 ? extent.size[0] * extent.size[1]
                            : extent.size[1] > 1 ? extent.size[0]
                                                 : 1;
  labels[last] = 65534;
  labels[last - static_cast<std::size_t>(before)] = 65535;
}

TEST(Measures, AreTheSameByRunsAndByBits)
{
  // Rows that end with a word, and others.
  for (const Extent & extent : { Extent{ 64, 20, 12 },
                                 Extent{ 128, 9, 14 },
                                 Extent{ 577, 11, 10 },
                                 Extent{ 1, 40, 30 },
                                 Extent{ 90, 1, 30 },
                                 Extent{ 640, 30 },
                                 Extent{ 65, 40 },
                                 Extent{ 700 } })
  {
    for (const int grain : { 1, 3 })
    {
      auto voxels = MakeRandom(extent, grain == 1 ? 0.08 : 0.1, grain, 5 + static_cast<std::uint64_t>(grain));
      // Nothing near the last voxels.
      for (std::size_t i = 0; i < voxels.size(); ++i)
      {
        const auto place = static_cast<std::int64_t>(i);
        const bool isLast[] = { place % extent.size[0] >= extent.size[0] - 3,
                                place / extent.size[0] % extent.size[1] >= extent.size[1] - 3,
                                place / extent.size[0] / extent.size[1] >= extent.size[2] - 3 };
        voxels[i] = isLast[0] && isLast[1] && isLast[2] ? std::uint8_t{ 0 } : voxels[i];
      }
      for (const bool isFull : { true, false })
      {
        LabelOptions options;
        options.device = cpu;
        options.connectivity = isFull ? Connectivity::Full(extent.dimension) : Connectivity::Face(extent.dimension);
        // Those that are removed still touch others where the connectivity is not full.
        options.relabel.minimumSize = grain == 1 ? 2 : 0;
        const Labeling             labeling = Label(ImageView(voxels.data(), extent), options);
        std::vector<std::uint16_t> labels(voxels.size());
        labeling.Write(labels.data());
        const auto ofLabeling = labeling.Measure({ {}, ColumnGroups::FromNames("surface,topology") });
        const auto ofImage = MeasureLabels(extent, labels, "surface,topology");
        AddTouchingPair(extent, labels);
        const auto byRuns = MeasureLabels(extent, labels, "surface,topology");
        ASSERT_GT(ofLabeling.components.size(), 1u) << extent.ToString();
        ASSERT_EQ(byRuns.components.size(), ofLabeling.components.size() + 2);
        for (std::size_t c = 0; c < ofLabeling.components.size(); ++c)
        {
          for (const ComponentTable * const table : { &ofLabeling, &ofImage })
          {
            ASSERT_EQ(table->measures.Of<SurfaceMeasures>()[c].faces, byRuns.measures.Of<SurfaceMeasures>()[c].faces)
              << extent.ToString() << ' ' << c;
            ASSERT_EQ(table->measures.Of<SurfaceMeasures>()[c].crofton,
                      byRuns.measures.Of<SurfaceMeasures>()[c].crofton)
              << extent.ToString() << ' ' << c;
            ASSERT_EQ(table->measures.Of<TopologyMeasures>()[c].eulerFull,
                      byRuns.measures.Of<TopologyMeasures>()[c].eulerFull)
              << extent.ToString() << ' ' << c;
            ASSERT_EQ(table->measures.Of<TopologyMeasures>()[c].eulerFace,
                      byRuns.measures.Of<TopologyMeasures>()[c].eulerFace)
              << extent.ToString() << ' ' << c;
          }
        }
      }
    }
  }
}

/** Whether all neighbours among the foreground have the same label. */
bool
NeighboursAreSame(const Extent & extent, const std::vector<std::uint16_t> & labels)
{
  const std::int64_t nx = extent.size[0];
  const std::int64_t ny = extent.size[1];
  const std::int64_t nz = extent.size[2];
  const auto         at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz
                   ? std::uint16_t{ 0 }
                   : labels[static_cast<std::size_t>((z * ny + y) * nx + x)];
  };
  for (std::int64_t place = 0; place < extent.VoxelCount(); ++place)
  {
    const std::int64_t x = place % nx;
    const std::int64_t y = place / nx % ny;
    const std::int64_t z = place / nx / ny;
    for (int step = 0; step < 27 && at(x, y, z) != 0; ++step)
    {
      const std::uint16_t other = at(x + step % 3 - 1, y + step / 3 % 3 - 1, z + step / 9 - 1);
      if (other != 0 && other != at(x, y, z))
      {
        return false;
      }
    }
  }
  return true;
}

TEST(Measures, KnowWhetherNeighboursAreOfOneComponent)
{
  int joined = 0;
  int trials = 0;
  for (const Extent & extent : { Extent{ 70, 12, 9 }, Extent{ 600, 7, 5 }, Extent{ 1, 20, 30 }, Extent{ 66, 40 } })
  {
    for (std::uint64_t seed = 0; seed < 60; ++seed)
    {
      auto         voxels = MakeRandom(extent, 0.08, 1 + static_cast<int>(seed % 3), 100 + seed);
      LabelOptions options;
      options.device = cpu;
      options.connectivity = Connectivity::Full(extent.dimension);
      const Labeling             labeling = Label(ImageView(voxels.data(), extent), options);
      std::vector<std::uint16_t> labels(voxels.size());
      labeling.Write(labels.data());
      // Of most, one voxel is another component's: next to its own one, or alone.
      if (seed % 4 != 0)
      {
        labels[static_cast<std::size_t>(seed * 7919) % labels.size()] = 60000;
      }
      for (const int threads : { 1, 3 })
      {
        HostContext context{ threads };
        context.grain = 100;
        RunVolume volume;
        MeasureLabelImage(ImageView(labels.data(), extent), {}, {}, context, volume);
        const bool expected = NeighboursAreSame(extent, labels);
        ASSERT_EQ(TouchingRunsAreJoined(volume, context), expected) << extent.ToString() << ", seed " << seed;
        joined += expected ? 1 : 0;
        ++trials;
      }
    }
  }
  EXPECT_GT(joined, trials / 5);
  EXPECT_LT(joined, trials - trials / 5);
}

TEST(Topology, OfSolidsWithHolesAndCavities)
{
  const Extent                                                extent{ 40, 40, 40 };
  const auto                                                  ball = Filled(extent, [](double x, double y, double z) {
    return (x - 20) * (x - 20) + (y - 20) * (y - 20) + (z - 20) * (z - 20) < 200;
  });
  const auto                                                  shell = Filled(extent, [](double x, double y, double z) {
    const double square = (x - 20) * (x - 20) + (y - 20) * (y - 20) + (z - 20) * (z - 20);
    return square < 200 && square > 60;
  });
  const auto                                                  torus = Filled(extent, [](double x, double y, double z) {
    const double ring = std::sqrt((x - 20) * (x - 20) + (y - 20) * (y - 20)) - 12;
    return ring * ring + (z - 20) * (z - 20) < 16;
  });
  const std::pair<const std::vector<std::uint16_t> *, double> solids[] = { { &ball, 1 }, { &shell, 2 }, { &torus, 0 } };
  for (const auto & [labels, euler] : solids)
  {
    const auto table = MeasureLabels(extent, *labels, "topology");
    EXPECT_EQ(ValueOf(table, 0, "euler_number_26"), euler);
    EXPECT_EQ(ValueOf(table, 0, "euler_number_6"), euler);
    EXPECT_EQ(ValueOf(table, 0, "tunnels_less_cavities_26"), 1 - euler);
  }
  // Two squares that touch in a corner: one piece, or two; a frame has a hole.
  const std::vector<std::uint16_t> corner{ 1, 0, 0, 1 };
  const auto                       pair = MeasureLabels({ 2, 2 }, corner, "topology");
  EXPECT_EQ(ValueOf(pair, 0, "euler_number_8"), 1);
  EXPECT_EQ(ValueOf(pair, 0, "euler_number_4"), 2);
  const std::vector<std::uint16_t> frame{ 1, 1, 1, 1, 0, 1, 1, 1, 1 };
  EXPECT_EQ(ValueOf(MeasureLabels({ 3, 3 }, frame, "topology"), 0, "holes_8"), 1);
}

/** All corners of a component's voxels, taken as boxes, as physical points. */
std::vector<std::array<double, 3>>
CornersOf(const std::vector<Index> & voxels, const Geometry & geometry, int dimension, double half = 0.5)
{
  std::vector<std::array<double, 3>> corners;
  for (const Index & voxel : voxels)
  {
    for (int corner = 0; corner < 1 << dimension; ++corner)
    {
      double index[3];
      for (int axis = 0; axis < 3; ++axis)
      {
        index[axis] = static_cast<double>(voxel[static_cast<std::size_t>(axis)]) + (corner >> axis & 1 ? half : -half);
      }
      std::array<double, 3> point{};
      geometry.IndexToPhysical(dimension, index, point.data());
      corners.push_back(point);
    }
  }
  return corners;
}

double
Distance(const std::array<double, 3> & a, const std::array<double, 3> & b)
{
  return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

void
CheckExtents(const Extent & extent, const std::vector<std::uint16_t> & labels, const Geometry & geometry)
{
  const auto table = MeasureLabels(extent, labels, "feret,shape", geometry);
  const auto voxels = VoxelsOf(extent, labels);
  ASSERT_GT(table.components.size(), 1u);
  for (std::size_t c = 0; c < table.components.size(); ++c)
  {
    const auto & own = voxels.at(table.components[c].label);
    const auto   centres = CornersOf(own, geometry, extent.dimension, 0);
    double       feret = 0;
    for (std::size_t i = 0; i < centres.size(); i += std::size_t{ 1 } << extent.dimension)
    {
      for (std::size_t j = 0; j < i; j += std::size_t{ 1 } << extent.dimension)
      {
        feret = std::max(feret, Distance(centres[i], centres[j]));
      }
    }
    EXPECT_NEAR(table.measures.Of<ExtentMeasures>()[c].feretDiameter, feret, 1e-12 * feret);

    const auto            corners = CornersOf(own, geometry, extent.dimension);
    std::array<double, 3> centre{};
    std::copy_n(table.measures.Of<ExtentMeasures>()[c].enclosingCentre, extent.dimension, centre.begin());
    const double                       radius = table.measures.Of<ExtentMeasures>()[c].enclosingDiameter / 2;
    std::vector<std::array<double, 3>> support;
    for (const auto & corner : corners)
    {
      EXPECT_LE(Distance(corner, centre), radius * (1 + 1e-9));
      if (Distance(corner, centre) > radius * (1 - 1e-9))
      {
        support.push_back(corner);
      }
    }
    // The ball is the smallest one if its centre cannot move away from no matter which side's support.
    for (std::uint64_t trial = 0; trial < 500; ++trial)
    {
      double best = -1e30;
      for (const auto & corner : support)
      {
        double along = 0;
        for (std::size_t axis = 0; axis < static_cast<std::size_t>(extent.dimension); ++axis)
        {
          along += (UniformOf(trial, axis) - 0.5) * (corner[axis] - centre[axis]);
        }
        best = std::max(best, along);
      }
      EXPECT_GE(best, -1e-6 * radius);
    }
    const auto & axes = table.measures.Of<ShapeMeasures>()[table.components[c].place].principalAxes;
    for (int i = 0; i < extent.dimension; ++i)
    {
      double low = 1e30, high = -1e30, middle = 0;
      for (const auto & corner : corners)
      {
        double along = 0;
        for (int axis = 0; axis < extent.dimension; ++axis)
        {
          along += axes[i][axis] * corner[static_cast<std::size_t>(axis)];
        }
        low = std::min(low, along);
        high = std::max(high, along);
      }
      for (int axis = 0; axis < extent.dimension; ++axis)
      {
        middle += axes[i][axis] * table.measures.Of<ExtentMeasures>()[c].orientedCentre[axis];
      }
      EXPECT_NEAR(table.measures.Of<ExtentMeasures>()[c].orientedSize[i], high - low, 1e-10);
      EXPECT_NEAR(middle, (low + high) / 2, 1e-10);
    }
  }
}

TEST(Extents, EqualTheSearchOverAllVoxels)
{
  CheckExtents({ 40, 13, 9 }, RandomLabels({ 40, 13, 9 }, 2, 30, 0.7, 3), Anisotropic());
  CheckExtents({ 40, 13, 9 }, RandomLabels({ 40, 13, 9 }, 3, 900, 0.5, 4), Geometry{});
  CheckExtents({ 50, 31 }, RandomLabels({ 50, 31 }, 2, 40, 0.6, 5), Anisotropic());
  CheckExtents({ 64 }, RandomLabels({ 64 }, 2, 5, 0.6, 6), Geometry{});
}

TEST(Extents, OfBallsBoxesAndSingleVoxels)
{
  const Extent extent{ 64, 64, 64 };
  const auto   ball = Filled(extent, [](double x, double y, double z) {
    return (x - 32) * (x - 32) + (y - 32) * (y - 32) + (z - 32) * (z - 32) < 29 * 29;
  });
  const auto   table = MeasureLabels(extent, ball, "feret,inscribed,thickness");
  EXPECT_NEAR(table.measures.Of<ExtentMeasures>()[0].feretDiameter, 58, 1);
  EXPECT_NEAR(table.measures.Of<ExtentMeasures>()[0].enclosingDiameter, 58, 2);
  EXPECT_GE(table.measures.Of<ExtentMeasures>()[0].enclosingDiameter,
            table.measures.Of<ExtentMeasures>()[0].feretDiameter);
  // A voxel outside is nearer with its corner than with its centre, by up to half a diagonal.
  EXPECT_GE(table.measures.Of<ThicknessMeasures>()[0].inscribedDiameter, 58 - std::sqrt(3.0));
  EXPECT_LE(table.measures.Of<ThicknessMeasures>()[0].inscribedDiameter, 58);
  EXPECT_LE(table.measures.Of<ThicknessMeasures>()[0].meanLocal,
            table.measures.Of<ThicknessMeasures>()[0].inscribedDiameter);
  EXPECT_GE(table.measures.Of<ThicknessMeasures>()[0].meanLocal, 0.9 * 58);
  // All of a box's measures are its sides and diagonals.
  const auto box = Filled(extent, [](double x, double y, double z) {
    return x >= 3 && x < 13 && y >= 5 && y < 25 && z >= 2 && z < 42;
  });
  Geometry   geometry;
  geometry.spacing[1] = 0.25;
  const auto boxes = MeasureLabels(extent, box, "feret,inscribed", geometry);
  EXPECT_DOUBLE_EQ(boxes.measures.Of<ExtentMeasures>()[0].enclosingDiameter, std::sqrt(100.0 + 25 + 1600));
  EXPECT_DOUBLE_EQ(boxes.measures.Of<ExtentMeasures>()[0].feretDiameter, std::sqrt(81 + 19 * 19 / 16.0 + 39 * 39));
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "oriented_box_size_1_mm"), 5);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "oriented_box_size_2_mm"), 10);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "oriented_box_size_3_mm"), 40);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "enclosing_sphere_x_mm"), 7.5);
  EXPECT_DOUBLE_EQ(ValueOf(boxes, 0, "oriented_box_y_mm"), 14.5 * 0.25);
  EXPECT_NEAR(ValueOf(boxes, 0, "inscribed_sphere_diameter_mm"), 4.75, 1e-6) << "around a voxel's centre";
  std::vector<std::uint16_t> single(64 * 64 * 64);
  single[70000] = 9;
  const auto one = MeasureLabels(extent, single, "feret,inscribed,thickness,topology,neighbours,surface,shape,place");
  EXPECT_EQ(one.measures.Of<ExtentMeasures>()[0].feretDiameter, 0);
  EXPECT_DOUBLE_EQ(one.measures.Of<ExtentMeasures>()[0].enclosingDiameter, std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(ValueOf(one, 0, "oriented_box_size_2_mm"), 1);
  EXPECT_DOUBLE_EQ(one.measures.Of<ThicknessMeasures>()[0].inscribedDiameter, 1);
  EXPECT_DOUBLE_EQ(one.measures.Of<ThicknessMeasures>()[0].meanLocal, 1);
  EXPECT_TRUE(std::isnan(one.measures.Of<NeighbourMeasures>()[0].distance));
  EXPECT_EQ(one.measures.Of<NeighbourMeasures>()[0].nearest, 0u);
  EXPECT_EQ(one.measures.Of<TopologyMeasures>()[0].eulerFace, 1);
  for (const ComponentColumn & column : ColumnsOf(one))
  {
    const double value = ValueOf(one, 0, column.name);
    EXPECT_TRUE(std::isfinite(value) || column.name == "nearest_distance_mm") << column.name;
  }
}

/** An ellipsoid with semi-axes of 5 : 3 : 2 parts of `largest` voxels, turned about two axes. */
std::vector<std::uint16_t>
TurnedEllipsoid(const Extent & extent, double largest)
{
  std::vector<std::uint16_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  const double               c = std::cos(0.7), s = std::sin(0.7), d = std::cos(0.4), t = std::sin(0.4);
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    const auto   place = static_cast<std::int64_t>(i);
    const double x = static_cast<double>(place % extent.size[0]) - static_cast<double>(extent.size[0]) / 2 + 0.3;
    const double y =
      static_cast<double>(place / extent.size[0] % extent.size[1]) - static_cast<double>(extent.size[1]) / 2 + 0.1;
    const double z =
      static_cast<double>(place / extent.size[0] / extent.size[1]) - static_cast<double>(extent.size[2]) / 2 - 0.2;
    const double u = c * x + s * y;
    const double v = d * (-s * x + c * y) + t * z;
    const double w = -t * (-s * x + c * y) + d * z;
    const double a = u / largest, b = v / (0.6 * largest), e = w / (0.4 * largest);
    labels[i] = a * a + b * b + e * e <= 1 ? 1 : 0;
  }
  return labels;
}

TEST(Measures, OfTurnedEllipsoidsConvergeToTheSolids)
{
  double lastError = 1;
  for (const double largest : { 10.0, 20.0, 40.0 })
  {
    const auto   side = static_cast<std::int64_t>(2 * largest + 6);
    const Extent extent{ side, side, side };
    const auto   table =
      MeasureLabels(extent, TurnedEllipsoid(extent, largest), "shape,feret,surface,topology,inscribed");
    ASSERT_EQ(table.components.size(), 1u);
    const double semi[3] = { 0.4 * largest, 0.6 * largest, largest };
    double       error = std::abs(ValueOf(table, 0, "volume_mm3") / (4 * M_PI / 3 * semi[0] * semi[1] * semi[2]) - 1);
    for (int i = 0; i < 3; ++i)
    {
      const std::string number = std::to_string(i + 1);
      error = std::max(error, std::abs(ValueOf(table, 0, "axis_length_" + number + "_mm") / (2 * semi[i]) - 1));
      // Voxels whose centres lie inside reach at most half a diagonal beyond the surface.
      EXPECT_NEAR(ValueOf(table, 0, "oriented_box_size_" + number + "_mm"), 2 * semi[i], 2 * std::sqrt(3.0));
    }
    EXPECT_NEAR(ValueOf(table, 0, "feret_diameter_mm"), 2 * largest, 1);
    EXPECT_NEAR(ValueOf(table, 0, "enclosing_sphere_diameter_mm"), 2 * largest, 2);
    EXPECT_NEAR(ValueOf(table, 0, "inscribed_sphere_diameter_mm"), 2 * semi[0], 2 * std::sqrt(3.0));
    EXPECT_EQ(ValueOf(table, 0, "euler_number_26"), 1);
    // Knud Thomsen's formula, within 1.1 %.
    const auto   power = [](double x) { return std::pow(x, 1.6075); };
    const double surface =
      4 * M_PI *
      std::pow((power(semi[0] * semi[1]) + power(semi[0] * semi[2]) + power(semi[1] * semi[2])) / 3, 1 / 1.6075);
    EXPECT_NEAR(ValueOf(table, 0, "surface_area_mm2"), surface, 0.04 * surface);
    EXPECT_LT(error, 0.25 / largest) << "falls at least as one over the size";
    EXPECT_LT(error, lastError);
    lastError = error;
  }
}

/** A solid of the size 1 around the origin, inside the ball of radius 1. */
struct Solid
{
  const char * name;
  bool (*isInside)(double, double, double);
  double volume;
  double moments[3];
};

bool
InBall(double x, double y, double z)
{
  return x * x + y * y + z * z <= 1;
}

bool
InEllipsoid(double x, double y, double z)
{
  return x * x + y * y / 0.36 + z * z / 0.16 <= 1;
}

bool
InBox(double x, double y, double z)
{
  return std::abs(x) <= 0.8 && std::abs(y) <= 0.5 && std::abs(z) <= 0.3;
}

bool
InTorus(double x, double y, double z)
{
  const double ring = std::sqrt(x * x + y * y) - 0.7;
  return ring * ring + z * z <= 0.09;
}

const Solid Solids[] = {
  { "ball", InBall, M_PI * 4 / 3, { 0.2, 0.2, 0.2 } },
  { "ellipsoid", InEllipsoid, M_PI * 4 / 3 * 0.6 * 0.4, { 0.16 / 5, 0.36 / 5, 0.2 } },
  { "box", InBox, 8 * 0.8 * 0.5 * 0.3, { 0.09 / 3, 0.25 / 3, 0.64 / 3 } },
  { "torus", InTorus, 2 * 0.7 * 0.09 * M_PI * M_PI, { 0.09 / 4, (0.49 + 0.75 * 0.09) / 2, (0.49 + 0.75 * 0.09) / 2 } }
};

/** The solid, `size` voxels large, turned about two axes and anywhere between the voxels. */
std::vector<std::uint16_t>
Sampled(const Solid & solid, const Extent & extent, double size, std::uint64_t seed)
{
  const double c = std::cos(0.7), s = std::sin(0.7), d = std::cos(0.4), t = std::sin(0.4);
  double       centre[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    centre[axis] = static_cast<double>(extent.size[axis]) / 2 - 1 + UniformOf(seed, static_cast<std::uint64_t>(axis));
  }
  std::vector<std::uint16_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < labels.size(); ++i)
  {
    const auto   place = static_cast<std::int64_t>(i);
    const double x = (static_cast<double>(place % extent.size[0]) - centre[0]) / size;
    const double y = (static_cast<double>(place / extent.size[0] % extent.size[1]) - centre[1]) / size;
    const double z = (static_cast<double>(place / extent.size[0] / extent.size[1]) - centre[2]) / size;
    const double v = -s * x + c * y;
    labels[i] = solid.isInside(c * x + s * y, d * v + t * z, -t * v + d * z) ? 1 : 0;
  }
  return labels;
}

TEST(Measures, ConvergeAtTheirKnownRates)
{
  // The number of lattice points in a convex solid with a curved surface is off by R, the square root of the surface,
  // where the solid of the size R lies anywhere (Kendall, On the number of lattice points inside a random oval, 1948):
  // volumes and second moments are off by R^-2 of themselves. Where planes touch the solid along faces (the box) or
  // circles (the torus) the rate is reached late. Lengths are off by a voxel or two, R^-1.
  for (const Solid & solid : Solids)
  {
    double           sumX = 0, sumXX = 0;
    double           sumY[2] = {}, sumXY[2] = {};
    constexpr double sizes[] = { 7, 14, 28, 56 };
    for (const double size : sizes)
    {
      const auto    side = static_cast<std::int64_t>(2 * size + 5);
      const Extent  extent{ side, side, side };
      double        squares[2] = {};
      constexpr int positions = 8;
      for (std::uint64_t seed = 0; seed < positions; ++seed)
      {
        const auto table = MeasureLabels(extent, Sampled(solid, extent, size, seed), "shape,feret");
        ASSERT_EQ(table.components.size(), 1u);
        const double volume = ValueOf(table, 0, "volume_mm3") / (solid.volume * size * size * size) - 1;
        squares[0] += volume * volume / positions;
        for (int axis = 0; axis < 3; ++axis)
        {
          const std::string column = "principal_moment_" + std::to_string(axis + 1) + "_mm2";
          const double      moment = ValueOf(table, 0, column) / (solid.moments[axis] * size * size) - 1;
          squares[1] += moment * moment / (3 * positions);
        }
        const double reach = std::string(solid.name) == "box" ? std::sqrt(0.64 + 0.25 + 0.09) : 1;
        EXPECT_NEAR(ValueOf(table, 0, "feret_diameter_mm"), 2 * reach * size, 2) << solid.name << " of " << size;
        EXPECT_NEAR(ValueOf(table, 0, "enclosing_sphere_diameter_mm"), 2 * reach * size, 2)
          << solid.name << " of " << size;
      }
      sumX += std::log(size);
      sumXX += std::log(size) * std::log(size);
      for (int i = 0; i < 2; ++i)
      {
        const double error = std::log(squares[i]) / 2;
        sumY[i] += error;
        sumXY[i] += error * std::log(size);
      }
    }
    const bool isRound = std::string(solid.name) == "ball" || std::string(solid.name) == "ellipsoid";
    for (int i = 0; i < 2; ++i)
    {
      const double rate = (4 * sumXY[i] - sumX * sumY[i]) / (4 * sumXX - sumX * sumX);
      if (isRound)
      {
        EXPECT_NEAR(rate, -2, 0.3) << solid.name;
      }
      else
      {
        EXPECT_LT(rate, -1.5) << solid.name;
      }
    }
  }
}

TEST(Measures, OfATorus)
{
  const Extent extent{ 100, 100, 40 };
  const auto   torus = Filled(extent, [](double x, double y, double z) {
    // Off the lattice, whose points would lie on the surface by the dozen.
    const double ring = std::sqrt((x - 50.3) * (x - 50.3) + (y - 49.8) * (y - 49.8)) - 32;
    return ring * ring + (z - 20.4) * (z - 20.4) < 100;
  });
  const auto   table = MeasureLabels(extent, torus, "surface,topology,inscribed,shape");
  EXPECT_NEAR(ValueOf(table, 0, "volume_mm3"), 2 * M_PI * M_PI * 32 * 100, 0.005 * 2 * M_PI * M_PI * 32 * 100);
  EXPECT_NEAR(ValueOf(table, 0, "surface_area_mm2"), 4 * M_PI * M_PI * 32 * 10, 0.03 * 4 * M_PI * M_PI * 32 * 10);
  EXPECT_NEAR(ValueOf(table, 0, "inscribed_sphere_diameter_mm"), 20, 2 * std::sqrt(3.0));
  EXPECT_EQ(ValueOf(table, 0, "tunnels_less_cavities_26"), 1);
  EXPECT_NEAR(ValueOf(table, 0, "principal_moment_1_mm2"), 25, 0.5) << "r^2 / 4";
}

/** The squared distance from a voxel's centre (or its box) to another voxel's box. */
double
SquaredGap(const Index & a, const Index & b, const Geometry & geometry, double own)
{
  double square = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const double apart = static_cast<double>(std::abs(a[axis] - b[axis])) - 0.5 - own;
    square += apart > 0 ? apart * apart * geometry.spacing[axis] * geometry.spacing[axis] : 0;
  }
  return square;
}

TEST(Thickness, EqualsTheSearchOverAllVoxels)
{
  for (const Extent & extent : { Extent{ 22, 14, 9 }, Extent{ 40, 25 } })
  {
    const Geometry geometry = Anisotropic();
    const auto     labels = RandomLabels(extent, 5, 3, 0.3, 11);
    const auto     table = MeasureLabels(extent, labels, "thickness", geometry);
    const auto     at = [&](const Index & index) {
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        if (index[axis] < 0 || index[axis] >= extent.size[axis])
        {
          return extent.dimension == 2 && axis == 2 ? std::uint16_t{ 0 } : std::uint16_t{ 9999 };
        }
      }
      return labels[static_cast<std::size_t>((index[2] * extent.size[1] + index[1]) * extent.size[0] + index[0])];
    };
    for (const auto & [label, voxels] : VoxelsOf(extent, labels))
    {
      std::vector<double> squares;
      for (const Index & voxel : voxels)
      {
        double least = 1e30;
        for (std::int64_t z = -1; z <= extent.size[2]; ++z)
        {
          for (std::int64_t y = -1; y <= extent.size[1]; ++y)
          {
            for (std::int64_t x = -1; x <= extent.size[0]; ++x)
            {
              const bool isBeyond = extent.dimension == 2 && z != 0;
              if (!isBeyond && at({ x, y, z }) != label)
              {
                least = std::min(least, SquaredGap(voxel, { x, y, z }, geometry, 0));
              }
            }
          }
        }
        squares.push_back(least);
      }
      double mean = 0;
      double largest = 0;
      for (const Index & voxel : voxels)
      {
        double best = 0;
        for (std::size_t i = 0; i < voxels.size(); ++i)
        {
          double distance = 0;
          for (std::size_t axis = 0; axis < 3; ++axis)
          {
            const double length = static_cast<double>(voxel[axis] - voxels[i][axis]) * geometry.spacing[axis];
            distance += length * length;
          }
          best = distance < squares[i] * (1 - 1e-9) ? std::max(best, squares[i]) : best;
        }
        mean += 2 * std::sqrt(best) / static_cast<double>(voxels.size());
        largest = std::max(largest, 2 * std::sqrt(best));
      }
      const ThicknessMeasures & measures = table.measures.Of<ThicknessMeasures>()[label - 1];
      ASSERT_EQ(table.components[label - 1].label, label);
      EXPECT_NEAR(measures.inscribedDiameter, largest, 1e-6 * largest) << extent.ToString();
      EXPECT_NEAR(measures.meanLocal, mean, 1e-6 * mean) << extent.ToString();
      const Index centre{ measures.inscribedCentre[0],
                          measures.inscribedCentre[1] - geometry.startIndex[1],
                          measures.inscribedCentre[2] };
      EXPECT_EQ(at(centre), label);
    }
  }
}

TEST(Neighbours, EqualTheSearchOverAllVoxels)
{
  for (const double background : { 0.4, 0.95 })
  {
    for (const Extent & extent : { Extent{ 30, 12, 8 }, Extent{ 50, 40 } })
    {
      const Geometry             geometry = Anisotropic();
      const auto                 labels = RandomLabels(extent, 2, background > 0.9 ? 500 : 9, background, 21);
      std::vector<std::uint16_t> part(labels.size());
      for (std::size_t i = 0; i < part.size(); ++i)
      {
        part[i] = HashOf(5, i / 3) % 40 == 0 ? 0 : 1;
      }
      MeasureOptions options;
      options.groups.Add("neighbours");
      options.part = ImageView(part.data(), extent);
      const auto table = MeasureLabelImage(ImageView(labels.data(), extent), geometry, options);
      const auto voxels = VoxelsOf(extent, labels);
      std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::uint64_t, double>> contacts;
      for (std::size_t c = 0; c < table.components.size(); ++c)
      {
        const std::uint64_t     label = table.components[c].label;
        double                  nearest = 1e30;
        std::uint64_t           nearestLabel = 0;
        std::set<std::uint64_t> touching;
        double                  area = 0;
        for (const auto & [other, theirs] : voxels)
        {
          for (const Index & a : voxels.at(label))
          {
            for (const Index & b : theirs)
            {
              const double square = other == label ? 1e30 : SquaredGap(a, b, geometry, 0.5);
              if (square < nearest)
              {
                nearest = square;
                nearestLabel = other;
              }
              const std::int64_t steps = std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
              if (other != label && steps == 1)
              {
                touching.insert(other);
                double face = 1;
                for (std::size_t axis = 0; axis < static_cast<std::size_t>(extent.dimension); ++axis)
                {
                  face *= a[axis] == b[axis] ? geometry.spacing[axis] : 1;
                }
                area += face;
                if (label < other)
                {
                  auto & contact = contacts[{ label, other }];
                  ++contact.first;
                  contact.second += face;
                }
              }
            }
          }
        }
        EXPECT_DOUBLE_EQ(table.measures.Of<NeighbourMeasures>()[c].distance, std::sqrt(nearest));
        EXPECT_EQ(table.measures.Of<NeighbourMeasures>()[c].nearest, nearestLabel);
        EXPECT_EQ(table.measures.Of<NeighbourMeasures>()[c].touching, touching.size());
        EXPECT_NEAR(table.measures.Of<NeighbourMeasures>()[c].contactArea, area, 1e-9 * area);
        double toOutside = 1e30;
        for (std::size_t i = 0; i < part.size(); ++i)
        {
          const auto  place = static_cast<std::int64_t>(i);
          const Index at{ place % extent.size[0],
                          place / extent.size[0] % extent.size[1],
                          place / extent.size[0] / extent.size[1] };
          for (std::size_t k = 0; part[i] == 0 && k < voxels.at(label).size(); ++k)
          {
            toOutside = std::min(toOutside, SquaredGap(voxels.at(label)[k], at, geometry, 0.5));
          }
        }
        EXPECT_DOUBLE_EQ(ValueOf(table, c, "surface_distance_mm"), std::sqrt(toOutside));
      }
      ASSERT_EQ(table.contacts.size(), contacts.size());
      std::size_t k = 0;
      for (const auto & [pair, contact] : contacts)
      {
        EXPECT_EQ(table.contacts[k].first, pair.first);
        EXPECT_EQ(table.contacts[k].second, pair.second);
        EXPECT_EQ(table.contacts[k].faces, contact.first);
        EXPECT_NEAR(table.contacts[k].area, contact.second, 1e-9 * contact.second);
        ++k;
      }
    }
  }
}

TEST(Measures, AreTheSameForEveryNumberOfThreads)
{
  const Extent extent{ 90, 60, 40 };
  const auto   labels = RandomLabels(extent, 3, 400, 0.5, 2);
  std::string  expected;
  for (const int threads : { 1, 2, 5 })
  {
    std::ostringstream text;
    WriteDelimited(text,
                   MeasureLabels(extent, labels, "feret,surface,topology,thickness,neighbours", Anisotropic(), threads),
                   ',');
    expected = threads == 1 ? text.str() : expected;
    EXPECT_EQ(text.str(), expected) << threads << " threads";
  }
}

TEST(Measures, AnglesOfTheLongestAxis)
{
  const Extent               extent{ 30, 30, 30 };
  std::vector<std::uint16_t> labels(27000);
  for (std::size_t i = 0; i < 20; ++i)
  {
    labels[(5 * 30 + 4 + i) * 30 + 4 + i] = 1;   // x = y
    labels[(4 + i) * 900 + 25 * 30 + 2] = 2;     // along z
    labels[(29 * 30 + 28 - i) * 30 + 3 + i] = 3; // x = -y
  }
  const auto table = MeasureLabels(extent, labels, "shape");
  EXPECT_NEAR(ValueOf(table, 0, "azimuth_deg"), 45, 1e-9);
  EXPECT_NEAR(ValueOf(table, 0, "inclination_deg"), 0, 1e-9);
  EXPECT_NEAR(ValueOf(table, 1, "inclination_deg"), 90, 1e-9);
  EXPECT_NEAR(ValueOf(table, 2, "azimuth_deg"), -45, 1e-9);
}

/** A box of an image: first index and size along each axis. */
struct Region
{
  std::int64_t start[3];
  std::int64_t size[3];
};

/** Measures a box of the image, whole or from two halves that are measured in the same way. */
template <typename T>
ComponentTable
MeasureInParts(const Extent &                     extent,
               const std::vector<std::uint8_t> &  voxels,
               const std::vector<std::uint16_t> & wholeLabels,
               const std::vector<T> &             intensity,
               const Geometry &                   geometry,
               const ColumnGroups &               groups,
               const Region &                     region,
               int                                splits,
               std::uint64_t                      seed)
{
  const auto axis = static_cast<std::size_t>(HashOf(seed, 1) % 3);
  if (splits > 0 && region.size[axis] > 1)
  {
    Region     lower = region, upper = region;
    const auto cut = 1 + static_cast<std::int64_t>(HashOf(seed, 2) % static_cast<std::uint64_t>(region.size[axis] - 1));
    lower.size[axis] = cut;
    upper.start[axis] += cut;
    upper.size[axis] -= cut;
    const auto part = [&](const Region & half, std::uint64_t next) {
      return MeasureInParts(extent,
                            voxels,
                            wholeLabels,
                            intensity,
                            geometry,
                            groups,
                            half,
                            splits - 1,
                            seed * 2 + next);
    };
    ComponentTable a = part(lower, 1);
    ComponentTable b = part(upper, 2);
    if (HashOf(seed, 3) % 2 == 0)
    {
      std::swap(a, b);
    }
    // Components are told by the whole image's label of their first voxels.
    const auto labelOf = [&](const ComponentTable & table, std::size_t c) {
      std::int64_t place = 0;
      std::int64_t rest = static_cast<std::int64_t>(table.components[c].firstVoxel);
      std::int64_t stride = 1;
      for (int i = 0; i < 3; ++i)
      {
        place += (rest % table.extent.size[i] + table.geometry.startIndex[i] - geometry.startIndex[i]) * stride;
        rest /= table.extent.size[i];
        stride *= extent.size[i];
      }
      return wholeLabels[static_cast<std::size_t>(place)];
    };
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (std::size_t i = 0; i < a.components.size(); ++i)
    {
      for (std::size_t j = 0; j < b.components.size(); ++j)
      {
        if (labelOf(a, i) == labelOf(b, j))
        {
          pairs.emplace_back(a.components[i].label, b.components[j].label);
        }
      }
    }
    MergedLabels   labels;
    ComponentTable merged = MergeComponentTables(a, b, pairs, &labels);
    EXPECT_EQ(labels.ofFirst.size(), a.components.size());
    EXPECT_EQ(labels.ofSecond.size(), b.components.size());
    for (std::size_t i = 0; i < labels.ofFirst.size(); ++i)
    {
      EXPECT_EQ(labelOf(merged, static_cast<std::size_t>(labels.ofFirst[i] - 1)), labelOf(a, i));
    }
    return merged;
  }
  const Extent              partExtent{ region.size[0], region.size[1], region.size[2] };
  std::vector<std::uint8_t> own;
  std::vector<T>            values;
  for (std::int64_t z = region.start[2]; z < region.start[2] + region.size[2]; ++z)
  {
    for (std::int64_t y = region.start[1]; y < region.start[1] + region.size[1]; ++y)
    {
      const auto row = static_cast<std::ptrdiff_t>((z * extent.size[1] + y) * extent.size[0] + region.start[0]);
      own.insert(own.end(), voxels.begin() + row, voxels.begin() + row + region.size[0]);
      values.insert(values.end(), intensity.begin() + row, intensity.begin() + row + region.size[0]);
    }
  }
  LabelOptions options;
  options.device = cpu;
  options.geometry = geometry;
  for (int i = 0; i < 3; ++i)
  {
    options.geometry.startIndex[i] += region.start[i];
  }
  return Label(ImageView(own.data(), partExtent), options).Measure({ ImageView(values.data(), partExtent), groups });
}

template <typename T>
void
CheckMerging(int splits, bool isExact)
{
  const Geometry geometry = Anisotropic();
  const Extent   extent{ 26, 15, 11 };
  for (std::uint64_t seed = 0; seed < 100; ++seed)
  {
    const auto voxels =
      MakeRandom(extent, 0.25 + 0.002 * static_cast<double>(seed), 1 + static_cast<int>(seed % 3), seed);
    std::vector<T> intensity(voxels.size());
    for (std::size_t i = 0; i < intensity.size(); ++i)
    {
      intensity[i] = static_cast<T>(UniformOf(seed, i) * 200);
    }
    LabelOptions options;
    options.device = cpu;
    const Labeling             whole = Label(ImageView(voxels.data(), extent), options);
    std::vector<std::uint16_t> labels(voxels.size());
    whole.Write(labels.data());
    const ColumnGroups groups = ColumnGroups::FromNames("place,shape,feret");
    const Region       all{ { 0, 0, 0 }, { 26, 15, 11 } };
    const auto         expected = MeasureInParts(extent, voxels, labels, intensity, geometry, groups, all, 0, seed);
    const auto merged = MeasureInParts(extent, voxels, labels, intensity, geometry, groups, all, splits, seed + 7);
    ASSERT_EQ(merged.components.size(), whole.ComponentCount());
    const auto columns = ColumnsOf(expected);
    ASSERT_EQ(ColumnsOf(merged).size(), columns.size());
    for (std::size_t c = 0; c < merged.components.size(); ++c)
    {
      for (const ComponentColumn & column : columns)
      {
        EXPECT_NE(column.merge, MergeRule::SecondLook) << column.name;
        const auto   number = [](auto value) { return static_cast<double>(value); };
        const double is = std::visit(number, column.value(merged, merged.components[c]));
        const double should = std::visit(number, column.value(expected, expected.components[c]));
        const bool   isNearly = column.name.find("enclosing") == 0 || column.name.find("oriented") == 0 ||
                              (!isExact && column.name.find("intensity") == 0);
        EXPECT_NEAR(is, should, isNearly ? 1e-12 * (100 + std::abs(should)) : 0) << column.name;
      }
    }
  }
}

TEST(MergeComponentTables, OfRandomSplitsEqualsTheWhole)
{
  CheckMerging<std::uint8_t>(1, true);
  CheckMerging<std::int16_t>(4, true);
  CheckMerging<double>(3, false);
}

TEST(MergeComponentTables, LeavesOutWhatNeedsASecondLookAndChecksItsInput)
{
  const Extent               extent{ 8, 4, 4 };
  std::vector<std::uint16_t> labels(128, 3);
  Geometry                   next;
  next.startIndex[2] = 4;
  const auto a = MeasureLabels(extent, labels, "surface,topology,shape");
  const auto b = MeasureLabels(extent, labels, "surface,topology,shape", next);
  const auto merged = MergeComponentTables(a, b, { { 3, 3 } });
  ASSERT_EQ(merged.components.size(), 1u);
  EXPECT_EQ(merged.components[0].voxelCount, 256u);
  EXPECT_EQ(merged.extent, (Extent{ 8, 4, 8 }));
  EXPECT_FALSE(merged.HasGroup("surface"));
  EXPECT_FALSE(merged.HasGroup("topology"));
  EXPECT_TRUE(merged.HasGroup("shape"));
  EXPECT_EQ(MergeComponentTables(a, b, {}).components.size(), 2u);
  EXPECT_THROW(MergeComponentTables(a, b, { { 3, 4 } }), InvalidArgument);
  EXPECT_THROW(MergeComponentTables(a, MeasureLabels(extent, labels, "shape", next), {}), InvalidArgument);
  Geometry other = next;
  other.spacing[0] = 2;
  EXPECT_THROW(MergeComponentTables(a, MeasureLabels(extent, labels, "surface,topology,shape", other), {}),
               InvalidArgument);
}

TEST(Columns, EveryOneIsDescribedOnce)
{
  for (int dimension = 1; dimension <= 4; ++dimension)
  {
    std::set<std::string> names;
    for (const ComponentColumn & column : AllColumns(dimension))
    {
      EXPECT_TRUE(names.insert(column.name).second) << column.name << " twice";
      EXPECT_FALSE(column.description.empty()) << column.name;
    }
    EXPECT_GT(names.size(), 20u);
  }
  const std::vector<std::uint16_t> labels(16, 1);
  EXPECT_THROW(MeasureLabels({ 2, 2, 2, 2 }, labels, "surface"), Unsupported);
}

} // namespace
} // namespace brickccl
