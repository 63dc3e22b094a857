// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Job/Language.h"

#include <string>
#include <vector>

namespace brickccl::batch
{

struct RecipeProblem
{
  /** From 1 on. */
  int         line = 0;
  std::string text;
};

/** Reads a recipe from TOML, and checks all of it: keys, values, units, conditions and what contradicts itself.
 * \param file  is named in errors \throws InvalidArgument with all problems, one a line: "FILE:LINE: what is wrong". */
Recipe ParseRecipe(const std::string & text, const std::string & file);

/** Reads a recipe from a file. Without such a file, the name of a ready recipe is looked up. The paths of a
 * logo and of zones are relative to its folder; they get it. \throws as ParseRecipe; Error if it cannot be read. */
Recipe ReadRecipe(const std::string & path);

/** Whether two texts of recipes have the same keys with the same values. */
bool IsSameRecipe(const std::string & first, const std::string & second);

/** The recipes that come with the program, each with its text. */
struct ReadyRecipe
{
  std::string name;
  std::string text;
};
const std::vector<ReadyRecipe> & ReadyRecipes();

/** A recipe's steps in sentences, a line each. */
std::vector<std::string> ExplainRecipe(const Recipe & recipe, const job::Language & language = job::Language());

/** The condition to pass a rule, as words without a full stop. */
std::string ExplainRule(const AcceptanceRule & rule, const Recipe & recipe, const job::Language & language);

} // namespace brickccl::batch
