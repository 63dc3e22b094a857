// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_NATURALORDER_H
#define BRICKCCL_FILES_NATURALORDER_H

#include <string>

namespace brickccl::files
{

/** Whether a name comes before another when the numbers in them are compared as numbers: "a2" before "a10". It is a
 *  strict order. Names that differ only in leading zeros are ordered by their characters. */
bool NaturallyBefore(const std::string & a, const std::string & b);

} // namespace brickccl::files

#endif
