#ifndef BRICKCCL_CLI_DOUBTS_H
#define BRICKCCL_CLI_DOUBTS_H

#include "BrickCCL/Cli/CriterionOptions.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Dispatch/Label.h"

namespace brickccl::cli
{

/** Notes what makes a labeling look as if another one was meant: a gray scan without a criterion, a range that holds
 *  nothing or nearly everything, several channels, a label map taken for an image. */
void NoteDoubts(const CriterionArguments & arguments,
                const LoadedImage &        image,
                const Segmented &          segmented,
                const Labeling &           labeling,
                bool                       hasMask,
                ImageReader &              reader);

/** Notes what can be said of an image that is labeled in parts, of whose values only the foreground is counted. */
void NoteDoubtsOfSlabs(const Criterion &   criterion,
                       const LoadedImage & image,
                       std::uint64_t       foreground,
                       bool                hasMask,
                       ImageReader &       reader);

/** Notes holes of the mask of a part: distances to its surface are those to the holes as well. */
void NoteHolesOfPart(const LoadedImage & part, int threads, ImageReader & reader);

/** Notes components that lie outside of the part. */
void NoteOutsideOfPart(const ComponentTable & table, ImageReader & reader);

} // namespace brickccl::cli

#endif
