#ifndef BRICKCCL_BATCH_RECIPE_H
#define BRICKCCL_BATCH_RECIPE_H

#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Measuring/Measuring.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::batch
{

/** One rule of acceptance. Which members count depends on the rule (AcceptanceRules). */
struct AcceptanceRule
{
  std::string rule;
  /** Its name in the report. */
  std::string name;
  /** Only defects for which this condition holds count; empty: all. */
  std::string where;
  std::string column;
  double      limit = 0;
  double      within = 0;
  /** Of clusters: multiples of the larger defect's diameter. */
  double withinDiameters = 0;
  /** The side of the reference area or volume in mm, and the axis orthogonal to the area. */
  double reference = 0;
  int    across = 2;
  /** In percent; 0: porosity is the share of the whole window. */
  double leastPart = 0;
  /** The line of the recipe. */
  int line = 0;
};

/** How to process each item, and when it passes. RecipeFile.h reads it from a file. */
struct Recipe
{
  std::string name;
  std::string description;

  struct Input
  {
    std::vector<double> spacing;
    bool                slicesAreVolumes = true;
    bool                acceptIrregularSlices = false;
    bool                acceptSheared = false;
    bool                acceptIrregularNames = false;
  };
  Input input;

  /** As SmoothingMethod::FromText reads it; empty: the image stays as it is. */
  std::string smoothing;

  struct Threshold
  {
    std::optional<Criterion::Range> range;
    /** As ThresholdMethod::FromText reads it: a number, or how one is found; empty if there is a range. Without either,
     *  defects are the pores of the part, or all that is not 0. */
    std::string method;
    /** Whether defects are darker than that number. */
    bool isBelow = true;
  };
  Threshold threshold;

  struct Part
  {
    /** "none", "pores": the largest piece of material with its pores (FindPores), "largest": the largest component of
     *  the material, whose values are in the range or at least the threshold, or "largest-inside": the largest one
     *  that touches no side of the image along x and y. */
    std::string                     method = "none";
    std::optional<Criterion::Range> range;
    /** How the least value of the material is found where there is no range, as ThresholdMethod::FromText reads it. */
    std::string threshold;
    /** "volume", "slices" (across z) or "none". */
    std::string fillHoles = "volume";
    /** For "pores": cracks and openings up to this width in mm belong to the part. */
    double close = 0;
    /** The core of the part consists of voxels deeper than this. Defects that are not completely inside do not count,
     *  and porosity is a share of the core. */
    double erode = 0;
  };
  Part part;

  struct Labeling
  {
    /** 0: faces. */
    int connectivity = 0;
    /** In the place of a number of neighbours, a text that NeighbourhoodFromText takes; empty: none. */
    std::string   neighbourhood;
    std::string   criterion = "foreground";
    double        tolerance = 0;
    std::string   bySlice;
    double        minimumVolume = 0;
    std::uint64_t minimumSize = 0;
    std::uint64_t maximumSize = std::numeric_limits<std::uint64_t>::max();
  };
  Labeling labeling;

  struct Measuring
  {
    /** The groups in the recipe, and in its conditions and rules. */
    ColumnGroups groups;
    bool         intensity = false;
    /** Whether a condition or a rule looks at surface_distance_mm. */
    bool decidesBySurface = false;
  };
  Measuring measuring;

  /** The condition for which components are kept; empty: all. */
  std::string keep;

  std::vector<AcceptanceRule> acceptance;

  struct Outputs
  {
    /** The extension of label maps, or "none". */
    std::string labels = ".nrrd";
    bool        pictures = true;
  };
  Outputs outputs;

  /** The text that it was read from. */
  std::string text;
};

} // namespace brickccl::batch

#endif
