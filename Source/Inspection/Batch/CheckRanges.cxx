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
                            : recipe.below ? "what lies below threshold.method"
                                           : "what lies at or above threshold.method";
    problems.push_back(
      { given.LineOf(key),
        std::string(side) +
          " and the part's material have no value in common, and part.fill_holes = \"none\" leaves nothing but "
          "material in the part: no item could have a defect; set part.fill_holes or another " +
          (recipe.range ? "range" : "threshold") });
  }
}

} // namespace brickccl::batch
