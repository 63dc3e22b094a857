#include "BrickCCL/Batch/RecipeFile.h"

#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Segmenting/Threshold.h"
#include "BrickCCL/Segmenting/ThresholdAsJson.h"

#include <cmath>

namespace brickccl::batch
{

namespace
{

using files::Shortest;

std::string
TextOf(const Number & number)
{
  return std::isfinite(number.Nearest()) && Threshold::IsBeyondDoubles(number) ? ThresholdAsJson(number).dump()
                                                                               : Shortest(static_cast<double>(number));
}

std::string
TextOf(const Criterion::Range & range)
{
  return "from " + TextOf(range.low) + " to " + TextOf(range.high);
}

std::string
ExplainPart(const Recipe::Part & part)
{
  std::string text = "The part is the largest ";
  text += part.method == "pores"   ? "piece of values "
        : part.method == "largest" ? "component of values "
                                   : "component that touches no side along x and y of values ";
  text += part.range ? TextOf(*part.range) : "at or above the threshold that " + part.threshold + " finds";
  text += part.method == "pores"     ? ", with its pores; bores that run straight through are outside"
        : part.fillHoles == "volume" ? ", with what it encloses"
        : part.fillHoles == "slices" ? ", with what it encloses in each slice"
                                     : "";
  text +=
    part.close > 0 ? "; cracks and openings up to " + Shortest(part.close) + " mm wide belong to it" : std::string();
  text += "; only voxels in it count.";
  if (part.method == "pores")
  {
    text += " Only closed pores count: one that is open to the outside, if by one voxel, belongs to the outside";
    text += part.close > 0 ? ", unless the opening is at most so wide." : "; part.close_mm closes openings.";
  }
  else if (part.fillHoles != "none")
  {
    text += " What is open to the outside, if by one voxel, is not enclosed.";
  }
  if (part.erode > 0)
  {
    const std::string depth = Shortest(part.erode);
    text += " Its core are the voxels whose centres lie deeper than " + depth +
            " mm below its surface or the image's border; only defects that lie in the core as a whole count.";
  }
  return text;
}

std::string
ExplainLabeling(const Recipe & recipe)
{
  const Recipe::Labeling & labeling = recipe.labeling;
  std::string              text = "Neighbouring voxels that take part belong to one component";
  text += labeling.criterion == "equal-value" ? " if their values are equal"
        : labeling.criterion == "tolerance"   ? " if their values differ by at most " + Shortest(labeling.tolerance)
                                              : std::string();
  text += !labeling.neighbourhood.empty() ? "; each voxel has the neighbours " + labeling.neighbourhood + "."
        : labeling.connectivity == 0      ? "; neighbours share a face."
                                     : "; each voxel has " + std::to_string(labeling.connectivity) + " neighbours.";
  if (!labeling.bySlice.empty())
  {
    text += " Each slice across " + labeling.bySlice + " is labeled on its own.";
  }
  return text;
}

/** When defects are one cluster. */
std::string
ExplainClusters(const AcceptanceRule & rule)
{
  return rule.within > 0 ? "defects with a gap below " + Shortest(rule.within) + " mm"
                         : "defects with a gap below " + Shortest(rule.withinDiameters) +
                             " times the equivalent diameter of the larger one";
}

/** What a rule on reference areas and volumes asks for. */
std::string
ExplainWindow(const AcceptanceRule & rule, const std::string & limit, const std::string & region)
{
  const std::string side = Shortest(rule.reference);
  const bool        isVolume = rule.rule == "porosity-per-volume" || rule.rule == "number-per-volume";
  const std::string window = isVolume
                             ? "every cube of " + side + " mm a side, wherever it lies in the image,"
                             : "every square of " + side + " mm a side, wherever it lies in the slices across " +
                                 static_cast<char>('x' + rule.across) + ",";
  if (rule.rule.rfind("number", 0) == 0)
  {
    return window + " cuts at most " + limit + " defects";
  }
  return rule.leastPart > 0 ? "defects fill at most " + limit + " % of the " + region + " in " + window +
                                " of which at least " + Shortest(rule.leastPart) + " % lie in the " + region
                            : "defects fill at most " + limit + " % of " + window.substr(0, window.size() - 1);
}

std::string
ExplainRule(const AcceptanceRule & rule, const Recipe::Part & part)
{
  const std::string region = part.method == "none" ? "image" : part.erode > 0 ? "part's core" : "part";
  const std::string limit = Shortest(rule.limit);
  const std::string name = rule.rule;
  std::string       text;
  if (rule.reference > 0)
  {
    text = ExplainWindow(rule, limit, region);
  }
  else if (name == "largest" || name == "smallest")
  {
    text =
      "no defect has " + std::string(name == "largest" ? "more" : "less") + " than " + limit + " in " + rule.column;
  }
  else if (name == "porosity")
  {
    text = "defects fill at most " + limit + " % of the " + region;
  }
  else if (name == "porosity-per-slice")
  {
    text = "defects fill at most " + limit + " % of the " + region + " in every slice across z";
  }
  else if (name == "number")
  {
    text = "there are at most " + limit + " defects";
  }
  else if (name == "number-per-slice")
  {
    text = "every slice across z cuts at most " + limit + " defects";
  }
  else if (name == "near-surface")
  {
    text = "at most " + limit + " defects lie nearer than " + Shortest(rule.within) + " mm to the part's surface";
  }
  else if (name == "spacing")
  {
    text = "the gap from a defect to its nearest neighbour is at least " + limit + " mm";
  }
  else if (name == "clusters")
  {
    text = "there are at most " + limit + " clusters of two or more " + ExplainClusters(rule);
  }
  else if (name == "number-per-cluster")
  {
    text = "no cluster of " + ExplainClusters(rule) + " (one alone is a cluster as well) has more than " + limit +
           " of them";
  }
  else
  {
    text =
      "no cluster of " + ExplainClusters(rule) + " (one alone is a cluster as well)" +
      (name == "volume-of-cluster" ? " has more than " + limit + " mm3" : " reaches over more than " + limit + " mm");
  }
  return text + (rule.where.empty() ? "" : ", of those with " + rule.where);
}

/** "1200" for a threshold that is given, else how it is found. */
std::string
TextOfThreshold(const std::string & threshold)
{
  const bool isGiven = ThresholdMethod::FromText(threshold).kind == ThresholdMethod::Kind::Value;
  return isGiven ? threshold : "the threshold that " + threshold + " finds";
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
  add(recipe.input.slicesAreVolumes ? "The slice images of a folder are one volume" +
                                        std::string(recipe.input.acceptIrregularNames
                                                      ? ", also where numbers are missing or names differ."
                                                      : "; their names must be the same but for a number without gaps.")
                                    : "Every slice image is an item of its own.");
  if (!recipe.input.spacing.empty())
  {
    std::string spacing;
    for (const double step : recipe.input.spacing)
    {
      spacing += (spacing.empty() ? "" : " x ") + Shortest(step);
    }
    add("Voxels are taken as " + spacing + " mm, whatever files say.");
  }
  if (!recipe.smoothing.empty())
  {
    add("The image is smoothed by " + recipe.smoothing + ".");
  }
  if (recipe.part.method != "none")
  {
    add(ExplainPart(recipe.part));
  }
  add(recipe.threshold.range ? "Voxels with values " + TextOf(*recipe.threshold.range) + " may belong to defects."
      : !recipe.threshold.method.empty()
        ? std::string("Voxels ") + (recipe.threshold.isBelow ? "below " : "at or above ") +
            TextOfThreshold(recipe.threshold.method) + " may belong to defects."
      : recipe.part.method == "pores" ? std::string("Voxels in the part that are not material belong to defects.")
                                      : std::string("Voxels that are not 0 may belong to defects."));
  add(ExplainLabeling(recipe));
  if (recipe.labeling.minimumVolume > 0 || recipe.labeling.minimumSize > 0)
  {
    add("Components of less than " +
        (recipe.labeling.minimumVolume > 0 ? Shortest(recipe.labeling.minimumVolume) + " mm3"
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
    add("  - " + ExplainRule(rule, recipe.part) + (rule.name == rule.rule ? "" : " (" + rule.name + ")"));
  }
  add("For each item it writes a table, a summary" +
      std::string(recipe.outputs.labels == "none" ? "" : ", a label map (" + recipe.outputs.labels + ")") +
      (recipe.outputs.pictures ? " and a picture." : "."));
  return lines;
}

} // namespace brickccl::batch
