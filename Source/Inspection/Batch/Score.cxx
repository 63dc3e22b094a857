// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/Score.h"

#include "BrickCCL/Batch/ColumnValues.h"
#include "BrickCCL/Batch/Overlap.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Tables/Condition.h"

#include <algorithm>
#include <limits>

namespace brickccl::batch
{

namespace
{

double
Share(std::uint64_t part, std::uint64_t whole)
{
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(part) / static_cast<double>(whole);
}

/** A true defect and a label that share voxels: their places, and voxels. */
struct CommonPair
{
  std::size_t truth;
  std::size_t place;
  ScoreMatch  match;
};

} // namespace

double
ScoreMatch::Iou() const
{
  return Share(commonVoxels, truthVoxels + labelVoxels - commonVoxels);
}

double
Score::Recall() const
{
  return Share(foundDefects, trueDefects);
}

double
Score::Precision() const
{
  return Share(rightLabels, labels);
}

double
Score::Dice() const
{
  return Share(2 * commonVoxels, trueVoxels + labelVoxels);
}

double
Score::F1() const
{
  return Share(2 * foundDefects, foundDefects + trueDefects + labels - rightLabels);
}

double
Score::MeanIou() const
{
  double sum = 0;
  for (const ScoreMatch & match : matches)
  {
    sum += match.label ? match.Iou() : 0;
  }
  return foundDefects == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(foundDefects);
}

double
Score::VolumeError() const
{
  return Share(labelVoxels, trueVoxels) - 1;
}

Score
ScoreLabels(const LoadedImage &  labels,
            const LoadedImage &  truth,
            const ScoreOptions & options,
            const HostContext &  context)
{
  ThrowIf<InvalidArgument>(!std::equal(labels.extent.size, labels.extent.size + MaximumDimension, truth.extent.size),
                           "the label map has the extent " + labels.extent.ToString() + " but the truth has " +
                             truth.extent.ToString() + "; they must be the same");
  LabelOptions labeling;
  labeling.criterion = Criterion::EqualValue();
  labeling.connectivity = Connectivity::Full(truth.extent.dimension);
  labeling.device.kind = Device::Kind::Cpu;
  labeling.threads = context.threads;
  labeling.geometry = truth.geometry;
  const Labeling          defects = Label(truth.View(), labeling);
  const ComponentTable    trueTable = defects.Measure();
  RunVolume               values;
  std::optional<Labeling> components;
  if (options.areComponents)
  {
    components = Label(labels.View(), labeling);
  }
  const ComponentTable foundTable =
    components ? components->Measure() : MeasureLabelImage(labels.View(), labels.geometry, {}, context, values);

  Score score;
  score.labels = foundTable.components.size();
  score.trueVoxels = TotalsOf(trueTable).voxels;
  score.labelVoxels = TotalsOf(foundTable).voxels;
  std::vector<CommonPair> pairs;
  for (const auto & [pair, voxels] : CountCommon(RunsOf(defects), components ? RunsOf(*components) : values))
  {
    score.commonVoxels += voxels;
    CommonPair one{ static_cast<std::size_t>(pair.first - 1), static_cast<std::size_t>(pair.second - 1), {} };
    one.match.truthVoxels = trueTable.components.VoxelCount(one.truth);
    one.match.label = foundTable.components.Label(one.place);
    one.match.labelVoxels = foundTable.components.VoxelCount(one.place);
    one.match.commonVoxels = voxels;
    pairs.push_back(one);
  }
  std::vector<bool>       isRight(foundTable.components.size(), false);
  std::vector<ScoreMatch> best(trueTable.components.size());
  if (options.leastIou)
  {
    const auto isBefore = [](const auto & a, const auto & b) { return a.match.Iou() > b.match.Iou(); };
    std::stable_sort(pairs.begin(), pairs.end(), isBefore);
  }
  for (const auto & [truthPlace, place, match] : pairs)
  {
    const auto   smaller = static_cast<double>(std::min(match.truthVoxels, match.labelVoxels));
    ScoreMatch & own = best[truthPlace];
    if (options.leastIou ? !own.label && !isRight[place] && Condition::IsAtMost(*options.leastIou, match.Iou())
                         : Condition::IsAtMost(options.leastOverlap * smaller, static_cast<double>(match.commonVoxels)))
    {
      isRight[place] = true;
      own = match.commonVoxels > own.commonVoxels ? match : own;
    }
  }
  score.rightLabels = static_cast<std::uint64_t>(std::count(isRight.begin(), isRight.end(), true));
  const auto diameter = ValuesOf(trueTable, "equivalent_spherical_diameter_mm");
  for (std::size_t place = 0; place < best.size(); ++place)
  {
    best[place].truth = place + 1;
    best[place].truthDiameter = diameter(trueTable.components[place]);
    best[place].truthVoxels = trueTable.components.VoxelCount(place);
    if (best[place].truthVoxels >= options.minimumSize)
    {
      ++score.trueDefects;
      score.foundDefects += best[place].label ? 1 : 0;
      score.matches.push_back(best[place]);
    }
  }
  return score;
}

} // namespace brickccl::batch
