// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/RecipeValues.h"

#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Job/Parameters.h"
#include "BrickCCL/Segmenting/Threshold.h"
#include "BrickCCL/Tables/Condition.h"
#include "BrickCCL/Tables/LengthUnits.h"

#include <algorithm>
#include <limits>
#include <set>

namespace brickccl::batch
{

namespace
{

/** The columns of all tables of a batch, and those that one needs a part or intensities for. */
std::set<std::string>
ColumnsOfAllTables()
{
  std::set<std::string> names;
  for (const auto & known : AllColumnNames())
  {
    names.insert(known.first);
  }
  names.erase("value");
  return names;
}

class RecipeBuilder
{
public:
  RecipeBuilder(RecipeValues & values, std::vector<RecipeProblem> & problems)
    : m_Recipe(values.recipe)
    , m_Given(values.given)
    , m_Rules(values.rules)
    , m_Problems(problems)
    , m_Columns(ColumnsOfAllTables())
  {}

  void
  Build()
  {
    CheckTies();
    TakeSmoothing();
    TakePart();
    CheckRanges(m_Recipe, m_Given, m_Problems);
    TakeLabeling();
    TakeMeasuring();
    for (std::size_t i = 0; i < m_Rules.size(); ++i)
    {
      TakeRule(m_Rules[i], m_Recipe.acceptance[i]);
      CheckLimit(m_Rules[i], m_Recipe.acceptance[i]);
    }
  }

private:
  void
  Complain(int line, const std::string & text)
  {
    m_Problems.push_back({ line, text });
  }

  void
  ComplainIf(bool condition, int line, const std::string & text)
  {
    if (condition)
    {
      Complain(line, text);
    }
  }

  bool
  LacksPart() const
  {
    return m_Recipe.partMethod == "none";
  }

  /** "part.method = \"pores\"" for "part.method=pores". */
  static std::string
  Written(const std::string & tie)
  {
    const std::size_t sign = tie.find('=');
    return sign == std::string::npos ? tie : tie.substr(0, sign) + " = \"" + tie.substr(tie.rfind('=') + 1) + "\"";
  }

  /** The key of a tie, "part.method=pores" or "range", of recipes; else empty. */
  static std::string
  KeyOf(const std::string & tie)
  {
    const job::Parameter * const parameter = job::FindParameter(tie.substr(0, tie.find('=')));
    return parameter == nullptr ? "" : parameter->key;
  }

  bool
  Gives(const std::string & tie)
  {
    const std::string key = KeyOf(tie);
    const std::size_t sign = tie.find('=');
    if (sign == std::string::npos)
    {
      return m_Given.Has(key);
    }
    const auto slot = job::SlotOf<job::Job>(m_Recipe, job::FindParameter(key)->member);
    return *std::get<std::string *>(slot) == tie.substr(tie.rfind('=') + 1);
  }

  /** Complains of a value that needs a key which is not given; "==" separates two that need each other. */
  void
  CheckIsNotNeeded(const job::Parameter & parameter)
  {
    const std::string need = parameter.ties.needs;
    ComplainIf(need.find("==") != std::string::npos && m_Given.Has(KeyOf(need)) && Gives(need),
               m_Given.LineOf(KeyOf(need)),
               Written(need) + " needs " + parameter.key + ", the " + parameter.help);
  }

  /** Complains of keys without what they need, and of those that exclude each other. */
  void
  CheckTies()
  {
    for (const job::Parameter & parameter : job::Parameters())
    {
      const std::string key = parameter.key;
      if (key.empty() || !m_Given.Has(key))
      {
        CheckIsNotNeeded(parameter);
        continue;
      }
      for (const std::string & need : job::WordsOf(parameter.ties.needs))
      {
        ComplainIf(!KeyOf(need).empty() && !Gives(need), m_Given.LineOf(key), key + " needs " + Written(need));
      }
      for (const std::string & other : job::WordsOf(parameter.ties.excludes))
      {
        const bool isFirst = other.find('=') != std::string::npos || KeyOf(other) > key;
        ComplainIf(!KeyOf(other).empty() && isFirst && Gives(other),
                   m_Given.LineOf(key),
                   key + " and " + Written(other.find('=') == std::string::npos ? KeyOf(other) : other) +
                     " cannot be combined; leave one of them out");
      }
    }
  }

  void
  TakeSmoothing()
  {
    ComplainIf(!m_Recipe.zones.empty() && m_Recipe.parts != "largest",
               m_Given.LineOf("zones.file"),
               "zones.file and part.parts cannot be combined; leave one of them out");
    const std::string & filter = m_Recipe.smoothingFilter;
    m_Recipe.smooth = filter == "median"   ? "median:" + std::to_string(m_Recipe.smoothingRadius)
                    : filter == "gaussian" ? "gaussian:" + Shortest(m_Recipe.smoothingDeviation)
                    : filter == "none"     ? std::string()
                                           : filter;
  }

  void
  TakePart()
  {
    m_Recipe.below = m_Recipe.side == "below";
    const std::string & method = m_Recipe.partMethod;
    if (LacksPart())
    {
      for (const char * const key : { "part.range", "part.threshold", "part.fill_holes", "part.erode_mm" })
      {
        ComplainIf(m_Given.Has(key),
                   m_Given.LineOf(key),
                   std::string(key) + " is set, but there is no part; set part.method = \"pores\" or \"largest\"");
      }
    }
    else if (!m_Given.Has("part.range") && !m_Given.Has("part.threshold"))
    {
      Complain(m_Given.LineOf("part.method"),
               "part.method = \"" + method + "\" needs the values of the material: part.range or part.threshold");
    }
    const auto given = ThresholdMethod::FromText(m_Recipe.partThreshold.empty() ? "otsu" : m_Recipe.partThreshold);
    if (given.kind == ThresholdMethod::Kind::Value)
    {
      m_Recipe.partRange = Criterion::Range{ given.value, std::numeric_limits<double>::infinity() };
    }
    ComplainIf(method == "pores" && !m_Given.Has("threshold.range") && !m_Given.Has("threshold.method") &&
                 m_Recipe.criterion != "foreground",
               m_Given.LineOf("labeling.criterion"),
               "labeling.criterion = \"" + m_Recipe.criterion +
                 "\" needs [threshold]: the pores of part.method = \"pores\" have no values to compare");
  }

  void
  TakeLabeling()
  {
    m_Recipe.equalValue = m_Recipe.criterion == "equal-value";
    ComplainIf((m_Recipe.connectivity == 6 || m_Recipe.connectivity > 8) && !m_Recipe.bySlice.empty(),
               m_Given.LineOf("labeling.connectivity"),
               "labeling.connectivity = " + std::to_string(m_Recipe.connectivity) +
                 " joins voxels of neighboring slices, but labeling.by_slice labels each slice separately; "
                 "use 4 or 8, or leave by_slice out");
    ComplainIf(m_Recipe.minimumSize > m_Recipe.maximumSize,
               m_Given.LineOf("labeling.minimum_size"),
               "labeling.minimum_size is above labeling.maximum_size: no component would be kept");
  }

  void
  TakeMeasuring()
  {
    for (const std::string & name : SplitAt(',', m_Recipe.columns))
    {
      NeedColumn(name, "measuring.columns", m_Given.LineOf("measuring.columns"), true);
    }
    if (m_Given.Has("selection.keep"))
    {
      CheckCondition(m_Recipe.keep, "selection.keep", m_Given.LineOf("selection.keep"));
    }
  }

  void
  TakeRule(const GivenKeys & given, AcceptanceRule & rule)
  {
    const Rule * const known = FindRule(rule.rule);
    if (known == nullptr)
    {
      Complain(given.LineOf(""),
               "this entry of [[acceptance]] has no rule; set rule to " + job::RightValue(RuleKeys().front().form));
      return;
    }
    CheckKeysOfRule(given, *known);
    rule.name = rule.name.empty() ? rule.rule : rule.name;
    ComplainIf(given.Has("name") && !m_RuleNames.insert(rule.name).second,
               given.LineOf("name"),
               "acceptance.name is " + Quoted(rule.name) + ", the name of another rule; change it");
    if (given.Has("where"))
    {
      CheckCondition(rule.where, "acceptance.where", given.LineOf("where"));
    }
    if (given.Has("column"))
    {
      NeedColumn(rule.column, "acceptance.column", given.LineOf("column"), false);
    }
    if (known->column[0] != '\0')
    {
      NeedColumn(known->column, "the rule " + rule.rule, given.LineOf("rule"), false);
    }
    ComplainIf(known->isOfPart && (LacksPart() || m_Recipe.erode > 0 || m_Recipe.IsGiven()),
               given.LineOf("rule"),
               "the rule " + rule.rule +
                 " needs the whole part: set part.method = \"pores\" or \"largest\", and leave out "
                 "[region] and part.erode_mm");
    ComplainIf(rule.zone > 0 && m_Recipe.zones.empty(),
               given.LineOf("zone"),
               "acceptance.zone needs zones; set zones.file");
    ComplainIf(rule.leastPart > 0 && LacksPart(),
               given.LineOf("least_part_percent"),
               "acceptance.least_part_percent needs a part; set part.method = \"pores\" or \"largest\"");
  }

  /** Complains of limits that all defects meet, and of columns that do not measure. */
  void
  CheckLimit(const GivenKeys & given, const AcceptanceRule & rule)
  {
    static const std::set<std::string> numbers = { "label", "nearest_label", "parent", "part", "zone" };
    ComplainIf(numbers.count(rule.column) > 0,
               given.LineOf("column"),
               "acceptance.column names '" + rule.column +
                 "', a number of a component; name a measure, such as volume_mm3");
    ComplainIf(given.Has("at_most_percent") && rule.limit >= 100,
               given.LineOf("at_most_percent"),
               "acceptance.at_most_percent is 100: no item can fail");
    ComplainIf(rule.rule == "near-surface" && given.Has("within_mm") && rule.within <= m_Recipe.erode,
               given.LineOf("within_mm"),
               "acceptance.within_mm is " + Shortest(rule.within) +
                 ", but part.erode_mm = " + Shortest(m_Recipe.erode) +
                 " leaves out the defects so near to the surface; make within_mm larger, or omit erode_mm");
  }

  /** Complains of keys that the rule does not take, and of those that it lacks. */
  void
  CheckKeysOfRule(const GivenKeys & given, const Rule & rule)
  {
    const std::string     name = rule.name;
    std::set<std::string> taken = { "rule", "name", rule.isOfPart ? "rule" : "where" };
    for (const std::string & word : job::WordsOf(rule.keys))
    {
      const bool        isOptional = word.front() == '[';
      const std::size_t bar = word.find('|');
      const std::string first = isOptional ? word.substr(1, word.size() - 2) : word.substr(0, bar);
      const std::string second = bar == std::string::npos ? first : word.substr(bar + 1);
      taken.insert({ first, second });
      const auto key =
        std::find_if(RuleKeys().begin(), RuleKeys().end(), [&](const RuleKey & one) { return one.name == first; });
      if (first != second && given.Has(first) == given.Has(second))
      {
        Complain(given.LineOf(""), "the rule " + name + " needs " + first + " or " + second + ", not both");
      }
      else if (first == second && !isOptional && !given.Has(first))
      {
        Complain(given.LineOf(""),
                 "the rule " + name + " needs " + first + ", the " + key->help.substr(0, key->help.find(';')));
      }
    }
    for (const auto & [key, line] : given.lines)
    {
      ComplainIf(!key.empty() && taken.count(key) == 0,
                 line,
                 "the rule " + name + " takes no " + key + "; leave it out");
    }
  }

  void
  CheckCondition(const std::string & text, const std::string & key, int line)
  {
    if (text.empty())
    {
      Complain(line, key + " is empty; write a condition, such as volume_mm3 > 0.5, or omit it");
      return;
    }
    try
    {
      const Condition condition(text);
      ComplainIf(condition.ColumnNames().empty(),
                 line,
                 key + " names no column: it is the same for all components; compare one, as volume_mm3 > 0.5");
      for (const std::string & column : condition.ColumnNames())
      {
        const std::string inMillimeters = ColumnInMillimeters(column);
        NeedColumn(m_Columns.count(inMillimeters) > 0 ? inMillimeters : column, key, line, false);
      }
    }
    catch (const InvalidArgument & error)
    {
      Complain(line, key + ": " + error.what());
    }
  }

  void
  NeedColumn(const std::string & name, const std::string & key, int line, bool mayBeGroup)
  {
    if (m_Columns.count(name) == 0)
    {
      if (mayBeGroup && name != "value")
      {
        try
        {
          m_Recipe.groups.Add(name);
          CheckIntensity(name == "intensity" ? "intensity_" : name, key, line);
          return;
        }
        catch (const InvalidArgument &)
        {
          // It is neither a column nor a group.
        }
      }
      const std::vector<std::string> known(m_Columns.begin(), m_Columns.end());
      Complain(line,
               key + " names the column '" + name + "', which no table has" +
                 (NearestName(name, known).empty() ? std::string("; `brickccl stats --list-columns` lists them")
                                                   : DidYouMean(name, known)));
      return;
    }
    if (name != "slice")
    {
      const ColumnGroups groups = ColumnGroups::FromNames(name);
      for (const ColumnGroup * const group : groups.List())
      {
        m_Recipe.groups.Add(*group);
      }
    }
    CheckIntensity(name, key, line);
    m_Recipe.decidesBySurface |= name == "surface_distance_mm" && !mayBeGroup;
    ComplainIf(name == "surface_distance_mm" && LacksPart(),
               line,
               key + " needs the surface of the part: set part.method = \"pores\" or \"largest\"");
    ComplainIf(name == "parent" && m_Recipe.split.empty(),
               line,
               key + " names the column 'parent', which objects of a split have: set labeling.split = \"auto\"");
    ComplainIf(name == "zone" && m_Recipe.zones.empty(),
               line,
               key + " names the column 'zone', which numbers zones: set zones.file");
    ComplainIf(name == "part" && m_Recipe.parts == "largest",
               line,
               key + " names the column 'part', which numbers parts: set part.parts = \"all\"");
  }

  void
  CheckIntensity(const std::string & name, const std::string & key, int line)
  {
    ComplainIf(name.rfind("intensity_", 0) == 0 && !m_Recipe.measuresIntensity,
               line,
               key + " needs the values under each component: set measuring.intensity = true");
  }

  Recipe &                       m_Recipe;
  const GivenKeys &              m_Given;
  const std::vector<GivenKeys> & m_Rules;
  std::vector<RecipeProblem> &   m_Problems;
  std::set<std::string>          m_Columns;
  std::set<std::string>          m_RuleNames;
};

} // namespace

void
BuildRecipe(RecipeValues & values, std::vector<RecipeProblem> & problems)
{
  RecipeBuilder(values, problems).Build();
  if (problems.empty())
  {
    CheckFit(values, problems);
  }
}

} // namespace brickccl::batch
