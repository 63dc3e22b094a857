// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Disk/FlushDisk.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

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
  // The number makes the names of one process unique. If a name exists, a killed process left it.
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

void
ForEachOnDisk(std::size_t count, const std::function<void(std::size_t)> & work)
{
  constexpr std::size_t    maximumThreads = 16;
  constexpr std::size_t    worthAThread = 16;
  std::atomic<std::size_t> next{ 0 };
  std::exception_ptr       failure;
  std::mutex               mutex;

  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++)
    {
      try
      {
        work(i);
      }
      catch (...)
      {
        const std::lock_guard<std::mutex> lock(mutex);
        failure = failure ? failure : std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> threads;
  try
  {
    while (threads.size() < std::min(maximumThreads, count / worthAThread))
    {
      threads.emplace_back(run);
    }
  }
  catch (const std::system_error &)
  {
    // The system has no thread left. Those that there are do all.
  }
  run();
  for (std::thread & thread : threads)
  {
    thread.join();
  }
  if (failure)
  {
    std::rethrow_exception(failure);
  }
}

void
FlushFolders(const std::vector<std::string> & folders)
{
  std::vector<fs::path> paths(folders.begin(), folders.end());
  for (const std::string & folder : folders)
  {
    for (const auto & entry : fs::recursive_directory_iterator(folder))
    {
      paths.push_back(entry.path());
    }
  }
  ForEachOnDisk(paths.size(),
                [&](std::size_t i) { fs::is_directory(paths[i]) ? FlushNames(paths[i]) : FlushFile(paths[i]); });
}

} // namespace brickccl
