#include "BrickCCL/Host/AtomicFile.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/EndAtInterrupt.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

#ifdef _WIN32
#  ifndef NOMINMAX
#    define NOMINMAX
#  endif
#  include <windows.h>
// windows.h has a macro of that name.
#  undef ReplaceFile
#else
#  include <fcntl.h>
#  include <stdlib.h>
#  include <unistd.h>
#endif

namespace brickccl
{

namespace fs = std::filesystem;

namespace
{

fs::path
FolderOf(const fs::path & path)
{
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/** The file that a symbolic link points at, or the path itself. */
fs::path
Resolved(const fs::path & path)
{
  fs::path resolved = path;
  for (int links = 0; fs::is_symlink(fs::symlink_status(resolved)); ++links)
  {
    if (links == 40)
    {
      throw Error("cannot write '" + path.string() + "': its symbolic links form a circle");
    }
    const fs::path next = fs::read_symlink(resolved);
    resolved = next.is_absolute() ? next : resolved.parent_path() / next;
  }
  return resolved;
}

#ifdef _WIN32

/** Makes a folder of a new name that begins with `start`. \throws std::system_error. */
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

/** Asks the system to put a file's bytes on the disk. Late write errors show here. */
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

/** Does nothing: Windows puts names on the disk by itself. */
void
FlushNames(const fs::path &)
{}

#else

/** Makes a folder of a new name that begins with `start`. \throws std::system_error. */
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

/** Asks the system to put a file's bytes, or a folder's names, on the disk. Late write errors show here. */
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

/** A new folder. It is removed with everything in it when this object is destroyed. */
class TemporaryFolder
{
public:
  explicit TemporaryFolder(const fs::path & target)
  {
    if (fs::is_directory(target))
    {
      throw Error("cannot write '" + target.string() + "': it is a folder");
    }
    if (fs::exists(target) && !fs::is_regular_file(target))
    {
      throw Error("cannot write '" + target.string() + "': it is no file of a disk (a pipe or a device)");
    }
    try
    {
      m_Path = MakeNewFolder(FolderOf(target) / ".brickccl-");
      m_Undone.emplace([this] { RemoveFolder(m_Path.string()); });
    }
    catch (const std::system_error & failure)
    {
      throw Error("cannot write '" + target.string() + "': " + failure.code().message());
    }
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder & operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder()
  {
    RemoveFolder(m_Path.string());
  }

  const fs::path &
  Path() const
  {
    return m_Path;
  }

private:
  fs::path                         m_Path;
  std::optional<UndoneAtInterrupt> m_Undone;
};

/** Calls FlushFile or FlushNames. \throws Error that names the file. */
template <typename TFlush>
void
Flush(const fs::path & file, TFlush flush)
{
  try
  {
    flush(file);
  }
  catch (const std::system_error & failure)
  {
    throw Error("cannot write '" + file.filename().string() + "': " + failure.code().message());
  }
}

/** Gives a file the mode of the one that it replaces, if there is one. */
void
KeepMode(const fs::path & replaced, const fs::path & file)
{
  std::error_code       failure;
  const fs::file_status status = fs::status(replaced, failure);
  if (fs::is_regular_file(status))
  {
    fs::permissions(file, status.permissions(), failure);
    if (failure)
    {
      throw Error("cannot write '" + replaced.string() + "': its mode cannot be kept: " + failure.message());
    }
  }
}

/** \throws Error if the disk is full now. The check is there because some writers of image formats ignore a failed
 *  write. */
void
CheckRoomIsLeft(const fs::path & folder, const fs::path & target)
{
  const fs::path          probe = folder / "probe";
  const std::vector<char> block(4096, 1);
  std::ofstream           stream(probe, std::ios::binary);
  stream.write(block.data(), static_cast<std::streamsize>(block.size()));
  stream.close();
  if (!stream)
  {
    throw Error("cannot write '" + target.string() + "': " + std::strerror(errno));
  }
  Flush(probe, FlushFile);
  fs::remove(probe);
}

} // namespace

void
ReplaceFile(const std::string & path, const std::function<void(const std::string &)> & write)
{
  const fs::path        target = Resolved(path);
  const TemporaryFolder folder(target);
  // Writers choose the format by the file's name, so the temporary file has the same name.
  const fs::path temporary = folder.Path() / fs::path(path).filename();
  write(temporary.string());
  if (!fs::exists(temporary))
  {
    throw Error("cannot write '" + path + "': nothing was written");
  }
  CheckRoomIsLeft(folder.Path(), target);
  const auto placeOf = [&](const fs::path & file) {
    return file == temporary ? target : FolderOf(target) / file.filename();
  };
  std::vector<fs::path> files;
  for (const auto & entry : fs::directory_iterator(folder.Path()))
  {
    Flush(entry.path(), FlushFile);
    KeepMode(placeOf(entry.path()), entry.path());
    if (entry.path() != temporary)
    {
      files.push_back(entry.path());
    }
  }
  files.push_back(temporary);
  const auto held = HoldOffEnd();
  for (const fs::path & file : files)
  {
    std::error_code failure;
    fs::rename(file, placeOf(file), failure);
    if (failure)
    {
      throw Error("cannot write '" + path + "': " + failure.message());
    }
  }
  Flush(FolderOf(target), FlushNames);
}

void
ReplaceTextFile(const std::string & path, const std::function<void(std::ostream &)> & write)
{
  ReplaceFile(path, [&](const std::string & temporary) {
    std::ofstream stream(fs::path(temporary), std::ios::binary);
    write(stream);
    stream.close();
    if (!stream)
    {
      throw Error("cannot write '" + path + "': " + std::strerror(errno));
    }
  });
}

std::string
ReplacedFile(const std::string & path)
{
  return Resolved(path).string();
}

void
CheckWritable(const std::string & path)
{
  TemporaryFolder folder{ Resolved(path) };
}

} // namespace brickccl
