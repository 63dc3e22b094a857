// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_FORMATS_TIFFENTRIES_H
#define BRICKCCL_FILES_FORMATS_TIFFENTRIES_H

#include "BrickCCL/Files/Disk/FileBytes.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace brickccl::files
{

/** An entry of a TIFF directory, as the file states it. */
struct TiffEntry
{
  std::uint64_t count = 0;
  /** The first value, or, where the values do not fit into the entry, the place where they begin. */
  std::uint64_t value = 0;
};

/** The directories of a TIFF file as they are stored. libtiff does not report all tags, and replaces dubious ones.
 */
class TiffEntries
{
public:
  /** \throws Error for files without a header, as all members do beyond the end of the file. */
  explicit TiffEntries(const FileBytes & file);

  /** The number of `size` bytes at a place. */
  std::uint64_t Number(std::uint64_t at, std::size_t size) const;

  /** The entry with this tag in the directory at `place`, if there is one. */
  std::optional<TiffEntry> Find(std::uint64_t place, std::uint64_t tag) const;

private:
  const FileBytes & m_File;
  bool              m_IsBigEndian = false;
  bool              m_IsBig = false;
};

/** \throws Unsupported for files of microscopes whose pages need more than TIFF: stacks of MetaMorph with one directory
 *  for all planes, and files of Zeiss.
 *  \param place  of the first directory  \param pages  that are not reduced images */
void CheckMicroscope(const FileBytes & file, std::uint64_t place, std::size_t pages);

} // namespace brickccl::files

#endif
