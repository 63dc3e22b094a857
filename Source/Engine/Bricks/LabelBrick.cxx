// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/Bricks.h"

#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Measuring/Measure.h"

#include <limits>
#include <utility>
#include <vector>

namespace brickccl
{

/** The options to label a single brick: nothing is dropped, no axis is periodic, and it has its place. */
static LabelOptions
OptionsOfBrick(const LabelOptions & options, const BrickBox & box)
{
  LabelOptions own = options;
  own.relabel = {};
  own.minimumVolume = 0;
  own.periodic = {};
  for (int axis = 0; axis < box.volume.dimension; ++axis)
  {
    own.geometry.startIndex[axis] += box.begin[axis];
  }
  return own;
}

/** Labels the brick and leaves out what certainly goes. Fills the record's counts, and makes its faces. */
static void
LabelAndDrop(const ImageView & image, const BrickOptions & options, Labeling & labeling, BrickRecord & record)
{
  const Connectivity connectivity = options.label.connectivity.value_or(Connectivity::Face(image.extent.dimension));
  CheckLargestAcross(options.label.relabel, connectivity);
  CheckPeriodic(options.label.periodic, connectivity);
  Label(image, OptionsOfBrick(options.label, record.box), labeling);
  Labeling::Implementation & own = ImplementationOf(labeling);
  record.problem = BrickProblem(own.connectivity,
                                options.label.criterion,
                                image.type,
                                image.channels,
                                options.label.periodic,
                                LimitsOf(options.label, record.box.volume.dimension));
  record.foregroundVoxels = labeling.ForegroundVoxelCount();
  record.faces = FaceRuns(record.box, record.problem);
  record.faces.Take(own.volume, image);

  const RelabelOptions & limits = record.problem.relabel;
  if (limits.minimumSize <= 1 && limits.maximumSize == std::numeric_limits<std::uint64_t>::max())
  {
    return;
  }
  std::vector<bool> keeps(static_cast<std::size_t>(own.components), false);
  for (const FaceRun & run : record.faces.Runs())
  {
    keeps[static_cast<std::size_t>(run.label - 1)] = true;
  }
  const ComponentTable sizes = labeling.Measure();
  bool                 dropsAny = false;
  for (std::size_t c = 0; c < keeps.size(); ++c)
  {
    const std::uint64_t voxels = sizes.components.VoxelCount(c);
    const bool          isTooSmall = voxels < limits.minimumSize;
    if (!keeps[c] && (isTooSmall || voxels > limits.maximumSize))
    {
      ++(isTooSmall ? record.tooSmall : record.tooLarge);
      dropsAny = true;
      continue;
    }
    keeps[c] = true;
  }
  if (dropsAny)
  {
    own.components = KeepComponents(own.volume, keeps, own.Context({})).size();
    record.faces = FaceRuns(record.box, record.problem);
    record.faces.Take(own.volume, image);
  }
}

LabeledBrick
LabelBrick(const ImageView & image, const BrickBox & box, const BrickOptions & options, Labeling & scratch)
{
  ThrowIf<InvalidArgument>(image.extent != box.extent,
                           "an image of " + image.extent.ToString() + " voxels does not fit " + box.ToString());
  CheckIndexSums(box.volume);
  CheckColumnsOfBricks(options.measure, options.label.periodic);
  BrickRecord record;
  record.box = box;
  record.notNumbers = CountNotANumber(image, { options.label.threads });
  LabelAndDrop(image, options, scratch, record);

  MeasureOptions measure = options.measures ? options.measure : MeasureOptions();
  measure.groups.CheckDimension(box.volume.dimension);
  record.secondLook = SecondLookOf(measure.groups);
  measure.groups = FirstLookOf(measure.groups);
  ComponentTable table = scratch.Measure(measure, options.label.progress);
  for (std::size_t c = 0; c < table.components.size(); ++c)
  {
    const ComponentMeasures row = table.components[c];
    record.firstVoxels.push_back(box.PlaceInVolume(row.firstVoxel));
    record.voxelCounts.push_back(row.voxelCount);
  }
  if (options.measures)
  {
    record.table = std::move(table);
  }
  LabeledBrick brick;
  brick.record = WriteRecord(record);
  ByteWriter                 runs;
  Labeling::Implementation & own = ImplementationOf(scratch);
  runs.Fixed(ChecksumOf(brick.record));
  WriteRuns(own.volume, own.Context({}), runs);
  brick.runs = Seal(BytesKind::Runs, runs.Written());
  return brick;
}

LabeledBrick
LabelBrick(const ImageView & image, const BrickBox & box, const BrickOptions & options)
{
  Labeling scratch;
  return LabelBrick(image, box, options, scratch);
}

void
WriteBrick(BytesView runs, BytesView map, void * labels, LabelType type, int threads)
{
  const BrickMap read = ReadMap(map);
  ThrowIf<LabelOverflow>(read.components > MaximumLabel(type),
                         std::to_string(read.components) + " components do not fit the label type " + NameOf(type) +
                           "; use " + NameOf(SmallestLabelType(read.components)));
  const HostContext context{ threads };
  RunVolume         volume;
  ReadBrickRuns(runs, read, context, volume);
  VisitLabelType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    ExpandLabels(volume, read.components, context, static_cast<T *>(labels));
  });
}

} // namespace brickccl
