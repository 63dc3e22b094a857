#ifndef BRICKCCL_FILES_SLICENAMES_H
#define BRICKCCL_FILES_SLICENAMES_H

#include <string>
#include <vector>

namespace brickccl::files
{

/** Says why slice images, in natural order, are not one stack without gaps: their names must be the same but for one
 *  number, which goes on in equal steps. \return a sentence without a full stop; empty if they are. */
std::string ProblemOfSliceNames(const std::vector<std::string> & paths);

} // namespace brickccl::files

#endif
