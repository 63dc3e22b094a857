// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/CompareBatches.h"

#include "BrickCCL/Batch/FileHash.h"
#include "BrickCCL/Batch/JsonText.h"
#include "BrickCCL/Batch/ProcessItem.h"
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Host/System.h"

#include <filesystem>

namespace brickccl::batch
{

namespace fs = std::filesystem;

namespace
{

struct ItemOfBatch
{
  /** Its label map; empty if it has none. */
  std::string labels;
  /** Why there are no results of it; empty if there are. */
  std::string reason;
};

using ItemsOfBatch = std::map<std::string, ItemOfBatch>;

void
AddMissing(const std::string & folder, ItemsOfBatch & items)
{
  const std::string path = (fs::path(folder) / "manifest.json").string();
  if (!fs::exists(path))
  {
    return;
  }
  WithJson(path, [&](const nlohmann::ordered_json & manifest) {
    for (const auto & item : manifest.at("items"))
    {
      const std::string verdict = item.at("verdict");
      const std::string name = item.at("item");
      if (items.count(name) == 0)
      {
        items[name].reason =
          verdict == "error"      ? "error: " + Quoted(folder) + " has no results for it (see its items.csv)"
          : verdict == "not done" ? "not done: " + Quoted(folder) + " has no results for it (see its items.csv)"
                                  : "its results are not in " + Quoted(folder) + " any more";
      }
    }
  });
}

void
CheckIsBatch(const std::string & folder)
{
  ThrowIf(!fs::is_directory(fs::path(folder) / "items"),
          Quoted(folder) + (fs::exists(folder) ? " is not the folder of a batch: it has no items" : " does not exist"));
}

ItemsOfBatch
ItemsOf(const std::string & folder)
{
  CheckIsBatch(folder);
  const fs::path folders = fs::path(folder) / "items";
  ItemsOfBatch   items;
  for (const auto & entry : fs::directory_iterator(folders))
  {
    const std::string path = (entry.path() / SummaryFile).string();
    WithJson(path, [&](const nlohmann::ordered_json & summary) {
      ItemOfBatch & item = items[summary.at("item").get<std::string>()];
      for (const auto & output : summary.at("outputs"))
      {
        const std::string file = output.at("path");
        if (file.rfind(std::string(LabelsFile) + ".", 0) == 0)
        {
          item.labels = (entry.path() / file).string();
          if (!fs::exists(item.labels))
          {
            item.reason = Quoted(item.labels) + " is gone";
          }
          else if (DescribeFile(item.labels, file) != output)
          {
            item.reason = Quoted(item.labels) + " was changed after the batch";
          }
        }
      }
    });
  }
  AddMissing(folder, items);
  return items;
}

ComparedItem
CompareItem(const std::string &    name,
            const ItemOfBatch &    before,
            const ItemOfBatch &    after,
            const CompareOptions & options)
{
  ComparedItem item;
  item.name = name;
  item.reason = before.reason.empty() ? after.reason : before.reason;
  if (item.reason.empty() && (before.labels.empty() || after.labels.empty()))
  {
    item.reason = "it has no label map (outputs.labels of the recipe)";
  }
  if (!item.reason.empty())
  {
    return item;
  }
  ReadOptions reading;
  reading.asLabels = true;
  reading.threads = options.threads;
  const LoadedImage first = ReadImageFile(before.labels, reading);
  const LoadedImage second = ReadImageFile(after.labels, reading);
  const HostContext context{ options.threads };
  try
  {
    CheckSameGrid(first, second, after.labels);
    item.defects = CompareDefects(DefectMap(first, context), DefectMap(second, context), options.leastChange);
  }
  catch (const InvalidArgument & error)
  {
    item.reason = error.what();
  }
  return item;
}

} // namespace

void
CheckSameRecipe(const std::string & before, const std::string & after)
{
  CheckIsBatch(before);
  CheckIsBatch(after);
  const auto recipeOf = [](const std::string & folder) {
    return ReadText((fs::path(folder) / "recipe.toml").string());
  };
  ThrowIf(!IsSameRecipe(recipeOf(before), recipeOf(after)),
          Quoted(before) + " and " + Quoted(after) +
            " were made with different recipes (recipe.toml); compare them with --different-recipes");
}

std::vector<ComparedItem>
CompareBatches(const std::string & before, const std::string & after, const CompareOptions & options)
{
  const ItemsOfBatch        first = ItemsOf(before);
  const ItemsOfBatch        second = ItemsOf(after);
  std::vector<ComparedItem> items;
  const auto                left = [](const std::string & name, const std::string & folder) {
    return ComparedItem{ name, Quoted(folder) + " has no such item", true, {}, {} };
  };
  for (const auto & [name, item] : first)
  {
    if (WasInterrupted())
    {
      throw Canceled();
    }
    const auto other = second.find(name);
    items.push_back(other == second.end() ? left(name, after) : CompareItem(name, item, other->second, options));
  }
  for (const auto & [name, item] : second)
  {
    if (first.count(name) == 0)
    {
      items.push_back(left(name, before));
    }
  }
  return items;
}

} // namespace brickccl::batch
