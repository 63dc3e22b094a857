#ifndef BRICKCCL_DISPATCH_CUDASLABLABELER_H
#define BRICKCCL_DISPATCH_CUDASLABLABELER_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace brickccl
{

/** A slab of a volume: some of its slices across the last axis, in memory of a CUDA device. */
struct DeviceSlab
{
  int                      device = 0;
  ImageView                image;
  std::optional<ImageView> mask;
  /** Work on this slab is queued on it (a cudaStream_t of the device; null stands for its default stream). */
  void * stream = nullptr;
};

/** Labels a volume that lies on CUDA devices by slabs, each on its device. The labels are those of the volume labeled
 * at once. Slices at borders of slabs go to the devices beside, and lists of joined labels to the host; nothing else
 *  leaves a device. It keeps its memory between calls. One labeler serves one thread at a time. Only builds with CUDA
 *  have it. */
class CudaSlabLabeler
{
public:
  CudaSlabLabeler();
  ~CudaSlabLabeler();
  CudaSlabLabeler(const CudaSlabLabeler &) = delete;
  CudaSlabLabeler & operator=(const CudaSlabLabeler &) = delete;

  /** Labels slabs that follow each other along the last axis. Several may lie on one device. The label maps have the
   *  type `type`, and lie on the devices of their slabs: one for each slab, or none at all. The call returns when the
   *  number of components is known. A label map is complete when the stream of its slab has come that far.
   *  \return the number of the volume's components. \throws InvalidArgument, which names the slab that does not fit the
   *  others; Unsupported for less than 2 dimensions and for 2^32 components or more; cuda::DeviceError; LabelOverflow,
   *  with nothing written, if the type is too small. After an exception the labeler can be used again. */
  std::uint64_t Label(const std::string &             algorithm,
                      const std::vector<DeviceSlab> & slabs,
                      const Criterion &               criterion,
                      const Connectivity &            connectivity,
                      const std::vector<void *> &     labels,
                      LabelType                       type);

  /** Queues the label maps of what was labeled last. The images must still be there. \throws InvalidArgument if nothing
   *  was labeled; LabelOverflow, with nothing written, if the type is too small. */
  void Write(const std::vector<void *> & labels, LabelType type);

  const std::string & LastAlgorithm() const;

  /** The seconds that steps of the last call took on the host, which waits in them for the devices. */
  struct Times
  {
    /** The slab that took longest labeled; beside it, seams are. */
    double label = 0;
    /** What was left then: what components of slabs and seams share, found and brought to the host. */
    double seams = 0;
    /** Components joined and numbered on the host. */
    double merge = 0;
    /** Numbers sent, label maps queued. */
    double queue = 0;
  };
  const Times & LastTimes() const;

private:
  class State;
  std::unique_ptr<State> m_State;
};

} // namespace brickccl

#endif
