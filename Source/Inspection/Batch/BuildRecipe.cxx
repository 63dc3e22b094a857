#include "BrickCCL/Batch/BuildRecipe.h"

#include "BrickCCL/Batch/CheckRanges.h"
#include "BrickCCL/Batch/RecipeSchema.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Segmenting/Threshold.h"
#include "BrickCCL/Tables/Condition.h"
#include "BrickCCL/Tables/LengthUnits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace brickccl::batch
{

namespace
{

/** The columns of all tables, and those that one needs a part or intensities for. */
std::set<std::string>
ColumnsOfAllTables()
{
  std::set<std::string> names;
  for (const auto & known : AllColumnNames())
  {
    names.insert(known.first);
  }
  return names;
}

/** The range that a table gives, or that from its threshold on, if that is a number. */
std::optional<Criterion::Range>
RangeOf(const RecipeTableValues & table)
{
  const auto bounds = table.Get("range", std::vector<double>());
  const auto method = ThresholdMethod::FromText(table.Get("threshold", std::string("otsu")));
  const bool isGiven = method.kind == ThresholdMethod::Kind::Value;
  return !bounds.empty() ? std::optional(Criterion::Range{ bounds[0], bounds[1] })
       : isGiven         ? std::optional(Criterion::Range{ method.value, std::numeric_limits<double>::infinity() })
                         : std::nullopt;
}

class RecipeBuilder
{
public:
  RecipeBuilder(const RecipeValues & values, std::vector<RecipeProblem> & problems)
    : m_Values(values)
    , m_Problems(problems)
    , m_Columns(ColumnsOfAllTables())
  {}

  Recipe
  Build()
  {
    m_Recipe.name = m_Values["recipe"].Get("name", std::string());
    m_Recipe.description = m_Values["recipe"].Get("description", std::string());
    TakeInput();
    TakeSmoothing();
    TakeThreshold();
    TakePart();
    CheckRanges(m_Recipe, m_Values, m_Problems);
    TakeLabeling();
    TakeMeasuring();
    for (const RecipeTableValues & rule : m_Values.acceptance)
    {
      TakeRule(rule);
    }
    m_Recipe.outputs.labels = m_Values["outputs"].Get("labels", m_Recipe.outputs.labels);
    m_Recipe.outputs.pictures = m_Values["outputs"].Get("pictures", true);
    return m_Recipe;
  }

private:
  void
  Complain(int line, const std::string & text)
  {
    m_Problems.push_back({ line, text });
  }

  bool
  LacksPart() const
  {
    return m_Recipe.part.method == "none" && !m_Values["part"].IsRefused("method");
  }

  void
  TakeInput()
  {
    const RecipeTableValues & input = m_Values["input"];
    m_Recipe.input.spacing = input.Get("spacing_mm", std::vector<double>());
    m_Recipe.input.slicesAreVolumes = input.Get("slices", std::string("volume")) == "volume";
    m_Recipe.input.acceptIrregularSlices = input.Get("accept_irregular_slices", false);
    m_Recipe.input.acceptIrregularNames = input.Get("accept_irregular_names", false);
    m_Recipe.input.acceptSheared = input.Get("accept_sheared", false);
  }

  void
  TakeSmoothing()
  {
    const RecipeTableValues & smoothing = m_Values["smoothing"];
    const std::string         filter = smoothing.Get("filter", std::string("none"));
    for (const auto & [key, owner] : { std::pair{ "radius", "median" }, std::pair{ "deviation_mm", "gaussian" } })
    {
      if (smoothing.Names(key) && !smoothing.IsRefused("filter") && filter != owner)
      {
        Complain(smoothing.LineOf(key),
                 std::string("smoothing.") + key + " goes with smoothing.filter = \"" + owner + "\" alone");
      }
    }
    if (filter == "median")
    {
      m_Recipe.smoothing = "median:" + std::to_string(smoothing.Get("radius", std::int64_t{ 1 }));
    }
    if (filter == "gaussian")
    {
      if (smoothing.Get("deviation_mm", 0.0) <= 0 && !smoothing.IsRefused("deviation_mm"))
      {
        Complain(smoothing.LineOf("filter"), "smoothing.filter = \"gaussian\" needs smoothing.deviation_mm above 0");
      }
      m_Recipe.smoothing = "gaussian:" + files::Shortest(smoothing.Get("deviation_mm", 0.0));
    }
  }

  void
  TakeThreshold()
  {
    const RecipeTableValues & threshold = m_Values["threshold"];
    m_Recipe.threshold.range = RangeOf(threshold);
    m_Recipe.threshold.method = threshold.Get("method", std::string());
    m_Recipe.threshold.isBelow = threshold.Get("side", std::string("below")) == "below";
    if (threshold.Has("range") && threshold.Has("method"))
    {
      Complain(threshold.LineOf("method"), "threshold has a range and a method; leave one of them out");
    }
    const std::string criterion = m_Values["labeling"].Get("criterion", std::string("foreground"));
    if (m_Values["part"].Get("method", std::string()) == "pores" && !threshold.Names("range") &&
        !threshold.Names("method") && criterion != "foreground")
    {
      Complain(m_Values["labeling"].LineOf("criterion"),
               "labeling.criterion = \"" + criterion +
                 "\" needs [threshold]: the pores of part.method = \"pores\" have no values to compare");
    }
    if (threshold.Names("side") && !threshold.Names("method"))
    {
      Complain(threshold.LineOf("side"), "threshold.side goes with threshold.method alone; a range has both its ends");
    }
  }

  void
  TakePart()
  {
    const RecipeTableValues & part = m_Values["part"];
    m_Recipe.part.method = part.Get("method", std::string("none"));
    m_Recipe.part.range = RangeOf(part);
    m_Recipe.part.threshold = part.Get("threshold", std::string());
    m_Recipe.part.fillHoles = part.Get("fill_holes", m_Recipe.part.fillHoles);
    m_Recipe.part.close = part.Get("close_mm", 0.0);
    m_Recipe.part.erode = part.Get("erode_mm", 0.0);
    const bool hasPores = m_Recipe.part.method == "pores";
    if (hasPores && part.Has("fill_holes"))
    {
      Complain(part.LineOf("fill_holes"), "part.method = \"pores\" fills holes by itself; leave part.fill_holes out");
    }
    if (!hasPores && part.Has("close_mm") && m_Recipe.part.method != "none")
    {
      Complain(part.LineOf("close_mm"), "part.close_mm goes with part.method = \"pores\" alone");
    }
    if (LacksPart())
    {
      for (const char * const key : { "range", "threshold", "fill_holes", "close_mm", "erode_mm" })
      {
        if (part.Has(key))
        {
          Complain(part.LineOf(key),
                   std::string("part.") + key +
                     " is set, but there is no part; set part.method = \"pores\" or \"largest\"");
        }
      }
    }
    else if (!part.IsRefused("method") && part.Names("range") == part.Names("threshold"))
    {
      Complain(part.LineOf("method"),
               "part.method = \"" + m_Recipe.part.method +
                 "\" needs the values of the material: part.range or part.threshold, and one of "
                 "them alone");
    }
  }

  void
  CheckNeighbourhood(const RecipeTableValues & labeling)
  {
    if (!labeling.Has("neighbourhood"))
    {
      return;
    }
    if (labeling.Has("connectivity") || labeling.Has("by_slice"))
    {
      Complain(labeling.LineOf("neighbourhood"),
               "labeling.neighbourhood takes the place of labeling.connectivity and labeling.by_slice; give it alone");
    }
    std::string fault;
    for (const int dimension : { 2, 3 })
    {
      try
      {
        NeighbourhoodFromText(m_Recipe.labeling.neighbourhood, dimension);
        return;
      }
      catch (const InvalidArgument & error)
      {
        fault = error.what();
      }
    }
    Complain(labeling.LineOf("neighbourhood"), "labeling.neighbourhood: " + fault);
  }

  void
  TakeLabeling()
  {
    const RecipeTableValues & labeling = m_Values["labeling"];
    Recipe::Labeling &        taken = m_Recipe.labeling;
    taken.connectivity = static_cast<int>(labeling.Get("connectivity", std::int64_t{ 0 }));
    taken.neighbourhood = labeling.Get("neighbourhood", std::string());
    taken.criterion = labeling.Get("criterion", taken.criterion);
    taken.tolerance = labeling.Get("tolerance", 0.0);
    taken.bySlice = labeling.Get("by_slice", std::string());
    taken.minimumVolume = labeling.Get("minimum_volume_mm3", 0.0);
    taken.minimumSize = static_cast<std::uint64_t>(labeling.Get("minimum_size", std::int64_t{ 0 }));
    if (labeling.Has("maximum_size"))
    {
      taken.maximumSize = static_cast<std::uint64_t>(labeling.Get("maximum_size", std::int64_t{ 0 }));
    }
    const bool isOfSlices = taken.connectivity == 4 || taken.connectivity == 8;
    const bool isOfVolumes = taken.connectivity == 6 || taken.connectivity == 18 || taken.connectivity == 26;
    if (taken.connectivity != 0 && !isOfSlices && !isOfVolumes)
    {
      Complain(labeling.LineOf("connectivity"),
               "labeling.connectivity is " + std::to_string(taken.connectivity) +
                 "; it must be 4 or 8 in slices, 6, 18 or 26 in volumes");
    }
    if (isOfVolumes && !taken.bySlice.empty())
    {
      Complain(labeling.LineOf("connectivity"),
               "labeling.connectivity = " + std::to_string(taken.connectivity) +
                 " joins voxels of neighbouring slices, but labeling.by_slice labels each slice on its own; "
                 "use 4 or 8, or leave by_slice out");
    }
    CheckNeighbourhood(labeling);
    if (labeling.Names("tolerance") != (taken.criterion == "tolerance") && !labeling.IsRefused("criterion"))
    {
      Complain(labeling.LineOf(labeling.Names("tolerance") ? "tolerance" : "criterion"),
               labeling.Names("tolerance")
                 ? "labeling.tolerance goes with labeling.criterion = \"tolerance\" alone"
                 : "labeling.criterion = \"tolerance\" needs labeling.tolerance, the largest difference");
    }
    if (taken.minimumSize > taken.maximumSize)
    {
      Complain(labeling.LineOf("minimum_size"),
               "labeling.minimum_size is above labeling.maximum_size: no component would be kept");
    }
  }

  void
  TakeMeasuring()
  {
    const RecipeTableValues & measuring = m_Values["measuring"];
    m_Recipe.measuring.intensity = measuring.Get("intensity", false);
    for (const std::string & name : measuring.Get("columns", std::vector<std::string>()))
    {
      NeedColumn(name, "measuring.columns", measuring.LineOf("columns"), true);
    }
    m_Recipe.keep = m_Values["selection"].Get("keep", std::string());
    CheckCondition(m_Recipe.keep, "selection.keep", m_Values["selection"].LineOf("keep"));
  }

  void
  TakeRule(const RecipeTableValues & values)
  {
    AcceptanceRule rule;
    rule.line = values.line;
    rule.rule = values.Get("rule", std::string());
    if (rule.rule.empty())
    {
      if (!values.Names("rule"))
      {
        std::string names;
        for (const RuleDescription & known : AcceptanceRules())
        {
          names += (names.empty() ? "" : ", ") + known.name;
        }
        Complain(values.line, "this entry of [[acceptance]] has no rule; set rule to one of " + names);
      }
      return;
    }
    CheckKeysOfRule(values, rule.rule);
    rule.name = values.Get("name", rule.rule);
    rule.where = values.Get("where", std::string());
    rule.column = values.Get("column", std::string());
    TakeLengths(values, rule);
    for (const char * const key :
         { "at_most", "at_least", "at_most_percent", "at_least_mm", "at_most_mm3", "at_most_mm" })
    {
      rule.limit = values.Get(key, rule.limit);
    }
    rule.limit =
      values.Has("at_most_count") ? static_cast<double>(values.Get("at_most_count", std::int64_t{ 0 })) : rule.limit;
    CheckCondition(rule.where, "acceptance.where", values.LineOf("where"));
    if (!rule.column.empty())
    {
      NeedColumn(rule.column, "acceptance.column", values.LineOf("column"), false);
    }
    if (rule.rule == "spacing")
    {
      m_Recipe.measuring.groups.Add("neighbours");
    }
    if (rule.rule == "near-surface")
    {
      NeedColumn("surface_distance_mm", "the rule near-surface", values.LineOf("rule"), false);
    }
    m_Recipe.acceptance.push_back(rule);
  }

  /** Takes how near defects are, and the reference area or volume. */
  void
  TakeLengths(const RecipeTableValues & values, AcceptanceRule & rule)
  {
    rule.within = values.Get("within_mm", 0.0);
    rule.withinDiameters = values.Get("within_diameters", 0.0);
    rule.reference = values.Get("reference_mm", 0.0);
    rule.across = values.Get("across", std::string("z"))[0] - 'x';
    rule.leastPart = values.Get("least_part_percent", 0.0);
    if (rule.rule == "near-surface" && !values.Names("within_mm"))
    {
      Complain(values.line,
               "the rule near-surface needs within_mm, the distance to the surface below which defects count");
    }
    if (rule.rule.find("cluster") != std::string::npos && values.Names("within_mm") == values.Names("within_diameters"))
    {
      Complain(values.line, "the rule " + rule.rule + " needs within_mm or within_diameters, and one of them alone");
    }
    for (const char * const key : { "within_mm", "within_diameters", "reference_mm" })
    {
      if (rule.rule != "near-surface" && values.Has(key) && values.Get(key, 0.0) <= 0)
      {
        Complain(values.LineOf(key), std::string("acceptance.") + key + " must be above 0");
      }
    }
    if (rule.leastPart > 0 && LacksPart())
    {
      Complain(
        values.LineOf("least_part_percent"),
        "acceptance.least_part_percent is set, but there is no part; set part.method = \"pores\" or \"largest\"");
    }
  }

  /** Complains of keys that the rule does not take, and of those that it lacks. */
  void
  CheckKeysOfRule(const RecipeTableValues & values, const std::string & rule)
  {
    for (const RecipeKey & key : RecipeKeys())
    {
      if (key.table != "acceptance" || key.rules.empty())
      {
        continue;
      }
      const bool takes = std::find(key.rules.begin(), key.rules.end(), rule) != key.rules.end();
      if (takes && key.isRequired && !values.Names(key.name))
      {
        Complain(values.line, "the rule " + rule + " needs " + key.name + ", the " + key.description);
      }
      if (!takes && values.Names(key.name))
      {
        Complain(values.LineOf(key.name), "the rule " + rule + " takes no " + key.name + "; leave it out");
      }
    }
  }

  void
  CheckCondition(const std::string & text, const std::string & key, int line)
  {
    if (text.empty())
    {
      return;
    }
    try
    {
      const Condition condition(text);
      for (const std::string & column : condition.ColumnNames())
      {
        const std::string inMillimetres = ColumnInMillimetres(column);
        NeedColumn(m_Columns.count(inMillimetres) > 0 ? inMillimetres : column, key, line, false);
      }
    }
    catch (const InvalidArgument & error)
    {
      Complain(line, key + ": " + error.what());
    }
  }

  /** Sees to it that a column is measured. */
  void
  NeedColumn(const std::string & name, const std::string & key, int line, bool mayBeGroup)
  {
    if (m_Columns.count(name) == 0)
    {
      if (mayBeGroup)
      {
        try
        {
          m_Recipe.measuring.groups.Add(name);
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
        m_Recipe.measuring.groups.Add(*group);
      }
    }
    CheckIntensity(name, key, line);
    m_Recipe.measuring.decidesBySurface |= name == "surface_distance_mm" && !mayBeGroup;
    if (name == "surface_distance_mm" && LacksPart())
    {
      Complain(line, key + " needs the surface of the part: set part.method = \"pores\" or \"largest\"");
    }
  }

  void
  CheckIntensity(const std::string & name, const std::string & key, int line)
  {
    if (name.rfind("intensity_", 0) == 0 && !m_Recipe.measuring.intensity &&
        !m_Values["measuring"].IsRefused("intensity"))
    {
      Complain(line, key + " needs the values under each component: set measuring.intensity = true");
    }
  }

  const RecipeValues &         m_Values;
  std::vector<RecipeProblem> & m_Problems;
  std::set<std::string>        m_Columns;
  Recipe                       m_Recipe;
};

} // namespace

Recipe
BuildRecipe(const RecipeValues & values, std::vector<RecipeProblem> & problems)
{
  return RecipeBuilder(values, problems).Build();
}

} // namespace brickccl::batch
