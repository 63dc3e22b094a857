// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/CompareBatches.h"

#include "BrickCCL/Batch/Overlap.h"
#include "BrickCCL/Batch/ProcessItem.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Job/Findings.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Segmenting/SmoothImage.h"
#include "BrickCCL/Tables/ColumnFormulas.h"
#include "BrickCCL/Tables/Condition.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace brickccl::batch
{

using nlohmann::ordered_json;

/** For each label of one side, the label of the other side that shares most voxels with it, and how many. */
using Partners = std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>>;

static void
Offer(Partners & partners, std::uint64_t label, std::uint64_t other, std::uint64_t voxels)
{
  auto & best = partners[label];
  best = voxels > best.second ? std::pair(other, voxels) : best;
}

static DefectChange
ChangeOfSize(double before, double after, double leastChange)
{
  return !Condition::IsAtMost(after, before * (1 + leastChange)) ? DefectChange::Grown
       : !Condition::IsAtMost(before * (1 - leastChange), after) ? DefectChange::Shrunk
                                                                 : DefectChange::Same;
}

static LoadedImage
LabelsOf(const std::string & path, const CompareScansOptions & options, LoadedImage & scan)
{
  if (options.recipe == nullptr)
  {
    return options.readLabels(path);
  }
  options.hooks.step("finding the defects of " + path);
  ProcessOptions processing;
  processing.threads = options.threads;
  std::vector<std::string> notes;
  LoadedImage              labels = FindDefects(path, *options.recipe, processing, scan, notes);
  for (const std::string & note : notes)
  {
    options.hooks.note(Quoted(path) + ": " + note);
  }
  return labels;
}

/** Notes that labels do not determine a rotation. \throws InvalidArgument for a map without labels */
static void
CheckAlignment(const ScannedDefects &      first,
               const std::string &         path,
               const DefectMap &           labels,
               const CompareScansOptions & options)
{
  const bool isFirst = first.defects.voxels.empty();
  ThrowIf<InvalidArgument>(isFirst || labels.voxels.empty(),
                           "--align needs labels, but " + Quoted(isFirst ? first.path : path) + " has none");
  if (first.defects.voxels.size() < 3)
  {
    options.hooks.note(Quoted(first.path) + " has fewer than 3 labels, so the rotation is not "
                                            "determined; check it, or leave out --align");
  }
}

static ScannedDefects
ReadScan(const std::string &          path,
         const CompareScansOptions &  options,
         const ScannedDefects *       first,
         std::optional<RigidMotion> & motion)
{
  const HostContext context{ options.threads };
  const bool        areLabels = options.recipe == nullptr;
  LoadedImage       image;
  LoadedImage       labels = LabelsOf(path, options, image);
  DefectMap         own = files::WithContext(Quoted(path) + ": ", [&] { return DefectMap(labels, context); });
  if (first != nullptr && options.aligns)
  {
    areLabels ? CheckAlignment(*first, path, own, options) : void();
    options.hooks.step("aligning " + path);
    const ProgressHooks hooks = options.hooks.progress();
    motion = files::WithContext("cannot align " + Quoted(path) + ": ", [&] {
      return AlignImages(first->image, areLabels ? labels : image, areLabels, { options.threads, Progress(hooks) });
    });
    DefectMap moved(ResampleImage(labels, first->image, context, &*motion), context);
    moved.voxels = std::move(own.voxels);
    moved.voxelVolume = own.voxelVolume;
    own = std::move(moved);
  }
  else if (first != nullptr)
  {
    files::WithContext("scans need one grid or --align: ",
                       [&] { CheckSameGrid(first->image, labels, path, Quoted(first->path)); });
  }
  return { path, areLabels ? std::move(labels) : std::move(image), std::move(own) };
}

static void
NoteDoubts(const ComparedItem &        item,
           const ScannedDefects &      before,
           const ScannedDefects &      after,
           const CompareScansOptions & options)
{
  const auto count = [&](DefectChange change) {
    return std::count_if(item.defects.begin(), item.defects.end(), [&](const auto & defect) {
      return defect.change == change;
    });
  };
  const std::size_t both[] = { before.defects.voxels.size(), after.defects.voxels.size() };
  const auto        vanished = static_cast<std::size_t>(count(DefectChange::Vanished));
  const auto        added = static_cast<std::size_t>(count(DefectChange::New));
  if (2 * vanished <= both[0] || 2 * added <= both[1])
  {
    return;
  }
  std::string text = "the alignment may be wrong";
  if (!options.aligns)
  {
    const auto centerOf = [&](const LoadedImage & image) {
      return Moments(Reduce(image, options.recipe == nullptr, 400000, { options.threads }), { options.threads });
    };
    const Moments a = centerOf(before.image);
    const Moments b = centerOf(after.image);
    text =
      "a scan may be shifted or turned; the centers are " +
      job::Readable(std::hypot(a.center[0] - b.center[0], a.center[1] - b.center[1], a.center[2] - b.center[2]), "mm") +
      " apart; --align moves the scans together first";
  }
  options.hooks.note(std::to_string(added) + " of " + Counted(both[1], "defect") + " of " + Quoted(item.name) +
                     " are new and " + std::to_string(vanished) + " of " + std::to_string(both[0]) +
                     " vanished, which is doubtful: " + text);
}

static ordered_json
ColumnsOfTracks(const ScanComparison & all)
{
  const ComponentTable & first = all.scans.front().defects.table;
  ordered_json           columns = { "track", "change", "parted_from", "joined" };
  for (int axis = 0; axis < first.extent.dimension; ++axis)
  {
    columns.push_back(std::string("centroid_") + AxisNames[axis] + "_mm");
  }
  for (std::size_t scan = 1; scan <= all.scans.size(); ++scan)
  {
    for (const std::string & name : { std::string("label"), std::string("voxel_count"), TotalsOf(first).sizeName })
    {
      columns.push_back(name + "_" + std::to_string(scan));
    }
  }
  return columns;
}

/** Puts a defect of a scan into the track of a number; 0: into a new one. \return the number. */
static std::size_t
AddToTrack(ScanComparison & all, std::size_t scan, std::uint64_t label, std::size_t number)
{
  ordered_json & rows = all.tracks["rows"];
  if (number == 0)
  {
    number = rows.size() + 1;
    rows.push_back(ordered_json::array_t(all.tracks["columns"].size()));
    rows.back()[0] = number;
    all.largest.emplace_back();
  }
  const DefectMap &   map = all.scans[scan].defects;
  ordered_json &      row = rows[number - 1];
  const std::uint64_t voxels = map.voxels.at(label);
  const auto          dimension = static_cast<std::size_t>(map.table.extent.dimension);
  const std::size_t   at = 4 + dimension + 3 * scan;
  row[at] = label;
  row[at + 1] = voxels;
  row[at + 2] = static_cast<double>(voxels) * map.voxelVolume;
  auto &     largest = all.largest[number - 1];
  const auto place = map.places.find(label);
  if (place != map.places.end() && (!largest || row[at + 2] > row[4 + dimension + 3 * largest->first + 2]))
  {
    largest.emplace(scan, place->second);
    const auto & centroid = map.table.components[place->second].centroid;
    for (std::size_t axis = 0; axis < dimension; ++axis)
    {
      row[4 + axis] = columns::PhysicalPoint(map.table, centroid, static_cast<int>(axis));
    }
  }
  return number;
}

/** Makes the tracks. A track that joins another one ends; one that parts from another one begins. */
static void
FollowDefects(ScanComparison & all, double leastChange)
{
  all.tracks = { { "columns", ColumnsOfTracks(all) }, { "rows", ordered_json::array() } };
  ordered_json & rows = all.tracks["rows"];
  // The tracks of the labels of each scan.
  std::vector<std::map<std::uint64_t, std::size_t>> numbers(all.scans.size());
  for (const auto & defect : all.scans.front().defects.voxels)
  {
    numbers[0][defect.first] = AddToTrack(all, 0, defect.first, 0);
  }
  for (std::size_t scan = 1; scan < all.scans.size(); ++scan)
  {
    const auto & defects = all.items[scan - 1].defects;
    for (const ComparedDefect & defect : defects)
    {
      if (defect.after && defect.change != DefectChange::Merged)
      {
        const bool        begins = !defect.before || defect.change == DefectChange::Split;
        const std::size_t number = begins ? 0 : numbers[scan - 1].at(*defect.before);
        numbers[scan][*defect.after] = AddToTrack(all, scan, *defect.after, number);
      }
    }
    for (const ComparedDefect & defect : defects)
    {
      const bool isSplit = defect.change == DefectChange::Split;
      if (isSplit || defect.change == DefectChange::Merged)
      {
        const std::size_t before = numbers[scan - 1].at(*defect.before);
        const std::size_t after = numbers[scan].at(*defect.after);
        rows[(isSplit ? after : before) - 1][isSplit ? 2 : 3] = isSplit ? before : after;
      }
    }
  }
  for (ordered_json & row : rows)
  {
    const ordered_json & before = row[row.size() - 3 * all.scans.size() + 2];
    row[1] = NameOf(!row[3].is_null()      ? DefectChange::Merged
                    : row.back().is_null() ? DefectChange::Vanished
                    : !row[2].is_null()    ? DefectChange::Split
                    : before.is_null()     ? DefectChange::New
                                           : ChangeOfSize(before, row.back(), leastChange));
  }
}

DefectMap::DefectMap(const LoadedImage & labels, const HostContext & context)
  : table(MeasureLabelImage(labels.View(), labels.geometry, {}, context, runs))
  , voxelVolume(labels.geometry.VoxelVolume(labels.extent.dimension))
{
  for (std::size_t place = 0; place < table.components.size(); ++place)
  {
    places[table.components.Label(place)] = place;
    voxels[table.components.Label(place)] = table.components.VoxelCount(place);
  }
}

std::string
NameOf(DefectChange change)
{
  static const char * const names[] = { "same", "grown", "shrunk", "new", "vanished", "split", "merged" };
  return names[static_cast<int>(change)];
}

std::vector<ComparedDefect>
CompareDefects(const DefectMap & before, const DefectMap & after, double leastChange)
{
  Partners forward;
  Partners backward;
  for (const auto & [pair, voxels] : CountCommon(before.runs, after.runs))
  {
    const auto first = before.table.components.Label(static_cast<std::size_t>(pair.first - 1));
    const auto second = after.table.components.Label(static_cast<std::size_t>(pair.second - 1));
    Offer(forward, first, second, voxels);
    Offer(backward, second, first, voxels);
  }
  std::vector<ComparedDefect> defects;
  for (const auto & [label, voxels] : before.voxels)
  {
    const auto partner = forward.find(label);
    if (partner == forward.end())
    {
      defects.push_back({ DefectChange::Vanished, label, {}, voxels, 0, 0 });
      continue;
    }
    const auto & [other, common] = partner->second;
    ComparedDefect defect{ DefectChange::Same, label, other, voxels, after.voxels.at(other), common };
    const double   now = static_cast<double>(defect.voxelsAfter) * (after.voxelVolume / before.voxelVolume);
    defect.change = backward[other].first != label
                    ? DefectChange::Merged
                    : ChangeOfSize(static_cast<double>(defect.voxelsBefore), now, leastChange);
    defects.push_back(defect);
  }
  for (const auto & [label, voxels] : after.voxels)
  {
    const auto partner = backward.find(label);
    if (partner == backward.end())
    {
      defects.push_back({ DefectChange::New, {}, label, 0, voxels, 0 });
    }
    else if (forward[partner->second.first].first != label)
    {
      const auto & [other, common] = partner->second;
      defects.push_back({ DefectChange::Split, other, label, before.voxels.at(other), voxels, common });
    }
  }
  return defects;
}

ScanComparison
CompareScans(const std::vector<std::string> & paths, const CompareScansOptions & options)
{
  ScanComparison                all;
  std::vector<ScannedDefects> & scans = all.scans;
  if (options.aligns)
  {
    CheckMayAlign();
  }
  for (const std::string & path : paths)
  {
    ComparedItem item;
    item.name = path;
    scans.push_back(ReadScan(path, options, scans.empty() ? nullptr : scans.data(), item.motion));
    if (scans.size() > 1)
    {
      const ScannedDefects & before = scans[scans.size() - 2];
      item.defects = CompareDefects(before.defects, scans.back().defects, options.leastChange);
      NoteDoubts(item, before, scans.back(), options);
      all.items.push_back(std::move(item));
    }
  }
  FollowDefects(all, options.leastChange);
  return all;
}

} // namespace brickccl::batch
