// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/FrontEnd.h"
#include "BrickCCL/Cli/SurfaceOptions.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Pictures/Picture.h"
#include "BrickCCL/Vtk/SurfacePicture.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <regex>

namespace brickccl::cli
{

namespace
{

struct PictureSize
{
  int width = 0;
  int height = 0;
};

/** Of an empty text 0 x 0. */
PictureSize
ParseSize(const std::string & text)
{
  static const std::regex form("([0-9]{1,9})[xX]([0-9]{1,9})");
  std::smatch             sides;
  PictureSize             size;
  if (std::regex_match(text, sides, form))
  {
    size = { std::stoi(sides[1]), std::stoi(sides[2]) };
  }
  const auto [least, most] = std::minmax(size.width, size.height);
  ThrowIf<InvalidArgument>(
    !text.empty() && (least < MinimumSurfacePicture || most > MaximumSurfacePicture),
    "--size " + Quoted(text) + " is not a picture size; write width and height in pixels, from " +
      std::to_string(MinimumSurfacePicture) + " to " + std::to_string(MaximumSurfacePicture) + ", as 1200x900");
  return size;
}

/** Finds before the long work starts what is certain to fail. \return the columns that are measured. */
ColumnGroups
CheckArguments(const RenderArguments & arguments)
{
  ThrowIf<InvalidArgument>(ExtensionOf(arguments.output) != ".png",
                           "a picture cannot be written to " + Quoted(arguments.output) + "; use the extension .png");
  ParseSize(arguments.size);
  const std::string named = arguments.chosen.ColumnNames();
  const std::string between = named.empty() || arguments.column.empty() ? "" : ",";
  const std::string all = named + between + NameInMillimeters(arguments.column);
  ThrowIf<InvalidArgument>(arguments.style != "surface" && !arguments.part.empty() && all.empty(),
                           "--part has no effect without --style surface, or a column in --color-by or --where");
  ThrowIf<InvalidArgument>(arguments.style == "surface" && !arguments.intensity.empty() &&
                             all.find("intensity_") == std::string::npos && all.find("weighted_") == std::string::npos,
                           "--intensity has no effect with --style surface; use --style slices, montage or mip");
  return ParseColumns(all, !arguments.intensity.empty());
}

struct DrawnRuns
{
  RunVolume      runs;
  ComponentTable table;
};

/** Keeps the chosen components of runs whose labels are places in the table, from 1 on, and gives them their labels. */
void
KeepChosen(const ComponentTable & table, const std::vector<std::size_t> & places, int threads, DrawnRuns & drawn)
{
  const HostContext          context{ threads, Progress() };
  std::vector<bool>          holds(table.components.size(), false);
  std::vector<std::uint64_t> labels{ 0 };
  for (const std::size_t place : places)
  {
    holds[place] = true;
    labels.push_back(table.components.Label(place));
  }
  KeepComponents(drawn.runs, holds, context);
  drawn.table = MeasureComponents(drawn.runs, places.size(), table.geometry, {}, std::nullopt, context);
  Renumber(drawn.runs, labels, context);
  SetLabels(drawn.table, { labels.begin() + 1, labels.end() });
}

void
PrintSummary(const RenderArguments &              arguments,
             const LoadedImage &                  image,
             const std::vector<std::size_t> &     places,
             const std::optional<SurfaceReport> & surfaces,
             ImageReader &                        reader,
             Reporter &                           reporter)
{
  job::Findings findings;
  findings.push_back({ "components", places.size(), 1, "#", "component" });
  findings.push_back({ "style", arguments.style });
  if (surfaces)
  {
    findings.push_back({ "triangles", surfaces->triangles });
    findings.push_back({ "block", surfaces->block });
    findings.push_back({ "pixel_size_mm", surfaces->pixelSize });
    findings.push_back({ "scene", surfaces->scene });
    findings.push_back({ "seconds", { { "make", surfaces->makeSeconds }, { "draw", surfaces->drawSeconds } } });
  }
  AddSpacing(findings, image, 2);
  findings.push_back({ "notes", reader.Notes() });
  findings.push_back({ "", Printable(arguments.output), 1, "drawn in #" });
  PrintFindings(findings, arguments, reporter);
}

void
NoteBlocks(const SurfaceReport & report, ImageReader & reader)
{
  const int(&block)[3] = report.block;
  if (report.hasLargeComponents)
  {
    const std::string sides =
      std::to_string(block[0]) + " x " + std::to_string(block[1]) + " x " + std::to_string(block[2]);
    reader.Note("components of more than " + std::to_string(MaximumBlocksOfSmallComponents) +
                " blocks along an axis are drawn from blocks of " + sides +
                " voxels, to fit the picture's size; thinner parts are drawn one block thick");
  }
}

} // namespace

void
RunRender(const RenderArguments & arguments)
{
  const ColumnGroups groups = CheckArguments(arguments);
  const NamedFiles   outputs = { { "--output", arguments.output } };
  const NamedFiles   inputs = { { "LABELS", arguments.input },
                                { "--names", arguments.names },
                                { "--intensity", arguments.intensity },
                                { "--part", arguments.part } };
  CheckFiles(arguments, inputs, outputs);
  const bool drawsSurfaces = arguments.style == "surface";
  if (drawsSurfaces)
  {
    ProvideDisplay();
  }

  Reporter    reporter(arguments.quiet || arguments.json);
  ImageReader reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  LoadedImage image = reader.ReadLabels(arguments.input);
  ThrowIf<InvalidArgument>(image.channels != 1,
                           Quoted(arguments.input) + " has " + Counted(image.channels, "channel") +
                             "; a label map has one: export overlapping segments to one label map");
  CheckPicture(image.extent);
  ThrowIf<InvalidArgument>(drawsSurfaces && image.extent.dimension != 3,
                           Quoted(arguments.input) + " has " + Counted(image.extent.dimension, "dimension") +
                             "; --style surface needs 3, --style slices 1 to 3");
  image.hasPatientAxes = image.hasPatientAxes || arguments.hasPatientAxes;
  const TableImages images = ReadTableImages(arguments, image, arguments.threads, reader);
  reporter.Step("measuring");
  const ProgressHooks hooks = reporter.Hooks();
  const HostContext   context{ arguments.threads, Progress(hooks) };
  DrawnRuns           drawn;
  ComponentTable table = MeasureLabelImage(image.View(), image.geometry, images.Options(groups), context, drawn.runs);
  const auto     places = arguments.chosen.PlacesIn(table, image.segmentation, arguments.input, "draw");
  std::optional<ColumnColors> colors;
  if (!arguments.column.empty())
  {
    colors.emplace(table, arguments.column, places);
  }
  const ColumnColors * const   columnColors = colors ? &*colors : nullptr;
  const bool                   hasSpacing = image.spacingSource != "none";
  std::optional<SurfaceReport> report;
  reporter.Step("drawing " + arguments.output);
  if (drawsSurfaces)
  {
    const PictureSize size = ParseSize(arguments.size.empty() ? "1200x900" : arguments.size);
    SurfaceContents   contents{
      image.View(), table, places, std::nullopt, columnColors, hasSpacing, image.hasPatientAxes
    };
    contents.part = images.part ? std::optional(images.part->View()) : std::nullopt;
    report = WriteSurfacePicture(arguments.output, contents, size.width, size.height, context);
    NoteBlocks(*report, reader);
  }
  else
  {
    KeepChosen(table, places, arguments.threads, drawn);
    PictureOptions options;
    options.style = arguments.style == "montage" ? PictureStyle::Montage
                  : arguments.style == "mip"     ? PictureStyle::Projection
                                                 : PictureStyle::Slices;
    options.columnColors = columnColors;
    const PictureSize limit = ParseSize(arguments.size);
    options.width = limit.width;
    options.height = limit.height;
    const LoadedImage & background = images.intensity ? *images.intensity : image;
    WritePicture(arguments.output,
                 { background, drawn.runs, drawn.table, hasSpacing, images.intensity.has_value() },
                 context,
                 options);
  }
  PrintSummary(arguments, image, places, report, reader, reporter);
}

} // namespace brickccl::cli
