#include "BrickCCL/Cli/TableOptions.h"

#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"

#include <iostream>

namespace brickccl::cli
{

namespace
{

/** \throws InvalidArgument if a file for `what` is named that is no .csv or .tsv, or cannot be written. */
void
CheckDelimitedFile(const std::string & path, const std::string & what)
{
  const std::string extension = ExtensionOf(path);
  if (path.empty())
  {
    return;
  }
  if (extension != ".csv" && extension != ".tsv")
  {
    throw InvalidArgument("cannot write " + what + " to '" + path + "': its extension must be .csv or .tsv");
  }
  CheckWritable(path);
}

char
DelimiterOf(const std::string & path)
{
  return ExtensionOf(path) == ".csv" ? ',' : '\t';
}

} // namespace

void
AddTableOptions(CLI::App & command, TableArguments & arguments, const std::string & tableOption)
{
  const std::string of = " (of " + tableOption + ")";
  command
    .add_option("--columns",
                arguments.columns,
                "further columns" + of + ", with commas between: names of columns or of groups: " +
                  ColumnGroups::Names() + "; `brickccl stats --list-columns` lists all")
    ->type_name("NAMES");
  command.add_option("--intensity", arguments.intensity, "measure the values of this image under each component" + of)
    ->type_name("FILE");
  command
    .add_option("--part",
                arguments.part,
                "mask of the inspected part: measure distances to its surface and its volume fraction" + of)
    ->type_name("FILE");
  command
    .add_option("--contacts",
                arguments.contacts,
                "write the pairs of components that share voxel faces: .csv or .tsv; measures the group neighbours")
    ->type_name("FILE");
  command
    .add_option("--schema",
                arguments.schema,
                "write names, types, units and meanings of the columns" + of +
                  ": .csv or .tsv; 3D Slicer reads TABLE.schema.tsv beside TABLE.tsv")
    ->type_name("FILE");
}

ColumnGroups
CheckTableArguments(const TableArguments & arguments, const std::string & tableOption)
{
  ColumnGroups groups = ParseColumns(arguments.columns, !arguments.intensity.empty());
  if (arguments.table.empty())
  {
    for (const auto & [option, value] : { std::pair{ "--columns", &arguments.columns },
                                          std::pair{ "--part", &arguments.part },
                                          std::pair{ "--contacts", &arguments.contacts },
                                          std::pair{ "--schema", &arguments.schema } })
    {
      if (!value->empty())
      {
        throw InvalidArgument(option + (" needs " + tableOption) + ", the table that it is for");
      }
    }
    return groups;
  }
  CheckTableName(arguments.table);
  CheckWritable(arguments.table);
  CheckDelimitedFile(arguments.contacts, "contacts");
  CheckDelimitedFile(arguments.schema, "a schema");
  if (!arguments.contacts.empty())
  {
    groups.Add("neighbours");
  }
  return groups;
}

NamedFiles
TableFiles(const TableArguments & arguments, const std::string & tableOption)
{
  return { { tableOption, arguments.table }, { "--contacts", arguments.contacts }, { "--schema", arguments.schema } };
}

MeasureOptions
TableImages::Options(const ColumnGroups & groups) const
{
  MeasureOptions options;
  options.groups = groups;
  if (intensity)
  {
    options.intensity = intensity->View();
  }
  if (part)
  {
    options.part = part->View();
  }
  return options;
}

TableImages
ReadTableImages(const TableArguments & arguments, const LoadedImage & image, ImageReader & reader)
{
  TableImages images;
  if (!arguments.intensity.empty())
  {
    images.intensity = reader.Read(arguments.intensity, false);
    CheckSameGrid(image, *images.intensity, arguments.intensity);
  }
  if (!arguments.part.empty())
  {
    images.part = reader.Read(arguments.part, true);
    CheckSameGrid(image, *images.part, arguments.part);
  }
  return images;
}

void
WriteTables(const TableArguments & arguments, const ComponentTable & table)
{
  WriteTable(arguments.table, table);
  if (!arguments.contacts.empty())
  {
    ReplaceTextFile(arguments.contacts,
                    [&](std::ostream & stream) { WriteContacts(stream, table, DelimiterOf(arguments.contacts)); });
  }
  if (!arguments.schema.empty())
  {
    ReplaceTextFile(arguments.schema,
                    [&](std::ostream & stream) { WriteSchema(stream, table, DelimiterOf(arguments.schema)); });
  }
}

void
PrintColumns(bool asMarkdown)
{
  if (asMarkdown)
  {
    std::cout << "| column | unit | what it is | ITK | scikit-image | merged from parts |\n"
                 "| --- | --- | --- | --- | --- | --- |\n";
  }
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
                << column.description << "; merged: " << NameOf(column.merge) << '\n';
    }
  }
  std::cout.flush();
}

} // namespace brickccl::cli
