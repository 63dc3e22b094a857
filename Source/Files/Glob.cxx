// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Glob.h"

#include <fnmatch.h>
#include <glob.h>

namespace brickccl::files
{

bool
MatchesGlob(const std::string & pattern, const std::string & name)
{
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
}

std::vector<std::string>
FilesOfGlob(const std::string & pattern)
{
  std::vector<std::string> files;
  glob_t                   found = {};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
  {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return files;
}

} // namespace brickccl::files
