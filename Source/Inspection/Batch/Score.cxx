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

std::uint64_t
VoxelsOf(const ComponentTable & table)
{
  std::uint64_t voxels = 0;
  for (std::size_t place = 0; place < table.components.size(); ++place)
  {
    voxels += table.components.VoxelCount(place);
  }
  return voxels;
}

} // namespace

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

Score
ScoreLabels(const LoadedImage &  labels,
            const LoadedImage &  truth,
            const ScoreOptions & options,
            const HostContext &  context)
{
  if (!std::equal(labels.extent.size, labels.extent.size + MaximumDimension, truth.extent.size))
  {
    throw InvalidArgument("the label map has the extent " + labels.extent.ToString() + " but the truth has " +
                          truth.extent.ToString() + "; they must be the same");
  }
  RunVolume            found;
  const ComponentTable foundTable = MeasureLabelImage(labels.View(), labels.geometry, {}, context, found);
  LabelOptions         labeling;
  labeling.criterion = Criterion::EqualValue();
  labeling.connectivity = Connectivity::Full(truth.extent.dimension);
  labeling.device.kind = Device::Kind::Cpu;
  labeling.threads = context.threads;
  labeling.geometry = truth.geometry;
  const Labeling       defects = Label(truth.View(), labeling);
  const ComponentTable trueTable = defects.Measure();

  Score score;
  score.labels = foundTable.components.size();
  score.trueVoxels = VoxelsOf(trueTable);
  score.labelVoxels = VoxelsOf(foundTable);
  std::vector<bool>       isRight(foundTable.components.size(), false);
  std::vector<ScoreMatch> best(trueTable.components.size());
  for (const auto & [pair, voxels] : CountCommon(RunsOf(defects), found))
  {
    score.commonVoxels += voxels;
    const auto          trueVoxels = trueTable.components.VoxelCount(static_cast<std::size_t>(pair.first - 1));
    const auto          place = static_cast<std::size_t>(pair.second - 1);
    const std::uint64_t ownVoxels = foundTable.components.VoxelCount(place);
    const double        needed = options.leastOverlap * static_cast<double>(std::min(trueVoxels, ownVoxels));
    if (!Condition::IsAtMost(needed, static_cast<double>(voxels)))
    {
      continue;
    }
    isRight[place] = true;
    ScoreMatch & match = best[static_cast<std::size_t>(pair.first - 1)];
    if (voxels > match.commonVoxels)
    {
      match.label = foundTable.components.Label(place);
      match.labelVoxels = ownVoxels;
      match.commonVoxels = voxels;
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
