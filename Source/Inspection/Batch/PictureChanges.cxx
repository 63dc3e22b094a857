// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/PictureChanges.h"

#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Pictures/LegendPicture.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace brickccl::batch
{

namespace
{

constexpr std::size_t ChangeCount = 7;

/** The colors of the changes, in their order. They differ in lightness too. */
constexpr Color Colors[ChangeCount] = {
  { 110, 150, 200 }, // same
  { 240, 140, 30 },  // grown
  { 250, 230, 110 }, // shrunk
  { 230, 50, 60 },   // new
  { 80, 220, 120 },  // vanished
  { 200, 110, 240 }, // split
  { 120, 60, 180 },  // merged
};

/** For each place of a table, what became of its defect, as its number from 1 on. */
std::vector<std::uint8_t>
ChangesOf(const ComponentTable & table, const std::map<std::uint64_t, DefectChange> & changes)
{
  std::vector<std::uint8_t> numbers;
  for (std::size_t place = 0; place < table.components.size(); ++place)
  {
    numbers.push_back(static_cast<std::uint8_t>(1 + static_cast<int>(changes.at(table.components.Label(place)))));
  }
  return numbers;
}

class ChangePainter
{
public:
  ChangePainter(const LabelMap & before, const LabelMap & after, const std::vector<ComparedDefect> & defects)
    : m_Before(before)
    , m_After(after)
  {
    std::map<std::uint64_t, DefectChange> first;
    std::map<std::uint64_t, DefectChange> second;
    for (const ComparedDefect & defect : defects)
    {
      // A defect that became a part of another one is not what that one is.
      if (defect.before && defect.change != DefectChange::Split)
      {
        first[*defect.before] = defect.change;
      }
      if (defect.after && defect.change != DefectChange::Merged)
      {
        second[*defect.after] = defect.change;
      }
    }
    m_ChangesBefore = ChangesOf(before.table, first);
    m_ChangesAfter = ChangesOf(after.table, second);
  }

  /** The numbers of the changes in a slice. */
  std::vector<std::uint8_t>
  Paint(std::int64_t z) const
  {
    const Extent &            extent = m_Before.runs.GetExtent();
    std::vector<std::uint8_t> slice(static_cast<std::size_t>(extent.size[0] * extent.size[1]), 0);
    PaintRuns(m_Before.runs, z, m_ChangesBefore, slice);
    PaintRuns(m_After.runs, z, m_ChangesAfter, slice);
    return slice;
  }

  /** The slice with most voxels of defects that are not the same; without any, that with most voxels of defects. */
  std::int64_t
  WorstSlice() const
  {
    std::int64_t                worst = 0;
    std::array<std::int64_t, 2> largest = { -1, -1 };
    for (std::int64_t z = 0; z < m_Before.runs.GetExtent().size[2]; ++z)
    {
      const std::vector<std::uint8_t> slice = Paint(z);
      const auto                      background = std::count(slice.begin(), slice.end(), std::uint8_t{ 0 });
      const auto                      same = std::count(slice.begin(), slice.end(), std::uint8_t{ 1 });
      const auto                      all = static_cast<std::int64_t>(slice.size()) - background;
      if (const std::array<std::int64_t, 2> now = { all - same, all }; now > largest)
      {
        largest = now;
        worst = z;
      }
    }
    return worst;
  }

private:
  static void
  PaintRuns(const RunVolume &                 runs,
            std::int64_t                      z,
            const std::vector<std::uint8_t> & changes,
            std::vector<std::uint8_t> &       slice)
  {
    const Extent &          extent = runs.GetExtent();
    std::vector<LabeledRun> own;
    for (std::int64_t y = 0; y < extent.size[1]; ++y)
    {
      CollectLabeledRuns(runs, z * extent.size[1] + y, own);
      for (const LabeledRun & run : own)
      {
        std::fill(slice.begin() + y * extent.size[0] + run.begin,
                  slice.begin() + y * extent.size[0] + run.end,
                  changes[static_cast<std::size_t>(run.label - 1)]);
      }
    }
  }

  const LabelMap &          m_Before;
  const LabelMap &          m_After;
  std::vector<std::uint8_t> m_ChangesBefore;
  std::vector<std::uint8_t> m_ChangesAfter;
};

/** An image of one slice on the grid of a volume; its voxels are not set. */
LoadedImage
SliceOn(const LoadedImage & grid, ScalarType type, int channels)
{
  LoadedImage slice;
  slice.type = type;
  slice.channels = channels;
  slice.extent = Extent({ grid.extent.size[0], grid.extent.size[1] });
  slice.geometry = grid.geometry;
  slice.spacingSource = grid.spacingSource;
  slice.voxels.Resize(slice.ByteCount());
  return slice;
}

/** The bytes of an image that are to be filled. */
std::byte *
BytesOf(LoadedImage & image)
{
  return const_cast<std::byte *>(image.voxels.Data());
}

} // namespace

LabelMap::LabelMap(const std::string & path, int threads)
{
  ReadOptions options;
  options.asLabels = true;
  options.threads = threads;
  image = ReadImageFile(path, options);
  table = MeasureLabelImage(image.View(), image.geometry, {}, { threads }, runs);
}

void
WriteChanges(const std::string &                 path,
             const LabelMap &                    before,
             const LabelMap &                    after,
             const std::vector<ComparedDefect> & defects,
             const LoadedImage *                 scan,
             const std::vector<std::string> &    title,
             int                                 threads)
{
  const ChangePainter painter(before, after, defects);
  const std::int64_t  z = painter.WorstSlice();
  const auto          painted = painter.Paint(z);
  LoadedImage         changes = SliceOn(before.image, ScalarType::UInt8, 1);
  std::memcpy(BytesOf(changes), painted.data(), painted.size());
  LoadedImage background =
    scan != nullptr ? SliceOn(*scan, scan->type, scan->channels) : SliceOn(before.image, ScalarType::UInt8, 1);
  const std::size_t bytes = background.ByteCount();
  if (scan != nullptr)
  {
    std::memcpy(BytesOf(background), scan->voxels.Data() + static_cast<std::size_t>(z) * bytes, bytes);
  }
  else
  {
    std::memset(BytesOf(background), 0, bytes);
  }

  RunVolume                    runs;
  const ComponentTable         table = MeasureLabelImage(changes.View(), changes.geometry, {}, { threads }, runs);
  std::array<int, ChangeCount> counts = {};
  for (const ComparedDefect & defect : defects)
  {
    ++counts[static_cast<std::size_t>(defect.change)];
  }
  std::vector<LegendRow> legend;
  for (std::size_t change = 0; change < ChangeCount; ++change)
  {
    if (counts[change] == 0)
    {
      continue;
    }
    // Runs have places in the table as labels; a change that this slice does not show has none.
    std::uint64_t label = 0;
    for (std::size_t place = 0; place < table.components.size(); ++place)
    {
      label = table.components.Label(place) == change + 1 ? place + 1 : label;
    }
    legend.push_back({ label,
                       Colors[change],
                       std::to_string(counts[change]) + " " + NameOf(static_cast<DefectChange>(change)) +
                         (label == 0 ? ", not in this slice" : "") });
  }
  std::vector<std::string> lines = title;
  if (const std::int64_t slices = before.image.extent.size[2]; slices > 1)
  {
    lines.push_back("z = " + std::to_string(z) + " of 0.." + std::to_string(slices - 1) + ", with the most changes");
  }
  lines.push_back("x right, y down");
  WriteLegendPicture(path, { background, runs, legend, lines, before.image.spacingSource != "none" }, { threads });
}

} // namespace brickccl::batch
