// SPDX-License-Identifier: Apache-2.0
// The table measured on the device (default columns and moments) equals the CPU's.

#include "OnDevice.h"
#include "Patterns.h"

#include "BrickCCL/Dispatch/DeviceLabeler.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "BrickCCL/Tables/ComponentSums.h"

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

/** Checks for every algorithm that the table measured on the device equals the CPU's. */
template <typename T>
void
CheckTables(const std::vector<T> & voxels,
            const Extent &         extent,
            const Criterion &      criterion,
            const Connectivity &   connectivity)
{
  Geometry geometry;
  geometry.spacing[1] = 0.7;
  geometry.startIndex[0] = -5;
  LabelOptions options;
  options.device = { Device::Kind::Cpu, 0 };
  options.criterion = criterion;
  options.connectivity = connectivity;
  options.geometry = geometry;
  std::ostringstream expected;
  WriteDelimited(expected, Label(ImageView(voxels.data(), extent), options).Measure(), ',');
  const OnDevice<T>             image(voxels);
  const OnDevice<std::uint32_t> labels(voxels.size());
  CudaLabeler                   labeler(0);
  for (const std::string & algorithm : SupportingAlgorithms(extent, criterion, connectivity))
  {
    LabelToMap(labeler, algorithm, image, extent, criterion, connectivity, labels);
    // The table is fetched while the label map is being written, and again when all work has ended.
    for (const char * when : { "at once", "again" })
    {
      std::ostringstream measured;
      WriteDelimited(measured, labeler.FetchTable(geometry), ',');
      EXPECT_EQ(measured.str(), expected.str())
        << algorithm << ' ' << extent.ToString() << ' ' << connectivity.ToString() << ", " << when;
    }
  }
}

TEST_F(OnCuda, TablesEqualTheCpus)
{
  CudaLabeler empty(0);
  EXPECT_THROW(empty.MeasureOnDevice(), InvalidArgument) << "nothing was labeled";
  for (const Extent & extent :
       { Extent{ 131, 37 / Reduction, 19 }, Extent{ 64, 16, 16 }, Extent{ 300, 90 / Reduction }, Extent{ 1, 1, 50 } })
  {
    const std::vector<double> densities =
      Reduction > 1 ? std::vector<double>{ 0.3 } : std::vector<double>{ 0, 0.1, 0.6, 1 };
    for (const double density : densities)
    {
      for (const int grain : { 1, 5 })
      {
        const auto voxels = MakeRandom(extent, density, grain, 3);
        for (int rank = 1; rank <= extent.dimension; ++rank)
        {
          CheckTables(voxels, extent, Criterion::Foreground(), Connectivity(extent.dimension, rank));
        }
        std::vector<std::uint8_t> values(voxels.size());
        for (std::size_t i = 0; i < values.size(); ++i)
        {
          values[i] = static_cast<std::uint8_t>(voxels[i] * (1 + HashOf(9, i / 7) % 3));
        }
        CheckTables(values, extent, Criterion::EqualValue(), Connectivity::Full(extent.dimension));
      }
    }
  }
  const Extent volume{ 60, 20, 9 };
  CheckTables(MakeRandom(volume, 0.4, 1, 3), volume, Criterion::Foreground(), Connectivity::Full(2).WithinSlices(2));
  // The work on this image takes longer than queuing it. Kernels on the host have ended when they are queued.
  const Extent large{ 500, 300 / Reduction, 100 / Reduction / Reduction };
  CheckTables(MakeRandom(large, 0.5, 3, 3), large, Criterion::Foreground(), Connectivity::Full(3));
}

/** Sizes, centroids and covariances of both strategies equal the component table. */
TEST_F(OnCuda, EarlyAndLateMomentsAreTheComponentTables)
{
  DeviceLabeler labeler(0);
  EXPECT_THROW(labeler.FetchMoments(), InvalidArgument) << "nothing was labeled";
  const auto check =
    [&](const std::vector<std::uint8_t> & voxels, const Extent & extent, const Connectivity & connectivity) {
      LabelOptions options;
      options.device = { Device::Kind::Cpu, 0 };
      options.connectivity = connectivity;
      MeasureOptions measure;
      measure.groups = ColumnGroups::FromNames("shape");
      const ComponentTable          table = Label(ImageView(voxels.data(), extent), options).Measure(measure);
      const OnDevice<std::uint8_t>  image(voxels);
      const OnDevice<std::uint32_t> labels(voxels.size());
      for (const char * algorithm : { "TileMerging",
                                      "TileMerging:properties=size",
                                      "TileMerging:properties=moments",
                                      "LabelEquivalence",
                                      "LabelEquivalence:properties=size",
                                      "LabelEquivalence:properties=moments",
                                      "LabelEquivalence:properties=moments,atomics=on",
                                      "HawickLabelEquivalence" })
      {
        if (!AlgorithmRunsOnCuda(algorithm, extent, Criterion::Foreground(), connectivity))
        {
          continue;
        }
        LabelToMap(labeler, algorithm, image, extent, Criterion::Foreground(), connectivity, labels);
        const std::vector<ComponentMoments> moments = labeler.FetchMoments();
        ASSERT_EQ(moments.size(), table.components.size()) << algorithm;
        for (std::size_t i = 0; i < moments.size(); ++i)
        {
          ASSERT_EQ(moments[i].voxelCount, table.components[i].voxelCount) << algorithm << ", component " << i + 1;
          double covariance[MaximumDimension][MaximumDimension] = {};
          moments[i].Covariance(covariance);
          for (int axis = 0; axis < moments[i].dimension; ++axis)
          {
            ASSERT_EQ(moments[i].Centroid(axis), table.components[i].centroid[axis]) << algorithm;
            for (int other = 0; other < moments[i].dimension; ++other)
            {
              ASSERT_EQ(covariance[axis][other], table.measures.Of<ShapeMeasures>()[i].covariance[axis][other])
                << algorithm;
            }
          }
        }
        const bool isSizeOnly = std::string(algorithm).find("=size") != std::string::npos;
        ASSERT_TRUE(moments.empty() || moments[0].dimension == (isSizeOnly ? 0 : extent.dimension)) << algorithm;
      }
    };
  for (const Extent & extent : { Extent{ 300, 205 / Reduction }, Extent{ 70, 33, 40 / Reduction }, Extent{ 90 } })
  {
    for (const double density : { 0.0, 0.2, 0.6, 1.0 })
    {
      check(MakeRandom(extent, density, 2, 8), extent, Connectivity::Full(extent.dimension));
    }
  }
  const Extent slices{ 120, 90 / Reduction, 7 };
  check(MakeRandom(slices, 0.5, 3, 8), slices, Connectivity::Full(2).WithinSlices(2));
  labeler.LabelOnDevice("RunMerging",
                        ImageView(OnDevice<std::uint8_t>(MakeSpiral(Extent{ 9, 9 })).Data(), Extent{ 9, 9 }),
                        Criterion::Foreground(),
                        {},
                        Connectivity::Full(2),
                        OnDevice<std::uint32_t>(81).Data(),
                        LabelType::UInt32);
  EXPECT_THROW(labeler.FetchMoments(), Unsupported) << "its nodes are runs";
}

} // namespace
} // namespace brickccl
