// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/BatchFolder.h"
#include "BrickCCL/Batch/FileHash.h"
#include "BrickCCL/Batch/ProcessItem.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace brickccl::batch
{

using nlohmann::ordered_json;

static std::string
NumberedBy(const Recipe & recipe)
{
  return recipe.parts != "largest" ? "part" : recipe.zones.empty() ? "" : "zone";
}

static std::string
Cell(const ordered_json & value)
{
  return value.is_null() ? std::string() : value.is_string() ? CsvCell(value.get<std::string>()) : value.dump();
}

/** The same for a number, which may be infinite (WithInfinities): then as tables of defects have it. */
static std::string
NumberCell(const ordered_json & value)
{
  return value == "Infinity" ? "inf" : value == "-Infinity" ? "-inf" : Cell(value);
}

static std::string
Verdict(const ItemOutcome & outcome)
{
  return outcome.IsFinished()  ? outcome.summary.at("verdict").get<std::string>()
       : outcome.error.empty() ? "not done"
                               : "error";
}

/** The rule that decided: the first one that fails. Null if none does. */
static ordered_json
DecidingRule(const ordered_json & summary)
{
  for (const ordered_json & rule : summary.at("rules"))
  {
    if (!rule.at("passes").get<bool>())
    {
      return rule;
    }
  }
  return {};
}

static std::string
PlaceOf(const FoundImage & image)
{
  const std::filesystem::path first = image.files.front();
  const std::filesystem::path folder = first.has_parent_path() ? first.parent_path() : ".";
  return image.kind == FoundImage::Kind::SliceImages ? folder.generic_string() : first.generic_string();
}

static std::string
NotesOf(const ordered_json & summary)
{
  return Joined(summary.at("notes"), "; ", [](const ordered_json & note) { return note.get<std::string>(); });
}

static std::vector<std::string>
LinesOf(const std::string & path)
{
  return SplitAt('\n', ReadText(path));
}

std::string
BatchFolder::ItemsText(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const
{
  std::string text =
    "item,folder,verdict,decided_by,value,limit,defect_label,slice,defects,porosity_percent,components,error,input,"
    "notes\n";
  for (std::size_t i = 0; i < items.size(); ++i)
  {
    const ItemOutcome &      outcome = outcomes[i];
    std::vector<std::string> cells = { CsvCell(items[i].name),
                                       outcome.IsFinished() ? "items/" + items[i].folder : std::string(),
                                       Verdict(outcome) };
    const ordered_json       rule = outcome.IsFinished() ? DecidingRule(outcome.summary) : ordered_json();
    cells.push_back(rule.is_null() ? std::string() : Cell(rule.at("name")));
    for (const char * const key : { "value", "limit", "label", "slice" })
    {
      cells.push_back(rule.is_null() ? std::string() : NumberCell(rule.at(key)));
    }
    for (const char * const key : { "defects", "porosity_percent", "components" })
    {
      cells.push_back(outcome.IsFinished() ? Cell(outcome.summary.at(key)) : std::string());
    }
    cells.push_back(CsvCell(outcome.error));
    cells.push_back(CsvCell(PlaceOf(items[i].found)));
    cells.push_back(CsvCell(outcome.IsFinished() ? NotesOf(outcome.summary) : std::string()));
    text += Joined(cells, ",") + '\n';
  }
  return text;
}

bool
BatchFolder::TellsOf(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const
{
  const auto isFinished = [](const ItemOutcome & outcome) { return outcome.IsFinished(); };
  try
  {
    return std::all_of(outcomes.begin(), outcomes.end(), isFinished) &&
           ReadText(PathOf("items.csv")) == ItemsText(items, outcomes) &&
           ordered_json::parse(ReadText(PathOf("manifest.json"))).value("brickccl", std::string()) == Version;
  }
  catch (const ordered_json::exception &)
  {
    return false;
  }
  catch (const Error &)
  {
    return false;
  }
}

void
BatchFolder::WriteParts(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const
{
  const std::string name = NumberedBy(m_Recipe);
  if (name.empty())
  {
    return;
  }
  ReplaceTextFile(PathOf(name + "s.csv"), [&](std::ostream & stream) {
    stream << "item," << name
           << ",verdict,decided_by,value,limit,defect_label,slice,defects,porosity_percent,defect_voxels,"
              "region_voxels\n";
    for (std::size_t i = 0; i < items.size(); ++i)
    {
      // An item with an error has no summary.
      const ordered_json & summary = outcomes[i].summary;
      const ordered_json   parts = summary.contains(name + "s") ? summary[name + "s"] : ordered_json();
      for (const ordered_json & part : parts)
      {
        const ordered_json rule = DecidingRule(part);
        stream << CsvCell(items[i].name) << ',' << Cell(part.at(name)) << ',' << Cell(part.at("verdict"));
        for (const char * const key : { "name", "value", "limit", "label", "slice" })
        {
          stream << ',' << (rule.is_null() ? std::string() : NumberCell(rule.at(key)));
        }
        for (const char * const key : { "defects", "porosity_percent", "defect_voxels", "region_voxels" })
        {
          stream << ',' << Cell(part.at(key));
        }
        stream << '\n';
      }
    }
  });
}

void
BatchFolder::WriteDefects(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const
{
  const auto tableOf = [&](std::size_t i) { return PathOf("items/" + items[i].folder + "/" + DefectsFile); };
  // Tables of slices and of volumes have different columns: this one has all of them.
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < items.size(); ++i)
  {
    if (outcomes[i].IsFinished())
    {
      for (const std::string & column : CsvCells(LinesOf(tableOf(i)).at(0)))
      {
        if (std::find(columns.begin(), columns.end(), column) == columns.end())
        {
          columns.push_back(column);
        }
      }
    }
  }
  ReplaceTextFile(PathOf("defects.csv"), [&](std::ostream & stream) {
    stream << "item" << (columns.empty() ? "" : ",") << Joined(columns, ",") << '\n';
    for (std::size_t i = 0; i < items.size(); ++i)
    {
      if (!outcomes[i].IsFinished())
      {
        continue;
      }
      const std::vector<std::string> lines = LinesOf(tableOf(i));
      const auto                     places = Mapped(CsvCells(lines[0]), [&](const std::string & column) {
        return static_cast<std::size_t>(
          std::distance(columns.begin(), std::find(columns.begin(), columns.end(), column)));
      });
      for (std::size_t row = 1; row < lines.size(); ++row)
      {
        const std::vector<std::string> cells = CsvCells(lines[row]);
        std::vector<std::string>       all(columns.size());
        for (std::size_t k = 0; k < cells.size(); ++k)
        {
          all[places[k]] = cells[k];
        }
        stream << CsvCell(items[i].name) << ',' << Joined(all, ",") << '\n';
      }
    }
  });
}

void
BatchFolder::WriteTimings(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const
{
  ReplaceTextFile(PathOf("timings.csv"), [&](std::ostream & stream) {
    stream << "item,read_seconds,label_seconds,measure_seconds,write_seconds,total_seconds,peak_memory_mb\n";
    for (std::size_t i = 0; i < items.size(); ++i)
    {
      if (outcomes[i].IsFinished())
      {
        stream << CsvCell(items[i].name);
        for (const char * const step : { "read", "label", "measure", "write", "total" })
        {
          stream << ',' << outcomes[i].seconds.value(step, 0.0);
        }
        const auto bytes = outcomes[i].seconds.value("peak_memory_bytes", 0.0);
        stream << ',' << (bytes > 0 ? Shortest(std::round(bytes / 1e5) / 10) : std::string()) << '\n';
      }
    }
  });
}

void
BatchFolder::WriteManifest(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const
{
  ordered_json manifest;
  manifest["brickccl"] = Version;
  manifest["recipe"] = { { "name", m_Recipe.name }, { "sha256", HashOf(m_Recipe.text) } };
  const auto isDone = [](const ItemOutcome & outcome) { return outcome.IsFinished() || !outcome.error.empty(); };
  manifest["complete"] = std::all_of(outcomes.begin(), outcomes.end(), isDone);
  manifest["items"] = ordered_json::array();
  std::vector<std::string> files = { "recipe.toml", "items.csv", "defects.csv" };
  NumberedBy(m_Recipe).empty() ? void() : files.push_back(NumberedBy(m_Recipe) + "s.csv");
  ordered_json outputs = Mapped(files, [&](const std::string & file) { return DescribeFile(PathOf(file), file); });
  for (std::size_t i = 0; i < items.size(); ++i)
  {
    ordered_json item;
    item["item"] = items[i].name;
    item["verdict"] = Verdict(outcomes[i]);
    if (outcomes[i].IsFinished())
    {
      const std::string folder = "items/" + items[i].folder + "/";
      item["input"] = outcomes[i].summary.at("input");
      for (ordered_json output : outcomes[i].summary.at("outputs"))
      {
        output["path"] = folder + output.at("path").get<std::string>();
        outputs.push_back(output);
      }
      outputs.push_back(DescribeFile(PathOf(folder + SummaryFile), folder + SummaryFile));
    }
    manifest["items"].push_back(item);
  }
  manifest["outputs"] = outputs;
  ReplaceTextFile(PathOf("manifest.json"), [&](std::ostream & stream) {
    stream << manifest.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  });
}

void
BatchFolder::WriteTables(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const
{
  ReplaceTextFile(PathOf("items.csv"), [&](std::ostream & stream) { stream << ItemsText(items, outcomes); });
  WriteParts(items, outcomes);
  WriteDefects(items, outcomes);
  WriteTimings(items, outcomes);
  WriteManifest(items, outcomes);
}

} // namespace brickccl::batch
