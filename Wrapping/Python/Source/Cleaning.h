// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PYTHON_CLEANING_H
#define BRICKCCL_PYTHON_CLEANING_H

#include "Arrays.h"

#include "BrickCCL/Clean/Clean.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace brickccl::python
{

/** Which holes are filled, as Python says it. `volume` is given in mm^3, `size` in voxels. */
struct Holes
{
  std::optional<double>        volume;
  std::optional<std::uint64_t> size;
  std::optional<Connectivity>  connectivity;

  HoleOptions Options() const;
};

/** Changes of components before the limits on sizes. It keeps the mask alive. */
struct Filter
{
  std::optional<Holes>                     holes;
  std::optional<std::vector<std::int64_t>> seeds;
  bool                                     clearBorder = false;
  std::optional<InputArray>                touching;

  ComponentFilter Get() const;
};

void BindCleaning(nb::module_ & module);

} // namespace brickccl::python

#endif
