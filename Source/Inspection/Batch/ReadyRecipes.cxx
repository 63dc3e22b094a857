// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/RecipeFile.h"

namespace brickccl::batch
{

const std::vector<ReadyRecipe> &
ReadyRecipes()
{
  static const std::vector<ReadyRecipe> recipes = {
#include "ReadyRecipes.inc"
  };
  return recipes;
}

} // namespace brickccl::batch
