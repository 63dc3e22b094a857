// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/Isolation/EndAtInterrupt.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace brickccl
{

/** A new folder. It is removed with everything in it when this object is destroyed or an interrupt ends the process.
 *
 *  A killed process (kill -9) leaves it. The next process that makes such a folder next to it removes the leftovers: as
 *  long as a process lives, it holds a lock on each of its folders. Folders are left alone that a process on another
 *  machine, or before the last start of this one, has made, and those on file systems without locks. */
class TemporaryFolder
{
public:
  /** \throws std::system_error if no folder can be made in `parent`. */
  explicit TemporaryFolder(const std::filesystem::path & parent);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder & operator=(const TemporaryFolder &) = delete;

  const std::filesystem::path &
  Path() const
  {
    return m_Path;
  }

private:
  class Lock;

  /** Removes folders in `parent` whose processes have ended. */
  static void RemoveLeftovers(const std::filesystem::path & parent, const std::string & nameStart);

  std::filesystem::path            m_Path;
  std::unique_ptr<Lock>            m_Lock;
  std::optional<UndoneAtInterrupt> m_Undone;
};

} // namespace brickccl
