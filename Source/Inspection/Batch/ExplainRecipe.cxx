// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/Rules.h"

#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
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

class Explainer
{
public:
  Explainer(const Recipe & recipe, const job::Language & language)
    : m_Recipe(recipe)
    , m_Language(language)
  {}

  std::vector<std::string>
  Explain()
  {
    AddInput();
    AddPart();
    AddDefects();
    AddRules();
    return m_Lines;
  }

private:
  void
  Add(bool holds, const std::string & english, const std::vector<std::string> & values = {})
  {
    if (holds)
    {
      m_Lines.push_back(m_Language(english, values));
    }
  }

  std::string
  Text(double number) const
  {
    return m_Language.Decimal(Shortest(number));
  }

  std::string
  Text(const Criterion::Range & range) const
  {
    return m_Language("from {1} to {2}",
                      { m_Language.Decimal(TextOf(range.low)), m_Language.Decimal(TextOf(range.high)) });
  }

  void
  AddInput()
  {
    const std::string spacing = Joined(m_Recipe.spacing, " x ", [this](double step) { return Text(step); });
    m_Lines = { m_Recipe.name };
    Add(!m_Recipe.description.empty(), m_Recipe.description);
    Add(true,
        m_Recipe.slices != "volume" ? "Every slice image is an item of its own."
        : m_Recipe.acceptIrregularNames
          ? "The slice images of a folder are one volume, even if numbers are missing or names differ."
          : "The slice images of a folder are one volume; their names differ only in a number without gaps.");
    Add(!m_Recipe.raw.empty(), "Files without a header are raw voxels: {1}.", { m_Recipe.raw });
    Add(!spacing.empty(), "The voxel size is {1} mm; it overrides the files.", { spacing });
    Add(m_Recipe.downsample > 1,
        "Boxes of {1} voxels along each axis are averaged first.",
        { std::to_string(m_Recipe.downsample) });
    Add(!m_Recipe.smooth.empty(), "The image is smoothed by {1}.", { m_Recipe.smooth });
    Add(!m_Recipe.box.empty(), "Only the region of these boxes counts: {1}.", { m_Recipe.box });
    Add(!m_Recipe.cylinder.empty(), "Only the region of these cylinders counts: {1}.", { m_Recipe.cylinder });
    Add(!m_Recipe.zones.empty(), "Zones are in {1}.", { m_Recipe.zones });
    Add(!m_Recipe.sphere.empty(), "Only the region of these spheres counts: {1}.", { m_Recipe.sphere });
  }

  void
  AddPart()
  {
    const job::Part & part = m_Recipe;
    if (part.partMethod == "none")
    {
      return;
    }
    const bool        hasPores = part.partMethod == "pores";
    const std::string close = Text(part.close);
    const std::string values = part.partRange
                               ? m_Language("values {1}", { Text(*part.partRange) })
                               : m_Language("values at or above the threshold that {1} finds", { part.partThreshold });
    std::string       text = m_Language(
      part.parts == "all" ? "Each piece of material ({1}) of at least a thousandth of the largest one's voxels is a "
                                  "part{2}{3}. Each part is judged by itself; an item passes if all of its parts pass."
      : part.parts != "largest"
        ? "Each of the {4} largest pieces of material ({1}) is a part{2}{3}. Each part is judged "
                "by itself; an item passes if all of its parts pass."
      : hasPores || part.partMethod == "largest"
        ? "The part is the largest piece of material ({1}){2}{3}. Only voxels in the part count."
        : "The part is the largest piece of material ({1}) that touches no side of the image along x and y{2}{3}. Only "
                "voxels in the part count.",
      { values,
        m_Language(hasPores                     ? " with its pores; through-bores do not belong to it"
                   : part.partHoles == "volume" ? " with the cavities that it encloses"
                   : part.partHoles == "slices" ? " with the cavities that it encloses in each slice"
                                                : ""),
        part.close > 0 ? m_Language("; cracks and openings up to {1} mm wide belong to it", { close }) : "",
        part.parts });
    text += hasPores                 ? m_Language(part.close > 0
                                    ? " Only closed pores count: a pore with even a one-voxel opening to the outside "
                                                      "belongs to the outside, unless the opening is at most this wide."
                                    : " Only closed pores count: a pore with even a one-voxel opening to the outside "
                                                      "belongs to the outside; part.close_mm closes openings.")
          : part.partHoles != "none" ? m_Language(" A cavity with even a one-voxel opening is not enclosed.")
                                     : "";
    text += part.erode > 0
            ? m_Language(" Its core consists of the voxels deeper than {1} mm below its surface or the image's border; "
                         "only defects entirely in the core count.",
                         { Text(part.erode) })
            : "";
    m_Lines.push_back(text);
  }

  void
  AddDefects()
  {
    const Recipe & recipe = m_Recipe;
    const bool     isGiven =
      !recipe.threshold.empty() && ThresholdMethod::FromText(recipe.threshold).kind == ThresholdMethod::Kind::Value;
    const std::string values = recipe.range ? Text(*recipe.range)
                             : isGiven      ? m_Language.Decimal(recipe.threshold)
                                            : m_Language("the threshold that {1} finds", { recipe.threshold });
    Add(true,
        recipe.range ? "Voxels with values {1} may belong to defects."
        : recipe.threshold.empty()
          ? (recipe.partMethod == "pores" ? "Voxels in the part that are not material belong to defects."
                                          : "Voxels that are not 0 may belong to defects.")
        : recipe.below ? "Voxels below {1} may belong to defects."
                       : "Voxels at or above {1} may belong to defects.",
        { values });
    const bool isNamed = !recipe.neighborhood.empty();
    Add(true,
        isNamed ? "Neighboring voxels of defects belong to one component{1}; each voxel has the neighbors {2}."
        : recipe.connectivity == FaceNeighbors
          ? "Neighboring voxels of defects belong to one component{1}; neighbors share a face."
        : recipe.connectivity == FullNeighbors
          ? "Neighboring voxels of defects belong to one component{1}; neighbors share a face, an edge or a corner."
          : "Neighboring voxels of defects belong to one component{1}; each voxel has {2} neighbors.",
        { job::JoiningOf(recipe, m_Language), isNamed ? recipe.neighborhood : std::to_string(recipe.connectivity) });
    m_Lines.back() +=
      recipe.bySlice.empty() ? "" : m_Language(" Each slice across {1} is labeled separately.", { recipe.bySlice });
    Add(!recipe.split.empty(),
        recipe.split == "auto" ? "Touching defects are split where they narrow; each object is then a component."
        : recipe.split.back() == '%'
          ? "Touching defects are split where they narrow by {1} of the smaller one's depth; each object is then a "
            "component."
          : "Touching defects are split where they narrow (height {1}, in mm without a unit); each "
            "object is then a component.",
        { recipe.split });
    Add(recipe.minimumVolume.value > 0,
        recipe.bySlice.empty() && recipe.minimumVolume.power != 2
          ? "Components smaller than {1} mm3 are ignored as noise."
          : "Components smaller than {1} mm2 are ignored as noise.",
        { Text(recipe.minimumVolume.value) });
    Add(recipe.minimumSize > 0,
        "Components of fewer than {1} voxels are ignored as noise.",
        { std::to_string(recipe.minimumSize) });
    Add(recipe.maximumSize != job::NoLimit,
        "Components of more than {1} voxels are not defects.",
        { std::to_string(recipe.maximumSize) });
    Add(true,
        recipe.keep.empty() ? "Every component is a defect." : "Defects are components with {1}.",
        { recipe.keep });
  }

  void
  AddRules()
  {
    Add(m_Recipe.nan == "ignore", "Values that are NaN are left out of measures of intensity.");
    const bool hasRules = !m_Recipe.acceptance.empty();
    Add(true, hasRules ? "An item passes if" : "There are no rules: items neither pass nor fail.");
    for (const AcceptanceRule & rule : m_Recipe.acceptance)
    {
      m_Lines.push_back("  - " + ExplainRule(rule, m_Recipe, m_Language) +
                        (rule.name == rule.rule ? "" : " (" + rule.name + ")"));
    }
    Add(true,
        m_Recipe.labels == "none" ? "For each item it writes a table, a summary{2}"
                                  : "For each item it writes a table, a summary, a label map ({1}){2}",
        { m_Recipe.labels, m_Language(m_Recipe.pictures ? " and a picture." : ".") });
  }

  const Recipe &           m_Recipe;
  const job::Language &    m_Language;
  std::vector<std::string> m_Lines;
};

/** "volume (mm3) > 0.05" for "volume_mm3 > 0.05"; longer conditions and names of labels stay as they are. */
std::string
InWords(const std::string & condition, const job::Language & language)
{
  std::vector<std::string> words = SplitAt(' ', condition);
  for (std::string & word : words)
  {
    word = word.find_first_not_of("0123456789.") == word.npos ? language.Decimal(word) : language.ColumnName(word);
  }
  return words.size() == 3 && condition.find('\'') == condition.npos ? Joined(words, " ") : condition;
}

} // namespace

std::string
ExplainRule(const AcceptanceRule & rule, const Recipe & recipe, const job::Language & language)
{
  const std::string region = recipe.partMethod == "none" ? (recipe.Region::IsGiven() ? "region" : "image")
                           : recipe.erode > 0            ? "part's core"
                                                         : "part";
  return FindRule(rule.rule)->explain(rule, region, language) +
         (rule.zone == 0 ? "" : language(", in zone {1}", { std::to_string(rule.zone) })) +
         (rule.where.empty() ? "" : language("; only defects with {1} count", { InWords(rule.where, language) }));
}

std::vector<std::string>
ExplainRecipe(const Recipe & recipe, const job::Language & language)
{
  return Explainer(recipe, language).Explain();
}

} // namespace brickccl::batch
