#ifndef BRICKCCL_FILES_FORMATS_METAORIENTATION_H
#define BRICKCCL_FILES_FORMATS_METAORIENTATION_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::files
{

/** Notes an AnatomicalOrientation of MetaImage that contradicts the TransformMatrix. Three letters say where each axis
 *  leads from, as ITK writes them, or where it leads to, as MetaIO's manual has it. Other texts say nothing.
 *  \param letters    null if the file has none
 *  \param dimension  that of the matrix, whose rows are the directions of the axes */
void NoteAnatomicalOrientation(const std::string *                        letters,
                               std::size_t                                dimension,
                               const std::optional<std::vector<double>> & matrix,
                               std::vector<std::string> &                 notes);

} // namespace brickccl::files

#endif
