// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_FILEPATTERN_H
#define BRICKCCL_FILES_FILEPATTERN_H

#include <string>
#include <vector>

namespace brickccl::files
{

/** Whether a path is a pattern for several files: after the existing folders it has one of the characters * ? [ or,
 *  in its last part, a printf format for one number, such as %03d. */
bool IsFilePattern(const std::string & path);

/** The files that match a pattern, in order of name. A number format matches the output of printf for numbers from 0:
 *  "s_%03d.tif" matches s_007.tif and s_1000.tif, but not s_7.tif; %% matches a %. Brackets match one of several
 *  letters, or themselves if no file matches otherwise. On Windows, only the last part of the path may have the
 *  characters * and ?. \throws Error if both readings have files. */
std::vector<std::string> FilesOfPattern(const std::string & pattern);

/** Finds files that match a number pattern except for leading zeros: s_007.tif for "s_%d.tif". They matter if the
 *  pattern matches no file, or if they continue the stack. \return a message with the matching pattern; empty if
 *  there are none. */
std::string HintOnPadding(const std::string & pattern);

/** Whether a path, also of a missing file, matches a pattern, also through symbolic links. On Windows, the characters
 *  * and ? are ignored. */
bool StandsForFile(const std::string & pattern, const std::string & path);

} // namespace brickccl::files

#endif
