// SPDX-License-Identifier: Apache-2.0
// The calls of POSIX for files. The calls of Windows are in SystemFiles_windows.cxx.
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Disk/FileStamp.h"
#include "BrickCCL/Files/Disk/FlushDisk.h"
#include "BrickCCL/Files/Disk/MappedFiles.h"
#include "BrickCCL/Files/Disk/OutputFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace brickccl
{

namespace fs = std::filesystem;

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

std::error_code
MoveOver(const fs::path & file, const fs::path & place)
{
  std::error_code failure;
  fs::rename(file, place, failure);
  return failure;
}

void
ForgetMapped([[maybe_unused]] const void * memory, [[maybe_unused]] std::size_t bytes)
{
#ifdef __linux__
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const auto before = (page - begin % page) % page;
  const auto end = (begin + bytes) / page * page;
  if (begin + before < end)
  {
    char * const place = const_cast<char *>(static_cast<const char *>(memory));
    (void)madvise(place + before, end - begin - before, MADV_DONTNEED);
  }
#endif
}

namespace files
{

namespace
{

struct Descriptor
{
  const int number;

  explicit Descriptor(const std::string & path)
    : number(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
  {}
  Descriptor(const Descriptor &) = delete;
  Descriptor & operator=(const Descriptor &) = delete;
  ~Descriptor()
  {
    if (number >= 0)
    {
      ::close(number);
    }
  }
};

} // namespace

std::shared_ptr<const void>
MapFile(const std::string & path, std::size_t & size)
{
  const Descriptor file(path);
  struct stat      status = {};
  if (file.number < 0 || ::fstat(file.number, &status) != 0)
  {
    // Sockets cannot be opened.
    throw Error(errno == ENOENT ? "there is no such file" : errno == ENXIO ? NotARegularFile : std::strerror(errno));
  }
  ThrowIf(!S_ISREG(status.st_mode), NotARegularFile);
  size = static_cast<std::size_t>(status.st_size);
  if (size == 0)
  {
    return {};
  }
  void * const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  ThrowIf(memory == MAP_FAILED, std::strerror(errno));
  return { memory, [bytes = size](const void * mapped) { ::munmap(const_cast<void *>(mapped), bytes); } };
}

FileStamp
FileStamp::Of(const std::string & path)
{
  FileStamp   stamp{ path };
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
  {
#ifdef __APPLE__
    const struct timespec times[2] = { status.st_mtimespec, status.st_ctimespec };
#else
    const struct timespec times[2] = { status.st_mtim, status.st_ctim };
#endif
    stamp.isThere = true;
    stamp.size = static_cast<std::uint64_t>(status.st_size);
    stamp.time = std::int64_t{ times[0].tv_sec } * 1000000000 + times[0].tv_nsec;
    stamp.statusChange = std::int64_t{ times[1].tv_sec } * 1000000000 + times[1].tv_nsec;
  }
  return stamp;
}

OutputFile::OutputFile(const std::string & path)
  : m_Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666))
{
  ThrowIf(m_Descriptor < 0, std::strerror(errno));
}

OutputFile::~OutputFile()
{
  if (m_Descriptor >= 0)
  {
    ::close(m_Descriptor);
  }
}

void
OutputFile::WriteAt(std::uint64_t place, const void * bytes, std::size_t size)
{
  const auto * from = static_cast<const char *>(bytes);
  while (size > 0)
  {
    const ::ssize_t written = ::pwrite(m_Descriptor, from, size, static_cast<::off_t>(place));
    ThrowIf(written == 0 || (written < 0 && errno != EINTR),
            written == 0 ? "the system wrote nothing" : std::strerror(errno));
    const auto done = static_cast<std::size_t>(std::max<::ssize_t>(written, 0));
    from += done;
    size -= done;
    place += done;
  }
}

void
OutputFile::Close()
{
  const int descriptor = m_Descriptor;
  m_Descriptor = -1;
  const bool isClosed = ::close(descriptor) == 0;
  ThrowIf(!isClosed, std::strerror(errno));
}

} // namespace files

} // namespace brickccl
