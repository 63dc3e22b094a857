// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/FindItems.h"

#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/ImageFile.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace brickccl::batch
{

namespace fs = std::filesystem;

std::string
ZonesOf(const Recipe & recipe, const std::string & item)
{
  std::string       path = recipe.zones;
  const std::string place = "{item}";
  const std::size_t found = path.find(place);
  return found == std::string::npos ? path : path.replace(found, place.size(), item);
}

FoundItems
FindItems(const std::vector<std::string> & inputs, const Recipe & recipe, const std::string & outputFolder)
{
  FindImagesOptions options;
  options.slicesAreVolumes = recipe.slices == "volume";
  options.raw = recipe.raw;
  options.leftOut = { outputFolder };
  options.isMarked = IsOfBatch;
  FoundImages                        found = FindImages(inputs, options);
  std::vector<std::string>           names;
  std::map<std::string, std::size_t> counts;
  for (const FoundImage & image : found.images)
  {
    std::for_each(image.files.begin(), image.files.end(), CheckName);
    CheckName(image.name);
    names.push_back(image.name);
    ++counts[names.back()];
  }
  const std::vector<std::string> folders = FolderNames(names);
  FoundItems                     all;
  all.ignored = std::move(found.ignored);
  all.otherBatches = std::move(found.markedFolders);
  const auto isAlone = [&](const std::string & name) { return counts.count(name) != 0 && counts[name] == 1; };
  std::set<std::string> taken;
  for (std::size_t i = 0; i < folders.size(); ++i)
  {
    // Items of one name are distinguished by their folders, whose names may be names of other items.
    std::string name = names[i];
    if (!isAlone(name))
    {
      name = folders[i];
      for (int number = 2; isAlone(name) || !taken.insert(name).second; ++number)
      {
        name = folders[i] + "-" + std::to_string(number);
      }
    }
    all.items.push_back({ name, folders[i], std::move(found.images[i]) });
  }
  // The files of zones are left out.
  std::set<fs::path> zones;
  for (const BatchItem & item : all.items)
  {
    zones.insert(fs::weakly_canonical(ZonesOf(recipe, item.name)));
  }
  all.items.erase(std::remove_if(all.items.begin(),
                                 all.items.end(),
                                 [&](const BatchItem & item) {
                                   return !recipe.zones.empty() &&
                                          zones.count(fs::weakly_canonical(item.found.files.front())) > 0;
                                 }),
                  all.items.end());
  ThrowIf(all.items.empty(),
          "the inputs contain no image; formats that are read: " + ReadableFormats() +
            ", and raw voxels with input.raw in the recipe");
  const auto hasZones = [&](const BatchItem & item) { return files::IsThere(ZonesOf(recipe, item.name)); };
  ThrowIf(!recipe.zones.empty() && std::none_of(all.items.begin(), all.items.end(), hasZones),
          "the file " + Quoted(ZonesOf(recipe, all.items[0].name)) + " (zones.file) is missing");
  return all;
}

} // namespace brickccl::batch
