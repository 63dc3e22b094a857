// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/FrontEnd.h"
#include "BrickCCL/Cli/SurfaceOptions.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Segmenting/Threshold.h"
#include "BrickCCL/Vtk/Meshes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace brickccl::cli
{

namespace
{

/** The value of the surface. \throws InvalidArgument unless the scan has lower values and others */
double
FindIso(const std::string & text, const ImageView & scan, const std::string & name, const HostContext & context)
{
  const auto method = ThresholdMethod::FromText(text);
  ThrowIf<InvalidArgument>(method.kind == ThresholdMethod::Kind::Local,
                           "--iso " + text + " differs from place to place; give one value");
  const ValueHistogram values = HistogramOfValues(scan, {}, context);
  const auto           low = static_cast<double>(values.minimum);
  const auto           high = static_cast<double>(values.maximum);
  const bool           isGiven = method.kind == ThresholdMethod::Kind::Value;
  const auto           iso = static_cast<double>(isGiven ? method.value : FindThreshold(values, method).value);
  ThrowIf<InvalidArgument>(!(low < iso && iso <= high),
                           "the values of " + Quoted(name) + " go from " + Shortest(low) + " to " + Shortest(high) +
                             "; " + Shortest(iso) + " (--iso) is outside");
  return iso;
}

VoxelMemory
MaskOf(const ImageView & scan, double iso)
{
  VoxelMemory       mask;
  const auto        count = static_cast<std::size_t>(scan.extent.VoxelCount());
  std::byte * const inside = mask.Resize(count);
  VisitScalarType(scan.type, [&](auto tag) {
    const auto * const values = static_cast<const typename decltype(tag)::Type *>(scan.data);
    std::transform(values, values + count, inside, [iso](auto value) {
      return std::byte{ static_cast<double>(value) >= iso };
    });
  });
  return mask;
}

std::map<std::uint64_t, std::array<double, 3>>
ColorsOf(const Segmentation & segmentation)
{
  std::map<std::uint64_t, std::array<double, 3>> colors;
  for (const Segment & segment : segmentation.segments)
  {
    for (const auto & [key, value] : segment.fields)
    {
      if (key == "Color")
      {
        const std::vector<double> channels = files::RealNumbers(value, key);
        std::copy(channels.begin(), channels.end(), colors[segment.label].begin());
      }
    }
  }
  return colors;
}

/** The columns that are measured. \throws InvalidArgument unless the file holds what is asked for */
std::string
NamesOfColumns(const MeshArguments & arguments)
{
  CheckMeshName(arguments.output);
  const std::string ending = MeshEnding(arguments.output);
  const std::string shown = arguments.columns + NameInMillimeters(arguments.column);
  ThrowIf<InvalidArgument>(!arguments.columns.empty() && ending != ".vtp",
                           "--columns needs a .vtp file; " + Quoted(arguments.output) + " holds no columns");
  CheckIsUsed("--color-by", arguments.column.empty() || ending == ".ply" || ending == ".glb", "a .ply or .glb file");
  ThrowIf<InvalidArgument>(arguments.column == "name",
                           "--color-by needs a column of numbers; without it, segments have their own colors");
  CheckIntensity(arguments, !arguments.iso.empty() || !shown.empty(), "--iso, --color-by or --columns");
  return arguments.chosen.where.empty() ? shown : WithColumnsOf(Condition(arguments.chosen.where), shown);
}

} // namespace

void
RunMesh(const MeshArguments & arguments)
{
  const std::string  names = NamesOfColumns(arguments);
  const ColumnGroups groups = ParseColumns(names, !arguments.intensity.empty());
  // Which files there will be, if each component has its own, is known when the components are.
  const NamedFiles outputs = arguments.oneFileEach ? NamedFiles() : NamedFiles{ { "OUTPUT", arguments.output } };
  const NamedFiles inputs = { { "LABELS", arguments.input },
                              { "--names", arguments.names },
                              { "--intensity", arguments.intensity } };
  CheckFiles(arguments, inputs, outputs);
  CheckWritable(arguments.oneFileEach ? MeshPathOf(arguments.output, 1) : arguments.output);

  Reporter    reporter(arguments.quiet || arguments.json);
  ImageReader reader(arguments, arguments.threads, reporter);
  reader.Protect(outputs);
  const bool isScan = !arguments.iso.empty() && arguments.intensity.empty();
  CheckIsUsed("--names", arguments.names.empty() || !isScan, "a label map: --intensity SCAN with --iso");
  const LoadedImage image = isScan ? reader.Read(arguments.input, false) : reader.ReadLabels(arguments.input);
  ThrowIf<InvalidArgument>(image.channels != 1 || image.extent.dimension != 3,
                           Quoted(arguments.input) + " has " + Counted(image.extent.dimension, "dimension") + " and " +
                             Counted(image.channels, "channel") +
                             "; a mesh needs a label map or scan of 3 dimensions and one channel");
  const TableImages   images = ReadTableImages(arguments, image, arguments.threads, reader);
  const ProgressHooks hooks = reporter.Hooks();
  const HostContext   context{ arguments.threads, Progress(hooks) };
  MeshOptions         options = arguments.mesh;
  ImageView           labels = image.View();
  VoxelMemory         mask;
  if (!arguments.iso.empty())
  {
    options.scan = isScan ? image.View() : images.intensity->View();
    options.iso = FindIso(arguments.iso, *options.scan, isScan ? arguments.input : arguments.intensity, context);
    mask = isScan ? MaskOf(labels, options.iso) : VoxelMemory();
    labels = isScan ? ImageView(static_cast<const void *>(mask.Data()), ScalarType::UInt8, image.extent, 1) : labels;
  }
  reporter.Step("measuring");
  ComponentTable table = MeasureLabelImage(labels, image.geometry, images.Options(groups), arguments.threads, hooks);
  const auto     places = arguments.chosen.PlacesIn(table, image.segmentation, arguments.input, "make a mesh of");
  if (arguments.oneFileEach)
  {
    const auto each = Mapped(places, [&](std::size_t place) {
      return std::pair(std::string("OUTPUT"), MeshPathOf(arguments.output, table.components.Label(place)));
    });
    CheckOutputs({}, each);
    reader.CheckNotRead(each);
  }
  std::optional<ColumnColors> colors;
  if (!arguments.column.empty())
  {
    options.colors = &colors.emplace(table, arguments.column, places);
  }
  reporter.Step("making meshes");
  ReplacedTogether together;
  options.columns = names;
  options.segmentColors = ColorsOf(image.segmentation);
  const std::vector<MeshReport> reports =
    WriteMeshes(labels, table, places, options, arguments.output, arguments.oneFileEach, context);
  together.Move();
  std::int64_t triangles = 0;
  double       volume = 0;
  double       worst = 0;
  std::size_t  rough = 0;
  for (const MeshReport & report : reports)
  {
    rough += report.isSmooth ? 0 : 1;
    triangles += report.triangles;
    volume += report.meshVolume;
    worst = std::max(worst, std::abs(report.meshVolume / report.volume - 1));
  }
  reader.NoteIf(arguments.mesh.smoothingPasses > 0 && rough > 0,
                std::to_string(rough) + (rough == 1 ? " component was not smoothed" : " components were not smoothed") +
                  ": too small or thin");
  reader.NoteIf(options.triangles > 0 && triangles > options.triangles,
                "--triangles " + std::to_string(options.triangles) +
                  " is too few for closed surfaces of these components: " + std::to_string(triangles) + " are left");
  job::Findings findings;
  findings.push_back({ "components", reports.size(), 1, "#", "component" });
  findings.push_back({ "triangles", triangles, 1, "#", "triangle" });
  findings.push_back(
    { "space",
      arguments.mesh.ras ? "RAS" : "LPS",
      1,
      MeshEnding(arguments.output) == ".glb" ? "in meters of glTF, y up (x, z, -y of #)" : "in # mm" });
  findings.push_back({ "iso", options.scan ? nlohmann::ordered_json(options.iso) : nullptr, 1, "surface at #" });
  findings.push_back({ "volume_mm3", volume, 1, "volume #", "mm3" });
  findings.push_back({ "largest_volume_difference", worst });
  AddSpacing(findings, image, 2);
  findings.push_back({ "notes", reader.Notes() });
  findings.push_back({ "",
                       Printable(arguments.oneFileEach ? MeshPathOf(arguments.output, reports.front().label) + " ..."
                                                       : arguments.output),
                       3,
                       "written: #" });
  PrintFindings(findings, arguments, reporter);
}

} // namespace brickccl::cli
