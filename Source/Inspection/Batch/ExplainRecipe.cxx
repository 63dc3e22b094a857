// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/Rules.h"

#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Segmenting/Threshold.h"
#include "BrickCCL/Segmenting/ThresholdAsJson.h"

#include <cmath>

namespace brickccl::batch
{

namespace
{

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
ExplainPart(const job::Part & part)
{
  std::string text = "The part is the largest piece of material (values ";
  text += part.partRange ? TextOf(*part.partRange) : "at or above the threshold that " + part.partThreshold + " finds";
  text += part.partMethod == "pores" || part.partMethod == "largest" ? ")" : ") that touches no side along x and y";
  text += part.partMethod == "pores" ? " with its pores; through-bores do not belong to it"
        : part.partHoles == "volume" ? " with the cavities that it encloses"
        : part.partHoles == "slices" ? " with the cavities that it encloses in each slice"
                                     : "";
  text +=
    part.close > 0 ? "; cracks and openings up to " + Shortest(part.close) + " mm wide belong to it" : std::string();
  text += ". Only voxels in the part count.";
  if (part.partMethod == "pores")
  {
    text += " Only closed pores count: a pore with even a one-voxel opening to the outside belongs to the outside";
    text += part.close > 0 ? ", unless the opening is at most this wide." : "; part.close_mm closes openings.";
  }
  else if (part.partHoles != "none")
  {
    text += " A cavity with even a one-voxel opening is not enclosed.";
  }
  if (part.erode > 0)
  {
    const std::string depth = Shortest(part.erode);
    text += " Its core consists of the voxels deeper than " + depth +
            " mm below its surface or the image's border; only defects entirely in the core count.";
  }
  return text;
}

std::string
ExplainLabeling(const Recipe & recipe)
{
  std::string text = "Neighboring voxels of defects belong to one component";
  text += job::JoiningOf(recipe);
  text += !recipe.neighborhood.empty()         ? "; each voxel has the neighbors " + recipe.neighborhood + "."
        : recipe.connectivity == FaceNeighbors ? "; neighbors share a face."
        : recipe.connectivity == FullNeighbors
          ? "; neighbors share a face, an edge or a corner."
          : "; each voxel has " + std::to_string(recipe.connectivity) + " neighbors.";
  if (!recipe.bySlice.empty())
  {
    text += " Each slice across " + recipe.bySlice + " is labeled separately.";
  }
  return text;
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
  add(recipe.slices == "volume"
        ? "The slice images of a folder are one volume" +
            std::string(recipe.acceptIrregularNames ? ", even if numbers are missing or names differ."
                                                    : "; their names differ only in a number, which has no gaps.")
        : "Every slice image is an item of its own.");
  if (!recipe.raw.empty())
  {
    add("Files without a header are raw voxels: " + recipe.raw + ".");
  }
  if (!recipe.spacing.empty())
  {
    std::string spacing;
    for (const double step : recipe.spacing)
    {
      spacing += (spacing.empty() ? "" : " x ") + Shortest(step);
    }
    add("The voxel size is " + spacing + " mm; it overrides the files.");
  }
  if (!recipe.smooth.empty())
  {
    add("The image is smoothed by " + recipe.smooth + ".");
  }
  for (const auto & [kind, texts] :
       { std::pair("boxes", recipe.box), std::pair("cylinders", recipe.cylinder), std::pair("spheres", recipe.sphere) })
  {
    if (!texts.empty())
    {
      add(std::string("Only the region of these ") + kind + " counts: " + texts + ".");
    }
  }
  if (recipe.partMethod != "none")
  {
    add(ExplainPart(recipe));
  }
  add(recipe.range                ? "Voxels with values " + TextOf(*recipe.range) + " may belong to defects."
      : !recipe.threshold.empty() ? std::string("Voxels ") + (recipe.below ? "below " : "at or above ") +
                                      TextOfThreshold(recipe.threshold) + " may belong to defects."
      : recipe.partMethod == "pores" ? std::string("Voxels in the part that are not material belong to defects.")
                                     : std::string("Voxels that are not 0 may belong to defects."));
  add(ExplainLabeling(recipe));
  if (recipe.minimumVolume.value > 0)
  {
    add("Components smaller than " + Shortest(recipe.minimumVolume.value) +
        (recipe.bySlice.empty() && recipe.minimumVolume.power != 2 ? " mm3" : " mm2") + " are ignored as noise.");
  }
  if (recipe.minimumSize > 0)
  {
    add("Components of fewer than " + std::to_string(recipe.minimumSize) + " voxels are ignored as noise.");
  }
  if (recipe.maximumSize != std::numeric_limits<std::uint64_t>::max())
  {
    add("Components of more than " + std::to_string(recipe.maximumSize) + " voxels are not defects.");
  }
  add(recipe.keep.empty() ? "Every component is a defect." : "Defects are components with " + recipe.keep + ".");
  add(recipe.acceptance.empty() ? "There are no rules: items neither pass nor fail." : "An item passes if");
  const std::string region = recipe.partMethod == "none" ? (recipe.Region::IsGiven() ? "region" : "image")
                           : recipe.erode > 0            ? "part's core"
                                                         : "part";
  for (const AcceptanceRule & rule : recipe.acceptance)
  {
    add("  - " + FindRule(rule.rule)->explain(rule, region) +
        (rule.where.empty() ? "" : ", of those with " + rule.where) +
        (rule.name == rule.rule ? "" : " (" + rule.name + ")"));
  }
  add("For each item it writes a table, a summary" +
      std::string(recipe.labels == "none" ? "" : ", a label map (" + recipe.labels + ")") +
      (recipe.pictures ? " and a picture." : "."));
  return lines;
}

} // namespace brickccl::batch
