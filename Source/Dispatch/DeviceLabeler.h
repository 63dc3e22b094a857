#ifndef BRICKCCL_DISPATCH_DEVICELABELER_H
#define BRICKCCL_DISPATCH_DEVICELABELER_H

#include "BrickCCL/Criteria/Problem.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Dispatch/CudaLabeler.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentSums.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

/** Labeling on one CUDA device, for problems that are checked: what stands behind CudaLabeler and behind Label() on a
 *  device. It also tells what only comparisons of the papers' algorithms ask for. Only in builds with CUDA. */
class DeviceLabeler
{
public:
  /** \throws cuda::DeviceError if the device cannot be used. */
  explicit DeviceLabeler(int device);
  ~DeviceLabeler();
  DeviceLabeler(const DeviceLabeler &) = delete;
  DeviceLabeler & operator=(const DeviceLabeler &) = delete;

  int                 Device() const;
  const std::string & LastAlgorithm() const;
  std::size_t         ScratchBytes() const;

  /** Labels a problem whose voxels lie in host memory; the labels 1..N come back as runs, the same as the CPU's. Both
   *  ways go through page-locked memory, copied on the context's threads, which hears of progress and may cancel.
   *  \return N. \throws Unsupported, Cancelled, cuda::DeviceError. After an exception it can be used again. */
  std::uint64_t
  Label(const AlgorithmChoice & asked, const Problem & problem, const HostContext & context, RunVolume & result);

  /** Labels a problem whose voxels lie on the device; see CudaLabeler::LabelOnDevice. */
  std::uint64_t
  LabelOnDevice(const AlgorithmChoice & asked, const Problem & problem, void * labels, LabelType type, void * stream);

  /** See CudaLabeler. */
  void           MeasureOnDevice(void * stream);
  ComponentTable FetchTable(const Geometry & geometry, void * stream);

  /** In how many rounds the last algorithm, if it repeats its steps until nothing changes, changed something; 0 for the
   *  others. \throws InvalidArgument if nothing was labeled. */
  int LastIterations() const;

  /** Whether algorithms whose nodes are voxels take the times of their stages; at first they do not. */
  void MeasureStages(bool on);

  /** The stages of the last call and their milliseconds on the device, in order; empty if they were not taken. */
  std::vector<std::pair<std::string, double>> LastStages() const;

  /** Queues the components' sizes and moments, summed voxel by voxel as the paper about ridge patterns does (CUCCL,
   *  gitlab.com/lcg/cuccl, section III): brought together from what the algorithm collected on its way if it was asked
   *  to ("LabelEquivalence:properties=moments", early computation), or summed now (late computation). The component
   *  table has the same numbers and is made faster; these two are there to be compared.
   *  \throws InvalidArgument if nothing was labeled; Unsupported for algorithms whose nodes are runs. */
  void MomentsOnDevice(void * stream = nullptr);

  /** Does that and brings them to the host, in the order of labels. With "properties=size" they have sizes alone. */
  std::vector<ComponentMoments> FetchMoments(void * stream = nullptr);

private:
  class State;
  std::unique_ptr<State> m_State;
};

/** What stands behind a labeler. */
DeviceLabeler & DeviceLabelerOf(CudaLabeler & labeler);

} // namespace brickccl

#endif
