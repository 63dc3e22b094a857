// SPDX-License-Identifier: Apache-2.0

#include "BrickCCL/Batch/FileHash.h"
#include "BrickCCL/Batch/JsonText.h"
#include "BrickCCL/Batch/ProcessItem.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Report/Report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

namespace brickccl::report
{

using batch::PathIn;
using batch::ReadText;
using nlohmann::ordered_json;

namespace
{

/** A table of CSV. Cells may hold line ends. */
struct Table
{
  std::vector<std::string>              columns;
  std::vector<std::vector<std::string>> rows;

  explicit Table(const std::string & path)
  {
    std::istringstream text(ReadText(path));
    std::string        record;
    for (std::string line; std::getline(text, line);)
    {
      record += record.empty() ? line : '\n' + line;
      if (std::count(record.begin(), record.end(), '"') % 2 == 0)
      {
        (columns.empty() ? columns : rows.emplace_back()) = CsvCells(record);
        record.clear();
      }
    }
  }

  std::size_t
  Place(const std::string & column) const
  {
    const auto found = std::find(columns.begin(), columns.end(), column);
    return static_cast<std::size_t>(std::distance(columns.begin(), found));
  }
};

ordered_json
NumberOf(const std::string & text, bool isExact)
{
  double     number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || !std::isfinite(number))
  {
    return {};
  }
  constexpr double largestExactWhole = 9007199254740992.0;
  if (number == std::floor(number) && std::abs(number) < largestExactWhole)
  {
    return static_cast<std::int64_t>(number);
  }
  if (isExact)
  {
    return number;
  }
  // The page rounds them to four again, and fewer digits would then round twice; defects.csv has all of them.
  char rounded[32];
  std::snprintf(rounded, sizeof(rounded), "%.9g", number);
  return std::strtod(rounded, nullptr);
}

/** \throws Error if a file that the report shows is not what the manifest says. */
void
CheckOutputs(const std::string & folder, const ordered_json & outputs)
{
  std::set<std::string> missing = { "recipe.toml", "items.csv", "defects.csv" };
  for (const ordered_json & output : outputs)
  {
    const std::string name = output.at("path");
    const std::string path = PathIn(folder, name);
    missing.erase(name);
    if (std::filesystem::path(name).stem().string().rfind(batch::LabelsFile, 0) == 0)
    {
      continue;
    }
    ThrowIf(!std::filesystem::is_regular_file(path) || batch::DescribeFile(path, name) != output,
            "'" + path + "' was changed after the batch; `brickccl batch ... --resume` makes it again");
  }
  if (!missing.empty())
  {
    throw batch::DamagedFile(PathIn(folder, "manifest.json"));
  }
}

/** Whether the items of a manifest are the rows of items.csv. */
bool
HasItems(const ordered_json & items, const Table & table)
{
  if (!items.is_array() || items.size() != table.rows.size())
  {
    return false;
  }
  const std::size_t name = table.Place("item");
  const std::size_t verdict = table.Place("verdict");
  for (std::size_t i = 0; i < items.size(); ++i)
  {
    const std::string cell = CsvCells(batch::CsvCell(items[i].at("item"))).front();
    if (cell != table.rows[i].at(name) || items[i].at("verdict") != table.rows[i].at(verdict))
    {
      return false;
    }
  }
  return true;
}

} // namespace

ordered_json
ReadManifest(const std::string & folder)
{
  ordered_json read;
  batch::WithJson(PathIn(folder, "manifest.json"), [&](ordered_json manifest) {
    CheckOutputs(folder, manifest.at("outputs"));
    read = std::move(manifest);
  });
  if (!HasItems(read.at("items"), Table(PathIn(folder, "items.csv"))))
  {
    throw batch::DamagedFile(PathIn(folder, "manifest.json"));
  }
  return read;
}

std::vector<Item>
ReadItems(const std::string & folder)
{
  std::vector<Item> items;
  const Table       table(PathIn(folder, "items.csv"));
  for (const std::vector<std::string> & row : table.rows)
  {
    Item item;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
    {
      item.cells[table.columns[i]] = i < row.size() ? row[i] : std::string();
    }
    if (!item.cells["folder"].empty())
    {
      batch::WithJson(PathIn(folder, item.cells["folder"] + "/" + batch::SummaryFile),
                      [&](ordered_json summary) { item.summary = std::move(summary); });
    }
    items.push_back(std::move(item));
  }
  // Items that need attention come first.
  static const std::vector<std::string> order = { "fail", "error", "not done", "none", "pass" };
  const auto                            rank = [](const Item & item) {
    return std::find(order.begin(), order.end(), item.cells.at("verdict")) - order.begin();
  };
  std::stable_sort(items.begin(), items.end(), [&](const Item & a, const Item & b) { return rank(a) < rank(b); });
  return items;
}

ordered_json
DataOfScript(const std::string & folder, const std::vector<Item> & items, const job::Language & language, bool isWhole)
{
  ordered_json                       data;
  std::map<std::string, std::size_t> places;
  data["items"] = ordered_json::array();
  data["rules"] = ordered_json::array();
  for (const Item & item : items)
  {
    places.emplace(item.cells.at("item"), data["items"].size());
    data["items"].push_back(item.cells.at("item"));
    // The rules are the same for all items.
    if (!item.summary.is_null())
    {
      data["rules"] = item.summary.at("rules");
    }
    // Which slices can be looked through.
    data["slices"].push_back(nullptr);
    if (item.summary.contains("report") && item.summary.at("report").contains("slices"))
    {
      const ordered_json & slices = item.summary.at("report").at("slices");
      data["slices"].back() = slices;
    }
  }
  data["texts"] = language.Texts();
  Table             table(PathIn(folder, "defects.csv"));
  const std::size_t sizes = table.Place("voxel_count");
  if (table.rows.size() > MaximumDefects && !isWhole)
  {
    std::stable_sort(table.rows.begin(), table.rows.end(), [&](const auto & a, const auto & b) {
      return a[sizes].size() != b[sizes].size() ? a[sizes].size() > b[sizes].size() : a[sizes] > b[sizes];
    });
    data["defects"]["all"] = table.rows.size();
    table.rows.resize(MaximumDefects);
  }
  data["defects"]["columns"] = table.columns;
  data["defects"]["names"] = Mapped(table.columns, [&](const auto & column) { return language.ColumnName(column); });
  auto rows = ordered_json::array();
  for (const std::vector<std::string> & row : table.rows)
  {
    auto cells = ordered_json::array();
    cells.push_back(places.at(row[0]));
    for (std::size_t i = 1; i < row.size(); ++i)
    {
      cells.push_back(NumberOf(row[i], isWhole));
    }
    rows.push_back(std::move(cells));
  }
  data["defects"]["rows"] = std::move(rows);
  return data;
}

} // namespace brickccl::report
