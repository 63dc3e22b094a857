// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PYTHON_RULES_H
#define BRICKCCL_PYTHON_RULES_H

#include "Arrays.h"

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Labels/Labels.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::python
{

/** A number of neighbors (4, 8, 6, 18, 26 ...) or a rank (1 .. dimension), along the axes that are not among
 *  `sliceAxes`, which ascend. */
Connectivity MakeConnectivity(std::optional<int> connectivity, int dimension, const std::vector<int> & sliceAxes);

/** The number of threads for an image; 0 means all. */
int ThreadsFor(const Extent & extent, int threads);

/** The arguments of `brickccl.label` that say what is joined, which components stay and who labels: all but the image,
 * what belongs to it and what comes out. Python makes such an object once for many calls. */
struct Rules
{
  /** The part that does not depend on the image. */
  LabelOptions       options;
  std::optional<int> connectivity;
  /** A structuring element (x fastest); if it is not empty, it takes the place of `connectivity`. */
  std::vector<int> neighborhood;
  /** Axes across which slices are labeled each on its own, ascending. */
  std::vector<int> sliceAxes;

  Connectivity ConnectivityFor(int dimension) const;

  /** For an image of this extent. The mask must live as long as the options. */
  LabelOptions For(const Extent & extent, const std::optional<InputArray> & mask, const Geometry & geometry) const;
};

/** Adds `Rules` to the module; after `Geometry`. */
void BindRules(nb::module_ & module);

} // namespace brickccl::python

#endif
