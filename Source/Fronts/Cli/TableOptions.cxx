// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/TableOptions.h"

#include "BrickCCL/Cli/WriteXlsx.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Pictures/Picture.h"
#include "BrickCCL/Tables/LengthUnits.h"
#include "BrickCCL/Tables/TableLayout.h"

#include <algorithm>
#include <iostream>

namespace brickccl::cli
{

/** \throws InvalidArgument if a file for `what` is named that is not a .csv or .tsv. */
static void
CheckDelimitedFile(const std::string & path, const std::string & what)
{
  const std::string extension = ExtensionOf(path);
  ThrowIf<InvalidArgument>(!path.empty() && extension != ".csv" && extension != ".tsv",
                           "cannot write " + what + " to " + Quoted(path) + ": its extension must be .csv or .tsv");
}

/** "volume_mm3" for "volume_um3", where the table is asked for in um: columns may be named in either unit. */
static std::string
InMillimeters(const std::string & names, const std::string & unit)
{
  return Joined(SplitAt(',', names), ",", [&](const std::string & name) {
    return !unit.empty() && OtherUnitOf(name) == unit ? ColumnInMillimeters(name) : name;
  });
}

static std::string
SortColumn(const job::Table & arguments)
{
  const std::size_t begin = !arguments.sort.empty() && arguments.sort[0] == '+' ? 1 : 0;
  return InMillimeters(arguments.sort.substr(begin), arguments.units);
}

/** The requested single columns and the columns of requested groups; nothing, which means all, without single ones. */
static std::vector<std::string>
SingleColumns(const std::string & names, const ComponentTable & table)
{
  const std::vector<ComponentColumn> all = AllColumns(table.extent.dimension, table.sliceAxis);
  std::vector<std::string>           columns;
  bool                               isAnySingle = false;
  for (const std::string & name : SplitAt(',', names))
  {
    bool isGroup = false;
    for (const ComponentColumn & column : all)
    {
      if (column.group == name)
      {
        columns.push_back(column.name);
        isGroup = true;
      }
    }
    if (!isGroup)
    {
      columns.push_back(name);
      isAnySingle = true;
    }
  }
  return isAnySingle ? columns : std::vector<std::string>();
}

static TableLayout
LayoutOf(const job::Table & arguments, const ComponentTable & table)
{
  TableLayout layout;
  layout.columns = SingleColumns(InMillimeters(arguments.columns, arguments.units), table);
  layout.sortColumn = SortColumn(arguments);
  layout.ascending = !arguments.sort.empty() && arguments.sort[0] == '+';
  layout.lengthUnit = arguments.units.empty() ? "mm" : arguments.units;
  layout.ras = arguments.ras;
  if (!arguments.top.empty())
  {
    layout.top = std::stoull(arguments.top);
    layout.sortColumn = layout.sortColumn.empty() ? "voxel_count" : layout.sortColumn;
  }
  return layout;
}

static char
PointOf(const job::Table & arguments)
{
  return arguments.decimal == "comma" ? ',' : '.';
}

static char
SeparatorOf(const job::Table & arguments, const std::string & extension)
{
  const bool isComma = arguments.separator.empty() ? arguments.decimal != "comma" : arguments.separator == "comma";
  return extension == ".tsv" || arguments.separator == "tab" ? '\t' : isComma ? ',' : ';';
}

static void
WriteTable(const job::Table & arguments, const ComponentTable & table, const TableText & text)
{
  const std::string extension = ExtensionOf(arguments.statistics);
  if (extension == ".xlsx")
  {
    WriteXlsx(arguments.statistics, table, text);
    return;
  }
  ReplaceTextFile(arguments.statistics, [&](std::ostream & stream) {
    if (extension == ".json")
    {
      WriteJson(stream, table, text);
      return;
    }
    WriteDelimited(stream, table, text, SeparatorOf(arguments, extension), PointOf(arguments));
  });
}

ColumnGroups
CheckTableArguments(const job::Table & arguments, const std::string & tableOption)
{
  const std::string between = arguments.columns.empty() || arguments.sort.empty() ? "" : ",";
  const std::string names = InMillimeters(arguments.columns, arguments.units) + between + SortColumn(arguments);
  ColumnGroups      groups = ParseColumns(names, !arguments.intensity.empty());
  if (!arguments.IsWanted())
  {
    for (const auto & [option, isGiven] : { std::pair{ "--columns", !arguments.columns.empty() },
                                            std::pair{ "--sort", !arguments.sort.empty() },
                                            std::pair{ "--top", !arguments.top.empty() },
                                            std::pair{ "--part", !arguments.part.empty() },
                                            std::pair{ "--contacts", !arguments.contacts.empty() },
                                            std::pair{ "--schema", !arguments.schema.empty() },
                                            std::pair{ "--ras", arguments.ras },
                                            std::pair{ "--csv-separator", !arguments.separator.empty() },
                                            std::pair{ "--decimal", arguments.decimal != "point" } })
    {
      ThrowIf<InvalidArgument>(isGiven, option + (" has no effect without " + tableOption) + " or --print");
    }
    return groups;
  }
  const auto writes = [&](const std::string & extension) {
    return ExtensionOf(arguments.statistics) == extension || ExtensionOf(arguments.contacts) == extension;
  };
  CheckIsUsed("--csv-separator", arguments.separator.empty() || writes(".csv"), "a table in a .csv file");
  CheckIsUsed("--decimal",
              arguments.decimal == "point" || writes(".csv") || writes(".tsv"),
              "a table in a .csv or .tsv file");
  ThrowIf<InvalidArgument>(
    arguments.separator == "comma" && arguments.decimal == "comma",
    "--csv-separator comma and --decimal comma cannot be combined: the numbers would be ambiguous");
  CheckTableName(arguments.statistics, true);
  CheckDelimitedFile(arguments.contacts, "contacts");
  CheckDelimitedFile(arguments.schema, "a schema");
  if (!arguments.contacts.empty())
  {
    groups.Add("neighbors");
  }
  return groups;
}

void
CheckIsUsed(const std::string & option, bool isUsed, const std::string & users)
{
  ThrowIf<InvalidArgument>(!isUsed, option + " has no effect without " + users);
}

void
CheckUnits(const job::Table & arguments, bool isUsed, const std::string & users)
{
  CheckIsUsed("--units " + arguments.units, arguments.units.empty() || arguments.IsWanted() || isUsed, users);
}

void
CheckIntensity(const job::Table & arguments, bool isUsed, const std::string & users)
{
  CheckIsUsed("--intensity", arguments.intensity.empty() || arguments.IsWanted() || isUsed, users);
}

ComponentTable
TableOfNothing(MeasureOptions measured, const Extent & extent, const LabelOptions & labeled)
{
  // A few voxels of background have a table of the same columns.
  constexpr std::int64_t fewest = 3;
  constexpr std::size_t  largestValue = 8;
  Extent                 few = extent;
  for (int axis = 0; axis < few.dimension; ++axis)
  {
    few.size[axis] = std::min(few.size[axis], fewest);
  }
  const auto                      count = static_cast<std::size_t>(few.VoxelCount());
  const std::vector<std::uint8_t> background(count, 0);
  const int                       channels = measured.intensity ? measured.intensity->channels : 1;
  const std::vector<std::uint8_t> others(count * largestValue * static_cast<std::size_t>(channels), 1);
  if (measured.intensity)
  {
    measured.intensity = ImageView(others.data(), measured.intensity->type, few, channels);
  }
  for (auto * const image : { &measured.part, &measured.classes, &measured.parents, &measured.parts, &measured.zones })
  {
    *image = *image ? std::optional(ImageView(others.data(), few)) : std::nullopt;
  }
  LabelOptions options;
  options.connectivity = labeled.connectivity;
  options.periodic = labeled.periodic;
  options.geometry = labeled.geometry;
  options.device.kind = Device::Kind::Cpu;
  options.threads = 1;
  Labeling labeling;
  Label(ImageView(background.data(), few), options, labeling);
  return labeling.Measure(measured);
}

void
CheckTableColumns(const job::Table &     arguments,
                  const MeasureOptions & measured,
                  const Extent &         extent,
                  const LabelOptions &   labeled,
                  bool                   bySlabs)
{
  if (arguments.IsWanted())
  {
    const std::string columns = arguments.columns + (arguments.columns.empty() ? "" : ",");
    for (const std::string & name : SplitAt(',', columns + SortColumn(arguments)))
    {
      // Errors of measuring name groups, not columns.
      files::WithContext("column " + Quoted(name) + ": ", [&] {
        MeasureOptions own = measured;
        own.groups = ParseColumns(InMillimeters(name, arguments.units), true);
        if (bySlabs)
        {
          CheckColumnsOfBricks({ {}, own.groups }, labeled.periodic);
        }
        TableOfNothing(own, extent, labeled);
      });
    }
    ComponentTable table = TableOfNothing(measured, extent, labeled);
    for (const char * const name : { "image", "segment", "name" })
    {
      table.texts.emplace_back().name = name;
    }
    LayOut(table, LayoutOf(arguments, table));
  }
}

void
CheckNeedOfColumn(const std::string & column, const job::Table & arguments, const std::string & who)
{
  const std::string name = ColumnInMillimeters(column);
  const std::string need = NeedOfColumn(name);
  const bool        isMet = name == "surface_distance_mm"    ? !arguments.part.empty()
                          : name == "zone"                   ? !arguments.zones.empty()
                          : name.rfind("intensity_", 0) == 0 ? !arguments.intensity.empty()
                                                             : need.empty();
  ThrowIf<InvalidArgument>(!isMet, who + " names the column '" + column + "', which needs " + need);
}

void
CheckColumnIsThere(const std::string & column, const job::Table & arguments, const std::string & option)
{
  const std::string name = ColumnInMillimeters(column);
  const auto        names = Mapped(AllColumnNames(), [](const auto & known) { return known.first; });
  ThrowIf<InvalidArgument>(std::find(names.begin(), names.end(), name) == names.end(),
                           "there is no column '" + column + "' for " + option + DidYouMean(name, names) +
                             "; `brickccl stats --list-columns` lists all");
  CheckNeedOfColumn(column, arguments, option);
}

std::string
NameInMillimeters(const std::string & column)
{
  const auto        all = AllColumnNames();
  const std::string name = ColumnInMillimeters(column);
  return std::any_of(all.begin(), all.end(), [&](const auto & known) { return known.first == name; }) ? name : column;
}

std::string
WithColumnsOf(const Condition & condition, std::string names)
{
  for (const std::string & column : condition.ColumnNames())
  {
    names += (names.empty() ? "" : ",") + NameInMillimeters(column);
  }
  return names;
}

NamedFiles
TableFiles(const job::Table & arguments, const std::string & tableOption)
{
  return { { tableOption, arguments.statistics },
           { "--contacts", arguments.contacts },
           { "--schema", arguments.schema } };
}

MeasureOptions
TableImages::Options(const ColumnGroups & groups) const
{
  MeasureOptions options;
  options.groups = groups;
  options.intensity = intensity ? std::optional(intensity->View()) : std::nullopt;
  options.part = part ? std::optional(part->View()) : std::nullopt;
  options.zones = zones ? std::optional(zones->View()) : std::nullopt;
  options.ignoresNaN = ignoresNaN;
  return options;
}

TableImages
ReadTableImages(const job::Table & arguments, const LoadedImage & image, int threads, ImageReader & reader)
{
  TableImages images;
  images.ignoresNaN = arguments.nan == "ignore";
  const auto read = [&](const std::string & path, bool isMask, std::optional<LoadedImage> & other) {
    if (!path.empty())
    {
      other = reader.Read(path, isMask);
      CheckSameGrid(image, *other, path);
    }
    return other.has_value();
  };
  read(arguments.intensity, false, images.intensity);
  if (read(arguments.part, true, images.part))
  {
    CheckPart(*images.part, threads, reader);
  }
  if (read(arguments.zones, true, images.zones) && !images.zones->inParts)
  {
    const auto        all = [&](const auto & look) { look(images.zones->View(), {}); };
    const std::string note = job::CheckZones(all, Quoted(arguments.zones) + " (--zones)", threads);
    reader.NoteIf(!note.empty(), note);
  }
  return images;
}

void
WriteTables(const job::Table & arguments, const ComponentTable & table, int threads, Reporter & reporter)
{
  if (!arguments.IsWanted())
  {
    return;
  }
  const ProgressHooks hooks = reporter.Hooks();
  const TableLayout   layout = LayoutOf(arguments, table);
  TableText           text = LayOut(table, layout);
  if (!arguments.statistics.empty())
  {
    reporter.Step("writing " + arguments.statistics);
    text.context = { threads, Progress(hooks) };
    WriteTable(arguments, table, text);
  }
  if (arguments.print)
  {
    const std::size_t shown = WriteAligned(std::cout, table, text, arguments.columns.empty() ? TerminalWidth() : 0);
    if (shown < text.columns.size())
    {
      reporter.Note(std::to_string(shown) + " of " + std::to_string(text.columns.size()) +
                    " columns fit the terminal; choose others with --columns");
    }
  }
  if (!arguments.contacts.empty())
  {
    ReplaceTextFile(arguments.contacts, [&](std::ostream & stream) {
      const char separator = SeparatorOf(arguments, ExtensionOf(arguments.contacts));
      WriteContacts(stream, table, separator, PointOf(arguments), layout.lengthUnit);
    });
  }
  if (!arguments.schema.empty())
  {
    ReplaceTextFile(arguments.schema, [&](std::ostream & stream) {
      WriteSchema(stream, table, text, ExtensionOf(arguments.schema) == ".csv" ? ',' : '\t');
    });
  }
}

void
DrawLabels(const job::Job &       arguments,
           const LoadedImage &    image,
           bool                   isScan,
           const TableImages &    images,
           const RunVolume &      runs,
           const ComponentTable & table,
           Reporter &             reporter)
{
  reporter.Step("drawing " + arguments.picture);
  const ProgressHooks hooks = reporter.Hooks();
  const LoadedImage & background = images.intensity ? *images.intensity : image;
  const bool          hasSpacing = image.spacingSource != "none";
  WritePicture(arguments.picture,
               { background, runs, table, hasSpacing, isScan || images.intensity.has_value() },
               { arguments.threads, Progress(hooks) });
}

void
PrintColumns(bool asMarkdown)
{
  std::cout << (asMarkdown ? "| column | unit | what it is | ITK | scikit-image | merged from parts |\n"
                             "| --- | --- | --- | --- | --- | --- |\n"
                           : "Physical coordinates are in mm, LPS: x grows to the left, y to the back, z upwards.\n");
  std::string group;
  for (const ComponentColumn & column : AllColumns(3))
  {
    if (column.group != group)
    {
      group = column.group;
      std::cout << (asMarkdown ? "| **`--columns " + group + "`** | | | | | |\n" : "--columns " + group + ":\n");
    }
    if (asMarkdown)
    {
      std::cout << "| `" << column.name << "` | " << column.unit << " | " << column.description << " | "
                << column.itkName << " | " << column.scikitImageName << " | " << NameOf(column.merge) << " |\n";
    }
    else
    {
      std::cout << "  " << column.name << (column.unit.empty() ? "" : " [" + column.unit + "]") << ": "
                << column.description << '\n';
    }
  }
  std::cout.flush();
}

} // namespace brickccl::cli
