// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/ReportPictures.h"

#include "BrickCCL/Batch/Acceptance.h"
#include "BrickCCL/Batch/ColumnValues.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Files/Isolation/Program.h"
#include "BrickCCL/Pictures/Sheets.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <set>

namespace brickccl::batch
{

constexpr const char * SlicesFile = "slices.jpg";
constexpr const char * ThumbnailsFile = "thumbnails.jpg";
constexpr const char * SurfaceFile = "surface.png";
constexpr int          ThumbnailSide = 128;

/** The largest defects, the largest first, and the slices in which they lie. */
static std::vector<SlicedComponent>
LargestDefects(const ComponentTable & table, int axis)
{
  std::vector<std::size_t> places(table.components.size());
  std::iota(places.begin(), places.end(), std::size_t{ 0 });
  const std::size_t count = std::min(places.size(), MaximumReportDefects);
  std::partial_sort(places.begin(),
                    places.begin() + static_cast<std::ptrdiff_t>(count),
                    places.end(),
                    [&](std::size_t a, std::size_t b) {
                      const std::uint64_t sizes[2] = { table.components.VoxelCount(a), table.components.VoxelCount(b) };
                      return sizes[0] > sizes[1] || (sizes[0] == sizes[1] && a < b);
                    });
  std::vector<SlicedComponent> largest;
  for (std::size_t i = 0; i < count; ++i)
  {
    const ComponentMeasures component = table.components[places[i]];
    // SliceOf counts only along z.
    const std::int64_t slice = axis == 2 ? SliceOf(component) : std::llround(component.centroid[axis]);
    largest.push_back({ places[i], slice });
  }
  return largest;
}

static std::vector<std::int64_t>
ChooseSlices(std::int64_t count, const std::vector<SlicedComponent> & largest)
{
  std::set<std::int64_t> chosen;
  for (const SlicedComponent & defect : largest)
  {
    chosen.insert(std::clamp<std::int64_t>(defect.slice, 0, count - 1));
  }
  const auto even =
    std::min<std::int64_t>(count,
                           static_cast<std::int64_t>(MaximumReportSlices) - static_cast<std::int64_t>(chosen.size()));
  for (std::int64_t i = 0; i < even; ++i)
  {
    chosen.insert((2 * i + 1) * count / (2 * even));
  }
  return { chosen.begin(), chosen.end() };
}

static void
DrawSurface(const ReportSources & sources,
            const std::string &   folder,
            const HostContext &   context,
            ReportPictures &      drawn)
{
  const std::string        mask = PathIn(folder, "part.nrrd");
  std::vector<std::string> arguments = { sources.surfacesProgram,
                                         "render",
                                         sources.labelsFile,
                                         "-o",
                                         PathIn(folder, SurfaceFile),
                                         "--style",
                                         "surface",
                                         "--size",
                                         "900x640",
                                         "--quiet",
                                         "--threads",
                                         std::to_string(context.threads) };
  if (sources.part != nullptr)
  {
    const std::int64_t rowLength = sources.image.extent.RowLength();
    WriteOptions       writing;
    writing.compress = false;
    writing.context = context.Silent();
    WriteImageFile(
      mask,
      { ScalarType::UInt8,
        sources.image.extent,
        sources.image.geometry,
        [&](std::int64_t begin, std::int64_t end, void * rows) {
          std::memcpy(rows, sources.part + begin * rowLength, static_cast<std::size_t>((end - begin) * rowLength));
        } },
      writing);
    arguments.insert(arguments.end(), { "--part", mask });
  }
  const ProgramEnd end = RunProgram(arguments);
  std::error_code  failure;
  std::filesystem::remove(mask, failure);
  context.progress.Update(1);
  if (end.exitCode == 0)
  {
    drawn.files.push_back(SurfaceFile);
    drawn.description["surface"]["file"] = SurfaceFile;
    return;
  }
  // The last line says why.
  std::string reason = end.errors.substr(0, end.errors.find_last_not_of('\n') + 1);
  reason = reason.substr(reason.find_last_of('\n') + 1);
  drawn.notes.push_back("the picture of surfaces is missing: " + (reason.empty() ? "it was not drawn" : reason));
}

ReportPictures
DrawForReport(const ReportSources & sources, const std::string & folder, const HostContext & context)
{
  ReportPictures  drawn;
  const Extent &  extent = sources.image.extent;
  const int       axis = sources.table.sliceAxis.value_or(2);
  PictureContents contents{ sources.image, sources.runs, sources.table, sources.image.spacingSource != "none" };
  drawn.description = nlohmann::ordered_json::object();
  if (extent.dimension < 2)
  {
    return drawn;
  }
  const std::vector<SlicedComponent> largest = LargestDefects(sources.table, axis);
  const std::vector<std::int64_t>    slices = ChooseSlices(extent.size[axis], largest);
  const Sheet                        sheet =
    WriteSliceSheet(PathIn(folder, SlicesFile), contents, axis, slices, SliceSide, context.Part(0, 0.4));
  drawn.files.push_back(SlicesFile);
  drawn.description["slices"] = { { "file", SlicesFile },
                                  { "axis", std::string(1, static_cast<char>('x' + axis)) },
                                  { "columns", sheet.columns },
                                  { "tile", { sheet.tileWidth, sheet.tileHeight } },
                                  { "window", { sheet.window.black, sheet.window.white } },
                                  { "places", slices } };
  if (!largest.empty())
  {
    const Sheet squares = WriteThumbnails(PathIn(folder, ThumbnailsFile),
                                          contents,
                                          axis,
                                          largest,
                                          ThumbnailSide,
                                          sheet.window,
                                          context.Part(0.4, 0.5));
    drawn.files.push_back(ThumbnailsFile);
    const bool        isSlices = sources.table.sliceAxis.has_value();
    const std::string sizeName = TotalsOf(sources.table).sizeName;
    const auto        sizeOf = ValuesOf(sources.table, sizeName);
    const auto        diameterOf =
      ValuesOf(sources.table, isSlices ? "equivalent_circular_diameter_mm" : "equivalent_spherical_diameter_mm");
    auto shown = nlohmann::ordered_json::array();
    for (const SlicedComponent & defect : largest)
    {
      const ComponentMeasures component = sources.table.components[defect.place];
      shown.push_back({ { "label", component.label },
                        { "slice", defect.slice },
                        { "voxel_count", component.voxelCount },
                        { "diameter_mm", diameterOf(component) },
                        { sizeName, sizeOf(component) } });
    }
    drawn.description["defects"] = { { "file", ThumbnailsFile },
                                     { "columns", squares.columns },
                                     { "side", ThumbnailSide },
                                     { "shown", shown } };
  }
  if (extent.dimension == 3 && !largest.empty() && !sources.labelsFile.empty() && !sources.surfacesProgram.empty())
  {
    DrawSurface(sources, folder, context, drawn);
  }
  return drawn;
}

} // namespace brickccl::batch
