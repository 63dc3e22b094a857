// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_FORMATS_VTK_H
#define BRICKCCL_FILES_FORMATS_VTK_H

#include "BrickCCL/Files/Formats.h"

#include <string_view>

// Shared by both formats of VTK.
namespace brickccl::files
{

inline std::string_view
TextOf(const FileBytes & file)
{
  return { reinterpret_cast<const char *>(file.Data()), file.Size() };
}

/** Sets the extent and the geometry. \param ends  first and last index of points along x, y and z
 *  \param lengths  origin, spacing and direction */
void PlaceVtk(const std::vector<std::int64_t> & ends,
              const std::vector<double> &       lengths,
              bool                              areCells,
              const ReadOptions &               options,
              LoadedImage &                     image);

/** Takes voxels that are text in a part of the file. */
void TakeVtkText(const FileBytes &   file,
                 std::size_t         begin,
                 std::size_t         end,
                 const ReadOptions & options,
                 LoadedImage &       image);

void ReadVtkXml(const FileBytes & file, const ReadOptions & options, LoadedImage & image);

} // namespace brickccl::files

#endif
