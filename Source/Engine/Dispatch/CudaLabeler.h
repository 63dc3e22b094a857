#ifndef BRICKCCL_DISPATCH_CUDALABELER_H
#define BRICKCCL_DISPATCH_CUDALABELER_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Labels/Labels.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

class DeviceLabeler;

/** Labels images that lie in memory of a CUDA device. It keeps its own memory between calls. One labeler serves one
 *  thread at a time; several labelers may work at once, on one device or on several. Only builds with CUDA have it.
 *  (Label() labels images in host memory, also on a device.) */
class CudaLabeler
{
public:
  /** \throws cuda::DeviceError if the device cannot be used. */
  explicit CudaLabeler(int device);
  ~CudaLabeler();
  CudaLabeler(const CudaLabeler &) = delete;
  CudaLabeler & operator=(const CudaLabeler &) = delete;

  int Device() const;

  /** The name of the algorithm that labeled last. It tells what `Auto` chose. */
  const std::string & LastAlgorithm() const;

  /** Labels an image in memory of this device, and writes the label map to `labels` there. The map has the type `type`
   *  and is x fastest; if `labels` is null, none is made. Work is queued on `stream` (a cudaStream_t; null stands for
   * the default stream). The call returns when the number of components is known. The label map is complete when the
   * stream has come that far. \return N. \throws InvalidArgument, Unsupported, cuda::DeviceError; LabelOverflow, with
   * nothing written, if the type is too small. After an exception the labeler can be used again. */
  std::uint64_t LabelOnDevice(const std::string &              algorithm,
                              const ImageView &                image,
                              const Criterion &                criterion,
                              const std::optional<ImageView> & mask,
                              const Connectivity &             connectivity,
                              void *                           labels,
                              LabelType                        type,
                              void *                           stream = nullptr);

  // What follows works on what the last call labeled, or on what one of these has made of it since. `stream` must be
  // the stream of that call, and the image must still be there. Nothing comes to the host but the numbers that are
  // returned. \throws InvalidArgument if nothing was labeled, cuda::DeviceError.

  /** Queues the label map. \throws LabelOverflow, with nothing written, if the type is too small. */
  void WriteOnDevice(void * labels, LabelType type, void * stream = nullptr);

  /** Queues the sizes of components 1..N: N numbers in memory of the device. */
  void SizesOnDevice(std::uint64_t * sizes, void * stream = nullptr);

  /** Drops components by their sizes, and numbers those that stay anew, as Relabel() does on the host. If `labels` is
   *  not null, the label map is written, too. \return how many stay. \throws LabelOverflow, with nothing written, if
   * the type is too small for them. */
  std::uint64_t RelabelOnDevice(const RelabelOptions & options, void * labels, LabelType type, void * stream = nullptr);

  /** Keeps the components k for which keeps[k - 1] is not 0, and numbers them from 1 on in their order. `keeps` lies in
   *  memory of the device. \return and \throws as RelabelOnDevice */
  std::uint64_t KeepOnDevice(const unsigned char * keeps, void * labels, LabelType type, void * stream = nullptr);

  /** Writes the offsets of LabelLists to memory of the device: N + 1 numbers. \return the number of voxels of all
   *  components */
  std::uint64_t OffsetsOnDevice(std::int64_t * offsets, void * stream = nullptr);

  /** Queues the voxels of LabelLists, as many as OffsetsOnDevice says. */
  void ListOnDevice(std::int64_t * voxels, void * stream = nullptr);

  /** Queues the sums of the component table's default columns over the components that the last call labeled. They go
   *  on `stream`, which must be the stream of that call, and stay on the device. With BrickMerging the image must still
   *  be there. \throws InvalidArgument if nothing was labeled; Unsupported for more than 3 dimensions;
   *  cuda::DeviceError. */
  void MeasureOnDevice(void * stream = nullptr);

  /** Does the same, and brings the table of the default columns to the host. It equals the CPU's, bit for bit. */
  ComponentTable FetchTable(const Geometry & geometry, void * stream = nullptr);

  /** The device memory that is held for the next call, without uploaded images. */
  std::size_t ScratchBytes() const;

private:
  friend DeviceLabeler & DeviceLabelerOf(CudaLabeler & labeler);

  std::unique_ptr<DeviceLabeler> m_Labeler;
};

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
 * at once. Slices at borders of slabs go to the devices beside, and lists of joined labels to all devices, through the
 *  host; nothing else leaves a device. It keeps its memory between calls. One labeler serves one thread at a time. Only
 * builds with CUDA have it. */
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
   *  others; Unsupported for less than 2 dimensions, and where the slabs have 2^32 components or more together;
   *  cuda::DeviceError; LabelOverflow, with nothing written, if the type is too small. After an exception the labeler
   * can be used again. */
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

  /** How far a slab's work had come when: seconds on the host since the call began. */
  struct SlabTimes
  {
    double begun = 0;
    /** All that labels it and its seams was queued. */
    double queued = 0;
    /** Its components were counted. */
    double labeled = 0;
    /** All that joins and numbers them was queued, and the label map. */
    double joinsQueued = 0;
    /** The volume's components were counted. */
    double counted = 0;
    /** The steps on its stream on the device with their milliseconds, and those on its seams' streams, if they are
     *  measured. */
    std::vector<std::pair<std::string, double>>              stages;
    std::vector<std::vector<std::pair<std::string, double>>> stagesOfSeams;
  };

  /** Whether steps on devices are measured, which takes a little time itself. At first they are not. */
  void MeasureStages(bool on);

  /** The times of the last call's slabs. The label maps must be complete if steps on devices are measured. */
  std::vector<SlabTimes> LastTimes() const;

private:
  class State;
  std::unique_ptr<State> m_State;
};

} // namespace brickccl

#endif
