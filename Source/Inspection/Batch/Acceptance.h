// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BATCH_ACCEPTANCE_H
#define BRICKCCL_BATCH_ACCEPTANCE_H

#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace brickccl::batch
{

/** What a rule found. */
struct RuleResult
{
  bool passes = true;
  /** What is compared with the rule's limit. There is none if no defect has the column. */
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
  /** Of rules on windows and clusters: the defects of the one that decided. */
  std::vector<std::uint64_t> labels;
};

/** What the rules look at. */
struct Findings
{
  /** The defects. */
  const ComponentTable & table;
  /** Their runs; labels are places in the table, from 1 on. */
  const RunVolume & runs;
  /** The mask of the part, or of its core (job::Part::erode); not 0 inside. */
  std::optional<ImageView> part;
  HostContext              context;
};

/** The slice across z in which a component's centroid lies. */
std::int64_t SliceOf(const ComponentMeasures & component);

/** Judges by each of the rules, in their order. \throws InvalidArgument for a column that the table does not have. */
std::vector<RuleResult> Judge(const std::vector<AcceptanceRule> & rules, const Findings & findings);

} // namespace brickccl::batch

#endif
