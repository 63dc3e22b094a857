// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/ItemTexts.h"

#include "BrickCCL/Batch/FileHash.h"
#include "BrickCCL/Batch/JsonText.h"
#include "BrickCCL/Batch/ProcessItem.h"
#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Job/Findings.h"

#include <iomanip>
#include <locale>
#include <sstream>

namespace brickccl::batch
{

using nlohmann::ordered_json;

template <typename TValue>
static ordered_json
ValueOrNull(const std::optional<TValue> & value)
{
  return value ? ordered_json(*value) : ordered_json();
}

/** The unit of a rule's value and limit, after a blank; nothing for a count. */
static std::string
UnitOfRule(const ordered_json & result, const Recipe & recipe)
{
  const Rule &      rule = *FindRule(result.at("rule"));
  const std::string keys = rule.keys;
  const std::string key = keys.substr(0, keys.find(' '));
  std::string       unit = rule.found == nullptr ? job::WordsAndUnit(key).second : "";
  unit = unit == "mm3" && !recipe.bySlice.empty() ? "mm2" : unit;
  unit = unit.empty() ? job::WordsAndUnit(result.at("column")).second : unit;
  return unit.empty() ? "" : ' ' + unit;
}

ordered_json
DescribeRule(const AcceptanceRule & rule, const RuleResult & result)
{
  ordered_json described;
  described["name"] = rule.name;
  described["rule"] = rule.rule;
  described["column"] = rule.column;
  described["where"] = rule.where;
  if (rule.zone > 0)
  {
    described["zone"] = rule.zone;
  }
  described["limit"] = rule.limit;
  described["value"] = WithInfinities(ValueOrNull(result.value));
  described["passes"] = result.passes;
  if (result.undecided > 0)
  {
    described["undecided"] = result.undecided;
  }
  described["label"] = ValueOrNull(result.label);
  described["slice"] = ValueOrNull(result.slice);
  if (result.window)
  {
    described["window"] = { { "first_voxel", result.window->first }, { "voxels", result.window->voxels } };
  }
  if (!result.labels.empty())
  {
    described["labels"] = result.labels;
  }
  if (!result.parts.empty())
  {
    described["parts"] = result.parts;
  }
  return described;
}

std::string
NoteOnRule(const AcceptanceRule & rule, const RuleResult & result)
{
  return result.undecided == 0
         ? ""
         : "'" + rule.name + "' cannot pass: " + rule.column + " of " + Counted(result.undecided, "defect") +
             " is not a number; exclude such defects with where = \"...\" in the rule";
}

std::string
ValueText(const ordered_json & result, const Recipe & recipe, const job::Language & language)
{
  const ordered_json & value = result.at("value");
  const auto           limit = result.at("limit").get<double>();
  if (!value.is_number())
  {
    return value.is_string() ? value.get<std::string>() : language("is not a number");
  }
  const auto        number = value.get<double>();
  const std::string limitText = job::Readable(Number(limit));
  std::string       text = job::Readable(Number(number));
  const bool        isNear = text == limitText && number != limit;
  // Rounding must not hide the difference.
  for (int digits = 5; isNear && digits <= 17 && (text == limitText || text.find('e') != std::string::npos); ++digits)
  {
    std::ostringstream rounded;
    rounded << std::setprecision(digits) << number;
    text = rounded.str();
  }
  return language.Decimal(text) + UnitOfRule(result, recipe);
}

std::string
LimitText(const ordered_json & result, const Recipe & recipe, const job::Language & language)
{
  return language.Decimal(Shortest(result.at("limit").get<double>())) + UnitOfRule(result, recipe);
}

std::string
DescribeFailure(const ordered_json &   result,
                const AcceptanceRule & rule,
                const Recipe &         recipe,
                const job::Language &  language)
{
  const char * const found = FindRule(rule.rule)->found;
  const std::string  length = language.Decimal(Shortest(rule.reference > 0 ? rule.reference : rule.within));
  const std::string  slice = result.at("slice").dump();
  const std::string  parts =
    Joined(result.value("parts", ordered_json::array()), ", ", [](const ordered_json & part) { return part.dump(); });
  return rule.name +
         (found == nullptr ? ' ' + ValueText(result, recipe, language)
                           : ": " + language.Plural(result.at("value").get<double>(), found, { length, slice })) +
         language(", limit {1}", { LimitText(result, recipe, language) }) +
         (rule.zone == 0 ? "" : language(" (zone {1})", { std::to_string(rule.zone) })) +
         (parts.empty() ? ""
                        : language(parts.find(',') == std::string::npos ? " (part {1})" : " (parts {1})", { parts }));
}

std::string
TextOfTable(const ComponentTable & table)
{
  std::ostringstream text;
  text.imbue(std::locale::classic());
  WriteDelimited(text, table, ',');
  if (table.sliceAxis)
  {
    return text.str();
  }
  std::istringstream lines(text.str());
  std::string        line;
  std::string        all;
  for (std::size_t row = 0; std::getline(lines, line); ++row)
  {
    all += row == 0 ? "slice" : std::to_string(SliceOf(table.components[row - 1]));
    all += ',' + line + '\n';
  }
  return all;
}

std::string
TextOfState(const ordered_json & seconds,
            const ordered_json & stamps,
            const ordered_json & summary,
            const std::string &  summaryFile)
{
  ordered_json state;
  state["brickccl"] = Version;
  state["seconds"] = seconds;
  state["stamps"] = stamps;
  state["outputs"] = summary.at("outputs");
  state["outputs"].push_back(DescribeFile(summaryFile, SummaryFile));
  return state.dump(2) + '\n';
}

} // namespace brickccl::batch
