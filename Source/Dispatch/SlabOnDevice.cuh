#ifndef BRICKCCL_DISPATCH_SLABONDEVICE_CUH
#define BRICKCCL_DISPATCH_SLABONDEVICE_CUH

#include "BrickCCL/Criteria/Problem.h"
#include "BrickCCL/Cuda/Runtime.cuh"
#include "BrickCCL/Dispatch/DeviceLabeler.h"
#include "BrickCCL/Host/StepClock.h"
#include "BrickCCL/Labels/SeamsOnDevice.cuh"
#include "BrickCCL/Labels/SlabMerge.h"

#include <cstddef>
#include <cstdint>
#include <optional>

/** What CudaSlabLabeler keeps for each slab, and for each side of a seam between two slabs. */
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

/** Where slab lies that is labeled now, and what labels it. */
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
    // What is held goes back to the device that it came from.
    (void)cudaSetDevice(m_Device);
  }

  int
  Device() const
  {
    return m_Device;
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

  /** Labels the slab, and writes the labels of its first and its last slice where these places are not null. */
  void
  Label(const AlgorithmChoice & asked, const Slices & slices, unsigned * first, unsigned * last)
  {
    const cuda::CurrentDevice current(m_Device);
    StepClock                 clock;
    components = labeler.LabelOnDevice(asked, *problem, nullptr, LabelType::UInt32, on);
    if (first != nullptr)
    {
      labeler.WriteRowsOnDevice(0, slices.rows, first, on);
    }
    if (last != nullptr)
    {
      labeler.WriteRowsOnDevice(problem->GetExtent().RowCount() - slices.rows, slices.rows, last, on);
    }
    m_Tools->labeled.Record(on);
    seconds = clock.Step();
  }
  /** When the slices that Label() writes are there. */
  cuda::Event &
  Labeled()
  {
    return m_Tools->labeled;
  }

  /** Queues the numbers that the slab's components have in the volume. */
  void
  QueueNumbers(const SlabMerge & merge, std::size_t slab)
  {
    const cuda::CurrentDevice current(m_Device);
    labeler.NumberOnDevice(m_Tools->numbers.Queue(merge, slab, components, on), merge.ComponentCount(), on);
  }

  DeviceLabeler          labeler;
  std::optional<Problem> problem;
  cudaStream_t           on = nullptr;
  std::uint64_t          components = 0;
  /** What the last Label() took. */
  double seconds = 0;

private:
  struct Tools
  {
    cuda::Event       ready;
    cuda::Event       labeled;
    cuda::SlabNumbers numbers;
  };

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
    (void)cudaSetDevice(m_Device);
  }

  /** \return the place for the slab's labels in the slice at the seam */
  unsigned *
  Begin(const Slices & slices)
  {
    const cuda::CurrentDevice current(m_Device);
    m_Tools->seam.own.Resize(static_cast<std::size_t>(slices.voxels));
    return m_Tools->seam.own.Data();
  }

  /** Labels the seam between two slabs, and keeps its labels in the last slice of the lower slab, or in the first one
   *  of the upper slab. The slabs need not be labeled yet. */
  void
  Label(const AlgorithmChoice & asked, const Slices & slices, SlabOnDevice & lower, SlabOnDevice & upper, bool isUpper)
  {
    const cuda::CurrentDevice current(m_Device);
    Tools &                   own = *m_Tools;
    const cudaStream_t        stream = own.stream.Get();
    lower.Ready().MakeStreamWait(stream);
    upper.Ready().MakeStreamWait(stream);
    Problem problem = *lower.problem;
    problem.image =
      Gather(own.image, slices, lower.problem->image, lower.Device(), upper.problem->image, upper.Device());
    if (problem.mask)
    {
      problem.mask =
        Gather(own.mask, slices, *lower.problem->mask, lower.Device(), *upper.problem->mask, upper.Device());
    }
    own.seam.Prepare(slices.voxels,
                     m_Labeler.LabelOnDevice(asked, problem, nullptr, LabelType::UInt32, stream),
                     stream);
    m_Labeler.WriteRowsOnDevice(isUpper ? slices.rows : 0, slices.rows, own.seam.seam.Data(), stream);
  }

  /** Brings to the host what the components of the labeled slab and of the seam share. */
  void
  Find(SlabOnDevice & slab)
  {
    const cuda::CurrentDevice current(m_Device);
    slab.Labeled().MakeStreamWait(m_Tools->stream.Get());
    found = &m_Tools->seam.Find();
  }

  const cuda::SeamSide * found = nullptr;

private:
  struct Tools
  {
    cuda::Stream                      stream{ cuda::Stream::Priority::Highest };
    cuda::DeviceBuffer<unsigned char> image;
    cuda::DeviceBuffer<unsigned char> mask;
    cuda::SeamOnDevice                seam;
  };

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

  DeviceLabeler        m_Labeler;
  int                  m_Device;
  std::optional<Tools> m_Tools;
};

} // namespace brickccl

#endif
