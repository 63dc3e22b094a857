#ifndef BRICKCCL_BATCH_RECIPESCHEMA_H
#define BRICKCCL_BATCH_RECIPESCHEMA_H

#include <nlohmann/json.hpp>

#include <limits>
#include <string>
#include <vector>

namespace brickccl::batch
{

/** What the value of a key is. */
enum class KeyKind
{
  Boolean,
  /** A whole number from `minimum` to `maximum`. */
  Whole,
  /** A number from `minimum` to `maximum`. A key with a unit also takes a text such as "500 um". */
  Number,
  /** Two numbers, the lower one first; -inf and inf are numbers as well. */
  Range,
  /** 1 to 4 numbers above 0. */
  Spacing,
  Text,
  /** A threshold: a number, or a text that says how one is found (ThresholdMethod::FromText). */
  Threshold,
  /** One of `choices`. */
  Choice,
  /** A list of names of columns and of groups of columns. */
  Columns,
  /** The name of one column. */
  Column,
  /** A condition on columns (Tables/Condition.h). */
  Condition
};

/** One key of a recipe. The whole schema is a list of these: checks, the JSON schema and the pages come from it. */
struct RecipeKey
{
  /** The table that it belongs to: "part"; "acceptance" for each of the rules. */
  std::string table;
  std::string name;
  KeyKind     kind = KeyKind::Text;
  /** What it is, with its default. */
  std::string              description;
  std::vector<std::string> choices = {};
  double                   minimum = -std::numeric_limits<double>::infinity();
  double                   maximum = std::numeric_limits<double>::infinity();
  /** "mm" or "mm3"; empty if it has none. */
  std::string unit = {};
  /** For keys of `acceptance`: the rules that take it; empty for all of them. */
  std::vector<std::string> rules = {};
  bool                     isRequired = false;
};

struct RecipeTable
{
  std::string name;
  std::string description;
  bool        isList = false;
};

/** All tables and all keys, in the order in which a recipe states them. */
const std::vector<RecipeTable> & RecipeTables();
const std::vector<RecipeKey> &   RecipeKeys();

/** The rules that `acceptance` may name, each with what it asks for. */
struct RuleDescription
{
  std::string name;
  std::string description;
};
const std::vector<RuleDescription> & AcceptanceRules();

/** The schema as a JSON schema (draft 2020-12), for editors that complete and check TOML. */
nlohmann::ordered_json RecipeJsonSchema();

/** The version of the schema, which `recipe.schema` states. */
inline constexpr int RecipeSchemaVersion = 1;

} // namespace brickccl::batch

#endif
