#ifndef BRICKCCL_ALGORITHMS_LINKPROPAGATION_LINKPROPAGATION_H
#define BRICKCCL_ALGORITHMS_LINKPROPAGATION_LINKPROPAGATION_H

#include "BrickCCL/Core/AlgorithmOptions.h"

namespace brickccl
{

/** The indices of LinkPropagation's options among its values. */
enum LinkPropagationOption
{
  LinkPropagationGather,
  LinkPropagationMaxGather,
  LinkPropagationOneGather,
  LinkPropagationMaster
};

inline std::vector<AlgorithmOption>
LinkPropagationOptions()
{
  return {
    { "gather", "most voxels that a link leads along", {}, 128, 1, 65535 },
    { "max-gather", "gather from the farthest linked voxels", { "off", "on" }, 1 },
    { "one-gather", "gather from neighbours at once (off: when the farthest have nothing new)", { "off", "on" }, 1 },
    { "master", "gather from the voxel that a label came from", { "off", "on" }, 1 }
  };
}

} // namespace brickccl

#endif
