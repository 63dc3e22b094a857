#include "BrickCCL/Batch/RecipeFile.h"

#include <charconv>

namespace brickccl::batch
{

namespace
{

std::string
TextOf(double number)
{
  char       digits[32];
  const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  return { digits, end };
}

std::string
TextOf(const Criterion::Range & range)
{
  return "from " + TextOf(static_cast<double>(range.low)) + " to " + TextOf(static_cast<double>(range.high));
}

std::string
ExplainLabeling(const Recipe & recipe)
{
  const Recipe::Labeling & labeling = recipe.labeling;
  std::string              text = "Neighbouring voxels that take part belong to one component";
  text += labeling.criterion == "equal-value" ? " if their values are equal"
        : labeling.criterion == "tolerance"   ? " if their values differ by at most " + TextOf(labeling.tolerance)
                                              : std::string();
  text += labeling.connectivity == 0 ? "; neighbours share a face."
                                     : "; each voxel has " + std::to_string(labeling.connectivity) + " neighbours.";
  if (!labeling.bySlice.empty())
  {
    text += " Each slice across " + labeling.bySlice + " is labeled on its own.";
  }
  return text;
}

std::string
ExplainRule(const AcceptanceRule & rule)
{
  const std::string limit = TextOf(rule.limit);
  std::string       text;
  if (rule.rule == "largest")
  {
    text = "no defect has a " + rule.column + " above " + limit;
  }
  else if (rule.rule == "smallest")
  {
    text = "no defect has a " + rule.column + " below " + limit;
  }
  else if (rule.rule == "porosity")
  {
    text = "defects fill at most " + limit + " % of the part (of the image where there is no part)";
  }
  else if (rule.rule == "porosity-per-slice")
  {
    text = "defects fill at most " + limit + " % of the part in every slice across z";
  }
  else if (rule.rule == "number")
  {
    text = "there are at most " + limit + " defects";
  }
  else if (rule.rule == "number-per-slice")
  {
    text = "every slice across z cuts at most " + limit + " defects";
  }
  else if (rule.rule == "near-surface")
  {
    text = "at most " + limit + " defects lie nearer than " + TextOf(rule.within) + " mm to the part's surface";
  }
  else
  {
    text = "the gap from a defect to its nearest neighbour is at least " + limit + " mm";
  }
  return text + (rule.where.empty() ? "" : ", of those with " + rule.where);
}

} // namespace

std::vector<std::string>
ExplainRecipe(const Recipe & recipe)
{
  std::vector<std::string> lines = { recipe.name };
  const auto               add = [&](const std::string & line) { lines.push_back(line); };
  if (!recipe.description.empty())
  {
    add(recipe.description);
  }
  add(recipe.input.slicesAreVolumes ? "The slice images of a folder are one volume."
                                    : "Every slice image is an item of its own.");
  if (!recipe.input.spacing.empty())
  {
    std::string spacing;
    for (const double step : recipe.input.spacing)
    {
      spacing += (spacing.empty() ? "" : " x ") + TextOf(step);
    }
    add("Voxels are taken as " + spacing + " mm, whatever files say.");
  }
  add(recipe.threshold.range ? "Voxels with values " + TextOf(*recipe.threshold.range) + " may belong to defects."
                             : "Voxels that are not 0 may belong to defects.");
  if (recipe.part.method == "largest")
  {
    add("The part is the largest component of values " + TextOf(*recipe.part.range) +
        ", with its holes; only defects in it count.");
  }
  add(ExplainLabeling(recipe));
  if (recipe.labeling.minimumVolume > 0 || recipe.labeling.minimumSize > 0)
  {
    add("Components of less than " +
        (recipe.labeling.minimumVolume > 0 ? TextOf(recipe.labeling.minimumVolume) + " mm3"
                                           : std::to_string(recipe.labeling.minimumSize) + " voxels") +
        " are noise.");
  }
  if (recipe.labeling.maximumSize != std::numeric_limits<std::uint64_t>::max())
  {
    add("Components of more than " + std::to_string(recipe.labeling.maximumSize) + " voxels are no defects.");
  }
  add(recipe.keep.empty() ? "Every component is a defect." : "Defects are components with " + recipe.keep + ".");
  add(recipe.acceptance.empty() ? "There are no rules: items neither pass nor fail." : "An item passes if");
  for (const AcceptanceRule & rule : recipe.acceptance)
  {
    add("  - " + ExplainRule(rule) + (rule.name == rule.rule ? "" : " (" + rule.name + ")"));
  }
  add("For each item it writes a table, a summary" +
      std::string(recipe.outputs.labels == "none" ? "" : ", a label map (" + recipe.outputs.labels + ")") +
      (recipe.outputs.pictures ? " and a picture." : "."));
  return lines;
}

} // namespace brickccl::batch
