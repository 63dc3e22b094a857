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

} // namespace brickccl

#endif
