// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/RecipeSchema.h"

#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Job/Parameters.h"

#include <cmath>

namespace brickccl::batch
{

using job::Kind;
using nlohmann::ordered_json;

const std::vector<std::pair<std::string, std::string>> Tables = {
  { "recipe", "what the recipe is called" },
  { "input", "how inputs are read" },
  { "smoothing", "how the image is smoothed before the threshold; intensities and pictures are of the original image" },
  { "threshold", "which voxels may belong to defects" },
  { "region", "where in the image defects count; thresholds and porosity refer to it" },
  { "zones", "zones of the part, for rules with a zone and the column 'zone'" },
  { "part", "the part that is inspected: defects outside of it do not count" },
  { "labeling", "how voxels become components" },
  { "measuring", "which columns the table has besides the default ones" },
  { "selection", "which components are defects" },
  { "acceptance", "the rules; an item passes if it passes all of them" },
  { "outputs", "what is written for each item" },
  { "report", "the head of the report, and how it is written" },
};

static ordered_json
ListOf(const ordered_json & items, int least, int most)
{
  ordered_json schema = { { "type", "array" }, { "items", items } };
  if (most > 0)
  {
    schema["minItems"] = least;
    schema["maxItems"] = most;
  }
  return schema;
}

static ordered_json
TypeOf(const job::Form & form)
{
  switch (form.kind)
  {
  case Kind::Flag:
    return { { "type", "boolean" } };
  case Kind::Whole:
  case Kind::Memory:
    return { { "type", "integer" } };
  case Kind::Neighbors:
    return { { "type", ordered_json({ "integer", "string" }) } };
  case Kind::Number:
  case Kind::Above:
    return { { "type", form.unit.empty() ? ordered_json("number") : ordered_json({ "number", "string" }) } };
  case Kind::Range:
    return ListOf({ { "type", "number" } }, 2, 2);
  case Kind::Spacing:
    return ListOf({ { "type", ordered_json({ "number", "string" }) }, { "exclusiveMinimum", 0 } }, 1, 4);
  case Kind::Columns:
    return ListOf({ { "type", "string" } }, 0, 0);
  case Kind::Choice:
    return { { "enum", form.choices } };
  case Kind::Threshold:
    return { { "type", ordered_json({ "number", "string" }) } };
  default:
    return { { "type", "string" } };
  }
}

static ordered_json
JsonSchemaOf(const job::Form & form, const std::string & help)
{
  ordered_json schema;
  schema["description"] = help;
  schema.update(TypeOf(form));
  for (const auto & [name, bound] : { std::pair("minimum", form.minimum), std::pair("maximum", form.maximum) })
  {
    if (std::abs(bound) < job::Finite)
    {
      schema[name] = form.kind == Kind::Whole ? ordered_json(static_cast<std::int64_t>(bound)) : ordered_json(bound);
    }
  }
  if (form.kind == Kind::Above)
  {
    schema["exclusiveMinimum"] = 0;
  }
  return schema;
}

static ordered_json
DefaultOf(const job::Parameter & parameter)
{
  job::Job     none;
  ordered_json json;
  const auto   put = [&json](const auto * value) {
    if constexpr (std::is_constructible_v<ordered_json, decltype(*value)>)
    {
      json = *value;
    }
  };
  std::visit(put, job::SlotOf(none, parameter.member));
  const bool isNone = json.empty() || json == "" || json == job::NoLimit || parameter.form.kind == Kind::Memory;
  return isNone ? ordered_json() : parameter.form.kind == Kind::Neighbors ? ordered_json("faces") : json;
}

const std::vector<std::string> &
RecipeTables()
{
  static const auto names = Mapped(Tables, [](const auto & table) { return std::string(table.first); });
  return names;
}

const std::vector<RecipeKey> &
RecipeKeys()
{
  static const std::vector<RecipeKey> keys = [] {
    std::vector<RecipeKey> all;
    for (const job::Parameter & parameter : job::Parameters())
    {
      const std::string key = parameter.key;
      if (const std::size_t dot = key.find('.'); dot != std::string::npos)
      {
        const std::string & help = parameter.keyHelp.empty() ? parameter.help : parameter.keyHelp;
        all.push_back({ key.substr(0, dot), key.substr(dot + 1), parameter.form, help });
      }
    }
    for (const RuleKey & key : RuleKeys())
    {
      all.push_back({ "acceptance", key.name, key.form, key.help });
    }
    return all;
  }();
  return keys;
}

ordered_json
RecipeJsonSchema()
{
  ordered_json schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "Recipe of `brickccl batch`";
  schema["type"] = "object";
  schema["additionalProperties"] = false;
  for (const auto & [table, description] : Tables)
  {
    ordered_json object = { { "type", "object" }, { "additionalProperties", false } };
    for (const RecipeKey & key : RecipeKeys())
    {
      if (key.table == table)
      {
        object["properties"][key.name] = JsonSchemaOf(key.form, key.help);
      }
    }
    ordered_json & property = schema["properties"][table];
    property["description"] = description;
    if (table == "acceptance")
    {
      object["required"] = { "rule" };
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

ordered_json
OptionJsonSchema()
{
  ordered_json schema = { { "title", "Options of `brickccl label`" }, { "type", "object" } };
  for (const job::Parameter & parameter : job::Parameters())
  {
    if (parameter.option[0] != '\0')
    {
      ordered_json & property = schema["properties"][parameter.option];
      property = JsonSchemaOf(parameter.form, parameter.help);
      property.update({ { "unit", parameter.form.unit }, { "default", DefaultOf(parameter) } });
    }
  }
  return schema;
}

} // namespace brickccl::batch
