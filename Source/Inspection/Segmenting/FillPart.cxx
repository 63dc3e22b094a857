// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/FillPart.h"

#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Labels/LabeledRuns.h"

#include <algorithm>

namespace brickccl
{

/** A hole that runs straight through is a bore if it does so over at least this share of the part's cross-section. */
constexpr double LeastShareOfBore = 1.0 / 50;
/** Pores, too, run straight through a stack of fewer slices. */
constexpr std::int64_t LeastLengthOfBore = 8;

/** Whether an image is a volume, so that holes within its faces count. */
static bool
HasFaces(const Extent & extent)
{
  return extent.size[0] > 1 && extent.size[1] > 1 && extent.size[2] > 1;
}

/** Calls `work(row in the image, runs)` for all rows of labeled parts. */
template <typename TWork>
static void
ForEachRow(const LabeledParts & parts, TWork work)
{
  std::vector<LabeledRun> runs;
  parts([&](const RunVolume & volume, std::int64_t firstRow) {
    for (std::int64_t row = 0; row < volume.GetExtent().RowCount(); ++row)
    {
      CollectLabeledRuns(volume, row, runs);
      work(firstRow + row, runs);
    }
  });
}

PartFaces::PartFaces(const Extent & extent)
  : m_Extent(extent)
{
  for (int axis = 0; axis < 3 && HasFaces(extent); ++axis)
  {
    for (std::vector<std::uint8_t> & face : m_Filled[axis])
    {
      face.resize(static_cast<std::size_t>(extent.VoxelCount() / extent.size[axis]));
    }
  }
}

void
PartFaces::Take(const std::uint8_t * mask, std::int64_t firstRow, std::int64_t rows)
{
  const std::int64_t length = m_Extent.RowLength();
  for (std::int64_t row = firstRow; row < firstRow + rows && HasFaces(m_Extent); ++row, mask += length)
  {
    const std::int64_t at[3] = { 0, row % m_Extent.size[1], row / m_Extent.size[1] };
    m_Filled[0][0][static_cast<std::size_t>(row)] = mask[0] == 0 ? 0 : 1;
    m_Filled[0][1][static_cast<std::size_t>(row)] = mask[length - 1] == 0 ? 0 : 1;
    for (const int axis : { 1, 2 })
    {
      for (const int side : { 0, 1 })
      {
        if (at[axis] == (side == 0 ? 0 : m_Extent.size[axis] - 1))
        {
          std::transform(mask,
                         mask + length,
                         m_Filled[axis][side].data() + at[3 - axis] * length,
                         [](std::uint8_t state) { return state == 0 ? 0 : 1; });
        }
      }
    }
  }
}

void
PartFaces::Fill(const HostContext & context)
{
  PoreOptions options;
  options.device.kind = Device::Kind::Cpu;
  options.threads = context.threads;
  options.progress.canceled = [&context] { return context.progress.IsCanceled(); };
  for (int axis = 0; axis < 3 && HasFaces(m_Extent); ++axis)
  {
    const std::int64_t size[2] = { m_Extent.size[axis == 0 ? 1 : 0], m_Extent.size[axis == 2 ? 1 : 2] };
    for (const int side : { 0, 1 })
    {
      // A hole of a face is what the piece encloses there.
      const auto found = FillPart(m_Filled[axis][side].data(), Extent(2, size), 1, options, context.Silent());
      m_IsCut[axis][side] = std::count(found.isOutside.begin() + 1, found.isOutside.end(), 0) > 0;
    }
  }
}

bool
PartFaces::IsOpen(std::int64_t x, std::int64_t y, std::int64_t z) const
{
  const std::int64_t at[3] = { x, y, z };
  for (int axis = 0; axis < 3; ++axis)
  {
    if (m_Extent.size[axis] == 1 || (at[axis] != 0 && at[axis] != m_Extent.size[axis] - 1))
    {
      continue;
    }
    const std::vector<std::uint8_t> & filled = m_Filled[axis][at[axis] == 0 ? 0 : 1];
    const std::int64_t                inFace = axis == 0 ? z * m_Extent.size[1] + y
                                             : axis == 1 ? z * m_Extent.size[0] + x
                                                         : y * m_Extent.size[0] + x;
    if (filled.empty() || filled[static_cast<std::size_t>(inFace)] == 0)
    {
      return true;
    }
  }
  return false;
}

static std::uint64_t
VoxelsOfPart(const Extent & extent, const std::vector<std::uint64_t> & sizes, const OutsideOfPart & found)
{
  auto voxels = static_cast<std::uint64_t>(extent.VoxelCount());
  for (std::size_t label = 1; label < sizes.size(); ++label)
  {
    voxels -= found.isOutside[label] != 0 ? sizes[label] : 0;
  }
  return voxels;
}

/** Continues with the next voxels of the lines across a row. \param isFirst  whether the lines begin here */
static void
FollowLines(const std::vector<LabeledRun> & runs, bool isFirst, std::uint64_t * lines, std::int64_t length)
{
  std::int64_t x = 0;
  for (const LabeledRun & run : runs)
  {
    std::fill(lines + x, lines + run.begin, std::uint64_t{ 0 });
    for (x = run.begin; x < run.end; ++x)
    {
      lines[x] = isFirst || lines[x] == run.label ? run.label : 0;
    }
  }
  std::fill(lines + x, lines + length, std::uint64_t{ 0 });
}

/** Makes components outside that run straight along an axis over much of the part's cross-section. \param straight  by
 *  label, how many lines along the axis are within the component */
static void
TakeBores(const Extent &                     extent,
          int                                axis,
          const std::vector<std::uint64_t> & sizes,
          const std::vector<std::uint64_t> & straight,
          OutsideOfPart &                    found)
{
  const double section =
    static_cast<double>(VoxelsOfPart(extent, sizes, found)) / static_cast<double>(extent.size[axis]);
  for (std::size_t label = 1; label < straight.size(); ++label)
  {
    if (found.isOutside[label] == 0 && static_cast<double>(straight[label]) >= LeastShareOfBore * section)
    {
      found.isOutside[label] = 1;
      ++found.bores;
      found.boreVoxels += sizes[label];
    }
  }
}

/** Finds holes that run straight through. */
static void
FindBores(const Extent & extent, const LabeledParts & air, int axis, OutsideOfPart & found)
{
  std::vector<std::uint64_t> sizes(found.isOutside.size());
  std::vector<std::uint64_t> straight(found.isOutside.size());
  // For each line along the axis, the component that all of its voxels so far belong to; 0 if there is none.
  std::vector<std::uint64_t> lines(static_cast<std::size_t>(extent.VoxelCount() / extent.size[axis]));
  ForEachRow(air, [&](std::int64_t row, const std::vector<LabeledRun> & runs) {
    const std::int64_t y = row % extent.size[1];
    const std::int64_t z = row / extent.size[1];
    for (const LabeledRun & run : runs)
    {
      const auto label = static_cast<std::size_t>(run.label);
      sizes[label] += static_cast<std::uint64_t>(run.end - run.begin);
      straight[label] += axis == 0 && run.end - run.begin == extent.RowLength() ? 1 : 0;
    }
    if (axis > 0)
    {
      FollowLines(runs,
                  (axis == 1 ? y : z) == 0,
                  lines.data() + (axis == 1 ? z : y) * extent.RowLength(),
                  extent.RowLength());
    }
  });
  for (const std::uint64_t label : lines)
  {
    straight[static_cast<std::size_t>(label)] += axis > 0 && label > 0 ? 1 : 0;
  }
  TakeBores(extent, axis, sizes, straight, found);
}

/** Calls `work(axis)` for the axes along which there may be bores. */
template <typename TWork>
static void
ForEachCutAxis(const PartFaces & faces, const Extent & extent, const TWork & work)
{
  for (int axis = 0; axis < 3; ++axis)
  {
    faces.AreCut(static_cast<std::size_t>(axis)) && extent.size[axis] >= LeastLengthOfBore ? work(axis) : void();
  }
}

OutsideOfPart
FindOutside(const PartFaces &    faces,
            const Extent &       extent,
            std::uint64_t        components,
            const LabeledParts & air,
            const HostContext &  context)
{
  OutsideOfPart found;
  found.isOutside.resize(static_cast<std::size_t>(components) + 1);
  ForEachRow(air, [&](std::int64_t row, const std::vector<LabeledRun> & runs) {
    const std::int64_t y = row % extent.size[1];
    const std::int64_t z = row / extent.size[1];
    const bool         isInside = !(extent.size[1] > 1 && (y == 0 || y == extent.size[1] - 1)) &&
                          !(extent.size[2] > 1 && (z == 0 || z == extent.size[2] - 1));
    for (const LabeledRun & run : runs)
    {
      std::uint8_t & outside = found.isOutside[static_cast<std::size_t>(run.label)];
      if (isInside)
      {
        outside = faces.IsOpen(run.begin, y, z) || faces.IsOpen(run.end - 1, y, z) ? 1 : outside;
        continue;
      }
      for (std::int64_t x = run.begin; x < run.end && outside == 0; ++x)
      {
        outside = faces.IsOpen(x, y, z) ? 1 : 0;
      }
    }
  });
  context.progress.Update(0.5);
  ForEachCutAxis(faces, extent, [&](int axis) { FindBores(extent, air, axis, found); });
  return found;
}

void
FillEnclosed(const RunVolume &                 air,
             const std::vector<std::uint8_t> & isOutside,
             std::uint8_t                      hole,
             std::uint8_t *                    mask,
             const HostContext &               context)
{
  const std::int64_t length = air.GetExtent().RowLength();
  const Chunks       chunks(air.GetExtent().RowCount(), 1, 256);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    ForEachLabeledRun(air, chunks.Begin(chunk), chunks.End(chunk), [&](std::int64_t row, const LabeledRun & run) {
      if (isOutside[static_cast<std::size_t>(run.label)] == 0)
      {
        std::fill_n(mask + row * length + run.begin, run.end - run.begin, hole);
      }
    });
  });
}

OutsideOfPart
FillPart(std::uint8_t *      mask,
         const Extent &      extent,
         std::uint8_t        hole,
         const PoreOptions & options,
         const HostContext & context)
{
  PartFaces faces(extent);
  faces.Take(mask, 0, extent.RowCount());
  faces.Fill(context);
  LabelOptions airOptions;
  airOptions.criterion = Criterion::InRange(0, 0);
  airOptions.device = options.device;
  airOptions.threads = options.threads;
  airOptions.progress.canceled = options.progress.canceled;
  const Labeling air = Label(ImageView(mask, extent), airOptions);
  const auto     parts = [&air](const auto & work) { work(RunsOf(air), 0); };
  OutsideOfPart  found = FindOutside(faces, extent, air.ComponentCount(), parts, context);
  FillEnclosed(RunsOf(air), found.isOutside, hole, mask, context.Quiet());
  return found;
}

std::uint64_t
MarkPartOnDevice(ImageOnDevice & image, const Extent & extent, const PoreOptions & options)
{
  const auto                       voxels = static_cast<std::uint64_t>(extent.VoxelCount());
  const std::vector<std::uint64_t> sizes = image.LabelAir(options.material);
  CheckMaterial(sizes.empty() ? 0 : sizes.size() == 1 ? voxels : 1, extent, options.material);
  PartFaces                  faces(extent);
  std::vector<std::uint32_t> slices[6];
  OutsideOfPart              found;
  found.isOutside.resize(sizes.size());
  for (int face = 0; face < 6; ++face)
  {
    const std::int64_t length = extent.size[face / 2];
    slices[face] = length > 1 ? image.SliceOfAir(face / 2, face % 2 * (length - 1)) : std::vector<std::uint32_t>();
    std::transform(faces.Face(face).begin(),
                   faces.Face(face).end(),
                   slices[face].begin(),
                   faces.Face(face).begin(),
                   [](std::uint8_t, std::uint32_t air) { return static_cast<std::uint8_t>(air == 0 ? 1 : 0); });
  }
  faces.Fill({ options.threads, Progress(options.progress) });
  for (int face = 0; face < 6; ++face)
  {
    for (std::size_t i = 0; i < slices[face].size(); ++i)
    {
      const std::uint32_t air = slices[face][i];
      const bool          isOpen = air != 0 && (faces.Face(face).empty() || faces.Face(face)[i] == 0);
      found.isOutside[air] = isOpen ? 1 : found.isOutside[air];
    }
  }
  ForEachCutAxis(faces, extent, [&](int axis) { TakeBores(extent, axis, sizes, image.LinesOfAir(axis), found); });
  image.MarkPart(found.isOutside);
  return VoxelsOfPart(extent, sizes, found);
}

} // namespace brickccl
