// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Cli/FilterOptions.h"
#include "BrickCCL/Cli/FrontEnd.h"
#include "BrickCCL/Cli/NeighborOptions.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Job/RunJob.h"
#include "BrickCCL/Labels/Labels.h"
#include "BrickCCL/Streaming/LabelBySlabs.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::cli
{

/** Labels an image, as a whole or slab by slab, measures its components and writes what is asked for. */
void RunLabel(const job::Job & arguments, const FrontEnd & frontEnd);

/** \return the groups of columns. \throws InvalidArgument for contradictions, unwritable files, inputs as outputs. */
ColumnGroups CheckJob(const job::Job & job, NamedFiles & outputs);

/** Hooks that show the steps of a job and keep its notes. */
job::RunHooks HooksOf(Reporter & reporter, ImageReader & reader);

using RowWriter = std::function<void(std::int64_t begin, std::int64_t end, LabelType type, void * rows)>;

/** Writes the label map that the job asks for, if it does. */
void WriteLabelMap(const job::Job &     job,
                   const LoadedImage &  grid,
                   LabelType            type,
                   std::uint64_t        largest,
                   const RowWriter &    writeRows,
                   const Segmentation & segmentation,
                   ImageReader &        reader,
                   Reporter &           reporter);

struct LabelFindings
{
  const job::JobRun & run;

  std::uint64_t components = 0;
  std::uint64_t foregroundVoxels = 0;
  RelabelReport relabeled = {};
  std::uint64_t keptVoxels = 0;
  bool          isMeasured = false;
  /** The voxels of the region, if one is given. */
  std::optional<std::uint64_t> regionVoxels = {};
  /** The label map; empty if none was written. */
  std::string output = {};
  LabelType   type = LabelType::Auto;
  /** What labeled; empty if an earlier run labeled all slabs. */
  std::string algorithm = {};
  std::string device = {};
  /** The voxels of the part, or of the region, in each zone. */
  VoxelsOfNumbers zones = {};
};

void AddSlabs(job::Findings & findings, const SlabResult & result);

job::Findings ListFindings(const job::Job & job, const LabelFindings & found);

/** Adds what labeled, how long it took, and what can be done next: the last lines of the text. */
void AddEnd(job::Findings &                  findings,
            const job::Job &                 job,
            const LabelFindings &            found,
            const std::vector<std::string> & notes,
            const nlohmann::ordered_json &   seconds);

} // namespace brickccl::cli
