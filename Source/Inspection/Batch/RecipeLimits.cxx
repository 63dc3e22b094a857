// SPDX-License-Identifier: Apache-2.0
// Values of a recipe that are right by themselves and do not fit each other, or no image.

#include "BrickCCL/Batch/RecipeValues.h"

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Segmenting/Threshold.h"
#include "BrickCCL/Tables/Condition.h"
#include "BrickCCL/Tables/LengthUnits.h"

#include <algorithm>

namespace brickccl::batch
{

/** The values of defects, where the recipe itself says them: a range, or one side of a number. */
static std::optional<Criterion::Range>
ValuesOfDefects(const Recipe & recipe)
{
  const auto method = ThresholdMethod::FromText(recipe.threshold.empty() ? "otsu" : recipe.threshold);
  if (recipe.range || method.kind != ThresholdMethod::Kind::Value)
  {
    return recipe.range;
  }
  Threshold given;
  given.value = method.value;
  return recipe.below ? given.Below().range : given.AtOrAbove().range;
}

void
CheckRanges(const Recipe & recipe, const GivenKeys & given, std::vector<RecipeProblem> & problems)
{
  const auto defects = ValuesOfDefects(recipe);
  if (recipe.partMethod.rfind("largest", 0) != 0 || recipe.partHoles != "none" || !recipe.partRange || !defects ||
      (defects->high >= recipe.partRange->low && recipe.partRange->high >= defects->low))
  {
    return;
  }
  const std::string values = recipe.range ? "threshold.range"
                           : recipe.below ? "values below threshold.method"
                                          : "values at or above threshold.method";
  problems.push_back(
    { given.LineOf(values.substr(values.find("threshold"))),
      values +
        " and the part's material have no value in common, and part.fill_holes = \"none\" leaves nothing but "
        "material in the part: no item could have a defect; set part.fill_holes or another " +
        (recipe.range ? "range" : "threshold") });
}

std::optional<Misfit>
FindMisfit(const Recipe & recipe, const Extent & extent)
{
  const int         dimension = extent.dimension;
  const std::string images = "images of " + Counted(dimension, "dimension");
  const bool        isSlices = !recipe.bySlice.empty();
  std::string       key = !recipe.neighborhood.empty()                     ? "labeling.neighborhood"
                        : isSlices && recipe.connectivity == FaceNeighbors ? "labeling.by_slice"
                                                                           : "labeling.connectivity";
  try
  {
    const Connectivity connectivity = job::ConnectivityOf(recipe, extent);
    key = "labeling.minimum_volume_mm3";
    SizeFor(connectivity, recipe.minimumVolume, "it");
  }
  catch (const InvalidArgument & error)
  {
    return Misfit{ key, {}, key + ": " + error.what() };
  }
  if (!recipe.spacing.empty() && recipe.spacing.size() != static_cast<std::size_t>(dimension))
  {
    key = "input.spacing_mm";
    return Misfit{ key,
                   {},
                   key + " has " + Counted(recipe.spacing.size(), "number") + ", not one for each axis of " + images };
  }
  const auto columns = AllColumns(dimension, isSlices ? std::optional(AxisFromName(recipe.bySlice)) : std::nullopt);
  const auto unknownIn = [&](const std::string & where, const std::vector<std::string> & names) {
    const auto isUnknown = [&](const std::string & name) {
      const std::string inMillimeters = ColumnInMillimeters(name);
      return std::none_of(columns.begin(), columns.end(), [&](const auto & one) { return one.name == inMillimeters; });
    };
    const auto found = std::find_if(names.begin(), names.end(), isUnknown);
    return found == names.end() ? "" : where + " names the column '" + *found + "', which " + images + " do not have";
  };
  const auto namesIn = [](const std::string & condition) {
    return condition.empty() ? std::vector<std::string>() : Condition(condition).ColumnNames();
  };
  if (const std::string text = unknownIn("selection.keep", namesIn(recipe.keep)); !text.empty())
  {
    return Misfit{ "selection.keep", {}, text };
  }
  for (std::size_t i = 0; i < recipe.acceptance.size(); ++i)
  {
    const AcceptanceRule &                                  rule = recipe.acceptance[i];
    const std::pair<const char *, std::vector<std::string>> named[] = {
      { "where", namesIn(rule.where) },
      { "column", std::vector<std::string>(rule.column.empty() ? 0 : 1, rule.column) }
    };
    for (const auto & [name, names] : named)
    {
      if (const std::string text = unknownIn(std::string("acceptance.") + name, names); !text.empty())
      {
        return Misfit{ name, i, text };
      }
    }
    if (dimension < 3 && (rule.rule.find("-per-volume") != std::string::npos || rule.across != "z"))
    {
      return Misfit{ "rule",
                     i,
                     "the rule " + rule.rule + (rule.across == "z" ? "" : " across " + rule.across) +
                       " needs a volume, not " + images };
    }
  }
  return std::nullopt;
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
