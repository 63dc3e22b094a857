#include "BrickCCL/Host/AtomicFile.h"

#include "BrickCCL/Core/Error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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

/** A new folder. It is removed with all that is left in it when this object dies. */
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
    std::string name = (FolderOf(target) / ".brickccl-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
    {
      throw Error("cannot write '" + target.string() + "': " + std::strerror(errno));
    }
    m_Path = name;
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder & operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder()
  {
    std::error_code ignored;
    fs::remove_all(m_Path, ignored);
  }

  const fs::path &
  Path() const
  {
    return m_Path;
  }

private:
  fs::path m_Path;
};

/** Asks the system to put a file's bytes, or a folder's names, on the disk. A late write error shows here. */
void
Flush(const fs::path & file)
{
  const int descriptor = ::open(file.c_str(), O_RDONLY);
  // Some file systems have nothing to do for folders and say so by EINVAL.
  const bool flushed = descriptor >= 0 && (::fsync(descriptor) == 0 || errno == EINVAL);
  const int  reason = errno;
  if (descriptor >= 0)
  {
    ::close(descriptor);
  }
  if (!flushed)
  {
    throw Error("cannot write '" + file.filename().string() + "': " + std::strerror(reason));
  }
}

/** \throws Error if the disk is full now: some writers of image formats ignore a failed write. */
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
  Flush(probe);
  fs::remove(probe);
}

} // namespace

void
ReplaceFile(const std::string & path, const std::function<void(const std::string &)> & write)
{
  const fs::path        target = Resolved(path);
  const TemporaryFolder folder(target);
  // Writers choose the format by the name of the file.
  const fs::path temporary = folder.Path() / fs::path(path).filename();
  write(temporary.string());
  if (!fs::exists(temporary))
  {
    throw Error("cannot write '" + path + "': nothing was written");
  }
  CheckRoomIsLeft(folder.Path(), target);
  std::vector<fs::path> files;
  for (const auto & entry : fs::directory_iterator(folder.Path()))
  {
    Flush(entry.path());
    if (entry.path() != temporary)
    {
      files.push_back(entry.path());
    }
  }
  files.push_back(temporary);
  for (const fs::path & file : files)
  {
    std::error_code failure;
    fs::rename(file, file == temporary ? target : FolderOf(target) / file.filename(), failure);
    if (failure)
    {
      throw Error("cannot write '" + path + "': " + failure.message());
    }
  }
  Flush(FolderOf(target));
}

void
ReplaceTextFile(const std::string & path, const std::function<void(std::ostream &)> & write)
{
  ReplaceFile(path, [&](const std::string & temporary) {
    std::ofstream stream(temporary, std::ios::binary);
    write(stream);
    stream.close();
    if (!stream)
    {
      throw Error("cannot write '" + path + "': " + std::strerror(errno));
    }
  });
}

void
CheckWritable(const std::string & path)
{
  TemporaryFolder folder{ Resolved(path) };
}

} // namespace brickccl
