#ifndef BRICKCCL_ITK_IMAGEFILE_H
#define BRICKCCL_ITK_IMAGEFILE_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Buffer.h"

#include <cstddef>
#include <string>

namespace brickccl
{

/** An image in memory whose type was found in its file. */
struct LoadedImage
{
  Buffer<std::byte> voxels;
  ScalarType        type = ScalarType::UInt8;
  int               channels = 1;
  Extent            extent;
  Geometry          geometry;

  ImageView
  View() const
  {
    return ImageView(static_cast<const void *>(voxels.Data()), type, extent, channels);
  }
};

/** Reads an image of any format, type and 1 to 4 dimensions that ITK reads; a folder is read as one DICOM series.
 *  \throws Error that names the path and the reason. */
LoadedImage ReadImageFile(const std::string & path);

/** Writes an image of one channel in the format of the path's extension, all or nothing (see ReplaceFile).
 *  \throws Error that names the path and the reason; Unsupported if the format cannot hold the image. */
void WriteImageFile(const std::string & path,
                    const void *        voxels,
                    ScalarType          type,
                    const Extent &      extent,
                    const Geometry &    geometry,
                    bool                compress = true);

/** \throws Error unless an image of this kind can be written to the path: the format is known and holds it, and files
 *  can be made there. */
void CheckImageFileWritable(const std::string & path, ScalarType type, const Extent & extent);

/** \throws InvalidArgument, which says what differs, unless two images cover the same voxels in space: extents are
 *  equal, origins differ by less than a thousandth of a voxel, spacings and directions by less than 1e-4 relative. */
void CheckSameGrid(const LoadedImage & image, const LoadedImage & other, const std::string & otherName);

} // namespace brickccl

#endif
