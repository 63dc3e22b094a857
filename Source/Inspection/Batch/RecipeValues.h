// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Core/Extent.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::batch
{

struct GivenKeys
{
  std::map<std::string, int> lines;

  bool
  Has(const std::string & key) const
  {
    return lines.count(key) == 1;
  }
  int
  LineOf(const std::string & key) const
  {
    const auto table = lines.find(key.substr(0, Has(key) ? key.size() : key.find('.')));
    return table != lines.end() ? table->second : lines.count("") == 1 ? lines.at("") : 0;
  }
};

struct RecipeValues
{
  Recipe    recipe;
  GivenKeys given;
  /** The keys of each rule; "" has the line on which the rule begins. */
  std::vector<GivenKeys> rules;
};

/** Reads TOML and checks each key and value. Adds what is wrong to `problems`. */
RecipeValues ReadRecipeValues(const std::string & text, std::vector<RecipeProblem> & problems);

/** Completes a recipe with what its values imply, and adds what the schema cannot find to `problems`. */
void BuildRecipe(RecipeValues & values, std::vector<RecipeProblem> & problems);

/** Complains of values of the part and of defects with which no item can have a defect. */
void CheckRanges(const Recipe & recipe, const GivenKeys & given, std::vector<RecipeProblem> & problems);

/** Complains of keys of which some fit slices only and others volumes only. */
void CheckFit(const RecipeValues & values, std::vector<RecipeProblem> & problems);

/** A key, of the recipe or of one of its rules, that does not fit an image. */
struct Misfit
{
  std::string                key;
  std::optional<std::size_t> rule;
  std::string                text;
};

/** The first key that does not fit an image of this extent. */
std::optional<Misfit> FindMisfit(const Recipe & recipe, const Extent & extent);

} // namespace brickccl::batch
