// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Job/RunJob.h"

#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Geometry/DistanceTransform.h"
#include "BrickCCL/Labels/LabeledRuns.h"

#include <algorithm>
#include <cmath>

namespace brickccl::job
{

/** The label of the largest component that touches no side along x and y, or 0. Labels are in the order of sizes. */
static std::uint64_t
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

static void
FillHolesOf(PoresOfPart & found, const std::string & where, const PoreOptions & options)
{
  CleanOptions filling;
  filling.holes.emplace();
  if (where == "slices" && found.extent.dimension == 3)
  {
    filling.holes->connectivity = Connectivity::Full(2).WithinSlices(2);
  }
  filling.geometry = found.geometry;
  filling.device.kind = Device::Kind::Cpu;
  filling.threads = options.threads;
  filling.progress = options.progress;
  FillHoles(found.PartView(), found.part.data(), filling);
}

/** The voxels of the part whose centers lie deeper than `depth` mm. \throws InvalidArgument if there is none. */
static LoadedImage
Erode(const PoresOfPart & found, double depth, const HostContext & context)
{
  LoadedImage inside;
  inside.type = ScalarType::UInt8;
  inside.extent = found.extent;
  inside.geometry = found.geometry;
  auto * const bytes = reinterpret_cast<std::uint8_t *>(inside.voxels.Resize(inside.ByteCount()));
  const UninitializedVector<std::uint32_t> labels(found.part.begin(), found.part.end());
  const auto squares = SquaredDistancesToOthers(found.extent, found.geometry, labels, context);
  // Distances are rounded to floats; a voxel just as deep is not deeper.
  const auto least = static_cast<float>(depth * depth * (1 + 1e-6));
  const auto deepest = *std::max_element(squares.begin(), squares.end());
  ThrowIf<InvalidArgument>(!(deepest > least),
                           "no voxel of the part is deeper than part.erode_mm = " + Shortest(depth) +
                             " mm; its innermost voxel is " + Shortest(std::sqrt(deepest)) + " mm deep");
  std::transform(squares.begin(), squares.end(), bytes, [&](float square) { return square > least ? 1 : 0; });
  return inside;
}

static PoresOfPart
FindLargest(const ImageView & image, const Part & part, const PoreOptions & options)
{
  LabelOptions labeling;
  labeling.criterion = options.material;
  labeling.device.kind = Device::Kind::Cpu;
  labeling.relabel.order = LabelOrder::Size;
  labeling.relabel.largest = part.partMethod == "largest" ? 1 : 0;
  labeling.threads = options.threads;
  labeling.progress = options.progress;
  const Labeling pieces = Label(image, labeling);
  CheckThatAirIsLeft(pieces.ForegroundVoxelCount(), image.extent, options.material);
  const std::uint64_t label = part.partMethod == "largest" ? pieces.ComponentCount() : LargestInside(pieces);
  ThrowIf<InvalidArgument>(label == 0,
                           "no component consists of the part's material (" + options.material.ToString() +
                             "); correct its values in [part] of the recipe");
  PoresOfPart found;
  found.extent = image.extent;
  found.geometry = options.geometry;
  found.part.resize(static_cast<std::size_t>(image.extent.VoxelCount()));
  WritePiece(RunsOf(pieces), found.part.data(), { options.threads }, label);
  if (part.partHoles != "none")
  {
    FillHolesOf(found, part.partHoles, options);
  }
  found.fillsImage = std::count(found.part.begin(), found.part.end(), std::uint8_t{ 0 }) == 0;
  return found;
}

std::vector<bool>
LieWithin(const LoadedImage & mask, const RunVolume & runs, std::uint64_t count)
{
  const auto * const bytes = reinterpret_cast<const std::uint8_t *>(mask.voxels.Data());
  std::vector<bool>  within(static_cast<std::size_t>(count), true);
  ForEachLabeledRun(runs, 0, mask.extent.RowCount(), [&](std::int64_t row, const LabeledRun & run) {
    const std::uint8_t * const begin = bytes + row * mask.extent.size[0];
    if (std::find(begin + run.begin, begin + run.end, std::uint8_t{ 0 }) != begin + run.end)
    {
      within[static_cast<std::size_t>(run.label - 1)] = false;
    }
  });
  return within;
}

FoundPart
FindPart(const ImageView & image, const Part & part, const Criterion & material, PoreOptions options)
{
  options.material = material;
  FoundPart found;
  static_cast<PoresOfPart &>(found) =
    part.partMethod == "pores" ? FindPores(image, options) : FindLargest(image, part, options);
  found.material = material;
  if (part.erode > 0)
  {
    found.inside = Erode(found, part.erode, { options.threads, Progress(options.progress) });
  }
  return found;
}

} // namespace brickccl::job
