// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Disk/FlushDisk.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace brickccl
{

namespace fs = std::filesystem;

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
    paths.insert(paths.end(), fs::recursive_directory_iterator(folder), {});
  }
  ForEachOnDisk(paths.size(),
                [&](std::size_t i) { fs::is_directory(paths[i]) ? FlushNames(paths[i]) : FlushFile(paths[i]); });
}

} // namespace brickccl
