// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Job/Value.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace brickccl::batch
{

/** One key of a recipe: of a parameter of jobs, or of rules of acceptance. */
struct RecipeKey
{
  /** The table that it belongs to: "part"; "acceptance" for each of the rules. */
  std::string table;
  std::string name;
  job::Form   form;
  std::string help;
};

/** All tables and all keys, in the order in which a recipe states them. */
const std::vector<std::string> & RecipeTables();
const std::vector<RecipeKey> &   RecipeKeys();

/** The schema as a JSON schema (draft 2020-12), for editors that complete and check TOML. */
nlohmann::ordered_json RecipeJsonSchema();

/** The same for the options of `brickccl label`, each with its unit and its default. */
nlohmann::ordered_json OptionJsonSchema();

} // namespace brickccl::batch
