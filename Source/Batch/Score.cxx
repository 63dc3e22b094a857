#include "BrickCCL/Batch/Score.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Measuring/Measure.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace brickccl::batch
{

namespace
{

using Pair = std::pair<std::uint64_t, std::uint64_t>;

double
Share(std::uint64_t part, std::uint64_t whole)
{
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(part) / static_cast<double>(whole);
}

/** The number of common voxels of each pair of labels that has any: first those of `a`, then those of `b`. */
std::map<Pair, std::uint64_t>
CountCommon(const RunVolume & a, const RunVolume & b)
{
  std::map<Pair, std::uint64_t> common;
  std::vector<LabeledRun>       first;
  std::vector<LabeledRun>       second;
  for (std::int64_t row = 0; row < a.GetExtent().RowCount(); ++row)
  {
    CollectLabeledRuns(a, row, first);
    CollectLabeledRuns(b, row, second);
    for (std::size_t i = 0, k = 0; i < first.size() && k < second.size();)
    {
      const std::int64_t begin = std::max(first[i].begin, second[k].begin);
      const std::int64_t end = std::min(first[i].end, second[k].end);
      if (begin < end)
      {
        common[{ first[i].label, second[k].label }] += static_cast<std::uint64_t>(end - begin);
      }
      first[i].end < second[k].end ? ++i : ++k;
    }
  }
  return common;
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
    if (static_cast<double>(voxels) < options.leastOverlap * static_cast<double>(std::min(trueVoxels, ownVoxels)))
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
  for (std::size_t place = 0; place < best.size(); ++place)
  {
    best[place].truth = place + 1;
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
