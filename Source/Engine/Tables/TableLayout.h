// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace brickccl
{

struct TableLayout
{
  /** Names of columns; the label and texts always come first. If it is empty, all are written. */
  std::vector<std::string> columns;
  /** Rows are ordered by this column, the greatest value first or, if `ascending`, the least; NaN last, and equal ones
   *  by their labels. If it is empty, rows are ordered by their labels. */
  std::string sortColumn;
  bool        ascending = false;
  /** Write only this many of the first rows; 0: all. */
  std::uint64_t top = 0;
  /** The unit of lengths: "mm", "um" or "cm". Areas and volumes have its square and cube, and columns its name. */
  std::string lengthUnit = "mm";
  /** Coordinates, directions and covariances are RAS instead of LPS, and columns have r, a and s instead of x, y and
   *  z in their names. `columns` and `sortColumn` are names without that. */
  bool ras = false;
};

struct TableText
{
  std::vector<ComponentColumn> columns;
  std::vector<std::size_t>     rows;
  /** Such as "LPS, in mm". */
  std::string coordinates;
  /** Its threads make the lines of a file, with progress. */
  HostContext context{ 1 };

  /** Tells of a row, by its number from 0 on. */
  void
  TellRow(std::size_t row) const
  {
    constexpr std::size_t between = 1024;
    if (row % between == 0)
    {
      context.progress.Update(static_cast<double>(row) / static_cast<double>(rows.size()));
    }
  }
};

/** \throws InvalidArgument for a column that the table does not have, and for another unit. */
TableText LayOut(const ComponentTable & table, const TableLayout & layout = {});

/** Writes a header line and one line per row; numbers as the shortest text that reads back exactly, optionally with
 *  another decimal sign. */
void
WriteDelimited(std::ostream & stream, const ComponentTable & table, const TableText & text, char delimiter, char point);

/** WriteContacts with another decimal sign, and areas in the square of a unit of length. */
void WriteContacts(std::ostream &         stream,
                   const ComponentTable & table,
                   char                   delimiter,
                   char                   point,
                   const std::string &    lengthUnit);

/** Writes the same for people: columns side by side, numbers rounded to 6 digits. \return the number of columns written
 *  \param width  of lines, or 0 for no limit: bounding boxes and indices are left out first, then the last columns */
std::size_t
WriteAligned(std::ostream & stream, const ComponentTable & table, const TableText & text, std::size_t width = 0);

/** A text as a cell of a delimited table: in quotes where RFC 4180 asks for that. A text that a spreadsheet would take
 * for a formula, because it begins with = + - @, a tab or a line's end, gets an apostrophe in front. */
std::string TextCell(const std::string & text, char delimiter);

/** Writes what the columns are, one line each: name, type ("int", "double" or "string"), unit and description. The
 * names of its own columns are those that 3D Slicer asks for in the schema of a table. */
void WriteSchema(std::ostream & stream, const ComponentTable & table, const TableText & text, char delimiter);

/** As WriteJson of a whole table. */
void WriteJson(std::ostream & stream, const ComponentTable & table, const TableText & text);

/** Whether a column identifies a component: the label, or a column that TableLayout::columns cannot leave out. */
bool IsKeyColumn(const std::string & name);

/** The input that a column needs besides the labels, as a user's option: "--intensity FILE". Empty if none. */
std::string NeedOfColumn(const std::string & name);

/** The column of this name. \throws InvalidArgument, which says what may be meant or missing, if there is none. */
const ComponentColumn & FindColumn(const std::vector<ComponentColumn> & columns, const std::string & name);

} // namespace brickccl
