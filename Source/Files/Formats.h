// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/ImageFile.h"

#include <optional>
#include <string>
#include <vector>

namespace brickccl::files
{

/** One format of image files. A new one is a file with its functions and a row of the table in Formats.cxx.
 *
 *  The functions throw Error (InvalidArgument, Unsupported) only with the reason; their callers add the path. */
struct Format
{
  const char * name;
  /** The extensions with dots, in lower case, separated by spaces; the usual one comes first: ".nii .nii.gz". */
  const char * extensions;
  /** Whether the file is of this format. Its first bytes decide, or its name if the format has no mark of its own. */
  bool (*recognizes)(const FileBytes & file);
  LoadedImage (*read)(const FileBytes & file, const ReadOptions & options);

  /** Whether it is read in parts, if the way in which a file keeps its voxels allows that. */
  bool isReadInParts = false;
  /** Text for the help in addition to the extensions. */
  const char * remark = nullptr;

  /** Writes the file at `path` and its companion files. They are in a separate folder and are moved to their places
   *  later. Returns the parts of the geometry that the format cannot store. Null if the format is only read. */
  std::vector<std::string> (*write)(const std::string &  path,
                                    const ImageToWrite & image,
                                    const WriteOptions & options) = nullptr;
  /** The possible companion files of a path. Null if there are none. */
  std::vector<std::string> (*beside)(const std::string & path) = nullptr;
  int maximumDimension = 0;
  bool (*holds)(ScalarType type) = nullptr;
};

/** All formats, in the order in which they are tried on a file. */
const std::vector<Format> & AllFormats();

/** The format that a path's extension names; null if there is none. */
const Format * FormatOfName(const std::string & path);

/** The format of a file. With `options.raw` that is raw voxels (ReadRaw), unless both the content and the name say
 *  another one. Null if there is none. */
const Format * FormatOfFile(const FileBytes & file, const ReadOptions & options);

inline constexpr const char * RawExtensions = ".raw .bin .vol .img .dat";

/** Why a file has no format, and what to do: a sentence without a full stop. \param dimension  of a volume or a slice
 */
std::string WhyNotRead(const FileBytes & file, int dimension);

/** An existing header of the same name as a file of voxels: "scan.mhd" of "scan.raw". Empty if there is none. */
std::string HeaderNextTo(const std::string & path);

/** Whether a text for ReadOptions::raw describes a slice, so that files are stacked. */
bool HasSlicesOfRaw(const std::string & text);

/** The extension (in lower case, separated by spaces) with which a path ends, in upper or lower case; or empty. */
std::string ExtensionOf(const std::string & path, const char * extensions);

inline bool
HasExtension(const std::string & path, const char * extensions)
{
  return !ExtensionOf(path, extensions).empty();
}

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

bool        IsVgi(const FileBytes & file);
LoadedImage ReadVgi(const FileBytes & file, const ReadOptions & options);

bool        IsNpy(const FileBytes & file);
LoadedImage ReadNpy(const FileBytes & file, const ReadOptions & options);

bool        IsIsq(const FileBytes & file);
LoadedImage ReadIsq(const FileBytes & file, const ReadOptions & options);

bool        IsMgh(const FileBytes & file);
LoadedImage ReadMgh(const FileBytes & file, const ReadOptions & options);

bool        IsGipl(const FileBytes & file);
LoadedImage ReadGipl(const FileBytes & file, const ReadOptions & options);

bool        IsVtk(const FileBytes & file);
LoadedImage ReadVtk(const FileBytes & file, const ReadOptions & options);

bool        IsTxm(const FileBytes & file);
LoadedImage ReadTxm(const FileBytes & file, const ReadOptions & options);

bool        IsVff(const FileBytes & file);
LoadedImage ReadVff(const FileBytes & file, const ReadOptions & options);

/** The type of an array of NumPy: "<u2". \throws Unsupported for other values than numbers. */
ScalarType TypeOfNpy(const std::string & type);

LoadedImage ReadRaw(const FileBytes & file, const ReadOptions & options);
/** The type that NameOf gives this name. */
std::optional<ScalarType> ScalarTypeNamed(const std::string & name);

/** The file of metadata of a folder with a Zarr array or group; empty for others. */
std::string ZarrHeader(const std::string & folder);
bool        IsZarr(const FileBytes & file);
LoadedImage ReadZarr(const FileBytes & file, const ReadOptions & options);

bool        IsHdf5(const FileBytes & file);
LoadedImage ReadHdf5(const FileBytes & file, const ReadOptions & options);

bool                     IsDicom(const FileBytes & file);
LoadedImage              ReadDicom(const FileBytes & file, const ReadOptions & options);
std::vector<std::string> WriteDicom(const std::string & path, const ImageToWrite & image, const WriteOptions & options);

/** Reads the DICOM series of a folder and its subfolders. \throws Error for none, or several and none chosen. */
LoadedImage ReadDicomFolder(const std::string & path, const ReadOptions & options);
/** Reads the DICOM series of the files that match a pattern. \throws Error as ReadDicomFolder does. */
LoadedImage ReadDicomFiles(const std::vector<std::string> & paths, const ReadOptions & options);
struct DicomSeriesFiles
{
  std::string uid;
  std::string description;
  /** In natural order. */
  std::vector<std::string> files;
  /** Whether this is a single file whose header cannot be read. */
  bool isDamaged = false;
};
/** The series among files, from their headers. Files without an image are left out. */
std::vector<DicomSeriesFiles> ListDicomSeries(const std::vector<std::string> & paths);

/** Whether a folder, or one in it, holds a DICOM file. */
bool HoldsDicom(const std::string & path);

/** The slice images of a folder; if there are none, its files of raw voxels. */
std::vector<std::string> SlicesOfFolder(const std::string & path);

bool IsDicomFile(const std::string & path);

/** Reads the slice images of a folder or of a pattern with * and ? as a volume, in natural order (2 before 10). */
LoadedImage ReadSliceImages(const std::vector<std::string> & paths, const ReadOptions & options);

} // namespace brickccl::files
