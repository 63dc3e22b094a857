#ifndef BRICKCCL_BATCH_BUILDRECIPE_H
#define BRICKCCL_BATCH_BUILDRECIPE_H

#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/RecipeValues.h"

#include <vector>

namespace brickccl::batch
{

/** Completes a recipe with what its values imply, and checks what the schema cannot say. Adds what is wrong to
 *  `problems`. */
void BuildRecipe(RecipeValues & values, std::vector<RecipeProblem> & problems);

} // namespace brickccl::batch

#endif
