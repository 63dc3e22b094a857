// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/RecipeFile.h"

#include "BrickCCL/Batch/RecipeValues.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"

#include <algorithm>
#include <filesystem>

namespace brickccl::batch
{

static std::string
TextOfProblems(const std::string & file, const std::vector<RecipeProblem> & problems)
{
  std::string text =
    problems.size() == 1 ? "the recipe has a fault:" : "the recipe has " + std::to_string(problems.size()) + " faults:";
  for (const RecipeProblem & problem : problems)
  {
    text += "\n  " + file + ":" + std::to_string(problem.line) + ": " + problem.text;
  }
  return text;
}

Recipe
ParseRecipe(const std::string & text, const std::string & file)
{
  std::vector<RecipeProblem> problems;
  RecipeValues               values = ReadRecipeValues(text, problems);
  Recipe &                   recipe = values.recipe;
  if (problems.empty())
  {
    BuildRecipe(values, problems);
  }
  if (!problems.empty())
  {
    std::stable_sort(problems.begin(), problems.end(), [](const RecipeProblem & a, const RecipeProblem & b) {
      return a.line < b.line;
    });
    throw InvalidArgument(TextOfProblems(file, problems));
  }
  recipe.text = text;
  recipe.name = recipe.name.empty() ? std::filesystem::path(file).stem().string() : recipe.name;
  return recipe;
}

Recipe
ReadRecipe(const std::string & path)
{
  std::error_code failure;
  if (!std::filesystem::exists(path, failure) || std::filesystem::is_directory(path, failure))
  {
    for (const ReadyRecipe & ready : ReadyRecipes())
    {
      if (ready.name == path)
      {
        return ParseRecipe(ready.text, ready.name);
      }
    }
    const std::vector<std::string> names = NameList(ReadyRecipes());
    throw Error("there is no recipe " + Quoted(path) + ": it is neither a file nor a ready recipe" +
                DidYouMean(path, names) + "; ready recipes: " + Joined(names, ", "));
  }
  Recipe recipe = ParseRecipe(ReadText(path), path);
  for (std::string * const file : { &recipe.logo, &recipe.zones })
  {
    *file = file->empty() ? "" : (std::filesystem::path(path).parent_path() / *file).string();
  }
  return recipe;
}

} // namespace brickccl::batch
