#ifndef BRICKCCL_FILES_FORMATS_METAORIENTATION_H
#define BRICKCCL_FILES_FORMATS_METAORIENTATION_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::files
{

/** Notes an AnatomicalOrientation of MetaImage that contradicts the TransformMatrix. Three letters give the start of
 *  each axis, as ITK writes them, or its end, as in MetaIO's manual. Other texts are ignored.
 *  \param letters    null if the file has none
 *  \param dimension  that of the matrix, whose rows are the directions of the axes */
void NoteAnatomicalOrientation(const std::string *                        letters,
                               std::size_t                                dimension,
                               const std::optional<std::vector<double>> & matrix,
                               std::vector<std::string> &                 notes);

} // namespace brickccl::files

#endif
