#include "BrickCCL/Host/AtomicFile.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/EndAtInterrupt.h"
#include "BrickCCL/Host/FlushDisk.h"
#include "BrickCCL/Host/System.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

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
    m_Undone->Undo();
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

/** A file that is written and waits for its place, with those that were written beside it. */
class Replacement
{
public:
  explicit Replacement(const std::string & path)
    : m_Path(path)
    , m_Target(Resolved(path))
    , m_Folder(std::make_shared<TemporaryFolder>(m_Target))
  {}

  /** Has the files written. */
  void
  Write(const std::function<void(const std::string &)> & write)
  {
    // Writers choose the format by the file's name, so the temporary file has the same name.
    const fs::path temporary = m_Folder->Path() / fs::path(m_Path).filename();
    write(temporary.string());
    if (!fs::exists(temporary))
    {
      throw Error("cannot write '" + m_Path + "': nothing was written");
    }
    CheckRoomIsLeft(m_Folder->Path(), m_Target);
    for (const auto & entry : fs::directory_iterator(m_Folder->Path()))
    {
      const bool     isItself = entry.path() == temporary;
      const fs::path place = isItself ? m_Target : FolderOf(m_Target) / entry.path().filename();
      KeepMode(place, entry.path());
      // The data files of a header go before it.
      m_Files.insert(isItself ? m_Files.end() : m_Files.begin(), { entry.path(), place });
    }
  }

  const fs::path &
  Target() const
  {
    return m_Target;
  }

  /** Leaves the files to a folder that others share, so that thousands are removed in a moment.
   *  \param number  of the files in it */
  void
  MoveInto(const std::shared_ptr<TemporaryFolder> & folder, std::size_t & number)
  {
    for (auto & [file, place] : m_Files)
    {
      const fs::path  shared = folder->Path() / std::to_string(number++);
      std::error_code failure;
      fs::rename(file, shared, failure);
      if (failure)
      {
        throw Error("cannot write '" + m_Path + "': " + failure.message());
      }
      file = shared;
    }
    m_Folder = folder;
  }

  std::size_t
  FileCount() const
  {
    return m_Files.size();
  }

  /** Where the files lie. */
  fs::path
  Folder() const
  {
    return m_Folder->Path();
  }

  /** Puts the bytes of the files on the disk. */
  void
  FlushFiles() const
  {
    for (const auto & [file, place] : m_Files)
    {
      try
      {
        FlushFile(file);
      }
      catch (const std::system_error & failure)
      {
        throw Error("cannot write '" + place.filename().string() + "': " + failure.code().message());
      }
    }
  }

  /** Moves the files into place. \param keepsOld  keeps what they replace, so that MoveBack can undo it. */
  void
  Move(bool keepsOld)
  {
    for (const auto & [file, place] : m_Files)
    {
      std::error_code failure;
      const fs::path  old = file.string() + "-old";
      const bool      isNew = !fs::exists(place, failure);
      if (keepsOld && !isNew)
      {
        fs::create_hard_link(place, old, failure);
      }
      const bool isKept = keepsOld && !isNew && !failure;
      fs::rename(file, place, failure);
      if (failure)
      {
        throw Error("cannot write '" + m_Path + "': " + failure.message());
      }
      m_Moved.push_back({ place, isKept ? old : fs::path(), isNew });
    }
    Flush(FolderOf(m_Target), FlushNames);
  }

  /** Puts back what was there before, as far as the system keeps it. */
  void
  MoveBack()
  {
    for (const Moved & moved : m_Moved)
    {
      std::error_code ignored;
      if (moved.isNew)
      {
        fs::remove(moved.place, ignored);
      }
      else if (!moved.old.empty())
      {
        fs::rename(moved.old, moved.place, ignored);
      }
    }
    m_Moved.clear();
  }

private:
  struct Moved
  {
    fs::path place;
    /** A link to what it replaced; empty if there was nothing, or the file system has no links. */
    fs::path old;
    bool     isNew;
  };

  std::string                                m_Path;
  fs::path                                   m_Target;
  std::shared_ptr<TemporaryFolder>           m_Folder;
  std::vector<std::pair<fs::path, fs::path>> m_Files;
  std::vector<Moved>                         m_Moved;
};

using Replacements = std::vector<std::unique_ptr<Replacement>>;

/** Puts the bytes of all files on the disk. That is the last step before they move: many files whose bytes are there
 *  already take seconds to remove if the user interrupts. */
void
FlushAll(const Replacements & replacements, std::size_t files)
{
  // To flush one file after another would take seconds, too.
  constexpr std::size_t many = 32;
  std::set<fs::path>    folders;
  for (const auto & replacement : replacements)
  {
    folders.insert(replacement->Folder());
  }
  if (files > many && std::all_of(folders.begin(), folders.end(), FlushDiskOf))
  {
    return;
  }
  for (const auto & replacement : replacements)
  {
    replacement->FlushFiles();
  }
}

/** Moves all files into place, or none: an interrupt comes before all or after all.
 *  \throws Cancelled for one that came before, if it is heard. */
void
MoveAll(const Replacements & replacements, bool hearsInterrupts)
{
  std::size_t files = 0;
  for (const auto & replacement : replacements)
  {
    files += replacement->FileCount();
  }
  FlushAll(replacements, files);
  const auto held = HoldOffEnd();
  if (hearsInterrupts && WasInterrupted())
  {
    throw Cancelled();
  }
  try
  {
    for (const auto & replacement : replacements)
    {
      replacement->Move(files > 1);
    }
  }
  catch (...)
  {
    for (const auto & replacement : replacements)
    {
      replacement->MoveBack();
    }
    throw;
  }
}

} // namespace

struct ReplacedTogether::Implementation
{
  Replacements waiting;
  /** Where the files wait, by the folders that they go to, and how many there are. */
  std::map<fs::path, std::shared_ptr<TemporaryFolder>> folders;
  std::size_t                                          number = 0;
  Implementation *                                     before = nullptr;
};

namespace
{

/** The innermost one of this thread. */
ReplacedTogether::Implementation *&
TogetherOnThread()
{
  thread_local ReplacedTogether::Implementation * together = nullptr;
  return together;
}

} // namespace

ReplacedTogether::ReplacedTogether()
  : m_Implementation(std::make_unique<Implementation>())
{
  m_Implementation->before = std::exchange(TogetherOnThread(), m_Implementation.get());
}

ReplacedTogether::~ReplacedTogether()
{
  TogetherOnThread() = m_Implementation->before;
}

void
ReplacedTogether::Move()
{
  MoveAll(m_Implementation->waiting, true);
  m_Implementation->waiting.clear();
  m_Implementation->folders.clear();
}

void
ReplaceFile(const std::string & path, const std::function<void(const std::string &)> & write)
{
  auto replacement = std::make_unique<Replacement>(path);
  replacement->Write(write);
  if (ReplacedTogether::Implementation * const together = TogetherOnThread())
  {
    std::shared_ptr<TemporaryFolder> & folder = together->folders[FolderOf(replacement->Target())];
    if (!folder)
    {
      folder = std::make_shared<TemporaryFolder>(replacement->Target());
    }
    replacement->MoveInto(folder, together->number);
    together->waiting.push_back(std::move(replacement));
    return;
  }
  Replacements one;
  one.push_back(std::move(replacement));
  // Some jobs write what they have when they are interrupted.
  MoveAll(one, false);
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
