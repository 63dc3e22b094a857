// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/FindPart.h"

#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Geometry/DistanceTransform.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Job/Region.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"

#include <algorithm>
#include <cmath>
#include <memory>
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

/** The voxels of the mask whose centers lie deeper than `depth` mm. \throws InvalidArgument if there is none. */
LoadedImage
Erode(const LoadedImage & mask, double depth, const ProgressHooks & hooks, int threads)
{
  const auto                         count = static_cast<std::size_t>(mask.extent.VoxelCount());
  const auto * const                 bytes = reinterpret_cast<const std::uint8_t *>(mask.voxels.Data());
  UninitializedVector<std::uint32_t> labels(count);
  std::copy(bytes, bytes + count, labels.begin());
  const auto squares = SquaredDistancesToOthers(mask.extent, mask.geometry, labels, { threads, Progress(hooks) });
  NewMask    inside(mask);
  // Distances are rounded to floats; a voxel just as deep is not deeper.
  const auto least = static_cast<float>(depth * depth * (1 + 1e-6));
  const auto deepest = *std::max_element(squares.begin(), squares.end());
  if (!(deepest > least))
  {
    throw InvalidArgument("no voxel of the part is deeper than part.erode_mm = " + Shortest(depth) +
                          " mm; its innermost voxel is " + Shortest(std::sqrt(deepest)) + " mm deep");
  }
  for (std::size_t i = 0; i < count; ++i)
  {
    inside.bytes[i] = squares[i] > least ? 1 : 0;
  }
  return std::move(inside.image);
}

/** The criterion of the part's material. */
Criterion
MaterialOf(const LoadedImage &              image,
           const job::Part &                part,
           const std::optional<ImageView> & region,
           const HostContext &              context,
           FoundPart &                      found)
{
  if (part.partRange)
  {
    return Criterion::InRange(AsVoxelValue(part.partRange->low, image.type),
                              AsVoxelValue(part.partRange->high, image.type));
  }
  found.threshold = job::ThresholdOf(image.View(), region, part.partThreshold, context);
  return found.threshold->AtOrAbove();
}

/** The largest piece of material with its pores. */
void
TakePores(const LoadedImage & image, const PoreOptions & options, FoundPart & found)
{
  const auto result = std::make_shared<PoresOfPart>(FindPores(image.View(), options));
  const auto share = [&](const UninitializedVector<std::uint8_t> & bytes) {
    LoadedImage mask;
    mask.type = ScalarType::UInt8;
    mask.extent = image.extent;
    mask.geometry = image.geometry;
    mask.voxels.Share(result, bytes.data(), bytes.size());
    return mask;
  };
  found.mask = share(result->part);
  found.pores = share(result->pores);
  found.parts = result->voxelsOfParts.empty() ? 0 : static_cast<std::size_t>(result->voxelsOfParts.rbegin()->first);
  found.notes = NotesOn(*result, "part.close_mm");
}

/** The largest component of the material. */
void
TakeLargest(const LoadedImage &   image,
            const job::Part &     part,
            const Criterion &     material,
            const ProgressHooks & hooks,
            int                   threads,
            FoundPart &           found)
{
  LabelOptions options;
  options.criterion = material;
  options.device.kind = Device::Kind::Cpu;
  options.relabel.order = LabelOrder::Size;
  options.relabel.largest = part.partMethod == "largest" ? 1 : 0;
  options.threads = threads;
  options.progress = hooks;
  Labeling labeling = Label(image.View(), options);
  CheckThatAirIsLeft(labeling.ForegroundVoxelCount(), image.extent, material);
  const std::uint64_t label = part.partMethod == "largest" ? labeling.ComponentCount() : LargestInside(labeling);
  if (label == 0)
  {
    throw InvalidArgument("no component consists of the part's material (" + material.ToString() +
                          "); correct its values in [part] of the recipe");
  }
  NewMask mask(image);
  WritePiece(RunsOf(labeling), mask.bytes, { threads }, label);
  if (part.partHoles != "none")
  {
    FillPart(mask, part.partHoles, hooks, threads);
  }
  found.mask = std::move(mask.image);
  if (CountVoxels(found.mask) == static_cast<std::uint64_t>(image.extent.VoxelCount()))
  {
    found.notes.push_back(NoteOnFullImage());
  }
}

} // namespace

std::uint64_t
CountVoxels(const LoadedImage & mask)
{
  const auto * const bytes = reinterpret_cast<const std::uint8_t *>(mask.voxels.Data());
  const std::int64_t count = mask.extent.VoxelCount();
  return static_cast<std::uint64_t>(count - std::count(bytes, bytes + count, std::uint8_t{ 0 }));
}

std::uint64_t
CountRuns(const ImageView &                image,
          const Criterion &                criterion,
          const std::optional<ImageView> & mask,
          const HostContext &              context)
{
  RunVolume runs;
  FindRuns(*MakeRowLinks(image, criterion, mask), image.extent, {}, context, runs);
  return runs.RunCount();
}

std::uint64_t
CountRunsOutside(const LoadedImage & mask)
{
  const auto *  bytes = reinterpret_cast<const std::uint8_t *>(mask.voxels.Data());
  std::uint64_t runs = 0;
  for (std::int64_t row = 0; row < mask.extent.RowCount(); ++row)
  {
    bool isOutside = false;
    for (std::int64_t x = 0; x < mask.extent.size[0]; ++x, ++bytes)
    {
      runs += *bytes == 0 && !isOutside ? 1 : 0;
      isOutside = *bytes == 0;
    }
  }
  return runs;
}

std::vector<bool>
LieWithin(const LoadedImage & mask, const RunVolume & runs, std::uint64_t count)
{
  const auto * const      bytes = reinterpret_cast<const std::uint8_t *>(mask.voxels.Data());
  const std::int64_t      width = mask.extent.size[0];
  std::vector<bool>       within(static_cast<std::size_t>(count), true);
  std::vector<LabeledRun> own;
  for (std::int64_t row = 0; row < mask.extent.RowCount(); ++row)
  {
    CollectLabeledRuns(runs, row, own);
    const std::uint8_t * const begin = bytes + row * width;
    for (const LabeledRun & run : own)
    {
      if (std::find(begin + run.begin, begin + run.end, std::uint8_t{ 0 }) != begin + run.end)
      {
        within[static_cast<std::size_t>(run.label - 1)] = false;
      }
    }
  }
  return within;
}

FoundPart
FindPart(const LoadedImage &                        image,
         const job::Part &                          part,
         LoadedImage *                              region,
         const ProgressHooks &                      hooks,
         int                                        threads,
         const std::function<void(std::uint64_t)> & onMaterial)
{
  FoundPart         found;
  const HostContext context{ threads, Progress(hooks) };
  const auto        inside = region != nullptr ? std::optional(region->View()) : std::nullopt;
  const Criterion   material = MaterialOf(image, part, inside, context, found);
  if (onMaterial)
  {
    onMaterial(CountRuns(image.View(), material, {}, context.Silent()));
  }
  if (part.partMethod == "pores")
  {
    PoreOptions options;
    options.material = material;
    options.closeWidth = part.close;
    options.parts = job::PartsOf(part);
    options.region = inside;
    options.geometry = image.geometry;
    options.device.kind = Device::Kind::Cpu;
    options.threads = threads;
    options.progress = hooks;
    TakePores(image, options, found);
  }
  else
  {
    TakeLargest(image, part, material, hooks, threads, found);
  }
  if (part.erode > 0)
  {
    found.inside = Erode(found.mask, part.erode, hooks, threads);
  }
  if (region != nullptr)
  {
    job::SetOutsideToZero(*region, found.mask, threads);
  }
  if (region != nullptr && found.inside)
  {
    job::SetOutsideToZero(*found.inside, *region, threads);
  }
  return found;
}

} // namespace brickccl::batch
