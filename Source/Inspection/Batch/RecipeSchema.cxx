#include "BrickCCL/Batch/RecipeSchema.h"

#include "BrickCCL/Segmenting/Smoothing.h"

#include <cstdint>

namespace brickccl::batch
{

namespace
{

using Strings = std::vector<std::string>;

constexpr double Infinity = std::numeric_limits<double>::infinity();
/** The largest whole number that TOML and doubles both hold exactly. */
constexpr double LargestWhole = 9007199254740992.0;

RecipeKey
Flag(const char * table, const char * name, const char * description)
{
  return { table, name, KeyKind::Boolean, description };
}

RecipeKey
ChoiceOf(const char * table, const char * name, const Strings & choices, const char * description)
{
  return { table, name, KeyKind::Choice, description, choices };
}

RecipeKey
NumberOf(const char *        table,
         const char *        name,
         KeyKind             kind,
         double              minimum,
         double              maximum,
         const std::string & unit,
         const char *        description)
{
  return { table, name, kind, description, {}, minimum, maximum, unit };
}

RecipeKey
OfRules(RecipeKey key, const Strings & rules, bool isRequired)
{
  key.rules = rules;
  key.isRequired = isRequired;
  return key;
}

std::vector<RecipeKey>
StepKeys()
{
  return {
    NumberOf("recipe", "schema", KeyKind::Whole, 1, RecipeSchemaVersion, "", "version of this schema: 1"),
    { "recipe", "name", KeyKind::Text, "title of the report" },
    { "recipe", "description", KeyKind::Text, "what the recipe is for" },

    { "input", "spacing_mm", KeyKind::Spacing, "mm from voxel to voxel along x, y, z, in the place of what files say" },
    ChoiceOf("input",
             "slices",
             { "volume", "single" },
             "whether the slice images of a folder are one volume (default) or an item each"),
    Flag("input", "accept_irregular_slices", "go on where slices lie at uneven distances; default: false"),
    Flag("input",
         "accept_irregular_names",
         "stack slice images although numbers are missing between them or their names are of different kinds; "
         "default: false"),
    Flag("input", "accept_sheared", "take the nearest orthogonal geometry; default: false"),

    ChoiceOf("smoothing", "filter", { "none", "median", "gaussian" }, "how the image is smoothed first; default: none"),
    NumberOf("smoothing",
             "radius",
             KeyKind::Whole,
             1,
             SmoothingMethod::MaximumRadius,
             "",
             "of the median, in voxels along each axis; default: 1"),
    NumberOf("smoothing", "deviation_mm", KeyKind::Number, 0, Infinity, "mm", "standard deviation of the Gaussian"),

    { "threshold", "range", KeyKind::Range, "voxels with low <= value <= high may belong to defects: [low, high]" },
    { "threshold",
      "method",
      KeyKind::Threshold,
      "a threshold instead: a number, or how one is found in the part (in the image without one): otsu, multi-otsu:N, "
      "multi-otsu:N:K, valley, iso50" },
    ChoiceOf("threshold", "side", { "below", "above" }, "on which side of that threshold defects lie; default: below"),

    ChoiceOf(
      "part",
      "method",
      { "none", "pores", "largest", "largest-inside" },
      "the inspected part: none (default); pores: the largest piece of material with its pores, bores left out, and "
      "without [threshold] defects are what in it is not material; largest: the largest component of the "
      "material; largest-inside: the largest one that touches no side of the image along x and y"),
    { "part", "range", KeyKind::Range, "values of the material: [low, high]" },
    { "part",
      "threshold",
      KeyKind::Threshold,
      "the least value of the material instead: a number, or how it is found: otsu, iso50 and the like" },
    ChoiceOf(
      "part",
      "fill_holes",
      { "volume", "slices", "none" },
      "whether what the material encloses belongs to the part: in space (default), in each slice across z, or not"),
    NumberOf(
      "part",
      "close_mm",
      KeyKind::Number,
      0,
      Infinity,
      "mm",
      "with pores: cracks and openings up to this width belong to the part; default: 0: a pore that is open to the "
      "outside, even by one voxel, does not count"),
    NumberOf("part",
             "erode_mm",
             KeyKind::Number,
             0,
             Infinity,
             "mm",
             "the core of the part are the voxels whose centres lie deeper than this below the part's surface or the "
             "image's border; only defects that lie in the core as a whole count, and porosity is a share of the core; "
             "default: 0"),
  };
}

std::vector<RecipeKey>
DefectKeys()
{
  return {
    NumberOf("labeling",
             "connectivity",
             KeyKind::Whole,
             4,
             26,
             "",
             "number of neighbours: 4, 8 (slices); 6, 18, 26 (volumes); default: faces"),
    ChoiceOf(
      "labeling",
      "criterion",
      { "foreground", "equal-value", "tolerance" },
      "which neighbours belong together: all foreground (default), equal values, or values that differ by at most "
      "`tolerance`"),
    NumberOf("labeling", "tolerance", KeyKind::Number, 0, Infinity, "", "largest difference of neighbours"),
    { "labeling",
      "neighbourhood",
      KeyKind::Text,
      "in the place of connectivity: \"8+z\" are 8 neighbours in the slice and the two before and behind along z" },
    ChoiceOf("labeling", "by_slice", { "x", "y", "z" }, "label each slice across this axis on its own"),
    NumberOf("labeling",
             "minimum_volume_mm3",
             KeyKind::Number,
             0,
             Infinity,
             "mm3",
             "smaller components are dropped (in slices: area in mm2)"),
    NumberOf("labeling", "minimum_size", KeyKind::Whole, 0, LargestWhole, "", "components of fewer voxels are dropped"),
    NumberOf("labeling", "maximum_size", KeyKind::Whole, 1, LargestWhole, "", "components of more voxels are dropped"),

    { "measuring", "columns", KeyKind::Columns, "further columns: names of columns or of groups" },
    Flag("measuring", "intensity", "measure the values under each component; default: false"),

    { "selection", "keep", KeyKind::Condition, "condition on columns; components for which it is false are dropped" },
  };
}

std::vector<RecipeKey>
AcceptanceKeys()
{
  RecipeKey rule = ChoiceOf("acceptance", "rule", {}, "what is checked");
  for (const RuleDescription & known : AcceptanceRules())
  {
    rule.choices.push_back(known.name);
  }
  rule.isRequired = true;
  const auto number =
    [](const char * name, double minimum, double maximum, const char * unit, const char * description) {
      return NumberOf("acceptance", name, KeyKind::Number, minimum, maximum, unit, description);
    };
  const auto whole = [](const char * name, const char * description) {
    return NumberOf("acceptance", name, KeyKind::Whole, 0, LargestWhole, "", description);
  };
  const Strings clusters = { "clusters", "number-per-cluster", "volume-of-cluster", "size-of-cluster" };
  const Strings windows = { "porosity-per-area", "porosity-per-volume", "number-per-area", "number-per-volume" };
  return {
    rule,
    { "acceptance", "name", KeyKind::Text, "what the report calls the rule" },
    { "acceptance", "where", KeyKind::Condition, "only defects for which this condition holds count; default: all" },
    OfRules({ "acceptance", "column", KeyKind::Column, "column of the table" }, { "largest", "smallest" }, true),
    OfRules(number("at_most", -Infinity, Infinity, "", "highest value that passes"), { "largest" }, true),
    OfRules(number("at_least", -Infinity, Infinity, "", "lowest value that passes"), { "smallest" }, true),
    OfRules(
      number("at_most_percent",
             0,
             100,
             "",
             "highest share that passes, of the part (of the image without one) or of the reference area or volume"),
      { "porosity", "porosity-per-slice", "porosity-per-area", "porosity-per-volume" },
      true),
    OfRules(whole("at_most_count", "highest number of defects, or of clusters, that passes"),
            { "number",
              "number-per-slice",
              "near-surface",
              "number-per-area",
              "number-per-volume",
              "clusters",
              "number-per-cluster" },
            true),
    OfRules(
      number("at_most_mm3", 0, Infinity, "mm3", "largest volume of a cluster that passes (in slices: area in mm2)"),
      { "volume-of-cluster" },
      true),
    OfRules(number("at_most_mm", 0, Infinity, "mm", "largest distance between two voxels of a cluster that passes"),
            { "size-of-cluster" },
            true),
    OfRules(number("within_mm",
                   0,
                   Infinity,
                   "mm",
                   "distance to the surface below which defects count; gap below which they are one cluster"),
            { "near-surface", "clusters", "number-per-cluster", "volume-of-cluster", "size-of-cluster" },
            false),
    OfRules(number("within_diameters",
                   0,
                   Infinity,
                   "",
                   "the same gap as a multiple of the equivalent diameter of the larger one of two defects"),
            clusters,
            false),
    OfRules(number("at_least_mm", 0, Infinity, "mm", "smallest gap between neighbours that passes"),
            { "spacing" },
            true),
    OfRules(number("reference_mm", 0, Infinity, "mm", "side of the reference area or volume"), windows, true),
    OfRules(ChoiceOf("acceptance", "across", { "x", "y", "z" }, "axis that the reference area lies across; default: z"),
            { "porosity-per-area", "number-per-area" },
            false),
    OfRules(
      number("least_part_percent",
             0,
             100,
             "",
             "porosity is the share of the part in the reference area or volume, of which at least so much must lie "
             "in the part; default: 0: the share of all of it, wherever it lies"),
      { "porosity-per-area", "porosity-per-volume" },
      false),
  };
}

std::vector<RecipeKey>
OutputKeys()
{
  return {
    ChoiceOf("outputs",
             "labels",
             { ".nrrd", ".nii.gz", ".mha", ".tif", "none" },
             "format of the label maps; default: .nrrd"),
    Flag("outputs", "pictures", "draw slices through the largest defect; default: true"),
  };
}

nlohmann::ordered_json
JsonSchemaOf(const RecipeKey & key)
{
  using nlohmann::ordered_json;
  ordered_json schema;
  schema["description"] = key.description;
  const ordered_json number = { { "type", "number" } };
  switch (key.kind)
  {
  case KeyKind::Boolean:
    schema["type"] = "boolean";
    break;
  case KeyKind::Whole:
    schema["type"] = "integer";
    break;
  case KeyKind::Number:
    schema["type"] = key.unit.empty() ? ordered_json("number") : ordered_json({ "number", "string" });
    break;
  case KeyKind::Range:
    schema["type"] = "array";
    schema["items"] = number;
    schema["minItems"] = 2;
    schema["maxItems"] = 2;
    break;
  case KeyKind::Spacing:
    schema["type"] = "array";
    schema["items"] = { { "type", "number" }, { "exclusiveMinimum", 0 } };
    schema["minItems"] = 1;
    schema["maxItems"] = 4;
    break;
  case KeyKind::Columns:
    schema["type"] = "array";
    schema["items"] = { { "type", "string" } };
    break;
  case KeyKind::Choice:
    schema["enum"] = key.choices;
    break;
  case KeyKind::Threshold:
    schema["type"] = ordered_json({ "number", "string" });
    break;
  case KeyKind::Text:
  case KeyKind::Column:
  case KeyKind::Condition:
    schema["type"] = "string";
    break;
  }
  if (key.kind == KeyKind::Whole || key.kind == KeyKind::Number)
  {
    if (key.minimum > -Infinity)
    {
      schema["minimum"] =
        key.kind == KeyKind::Whole ? ordered_json(static_cast<std::int64_t>(key.minimum)) : ordered_json(key.minimum);
    }
    if (key.maximum < Infinity)
    {
      schema["maximum"] =
        key.kind == KeyKind::Whole ? ordered_json(static_cast<std::int64_t>(key.maximum)) : ordered_json(key.maximum);
    }
  }
  return schema;
}

} // namespace

const std::vector<RecipeTable> &
RecipeTables()
{
  static const std::vector<RecipeTable> tables = {
    { "recipe", "what the recipe is called" },
    { "input", "how inputs are read" },
    { "smoothing", "what is done to the image before the threshold; intensities and pictures are those of the image" },
    { "threshold", "which voxels may belong to defects" },
    { "part", "the part that is inspected: defects outside of it do not count" },
    { "labeling", "how voxels become components" },
    { "measuring", "which columns the table has beside the default ones" },
    { "selection", "which components are defects" },
    { "acceptance", "the rules; an item passes if it passes all of them", true },
    { "outputs", "what is written for each item" },
  };
  return tables;
}

const std::vector<RecipeKey> &
RecipeKeys()
{
  static const std::vector<RecipeKey> keys = [] {
    std::vector<RecipeKey> all = StepKeys();
    for (const auto & more : { DefectKeys(), AcceptanceKeys(), OutputKeys() })
    {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return keys;
}

const std::vector<RuleDescription> &
AcceptanceRules()
{
  static const std::vector<RuleDescription> rules = {
    { "largest", "no defect has more than `at_most` in `column`, or has no number there" },
    { "smallest", "no defect has less than `at_least` in `column`, or has no number there" },
    { "porosity",
      "defects fill at most `at_most_percent` of the part (of its core with part.erode_mm), or of the image where "
      "there is no part" },
    { "porosity-per-slice", "the same for every slice across z" },
    { "number", "there are at most `at_most_count` defects" },
    { "number-per-slice", "no slice across z cuts more than `at_most_count` defects" },
    { "near-surface", "at most `at_most_count` defects lie nearer than `within_mm` to the part's surface" },
    { "spacing", "the gap between any two defects is at least `at_least_mm`" },
    { "porosity-per-area",
      "a square of `reference_mm` a side in a slice across an axis is filled by defects by at most `at_most_percent`, "
      "wherever it lies" },
    { "porosity-per-volume", "the same for a cube" },
    { "number-per-area", "a square of `reference_mm` a side in a slice cuts at most `at_most_count` defects" },
    { "number-per-volume", "the same for a cube" },
    { "clusters",
      "there are at most `at_most_count` clusters of two defects or more: defects whose gap is below `within_mm`, or "
      "below `within_diameters` times the larger one's diameter" },
    { "number-per-cluster",
      "no cluster has more than `at_most_count` defects; a defect that is close to no other one is a cluster of one "
      "here" },
    { "volume-of-cluster",
      "the defects of no cluster have more than `at_most_mm3` together; a single defect counts as well" },
    { "size-of-cluster", "no cluster reaches over more than `at_most_mm`; a single defect counts as well" },
  };
  return rules;
}

nlohmann::ordered_json
RecipeJsonSchema()
{
  nlohmann::ordered_json schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "Recipe of `brickccl batch`";
  schema["type"] = "object";
  schema["additionalProperties"] = false;
  for (const RecipeTable & table : RecipeTables())
  {
    nlohmann::ordered_json object;
    object["type"] = "object";
    object["additionalProperties"] = false;
    auto required = nlohmann::ordered_json::array();
    for (const RecipeKey & key : RecipeKeys())
    {
      if (key.table == table.name)
      {
        object["properties"][key.name] = JsonSchemaOf(key);
        if (key.isRequired && key.rules.empty())
        {
          required.push_back(key.name);
        }
      }
    }
    if (!required.empty())
    {
      object["required"] = required;
    }
    nlohmann::ordered_json & property = schema["properties"][table.name];
    property["description"] = table.description;
    if (table.isList)
    {
      property["type"] = "array";
      property["items"] = object;
    }
    else
    {
      property.update(object);
    }
  }
  return schema;
}

} // namespace brickccl::batch
