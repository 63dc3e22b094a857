#ifndef BRICKCCL_ITK_FILECHECK_H
#define BRICKCCL_ITK_FILECHECK_H

#include <cstdint>
#include <string>

namespace brickccl
{

/** Tells whether an image file holds all of its voxels, where ITK's reader passes over a truncated file in silence
 *  (MetaImage, NIfTI, TIFF).
 *  \param reader  the name of the ITK class that reads the file, "NiftiImageIO" say
 *  \param bytes   the size of all voxels; TIFF files say it themselves
 *  \return what is missing, or nothing. */
std::string WhatIsMissing(const std::string & path, const std::string & reader, std::uint64_t bytes);

} // namespace brickccl

#endif
