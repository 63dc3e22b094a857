// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace brickccl
{

std::string InSmallLetters(std::string text);

/** The probable name for a misspelled word: the nearest one by letters left out, added, changed or swapped, if
 *  that is near enough; capital letters do not matter. Empty if there is none. */
std::string NearestName(const std::string & word, const std::vector<std::string> & names);

/** " (did you mean 'otsu'?)", or nothing if no name is near. */
std::string DidYouMean(const std::string & word, const std::vector<std::string> & names);

} // namespace brickccl
