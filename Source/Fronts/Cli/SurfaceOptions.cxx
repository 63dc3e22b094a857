// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/SurfaceOptions.h"

#include "BrickCCL/Cli/RunApp.h"
#include "BrickCCL/Cli/Segments.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Tables/Condition.h"

#include <charconv>
#include <cstdint>
#include <memory>
#include <set>

namespace brickccl::cli
{

/** The labels in a list such as "1,2,5-9". \throws InvalidArgument that says what is wrong. */
static std::set<std::uint64_t>
ParseLabels(const std::string & text)
{
  std::set<std::uint64_t> labels;
  const auto              parse = [&](const char * begin, const char * end) {
    std::uint64_t value = 0;
    const auto    parsed = std::from_chars(begin, end, value);
    ThrowIf<InvalidArgument>(parsed.ec != std::errc{} || parsed.ptr != end || value == 0,
                             "--labels " + Quoted(text) +
                               " is not a list of labels; write numbers from 1 and ranges, as 1,2,5-9");
    return value;
  };
  for (std::size_t begin = 0; begin <= text.size();)
  {
    const std::size_t       end = std::min(text.find(',', begin), text.size());
    const std::string       part = text.substr(begin, end - begin);
    const std::size_t       dash = part.find('-');
    const char * const      first = part.data();
    const std::uint64_t     low = parse(first, first + std::min(dash, part.size()));
    const std::uint64_t     high = dash == std::string::npos ? low : parse(first + dash + 1, first + part.size());
    constexpr std::uint64_t limit = 10000000;
    ThrowIf<InvalidArgument>(high < low || high - low >= limit - labels.size(),
                             "the range " + part + " of --labels must rise, and --labels may have at most " +
                               std::to_string(limit) + " labels");
    for (std::uint64_t i = 0; i <= high - low; ++i)
    {
      labels.insert(low + i);
    }
    begin = end + 1;
  }
  return labels;
}

std::string
ChosenLabels::ColumnNames() const
{
  return where.empty() ? "" : WithColumnsOf(Condition(where));
}

std::vector<std::size_t>
ChosenLabels::PlacesIn(ComponentTable &     table,
                       const Segmentation & segmentation,
                       const std::string &  file,
                       const std::string &  what) const
{
  auto wanted =
    labels.empty() ? std::set<std::uint64_t>() : ParseLabels(LabelsForNames(labels, "--labels", segmentation));
  const auto holds = where.empty() ? std::vector<bool>() : Evaluate(Condition(where), segmentation, table);
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < table.components.size(); ++place)
  {
    const std::uint64_t label = table.components.Label(place);
    if ((labels.empty() || wanted.erase(label) > 0) && (holds.empty() || holds[place]))
    {
      places.push_back(place);
    }
  }
  if (!wanted.empty())
  {
    throw InvalidArgument(Quoted(file) + " has no label " + std::to_string(*wanted.begin()) + " (from --labels)" +
                          (table.components.empty()
                             ? std::string("; it has none")
                             : "; its labels go from " + std::to_string(table.components.Label(0)) + " to " +
                                 std::to_string(table.components.Label(table.components.size() - 1))));
  }
  ThrowIf<InvalidArgument>(places.empty(),
                           "no component is left to " + what + "; " + std::to_string(table.components.size()) +
                             " are in " + Quoted(file));
  return places;
}

static void
AddChosenLabels(CLI::App & command, ChosenLabels & chosen)
{
  command.add_option("--labels", chosen.labels, "use only these labels, as 1,2,5-9 or \"left kidney,liver\"")
    ->type_name("LABELS");
  command
    .add_option("--where",
                chosen.where,
                "use only components with this: \"volume_mm3 > 1\"\n`brickccl select --help-all` explains conditions.")
    ->type_name("CONDITION");
}

void
AddMeshCommand(CLI::App & app, const std::function<void(const MeshArguments &)> & run)
{
  auto                 arguments = std::make_shared<MeshArguments>();
  CLI::App *           command = app.add_subcommand("mesh", "Write surfaces of a scan or of a label map as a mesh");
  const CLI::Validator isNotOne(
    [](std::string & text) {
      return text == "1" ? std::string("one pass has no filter; use 0, or 2 and more") : std::string();
    },
    "");
  command->add_option("LABELS", arguments->input, "label map of 3 dimensions; with --iso also a scan")->required();
  command
    ->add_option("OUTPUT,-o,--output",
                 arguments->output,
                 "mesh: .stl, .obj, .ply or .glb (with labels and colors), .vtp (with labels and measures)")
    ->required();
  command
    ->add_option(
      "--iso",
      arguments->iso,
      "value of the surface, finer than voxels: a number, iso50, otsu, ...\nIt is the surface of the scan, or with "
      "--intensity SCAN of the components of LABELS, linear between voxels; `brickccl label --help-all` explains "
      "methods. Curved surfaces move inwards: a ball of 8 voxels radius loses 1.3 % of its volume, one of 16 0.3 %.")
    ->type_name("VALUE");
  AddChosenLabels(*command, arguments->chosen);
  command
    ->add_option("--smooth",
                 arguments->mesh.smoothingPasses,
                 "passes of smoothing that keep volumes: 0 (default), 2 to 1000; 20 is usual")
    ->transform(Count(0, 1000))
    ->check(isNotOne)
    ->type_name("N")
    ->capture_default_str();
  command->get_option("--smooth")->excludes(command->get_option("--iso"));
  command->add_option("--triangles", arguments->mesh.triangles, "reduce the triangles to about this many in all")
    ->transform(Count(4, 1e9))
    ->type_name("N");
  command->add_option("--color-by", arguments->column, "color .ply and .glb by this column, as volume_mm3")
    ->type_name("COLUMN");
  command->add_flag("--ras", arguments->mesh.ras, "coordinates in RAS instead of LPS");
  command->add_flag("--one-file-each", arguments->oneFileEach, "write a file for each component: name_LABEL.ext");
  AddOptions(*command, *arguments, "intensity nan columns names " + (std::string(ReadingOptions) + RunningOptions));
  command->get_option("--columns")->description("more columns of .vtp: names or groups, as shape,thickness");
  if (run)
  {
    command->callback([arguments, run] { run(*arguments); });
  }
}

void
AddRenderCommand(CLI::App & app, const std::function<void(const RenderArguments &)> & run)
{
  auto       arguments = std::make_shared<RenderArguments>();
  CLI::App * command = app.add_subcommand("render", "Draw a label map: slices, projections or surfaces");
  command->add_option("LABELS", arguments->input, "label map; every nonzero value is one component")->required();
  command->add_option("-o,--output,OUTPUT", arguments->output, "picture: .png")->required();
  command
    ->add_option(
      "--style",
      arguments->style,
      "slices (default), montage, surface or mip\nslices: through the largest component; montage: along z; "
      "surface: the components in space; mip: the highest intensities along each axis behind the components.")
    ->type_name("STYLE")
    ->check(OneOf({ "slices", "montage", "surface", "mip" }))
    ->capture_default_str();
  AddOptions(*command, *arguments, "intensity nan part");
  command->get_option("--intensity")->description("draw this scan behind the labels; measure its values");
  command->get_option("--part")->description("mask of the part: draw its surface (--style surface)");
  command
    ->add_option("--color-by",
                 arguments->column,
                 "color by this column, with a color bar\nLengths, areas and volumes may be in mm, um or cm, as "
                 "volume_um3. Without "
                 "it, neighbors differ in color.")
    ->type_name("COLUMN");
  AddChosenLabels(*command, arguments->chosen);
  command
    ->add_option(
      "--size",
      arguments->size,
      "width and height in pixels, as 1200x900\nEach is 480 to 4096. It is the exact size of surfaces (default "
      "1200x900), and the limit of slices.")
    ->type_name("WxH");
  command->add_flag("--patient",
                    arguments->hasPatientAxes,
                    "mark the sides L, R, A, P, S and I (default: DICOM, NIfTI)");
  AddOptions(*command, *arguments, std::string(ReadingOptions) + "names " + RunningOptions);
  if (run)
  {
    command->callback([arguments, run] { run(*arguments); });
  }
}

} // namespace brickccl::cli
