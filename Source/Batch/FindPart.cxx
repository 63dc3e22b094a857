#include "BrickCCL/Batch/FindPart.h"

#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Geometry/DistanceTransform.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Labels/Relabel.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace brickccl::batch
{

namespace
{

/** A mask that is being made. */
struct NewMask
{
  LoadedImage    image;
  std::uint8_t * bytes = nullptr;

  /** A mask on the grid of another image; its content is unspecified. */
  explicit NewMask(const LoadedImage & grid)
  {
    image.type = ScalarType::UInt8;
    image.extent = grid.extent;
    image.geometry = grid.geometry;
    image.spacingSource = grid.spacingSource;
    bytes = reinterpret_cast<std::uint8_t *>(image.voxels.Resize(image.ByteCount()));
  }
};

/** The label of the largest component that touches no side along x and y; 0 if there is none. Labels are in the order
 *  of sizes. */
std::uint64_t
LargestInside(const Labeling & labeling)
{
  const ComponentTable table = labeling.Measure();
  constexpr unsigned   sidesOfXAndY = 15;
  for (const ComponentMeasures & component : table.components)
  {
    if ((table.SidesTouched(component) & sidesOfXAndY) == 0)
    {
      return component.label;
    }
  }
  return 0;
}

/** Writes 1 for the voxels of a component and 0 for all others. */
void
WriteMask(Labeling & labeling, std::uint64_t label, std::uint8_t * mask, int threads)
{
  std::vector<bool> keeps(static_cast<std::size_t>(labeling.ComponentCount()), false);
  keeps[static_cast<std::size_t>(label - 1)] = true;
  RunVolume runs = TakeRuns(labeling);
  KeepComponents(runs, keeps, { threads });
  ExpandRows(runs, 0, runs.GetExtent().RowCount(), LabelType::UInt8, mask);
}

void
FillPart(NewMask & mask, const std::string & where, const ProgressHooks & hooks, int threads)
{
  CleanOptions options;
  options.holes.emplace();
  if (where == "slices" && mask.image.extent.dimension == 3)
  {
    options.holes->connectivity = Connectivity::Full(2).WithinSlices(2);
  }
  options.geometry = mask.image.geometry;
  options.device.kind = Device::Kind::Cpu;
  options.threads = threads;
  options.progress = hooks;
  FillHoles(mask.image.View(), mask.bytes, options);
}

/** The voxels of the mask that lie deeper than `depth` mm. */
LoadedImage
Erode(const LoadedImage & mask, double depth, const ProgressHooks & hooks, int threads)
{
  const auto                         count = static_cast<std::size_t>(mask.extent.VoxelCount());
  const auto * const                 bytes = reinterpret_cast<const std::uint8_t *>(mask.voxels.Data());
  UninitializedVector<std::uint32_t> labels(count);
  std::copy(bytes, bytes + count, labels.begin());
  const auto squares = SquaredDistancesToOthers(mask.extent, mask.geometry, labels, { threads, Progress(hooks) });
  NewMask    inside(mask);
  const auto least = static_cast<float>(depth * depth);
  for (std::size_t i = 0; i < count; ++i)
  {
    inside.bytes[i] = squares[i] > least ? 1 : 0;
  }
  return std::move(inside.image);
}

} // namespace

FoundPart
FindPart(const LoadedImage & image, const Recipe::Part & part, const ProgressHooks & hooks, int threads)
{
  FoundPart    found;
  LabelOptions options;
  if (part.range)
  {
    options.criterion = Criterion::InRange(part.range->low, part.range->high);
  }
  else
  {
    found.threshold = FindThreshold(HistogramOfValues(image.View(), {}, { threads, Progress(hooks) }),
                                    ThresholdMethod::FromText(part.threshold));
    options.criterion = found.threshold->AtOrAbove();
  }
  options.device.kind = Device::Kind::Cpu;
  options.relabel.order = LabelOrder::Size;
  options.relabel.largest = part.method == "largest" ? 1 : 0;
  options.threads = threads;
  options.progress = hooks;
  Labeling            labeling = Label(image.View(), options);
  const std::uint64_t label = part.method == "largest" ? labeling.ComponentCount() : LargestInside(labeling);
  if (label == 0)
  {
    throw InvalidArgument("no component is of the part's material (" + options.criterion.ToString() +
                          "); [part] of the recipe says which values it has");
  }
  NewMask mask(image);
  WriteMask(labeling, label, mask.bytes, threads);
  if (part.fillHoles != "none")
  {
    FillPart(mask, part.fillHoles, hooks, threads);
  }
  found.mask = std::move(mask.image);
  if (part.erode > 0)
  {
    found.inside = Erode(found.mask, part.erode, hooks, threads);
  }
  return found;
}

} // namespace brickccl::batch
