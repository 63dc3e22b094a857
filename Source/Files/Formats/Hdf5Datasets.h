// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/Disk/FileStamp.h"
#include "BrickCCL/Files/Formats/Arrays.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace brickccl::files
{

struct Hdf5Dataset
{
  /** From the file's root on: "/entry/data". */
  std::string name;
  /** Its type for people: "uint16", "text", "records". */
  std::string typeName;
  bool        isNumbers = false;
  /** The type in memory, if it holds numbers. */
  ScalarType type = ScalarType::UInt8;
  /** The last axis is the fastest, as in numpy. */
  std::vector<std::uint64_t> shape;
  /** The shape of what is stored together; empty if all is. */
  std::vector<std::uint64_t> chunk;
  /** The offset of the values in the file, if they have the layout of memory; else 0. */
  std::uint64_t offset = 0;

  /** Whether its values are in another dataset or file: it is virtual, external or reached through an external link. */
  bool isElsewhere = false;

  /** The file before it was read. */
  FileStamp file;

  /** Attributes of it; empty if they are not there. vigra's and ilastik's names of axes: */
  std::string axisTags;
  /** Fiji's and ilastik's distances of voxels in micrometers, in the order of the shape. */
  std::vector<double> elementSize;
  /** An attribute, mostly of netCDF, that changes stored values, marks missing ones or names axes: "scale_factor". */
  std::string convention;
  /** The geometry of an image that ITK wrote, in the order x, y, z; the direction of each axis after the other. */
  std::vector<double> spacing;
  std::vector<double> origin;
  std::vector<double> directions;
};

/** The file and dataset of "scan.h5::/entry/data". The file is empty if the path is not of an existing file. */
struct DatasetPath
{
  std::string file;
  std::string name;

  explicit DatasetPath(const std::string & path);
};

/** The datasets of a file, in the order of their names. \param also  one that is reached only by this name, through a
 *  link; it comes last. \throws Error for damaged files. */
std::vector<Hdf5Dataset>
ListHdf5Datasets(const std::string & path, const std::string & also, const Progress & progress);

/** Checks that the chunks of a dataset can be read. \throws Error that names what is missing or damaged. */
void CheckHdf5Chunks(const Hdf5Dataset & dataset, const Progress & progress);

/** Reads slices as the type in memory, in several processes. \throws Error for damaged and changed files. */
void ReadHdf5(const Hdf5Dataset & dataset, const ArraySlices & slices, const HostContext & context, std::byte * output);

} // namespace brickccl::files
