// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/ImageFile.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::files
{

struct NrrdHeader
{
  /** The fields by their names in lower case; "datafile" is "data file". */
  std::map<std::string, std::string> fields;
  /** The key/value pairs whose keys begin with "Segment", which 3D Slicer writes. */
  std::vector<std::pair<std::string, std::string>> pairs;
  /** The lines after "data file: LIST". */
  std::vector<std::string> dataFiles;
  /** The place where attached data begin. */
  std::uint64_t end = 0;
  bool          endsWithBlankLine = false;

  /** Null if there is no such field. */
  const std::string * Find(const std::string & name) const;
  /** \throws Error if there is no such field. */
  const std::string & Get(const std::string & name) const;
};

/** \throws Error for versions other than 1 to 5, lines that are not fields, and fields that occur twice. */
NrrdHeader ParseNrrdHeader(const FileBytes & file);

/** The type of a name of the NRRD format: "unsigned short". */
std::optional<ScalarType> NrrdType(const std::string & name);
/** The name that the format's own library writes. */
std::string NrrdNameOf(ScalarType type);

/** The vectors of "(1,0,0) none (0,1,0)"; an empty one for "none". */
std::vector<std::vector<double>> NrrdVectors(const std::string & text, const std::string & field);

/** Sets origin, spacing and direction of the spatial axes. `places` holds the numbers of these axes in the file. */
void SetNrrdGeometry(const NrrdHeader &               header,
                     const std::vector<std::size_t> & places,
                     std::size_t                      fileDimension,
                     const ReadOptions &              options,
                     LoadedImage &                    image);

} // namespace brickccl::files
