// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Job/Value.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/** A job of labeling as plain data, for commands, recipes and modules of 3D Slicer (members: Parameters.h). */
namespace brickccl::job
{

inline constexpr std::uint64_t NoLimit = std::numeric_limits<std::uint64_t>::max();

struct Reading
{
  std::vector<double> spacing;
  /** As ReadOptions::raw: the size and type of files without a header. */
  std::string raw;
  std::string series;
  bool        acceptIrregularSlices = false;
  bool        acceptIrregularNames = false;
  bool        acceptSheared = false;
  /** The voxels along each axis that become one, before all else. */
  int downsample = 1;
  /** A file with the names of labels. */
  std::string names;
  /** "binary" (if empty) or "labelmap": the type of a DICOM segmentation, which refers to the images that are read. */
  std::string dicomSeg;
  /** "volume" or "single": what the slice images of a folder are. */
  std::string slices = "volume";
};

/** The inspected part, and where in it components count. */
struct Part
{
  /** "none", "pores": the largest piece of material with its pores (FindPores), "largest": the largest component of
   * the material, whose values are in the range or at least the threshold, or "largest-inside": the largest one that
   * touches no side of the image along x and y. */
  std::string                     partMethod = "none";
  std::optional<Criterion::Range> partRange;
  /** As ThresholdMethod::FromText reads it. */
  std::string partThreshold;
  /** "volume", "slices" (across z) or "none". */
  std::string partHoles = "volume";
  /** Which pieces of material are parts: "largest", "all" or how many. */
  std::string parts = "largest";
  double      close = 0;
  /** The core of the part are the voxels whose centers are deeper than this. Components that are not in it as a whole
   * do not count, and porosity is a share of the core. */
  double erode = 0;
  /** Whether the material is below its threshold; recipes have no word for it. */
  bool isMaterialBelow = false;
};

/** The part of the image that is looked at; everything refers to it. Empty: all of the image. */
struct Region
{
  /** As RegionShapes reads them, with ";" between. */
  std::string box;
  std::string cylinder;
  std::string sphere;
  /** An image that is not 0 there. */
  std::string mask;

  bool
  IsGiven() const
  {
    return !box.empty() || !cylinder.empty() || !sphere.empty() || !mask.empty();
  }
};

struct Segmenting : Part, Region
{
  /** As SmoothingMethod::FromText reads it; empty: the image stays as it is. */
  std::string                     smooth;
  std::optional<Criterion::Range> range;
  /** As ThresholdMethod::FromText reads it. */
  std::string           threshold;
  bool                  below = false;
  std::string           background = "0";
  bool                  pores = false;
  bool                  equalValue = false;
  std::optional<Number> tolerance;

  // The same in the words of recipes.
  std::string smoothingFilter = "none";
  int         smoothingRadius = 1;
  double      smoothingDeviation = 0;
  std::string side = "below";
  std::string criterion = "foreground";
};

struct Neighbors
{
  /** FaceNeighbors, FullNeighbors or a number. */
  int         connectivity = 0;
  std::string neighborhood;
  std::string bySlice;
  std::string periodic;
};

struct Sizes
{
  std::uint64_t minimumSize = 0;
  Amount        minimumVolume;
  std::uint64_t largest = 0;
};

struct Holes
{
  /** The volume up to which holes are filled; empty: none is. */
  std::string   fillHoles;
  std::uint64_t maximumHoleSize = NoLimit;
  std::string   holesBySlice;
};

struct Filter : Sizes, Holes
{
  bool          perSlice = false;
  std::uint64_t maximumSize = NoLimit;
  std::string   seeds;
  bool          physicalSeeds = false;
  bool          clearBorder = false;
  std::string   touching;
  /** As SplitHeightOf reads it; empty: touching objects stay one component. */
  std::string split;
  std::string splitBy;
  std::string splitSeeds;
  /** A condition on columns; empty: all. */
  std::string keep;
};

/** The table of components, and what is measured for it. */
struct Table
{
  std::string statistics;
  std::string columns;
  std::string intensity;
  std::string nan = "keep";
  std::string part;
  std::string zones;
  std::string contacts;
  std::string schema;
  std::string sort;
  std::string top;
  bool        print = false;
  bool        ras = false;
  /** Empty: mm. */
  std::string units;
  std::string separator;
  std::string decimal = "point";

  /** Whether a table is measured: one to write or to print. */
  bool
  IsWanted() const
  {
    return !statistics.empty() || print;
  }
};

struct LabelMap
{
  std::string output;
  std::string labelType = "auto";
  bool        noCompression = false;
  std::string order = "raster";
  std::string picture;
  std::string saveSmoothed;
  std::string colorTable;
};

struct Running
{
  std::string algorithm = "Auto";
  std::string device = "auto";
  int         threads = 0;
  bool        json = false;
  bool        quiet = false;
  /** Not 0: the volume is labeled slab by slab within this many bytes. */
  std::uint64_t memory = 0;
  std::string   work;
  /** Where the record of the run goes (Record.h); no parameter of a job. */
  std::string record;
};

/** The head of a report of a batch; what is empty is left out. */
struct ReportHead
{
  std::string reportTitle;
  std::string customer;
  std::string reportOrder;
  std::string reportPart;
  std::string serialNumber;
  std::string inspector;
  std::string scanner;
  std::string reportDate;
  std::string logo;
  std::string language = "en";
  std::string paper = "A4";
};

struct Job : Reading, Segmenting, Neighbors, Filter, Table, LabelMap, Running, ReportHead
{
  std::string input;

  // For recipes only.
  std::string name;
  std::string description;
  int         recipeSchema = 1;
  bool        measuresIntensity = false;
  /** The extension of label maps, or "none". */
  std::string labels = ".nrrd";
  bool        pictures = true;
};

} // namespace brickccl::job
