// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/ItemMemory.h"

#include "BrickCCL/Batch/ReportPictures.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Job/JobCriterion.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace brickccl::batch
{

namespace
{

/** The fixed memory of a process: the program, its libraries, buffers and a picture. */
constexpr std::uint64_t OwnBytes = std::uint64_t{ 64 } << 20;

/** Bytes per voxel for lists of runs and components before the plan is updated. */
constexpr std::uint64_t BytesForLists = 2;

/** A run's label and bounds, and what finding them takes. */
constexpr std::uint64_t BytesOfLabeledRun = 24;

/** The bytes per voxel that smoothing needs in addition to the image, at its peak. */
std::uint64_t
SmoothingBytes(const LoadedImage & header, const Recipe & recipe)
{
  if (recipe.smooth.empty())
  {
    return 0;
  }
  // ITK works on floats (on doubles where these do not hold the values), from one copy to another one.
  const std::uint64_t real = SizeOf(header.type) <= 2 || header.type == ScalarType::Float32 ? 4 : 8;
  return SizeOf(header.type) + 4 * real;
}

/** The bytes for each voxel that stay when the image is smoothed or compared with a local threshold. */
std::uint64_t
SmoothedBytes(const LoadedImage & header, const Recipe & recipe)
{
  const bool          isGaussian = recipe.smooth.find("gaussian") != std::string::npos;
  const std::uint64_t local = job::HasLocalThreshold(recipe) ? 1 : 0;
  return local + (recipe.smooth.empty() ? 0 : isGaussian ? 8 : SizeOf(header.type));
}

/** The bytes that finding the part needs at its peak, with the masks that stay, without memory that grows with the
 * runs. */
std::uint64_t
PartBytes(const LoadedImage & header, const job::Part & part)
{
  if (part.partMethod == "none")
  {
    return 0;
  }
  const auto voxels = static_cast<std::uint64_t>(header.extent.VoxelCount());
  // Labels and distances to others, as 32-bit numbers.
  constexpr std::uint64_t ofDistances = 8;
  // The bits of a mask, and the paths that lead into gaps.
  const std::uint64_t ofGaps = part.close > 0 ? 4 : 1;
  // Two masks that stay and one that passes, for several parts another one, and the bits of two labelings.
  const std::uint64_t ofMasks = part.parts == "largest" ? 4 : 5;
  return voxels * (ofMasks + std::max(ofGaps, part.erode > 0 ? ofDistances : 0));
}

/** The bytes for each voxel of the masks of the part. */
std::uint64_t
MaskBytes(const job::Part & part)
{
  return part.partMethod == "none" ? 0 : 1 + (part.partMethod == "pores" ? 1 : 0) + (part.erode > 0 ? 1 : 0);
}

/** The most memory of an item's process, in bytes, estimated from its header: the image, the recipe's steps per
 *  voxel, the process itself, and lists of runs and components as in most scans. */
std::uint64_t
MemoryForVoxels(const LoadedImage &           header,
                std::uint64_t                 voxelBytes,
                const std::set<std::string> & files,
                const Recipe &                recipe)
{
  const auto          voxels = static_cast<std::uint64_t>(header.extent.VoxelCount());
  const std::uint64_t smoothed = SmoothedBytes(header, recipe);
  // Each part is measured with two masks of its own.
  const std::uint64_t masks = MaskBytes(recipe) + (recipe.parts == "largest" ? 0 : 2);
  // The bits of the foreground and of the joined voxels are there while components are found.
  constexpr std::uint64_t labeling = 1;
  // The labels of components and objects, and the distances in them.
  const std::uint64_t split = recipe.split.empty() ? 0 : 12;
  const std::uint64_t thickness = recipe.groups.Has("thickness") || recipe.groups.Has("inscribed") ? 12 : 0;
  const std::uint64_t steps = std::max({ voxels * SmoothingBytes(header, recipe),
                                         voxels * smoothed + PartBytes(header, recipe),
                                         voxels * (smoothed + masks + labeling + split + thickness) });
  // Voxels that lie in the file as they are, are not copied.
  std::uint64_t fileBytes = 0;
  for (const std::string & path : files)
  {
    std::error_code failure;
    const auto      size = std::filesystem::file_size(path, failure);
    fileBytes += failure ? 0 : size;
  }
  const std::uint64_t file = fileBytes < voxelBytes ? fileBytes : 0;
  // Zones have up to four bytes a voxel.
  const std::uint64_t region = voxels * ((recipe.Region::IsGiven() ? 1 : 0) + (recipe.zones.empty() ? 0 : 4));
  return OwnBytes + voxelBytes + file + region + steps + voxels * BytesForLists;
}

/** The memory to draw the slices of an item's report. */
std::uint64_t
MemoryForReportSlices(const Extent & extent)
{
  // A double, a label and a coverage for each pixel of every slice, then the sheet, and lists that grow by doubling.
  constexpr std::uint64_t bytesOfPixel = 28;
  std::int64_t            slices = 1;
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    slices = std::max(slices, extent.size[axis]);
  }
  const auto side = static_cast<std::uint64_t>(SliceSide);
  return std::min(static_cast<std::uint64_t>(slices), std::uint64_t{ MaximumReportSlices }) * side * side *
         bytesOfPixel;
}

/** The memory of the program that draws surfaces, with its display. `runs` is the number of the labels' runs. */
std::uint64_t
MemoryForSurfaces(const Extent & extent, std::uint64_t runs)
{
  // Measured: the program with VTK and OpenGL takes 250 MB, the display 70 MB, and noise without any structure 2.4 kB
  // for each of its runs.
  constexpr std::uint64_t ofPrograms = 330000000;
  constexpr std::uint64_t ofVoxel = 14;
  constexpr std::uint64_t ofRun = 2500;
  return ofPrograms + static_cast<std::uint64_t>(extent.VoxelCount()) * ofVoxel + runs * ofRun;
}

} // namespace

void
MemoryPlan::Plan(const LoadedImage &           header,
                 std::uint64_t                 voxelBytes,
                 const std::set<std::string> & files,
                 bool                          drawsForReport,
                 bool                          drawsSurfaces)
{
  m_Extent = header.extent;
  m_ForVoxels =
    MemoryForVoxels(header, voxelBytes, files, m_Recipe) + (drawsForReport ? MemoryForReportSlices(header.extent) : 0);
  m_ForLists = static_cast<std::uint64_t>(header.extent.VoxelCount()) * BytesForLists;
  m_Needed = m_ForVoxels;
  m_ForSurfaces = drawsSurfaces && header.extent.dimension == 3 ? MemoryForSurfaces(header.extent, 0) : 0;
  Check();
}

void
MemoryPlan::CheckMaterial(std::uint64_t runs)
{
  // The air around and within the material has no more runs than this.
  CheckLists((2 * runs + static_cast<std::uint64_t>(m_Extent.RowCount())) * BytesOfLabeledRun);
}

void
MemoryPlan::CheckForeground(std::uint64_t runs)
{
  CheckLists(runs * BytesOfLabeledRun);
}

void
MemoryPlan::CheckComponents(std::uint64_t runs, std::uint64_t outsideRuns, std::uint64_t components)
{
  constexpr std::uint64_t box = 64;
  // Trees have fewer nodes than boxes.
  constexpr std::uint64_t ofTree = 2 * box + 16;
  constexpr std::uint64_t ofComponent = 1024;
  const auto              asks = [&](const char * text) {
    return std::any_of(m_Recipe.acceptance.begin(), m_Recipe.acceptance.end(), [&](const AcceptanceRule & rule) {
      return rule.rule.find(text) != std::string::npos;
    });
  };
  const bool hasTrees = m_Recipe.groups.Has("neighbors") || m_Recipe.partMethod != "none" || asks("cluster");
  CheckLists(runs * (16 + (m_Recipe.parts == "largest" ? 0 : 8) +
                     (hasTrees        ? 2 * ofTree
                      : asks("-per-") ? box
                                      : 0)) +
             outsideRuns * ofTree + components * ofComponent);
}

void
MemoryPlan::CheckLists(std::uint64_t bytes)
{
  m_Needed = std::max(m_Needed, m_ForVoxels + bytes - std::min(bytes, m_ForLists));
  Check();
}

void
MemoryPlan::Check() const
{
  const std::uint64_t withSurfaces = m_Needed + m_ForSurfaces;
  const std::uint64_t needed = withSurfaces <= m_Maximum ? withSurfaces : m_Needed;
  if (needed > m_Limit)
  {
    throw MoreMemoryNeeded(needed);
  }
}

std::string
MemoryPlan::WhyNoSurfaces(const RunVolume & labels) const
{
  if (m_ForSurfaces == 0)
  {
    return "";
  }
  const std::uint64_t needed = m_Needed + MemoryForSurfaces(labels.GetExtent(), labels.RunCount());
  if (needed > m_Maximum)
  {
    return "the picture of surfaces is skipped: the item would need about " + DescribeNeed(needed) +
           " of memory, but has only " + DescribeBytes(m_Maximum);
  }
  if (needed > m_Limit)
  {
    throw MoreMemoryNeeded(needed);
  }
  return "";
}

std::string
DescribeBytes(std::uint64_t bytes)
{
  if (bytes < 1000)
  {
    return Counted(bytes, "byte");
  }
  const bool isLarge = bytes >= 1000000000;
  const bool isSmall = bytes < 1000000;
  char       text[32];
  std::snprintf(text,
                sizeof(text),
                isLarge   ? "%.1f GB"
                : isSmall ? "%.0f kB"
                          : "%.0f MB",
                static_cast<double>(bytes) / (isLarge   ? 1e9
                                              : isSmall ? 1e3
                                                        : 1e6));
  return text;
}

std::string
DescribeNeed(std::uint64_t bytes)
{
  const std::uint64_t digit = bytes >= 1000000000 ? 100000000 : 1000000;
  return DescribeBytes((bytes + digit - 1) / digit * digit);
}

} // namespace brickccl::batch
