// SPDX-License-Identifier: Apache-2.0
// The calls of Windows for files. The calls of POSIX are in SystemFiles.cxx.
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Disk/FileStamp.h"
#include "BrickCCL/Files/Disk/FlushDisk.h"
#include "BrickCCL/Files/Disk/MappedFiles.h"
#include "BrickCCL/Files/Disk/OutputFile.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#ifndef NOMINMAX
#  define NOMINMAX
#endif
#include <windows.h>
// These need windows.h before them.
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

namespace brickccl
{

namespace fs = std::filesystem;

namespace
{

std::error_code
LastFailure()
{
  return { static_cast<int>(GetLastError()), std::system_category() };
}

constexpr DWORD ShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/** An open file or folder, which other programs may use as well. */
class OpenFile
{
public:
  OpenFile(const fs::path & path, DWORD access, DWORD flags)
    : m_Handle(CreateFileW(path.c_str(), access, ShareAll, nullptr, OPEN_EXISTING, flags, nullptr))
  {}
  OpenFile(const OpenFile &) = delete;
  OpenFile & operator=(const OpenFile &) = delete;
  ~OpenFile()
  {
    if (IsOpen())
    {
      CloseHandle(m_Handle);
    }
  }
  bool
  IsOpen() const
  {
    return m_Handle != INVALID_HANDLE_VALUE;
  }
  HANDLE
  Handle() const
  {
    return m_Handle;
  }

private:
  HANDLE m_Handle;
};

} // namespace

fs::path
MakeNewFolder(const fs::path & start)
{
  // The number makes the names of one process unique. If a name exists, a killed process left it.
  static std::atomic<unsigned> made{ 0 };
  for (;;)
  {
    fs::path path = start;
    path += std::to_string(GetCurrentProcessId()) + "-" + std::to_string(made++);
    // The runtime library lists another folder where a path is longer, and std::filesystem::remove_all never ends then.
    constexpr std::size_t longest = 240;
    if (fs::absolute(path).native().size() > longest)
    {
      throw std::system_error(ERROR_FILENAME_EXCED_RANGE, std::system_category());
    }
    if (CreateDirectoryW(path.c_str(), nullptr) != 0)
    {
      return path;
    }
    if (GetLastError() != ERROR_ALREADY_EXISTS)
    {
      throw std::system_error(LastFailure());
    }
  }
}

void
FlushFile(const fs::path & file)
{
  const OpenFile open(file, GENERIC_WRITE, 0);
  if (!open.IsOpen() || FlushFileBuffers(open.Handle()) == 0)
  {
    throw std::system_error(LastFailure());
  }
}

// Windows puts names on the disk by itself.
void
FlushNames(const fs::path &)
{}

std::error_code
MoveOver(const fs::path & file, const fs::path & place)
{
  // Programs that look at every new file, such as scanners for viruses, keep it open for a moment.
  constexpr int maximumAttempts = 20;
  for (int attempt = 1;; ++attempt)
  {
    if (MoveFileExW(file.c_str(), place.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0)
    {
      return {};
    }
    const std::error_code failure = LastFailure();
    const bool mayPass = failure.value() == ERROR_SHARING_VIOLATION || failure.value() == ERROR_ACCESS_DENIED;
    if (!mayPass || attempt == maximumAttempts)
    {
      return failure;
    }
    constexpr DWORD milliseconds = 25;
    Sleep(milliseconds);
  }
}

// Windows takes the memory of mapped files back by itself.
void
ForgetMapped(const void *, std::size_t)
{}

namespace files
{

std::shared_ptr<const void>
MapFile(const std::string & path, std::size_t & size)
{
  std::error_code ignored;
  ThrowIf(fs::is_directory(path, ignored), NotARegularFile);
  const OpenFile file(path, GENERIC_READ, 0);
  if (!file.IsOpen())
  {
    const std::error_code failure = LastFailure();
    throw Error(failure == std::errc::no_such_file_or_directory ? "there is no such file" : failure.message());
  }
  LARGE_INTEGER bytes = {};
  if (GetFileType(file.Handle()) != FILE_TYPE_DISK || GetFileSizeEx(file.Handle(), &bytes) == 0)
  {
    throw Error(NotARegularFile);
  }
  size = static_cast<std::size_t>(bytes.QuadPart);
  if (size == 0)
  {
    return {};
  }
  HANDLE const       mapping = CreateFileMappingW(file.Handle(), nullptr, PAGE_READONLY, 0, 0, nullptr);
  const void * const memory = mapping == nullptr ? nullptr : MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
  const auto         failure = LastFailure();
  if (mapping != nullptr)
  {
    CloseHandle(mapping);
  }
  if (memory == nullptr)
  {
    throw Error(failure.message());
  }
  return { memory, [](const void * mapped) { UnmapViewOfFile(mapped); } };
}

FileStamp
FileStamp::Of(const std::string & path)
{
  FileStamp       stamp{ path };
  const OpenFile  file(path, FILE_READ_ATTRIBUTES, FILE_FLAG_BACKUP_SEMANTICS);
  FILE_BASIC_INFO times = {};
  LARGE_INTEGER   bytes = {};
  if (file.IsOpen() && GetFileInformationByHandleEx(file.Handle(), FileBasicInfo, &times, sizeof(times)) != 0 &&
      (times.FileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0 && GetFileSizeEx(file.Handle(), &bytes) != 0)
  {
    // They are counted in 100 ns since 1601.
    constexpr std::int64_t until1970 = 116444736000000000;
    stamp.isThere = true;
    stamp.size = static_cast<std::uint64_t>(bytes.QuadPart);
    stamp.time = (times.LastWriteTime.QuadPart - until1970) * 100;
    stamp.statusChange = (times.ChangeTime.QuadPart - until1970) * 100;
  }
  return stamp;
}

OutputFile::OutputFile(const std::string & path)
  : m_Descriptor(::_wopen(fs::path(path).c_str(),
                          _O_WRONLY | _O_CREAT | _O_TRUNC | _O_BINARY | _O_NOINHERIT,
                          _S_IREAD | _S_IWRITE))
{
  if (m_Descriptor < 0)
  {
    throw Error(std::strerror(errno));
  }
}

OutputFile::~OutputFile()
{
  if (m_Descriptor >= 0)
  {
    ::_close(m_Descriptor);
  }
}

void
OutputFile::WriteAt(std::uint64_t place, const void * bytes, std::size_t size)
{
  HANDLE const file = reinterpret_cast<HANDLE>(::_get_osfhandle(m_Descriptor));
  const auto * from = static_cast<const char *>(bytes);
  while (size > 0)
  {
    OVERLAPPED at = {};
    at.Offset = static_cast<DWORD>(place);
    at.OffsetHigh = static_cast<DWORD>(place >> 32);
    const auto part = static_cast<DWORD>(std::min(size, std::size_t{ 1 } << 30));
    DWORD      written = 0;
    if (WriteFile(file, from, part, &written, &at) == 0 || written == 0)
    {
      throw Error(written == 0 && GetLastError() == 0 ? "the system wrote nothing" : LastFailure().message());
    }
    from += written;
    size -= written;
    place += written;
  }
}

void
OutputFile::Close()
{
  const int descriptor = m_Descriptor;
  m_Descriptor = -1;
  if (::_close(descriptor) != 0)
  {
    throw Error(std::strerror(errno));
  }
}

} // namespace files

} // namespace brickccl
