#ifndef BRICKCCL_FILES_NRRDHEADER_H
#define BRICKCCL_FILES_NRRDHEADER_H

#include "BrickCCL/Files/FileBytes.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace brickccl::files
{

/** The fields of a NRRD header as text. */
struct NrrdHeader
{
  /** By their names in lower case, "datafile" as "data file". */
  std::map<std::string, std::string> fields;
  /** The lines after "data file: LIST". */
  std::vector<std::string> dataFiles;
  /** Where attached data begin. */
  std::uint64_t end = 0;
  bool          endsWithBlankLine = false;

  /** Null if there is no such field. */
  const std::string * Find(const std::string & name) const;
  /** \throws Error if there is no such field. */
  const std::string & Get(const std::string & name) const;
};

/** \throws Error for other versions than 1 to 5, lines that are no fields, and fields that come twice. */
NrrdHeader ParseNrrdHeader(const FileBytes & file);

} // namespace brickccl::files

#endif
