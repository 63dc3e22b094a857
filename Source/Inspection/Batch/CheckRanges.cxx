#include "BrickCCL/Batch/CheckRanges.h"

#include "BrickCCL/Segmenting/Threshold.h"

#include <cmath>
#include <optional>

namespace brickccl::batch
{

namespace
{

/** The values of defects, where the recipe itself says them: a range, or one side of a number. */
std::optional<Criterion::Range>
ValuesOfDefects(const Recipe::Threshold & threshold)
{
  if (threshold.range || threshold.method.empty())
  {
    return threshold.range;
  }
  const ThresholdMethod method = ThresholdMethod::FromText(threshold.method);
  if (method.kind != ThresholdMethod::Kind::Value)
  {
    return std::nullopt;
  }
  Threshold given;
  given.value = method.value;
  return threshold.isBelow ? given.Below().range : given.AtOrAbove().range;
}

bool
HoldsAll(const std::optional<Criterion::Range> & range)
{
  return range && std::isinf(range->low.Nearest()) && range->low < 0 && std::isinf(range->high.Nearest()) &&
         range->high > 0;
}

} // namespace

void
CheckRanges(const Recipe & recipe, const RecipeValues & values, std::vector<RecipeProblem> & problems)
{
  const Recipe::Part & part = recipe.part;
  const bool           hasPores = part.method == "pores";
  if (hasPores && HoldsAll(part.range))
  {
    problems.push_back({ values["part"].LineOf("range"),
                         "part.range holds all values: every voxel is material, and no part has pores" });
  }
  if (hasPores && HoldsAll(recipe.threshold.range))
  {
    problems.push_back(
      { values["threshold"].LineOf("range"),
        "threshold.range holds all values: every voxel is material of a defect; leave it out, and the pores of "
        "the part are the defects" });
  }
  const bool isMaterialAlone = part.method.rfind("largest", 0) == 0 && part.fillHoles == "none";
  const auto defects = ValuesOfDefects(recipe.threshold);
  if (isMaterialAlone && part.range && defects && (defects->high < part.range->low || part.range->high < defects->low))
  {
    const char * const key = recipe.threshold.range ? "range" : "method";
    const char * const side = recipe.threshold.range   ? "threshold.range"
                            : recipe.threshold.isBelow ? "what lies below threshold.method"
                                                       : "what lies at or above threshold.method";
    problems.push_back(
      { values["threshold"].LineOf(key),
        std::string(side) +
          " and the part's material have no value in common, and part.fill_holes = \"none\" leaves nothing but "
          "material in the part: no item could have a defect; set part.fill_holes or another " +
          (recipe.threshold.range ? "range" : "threshold") });
  }
}

} // namespace brickccl::batch
