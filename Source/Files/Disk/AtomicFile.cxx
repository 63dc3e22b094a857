// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Disk/AtomicFile.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Isolation/EndAtInterrupt.h"
#include "BrickCCL/Files/Disk/FlushDisk.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Files/Disk/TemporaryFolder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
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
  fs::path        resolved = path;
  std::error_code failure;
  for (int links = 0; fs::is_symlink(fs::symlink_status(resolved, failure)); ++links)
  {
    ThrowIf(links == 40, "cannot write " + Quoted(path.string()) + ": its symbolic links form a circle");
    const fs::path next = fs::read_symlink(resolved);
    resolved = next.is_absolute() ? next : resolved.parent_path() / next;
  }
  return resolved;
}

/** \throws Error that names the file unless a file may take its place. */
void
CheckReplaceable(const fs::path & target)
{
  ThrowIf(fs::is_directory(target), "cannot write " + Quoted(target.string()) + ": it is a folder");
  ThrowIf(fs::exists(target) && !fs::is_regular_file(target),
          "cannot write " + Quoted(target.string()) + ": it is not a regular file (but a pipe or a device)");
}

/** A new folder next to a file that is to be replaced. \throws Error with the reason if this is impossible. */
std::unique_ptr<TemporaryFolder>
FolderBeside(const fs::path & target)
{
  try
  {
    return std::make_unique<TemporaryFolder>(FolderOf(target));
  }
  catch (const std::system_error & failure)
  {
    std::error_code ignored;
    throw Error("cannot write " + Quoted(target.string()) + ": " +
                (fs::exists(FolderOf(target), ignored)
                   ? failure.code().message()
                   : "the folder " + Quoted(FolderOf(target).string()) + " does not exist"));
  }
}

/** Calls FlushFile or FlushNames. \throws Error that names the file or folder. */
template <typename TFlush>
void
Flush(const fs::path & file, const fs::path & name, TFlush flush)
{
  try
  {
    flush(file);
  }
  catch (const std::system_error & failure)
  {
    throw Error("cannot write " + Quoted(name.string()) + ": " + failure.code().message());
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
    ThrowIf(failure.value() != 0,
            "cannot write " + Quoted(replaced.string()) + ": its mode cannot be kept: " + failure.message());
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
  ThrowIf(!stream, "cannot write " + Quoted(target.string()) + ": " + std::strerror(errno));
  fs::remove(probe);
}

/** A file that is written and waits to be moved, with its companion files. */
class Replacement
{
public:
  /** What is replaced, and where the new files are and belong. */
  const fs::path                             target;
  std::vector<std::pair<fs::path, fs::path>> files;

  explicit Replacement(const std::string & path)
    : target(Resolved(path))
    , m_Path(path)
  {
    CheckReplaceable(target);
  }

  /** Has the files written into a folder of their own. */
  void
  Write(const std::function<void(const std::string &)> & write, const fs::path & folder)
  {
    // Writers choose the format by the file's name, so the temporary file has the same name.
    const fs::path temporary = folder / fs::path(m_Path).filename();
    write(temporary.string());
    ThrowIf(!fs::exists(temporary), "cannot write " + Quoted(m_Path) + ": nothing was written");
    CheckRoomIsLeft(folder, target);
    for (const auto & entry : fs::directory_iterator(folder))
    {
      const bool     isItself = entry.path() == temporary;
      const fs::path place = isItself ? target : FolderOf(target) / entry.path().filename();
      KeepMode(place, entry.path());
      // The data files of a header go before it.
      files.insert(isItself ? files.end() : files.begin(), { entry.path(), place });
    }
  }

  /** Moves the files to a folder that others share. \param number  of the files in it */
  void
  MoveInto(const fs::path & folder, std::size_t & number)
  {
    for (auto & [file, place] : files)
    {
      const fs::path        shared = folder / std::to_string(number++);
      const std::error_code failure = MoveOver(file, shared);
      ThrowIf(failure.value() != 0, "cannot write " + Quoted(m_Path) + ": " + failure.message());
      file = shared;
    }
  }

  /** Keeps what the files replace, as far as the system has links, so that MoveBack can undo Move. */
  void
  KeepOld()
  {
    for (const auto & [file, place] : files)
    {
      std::error_code failure;
      const fs::path  old = file.string() + "-old";
      const bool      isNew = !fs::exists(place, failure);
      if (!isNew)
      {
        fs::create_hard_link(place, old, failure);
      }
      m_Kept.push_back({ place, isNew || failure ? fs::path() : old, isNew, false });
    }
  }

  void
  Move()
  {
    for (std::size_t i = 0; i < files.size(); ++i)
    {
      const std::error_code failure = MoveOver(files[i].first, files[i].second);
      ThrowIf(failure.value() != 0, "cannot write " + Quoted(m_Path) + ": " + failure.message());
      if (i < m_Kept.size())
      {
        m_Kept[i].isMoved = true;
      }
    }
  }

  /** Puts back what was there before, as far as the system keeps it. */
  void
  MoveBack()
  {
    for (const Kept & kept : m_Kept)
    {
      std::error_code ignored;
      if (kept.isMoved && kept.isNew)
      {
        fs::remove(kept.place, ignored);
      }
      else if (kept.isMoved && !kept.old.empty())
      {
        MoveOver(kept.old, kept.place);
      }
    }
    m_Kept.clear();
  }

private:
  /** The former contents of a path. */
  struct Kept
  {
    fs::path place;
    /** A link to what is replaced; empty if there is nothing, or the file system has no links. */
    fs::path old;
    bool     isNew;
    bool     isMoved;
  };

  std::string       m_Path;
  std::vector<Kept> m_Kept;
};

using Replacements = std::vector<std::unique_ptr<Replacement>>;

/** Moves all files into place, or none: an interrupt comes before all or after all.
 *  \throws Canceled for an earlier interrupt, if interrupts are enabled. */
void
MoveAll(const Replacements & replacements, bool hearsInterrupts)
{
  std::vector<std::pair<fs::path, fs::path>> files;
  std::set<fs::path>                         folders;
  for (const auto & replacement : replacements)
  {
    files.insert(files.end(), replacement->files.begin(), replacement->files.end());
    folders.insert(FolderOf(replacement->target));
  }
  const auto checkInterrupt = [hearsInterrupts] {
    if (hearsInterrupts && WasInterrupted())
    {
      throw Canceled();
    }
  };
  // That is done after all are written: many files whose bytes are on the disk take long to remove if one fails.
  ForEachOnDisk(files.size(), [&](std::size_t i) {
    checkInterrupt();
    Flush(files[i].first, files[i].second.filename(), FlushFile);
  });
  const auto held = HoldOffEnd();
  checkInterrupt();
  try
  {
    if (files.size() > 1)
    {
      for (const auto & replacement : replacements)
      {
        replacement->KeepOld();
      }
    }
    // A kill between two of these moves leaves some of the old files: nothing slow is done here.
    for (const auto & replacement : replacements)
    {
      replacement->Move();
    }
    for (const fs::path & folder : folders)
    {
      Flush(folder, folder, FlushNames);
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
  std::map<fs::path, std::unique_ptr<TemporaryFolder>> folders;
  std::size_t                                          number = 0;
  /** How many are being written: a writer may replace other files. */
  int              depth = 0;
  Implementation * before = nullptr;

  void Write(std::unique_ptr<Replacement> replacement, const std::function<void(const std::string &)> & write);
};

/** Whether this thread writes files where they belong. */
static bool &
IsInPlace()
{
  thread_local bool isInPlace = false;
  return isInPlace;
}

/** Writes files where they belong. If that fails, the caller handles what is left of the companion files. */
static void
WriteInPlace(const std::string & path, const std::function<void(const std::string &)> & write)
{
  try
  {
    write(path);
    ThrowIf(!fs::exists(path), "cannot write '" + path + "': nothing was written");
    CheckRoomIsLeft(FolderOf(path), path);
  }
  catch (...)
  {
    // It may fill the disk, so that the error cannot be stored.
    std::error_code ignored;
    fs::remove(path, ignored);
    throw;
  }
}

/** The innermost one of this thread. */
static ReplacedTogether::Implementation *&
TogetherOnThread()
{
  thread_local ReplacedTogether::Implementation * together = nullptr;
  return together;
}

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

WrittenInPlace::WrittenInPlace()
  : m_Before(std::exchange(IsInPlace(), true))
{}

WrittenInPlace::~WrittenInPlace()
{
  IsInPlace() = m_Before;
}

void
ReplacedTogether::Implementation::Write(std::unique_ptr<Replacement>                     replacement,
                                        const std::function<void(const std::string &)> & write)
{
  std::unique_ptr<TemporaryFolder> & folder = folders[FolderOf(replacement->target)];
  if (!folder)
  {
    folder = FolderBeside(replacement->target);
  }
  // It stays for the next file: some systems take long to remove folders.
  const fs::path  where = folder->Path() / ("new-" + std::to_string(depth));
  std::error_code failure;
  fs::create_directory(where, failure);
  ThrowIf(failure.value() != 0, "cannot write " + Quoted(replacement->target.string()) + ": " + failure.message());
  ++depth;
  try
  {
    replacement->Write(write, where);
    replacement->MoveInto(folder->Path(), number);
  }
  catch (...)
  {
    --depth;
    RemoveFolder(where.string());
    throw;
  }
  --depth;
  waiting.push_back(std::move(replacement));
}

void
ReplaceFile(const std::string & path, const std::function<void(const std::string &)> & write)
{
  if (IsInPlace())
  {
    WriteInPlace(path, write);
    return;
  }
  auto replacement = std::make_unique<Replacement>(path);
  if (ReplacedTogether::Implementation * const together = TogetherOnThread())
  {
    together->Write(std::move(replacement), write);
    return;
  }
  const std::unique_ptr<TemporaryFolder> folder = FolderBeside(replacement->target);
  replacement->Write(write, folder->Path());
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
    ThrowIf(!stream, "cannot write " + Quoted(path) + ": " + std::strerror(errno));
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
  const fs::path target = Resolved(path);
  CheckReplaceable(target);
  FolderBeside(target);
}

} // namespace brickccl
