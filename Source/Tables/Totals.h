#ifndef BRICKCCL_TABLES_TOTALS_H
#define BRICKCCL_TABLES_TOTALS_H

#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

/** Sums over all components of a table. */
struct Totals
{
  /** The name of `size`: "length_mm", "area_mm2", "volume_mm3" or "hypervolume_mm4". */
  std::string   sizeName;
  std::uint64_t components = 0;
  std::uint64_t voxels = 0;
  double        size = 0;
  /** The size of the part that was given as a mask, or else of the image. */
  double regionSize = 0;
  /** The share of that region that components fill (for pores the porosity); 0 for a region without voxels. */
  double fraction = 0;
};

Totals TotalsOf(const ComponentTable & table);

/** The numbers of components whose values lie within equal steps. */
struct Histogram
{
  std::string column;
  std::string unit;
  /** The borders of the steps, one more than `counts`: step i goes from edges[i] up to, but without, edges[i + 1]; the
   *  last step includes its upper edge. */
  std::vector<double>        edges;
  std::vector<std::uint64_t> counts;
  /** The number of values that are not finite; no step counts them. */
  std::uint64_t notFinite = 0;
};

/** The histogram of a column from its lowest to its highest value, with the steps of numpy.histogram. If all values
 *  are equal, it reaches half a unit to both sides.
 *  \throws InvalidArgument for a column that the table does not have, or less than one bin. */
Histogram HistogramOf(const ComponentTable & table, const std::string & column, int bins);

} // namespace brickccl

#endif
