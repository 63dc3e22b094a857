// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::batch
{

struct RuleResult
{
  bool passes = true;
  /** The value that is compared with the rule's limit. There is none if no defect has the column. */
  std::optional<double> value;
  /** How many defects have no number in the column of the rule. If there is one, the rule does not pass. */
  std::uint64_t undecided = 0;
  /** The label of the defect that decided: for sums and counts, the largest one that counts. */
  std::optional<std::uint64_t> label;
  /** The slice that decided, or one that shows the defect: its index along z. */
  std::optional<std::int64_t> slice;

  /** The reference area or volume that decided: its first voxel and its voxels along x, y and z. */
  struct Window
  {
    std::array<std::int64_t, 3> first = { 0, 0, 0 };
    std::array<std::int64_t, 3> voxels = { 1, 1, 1 };
  };
  std::optional<Window> window;
  /** The defects that decided, for rules on windows and clusters. */
  std::vector<std::uint64_t> labels;
  /** The parts that fail, in an item with several parts, or the one part of this result. */
  std::vector<std::uint64_t> parts;
};

struct Findings
{
  /** The defects. */
  const ComponentTable & table;
  /** Their runs; labels are places in the table, from 1 on. */
  const RunVolume & runs;
  /** The mask of the part, or of its core (job::Part::erode); not 0 inside. */
  std::optional<ImageView> part;
  HostContext              context;
  /** With zones: their numbers, and the voxels of each one in the part. */
  std::optional<ImageView> zones = {};
  VoxelsOfNumbers          voxelsOfZones = {};
};

/** The slice across z that contains a component's centroid. */
std::int64_t SliceOf(const ComponentMeasures & component);

/** Judges by each of the rules, in their order. \throws InvalidArgument for a column that the table does not have. */
std::vector<RuleResult> Judge(const std::vector<AcceptanceRule> & rules, const Findings & findings);

struct NumberedParts
{
  /** Bytes: the number of the part, from 1 on. */
  ImageView   numbers;
  std::size_t count = 0;
  /** The runs of the item. Their labels change while a part is judged. */
  RunVolume &    runs;
  MeasureOptions measures;
};

struct JudgedItem
{
  /** "pass", "fail" or, without rules, "none". */
  std::string verdict;
  /** Members of the summary: "rules", and "parts" of several, or "zones". */
  nlohmann::ordered_json   members;
  std::vector<std::string> notes;
};

JudgedItem DescribeResults(const Recipe & recipe, const std::vector<RuleResult> & results);

/** Adds "zones" to the members: what each zone holds, and the results of its rules. */
void DescribeZones(const Findings & item, JudgedItem & judged);

/** Judges each part by its own defects and its own voxels. Parts outside of the counted region are left out. A rule has
 *  its result in the first part that fails it, else in the part nearest to the limit.
 *  \param item  the table has the column of parts. \throws Canceled and what Judge throws. */
JudgedItem JudgeParts(const Recipe & recipe, const Findings & item, const NumberedParts & parts);

} // namespace brickccl::batch
