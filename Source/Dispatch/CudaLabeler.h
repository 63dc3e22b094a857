#ifndef BRICKCCL_DISPATCH_CUDALABELER_H
#define BRICKCCL_DISPATCH_CUDALABELER_H

#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

/** Labeling on one CUDA device, with memory that is kept between calls. One labeler serves one thread at a time;
 *  several labelers may work at once, on one device or on several. */
class CudaLabeler
{
public:
  /** \throws cuda::DeviceError if the device cannot be used. */
  explicit CudaLabeler(int device);
  ~CudaLabeler();
  CudaLabeler(const CudaLabeler &) = delete;
  CudaLabeler & operator=(const CudaLabeler &) = delete;

  int Device() const;

  /** The name of the algorithm that labeled last, which says what `Auto` chose. */
  const std::string & LastAlgorithm() const;

  /** In how many rounds that algorithm, if it repeats its steps until nothing changes, changed something; 0 for the
   *  others. \throws InvalidArgument if nothing was labeled. */
  int LastIterations() const;

  /** Whether algorithms whose nodes are voxels take the times of their stages; at first they do not. */
  void MeasureStages(bool on);

  /** The stages of the last call and their milliseconds on the device, in order; empty if they were not taken. */
  std::vector<std::pair<std::string, double>> LastStages() const;

  /** Labels an image in host memory; the labels 1..N come back as runs, the same as the CPU's. Both ways go through
   *  page-locked memory, copied on the context's threads. \return N.
   *  \throws InvalidArgument, Unsupported, cuda::DeviceError. After an exception the labeler can be used again. */
  std::uint64_t Label(const std::string &              algorithm,
                      const ImageView &                image,
                      const Criterion &                criterion,
                      const std::optional<ImageView> & mask,
                      const Connectivity &             connectivity,
                      RunVolume &                      result,
                      const HostContext &              context = {});

  /** Labels an image in memory of this device and writes the label map, of type `type` and x fastest, to `labels`
   *  there. Work is queued on `stream` (a cudaStream_t; null: the default stream); the call returns when the number of
   *  components is known, the label map is complete when the stream has come that far. \return N.
   *  \throws as Label; LabelOverflow, with nothing written, if the type is too small. */
  std::uint64_t LabelOnDevice(const std::string &              algorithm,
                              const ImageView &                image,
                              const Criterion &                criterion,
                              const std::optional<ImageView> & mask,
                              const Connectivity &             connectivity,
                              void *                           labels,
                              LabelType                        type,
                              void *                           stream = nullptr);

  /** Queues the sums of the component table's default columns over the components that the last call labeled, on the
   *  stream of that call; they stay on the device. With BrickMerging the image must still be there.
   *  \throws InvalidArgument if nothing was labeled; Unsupported for more than 3 dimensions; cuda::DeviceError. */
  void MeasureOnDevice(void * stream = nullptr);

  /** Does that and brings the table of the default columns to the host: the same as the CPU's, bit for bit. */
  ComponentTable FetchTable(const Geometry & geometry, void * stream = nullptr);

  /** Queues the components' sizes and moments, summed voxel by voxel as the paper about ridge patterns does (CUCCL,
   *  gitlab.com/lcg/cuccl, section III): brought together from what the algorithm collected on its way if it was asked
   *  to ("LabelEquivalence:properties=moments", early computation), or summed now (late computation). The component
   *  table has the same numbers and is made faster; these two are there to be compared.
   *  \throws InvalidArgument if nothing was labeled; Unsupported for algorithms whose nodes are runs. */
  void MomentsOnDevice(void * stream = nullptr);

  /** Does that and brings them to the host, in the order of labels. With "properties=size" they have sizes alone. */
  std::vector<ComponentMoments> FetchMoments(void * stream = nullptr);

  /** Device memory held for the next call, beside uploaded images. */
  std::size_t ScratchBytes() const;

private:
  class Implementation;
  std::unique_ptr<Implementation> m_Implementation;
};

} // namespace brickccl

#endif
