// SPDX-License-Identifier: Apache-2.0
// Values of a recipe that are right by themselves and do not fit each other, or no image.

#include "BrickCCL/Batch/RecipeValues.h"

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/Printable.h"
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

/** The values of defects, where the recipe itself says them: a range, or one side of a number. */
std::optional<Criterion::Range>
ValuesOfDefects(const Recipe & recipe)
{
  if (recipe.range || recipe.threshold.empty())
  {
    return recipe.range;
  }
  const ThresholdMethod method = ThresholdMethod::FromText(recipe.threshold);
  if (method.kind != ThresholdMethod::Kind::Value)
  {
    return std::nullopt;
  }
  Threshold given;
  given.value = method.value;
  return recipe.below ? given.Below().range : given.AtOrAbove().range;
}

bool
HoldsAll(const std::optional<Criterion::Range> & range)
{
  return range && std::isinf(range->low.Nearest()) && range->low < 0 && std::isinf(range->high.Nearest()) &&
         range->high > 0;
}

constexpr double Infinity = std::numeric_limits<double>::infinity();

bool
EndsWith(const std::string & text, const std::string & end)
{
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/** The lowest and the highest value that a column can have. */
std::pair<double, double>
BoundsOf(const std::string & column)
{
  const std::set<std::string> fromZero = { "voxel_count", "sphericity", "compactness",   "roundness",
                                           "elongation",  "flatness",   "touching_count" };
  const auto                  has = [&](const char * part) { return column.find(part) != std::string::npos; };
  const bool                  isSize = EndsWith(column, "_mm") || EndsWith(column, "_mm2") || EndsWith(column, "_mm3");
  const bool                  isCoordinate = has("_x_mm") || has("_y_mm") || has("_z_mm") || has("covariance_");
  return column == "bbox_fill" || column.rfind("touches_", 0) == 0 ? std::pair{ 0.0, 1.0 }
       : column == "inclination_deg"                               ? std::pair{ 0.0, 90.0 }
       : fromZero.count(column) > 0 || (isSize && !isCoordinate)   ? std::pair{ 0.0, Infinity }
                                                                   : std::pair{ -Infinity, Infinity };
}

/** The same for the components that a recipe keeps. */
std::pair<double, double>
BoundsOf(const std::string & column, const Recipe & recipe)
{
  auto [low, high] = BoundsOf(column);
  if (column == "voxel_count")
  {
    low = std::max(1.0, static_cast<double>(recipe.minimumSize));
    high = recipe.maximumSize == job::NoLimit ? Infinity : static_cast<double>(recipe.maximumSize);
  }
  const bool isSize = column == "volume_mm3" || column == "area_mm2";
  return { isSize ? std::max(low, recipe.minimumVolume.value) : low, high };
}

} // namespace

void
CheckRanges(const Recipe & recipe, const GivenKeys & given, std::vector<RecipeProblem> & problems)
{
  const bool hasPores = recipe.partMethod == "pores";
  if (hasPores && HoldsAll(recipe.partRange))
  {
    problems.push_back(
      { given.LineOf("part.range"), "part.range holds all values: every voxel is material, and no part has pores" });
  }
  if (hasPores && HoldsAll(recipe.range))
  {
    problems.push_back(
      { given.LineOf("threshold.range"),
        "threshold.range holds all values: every voxel is material of a defect; leave it out, and the pores of "
        "the part are the defects" });
  }
  const bool isMaterialAlone = recipe.partMethod.rfind("largest", 0) == 0 && recipe.partHoles == "none";
  const auto defects = ValuesOfDefects(recipe);
  if (isMaterialAlone && recipe.partRange && defects &&
      (defects->high < recipe.partRange->low || recipe.partRange->high < defects->low))
  {
    const char * const key = recipe.range ? "threshold.range" : "threshold.method";
    const char * const side = recipe.range ? "threshold.range"
                            : recipe.below ? "values below threshold.method"
                                           : "values at or above threshold.method";
    problems.push_back(
      { given.LineOf(key),
        std::string(side) +
          " and the part's material have no value in common, and part.fill_holes = \"none\" leaves nothing but "
          "material in the part: no item could have a defect; set part.fill_holes or another " +
          (recipe.range ? "range" : "threshold") });
  }
}

void
CheckLimit(const AcceptanceRule &       rule,
           const Recipe &               recipe,
           const GivenKeys &            given,
           std::vector<RecipeProblem> & problems)
{
  const auto complain = [&](const char * key, const std::string & text) {
    problems.push_back({ given.LineOf(key), std::string("acceptance.") + key + text });
  };
  if (rule.column == "label" || rule.column == "nearest_label")
  {
    complain("column", " names '" + rule.column + "', a number of a component; name a measure, such as volume_mm3");
  }
  const auto [low, high] = BoundsOf(rule.column, recipe);
  const std::string limit = " is " + Shortest(rule.limit);
  const std::string but = limit + ", but " + rule.column + " is ";
  if (given.Has("at_most") && rule.limit < BoundsOf(rule.column).first)
  {
    complain("at_most", but + "never below " + Shortest(BoundsOf(rule.column).first) + ": every defect fails");
  }
  if (given.Has("at_most") && rule.limit >= high)
  {
    complain("at_most", but + "at most " + Shortest(high) + ": no defect can fail");
  }
  if (given.Has("at_least") && rule.limit > high)
  {
    complain("at_least", but + "never above " + Shortest(high) + ": every defect fails");
  }
  if (given.Has("at_least") && rule.limit <= low)
  {
    complain("at_least", but + "at least " + Shortest(low) + ": no defect can fail");
  }
  if (given.Has("at_most_percent") && rule.limit >= 100)
  {
    complain("at_most_percent", limit + ": no item can fail");
  }
  if (rule.rule == "near-surface" && given.Has("within_mm") && rule.within <= recipe.erode)
  {
    complain("within_mm",
             " is " + Shortest(rule.within) + ", but part.erode_mm = " + Shortest(recipe.erode) +
               " leaves out the defects so near to the surface; make within_mm larger, or omit erode_mm");
  }
}

std::optional<Misfit>
FindMisfit(const Recipe & recipe, const Extent & extent)
{
  const int    dimension = extent.dimension;
  const auto   image = [&] { return "images of " + Counted(dimension, "dimension"); };
  const bool   isSlices = !recipe.bySlice.empty();
  const char * key = !recipe.neighborhood.empty()                     ? "labeling.neighborhood"
                   : isSlices && recipe.connectivity == FaceNeighbors ? "labeling.by_slice"
                                                                      : "labeling.connectivity";
  try
  {
    const Connectivity connectivity = recipe.neighborhood.empty()
                                      ? ConnectivityFor(recipe.connectivity, extent, recipe.bySlice)
                                      : NeighborhoodFromText(recipe.neighborhood, dimension);
    key = "labeling.minimum_volume_mm3";
    SizeFor(connectivity, recipe.minimumVolume, "it");
  }
  catch (const InvalidArgument & error)
  {
    return Misfit{ key, {}, std::string(key) + ": " + error.what() };
  }
  if (!recipe.spacing.empty() && recipe.spacing.size() != static_cast<std::size_t>(dimension))
  {
    return Misfit{ "input.spacing_mm",
                   {},
                   "input.spacing_mm has " + Counted(recipe.spacing.size(), "number") + ", not one for each axis of " +
                     image() };
  }
  std::set<std::string> columns;
  const auto            sliceAxis = isSlices ? std::optional(AxisFromName(recipe.bySlice)) : std::nullopt;
  for (const ComponentColumn & column : AllColumns(dimension, sliceAxis))
  {
    columns.insert(column.name);
  }
  const auto check = [&](const std::vector<std::string> & names,
                         const std::string &              where,
                         std::optional<std::size_t>       rule = {}) -> std::optional<Misfit> {
    for (const std::string & name : names)
    {
      if (columns.count(ColumnInMillimeters(name)) == 0)
      {
        const std::size_t dot = where.find('.');
        return Misfit{ rule ? where.substr(dot + 1) : where,
                       rule,
                       where + " names the column '" + name + "', which " + image() + " do not have" };
      }
    }
    return std::nullopt;
  };
  const auto namesIn = [](const std::string & condition) {
    return condition.empty() ? std::vector<std::string>() : Condition(condition).ColumnNames();
  };
  auto found = check(namesIn(recipe.keep), "selection.keep");
  for (std::size_t i = 0; i < recipe.acceptance.size() && !found; ++i)
  {
    const AcceptanceRule & rule = recipe.acceptance[i];
    found = check(namesIn(rule.where), "acceptance.where", i);
    if (!found && !rule.column.empty())
    {
      found = check({ rule.column }, "acceptance.column", i);
    }
    if (!found && dimension < 3 && (EndsWith(rule.rule, "-per-volume") || rule.across != "z"))
    {
      found = Misfit{ "rule",
                      i,
                      "the rule " + rule.rule + (rule.across == "z" ? "" : " across " + rule.across) +
                        " needs a volume, not " + image() };
    }
  }
  return found;
}

void
CheckFit(const RecipeValues & values, std::vector<RecipeProblem> & problems)
{
  std::string texts;
  int         line = 0;
  for (const Extent & extent : { Extent{ 3, 3, 1 }, Extent{ 3, 3, 3 }, Extent{ 3, 3 } })
  {
    const auto misfit = FindMisfit(values.recipe, extent);
    if (!misfit)
    {
      return;
    }
    if (extent.size[2] != 1 || extent.dimension == 2)
    {
      line = std::max(line, (misfit->rule ? values.rules[*misfit->rule] : values.given).LineOf(misfit->key));
      texts += (texts.empty() ? "" : "; and ") + misfit->text;
    }
  }
  problems.push_back({ line, "no image fits: " + texts });
}

} // namespace brickccl::batch
