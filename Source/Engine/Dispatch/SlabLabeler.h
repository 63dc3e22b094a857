// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Criteria/Problem.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Dispatch/DeviceLabeler.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Labels/StackSlabs.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace brickccl
{

/** Labels volumes in host memory by slabs, on one CUDA device or on several. So a volume may be larger than a device's
 *  memory. On each device two slabs are at work at a time: one goes up to the device while another one is labeled or
 *  comes back as runs. It keeps its memory between calls. Only builds with CUDA have it. */
class SlabLabeler
{
public:
  /** The seconds that the last call took. Those of steps on devices are sums over all slabs, which overlap. */
  struct Times
  {
    /** From the first upload to the last runs on the host. */
    double slabs = 0;
    /** The copies of runs to one volume, and joining components across slabs. */
    double stack = 0;
    /** The number of slabs. */
    std::size_t count = 0;
    /** In slabs: voxels sent, components found, runs brought back. */
    double upload = 0;
    double label = 0;
    double download = 0;
  };

  /** Whether a volume is better labeled by slabs on this device, or does not fit its memory as a whole. */
  static bool IsNeeded(const Problem & problem, int device);

  /** Labels a problem with its voxels in host memory, with the usual labels. A device may be named more
   *  than once. \return N. \throws Unsupported, Canceled, cuda::DeviceError. After an exception it can be used again.
   */
  std::uint64_t Label(const AlgorithmChoice &  asked,
                      const Problem &          problem,
                      const std::vector<int> & devices,
                      const HostContext &      context,
                      RunVolume &              result);

  const std::string &
  LastAlgorithm() const
  {
    return m_Algorithm;
  }
  const Times &
  LastTimes() const
  {
    return m_Times;
  }

private:
  struct Work;

  /** Labelers on the devices, and the labeled slabs. */
  std::vector<std::unique_ptr<DeviceLabeler>> m_Labelers;
  std::vector<RunVolume>                      m_Slabs;
  std::string                                 m_Algorithm;
  Times                                       m_Times;
};

} // namespace brickccl
