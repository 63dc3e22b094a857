#ifndef BRICKCCL_ALGORITHMS_TILEMERGING_TILEMERGING_H
#define BRICKCCL_ALGORITHMS_TILEMERGING_TILEMERGING_H

#include "BrickCCL/Core/AlgorithmOptions.h"

namespace brickccl
{

/** The indices of TileMerging's options among its values. */
enum TileMergingOption
{
  TileMergingProperties
};

inline std::vector<AlgorithmOption>
TileMergingOptions()
{
  return { { "properties", "sums collected while trees are flattened", { "none", "size", "moments" } } };
}

} // namespace brickccl

#endif
