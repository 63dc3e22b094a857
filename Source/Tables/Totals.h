#ifndef BRICKCCL_TABLES_TOTALS_H
#define BRICKCCL_TABLES_TOTALS_H

#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

/** What all components of a table are together. */
struct Totals
{
  /** What sizes are: "length_mm", "area_mm2", "volume_mm3" or "hypervolume_mm4". */
  std::string   sizeName;
  std::uint64_t components = 0;
  std::uint64_t voxels = 0;
  double        size = 0;
  /** The part that was given as a mask, or else the image. */
  double regionSize = 0;
  /** The share of that region that components fill, for pores the porosity; 0 for a region without voxels. */
  double fraction = 0;
};

Totals TotalsOf(const ComponentTable & table);

/** How many components have values within each of several equal steps. */
struct Histogram
{
  std::string column;
  std::string unit;
  /** One more than counts: step i goes from edges[i] to below edges[i + 1], the last one up to and with it. */
  std::vector<double>        edges;
  std::vector<std::uint64_t> counts;
  /** Values that are not finite; they are in no step. */
  std::uint64_t notFinite = 0;
};

/** The histogram of a column from its lowest to its highest value, as numpy.histogram has it (equal values: half of one
 *  to both sides). \throws InvalidArgument for a column that the table does not have, or less than one bin. */
Histogram HistogramOf(const ComponentTable & table, const std::string & column, int bins);

} // namespace brickccl

#endif
