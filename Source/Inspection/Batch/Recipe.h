// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Measuring/Measuring.h"

#include <string>
#include <vector>

namespace brickccl::batch
{

/** One rule of acceptance. Which members count depends on the rule (Rules.h). */
struct AcceptanceRule
{
  std::string rule;
  std::string name;
  /** Only defects for which this condition holds count; empty: all. */
  std::string where;
  std::string column;
  double      limit = 0;
  double      within = 0;
  /** Of clusters: multiples of the larger defect's diameter. */
  double withinDiameters = 0;
  /** The side of the reference area or volume in mm, and the axis that the area is across. */
  double      reference = 0;
  std::string across = "z";
  /** In percent; 0: porosity is the share of the whole window. */
  double leastPart = 0;
  /** The number of a zone; 0: zones do not matter. */
  std::uint64_t zone = 0;
};

/** The steps for each item, and when it passes. RecipeFile.h reads it from a file. */
struct Recipe : job::Job
{
  /** The requested columns, and those that conditions and rules need. */
  ColumnGroups groups;
  /** Whether a condition or a rule looks at surface_distance_mm. */
  bool                        decidesBySurface = false;
  std::vector<AcceptanceRule> acceptance;
  /** The text that it was read from. */
  std::string text;
};

} // namespace brickccl::batch
