#ifndef BRICKCCL_FILES_IMAGEFILE_H
#define BRICKCCL_FILES_IMAGEFILE_H

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace brickccl
{

/** How image files are read. */
struct ReadOptions
{
  /** Goes on, with a note, where slices of a series lie at uneven distances. */
  bool acceptIrregularSlices = false;
  /** Takes the best orthogonal geometry, with a note, where axes are not at right angles. */
  bool acceptSheared = false;
  /** Which of several DICOM series: its UID, or its number in the list that the error prints; formats without series
   *  pass over it. */
  std::string series;
  /** Spacing in mm along x, y, z instead of what the file says; empty: the file's. */
  std::vector<double> spacing;
  /** The image is a label map: palette images are read as the numbers of their colours. */
  bool asLabels = false;
  /** Number of CPU threads; 0: all. */
  int threads = 0;
};

/** Reads an image of 1 to 4 dimensions: a file of any format of ImageFormats(), a folder with DICOM files or with
 *  slice images, or slice images given by a pattern ("slices/ct_*.tif").
 *
 *  Voxels and geometry (mm, LPS) are what the format's standard says. Trailing axes of size 1 beyond the third are
 *  left out. What is unusual but right is told in the image's notes.
 *  \throws Error that names the path, what is wrong and what would help. Nothing that a file holds ends the process. */
LoadedImage ReadImageFile(const std::string & path, const ReadOptions & options = {});

/** An image to be written, whose rows are made when they are needed, so that it need not exist as a whole. */
struct ImageToWrite
{
  ScalarType type = ScalarType::UInt8;
  Extent     extent;
  Geometry   geometry;
  /** Writes the voxels of the rows [begin, end), x fastest, to `voxels`; is called from several threads at once. */
  std::function<void(std::int64_t begin, std::int64_t end, void * voxels)> rows;

  /** An image whose voxels lie in memory. */
  static ImageToWrite
  FromMemory(const void * voxels, ScalarType type, const Extent & extent, const Geometry & geometry);
};

struct WriteOptions
{
  bool compress = true;
  /** Threads, progress and cancelling. */
  HostContext context;
};

/** Writes an image of one channel in the format of the path's extension, all or nothing (see ReplaceFile).
 *  \return what the format does not hold of the geometry ("PNG files hold no spacing"), each without a full stop.
 *  \throws Error that names the path and the reason; Unsupported if the format cannot hold the image. */
std::vector<std::string>
WriteImageFile(const std::string & path, const ImageToWrite & image, const WriteOptions & options = {});

/** Writes a PNG of 8 bits of red, green and blue for each pixel, x fastest; not all or nothing: within ReplaceFile.
 *  \throws Error with the system's reason. */
void
WriteColourPicture(const std::string & path, std::int64_t width, std::int64_t height, const unsigned char * pixels);

/** The files that may be written beside an image file of this path: the data file of a detached header, the other one
 * of a pair. */
std::vector<std::string> FilesBesideImage(const std::string & path);

/** \throws Error if one of those files is there and may belong to something else: `path` is not there, or the header of
 *  another format is, whose data file has the same name. */
void CheckFilesBeside(const std::string & path);

/** Whether ReadOptions::series can choose something in a path: a folder or a pattern with DICOM files, or nothing that
 * is there, which reading tells of. \throws Error that names the path, for files that cannot be looked at. */
bool MayHoldSeries(const std::string & path);

/** \throws Error unless an image of this kind can be written to the path: the format is known and holds it, files can
 * be made there, and what would be written beside it is not there yet without it. The error names the formats that can
 * hold it. */
void CheckImageFileWritable(const std::string & path, ScalarType type, const Extent & extent);

/** The formats that can be read, or written, for help texts: "NRRD (.nrrd, .nhdr), NIfTI (.nii, .nii.gz, ...), ...". */
std::string ReadableFormats();
std::string WritableFormats();

/** \throws InvalidArgument, which says what differs, unless two images cover the same voxels in space: extents are
 *  equal but for trailing axes of size 1, origins differ by less than a thousandth of a voxel, spacings and directions
 *  by less than 1e-4 relative. */
void CheckSameGrid(const LoadedImage & image, const LoadedImage & other, const std::string & otherName);

} // namespace brickccl

#endif
