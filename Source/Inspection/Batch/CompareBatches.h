// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Job/RunJob.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Segmenting/AlignImages.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::batch
{

enum class DefectChange
{
  /** They share voxels, more than either does with any other defect. */
  Same,
  Grown,
  Shrunk,
  /** No defect of the other batch shares a voxel with it. */
  New,
  Vanished,
  /** It shares voxels with a defect that shares more with another one: it came off, or became a part of it. */
  Split,
  Merged
};

std::string NameOf(DefectChange change);

struct ComparedDefect
{
  DefectChange change = DefectChange::Same;
  /** The labels and voxels in both batches; no label where it is not there. */
  std::optional<std::uint64_t> before;
  std::optional<std::uint64_t> after;
  std::uint64_t                voxelsBefore = 0;
  std::uint64_t                voxelsAfter = 0;
  std::uint64_t                commonVoxels = 0;
};

/** An item that both batches have, or one of them. */
struct ComparedItem
{
  std::string name;
  /** Why its defects could not be compared; empty if they were. */
  std::string reason;
  /** Whether the reason is that only one batch had it, which is not an error. */
  bool                        isOfOneBatch = false;
  std::vector<ComparedDefect> defects;
  std::optional<RigidMotion>  motion;
};

/** \throws Error if two batches were made with recipes that differ in more than comments, blanks and order. */
void CheckSameRecipe(const std::string & before, const std::string & after);

struct CompareOptions
{
  /** A defect has grown or shrunk if its number of voxels changed by more than this share. */
  double leastChange = 0.1;
  int    threads = 0;
};

/** Compares items of equal names by the overlap of label maps. \throws Error unless both are batches; Canceled. */
std::vector<ComparedItem>
CompareBatches(const std::string & before, const std::string & after, const CompareOptions & options);

struct CompareScansOptions : CompareOptions
{
  /** How defects are found in scans; null: the files are label maps. */
  const Recipe *                                  recipe = nullptr;
  std::function<LoadedImage(const std::string &)> readLabels;
  /** Whether each scan is moved to the first one: by its values, a label map by its labels. */
  bool          aligns = false;
  job::RunHooks hooks;
};

struct DefectMap
{
  /** The labels of the runs are places in the table, from 1 on. */
  RunVolume                            runs;
  ComponentTable                       table;
  std::map<std::uint64_t, std::size_t> places;
  /** The voxels of each label, and their size; before the map was moved, which may have lost some labels. */
  std::map<std::uint64_t, std::uint64_t> voxels;
  double                                 voxelVolume = 1;

  DefectMap(const LoadedImage & labels, const HostContext & context);
};

std::vector<ComparedDefect> CompareDefects(const DefectMap & before, const DefectMap & after, double leastChange);

/** A scan, or a label map, with its defects on the first scan's grid. */
struct ScannedDefects
{
  std::string path;
  /** The scan is aligned by this image. */
  LoadedImage image;
  DefectMap   defects;
};

struct ScanComparison
{
  std::vector<ScannedDefects> scans;
  std::vector<ComparedItem>   items;
  /** {"columns": [...], "rows": [[...], ...]}: a row for each track, which is a defect in all scans. A track continues
   *  in the defect with which its defect shares more voxels than either does with any other one. The change is the one
   *  from the first to the last scan; the columns of scans are the last ones: label, voxels, size. */
  nlohmann::ordered_json tracks;
  /** The scan in which each track is largest, and its place in that table; none outside of the first scan. */
  std::vector<std::optional<std::pair<std::size_t, std::size_t>>> largest;
};

/** Compares the defects of scans, or of label maps: each with the one before. If nearly all are new, a note gives the
 *  likely reason. \throws InvalidArgument for other grids, unless they are aligned; Error; Canceled. */
ScanComparison CompareScans(const std::vector<std::string> & paths, const CompareScansOptions & options);

} // namespace brickccl::batch
