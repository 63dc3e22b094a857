// SPDX-License-Identifier: Apache-2.0
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

/** Labels images in memory of a CUDA device. It keeps its own memory between calls. One labeler serves one thread at
 *  a time; several labelers may work at once, on one or more devices. Only builds with CUDA have it. (Label() labels
 *  images in host memory, also on a device.) */
class CudaLabeler
{
public:
  /** \throws cuda::DeviceError if the device cannot be used. */
  explicit CudaLabeler(int device);
  ~CudaLabeler();
  CudaLabeler(const CudaLabeler &) = delete;
  CudaLabeler & operator=(const CudaLabeler &) = delete;

  int Device() const;

  /** The name of the algorithm of the last call: the choice of `Auto`. */
  const std::string & LastAlgorithm() const;

  /** Labels an image in memory of this device, and writes the label map to `labels` there. The map has the type
   *  `type` and is x fastest; if `labels` is null, it is not written. Work is queued on `stream` (a cudaStream_t;
   *  null: the default stream). The call returns when the number of components is known. The label map is complete
   *  when the stream has reached that point. \return N. \throws InvalidArgument, Unsupported, cuda::DeviceError;
   *  LabelOverflow, with nothing written, if the type is too small. After an exception the labeler can be used again.
   */
  std::uint64_t LabelOnDevice(const std::string &              algorithm,
                              const ImageView &                image,
                              const Criterion &                criterion,
                              const std::optional<ImageView> & mask,
                              const Connectivity &             connectivity,
                              void *                           labels,
                              LabelType                        type,
                              void *                           stream = nullptr);

  // The following functions use the result of the last call, or of one another. `stream` must be the stream of that
  // call, and the image must still exist. Only the returned numbers come to the host. \throws InvalidArgument if
  // nothing was labeled, cuda::DeviceError.

  /** Queues the label map. \throws LabelOverflow, with nothing written, if the type is too small. */
  void WriteOnDevice(void * labels, LabelType type, void * stream = nullptr);

  /** Queues the sizes of components 1..N: N numbers in memory of the device. */
  void SizesOnDevice(std::uint64_t * sizes, void * stream = nullptr);

  /** Drops components by size and renumbers the rest, as Relabel() does on the host. If `labels` is not null, the
   *  label map is written, too. \return the number of remaining components. \throws LabelOverflow, with nothing
   *  written, if the type is too small for them. */
  std::uint64_t RelabelOnDevice(const RelabelOptions & options, void * labels, LabelType type, void * stream = nullptr);

  /** Keeps the components k for which keeps[k - 1] is not 0, and numbers them from 1 in their order. `keeps` is in
   *  memory of the device. \return and \throws as RelabelOnDevice */
  std::uint64_t KeepOnDevice(const unsigned char * keeps, void * labels, LabelType type, void * stream = nullptr);

  /** Writes the offsets of LabelLists to memory of the device: N + 1 numbers. \return the number of voxels of all
   *  components */
  std::uint64_t OffsetsOnDevice(std::int64_t * offsets, void * stream = nullptr);

  /** Queues the voxels of LabelLists, as many as OffsetsOnDevice returns. */
  void ListOnDevice(std::int64_t * voxels, void * stream = nullptr);

  /** Queues the sums for the component table's default columns of the last call's components on `stream`, which must
   *  be the stream of that call. The sums stay on the device. With BrickMerging the image must still exist. \throws
   *  InvalidArgument if nothing was labeled; Unsupported for more than 3 dimensions; cuda::DeviceError. */
  void MeasureOnDevice(void * stream = nullptr);

  /** As MeasureOnDevice, and copies the table of the default columns to the host. It equals the CPU's table, bit for
   *  bit. */
  ComponentTable FetchTable(const Geometry & geometry, void * stream = nullptr);

  /** The device memory kept for the next call, without uploaded images. */
  std::size_t ScratchBytes() const;

protected:
  class State;
  std::unique_ptr<State> m_State;
};

/** A slab of a volume: some of its slices across the last axis, in memory of a CUDA device. */
struct DeviceSlab
{
  int                      device = 0;
  ImageView                image;
  std::optional<ImageView> mask;
  /** The stream for work on this slab (a cudaStream_t of the device; null: its default stream). */
  void * stream = nullptr;
};

/** Labels a volume in slabs on CUDA devices, each on its device. The labels are the same as for the whole volume.
 *  Only slices at borders of slabs (to the next devices) and lists of joined labels (to all devices) leave a device,
 *  through the host. It keeps its memory between calls. One labeler serves one thread at a time. Only builds with
 *  CUDA have it. */
class CudaSlabLabeler
{
public:
  CudaSlabLabeler();
  ~CudaSlabLabeler();
  CudaSlabLabeler(const CudaSlabLabeler &) = delete;
  CudaSlabLabeler & operator=(const CudaSlabLabeler &) = delete;

  /** Labels consecutive slabs along the last axis. Several may be on one device. The label maps have the type `type`
   *  and are on the devices of their slabs: one for each slab, or none. The call returns when the number of
   *  components is known. A label map is complete when the stream of its slab has reached that point.
   *  \return the number of the volume's components. \throws InvalidArgument, which names the slab that does not fit
   *  the others; Unsupported for less than 2 dimensions, and for 2^32 components or more in all slabs together;
   *  cuda::DeviceError; LabelOverflow, with nothing written, if the type is too small. After an exception the labeler
   *  can be used again. */
  std::uint64_t Label(const std::string &             algorithm,
                      const std::vector<DeviceSlab> & slabs,
                      const Criterion &               criterion,
                      const Connectivity &            connectivity,
                      const std::vector<void *> &     labels,
                      LabelType                       type);

  /** Queues the label maps of the last call. The images must still exist. \throws InvalidArgument if nothing
   *  was labeled; LabelOverflow, with nothing written, if the type is too small. */
  void Write(const std::vector<void *> & labels, LabelType type);

  const std::string & LastAlgorithm() const;

  /** The times of a slab's work: seconds on the host since the call began. */
  struct SlabTimes
  {
    double begun = 0;
    /** The work to label it and its seams was queued. */
    double queued = 0;
    /** Its components were counted. */
    double labeled = 0;
    /** The work to join and number them was queued, and the label map. */
    double joinsQueued = 0;
    /** The volume's components were counted. */
    double counted = 0;
    /** The steps on its stream on the device with their milliseconds, and on its seams' streams, if measured. */
    std::vector<std::pair<std::string, double>>              stages;
    std::vector<std::vector<std::pair<std::string, double>>> stagesOfSeams;
  };

  /** Whether to measure steps on devices, which takes a little time itself. Off by default. */
  void MeasureStages(bool on);

  /** The times of the last call's slabs. The label maps must be complete if steps on devices are measured. */
  std::vector<SlabTimes> LastTimes() const;

private:
  class State;
  std::unique_ptr<State> m_State;
};

} // namespace brickccl

#endif
