// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/RecipeValues.h"

#include "BrickCCL/Batch/RecipeSchema.h"
#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Core/LostNumber.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Job/Parameters.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include <toml++/toml.h>

namespace brickccl::batch
{

namespace
{

template <typename TNode>
int
LineOfNode(const TNode & node)
{
  return static_cast<int>(node.source().begin.line);
}

/** A number, exact. Nothing for other values. */
std::optional<std::string>
NumberText(const toml::node & node)
{
  if (const auto whole = node.value_exact<std::int64_t>())
  {
    return std::to_string(*whole);
  }
  const auto number = node.value_exact<double>();
  return !number             ? std::nullopt
       : std::isnan(*number) ? std::optional<std::string>("nan")
       : std::isinf(*number) ? std::optional<std::string>(*number > 0 ? "inf" : "-inf")
                             : std::optional<std::string>(Shortest(*number));
}

std::string
TextOfNode(const toml::node & node)
{
  std::ostringstream text;
  node.visit([&](const auto & value) { text << value; });
  std::string line;
  for (const char character : text.str())
  {
    const bool isSpace = character == ' ' || character == '\n';
    if (!isSpace || (!line.empty() && line.back() != ' '))
    {
      line += isSpace ? ' ' : character;
    }
  }
  return line;
}

/** A value of TOML as the texts that job::SetValue reads. Nothing if it is of another kind than the form. */
std::optional<std::vector<std::string>>
TextsFor(const job::Form & form, const toml::node & node)
{
  using job::Kind;
  const Kind kind = form.kind;
  const bool isOpen = kind == Kind::Neighbors || kind == Kind::Threshold;
  const bool isCount = kind == Kind::Whole || kind == Kind::Memory;
  const bool isNumber =
    isOpen || isCount || kind == Kind::Number || kind == Kind::Above || kind == Kind::Range || kind == Kind::Spacing;
  const bool isText = isOpen || kind == Kind::Spacing || (isNumber ? !form.unit.empty() : kind != Kind::Flag);
  const auto textOf = [&](const toml::node & one) -> std::optional<std::string> {
    if (kind == Kind::Flag && one.is_boolean())
    {
      return one.value_or(false) ? "true" : "false";
    }
    if (one.is_string())
    {
      return isText ? one.value_exact<std::string>() : std::nullopt;
    }
    const auto number = isNumber && (!isCount || one.is_integer()) ? NumberText(one) : std::nullopt;
    // A number of neighbors and a threshold are finite.
    return isOpen && number && number->find_first_of("0123456789") == std::string::npos ? std::nullopt : number;
  };
  const bool               isList = kind == Kind::Range || kind == Kind::Spacing || kind == Kind::Columns;
  std::vector<std::string> texts;
  if (isList != node.is_array())
  {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < (isList ? node.as_array()->size() : 1); ++i)
  {
    const auto text = textOf(isList ? *node.as_array()->get(i) : node);
    if (!text)
    {
      return std::nullopt;
    }
    texts.push_back(*text);
  }
  if (kind == Kind::Columns)
  {
    // Names of columns are one text.
    texts = { Joined(texts, ",") };
  }
  return texts;
}

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
    tables += key.name == name ? (tables.empty() ? "[" : " and [") + key.table + "]" : "";
  }
  return tables;
}

/** The right place of a misplaced key: "; it is a key of [part]", " (did you mean 'range' of [part]?)"; or empty. */
std::string
HintOnOtherTables(const std::string & name)
{
  if (const auto & tables = RecipeTables(); std::find(tables.begin(), tables.end(), name) != tables.end())
  {
    return "; [" + name + "] is a table: write it above its keys";
  }
  if (const std::string tables = TablesOfKey(name); !tables.empty())
  {
    return "; it is a key of " + tables;
  }
  const std::string nearest = NearestName(name, NameList(RecipeKeys()));
  return nearest.empty() ? "" : " (did you mean '" + nearest + "' of " + TablesOfKey(nearest) + "?)";
}

class RecipeReader
{
public:
  RecipeReader(const std::string & text, std::vector<RecipeProblem> & problems)
    : m_Text(text)
    , m_Problems(problems)
  {}

  RecipeValues
  Read()
  {
    toml::table all;
    try
    {
      all = toml::parse(m_Text);
    }
    catch (const toml::parse_error & error)
    {
      // The parser shows the number between quotation marks.
      const std::string what(error.description());
      const std::size_t quote = std::min(what.find('\''), what.size() - 1) + 1;
      const std::string number = what.substr(quote, what.find('\'', quote) - quote);
      Complain(static_cast<int>(error.source().begin.line),
               IsLostNumber(number) ? "'" + number + "' is not a number" + HintOnLostNumber(number)
                                    : "this is not TOML: " + what + " (https://toml.io describes TOML)");
      return m_Values;
    }
    if (all.empty())
    {
      Complain(1, "the recipe is empty; `brickccl recipe new` writes one");
    }
    const std::vector<std::string> & known = RecipeTables();
    for (const auto & [word, node] : all)
    {
      const std::string name(word.str());
      const bool        isKnown = std::find(known.begin(), known.end(), name) != known.end();
      isKnown ? ReadKnown(name, LineOfNode(word), node) : RefuseTable(name, LineOfNode(word), node);
    }
    return m_Values;
  }

private:
  using SlotOfKey = std::function<job::Slot(const std::string & name)>;

  void
  Complain(int line, const std::string & text)
  {
    m_Problems.push_back({ line, text });
  }

  /** Reads the keys of one table. \param prefix  before the names of keys that are given: "part." */
  void
  ReadTable(const std::string & name,
            const toml::table & table,
            const std::string & prefix,
            GivenKeys &         given,
            const SlotOfKey &   slotOf)
  {
    given.lines.emplace(prefix.empty() ? prefix : name, LineOfNode(table));
    for (const auto & [word, node] : table)
    {
      const std::string text(word.str());
      const auto        isIt = [&](const RecipeKey & key) { return key.table == name && key.name == text; };
      const auto        key = std::find_if(RecipeKeys().begin(), RecipeKeys().end(), isIt);
      if (key == RecipeKeys().end())
      {
        const std::vector<std::string> known = NamesOfKeys(name);
        std::string                    hint = DidYouMean(text, known);
        hint = hint.empty() ? HintOnOtherTables(text) : hint;
        Complain(LineOfNode(word),
                 "[" + name + "] has no key '" + text + "'" +
                   (hint.empty() ? "; there are " + Joined(known, ", ") : hint));
        continue;
      }
      given.lines[prefix + text] = LineOfNode(node);
      RecipeKey own = *key;
      if (own.form.unit == UnitOfColumn)
      {
        const std::string unit = job::WordsAndUnit(table["column"].value_or(std::string())).second;
        own.form.unit = unit.rfind("mm", 0) == 0 ? unit : "";
      }
      ReadValue(own, node, slotOf(text));
    }
  }

  void
  ReadValue(const RecipeKey & key, const toml::node & node, job::Slot slot)
  {
    const std::string name = key.table + "." + key.name;
    const auto        texts = TextsFor(key.form, node);
    try
    {
      const job::ValueFault fault =
        texts ? job::SetValue(key.form, *texts, slot) : job::ValueFault{ TextOfNode(node), job::RightValue(key.form) };
      if (fault)
      {
        Complain(LineOfNode(node), name + " is " + TextOfNode(node) + "; it must be " + fault.right);
      }
    }
    catch (const InvalidArgument & error)
    {
      Complain(LineOfNode(node), name + ": " + error.what());
    }
  }

  void
  ReadRules(const toml::node & node)
  {
    const toml::array * const list = node.as_array();
    if (list == nullptr || !std::all_of(list->begin(), list->end(), [](const auto & rule) { return rule.is_table(); }))
    {
      Complain(LineOfNode(node), "acceptance is a list of rules: write [[acceptance]] above each");
      return;
    }
    for (const toml::node & each : *list)
    {
      AcceptanceRule & rule = m_Values.recipe.acceptance.emplace_back();
      ReadTable("acceptance", *each.as_table(), "", m_Values.rules.emplace_back(), [&rule](const std::string & name) {
        const auto isIt = [&](const RuleKey & key) { return key.name == name; };
        return job::SlotOf(rule, std::find_if(RuleKeys().begin(), RuleKeys().end(), isIt)->member);
      });
    }
  }

  void
  ReadKnown(const std::string & name, int line, const toml::node & node)
  {
    if (name == "acceptance")
    {
      ReadRules(node);
    }
    else if (!node.is_table())
    {
      Complain(line, name + " is a table: write [" + name + "] above its keys");
    }
    else
    {
      ReadTable(name, *node.as_table(), name + ".", m_Values.given, [&](const std::string & key) {
        return job::SlotOf<job::Job>(m_Values.recipe, job::FindParameter(name + "." + key)->member);
      });
    }
  }

  /** Complains of a table that does not exist, or of a key above all tables. */
  void
  RefuseTable(const std::string & name, int line, const toml::node & node)
  {
    const bool        isTable = node.is_table() || node.is_array_of_tables();
    const std::string hint = isTable ? DidYouMean(name, RecipeTables()) : HintOnOtherTables(name);
    Complain(line,
             (isTable ? "there is no table [" + name + "]" : "'" + name + "' is above all tables") +
               (hint.empty() ? "; there are " + Joined(RecipeTables(), ", ") : hint));
  }

  const std::string &          m_Text;
  std::vector<RecipeProblem> & m_Problems;
  RecipeValues                 m_Values;
};

} // namespace

bool
IsSameRecipe(const std::string & first, const std::string & second)
{
  try
  {
    return toml::parse(first) == toml::parse(second);
  }
  catch (const toml::parse_error &)
  {
    return first == second;
  }
}

RecipeValues
ReadRecipeValues(const std::string & text, std::vector<RecipeProblem> & problems)
{
  return RecipeReader(text, problems).Read();
}

} // namespace brickccl::batch
