#include "BrickCCL/Batch/RecipeValues.h"

#include "BrickCCL/Batch/ReadRecipeValue.h"
#include "BrickCCL/Core/LostNumber.h"
#include "BrickCCL/Core/NearestName.h"

#include <algorithm>
#include <utility>

#include <toml++/toml.h>

namespace brickccl::batch
{

namespace
{

std::vector<std::string>
NamesOfTables()
{
  std::vector<std::string> names;
  for (const RecipeTable & table : RecipeTables())
  {
    names.push_back(table.name);
  }
  return names;
}

/** The keys of a table. */
std::vector<std::string>
NamesOfKeys(const std::string & table)
{
  std::vector<std::string> names;
  for (const RecipeKey & key : RecipeKeys())
  {
    if (key.table == table)
    {
      names.push_back(key.name);
    }
  }
  return names;
}

/** "[part] and [threshold]" for a key of these; empty for one of no table. */
std::string
TablesOfKey(const std::string & name)
{
  std::string tables;
  for (const RecipeKey & key : RecipeKeys())
  {
    if (key.name == name)
    {
      tables += (tables.empty() ? "[" : " and [") + key.table + "]";
    }
  }
  return tables;
}

/** Where a key belongs that stands in a wrong place: "; it is a key of [part]", "; did you mean 'range' of [part]?".
 *  Empty if no table has one that is near. */
std::string
HintOnOtherTables(const std::string & name)
{
  if (const std::string tables = TablesOfKey(name); !tables.empty())
  {
    return "; it is a key of " + tables;
  }
  std::vector<std::string> all;
  for (const RecipeKey & key : RecipeKeys())
  {
    all.push_back(key.name);
  }
  const std::string nearest = NearestName(name, all);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "' of " + TablesOfKey(nearest) + "?";
}

/** Complains of a key that its table does not have. \return the name that may be meant; empty if none is near. */
std::string
RefuseKey(const std::string & table, const std::string & name, int line, std::vector<RecipeProblem> & problems)
{
  const std::vector<std::string> known = NamesOfKeys(table);
  std::string                    hint = DidYouMean(name, known);
  hint = hint.empty() ? HintOnOtherTables(name) : hint;
  problems.push_back(
    { line,
      "[" + table + "] has no key '" + name + "'" + (hint.empty() ? "; there are " + ListOfNames(known) : hint) });
  return NearestName(name, known);
}

/** Reads the keys of one table of a recipe. One that is misspelled counts as named, and its value as refused. */
RecipeTableValues
ReadTable(const std::string &          recipe,
          const std::string &          name,
          const toml::table &          table,
          std::vector<RecipeProblem> & problems)
{
  RecipeTableValues values;
  values.line = static_cast<int>(table.source().begin.line);
  std::map<std::string, int> misspelled;
  for (const auto & [word, node] : table)
  {
    const std::string text(word.str());
    const auto        isIt = [&](const RecipeKey & key) { return key.table == name && key.name == text; };
    const auto        key = std::find_if(RecipeKeys().begin(), RecipeKeys().end(), isIt);
    if (key == RecipeKeys().end())
    {
      const int line = static_cast<int>(word.source().begin.line);
      misspelled.emplace(RefuseKey(name, text, line, problems), line);
      continue;
    }
    values.lines.emplace(text, static_cast<int>(node.source().begin.line));
    if (auto value = ReadRecipeValue(recipe, *key, node, problems))
    {
      values.values.emplace(text, std::move(*value));
    }
  }
  values.lines.merge(misspelled);
  return values;
}

void
ReadRules(const std::string &          recipe,
          const toml::node &           node,
          RecipeValues &               values,
          std::vector<RecipeProblem> & problems)
{
  const toml::array * const list = node.as_array();
  if (list == nullptr || !std::all_of(list->begin(), list->end(), [](const auto & rule) { return rule.is_table(); }))
  {
    problems.push_back(
      { static_cast<int>(node.source().begin.line), "acceptance is a list of rules: write [[acceptance]] above each" });
    return;
  }
  for (const toml::node & rule : *list)
  {
    values.acceptance.push_back(ReadTable(recipe, "acceptance", *rule.as_table(), problems));
  }
}

/** Reads what stands below the name of a table that there is. */
void
ReadKnown(const std::string &          recipe,
          const std::string &          name,
          int                          line,
          const toml::node &           node,
          RecipeValues &               values,
          std::vector<RecipeProblem> & problems)
{
  if (name == "acceptance")
  {
    ReadRules(recipe, node, values, problems);
  }
  else if (!node.is_table())
  {
    problems.push_back({ line, name + " is a table: write [" + name + "] above its keys" });
  }
  else
  {
    RecipeTableValues   read = ReadTable(recipe, name, *node.as_table(), problems);
    RecipeTableValues & table = values.tables.emplace(name, RecipeTableValues{ read.line, {}, {} }).first->second;
    table.values.merge(read.values);
    table.lines.merge(read.lines);
  }
}

/** Complains of a table that there is not, or of a key above all tables. One that is near to another name is read as
 *  that one, so that its faults are told as well, and nothing in it is called missing. */
void
ReadUnknown(const std::string &          recipe,
            const std::string &          name,
            int                          line,
            const toml::node &           node,
            RecipeValues &               values,
            std::vector<RecipeProblem> & problems)
{
  const std::vector<std::string> known = NamesOfTables();
  const std::string              nearest = NearestName(name, known);
  const bool                     isTable = node.is_table() || node.is_array_of_tables();
  if (!isTable && (nearest.empty() || !TablesOfKey(name).empty()))
  {
    const std::string hint = HintOnOtherTables(name);
    problems.push_back(
      { line, "'" + name + "' stands above all tables" + (hint.empty() ? "; there are " + ListOfNames(known) : hint) });
    return;
  }
  problems.push_back({ line,
                       "there is no table [" + name + "]" +
                         (nearest.empty() ? "; there are " + ListOfNames(known) : DidYouMean(name, known)) });
  if (isTable && !nearest.empty())
  {
    ReadKnown(recipe, nearest, line, node, values, problems);
  }
  else if (node.is_table())
  {
    for (const auto & [word, value] : *node.as_table())
    {
      const std::string key(word.str());
      const std::string hint = HintOnOtherTables(key);
      problems.push_back(
        { static_cast<int>(word.source().begin.line),
          "'" + key + "' stands in [" + name + "]" + (hint.empty() ? "; no table has such a key" : hint) });
    }
  }
}

} // namespace

const RecipeTableValues &
RecipeValues::operator[](const std::string & table) const
{
  static const RecipeTableValues none;
  const auto                     found = tables.find(table);
  return found == tables.end() ? none : found->second;
}

RecipeValues
ReadRecipeValues(const std::string & text, std::vector<RecipeProblem> & problems)
{
  RecipeValues values;
  toml::table  all;
  try
  {
    all = toml::parse(text);
  }
  catch (const toml::parse_error & error)
  {
    // The parser shows the number between quotation marks.
    const std::string what(error.description());
    const std::size_t quote = std::min(what.find('\''), what.size() - 1) + 1;
    const std::string number = what.substr(quote, what.find('\'', quote) - quote);
    problems.push_back({ static_cast<int>(error.source().begin.line),
                         IsLostNumber(number) ? "'" + number + "' is no number" + HintOnLostNumber(number)
                                              : "this is not TOML: " + what + " (https://toml.io describes TOML)" });
    return values;
  }
  const std::vector<std::string> known = NamesOfTables();
  for (const bool readsKnown : { true, false })
  {
    for (const auto & [word, node] : all)
    {
      const std::string name(word.str());
      const bool        isKnown = std::find(known.begin(), known.end(), name) != known.end();
      if (isKnown == readsKnown)
      {
        const int line = static_cast<int>(word.source().begin.line);
        (isKnown ? ReadKnown : ReadUnknown)(text, name, line, node, values, problems);
      }
    }
  }
  return values;
}

} // namespace brickccl::batch
