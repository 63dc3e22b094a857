#ifndef BRICKCCL_BATCH_BUILDRECIPE_H
#define BRICKCCL_BATCH_BUILDRECIPE_H

#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/RecipeValues.h"

#include <vector>

namespace brickccl::batch
{

/** Turns values that fit the schema into a recipe, and checks what the schema cannot say. \param problems  receives
 *  what is wrong */
Recipe BuildRecipe(const RecipeValues & values, std::vector<RecipeProblem> & problems);

} // namespace brickccl::batch

#endif
