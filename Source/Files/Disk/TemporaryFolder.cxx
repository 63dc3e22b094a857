// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Disk/TemporaryFolder.h"

#include "BrickCCL/Files/Disk/FlushDisk.h"

#include <fstream>
#include <mutex>
#include <set>
#include <system_error>
#include <vector>

#ifndef _WIN32
#  include <fcntl.h>
#  include <sys/file.h>
#  include <unistd.h>
#endif

namespace brickccl
{

namespace fs = std::filesystem;

/** A lock on a folder, which ends with the process, however that ends. */
class TemporaryFolder::Lock
{
public:
  explicit Lock(const fs::path & folder)
  {
#ifndef _WIN32
    m_Descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (m_Descriptor >= 0 && ::flock(m_Descriptor, LOCK_EX | LOCK_NB) != 0)
    {
      ::close(m_Descriptor);
      m_Descriptor = -1;
    }
#else
    (void)folder;
#endif
  }
  ~Lock()
  {
#ifndef _WIN32
    if (m_Descriptor >= 0)
    {
      ::close(m_Descriptor);
    }
#endif
  }
  Lock(const Lock &) = delete;
  Lock & operator=(const Lock &) = delete;

  bool
  IsHeld() const
  {
    return m_Descriptor >= 0;
  }

private:
  int m_Descriptor = -1;
};

/** The prefix of names for processes that see each other's locks, one per boot; empty if that is unknown. */
static std::string
NameOfLocked()
{
  std::string   start;
  std::ifstream stream("/proc/sys/kernel/random/boot_id");
  stream >> start;
  return start.empty() ? start : ".brickccl-" + start.substr(0, start.find('-')) + "-";
}

/** Whether a process asks for the first time. */
static bool
IsFirstIn(const fs::path & parent)
{
  static std::mutex                 mutex;
  static std::set<fs::path>         known;
  const std::lock_guard<std::mutex> lock(mutex);
  return known.insert(fs::absolute(parent).lexically_normal()).second;
}

void
TemporaryFolder::RemoveLeftovers(const fs::path & parent, const std::string & nameStart)
{
  std::vector<fs::path> leftovers;
  std::error_code       failure;
  for (fs::directory_iterator entry(parent, failure), end; !failure && entry != end; entry.increment(failure))
  {
    if (entry->path().filename().string().rfind(nameStart, 0) == 0)
    {
      leftovers.push_back(entry->path());
    }
  }
  for (const fs::path & leftover : leftovers)
  {
    const Lock lock(leftover);
    if (lock.IsHeld())
    {
      RemoveFolder(leftover.string());
    }
  }
}

TemporaryFolder::TemporaryFolder(const fs::path & parent)
{
  static const std::string nameStart = NameOfLocked();
  if (!nameStart.empty() && IsFirstIn(parent))
  {
    RemoveLeftovers(parent, nameStart);
  }
  m_Undone.emplace([this] {
    if (!m_Path.empty())
    {
      RemoveFolder(m_Path.string());
    }
  });
  const auto held = HoldOffEnd();
  m_Path = MakeNewFolder(parent / ".brickccl-");
  m_Lock = std::make_unique<Lock>(m_Path);
  if (!nameStart.empty() && m_Lock->IsHeld())
  {
    // Others may remove what has this name, so that it has the lock before.
    const std::string name = m_Path.filename().string();
    const fs::path    locked = parent / (nameStart + name.substr(name.rfind('-') + 1));
    std::error_code   failure;
    fs::rename(m_Path, locked, failure);
    m_Path = failure ? m_Path : locked;
  }
}

TemporaryFolder::~TemporaryFolder()
{
  m_Undone->Undo();
}

} // namespace brickccl
