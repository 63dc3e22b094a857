// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_STREAMING_WORKFOLDER_H
#define BRICKCCL_STREAMING_WORKFOLDER_H

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Files/Disk/TemporaryFolder.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace brickccl
{

/** The folder in which labeling by slabs keeps its state: `plan.txt` with a checksum, and for each slab its record,
 *  its runs, its map, and counts for columns that need them. Every file is there as a whole or not at all, whenever
 *  the program ends. */
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

  /** How keys of a plan begin whose values are times that say nothing to people. */
  static constexpr const char * TimeKey = "time of change of ";

  /** Opens or makes the folder.
   *  \param path    if it is empty, a new folder next to `output`, which is removed in the end
   *  \param plan    lines "key: value"; what must be the same for the state to be used again
   *  \param resume  whether a state that is there is used
   *  \throws InvalidArgument if there is a state and it is not to be used, or is of another plan; the message names the
   *  first key that differs. Error if the folder cannot be made or written, or if its plan is damaged. */
  WorkFolder(const std::string & path, const std::string & output, const std::string & plan, bool resume);

  /** The plan of an earlier run in a folder; empty if there is none. \throws Error if it is damaged. */
  static std::string PlanIn(const std::string & path);

  std::string PathOf(std::size_t slab, Kind kind) const;

  bool Has(std::size_t slab, Kind kind) const;
  /** \throws Error that names the file; for reading also if it was written by a run of another plan, or is cut. */
  void  Write(std::size_t slab, Kind kind, const Bytes & bytes) const;
  Bytes Read(std::size_t slab, Kind kind) const;
  void  Remove(std::size_t slab, Kind kind) const;

  std::uint64_t BytesOnDisk() const;

private:
  std::string m_Path;
  /** The end of every file: a checksum of the plan, to detect the state of other inputs. */
  Bytes m_Stamp;

  std::optional<TemporaryFolder> m_Temporary;
};

} // namespace brickccl

#endif
