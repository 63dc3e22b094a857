// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/BatchFolder.h"

#include "BrickCCL/Batch/FileHash.h"
#include "BrickCCL/Batch/ProcessItem.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Files/Disk/FlushDisk.h"
#include "BrickCCL/Files/ErrorContext.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>

namespace brickccl::batch
{

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/** Calls `function`, and turns errors of the file system into ones with a sentence. */
template <typename TFunction>
static void
OnDisk(const std::string & path, TFunction && function)
{
  try
  {
    function();
  }
  catch (const std::system_error & error)
  {
    throw WriteError("cannot write " + Quoted(path) + ": " + error.code().message());
  }
}

/** Whether a file is as described; bytes decide if only the stamp differs. \param stamp  null if not known. */
static bool
IsUnchanged(const ordered_json & described, const ordered_json & stamp)
{
  const std::string path = described.at("path");
  std::error_code   failure;
  const auto        size = fs::file_size(path, failure);
  return !failure && size == described.at("bytes").get<std::uintmax_t>() &&
         ((!stamp.is_null() && stamp == StampOf(path)) || DescribeFile(path, path) == described);
}

static ordered_json
ReadJson(const std::string & path)
{
  return ordered_json::parse(ReadText(path));
}

/** \throws Error for a changed file of an item's folder. */
static void
CheckOutputs(const std::string & folder, const ordered_json & outputs)
{
  for (const ordered_json & output : outputs)
  {
    const std::string name = output.at("path");
    const std::string path = (fs::path(folder) / name).string();
    std::error_code   failure;
    ThrowIf(!fs::is_regular_file(path, failure), "its " + Quoted(name) + " is gone");
    ThrowIf(DescribeFile(path, name) != output, "its " + Quoted(name) + " was changed");
  }
}

static bool
HasOtherInput(const BatchItem & item, const ordered_json & summary, const ordered_json & stamps)
{
  std::set<std::string> files(item.found.files.begin(), item.found.files.end());
  bool                  changed = summary.at("item") != item.name;
  for (const ordered_json & file : summary.at("input").at("files"))
  {
    const std::string name = file.at("path");
    files.erase(name);
    changed = changed || !IsUnchanged(file, stamps.contains(name) ? stamps[name] : ordered_json());
  }
  return changed || !files.empty();
}

bool
IsOfBatch(const std::string & folder)
{
  std::error_code failure;
  if (fs::exists(fs::path(folder) / StateFolder, failure))
  {
    return true;
  }
  const fs::path items = fs::path(folder) / "items";
  if (!fs::exists(fs::path(folder) / "recipe.toml", failure) || !fs::is_directory(items, failure))
  {
    return false;
  }
  // A batch that was stopped may have no manifest yet.
  bool isOfBatch = fs::exists(fs::path(folder) / "manifest.json", failure);
  for (fs::directory_iterator item(items, failure); !failure && !isOfBatch && item != fs::directory_iterator();
       item.increment(failure))
  {
    isOfBatch = fs::exists(item->path() / SummaryFile, failure) && fs::exists(item->path() / "defects.csv", failure);
  }
  return isOfBatch;
}

BatchFolder::BatchFolder(const std::string & path, const Recipe & recipe, bool resume)
  : m_Path(path)
  , m_Recipe(recipe)
{
  const bool isThere = fs::exists(fs::path(path) / StateFolder);
  ThrowIf(!isThere && IsOfBatch(path),
          Quoted(path) + " holds the results of a batch, but its folder '" + StateFolder +
            "' with the list of finished items is missing (it is hidden); copy '" + StateFolder +
            "' as well, or choose a new folder");
  ThrowIf(!isThere && fs::exists(path) && (!fs::is_directory(path) || !fs::is_empty(path)),
          Quoted(path) + " exists and is not the folder of a batch; choose a new or empty folder");
  OnDisk(path, [&] { fs::create_directories(fs::path(path) / StateFolder); });
  files::WithContext("another batch seems to be running in " + Quoted(path) + ": ",
                     [&] { m_Lock = std::make_unique<FolderLock>(PathOf(".batch/lock")); });
  const bool hasRecipe = fs::exists(PathOf("recipe.toml"));
  ThrowIf(hasRecipe && !resume, Quoted(path) + " holds a batch; continue it with --resume, or choose another folder");
  ThrowIf(hasRecipe && ReadText(PathOf("recipe.toml")) != recipe.text,
          "the recipe is not the one that " + Quoted(path) +
            " was begun with (recipe.toml there); use that recipe, or choose another folder");
  OnDisk(path, [&] {
    fs::create_directories(PathOf("items"));
    fs::create_directories(PathOf(".batch/done"));
    fs::remove_all(PathOf(".batch/unfinished"));
    fs::create_directories(PathOf(".batch/unfinished"));
  });
  ReplaceTextFile(PathOf("recipe.toml"), [&](std::ostream & stream) { stream << recipe.text; });
}

std::string
BatchFolder::PathOf(const std::string & file) const
{
  return (fs::path(m_Path) / file).string();
}

void
BatchFolder::CheckItems(const std::vector<BatchItem> & items) const
{
  const auto                  names = Mapped(items, [](const BatchItem & item) { return item.folder; });
  const std::set<std::string> folders(names.begin(), names.end());
  for (const auto & entry : fs::directory_iterator(PathOf("items")))
  {
    const std::string name = entry.path().filename().string();
    ThrowIf(folders.count(name) == 0,
            Quoted(m_Path) + " holds the results of " + Quoted(name) +
              ", which is not among the inputs now; give the same inputs, or choose another folder");
  }
}

std::optional<ItemOutcome>
BatchFolder::FinishedItem(const BatchItem & item, std::string & reason) const
{
  const std::string folder = PathOf("items/" + item.folder);
  const std::string done = PathOf(".batch/done/" + item.folder + ".json");
  reason.clear();
  if (!fs::exists(folder))
  {
    return std::nullopt;
  }
  try
  {
    ItemOutcome        outcome;
    const ordered_json state = ReadJson(done);
    const auto         version = state.value("brickccl", std::string());
    ThrowIf(version != Version,
            "it was made by " + (version.empty() ? "an earlier version" : "version " + version) + ", and this is " +
              Version);
    CheckOutputs(folder, state.at("outputs"));
    outcome.summary = ReadJson((fs::path(folder) / SummaryFile).string());
    ThrowIf(state.at("outputs").size() != outcome.summary.at("outputs").size() + 1, Quoted(done) + " is damaged");
    outcome.seconds = state.at("seconds").get<std::map<std::string, double>>();
    ThrowIf(HasOtherInput(item, outcome.summary, state.at("stamps")), "its input has changed");
    return outcome;
  }
  catch (const ordered_json::exception &)
  {
    reason = Quoted(done) + " is damaged";
  }
  catch (const Error & error)
  {
    reason = error.what();
  }
  return std::nullopt;
}

bool
BatchFolder::RemoveStale(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const
{
  bool hadReport = false;
  if (!TellsOf(items, outcomes))
  {
    OnDisk(m_Path, [&] {
      hadReport = fs::remove(PathOf("report.html"));
      for (const char * const file :
           { "report.pdf", "report.xlsx", "record.json", "manifest.json", "items.csv", "defects.csv", "timings.csv" })
      {
        fs::remove(PathOf(file));
      }
    });
  }
  for (std::size_t i = 0; i < items.size(); ++i)
  {
    if (!outcomes[i].IsFinished())
    {
      RemoveItem(items[i]);
    }
  }
  return hadReport;
}

void
BatchFolder::RemoveItem(const BatchItem & item) const
{
  const std::string folder = PathOf("items/" + item.folder);
  const std::string removed = PathOf(".batch/unfinished/" + item.folder + ".before");
  OnDisk(folder, [&] {
    if (fs::exists(folder))
    {
      // It goes as a whole, so that no half of it is taken for an item.
      fs::rename(folder, removed);
      fs::remove_all(removed);
    }
    fs::remove(PathOf(".batch/done/" + item.folder + ".json"));
  });
}

void
BatchFolder::BeginItem(const BatchItem & item) const
{
  const std::string folder = PathOf(".batch/unfinished/" + item.folder);
  OnDisk(folder, [&] {
    fs::remove_all(folder);
    fs::create_directories(folder);
  });
}

ItemOutcome
BatchFolder::UnfinishedItem(const BatchItem & item) const
{
  const fs::path folder = PathOf(".batch/unfinished/" + item.folder);
  ItemOutcome    outcome;
  outcome.summary = ReadJson((folder / SummaryFile).string());
  outcome.seconds = ReadJson((folder / StateFile).string()).at("seconds");
  return outcome;
}

void
BatchFolder::FinishItems(const std::vector<const BatchItem *> & items) const
{
  const auto unfinished = [&](const BatchItem & item) { return PathOf(".batch/unfinished/" + item.folder); };
  const auto folders = Mapped(items, [&](const BatchItem * item) { return unfinished(*item); });
  OnDisk(PathOf("items"), [&] { FlushFolders(folders); });
  for (const BatchItem * const item : items)
  {
    const std::string to = PathOf("items/" + item->folder);
    // An item without its state is not finished, so the state goes first.
    OnDisk(to, [&] {
      fs::rename(fs::path(unfinished(*item)) / StateFile, PathOf(".batch/done/" + item->folder + ".json"));
      fs::rename(unfinished(*item), to);
    });
  }
}

void
BatchFolder::DropItem(const BatchItem & item) const
{
  std::error_code ignored;
  fs::remove_all(PathOf(".batch/unfinished/" + item.folder), ignored);
}

void
BatchFolder::Log(const std::string & text) const
{
  const std::time_t  now = std::time(nullptr);
  std::ostringstream time;
  time << std::put_time(std::gmtime(&now), "%Y-%m-%dT%H:%M:%SZ");
  std::ofstream stream(fs::path(PathOf("log.txt")), std::ios::binary | std::ios::app);
  stream << time.str() << ' ' << OneLine(text) << '\n';
  stream.close();
  ThrowIf<WriteError>(!stream, "cannot write " + Quoted(PathOf("log.txt")) + "; is the disk full?");
}

} // namespace brickccl::batch
