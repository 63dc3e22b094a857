// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLEAN_HOLES_H
#define BRICKCCL_CLEAN_HOLES_H

#include "BrickCCL/Clean/Border.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <vector>

namespace brickccl
{

/** The border that distinguishes holes from the background around objects. \param connectivity  of the background
 *  \throws Unsupported if the image is periodic along all axes and has none. */
Border BorderOfHoles(const Extent & extent, const Connectivity & connectivity, const PeriodicAxes & periodic);

/** The holes among the components of a background. Holes are numbered from 0 on, in the order of their labels. */
class Holes
{
public:
  static constexpr std::uint64_t None = ~std::uint64_t{ 0 };

  /** \param background  the background, labeled 1..components
   *  \param border      no hole has a voxel there (BorderOfHoles)
   *  \param maximumVoxels  larger components are not holes */
  Holes(const RunVolume &   background,
        std::uint64_t       components,
        const Border &      border,
        std::uint64_t       maximumVoxels,
        const HostContext & context);

  std::uint64_t
  Count() const
  {
    return m_Sizes.size();
  }
  /** The number of voxels of a hole. */
  std::uint64_t
  Size(std::uint64_t hole) const
  {
    return m_Sizes[static_cast<std::size_t>(hole)];
  }
  /** The hole that a component is, or None. */
  std::uint64_t
  OfLabel(std::uint64_t label) const
  {
    return m_HoleOf[static_cast<std::size_t>(label)];
  }

private:
  std::vector<std::uint64_t> m_Sizes;
  std::vector<std::uint64_t> m_HoleOf;
};

} // namespace brickccl

#endif
