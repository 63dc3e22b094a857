// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/ImageFile.h"

#include <functional>
#include <string>
#include <vector>

namespace brickccl
{

struct FoundImage
{
  enum class Kind
  {
    /** One file (with its data files) of any format. */
    File,
    DicomSeries,
    SliceImages
  };
  Kind kind = Kind::File;
  /** Its path from the folder that was searched, without the extension; a DICOM series' folder, description and UID. */
  std::string name;
  /** In natural order. */
  std::vector<std::string> files;
  std::string              series;
  /** Why the files are not a reliable stack (SliceNames.h); empty if they are. */
  std::string problem;
};

struct FindImagesOptions
{
  /** Whether the slice images of a folder are one volume. If not, each is an image. */
  bool slicesAreVolumes = true;
  /** As ReadOptions::raw. If given, files of the usual extensions of raw voxels, and inputs of no known format, are
   *  images, too, unless a readable header is next to them. */
  std::string raw;
  /** Folders that are not searched. */
  std::vector<std::string> leftOut;
  /** Folders for which this is true are not searched; empty: all are. */
  std::function<bool(const std::string & folder)> isMarked;
};

struct FoundImages
{
  /** In natural order of their names. */
  std::vector<FoundImage> images;
  /** Files whose formats are not known. */
  std::vector<std::string> ignored;
  std::vector<std::string> markedFolders;
};

/** Finds the images among files, folders (with the folders in them) and patterns with * and ?.
 *
 *  Files with DICOM images make an image for each series UID. Slice images (PNG, JPEG, BMP, and TIFF of one page) in
 *  one folder make one volume. Every other file of a known format is an image. Hidden files are left out. Only
 *  headers are looked at; a damaged file is found as an image of its own, and its error comes when it is read.
 *  \throws Error for an input that is not there, or that no image comes from. */
FoundImages FindImages(const std::vector<std::string> & inputs, const FindImagesOptions & options = {});

/** The name of an image file without the extension of its format: "liver" for "liver.nii.gz". */
std::string WithoutExtension(const std::string & name);

/** Reads a found image. \throws as ReadImageFile does. */
LoadedImage ReadFoundImage(const FoundImage & image, const ReadOptions & options);

} // namespace brickccl
