#ifndef BRICKCCL_BATCH_READRECIPEVALUE_H
#define BRICKCCL_BATCH_READRECIPEVALUE_H

#include "BrickCCL/Batch/RecipeValues.h"

#include <optional>
#include <string>
#include <vector>

#include <toml++/toml.h>

namespace brickccl::batch
{

/** "a, b, c". */
std::string ListOfNames(const std::vector<std::string> & names);

/** Reads what a recipe says of a key. Nothing, and what is wrong in `problems`, if it does not fit the schema.
 *  \param recipe  the text of the recipe, which has numbers as they were written */
std::optional<RecipeValue> ReadRecipeValue(const std::string &          recipe,
                                           const RecipeKey &            key,
                                           const toml::node &           node,
                                           std::vector<RecipeProblem> & problems);

} // namespace brickccl::batch

#endif
