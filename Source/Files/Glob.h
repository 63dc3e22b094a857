// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_GLOB_H
#define BRICKCCL_FILES_GLOB_H

#include <string>
#include <vector>

namespace brickccl::files
{

/** Whether a pattern of a shell (* ? [a-z], a backslash before letters) matches a name. Only a dot matches a dot in
 * front. On Windows brackets are letters, and only the last part of a path may have * and ?. */
bool MatchesGlob(const std::string & pattern, const std::string & name);

/** The files and folders that match a path with patterns, in order. */
std::vector<std::string> FilesOfGlob(const std::string & pattern);

} // namespace brickccl::files

#endif
