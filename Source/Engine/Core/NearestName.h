// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace brickccl
{

std::string InSmallLetters(std::string text);

/** The nearest name by letters left out, added, changed or swapped, capital or not; empty if none is near enough. */
std::string NearestName(const std::string & word, const std::vector<std::string> & names);

/** " (did you mean 'otsu'?)", or nothing if no name is near. */
std::string DidYouMean(const std::string & word, const std::vector<std::string> & names);

} // namespace brickccl
