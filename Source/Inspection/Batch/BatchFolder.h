// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Files/FindImages.h"
#include "BrickCCL/Files/Isolation/ChildProcess.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::batch
{

/** The folder inside a batch's folder that lists the finished items. */
inline constexpr const char * StateFolder = ".batch";

/** Whether a folder holds the results of a batch, be it without its state, which copies may lack. */
bool IsOfBatch(const std::string & folder);

struct BatchItem
{
  /** Its name in tables and reports. */
  std::string name;
  /** Its folder below `items`. */
  std::string folder;
  FoundImage  found;
};

struct ItemOutcome
{
  /** The item's summary; null unless it is finished. */
  nlohmann::ordered_json summary;
  /** The seconds of its steps; null unless it is finished. */
  nlohmann::ordered_json seconds;
  /** Why it failed; empty unless it did. */
  std::string error;

  bool
  IsFinished() const
  {
    return !summary.is_null();
  }
};

/** The folder that a batch writes.
 *
 *      recipe.toml  items.csv  defects.csv  timings.csv  manifest.json  log.txt  report.html
 *      items/NAME/  labels.nrrd  defects.csv  picture.png  summary.json
 *      .batch/      lock  unfinished/  done/
 *
 *  An item's folder is moved to `items` when the item is finished. All files except timings.csv and log.txt depend
 *  only on the inputs, the recipe and the version. */
class BatchFolder
{
public:
  /** Makes the folder, or opens an existing batch's folder, and locks it. \throws Error if it holds other files, if
   *  another process works in it, if it holds results and `resume` is false, or if they belong to another recipe. */
  BatchFolder(const std::string & path, const Recipe & recipe, bool resume);

  const std::string &
  Path() const
  {
    return m_Path;
  }

  /** \throws Error if the folder has results of items that are not among these. */
  void CheckItems(const std::vector<BatchItem> & items) const;

  /** The outcome of an item that is finished and unchanged. \param reason  why not; empty if nothing is there */
  std::optional<ItemOutcome> FinishedItem(const BatchItem & item, std::string & reason) const;

  /** Removes the report and the tables if they do not match these outcomes, and then the results of items without an
   *  outcome: a run that is killed later leaves nothing that contradicts its items. \return whether a report was
   *  removed. */
  bool RemoveStale(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const;

  void BeginItem(const BatchItem & item) const;
  /** ProcessItem's files in the folder of an item. */
  ItemOutcome UnfinishedItem(const BatchItem & item) const;
  /** Puts the folders of some items on the disk and moves them to their places. \throws Error. */
  void FinishItems(const std::vector<const BatchItem *> & items) const;
  void DropItem(const BatchItem & item) const;

  /** Writes recipe, tables and manifest. \throws Error. */
  void WriteTables(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const;

  /** Adds a line with the time to the log. \throws Error. */
  void Log(const std::string & text) const;

  std::string PathOf(const std::string & file) const;

private:
  std::string ItemsText(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const;
  bool        TellsOf(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const;
  void        RemoveItem(const BatchItem & item) const;

  void WriteParts(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const;
  void WriteDefects(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const;
  void WriteTimings(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const;
  void WriteManifest(const std::vector<BatchItem> & items, const std::vector<ItemOutcome> & outcomes) const;

  std::string                 m_Path;
  const Recipe &              m_Recipe;
  std::unique_ptr<FolderLock> m_Lock;
};

} // namespace brickccl::batch
