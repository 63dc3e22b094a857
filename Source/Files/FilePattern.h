#ifndef BRICKCCL_FILES_FILEPATTERN_H
#define BRICKCCL_FILES_FILEPATTERN_H

#include <string>
#include <vector>

namespace brickccl::files
{

/** Whether a path may stand for several files: behind the folders that exist it has one of the signs * ? [ or, in its
 *  last part, a place for one number as printf has it, such as %03d. */
bool IsFilePattern(const std::string & path);

/** The files that a pattern stands for, in order of their names. With a place for a number these are the names that
 *  printf makes of the numbers from 0 on: "s_%03d.tif" stands for s_007.tif and s_1000.tif, but not for s_7.tif; %%
 *  stands for a %. Brackets stand for one of several letters, or for themselves where no file is there otherwise. On
 *  Windows, only the last part of the path may have the signs * and ?. \throws Error if both readings have files. */
std::vector<std::string> FilesOfPattern(const std::string & pattern);

/** Finds files whose names are those of a pattern with a place for a number, but for the zeros in front of the number:
 *  s_007.tif beside "s_%d.tif". They matter if the pattern stands for none, or if the stack goes on with one.
 *  \return what to tell, with the pattern that stands for them; empty if there are none.
 */
std::string HintOnPadding(const std::string & pattern);

/** Whether a path, also of a file that is not there, is one that a pattern stands for, also where symbolic links lead
 *  there. On Windows, the signs * and ? are not looked at. */
bool StandsForFile(const std::string & pattern, const std::string & path);

} // namespace brickccl::files

#endif
