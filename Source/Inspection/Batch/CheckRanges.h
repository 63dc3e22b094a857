#ifndef BRICKCCL_BATCH_CHECKRANGES_H
#define BRICKCCL_BATCH_CHECKRANGES_H

#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/RecipeValues.h"

#include <vector>

namespace brickccl::batch
{

/** Complains of values of the part and of defects with which no item can have a defect, or everything is one. */
void CheckRanges(const Recipe & recipe, const RecipeValues & values, std::vector<RecipeProblem> & problems);

} // namespace brickccl::batch

#endif
