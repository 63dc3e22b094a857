#include "BrickCCL/Batch/FindPart.h"

#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Geometry/DistanceTransform.h"

#include <algorithm>
#include <utility>

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
  options.relabel.largest = 1;
  options.threads = threads;
  options.progress = hooks;
  const Labeling labeling = Label(image.View(), options);
  if (labeling.ComponentCount() == 0)
  {
    throw InvalidArgument("no voxel is of the part's material (" + options.criterion.ToString() +
                          "); [part] of the recipe says which values it has");
  }
  NewMask mask(image);
  labeling.Write(mask.bytes, std::uint8_t{ 0 }, hooks);
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
