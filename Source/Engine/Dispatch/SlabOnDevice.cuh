// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_DISPATCH_SLABONDEVICE_CUH
#define BRICKCCL_DISPATCH_SLABONDEVICE_CUH

#include "BrickCCL/Criteria/Problem.h"
#include "BrickCCL/Cuda/Runtime.cuh"
#include "BrickCCL/Cuda/StageClock.cuh"
#include "BrickCCL/Dispatch/CudaLabeler.h"
#include "BrickCCL/Dispatch/DeviceLabeler.h"
#include "BrickCCL/Host/Stopwatch.h"
#include "BrickCCL/Labels/JoinSlabs.cuh"
#include "BrickCCL/Labels/SeamsOnDevice.cuh"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

/** The state of CudaSlabLabeler for each slab, and for each side of a seam between two slabs. */
namespace brickccl
{

/** The slices at the ends of slabs. */
struct Slices
{
  int          axis = 0;
  std::int64_t voxels = 0;
  std::int64_t rows = 0;

  Slices() = default;
  explicit Slices(const Extent & extent)
    : axis(extent.dimension - 1)
    , voxels(extent.VoxelCount() / extent.size[axis])
    , rows(extent.RowCount() / extent.size[axis])
  {}
};

/** The place of the current slab, and its labeler. */
class SlabOnDevice
{
public:
  explicit SlabOnDevice(int device)
    : labeler(device)
    , m_Device(device)
  {
    const cuda::CurrentDevice current(device);
    m_Tools.emplace();
  }
  ~SlabOnDevice()
  {
    const cuda::CurrentDevice current(m_Device, std::nothrow);
    m_Tools.reset();
  }

  int
  Device() const
  {
    return m_Device;
  }

  /** Waits for all that is queued on the slab's device. Errors there were reported before. */
  void
  WaitForDevice() const
  {
    const cuda::CurrentDevice current(m_Device, std::nothrow);
    (void)cudaDeviceSynchronize();
  }

  /** Says that what was queued before on the slab's stream is done when `Ready()` comes. */
  void
  Begin(const Problem & slab, void * stream)
  {
    const cuda::CurrentDevice current(m_Device);
    problem.emplace(slab);
    on = static_cast<cudaStream_t>(stream);
    m_Tools->ready.Record(on);
  }
  cuda::Event &
  Ready()
  {
    return m_Tools->ready;
  }

  /** Labels the slab. `queueSides` queues work on its seams before the host waits for it. */
  void
  Label(const AlgorithmChoice & asked, const Stopwatch & start, const std::function<void()> & queueSides)
  {
    const cuda::CurrentDevice current(m_Device);
    times.begun = SecondsSince(start);
    m_Tools->stages.Start(on);
    const auto queueMore = [&] {
      m_Tools->stages.Finish("label", on);
      m_Tools->labeled.Record(on);
      queueSides();
      times.queued = SecondsSince(start);
    };
    components = labeler.LabelThen(asked, *problem, queueMore, on);
    times.labeled = SecondsSince(start);
  }
  /** When the labels are there. */
  cuda::Event &
  Labeled()
  {
    return m_Tools->labeled;
  }

  /** Queues the numbers of the slab's components in the volume, and the label map if requested; waits until the
   * volume's components are counted. */
  template <typename TSides>
  void
  Number(const TSides &                     sides,
         const std::vector<std::uint64_t> & componentsOfSlabs,
         std::size_t                        own,
         void *                             labels,
         LabelType                          type,
         const Stopwatch &                  start)
  {
    const cuda::CurrentDevice           current(m_Device);
    std::vector<const cuda::SeamSide *> told;
    for (const auto & side : sides)
    {
      told.push_back(&side->Tells());
    }
    m_Tools->numbers.Prepare(told, componentsOfSlabs, own, on);
    for (const auto & side : sides)
    {
      side->Found().MakeStreamWait(on);
    }
    m_Tools->stages.Finish("wait for seams", on);
    const auto highest = std::accumulate(componentsOfSlabs.begin(), componentsOfSlabs.end(), std::uint64_t{ 0 });
    labeler.NumberOnDevice(m_Tools->numbers.Queue(on), highest, on);
    m_Tools->stages.Finish("join and number", on);
    if (labels != nullptr)
    {
      labeler.WriteOnDevice(labels, type, on);
      m_Tools->stages.Finish("write", on);
    }
    times.joinsQueued = SecondsSince(start);
    componentsOfVolume = m_Tools->numbers.WaitForCount();
    times.counted = SecondsSince(start);
  }

  cuda::StageClock &
  Stages()
  {
    return m_Tools->stages;
  }

  DeviceLabeler              labeler;
  std::optional<Problem>     problem;
  cudaStream_t               on = nullptr;
  std::uint64_t              components = 0;
  std::uint64_t              componentsOfVolume = 0;
  CudaSlabLabeler::SlabTimes times;

private:
  struct Tools
  {
    cuda::Event       ready;
    cuda::Event       labeled;
    cuda::SlabNumbers numbers;
    cuda::StageClock  stages;
  };

  static double
  SecondsSince(const Stopwatch & start)
  {
    Stopwatch clock = start;
    return clock.Lap();
  }

  int                  m_Device;
  std::optional<Tools> m_Tools;
};

/** One side of a seam, on the device of its slab. */
class SideOnDevice
{
public:
  explicit SideOnDevice(int device)
    : m_Labeler(device)
    , m_Device(device)
  {
    const cuda::CurrentDevice current(device);
    m_Tools.emplace();
  }
  ~SideOnDevice()
  {
    const cuda::CurrentDevice current(m_Device, std::nothrow);
    m_Tools.reset();
  }

  /** Queues what brings the last slice of the lower slab and the first one of the upper slab together, as the volume
   *  that Label() labels. */
  void
  Fetch(const Slices & slices, SlabOnDevice & lower, SlabOnDevice & upper)
  {
    const cuda::CurrentDevice current(m_Device);
    Tools &                   own = *m_Tools;
    const cudaStream_t        stream = own.stream.Get();
    own.stages.Start(stream);
    lower.Ready().MakeStreamWait(stream);
    upper.Ready().MakeStreamWait(stream);
    m_Problem = *lower.problem;
    m_Problem->image =
      Gather(own.image, slices, lower.problem->image, lower.Device(), upper.problem->image, upper.Device());
    if (m_Problem->mask)
    {
      m_Problem->mask =
        Gather(own.mask, slices, *lower.problem->mask, lower.Device(), *upper.problem->mask, upper.Device());
    }
    own.stages.Finish("fetch slices", stream);
  }

  /** Queues the labels of the seam in the slice of `slab`, which is the upper one or the lower one, and what finds the
   *  components that both the seam and the slab have there. All that labels the slab is queued. `queueMore` queues
   * other work before the host waits for the seam. */
  void
  Label(const AlgorithmChoice &       asked,
        const Slices &                slices,
        SlabOnDevice &                slab,
        bool                          isUpper,
        const std::function<void()> & queueMore)
  {
    const cuda::CurrentDevice current(m_Device);
    Tools &                   own = *m_Tools;
    const cudaStream_t        stream = own.stream.Get();
    const std::int64_t        rowLength = slices.voxels / slices.rows;
    own.seam.own.Resize(slices.rows, rowLength);
    own.seam.seam.Resize(slices.rows, rowLength);
    const auto write = [&](DeviceLabeler & labeler, bool isLast, cuda::SliceLabels & labels, std::int64_t allRows) {
      labeler.WriteRowStartsOnDevice(isLast ? allRows - slices.rows : 0,
                                     slices.rows,
                                     labels.labels.Data(),
                                     labels.places.Data(),
                                     stream);
    };
    const auto writeAndMore = [&] {
      write(m_Labeler, isUpper, own.seam.seam, 2 * slices.rows);
      own.stages.Finish("label seam", stream);
      queueMore();
    };
    const std::uint64_t components = m_Labeler.LabelThen(asked, *m_Problem, writeAndMore, stream);
    own.seam.Prepare(slices.rows, rowLength, components, stream);
    slab.Labeled().MakeStreamWait(stream);
    own.stages.Finish("wait for slab", stream);
    write(slab.labeler, !isUpper, own.seam.own, slab.problem->GetExtent().RowCount());
    Find();
  }

  /** Finds again what there was too little room for. \return whether that was so */
  bool
  FindAgain()
  {
    const cuda::CurrentDevice current(m_Device);
    const bool                isNeeded = !m_Tools->seam.HadRoom();
    if (isNeeded)
    {
      Find();
    }
    return isNeeded;
  }

  /** The shared components of the slab and the seam, available after Found(). */
  const cuda::SeamSide &
  Tells() const
  {
    return m_Tools->seam.Found();
  }
  cuda::Event &
  Found()
  {
    return m_Tools->found;
  }

  cuda::StageClock &
  Stages()
  {
    return m_Tools->stages;
  }

private:
  struct Tools
  {
    cuda::Stream                      stream{ cuda::Stream::Priority::Highest };
    cuda::DeviceBuffer<unsigned char> image;
    cuda::DeviceBuffer<unsigned char> mask;
    cuda::SeamOnDevice                seam;
    cuda::Event                       found;
    cuda::StageClock                  stages;
  };

  void
  Find()
  {
    m_Tools->seam.QueueFind();
    m_Tools->found.Record(m_Tools->stream.Get());
    m_Tools->stages.Finish("find", m_Tools->stream.Get());
  }

  /** Brings the last slice of one image and the first slice of another together. */
  ImageView
  Gather(cuda::DeviceBuffer<unsigned char> & buffer,
         const Slices &                      slices,
         const ImageView &                   lower,
         int                                 lowerDevice,
         const ImageView &                   upper,
         int                                 upperDevice)
  {
    const cudaStream_t stream = m_Tools->stream.Get();
    const std::size_t  bytes =
      static_cast<std::size_t>(slices.voxels) * static_cast<std::size_t>(lower.channels) * SizeOf(lower.type);
    const auto slicesBefore = static_cast<std::size_t>(lower.extent.size[slices.axis] - 1);
    buffer.Resize(2 * bytes);
    BRICKCCL_CUDA_CHECK(cudaMemcpyPeerAsync(buffer.Data(),
                                            m_Device,
                                            static_cast<const unsigned char *>(lower.data) + slicesBefore * bytes,
                                            lowerDevice,
                                            bytes,
                                            stream));
    BRICKCCL_CUDA_CHECK(cudaMemcpyPeerAsync(buffer.Data() + bytes, m_Device, upper.data, upperDevice, bytes, stream));
    ImageView seam = lower;
    seam.data = buffer.Data();
    seam.extent.size[slices.axis] = 2;
    return seam;
  }

  DeviceLabeler          m_Labeler;
  std::optional<Problem> m_Problem;
  int                    m_Device;
  std::optional<Tools>   m_Tools;
};

} // namespace brickccl

#endif
