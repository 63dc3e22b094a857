// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Files/Disk/TemporaryFolder.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace brickccl
{

/** The temporary folder of labeling by slabs: a slab's record, runs and map, and counts for some columns. */
class WorkFolder
{
public:
  enum class Kind
  {
    Record,
    Runs,
    Map,
    Counts
  };

  /** Makes a folder in `place`, or next to `output` if that is empty. \throws Error if it cannot be made. */
  WorkFolder(const std::string & place, const std::string & output);

  /** \throws Error that names the file. */
  void  Write(std::size_t slab, Kind kind, const Bytes & bytes) const;
  Bytes Read(std::size_t slab, Kind kind) const;

  std::uint64_t BytesOnDisk() const;

private:
  std::string PathOf(std::size_t slab, Kind kind) const;

  std::optional<TemporaryFolder> m_Folder;
};

} // namespace brickccl
