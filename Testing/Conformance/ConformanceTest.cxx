// Every algorithm of the table is compared with the flood fill, bit for bit, over criteria, connectivities, dimensions,
// shapes, voxel types, seeds, numbers of threads and divisions of the work.

#include "FloodFill.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

using testing::FloodFill;
using testing::FloodFillProblem;

struct Shape
{
  std::string               name;
  Extent                    extent;
  std::vector<std::uint8_t> voxels;
};

std::vector<Extent>
Extents()
{
  return { { 1 },          { 64 },        { 65 },         { 200 },         { 1, 1 },       { 1, 70 },
           { 70, 1 },      { 64, 64 },    { 63, 65 },     { 130, 37 },     { 1, 1, 1 },    { 1, 1, 90 },
           { 1, 33, 17 },  { 90, 1, 1 },  { 67, 1, 9 },   { 128, 5, 1 },   { 64, 16, 16 }, { 65, 17, 15 },
           { 33, 31, 29 }, { 129, 9, 7 }, { 3, 3, 3, 3 }, { 66, 5, 4, 3 }, { 1, 7, 1, 9 } };
}

std::vector<Shape>
Shapes(const Extent & extent)
{
  const auto         size = static_cast<std::size_t>(extent.VoxelCount());
  std::vector<Shape> shapes;
  shapes.push_back({ "empty", extent, std::vector<std::uint8_t>(size, 0) });
  shapes.push_back({ "full", extent, std::vector<std::uint8_t>(size, 1) });
  for (const std::size_t voxel : { std::size_t{ 0 }, size / 2, size - 1 })
  {
    shapes.push_back({ "single voxel " + std::to_string(voxel), extent, std::vector<std::uint8_t>(size, 0) });
    shapes.back().voxels[voxel] = 1;
  }
  shapes.push_back({ "checkerboard", extent, MakeCheckerboard(extent) });
  shapes.push_back({ "isolated voxels", extent, MakeIsolatedVoxels(extent) });
  shapes.push_back({ "body-centred lattice", extent, MakeBodyCentredLattice(extent) });
  shapes.push_back({ "spiral", extent, MakeSpiral(extent) });
  shapes.push_back({ "Hilbert curve", extent, MakeHilbertCurve(extent) });
  shapes.push_back({ "comb", extent, std::vector<std::uint8_t>(size) });
  for (std::size_t i = 0; i < size; ++i)
  {
    // A comb: its teeth lie along y and meet only in the last row of the first slice.
    const std::size_t x = i % static_cast<std::size_t>(extent.size[0]);
    const std::size_t row = i / static_cast<std::size_t>(extent.size[0]);
    shapes.back().voxels[i] = x % 2 == 0 || row + 1 == static_cast<std::size_t>(extent.size[1]);
  }
  for (const double density : { 0.1, 0.3, 0.5, 0.7, 0.95 })
  {
    for (const int grain : { 1, 3 })
    {
      shapes.push_back({ "random " + std::to_string(density) + " grain " + std::to_string(grain),
                         extent,
                         MakeRandom(extent, density, grain, 7 + static_cast<std::uint64_t>(extent.VoxelCount())) });
    }
  }
  return shapes;
}

template <typename T>
FloodFillProblem
ProblemOf(const std::vector<T> & voxels, const Extent & extent, int channels, const Criterion & criterion)
{
  FloodFillProblem problem;
  problem.extent = extent;
  problem.channels = channels;
  problem.criterion = criterion;
  problem.values.assign(voxels.begin(), voxels.end());
  return problem;
}

/** Whether there is a CUDA device. Kernels that are compiled for the host count as one. */
bool
HasCuda()
{
  static const bool has = ResolveDevice({ Device::Kind::Cuda, 0 }).device.kind == Device::Kind::Cuda;
  return has;
}

/** Kernels on the host are slow. There, algorithms whose nodes are voxels do every eighth problem, since they see only
 *  its links. Of winding shapes, those that need a round for each turn do only small ones. */
bool
IsLeftOut([[maybe_unused]] const std::string & algorithm,
          [[maybe_unused]] const std::string & shape,
          [[maybe_unused]] const Extent &      extent)
{
#ifdef BRICKCCL_CUDA_ON_HOST
  const auto isOneOf = [&](std::initializer_list<const char *> names) {
    return std::find(names.begin(), names.end(), algorithm) != names.end();
  };
  const bool needsRounds =
    isOneOf({ "RowColumnUnification", "LinkPropagation", "DirectionalSearch", "Hybrid1", "Hybrid2", "Hybrid3" });
  const bool         isWinding = shape == "spiral" || shape == "Hilbert curve";
  static std::size_t problems = 0;
  return (needsRounds && isWinding && extent.VoxelCount() > 3000) ||
         ((needsRounds || isOneOf({ "LabelEquivalence", "HawickLabelEquivalence", "TileMerging" })) &&
          problems++ % 8 != 0);
#else
  return false;
#endif
}

/** Labels an image of the same extent whose voxels lie at other places. So the memory that is kept holds what is wrong
 *  for the next image. */
template <typename T>
void
LabelOthersBefore(const std::vector<T> &   voxels,
                  const FloodFillProblem & problem,
                  LabelOptions             options,
                  Labeling &               labeling)
{
  const std::vector<T> reversed(voxels.rbegin(), voxels.rend());
  options.mask.reset();
  Label(ImageView(reversed.data(), problem.extent, problem.channels), options, labeling);
}

/** Compares one algorithm on the CUDA device with the expected labels, if it supports the problem. `algorithm` may have
 *  options. \param afterOthers  whether memory holds what another image left, or else what the case before left */
template <typename T>
void
ExpectSameOnCuda(const std::string &                              algorithm,
                 const std::string &                              what,
                 const std::vector<T> &                           voxels,
                 const FloodFillProblem &                         problem,
                 const Connectivity &                             connectivity,
                 const std::optional<std::vector<std::uint8_t>> & mask,
                 const std::vector<std::uint64_t> &               expected,
                 [[maybe_unused]] bool                            afterOthers)
{
  static Labeling onCuda; // keeps the device's memory from case to case
  if (!HasCuda() || IsLeftOut(algorithm, what, problem.extent) ||
      !AlgorithmRunsOnCuda(algorithm, problem.extent, problem.criterion, connectivity))
  {
    return;
  }
  LabelOptions options;
  options.algorithm = algorithm;
  options.device = { Device::Kind::Cuda, 0 };
  options.connectivity = connectivity;
  options.criterion = problem.criterion;
  if (mask)
  {
    options.mask = ImageView(mask->data(), problem.extent);
  }
#ifndef BRICKCCL_CUDA_ON_HOST
  // The kernels on the host need no such image: there, memory is overwritten whenever it is asked for.
  if (afterOthers)
  {
    LabelOthersBefore(voxels, problem, options, onCuda);
  }
#endif
  Label(ImageView(voxels.data(), problem.extent, problem.channels), options, onCuda);
  ASSERT_EQ(onCuda.UsedDevice().device.kind, Device::Kind::Cuda) << onCuda.UsedDevice().remark;
  std::vector<std::uint64_t> labels(expected.size(), 12345);
  onCuda.Write(labels.data());
  ASSERT_EQ(labels, expected) << algorithm << " on CUDA, " << what << ", extent " << problem.extent.ToString()
                              << ", connectivity " << connectivity.ToString() << ", " << problem.criterion.ToString();
}

/** Compares a label map of one type. Each type has its own way of being written. */
template <typename T>
void
ExpectSameLabelMap(const std::string & what, const Labeling & labeling, const std::vector<std::uint64_t> & labels)
{
  if (static_cast<double>(labeling.ComponentCount()) > static_cast<double>(std::numeric_limits<T>::max()))
  {
    return;
  }
  std::vector<T> map(labels.size(), T{ 77 });
  labeling.Write(map.data());
  ASSERT_TRUE(
    std::equal(map.begin(), map.end(), labels.begin(), [](T a, std::uint64_t b) { return a == static_cast<T>(b); }))
    << what << ", " << sizeof(T) << " bytes per label";
}

/** Compares every algorithm with the oracle, for several numbers of threads and divisions of the work. Where there is a
 *  CUDA device, it is compared as well. */
template <typename T>
void
ExpectSameAsFloodFill(const std::string &                              what,
                      const std::vector<T> &                           voxels,
                      const FloodFillProblem &                         problem,
                      const Connectivity &                             connectivity,
                      const std::optional<std::vector<std::uint8_t>> & mask = {})
{
  const std::vector<std::uint64_t> expected = FloodFill(problem);
  Labeling                         reused;
  // What the CPU's memory holds before a call. `Others` is what the algorithm that keeps the most memory has left.
  enum class Memory
  {
    None,
    Others,
    Ones,
    Mixed
  };
  struct Run
  {
    int    threads;
    int    grain;
    Memory memory;
  };
  for (const AlgorithmInfo & algorithm : ListAlgorithms())
  {
    ExpectSameOnCuda(algorithm.name, what, voxels, problem, connectivity, mask, expected, true);
    if (::testing::Test::HasFatalFailure())
    {
      return;
    }
    if (!AlgorithmRunsOnCpu(algorithm.name, problem.extent, problem.criterion, connectivity))
    {
      continue;
    }
    for (const auto & [threads, grain, memory] : { Run{ 1, 1 << 20, Memory::None },
                                                   Run{ 1, 1 << 20, Memory::Others },
                                                   Run{ 1, 1, Memory::Ones },
                                                   Run{ 3, 1, Memory::Mixed } })
    {
      LabelOptions options;
      options.algorithm = algorithm.name;
      options.device = { Device::Kind::Cpu, 0 };
      options.connectivity = connectivity;
      options.criterion = problem.criterion;
      options.threads = threads;
      options.grain = grain;
      if (mask)
      {
        options.mask = ImageView(mask->data(), problem.extent);
      }
      if (memory == Memory::None)
      {
        reused = Labeling();
      }
      else
      {
        LabelOptions others = options;
        others.algorithm = "RunMerging";
        LabelOthersBefore(voxels, problem, others, reused);
      }
      if (memory == Memory::Ones || memory == Memory::Mixed)
      {
        testing::OverwriteMemory(reused, memory == Memory::Ones ? 0xFF : 0x5A);
      }
      Label(ImageView(voxels.data(), problem.extent, problem.channels), options, reused);
      std::vector<std::uint64_t> labels(expected.size(), 12345);
      reused.Write(labels.data());
      ASSERT_EQ(labels, expected) << algorithm.name << ", " << what << ", extent " << problem.extent.ToString()
                                  << ", connectivity " << connectivity.ToString() << ", "
                                  << problem.criterion.ToString() << ", " << threads << " threads, grain " << grain
                                  << ", memory " << static_cast<int>(memory);
    }
    ExpectSameLabelMap<std::uint32_t>(what, reused, expected);
    ExpectSameLabelMap<std::int16_t>(what, reused, expected);
    ExpectSameLabelMap<std::uint8_t>(what, reused, expected);
    ExpectSameLabelMap<float>(what, reused, expected);
    ExpectSameLabelMap<double>(what, reused, expected);
  }
}

template <typename T>
void
CheckAllConnectivities(const std::string &    what,
                       const std::vector<T> & voxels,
                       const Extent &         extent,
                       const Criterion &      criterion,
                       int                    channels = 1)
{
  FloodFillProblem problem = ProblemOf(voxels, extent, channels, criterion);
  for (int rank = 1; rank <= extent.dimension; ++rank)
  {
    problem.rank = rank;
    ASSERT_NO_FATAL_FAILURE(ExpectSameAsFloodFill(what, voxels, problem, Connectivity(extent.dimension, rank)));
  }
}

/** Tests that compare only on a CUDA device. Without one they are skipped, visibly. If they are not skipped, the other
 *  tests compare there, too. */
class ConformanceOnCuda : public ::testing::Test
{
protected:
  void
  SetUp() override
  {
    if (!HasCuda())
    {
      GTEST_SKIP() << ResolveDevice({ Device::Kind::Cuda, 0 }).remark;
    }
  }
};

TEST(Conformance, ForegroundOfEveryShapeInEveryConnectivity)
{
  for (const Extent & extent : Extents())
  {
    for (const Shape & shape : Shapes(extent))
    {
      CheckAllConnectivities(shape.name, shape.voxels, extent, Criterion::Foreground());
      if (HasFatalFailure())
      {
        return;
      }
    }
  }
}

/** Random values of T. Few small values make equal neighbours common; the extremes of the type occur as well. */
template <typename T>
std::vector<T>
RandomValues(std::size_t count, std::uint64_t seed)
{
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
  {
    const std::uint64_t number = HashOf(seed, i) >> 20;
    values[i] = static_cast<T>(number % 4);
    if (number % 64 == 7)
    {
      values[i] = std::numeric_limits<T>::lowest();
    }
    else if (number % 64 == 9)
    {
      values[i] = std::numeric_limits<T>::max();
    }
    else if (std::is_signed_v<T> && number % 8 == 5)
    {
      values[i] = static_cast<T>(-values[i]);
    }
  }
  return values;
}

template <typename T>
class ConformanceOfType : public ::testing::Test
{};

using VoxelTypes = ::testing::Types<std::int8_t,
                                    std::uint8_t,
                                    std::int16_t,
                                    std::uint16_t,
                                    std::int32_t,
                                    std::uint32_t,
                                    std::int64_t,
                                    std::uint64_t,
                                    float,
                                    double>;
TYPED_TEST_SUITE(ConformanceOfType, VoxelTypes);

std::vector<Criterion>
CriteriaToTest()
{
  const double infinity = std::numeric_limits<double>::infinity();
  return { Criterion::Foreground(0),
           Criterion::Foreground(2),
           Criterion::Foreground(0.5L),
           Criterion::Foreground(-1000),
           Criterion::InRange(1, 2),
           Criterion::InRange(0.5L, infinity),
           Criterion::InRange(-infinity, 1.5L),
           Criterion::InRange(1.2L, 1.8L),
           Criterion::EqualValue(),
           Criterion::EqualValue(std::nullopt),
           Criterion::EqualValue(3),
           Criterion::EqualValue().Within(1, 3),
           Criterion::Tolerance(0),
           Criterion::Tolerance(1),
           Criterion::Tolerance(1.5L, std::nullopt),
           Criterion::Tolerance(1, std::nullopt).Within(-2, infinity),
           Criterion::Tolerance(254, std::nullopt),
           Criterion::Tolerance(1e30L, std::nullopt) };
}

TYPED_TEST(ConformanceOfType, EveryCriterionInEveryConnectivity)
{
  for (const Extent & extent :
       { Extent{ 130 }, Extent{ 67, 13 }, Extent{ 1, 40 }, Extent{ 66, 7, 5 }, Extent{ 9, 5, 3, 4 } })
  {
    const auto voxels = RandomValues<TypeParam>(static_cast<std::size_t>(extent.VoxelCount()), 11);
    for (const Criterion & criterion : CriteriaToTest())
    {
      CheckAllConnectivities("random values", voxels, extent, criterion);
      if (this->HasFatalFailure())
      {
        return;
      }
    }
  }
}

TYPED_TEST(ConformanceOfType, PixelsOfSeveralChannels)
{
  for (const int channels : { 2, 3 })
  {
    for (const Extent & extent : { Extent{ 67, 13 }, Extent{ 20, 6, 5 } })
    {
      const auto count = static_cast<std::size_t>(extent.VoxelCount() * channels);
      auto       voxels = RandomValues<TypeParam>(count, 5);
      for (std::size_t i = 0; i < count; ++i)
      {
        voxels[i] = HashOf(3, i / static_cast<std::size_t>(channels)) % 3 == 0 ? TypeParam(0) : voxels[i];
      }
      for (const Criterion & criterion : CriteriaToTest())
      {
        CheckAllConnectivities("channels", voxels, extent, criterion, channels);
        if (this->HasFatalFailure())
        {
          return;
        }
      }
    }
  }
}

TYPED_TEST(ConformanceOfType, MaskBesideEveryCriterion)
{
  const Extent extent{ 70, 9, 6 };
  const auto   voxels = RandomValues<TypeParam>(static_cast<std::size_t>(extent.VoxelCount()), 21);
  const auto   mask = MakeRandom(extent, 0.7, 2, 9);
  for (const Criterion & criterion : CriteriaToTest())
  {
    FloodFillProblem problem = ProblemOf(voxels, extent, 1, criterion);
    problem.mask.emplace(mask.begin(), mask.end());
    for (int rank = 1; rank <= 3; ++rank)
    {
      problem.rank = rank;
      ExpectSameAsFloodFill("mask", voxels, problem, Connectivity(3, rank), mask);
      if (this->HasFatalFailure())
      {
        return;
      }
    }
  }
}

TEST(Conformance, SlicesEachOnTheirOwn)
{
  const Extent extents[] = { { 40, 11, 7 },  { 66, 5, 3, 4 }, { 12, 9 },      { 140, 18, 17 },
                             { 35, 133, 3 }, { 35, 3, 133 },  { 2, 131, 130 } };
  for (const Extent & extent : extents)
  {
    const auto voxels = RandomValues<std::int16_t>(static_cast<std::size_t>(extent.VoxelCount()), 31);
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      for (const Criterion & criterion : { Criterion::Foreground(), Criterion::EqualValue(), Criterion::Tolerance(1) })
      {
        for (int rank = 1; rank < extent.dimension; ++rank)
        {
          FloodFillProblem problem = ProblemOf(voxels, extent, 1, criterion);
          problem.rank = rank;
          problem.sliceAxis = axis;
          const Connectivity connectivity = Connectivity(extent.dimension - 1, rank).WithinSlices(axis);
          ASSERT_NO_FATAL_FAILURE(ExpectSameAsFloodFill("slices", voxels, problem, connectivity));
        }
      }
    }
  }
}

TEST(Conformance, NotANumberIsNeverForeground)
{
  const Extent       extent{ 70, 6, 4 };
  std::vector<float> voxels = RandomValues<float>(static_cast<std::size_t>(extent.VoxelCount()), 41);
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    const std::uint64_t number = HashOf(17, i) % 16;
    voxels[i] = number == 0 ? std::numeric_limits<float>::quiet_NaN()
              : number == 1 ? std::numeric_limits<float>::infinity()
              : number == 2 ? -std::numeric_limits<float>::infinity()
                            : voxels[i];
  }
  for (const Criterion & criterion : CriteriaToTest())
  {
    CheckAllConnectivities("NaN and infinities", voxels, extent, criterion);
    if (HasFatalFailure())
    {
      return;
    }
  }
}

/** Cubes of values that cross the borders of bricks along every axis. In one extent rows begin at whole vectors; in the
 *  others they do not. */
template <typename T>
void
CheckValuesAcrossBricks()
{
  for (const Extent & extent : { Extent{ 261, 11, 10 }, Extent{ 264, 10, 9 }, Extent{ 137, 70 } })
  {
    const std::int64_t grain = extent.size[0] % 4 == 0 ? 3 : 1;
    std::vector<T>     voxels;
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      const std::int64_t x = i % extent.size[0];
      const std::int64_t y = i / extent.size[0] % extent.size[1];
      const std::int64_t z = i / extent.size[0] / extent.size[1];
      const auto         cell = static_cast<std::uint64_t>((z / grain * 1000 + y / grain) * 1000 + x / grain);
      voxels.push_back(static_cast<T>(HashOf(7, cell) % 5));
    }
    CheckAllConnectivities("cubes of values", voxels, extent, Criterion::EqualValue());
    CheckAllConnectivities("cubes of values", voxels, extent, Criterion::Tolerance(1));
  }
}

/** Compares a mask's components by BundleMerging on a CUDA device, under every connectivity. */
void
CheckMaskOnCuda(const std::string & what, const std::vector<std::uint8_t> & voxels, const Extent & extent)
{
  FloodFillProblem problem = ProblemOf(voxels, extent, 1, Criterion::Foreground());
  for (problem.rank = 1; problem.rank <= extent.dimension; ++problem.rank)
  {
    const Connectivity connectivity(extent.dimension, problem.rank);
    ExpectSameOnCuda("BundleMerging", what, voxels, problem, connectivity, {}, FloodFill(problem), true);
    if (::testing::Test::HasFatalFailure())
    {
      return;
    }
  }
}

/** The last word of these rows is the first, second or third of the four words of a brick's row; some rows are shorter
 *  than a brick's. There are several bricks along every axis. */
TEST_F(ConformanceOnCuda, MasksWhoseRowsEndWithinBricks)
{
  for (const Extent & extent :
       { Extent{ 160, 19, 17 }, Extent{ 187, 18, 10 }, Extent{ 212, 33, 9 }, Extent{ 50, 35, 18 }, Extent{ 130, 270 } })
  {
    for (const double density : { 0.4, 0.99 })
    {
      CheckMaskOnCuda("rows that end within bricks", MakeRandom(extent, density, density < 0.5 ? 1 : 4, 61), extent);
      if (HasFatalFailure())
      {
        return;
      }
    }
  }
}

/** So many voxels that first voxels are counted in several parts, of 2^20 each. A part must know those before it. */
TEST_F(ConformanceOnCuda, ComponentsInSeveralParts)
{
  for (const Extent & extent : { Extent{ 300, 85, 90 }, Extent{ 1100, 1000 } })
  {
    CheckMaskOnCuda("components in several parts", MakeRandom(extent, 0.1, 1, 71), extent);
    if (HasFatalFailure())
    {
      return;
    }
  }
}

TEST(Conformance, ValuesAcrossBricks)
{
  CheckValuesAcrossBricks<std::uint8_t>();
  CheckValuesAcrossBricks<std::int16_t>();
  CheckValuesAcrossBricks<std::uint32_t>();
  CheckValuesAcrossBricks<double>();
}

/** White noise over all values of a type, with limits around half of their range. Rows begin at every address. */
template <typename T>
void
CheckWideTolerances()
{
  constexpr double half = 1 << (8 * sizeof(T) - 1);
  for (const Extent & extent : { Extent{ 133, 9, 10 }, Extent{ 144, 10, 3 } })
  {
    std::vector<T> voxels;
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      voxels.push_back(static_cast<T>(HashOf(13, static_cast<std::uint64_t>(i)) & 0xFFFFu));
    }
    for (const double limit : { half / 3, half - 1, half, half * 1.5 })
    {
      CheckAllConnectivities("noise", voxels, extent, Criterion::Tolerance(limit));
    }
  }
}

TEST(Conformance, WideTolerancesOfSmallTypes)
{
  CheckWideTolerances<std::int8_t>();
  CheckWideTolerances<std::uint8_t>();
  CheckWideTolerances<std::int16_t>();
  CheckWideTolerances<std::uint16_t>();
}

/** Voxels of two kinds that are too far apart to be joined. Each kind has noise as wide as the limit. Some voxels lie
 *  in between and may join the kinds after all. These are whole slopes whose steps are the limit, or one more. */
template <typename T>
void
CheckTwoKinds(int low, int high, int limit)
{
  for (const Extent & extent : { Extent{ 261, 17, 11 }, Extent{ 130, 40 } })
  {
    const auto     kinds = MakeRandom(extent, 0.4, 5, 23);
    const auto     between = MakeRandom(extent, 0.15, 3, 29);
    std::vector<T> voxels;
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      const std::uint64_t hash = HashOf(19, static_cast<std::uint64_t>(i));
      const auto          noise = static_cast<int>(hash % static_cast<std::uint64_t>(limit + 1));
      const auto          x = static_cast<int>(i % extent.size[0]);
      const int           step = limit + (x / 9 % 2);
      const int           value = kinds[static_cast<std::size_t>(i)] != 0 ? high + noise : low + noise;
      const int           slope = low + x % 9 * step;
      voxels.push_back(static_cast<T>(between[static_cast<std::size_t>(i)] != 0 && slope <= high ? slope : value));
    }
    CheckAllConnectivities("two kinds", voxels, extent, Criterion::Tolerance(limit, std::nullopt));
    CheckAllConnectivities("two kinds", voxels, extent, Criterion::Tolerance(limit));
  }
}

TEST(Conformance, VoxelsOfTwoKindsUnderTolerance)
{
  CheckTwoKinds<std::int8_t>(-100, 100, 20);
  CheckTwoKinds<std::uint8_t>(0, 200, 30);
  CheckTwoKinds<std::int16_t>(-800, 1000, 130);
  CheckTwoKinds<std::uint16_t>(100, 55000, 7000);
  CheckTwoKinds<std::int32_t>(-800, 1000, 130);
  CheckTwoKinds<std::uint64_t>(100, 55000, 7000);
  CheckTwoKinds<float>(-800, 1000, 130);
  CheckTwoKinds<double>(-800, 1000, 130);
}

/** The algorithm's name with each value of each option, except the presets. */
std::vector<std::string>
VariantsOf(const Algorithm & algorithm)
{
  std::vector<std::string> variants;
  for (const AlgorithmOption & option : algorithm.options)
  {
    std::vector<std::int64_t> values = { option.least, option.least + 1, option.most };
    if (!option.words.empty())
    {
      values.resize(option.words.size());
      std::iota(values.begin(), values.end(), 0);
    }
    for (const std::int64_t value : values)
    {
      if (value != option.preset)
      {
        variants.push_back(std::string(algorithm.name) + ':' + option.name + '=' + option.ValueText(value));
      }
    }
  }
  return variants;
}

TEST_F(ConformanceOnCuda, EveryOptionOfEveryAlgorithm)
{
  std::vector<std::string> variants = { "LabelEquivalence:atomics=on,first-scan=earlier,flag=global,properties=moments",
                                        "LinkPropagation:gather=5,one-gather=off,master=off",
                                        "LinkPropagation:max-gather=off,master=off" };
  for (const Algorithm & algorithm : Algorithms())
  {
    const std::vector<std::string> more = VariantsOf(algorithm);
    variants.insert(variants.end(), more.begin(), more.end());
  }
  const auto check = [&](const Extent & extent, const Connectivity & connectivity, int sliceAxis) {
    const auto voxels = RandomValues<std::int16_t>(static_cast<std::size_t>(extent.VoxelCount()), 51);
    const auto noise = MakeRandom(extent, 0.5, 1, 4);
    const auto spiral = MakeSpiral(extent);
    for (const Criterion & criterion : { Criterion::Foreground(), Criterion::EqualValue(), Criterion::Tolerance(1) })
    {
      for (const auto & image : { voxels, { noise.begin(), noise.end() }, { spiral.begin(), spiral.end() } })
      {
        FloodFillProblem problem = ProblemOf(image, extent, 1, criterion);
        problem.rank = connectivity.Rank();
        problem.sliceAxis = sliceAxis;
        const auto expected = FloodFill(problem);
        for (const std::string & variant : variants)
        {
          ExpectSameOnCuda(variant, "options", image, problem, connectivity, {}, expected, true);
        }
      }
    }
  };
  FloodFillProblem defaults;
  for (const Extent & extent : { Extent{ 67, 41 }, Extent{ 34, 9, 6 } })
  {
    for (int rank = 1; rank <= extent.dimension; ++rank)
    {
      check(extent, Connectivity(extent.dimension, rank), defaults.sliceAxis);
    }
  }
  check({ 33, 18, 4 }, Connectivity::Full(2).WithinSlices(2), 2);
}

/** Rows without any foreground lie between others. They are passed over. */
TEST(Conformance, ValuesAmongEmptyRows)
{
  for (std::uint64_t seed = 0; seed < 12; ++seed)
  {
    const Extent extent{ static_cast<std::int64_t>(1 + HashOf(seed, 5) % 90),
                         static_cast<std::int64_t>(2 + HashOf(seed, 6) % 9),
                         static_cast<std::int64_t>(2 + HashOf(seed, 7) % 9) };
    auto         voxels = RandomValues<std::uint16_t>(static_cast<std::size_t>(extent.VoxelCount()), seed);
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      const auto row = static_cast<std::uint64_t>(i / extent.size[0]);
      if (HashOf(seed, 100 + row) % 8 < 3 + seed % 4)
      {
        voxels[static_cast<std::size_t>(i)] = 0;
      }
    }
    for (const Criterion & criterion : { Criterion::EqualValue(), Criterion::Tolerance(1) })
    {
      CheckAllConnectivities("seed " + std::to_string(seed), voxels, extent, criterion);
      if (HasFatalFailure())
      {
        return;
      }
    }
  }
}

/** Bricks whose rows are all alike, beside bricks that differ in a few voxels at their borders, or in one half. */
template <typename T>
void
CheckRowsThatAreAlike(std::uint64_t seed)
{
  for (const Extent & extent : { Extent{ 260, 17, 16 }, Extent{ 140, 16, 5 }, Extent{ 150, 130 }, Extent{ 130, 40 } })
  {
    std::vector<T> rows[2];
    for (std::uint64_t half = 0; half < 2; ++half)
    {
      std::vector<T> & row = rows[half];
      while (static_cast<std::int64_t>(row.size()) < extent.size[0])
      {
        const std::uint64_t hash = HashOf(seed, 1000 * half + row.size());
        row.insert(row.end(), 1 + hash % (seed % 2 == 0 ? 60 : 9), static_cast<T>(hash / 64 % 5));
      }
    }
    const bool     hasHalves = seed % 3 == 0;
    std::vector<T> voxels;
    for (std::int64_t i = 0; i < extent.VoxelCount(); ++i)
    {
      const std::int64_t x = i % extent.size[0];
      const std::int64_t y = i / extent.size[0] % extent.size[1];
      const std::int64_t z = i / extent.size[0] / extent.size[1];
      const auto         hash = HashOf(seed, 1000000 + static_cast<std::uint64_t>(i));
      const bool         isAtBorder = (x + 1) % 128 < 2 || (y + 1) % 8 < 2 || (extent.dimension > 2 && (z + 1) % 8 < 2);
      const bool         differs = seed % 3 == 1 && isAtBorder && hash % 512 == 0;
      voxels.push_back(differs ? static_cast<T>(hash / 512 % 5)
                               : rows[hasHalves && (y >= 8) ? 1 : 0][static_cast<std::size_t>(x)]);
    }
    for (const Criterion & criterion : { Criterion::EqualValue(), Criterion::Tolerance(1) })
    {
      FloodFillProblem problem = ProblemOf(voxels, extent, 1, criterion);
      for (problem.rank = 1; problem.rank <= extent.dimension; ++problem.rank)
      {
        ExpectSameOnCuda("BundleMerging",
                         "rows that are alike, seed " + std::to_string(seed),
                         voxels,
                         problem,
                         Connectivity(extent.dimension, problem.rank),
                         {},
                         FloodFill(problem),
                         true);
      }
    }
  }
}

TEST_F(ConformanceOnCuda, ValuesWhoseRowsAreAlike)
{
  for (std::uint64_t seed = 0; seed < 6 && !HasFatalFailure(); ++seed)
  {
    CheckRowsThatAreAlike<std::uint8_t>(seed);
    CheckRowsThatAreAlike<std::int16_t>(seed);
    CheckRowsThatAreAlike<std::uint32_t>(seed);
    CheckRowsThatAreAlike<float>(seed);
  }
}

/** Links across the edges of bricks, beside bricks without foreground. For those, memory holds what an earlier image
 *  left. */
template <typename T>
void
CheckEdgesBesideEmptyBricks(const Criterion & criterion)
{
  const Extent         flat{ 128, 1024 };
  const std::vector<T> ones(static_cast<std::size_t>(flat.VoxelCount()), 1);
  FloodFillProblem     flatProblem = ProblemOf(ones, flat, 1, criterion);
  flatProblem.rank = 2;
  const std::vector<std::uint64_t> one(ones.size(), 1);
  const Extent                     extent{ 200, 24, 24 };
  for (std::int64_t rank = 2; rank <= 3; ++rank)
  {
    for (const std::int64_t step : { -1, 1 })
    {
      for (const std::int64_t across : { -1, 0, 1 })
      {
        ExpectSameOnCuda("BundleMerging", "full", ones, flatProblem, Connectivity(2, 2), {}, one, false);
        std::vector<T> voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
        const auto     set = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
          voxels[static_cast<std::size_t>((z * 24 + y) * 200 + x)] = 1;
        };
        // The link goes from the brick in the middle to a brick before it along z, at the same place or beside it.
        for (const std::int64_t x : { 5, 64, 127, 150 })
        {
          set(x, step < 0 ? 8 : 15, 8);
          set(x + across, step < 0 ? 7 : 16, 7);
        }
        FloodFillProblem problem = ProblemOf(voxels, extent, 1, criterion);
        problem.rank = static_cast<int>(rank);
        ExpectSameOnCuda("BundleMerging",
                         "edges",
                         voxels,
                         problem,
                         Connectivity(3, problem.rank),
                         {},
                         FloodFill(problem),
                         false);
      }
    }
  }
}

TEST_F(ConformanceOnCuda, ValuesAtEdgesBesideEmptyBricks)
{
  for (const Criterion & criterion : { Criterion::EqualValue(), Criterion::Tolerance(1) })
  {
    CheckEdgesBesideEmptyBricks<std::uint8_t>(criterion);
    CheckEdgesBesideEmptyBricks<std::uint32_t>(criterion);
  }
}

TEST(Conformance, ManySeededVolumesOfOddExtents)
{
  for (std::uint64_t seed = 0; seed < 150; ++seed)
  {
    const Extent extent{ static_cast<std::int64_t>(1 + 2 * (HashOf(seed, 0) % 50)),
                         static_cast<std::int64_t>(1 + 2 * (HashOf(seed, 1) % 6)),
                         static_cast<std::int64_t>(1 + 2 * (HashOf(seed, 2) % 6)) };
    const auto   voxels = MakeRandom(extent, UniformOf(seed, 3), 1 + static_cast<int>(seed % 3), seed);
    CheckAllConnectivities("seed " + std::to_string(seed), voxels, extent, Criterion::Foreground());
    CheckAllConnectivities("seed " + std::to_string(seed),
                           RandomValues<std::uint16_t>(voxels.size(), seed),
                           extent,
                           seed % 2 == 0 ? Criterion::EqualValue() : Criterion::Tolerance(1));
    if (HasFatalFailure())
    {
      return;
    }
  }
}

} // namespace
} // namespace brickccl
