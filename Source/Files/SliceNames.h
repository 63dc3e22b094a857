// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_SLICENAMES_H
#define BRICKCCL_FILES_SLICENAMES_H

#include <string>
#include <vector>

namespace brickccl::files
{

/** Explains why slice images, in natural order, are not one stack without gaps: their names must differ only by one
 *  number that rises in equal steps. \return a sentence without a full stop; empty if they are. */
std::string ProblemOfSliceNames(const std::vector<std::string> & paths);

} // namespace brickccl::files

#endif
