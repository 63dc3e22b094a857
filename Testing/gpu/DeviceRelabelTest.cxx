// SPDX-License-Identifier: Apache-2.0
// What follows labeling on the device: slices, other numbers, sizes, selections and lists equal those of the host.

#include "OnDevice.h"

#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"

#include <algorithm>
#include <sstream>

namespace brickccl
{
namespace
{

struct DeviceProblem
{
  Extent       extent;
  Criterion    criterion;
  Connectivity connectivity;
};

/** Random values 0..3 in grains. */
std::vector<std::uint8_t>
RandomGrains(const Extent & extent, double density, int grain)
{
  auto voxels = MakeRandom(extent, density, grain, 11);
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    voxels[i] = static_cast<std::uint8_t>(voxels[i] * (1 + HashOf(5, i / 5) % 3));
  }
  return voxels;
}

std::string
NameOf(const std::string & algorithm, const DeviceProblem & problem)
{
  return algorithm + ", " + problem.extent.ToString() + ", " + problem.connectivity.ToString() + ", " +
         problem.criterion.ToString();
}

std::string
TextOf(const ComponentTable & table)
{
  std::ostringstream text;
  WriteDelimited(text, table, ',');
  return text.str();
}

/** Labels on the device without a label map, and compares what is then asked for with the host's. */
void
CheckAfterLabeling(const DeviceProblem &             problem,
                   const std::vector<std::uint8_t> & voxels,
                   const RelabelOptions &            relabel,
                   const std::vector<std::string> &  algorithms)
{
  LabelOptions options;
  options.device = { Device::Kind::Cpu, 0 };
  options.criterion = problem.criterion;
  options.connectivity = problem.connectivity;
  options.relabel = relabel;
  const Labeling             onHost = Label(ImageView(voxels.data(), problem.extent), options);
  std::vector<std::uint32_t> expected(voxels.size());
  onHost.Write(expected.data());
  const LabelLists                   lists = onHost.ListVoxels();
  const auto                         count = onHost.ComponentCount();
  const OnDevice<std::uint8_t>       image(voxels);
  const OnDevice<std::uint32_t>      labels(voxels.size());
  const OnDevice<std::uint64_t>      sizes(static_cast<std::size_t>(count) + 1);
  const OnDevice<std::int64_t>       offsets(static_cast<std::size_t>(count) + 1);
  const OnDevice<std::int64_t>       listed(lists.voxels.size() + 1);
  const std::vector<std::uint64_t> & ends = lists.offsets;
  for (const std::string & algorithm : algorithms)
  {
#ifdef BRICKCCL_CUDA_ON_HOST
    // Algorithms whose nodes are voxels share what comes after labeling.
    if (algorithm != "BundleMerging" && algorithm != "RunMerging" && algorithm != "LabelEquivalence" &&
        algorithm != "Auto")
    {
      continue;
    }
#endif
    const std::string what = NameOf(algorithm, problem);
    CudaLabeler       labeler(0);
    labeler.LabelOnDevice(algorithm,
                          ImageView(image.Data(), problem.extent),
                          problem.criterion,
                          std::nullopt,
                          problem.connectivity,
                          nullptr,
                          LabelType::UInt8);
    ASSERT_EQ(labeler.RelabelOnDevice(relabel, labels.Data(), LabelType::UInt32), count) << what;
    ASSERT_EQ(labels.Download(voxels.size()), expected) << what;
    ASSERT_EQ(labeler.OffsetsOnDevice(offsets.Data()), lists.voxels.size()) << what;
    const auto found = offsets.Download(ends.size());
    ASSERT_TRUE(std::equal(ends.begin(),
                           ends.end(),
                           found.begin(),
                           [](std::uint64_t a, std::int64_t b) { return a == static_cast<std::uint64_t>(b); }))
      << what;
    labeler.ListOnDevice(listed.Data());
    ASSERT_EQ(listed.Download(lists.voxels.size()), lists.voxels) << what;
    labeler.SizesOnDevice(sizes.Data());
    const auto sizesFound = sizes.Download(static_cast<std::size_t>(count));
    for (std::size_t component = 0; component < sizesFound.size(); ++component)
    {
      ASSERT_EQ(sizesFound[component], ends[component + 1] - ends[component]) << what;
    }
    if (problem.extent.dimension <= 3)
    {
      ASSERT_EQ(TextOf(labeler.FetchTable({})), TextOf(onHost.Measure())) << what;
    }
  }
}

void
CheckAfterLabeling(const DeviceProblem &             problem,
                   const std::vector<std::uint8_t> & voxels,
                   const RelabelOptions &            relabel)
{
  CheckAfterLabeling(problem,
                     voxels,
                     relabel,
                     SupportingAlgorithms(problem.extent, problem.criterion, problem.connectivity));
}

std::vector<DeviceProblem>
ProblemsAfterLabeling()
{
  std::vector<DeviceProblem> problems;
  for (const Criterion & criterion : { Criterion::Foreground(), Criterion::EqualValue(), Criterion::Tolerance(1) })
  {
    for (int rank = 1; rank <= 3; ++rank)
    {
      problems.push_back({ { 131, 18, 19 }, criterion, Connectivity(3, rank) });
    }
    problems.push_back({ { 300, 70 }, criterion, Connectivity::Full(2) });
    problems.push_back({ { 40, 7, 5, 3 }, criterion, Connectivity::Full(4) });
    for (int rank = 1; rank <= 2; ++rank)
    {
      for (int axis = 0; axis < 3; ++axis)
      {
        problems.push_back({ { 140, 19, 17 }, criterion, Connectivity(2, rank).WithinSlices(axis) });
      }
      problems.push_back({ { 33, 133, 3 }, criterion, Connectivity(2, rank).WithinSlices(2) });
      problems.push_back({ { 33, 3, 133 }, criterion, Connectivity(2, rank).WithinSlices(1) });
      problems.push_back({ { 3, 133, 66 }, criterion, Connectivity(2, rank).WithinSlices(0) });
      problems.push_back({ { 72, 76, 18 }, criterion, Connectivity(2, rank).WithinSlices(0) });
    }
  }
  return problems;
}

TEST_F(OnCuda, LabelsNumbersSizesTablesAndListsAreThoseOfTheHost)
{
  RelabelOptions bySize;
  bySize.order = LabelOrder::Size;
  RelabelOptions limits;
  limits.minimumSize = 3;
  limits.maximumSize = 40;
  RelabelOptions largest;
  largest.largest = 7;
  RelabelOptions all;
  all.order = LabelOrder::Size;
  all.largest = 9;
  all.minimumSize = 2;
  RelabelOptions none;
  none.minimumSize = 1u << 30;
  std::size_t turn = 0;
  for (const DeviceProblem & problem : ProblemsAfterLabeling())
  {
#ifdef BRICKCCL_CUDA_ON_HOST
    const std::vector<double>         densities = { 0.4 };
    const std::vector<RelabelOptions> wanted = { std::vector{ bySize, limits, largest, all, none }[turn % 5] };
#else
    const std::vector<double>         densities = { 0.25, 0.7 };
    const std::vector<RelabelOptions> wanted = { RelabelOptions(), bySize, limits, largest, all, none };
#endif
    for (const double density : densities)
    {
      const auto voxels = RandomGrains(problem.extent, density, 1 + static_cast<int>(turn % 3));
      for (const RelabelOptions & options : wanted)
      {
        CheckAfterLabeling(problem, voxels, options);
        if (HasFatalFailure())
        {
          return;
        }
      }
      ++turn;
    }
  }
  CheckAfterLabeling({ { 70, 20, 20 }, Criterion::Foreground(), Connectivity::Full(3) },
                     std::vector<std::uint8_t>(70 * 20 * 20, 0),
                     bySize);
}

/** Boxes on a plane: rows of small ones, larger ones and very large ones, among them some of one size. */
std::vector<std::uint8_t>
BoxesOfManySizes(const Extent & extent)
{
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
  std::int64_t              y = 0;
  const auto                addRow = [&](std::int64_t width, std::int64_t height, unsigned mostMissing) {
    for (std::int64_t x = 0; x + width <= extent.size[0] && y + height <= extent.size[1]; x += width + 2)
    {
      const auto missing = static_cast<std::int64_t>(HashOf(7, static_cast<std::uint64_t>(x)) % (mostMissing + 1));
      for (std::int64_t v = 0; v < width * height - missing; ++v)
      {
        voxels[static_cast<std::size_t>((y + v / width) * extent.size[0] + x + v % width)] = 1;
      }
    }
    y += height + 1;
  };
  addRow(1, 1, 0);
  addRow(14, 2, 3);
  // Around once and twice 510 voxels.
  addRow(10, 51, 3);
  addRow(10, 102, 3);
  // Around 510 * 511 voxels; all but the first two have more.
  addRow(500, 521, 3);
  addRow(500, 523, 3);
  addRow(500, 522, 0);
  addRow(500, 522, 0);
  addRow(1, 1, 0);
  return voxels;
}

TEST_F(OnCuda, SizesOfManyMagnitudesAreOrdered)
{
  RelabelOptions bySize;
  bySize.order = LabelOrder::Size;
  RelabelOptions largest;
  largest.largest = 9;
  RelabelOptions smaller;
  smaller.order = LabelOrder::Size;
  smaller.maximumSize = 261000;
  const DeviceProblem problem{ { 1010, 2260 }, Criterion::Foreground(), Connectivity::Full(2) };
  const auto          voxels = BoxesOfManySizes(problem.extent);
  for (const RelabelOptions & options : { bySize, largest, smaller })
  {
    CheckAfterLabeling(problem, voxels, options, { "Auto" });
  }
}

TEST_F(OnCuda, MoreComponentsThanTwoDigitsOrderAreOrderedToo)
{
  const Extent              extent{ 1100, 1100 };
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(extent.VoxelCount()), 0);
  for (std::size_t i = 0; i < voxels.size(); ++i)
  {
    const std::size_t x = i % 1100;
    const std::size_t y = i / 1100;
    voxels[i] = y % 2 == 0 && (x % 2 == 0 || HashOf(9, i) % 20 == 0) ? 1 : 0;
  }
  RelabelOptions bySize;
  bySize.order = LabelOrder::Size;
  RelabelOptions largest;
  largest.largest = 100000;
  const DeviceProblem problem{ extent, Criterion::Foreground(), Connectivity::Face(2) };
  const auto          labels = CpuLabels(voxels, extent, problem.criterion, problem.connectivity);
  ASSERT_GT(*std::max_element(labels.begin(), labels.end()), 1u << 18);
  CheckAfterLabeling(problem, voxels, bySize, { "Auto" });
  CheckAfterLabeling(problem, voxels, largest, { "Auto" });
}

TEST_F(OnCuda, CallsThatAreMadeAgainAllocateNothing)
{
  const Extent                  extent{ 90, 70, 20 };
  const OnDevice<std::uint8_t>  image(MakeRandom(extent, 0.2, 1, 3));
  const OnDevice<std::uint32_t> labels(static_cast<std::size_t>(extent.VoxelCount()));
  const OnDevice<std::int64_t>  offsets(static_cast<std::size_t>(extent.VoxelCount()));
  const OnDevice<std::int64_t>  listed(static_cast<std::size_t>(extent.VoxelCount()));
  RelabelOptions                largest;
  largest.largest = 100;
  for (const char * const algorithm : { "BundleMerging", "RunMerging", "LabelEquivalence" })
  {
    CudaLabeler labeler(0);
    const auto  bytesAfterCalls = [&] {
      labeler.LabelOnDevice(algorithm,
                            ImageView(image.Data(), extent),
                            Criterion::Foreground(),
                            std::nullopt,
                            Connectivity::Face(3),
                            nullptr,
                            LabelType::UInt32);
      labeler.RelabelOnDevice(largest, labels.Data(), LabelType::UInt32);
      labeler.OffsetsOnDevice(offsets.Data());
      labeler.ListOnDevice(listed.Data());
      return labeler.ScratchBytes();
    };
    const std::size_t bytes = bytesAfterCalls();
    EXPECT_EQ(bytesAfterCalls(), bytes) << algorithm;
  }
}

TEST_F(OnCuda, SelectedComponentsAreNumberedInTheirOrder)
{
  const Extent               extent{ 90, 30, 20 };
  const auto                 voxels = MakeRandom(extent, 0.1, 1, 3);
  const auto                 before = CpuLabels(voxels, extent, Criterion::Foreground(), Connectivity::Face(3));
  const auto                 count = *std::max_element(before.begin(), before.end());
  std::vector<unsigned char> keeps(count);
  std::vector<std::uint32_t> numbers(count + 1, 0);
  std::uint32_t              kept = 0;
  for (std::uint32_t label = 1; label <= count; ++label)
  {
    keeps[label - 1] = HashOf(2, label) % 3 == 0 ? static_cast<unsigned char>(1 + label % 200) : 0;
    numbers[label] = keeps[label - 1] != 0 ? ++kept : 0;
  }
  std::vector<std::uint32_t> expected(before.size());
  std::transform(before.begin(), before.end(), expected.begin(), [&](std::uint32_t label) { return numbers[label]; });
  const OnDevice<std::uint8_t>  image(voxels);
  const OnDevice<unsigned char> keepsThere(keeps);
  const OnDevice<std::uint32_t> labels(voxels.size());
  for (const std::string & algorithm : SupportingAlgorithms(extent, Criterion::Foreground(), Connectivity::Face(3)))
  {
    CudaLabeler labeler(0);
    EXPECT_THROW(labeler.KeepOnDevice(keepsThere.Data(), nullptr, LabelType::UInt32), InvalidArgument);
    const auto label = [&] {
      ASSERT_EQ(labeler.LabelOnDevice(algorithm,
                                      ImageView(image.Data(), extent),
                                      Criterion::Foreground(),
                                      std::nullopt,
                                      Connectivity::Face(3),
                                      labels.Data(),
                                      LabelType::UInt32),
                count);
    };
    label();
    ASSERT_EQ(labeler.KeepOnDevice(keepsThere.Data(), nullptr, LabelType::UInt32), kept) << algorithm;
    labeler.WriteOnDevice(labels.Data(), LabelType::UInt32);
    ASSERT_EQ(labels.Download(voxels.size()), expected) << algorithm;
    // Of those, the largest ones; the table's rows are theirs.
    RelabelOptions largest;
    largest.largest = 4;
    largest.order = LabelOrder::Size;
    ASSERT_EQ(labeler.RelabelOnDevice(largest, labels.Data(), LabelType::UInt32), 4u) << algorithm;
    const auto           after = labels.Download(voxels.size());
    const ComponentTable table = labeler.FetchTable({});
    ASSERT_EQ(table.components.size(), 4u) << algorithm;
    for (std::uint32_t component = 1; component <= 4; ++component)
    {
      const auto size = static_cast<std::uint64_t>(std::count(after.begin(), after.end(), component));
      EXPECT_EQ(table.components.VoxelCount(component - 1), size) << algorithm;
    }
  }
}

TEST_F(OnCuda, ATypeThatIsTooSmallForWhatStaysIsAnErrorAndNothingIsWritten)
{
  const Extent                 extent{ 90, 30, 20 };
  const auto                   voxels = MakeRandom(extent, 0.1, 1, 3);
  const OnDevice<std::uint8_t> image(voxels);
  const OnDevice<std::uint8_t> labels(std::vector<std::uint8_t>(voxels.size(), 77));
  for (const std::string & algorithm : SupportingAlgorithms(extent, Criterion::Foreground(), Connectivity::Face(3)))
  {
    CudaLabeler labeler(0);
    const auto  label = [&] {
      return labeler.LabelOnDevice(algorithm,
                                   ImageView(image.Data(), extent),
                                   Criterion::Foreground(),
                                   std::nullopt,
                                   Connectivity::Face(3),
                                   nullptr,
                                   LabelType::UInt8);
    };
    ASSERT_GT(label(), 1000u) << algorithm;
    EXPECT_THROW(labeler.RelabelOnDevice({}, labels.Data(), LabelType::UInt8), LabelOverflow) << algorithm;
    EXPECT_THROW(labeler.WriteOnDevice(labels.Data(), LabelType::UInt8), LabelOverflow) << algorithm;
    const auto untouched = labels.Download(voxels.size());
    ASSERT_EQ(std::count(untouched.begin(), untouched.end(), 77), static_cast<std::ptrdiff_t>(voxels.size()));
  }
  RelabelOptions largest;
  largest.largest = 200;
  CudaLabeler labeler(0);
  labeler.LabelOnDevice("Auto",
                        ImageView(image.Data(), extent),
                        Criterion::Foreground(),
                        std::nullopt,
                        Connectivity::Face(3),
                        nullptr,
                        LabelType::UInt8);
  ASSERT_EQ(labeler.RelabelOnDevice(largest, labels.Data(), LabelType::UInt8), 200u);
  const auto found = labels.Download(voxels.size());
  EXPECT_EQ(*std::max_element(found.begin(), found.end()), 200);
}

} // namespace
} // namespace brickccl
