// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace brickccl
{

struct ReadOptions
{
  /** Accepts, with a note, slices of a series at uneven distances, and slice images whose numbers have gaps or whose
   *  names are not all alike. */
  bool acceptIrregularSlices = false;
  /** Accepts, with a note, axes that are not at right angles. The image gets the best orthogonal geometry. */
  bool acceptSheared = false;
  /** Which of several DICOM series to read: its UID, or its number in the list that the error prints. Formats without
   *  series ignore it. */
  std::string series;
  /** Which dataset of an HDF5 file to read: "/entry/data". If it is empty, the only one. */
  std::string dataset;
  /** The size and type of files that have no header: "1024x1024x800:uint16", perhaps with ":big" and ":skip=512". Files
   *  of a format, by name and content, do not need it. */
  std::string raw;
  /** The spacing in mm along x, y, z, which replaces the file's. If empty, the file's is used. */
  std::vector<double> spacing;
  /** The image is a label map. Palette images are read as the numbers of their colors. */
  bool asLabels = false;
  /** Leaves the voxels where they are, to be read in parts (LoadedImage::stream). Files that cannot be are refused. */
  bool inParts = false;
  /** Number of CPU threads; 0: all. */
  int threads = 0;
  /** Hears of the file that is read, unless slices of several files are; not of others that it names. */
  std::function<void(const files::FileBytes & file)> onFile = {};
  /** Called when the type, channels and extent of an image are known, before memory for its voxels is allocated.
   *  If it throws, reading stops. */
  std::function<void(const LoadedImage & header)> onHeader = {};
  /** Hears how much of an image has been read. */
  Progress progress = {};

  /** How to read an image. Later reading in parts is not reported. */
  HostContext
  Context() const
  {
    return { threads, inParts ? Progress() : progress };
  }
};

/** Reads an image of 1 to 4 dimensions. The path names a file of any format of ImageFormats(), a folder of DICOM files
 *  or of slice images, slice images by a pattern ("slices/ct_*.tif"), or a dataset of an HDF5 file
 *  ("scan.h5::/entry/data").
 *
 *  Voxels and geometry (mm, LPS) are what the format's standard says. Trailing axes of size 1 beyond the third are left
 *  out. The image's notes say what is unusual but right.
 *  \throws Error that names the path, what is wrong and what would help. No content of a file ends the process. */
LoadedImage ReadImageFile(const std::string & path, const ReadOptions & options = {});

/** Whether a new file would be read as a part of an input the next time: a name that matches a pattern, or a slice
 *  image in a folder of slices, also through symbolic links. */
bool WouldBeRead(const std::string & input, const std::string & output);

/** Reads files that are one image: the slices of a DICOM series, or slice images. \param name  is named in errors. */
LoadedImage
ReadImageFiles(const std::string & name, const std::vector<std::string> & files, const ReadOptions & options = {});

/** An image to be written. Its rows are made when they are needed, so the image need not exist as a whole. */
struct ImageToWrite
{
  ScalarType type = ScalarType::UInt8;
  Extent     extent;
  Geometry   geometry;
  /** Writes the voxels of the rows [begin, end), x fastest, to `voxels`. Several threads call it at once. */
  std::function<void(std::int64_t begin, std::int64_t end, void * voxels)> rows;
  /** The largest label of a label map with the labels 1, 2, 3 ..., which .seg.nrrd files list as segments. */
  std::uint64_t largestLabel = 0;
  /** Segments that are listed before these, and in their place where they have the same label. */
  Segmentation segmentation = {};
  /** For DICOM segmentations: what they were made of. */
  std::shared_ptr<const DicomOrigin> dicom = {};

  static ImageToWrite
  FromMemory(const void * voxels, ScalarType type, const Extent & extent, const Geometry & geometry);
};

/** Whether a file of this name lists segments: .seg.nrrd or .dcm, of 3 dimensions. */
bool HoldsSegments(const std::string & path, const Extent & extent);

struct WriteOptions
{
  bool        compress = true;
  HostContext context = {};
  /** DICOM segmentations are LABELMAP, not BINARY. */
  bool asLabelMap = false;
};

/** Writes an image of one channel in the format of the path's extension. It writes all files or none (see ReplaceFile).
 *  \return the parts of the geometry that the format does not hold ("PNG files hold no spacing"), each without a full
 *  stop. \throws Error that names the path and the reason; Unsupported if the format cannot hold the image. */
std::vector<std::string>
WriteImageFile(const std::string & path, const ImageToWrite & image, const WriteOptions & options = {});

/** Writes a PNG with 8 bits each of red, green and blue for every pixel, x fastest. A failure may leave a part of the
 *  file, so call it within ReplaceFile. \throws Error with the system's reason. */
void WriteColorPicture(const std::string & path, std::int64_t width, std::int64_t height, const unsigned char * pixels);

/** The same as a JPEG of a quality from 1 to 100. */
void WriteColorJpeg(const std::string & path, int width, int height, const unsigned char * pixels, int quality);

/** The possible companion files of this path: the data file of a detached header, or the other of a pair. */
std::vector<std::string> FilesBesideImage(const std::string & path);

/** \throws Error if one of those files exists and may belong to something else: if `path` does not exist, or if the
 *  header of another format exists whose data file has the same name. */
void CheckFilesBeside(const std::string & path);

/** Whether ReadOptions::series can choose something in a path. It can in a folder or a pattern with DICOM files. It
 *  also returns true if nothing exists there; reading then reports that.
 *  \throws Error that names the path, for files that cannot be inspected. */
bool MayHoldSeries(const std::string & path);

/** Whether ReadOptions::raw describes a path: a file, or the slices of a folder or a pattern, of no other format. It
 *  also returns true if nothing exists there. \throws Error that names the path, for files that cannot be inspected. */
bool MayBeRaw(const std::string & path);

/** \throws InvalidArgument, which says what would be right, unless a text is one for ReadOptions::raw. */
void CheckRaw(const std::string & text);

/** \throws Error unless an image of this kind can be written to the path. The format must be known and able to hold
 *  the image, files can be created there, and no companion file exists without the image. The error names the formats
 *  that can hold the image. */
void CheckImageFileWritable(const std::string & path, ScalarType type, const Extent & extent);

/** The formats that can be read or written, for help texts: "NRRD (.nrrd, .nhdr), NIfTI (.nii, .nii.gz, ...), ...". */
std::string ReadableFormats();
std::string WritableFormats();
/** Those that are read in parts: "NRRD, NIfTI, ...". */
std::string FormatsReadInParts();

/** \throws InvalidArgument, which says what differs, unless two images cover the same voxels in space. The extents must
 *  be equal except for trailing axes of size 1. The origins must differ by less than a thousandth of a voxel, and the
 *  spacings and directions by less than 1e-4 (relative). */
void CheckSameGrid(const LoadedImage & image,
                   const LoadedImage & other,
                   const std::string & otherName,
                   const std::string & name = "the input image");

} // namespace brickccl
