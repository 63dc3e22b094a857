#ifndef BRICKCCL_FILES_FORMATS_H
#define BRICKCCL_FILES_FORMATS_H

#include "BrickCCL/Files/FileBytes.h"
#include "BrickCCL/Files/ImageFile.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

/** One format of image files. A new one is a file with its functions and a row of the table in Formats.cxx.
 *
 *  Functions throw Error (InvalidArgument, Unsupported) with the reason alone; who calls them adds the path. */
struct Format
{
  const char * name;
  /** With dots, in lower case, spaces between, the usual one first: ".nii .nii.gz". */
  const char * extensions;
  /** Whether the file is of this format, by its first bytes or, where a format has no mark of its own, its name. */
  bool (*recognises)(const FileBytes & file);
  LoadedImage (*read)(const FileBytes & file, const ReadOptions & options);

  /** Null where the format is only read. Writes the files at `path` and beside it, which lie in a folder of their own
   *  and get their places later. Returns what it does not hold of the geometry. */
  std::vector<std::string> (*write)(const std::string & path, const ImageToWrite & image, const WriteOptions & options);
  /** Null, or what may be written beside the file of a path. */
  std::vector<std::string> (*beside)(const std::string & path);
  int mostDimensions;
  /** Whether voxels of the type can be written. */
  bool (*holds)(ScalarType type);
};

/** All formats, in the order in which files are looked at. */
const std::vector<Format> & AllFormats();

/** The format that a path's extension names; null if none does. */
const Format * FormatOfName(const std::string & path);

/** Whether a path ends with one of the extensions (lower case, spaces between), in any case. */
bool HasExtension(const std::string & path, const char * extensions);

// The functions of the formats, each in the file of its name.
bool                     IsNrrd(const FileBytes & file);
std::vector<std::string> FilesBesideNrrd(const std::string & path);
LoadedImage              ReadNrrd(const FileBytes & file, const ReadOptions & options);
std::vector<std::string> WriteNrrd(const std::string & path, const ImageToWrite & image, const WriteOptions & options);

bool                     IsMetaImage(const FileBytes & file);
std::vector<std::string> FilesBesideMetaImage(const std::string & path);
LoadedImage              ReadMetaImage(const FileBytes & file, const ReadOptions & options);
std::vector<std::string>
WriteMetaImage(const std::string & path, const ImageToWrite & image, const WriteOptions & options);

bool                     IsNifti(const FileBytes & file);
std::vector<std::string> FilesBesideNifti(const std::string & path);
LoadedImage              ReadNifti(const FileBytes & file, const ReadOptions & options);
std::vector<std::string> WriteNifti(const std::string & path, const ImageToWrite & image, const WriteOptions & options);

bool                     IsTiff(const FileBytes & file);
LoadedImage              ReadTiff(const FileBytes & file, const ReadOptions & options);
std::vector<std::string> WriteTiff(const std::string & path, const ImageToWrite & image, const WriteOptions & options);

bool                     IsPng(const FileBytes & file);
LoadedImage              ReadPng(const FileBytes & file, const ReadOptions & options);
std::vector<std::string> WritePng(const std::string & path, const ImageToWrite & image, const WriteOptions & options);

bool        IsJpeg(const FileBytes & file);
LoadedImage ReadJpeg(const FileBytes & file, const ReadOptions & options);

bool        IsBmp(const FileBytes & file);
LoadedImage ReadBmp(const FileBytes & file, const ReadOptions & options);

bool        IsMrc(const FileBytes & file);
LoadedImage ReadMrc(const FileBytes & file, const ReadOptions & options);

bool        IsDicom(const FileBytes & file);
LoadedImage ReadDicom(const FileBytes & file, const ReadOptions & options);

/** The DICOM series of a folder and of the folders in it. \throws Error if there is none, or several and none is
 *  chosen. */
LoadedImage ReadDicomFolder(const std::string & path, const ReadOptions & options);
/** The same of the files that a pattern stands for. */
LoadedImage ReadDicomFiles(const std::vector<std::string> & paths, const ReadOptions & options);
/** Whether a folder, or one in it, holds a DICOM file. */
bool HoldsDicom(const std::string & path);

/** The slice images of a folder, or those that a pattern with * and ? stands for, in natural order (2 before 10), as a
 *  volume. */
LoadedImage ReadSliceImages(const std::vector<std::string> & paths, const ReadOptions & options);

} // namespace brickccl::files

#endif
