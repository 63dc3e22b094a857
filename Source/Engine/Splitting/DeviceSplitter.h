// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Geometry/DistanceTransform.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Splitting/MergeBasins.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace brickccl
{

/** Distance maps and splits on a CUDA device, the same as the CPU's. Labels and results are in memory of the host, with
 *  a context for the copies, or of the device, without one. Functions return when the result is there. Memory is kept
 *  between calls. Only builds with CUDA have it. \throws cuda::DeviceError from all functions. */
class DeviceSplitter
{
public:
  explicit DeviceSplitter(int device);
  ~DeviceSplitter();
  DeviceSplitter(const DeviceSplitter &) = delete;
  DeviceSplitter & operator=(const DeviceSplitter &) = delete;

  /** Whether a device can do it: up to 3 dimensions, fewer than 2^31 voxels, and squares that are whole and fit 31
   *  bits. */
  static bool Supports(const ImageView & labels, const DistanceUnit & unit);

  void Distances(const ImageView & labels, const DistanceUnit & unit, float * distances, const HostContext * host);

  using IsLow = std::function<bool(std::uint32_t, std::uint32_t)>;
  struct Found
  {
    Basins<std::uint32_t> basins;
    ObjectsOfBasins       objects;
  };

  /** \param isLow  as of Landscape */
  Found Split(const ImageView &    labels,
              const DistanceUnit & unit,
              const Connectivity & connectivity,
              const IsLow &        isLow,
              std::uint32_t *      objects,
              const HostContext *  host);

private:
  class State;
  std::unique_ptr<State> m_State;
};

} // namespace brickccl
