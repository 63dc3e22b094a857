#ifndef BRICKCCL_BATCH_RECIPETEXT_H
#define BRICKCCL_BATCH_RECIPETEXT_H

#include "BrickCCL/Job/Value.h"

#include <optional>
#include <string>
#include <vector>

#include <toml++/toml.h>

namespace brickccl::batch
{

/** The line of a node of TOML. */
template <typename TNode>
int
LineOf(const TNode & node)
{
  return static_cast<int>(node.source().begin.line);
}

/** A value as text, on one line. */
std::string OneLine(const toml::node & node);

/** A value of TOML as the texts that job::SetValue reads. Nothing if it is of another kind than the form.
 *  \param recipe  the text of the recipe, which has numbers as they were written */
std::optional<std::vector<std::string>>
TextsFor(const job::Form & form, const toml::node & node, const std::string & recipe);

} // namespace brickccl::batch

#endif
