// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/CompareBatches.h"

#include "BrickCCL/Batch/FileHash.h"
#include "BrickCCL/Batch/JsonText.h"
#include "BrickCCL/Batch/Overlap.h"
#include "BrickCCL/Batch/ProcessItem.h"
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Tables/Condition.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>

namespace brickccl::batch
{

namespace fs = std::filesystem;

namespace
{

/** A batch's data of an item. */
struct ItemOfBatch
{
  /** Its label map; empty if it has none. */
  std::string labels;
  /** Why there are no results of it; empty if there are. */
  std::string reason;
};

using ItemsOfBatch = std::map<std::string, ItemOfBatch>;

/** A label map as runs, whose labels are places in the table from 1 on. */
struct LabelMap
{
  LoadedImage    image;
  RunVolume      runs;
  ComponentTable table;

  LabelMap(const std::string & path, int threads)
  {
    ReadOptions options;
    options.asLabels = true;
    options.threads = threads;
    image = ReadImageFile(path, options);
    table = MeasureLabelImage(image.View(), image.geometry, {}, { threads }, runs);
  }
};

/** The items that the batch worked on, and that have no results in its folder. */
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

/** \throws Error unless the folder is a batch's folder. */
void
CheckIsBatch(const std::string & folder)
{
  if (!fs::is_directory(fs::path(folder) / "items"))
  {
    throw Error(Quoted(folder) +
                (fs::exists(folder) ? " is not the folder of a batch: it has no items" : " does not exist"));
  }
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

/** For each label of one side, the label of the other side that shares most voxels with it, and how many. */
using Partners = std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>>;

void
Offer(Partners & partners, std::uint64_t label, std::uint64_t other, std::uint64_t voxels)
{
  auto & best = partners[label];
  if (voxels > best.second)
  {
    best = { other, voxels };
  }
}

/** One defect with its partner, seen from one side. */
ComparedDefect
Pair(const LabelMap & before, const LabelMap & after, std::uint64_t first, std::uint64_t second, std::uint64_t common)
{
  ComparedDefect defect;
  if (first > 0)
  {
    defect.before = before.table.components.Label(static_cast<std::size_t>(first - 1));
    defect.voxelsBefore = before.table.components.VoxelCount(static_cast<std::size_t>(first - 1));
  }
  if (second > 0)
  {
    defect.after = after.table.components.Label(static_cast<std::size_t>(second - 1));
    defect.voxelsAfter = after.table.components.VoxelCount(static_cast<std::size_t>(second - 1));
  }
  defect.commonVoxels = common;
  return defect;
}

std::vector<ComparedDefect>
CompareLabels(const LabelMap & before, const LabelMap & after, double leastChange)
{
  Partners forward;
  Partners backward;
  for (const auto & [pair, voxels] : CountCommon(before.runs, after.runs))
  {
    Offer(forward, pair.first, pair.second, voxels);
    Offer(backward, pair.second, pair.first, voxels);
  }
  std::vector<ComparedDefect> defects;
  for (std::uint64_t label = 1; label <= before.table.components.size(); ++label)
  {
    const auto     partner = forward.find(label);
    const bool     isAlone = partner == forward.end();
    ComparedDefect defect = isAlone ? Pair(before, after, label, 0, 0)
                                    : Pair(before, after, label, partner->second.first, partner->second.second);
    const auto     low = static_cast<double>(defect.voxelsBefore) * (1 - leastChange);
    const auto     high = static_cast<double>(defect.voxelsBefore) * (1 + leastChange);
    const auto     now = static_cast<double>(defect.voxelsAfter);
    defect.change = isAlone                                        ? DefectChange::Vanished
                  : backward[partner->second.first].first != label ? DefectChange::Merged
                  : !Condition::IsAtMost(now, high)                ? DefectChange::Grown
                  : !Condition::IsAtMost(low, now)                 ? DefectChange::Shrunk
                                                                   : DefectChange::Same;
    defects.push_back(defect);
  }
  for (std::uint64_t label = 1; label <= after.table.components.size(); ++label)
  {
    const auto partner = backward.find(label);
    if (partner == backward.end())
    {
      defects.push_back(Pair(before, after, 0, label, 0));
      defects.back().change = DefectChange::New;
    }
    else if (forward[partner->second.first].first != label)
    {
      defects.push_back(Pair(before, after, partner->second.first, label, partner->second.second));
      defects.back().change = DefectChange::Split;
    }
  }
  return defects;
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
  if (!item.reason.empty())
  {
    return item;
  }
  if (before.labels.empty() || after.labels.empty())
  {
    item.reason = "it has no label map (outputs.labels of the recipe)";
    return item;
  }
  const LabelMap first(before.labels, options.threads);
  const LabelMap second(after.labels, options.threads);
  try
  {
    CheckSameGrid(first.image, second.image, after.labels);
    item.defects = CompareLabels(first, second, options.leastChange);
  }
  catch (const InvalidArgument & error)
  {
    item.reason = error.what();
    return item;
  }
  return item;
}

/** An item that a batch does not have. */
ComparedItem
Left(const std::string & name, const std::string & folder)
{
  ComparedItem item;
  item.name = name;
  item.reason = Quoted(folder) + " has no such item";
  item.isOfOneBatch = true;
  return item;
}

} // namespace

std::string
NameOf(DefectChange change)
{
  static const char * const names[] = { "same", "grown", "shrunk", "new", "vanished", "split", "merged" };
  return names[static_cast<int>(change)];
}

void
CheckSameRecipe(const std::string & before, const std::string & after)
{
  CheckIsBatch(before);
  CheckIsBatch(after);
  const auto recipeOf = [](const std::string & folder) {
    return ReadText((fs::path(folder) / "recipe.toml").string());
  };
  if (!IsSameRecipe(recipeOf(before), recipeOf(after)))
  {
    throw Error(Quoted(before) + " and " + Quoted(after) +
                " were made with different recipes (recipe.toml); compare them with --different-recipes");
  }
}

std::vector<ComparedItem>
CompareBatches(const std::string & before, const std::string & after, const CompareOptions & options)
{
  const ItemsOfBatch        first = ItemsOf(before);
  const ItemsOfBatch        second = ItemsOf(after);
  std::vector<ComparedItem> items;
  for (const auto & [name, item] : first)
  {
    if (WasInterrupted())
    {
      throw Canceled();
    }
    const auto other = second.find(name);
    items.push_back(other == second.end() ? Left(name, after) : CompareItem(name, item, other->second, options));
  }
  for (const auto & [name, item] : second)
  {
    if (first.count(name) == 0)
    {
      items.push_back(Left(name, before));
    }
  }
  return items;
}

} // namespace brickccl::batch
