#include "BrickCCL/Host/FlushDisk.h"

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>

#ifdef _WIN32
#  ifndef NOMINMAX
#    define NOMINMAX
#  endif
#  include <windows.h>
#else
#  include <fcntl.h>
#  include <stdlib.h>
#  include <unistd.h>
#endif

namespace brickccl
{

namespace fs = std::filesystem;

#ifdef _WIN32

fs::path
MakeNewFolder(const fs::path & start)
{
  // The number tells apart the names that one process makes. If a name exists, a killed process left it.
  static std::atomic<unsigned> made{ 0 };
  for (;;)
  {
    fs::path path = start;
    path += std::to_string(GetCurrentProcessId()) + "-" + std::to_string(made++);
    std::error_code failure;
    if (fs::create_directory(path, failure))
    {
      return path;
    }
    if (failure)
    {
      throw std::system_error(failure);
    }
  }
}

void
FlushFile(const fs::path & file)
{
  const HANDLE handle =
    CreateFileW(file.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0, nullptr);
  const bool isFlushed = handle != INVALID_HANDLE_VALUE && FlushFileBuffers(handle) != 0;
  const auto reason = static_cast<int>(GetLastError());
  if (handle != INVALID_HANDLE_VALUE)
  {
    CloseHandle(handle);
  }
  if (!isFlushed)
  {
    throw std::system_error(reason, std::system_category());
  }
}

// Windows puts names on the disk by itself.
void
FlushNames(const fs::path &)
{}

#else

fs::path
MakeNewFolder(const fs::path & start)
{
  std::string name = start.string() + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
  {
    throw std::system_error(errno, std::generic_category());
  }
  return name;
}

void
FlushFile(const fs::path & file)
{
  const int descriptor = ::open(file.c_str(), O_RDONLY);
  // Some file systems have nothing to do for folders, and report that as EINVAL.
  const bool isFlushed = descriptor >= 0 && (::fsync(descriptor) == 0 || errno == EINVAL);
  const int  reason = errno;
  if (descriptor >= 0)
  {
    ::close(descriptor);
  }
  if (!isFlushed)
  {
    throw std::system_error(reason, std::generic_category());
  }
}

void
FlushNames(const fs::path & folder)
{
  FlushFile(folder);
}

#endif

bool
FlushDiskOf(const fs::path & folder)
{
#ifdef __linux__
  const int  descriptor = ::open(folder.c_str(), O_RDONLY | O_CLOEXEC);
  const bool isFlushed = descriptor >= 0 && ::syncfs(descriptor) == 0;
  if (descriptor >= 0)
  {
    ::close(descriptor);
  }
  return isFlushed;
#else
  (void)folder;
  return false;
#endif
}

} // namespace brickccl
