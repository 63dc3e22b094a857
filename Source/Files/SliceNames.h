// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace brickccl::files
{

/** Whether a name comes before another when the numbers in them are compared as numbers: "a2" before "a10". It is a
 *  strict order. Names that differ only in leading zeros are ordered by their characters. */
bool NaturallyBefore(const std::string & a, const std::string & b);

/** Explains why slice images, in natural order, are not one stack without gaps: their names must differ only by one
 *  number that rises in equal steps. \return a sentence without a full stop; empty if they are. */
std::string ProblemOfSliceNames(const std::vector<std::string> & paths);

} // namespace brickccl::files
