#include "BrickCCL/Dispatch/CudaSlabLabeler.h"

#include "BrickCCL/Cuda/Runtime.cuh"
#include "BrickCCL/Dispatch/DeviceLabeler.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/StepClock.h"
#include "BrickCCL/Labels/SeamsOnDevice.cuh"

#include <algorithm>
#include <limits>
#include <utility>

namespace brickccl
{

namespace
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

private:
  struct Tools
  {
    cuda::Event       ready;
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

  /** Labels the seam between two slabs, and keeps its labels in the last slice of the lower slab, or in the first one
   *  of the upper slab. */
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
    m_Components = m_Labeler.LabelOnDevice(asked, problem, nullptr, LabelType::UInt32, stream);
    own.seam.seam.Resize(static_cast<std::size_t>(slices.voxels));
    m_Labeler.WriteRowsOnDevice(isUpper ? slices.rows : 0, slices.rows, own.seam.seam.Data(), stream);
    own.written.Record(stream);
  }

  /** Queues finding what the components of the slab and of the seam share. */
  void
  QueueFind(const Slices & slices, SlabOnDevice & slab, bool isUpper)
  {
    const cuda::CurrentDevice current(m_Device);
    Tools &                   own = *m_Tools;
    const Extent &            extent = slab.problem->GetExtent();
    own.seam.own.Resize(static_cast<std::size_t>(slices.voxels));
    slab.labeler.WriteRowsOnDevice(isUpper ? 0 : extent.RowCount() - slices.rows,
                                   slices.rows,
                                   own.seam.own.Data(),
                                   slab.on);
    own.written.MakeStreamWait(slab.on);
    own.seam.Queue(slices.voxels, extent.RowLength(), m_Components, slab.on);
  }

  void
  Fetch()
  {
    const cuda::CurrentDevice current(m_Device);
    found = &m_Tools->seam.Fetch();
  }

  const cuda::SeamSide * found = nullptr;

private:
  struct Tools
  {
    cuda::Stream                      stream{ cuda::Stream::Priority::Highest };
    cuda::DeviceBuffer<unsigned char> image;
    cuda::DeviceBuffer<unsigned char> mask;
    cuda::SeamOnDevice                seam;
    cuda::Event                       written;
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
  std::uint64_t        m_Components = 0;
};

/** \throws InvalidArgument unless a slab may follow the first one. */
void
CheckSlab(const DeviceSlab & first, const DeviceSlab & slab, std::size_t number)
{
  const std::string name = "slab " + std::to_string(number);
  Extent            extent = slab.image.extent;
  const int         axis = first.image.extent.dimension - 1;
  extent.size[axis] = first.image.extent.size[axis];
  if (extent != first.image.extent)
  {
    throw InvalidArgument(name + " is of " + slab.image.extent.ToString() + " voxels and slab 0 of " +
                          first.image.extent.ToString() + "; they may differ along the last axis alone");
  }
  if (slab.image.type != first.image.type || slab.image.channels != first.image.channels)
  {
    throw InvalidArgument(name + " has voxels of type " + NameOf(slab.image.type) + ", slab 0 of type " +
                          NameOf(first.image.type) + "; all slabs of a volume have the same");
  }
  if (slab.mask.has_value() != first.mask.has_value())
  {
    throw InvalidArgument(name + " has " + (slab.mask ? "a" : "no") +
                          " mask, unlike slab 0; all slabs have one, or none");
  }
}

} // namespace

class CudaSlabLabeler::State
{
public:
  void
  Begin(const std::vector<DeviceSlab> & slabs, const Criterion & criterion, const Connectivity & connectivity)
  {
    isLabeled = false;
    if (slabs.empty())
    {
      throw InvalidArgument("no slabs were given; there must be at least one");
    }
    std::vector<Problem> problems;
    for (std::size_t i = 0; i < slabs.size(); ++i)
    {
      CheckSlab(slabs[0], slabs[i], i);
      problems.emplace_back(slabs[i].image, criterion, slabs[i].mask, connectivity);
    }
    if (slabs[0].image.extent.dimension < 2)
    {
      throw Unsupported("slabs of 1-dimensional images are not labeled together; they need at least 2 dimensions");
    }
    slices = Slices(slabs[0].image.extent);
    const bool hasSeams = connectivity.Uses(slices.axis);
    const auto sideCount = hasSeams ? 2 * (slabs.size() - 1) : 0;
    bool       isFit = m_Slabs.size() == slabs.size() && m_Sides.size() == sideCount;
    for (std::size_t i = 0; i < slabs.size() && isFit; ++i)
    {
      isFit = m_Slabs[i]->Device() == slabs[i].device;
    }
    if (!isFit)
    {
      m_Slabs.clear();
      m_Sides.clear();
      for (const DeviceSlab & slab : slabs)
      {
        m_Slabs.push_back(std::make_unique<SlabOnDevice>(slab.device));
      }
      for (std::size_t side = 0; side < sideCount; ++side)
      {
        m_Sides.push_back(std::make_unique<SideOnDevice>(slabs[(side + 1) / 2].device));
      }
    }
    for (std::size_t i = 0; i < slabs.size(); ++i)
    {
      m_Slabs[i]->Begin(problems[i], slabs[i].stream);
    }
  }

  /** Labels all slabs and seams, each on a thread of its own. */
  void
  LabelAll(const AlgorithmChoice & asked)
  {
    OnThreads(m_Slabs.size() + m_Sides.size(), [&](std::size_t i) {
      if (i < m_Slabs.size())
      {
        SlabOnDevice & slab = *m_Slabs[i];
        slab.components = slab.labeler.LabelOnDevice(asked, *slab.problem, nullptr, LabelType::UInt32, slab.on);
        return;
      }
      const std::size_t side = i - m_Slabs.size();
      m_Sides[side]->Label(asked, slices, *m_Slabs[side / 2], *m_Slabs[side / 2 + 1], side % 2 != 0);
    });
  }

  /** Brings what slabs and seams share to the host. */
  void
  FindShared()
  {
    OnThreads(m_Sides.empty() ? 0 : m_Slabs.size(), [&](std::size_t i) {
      // The side below the slab, where it is the upper one, and that above it.
      const std::size_t begin = i == 0 ? 0 : 2 * i - 1;
      const std::size_t end = std::min(m_Sides.size(), 2 * i + 1);
      for (std::size_t side = begin; side < end; ++side)
      {
        m_Sides[side]->QueueFind(slices, *m_Slabs[i], side % 2 != 0);
      }
      for (std::size_t side = begin; side < end; ++side)
      {
        m_Sides[side]->Fetch();
      }
    });
  }

  SlabMerge
  Merge() const
  {
    std::vector<std::uint64_t> counts;
    for (const auto & slab : m_Slabs)
    {
      counts.push_back(slab->components);
    }
    SlabMerge merge(counts);
    for (std::size_t side = 0; side < m_Sides.size(); side += 2)
    {
      cuda::JoinSides(*m_Sides[side]->found, *m_Sides[side + 1]->found, side / 2, merge);
    }
    merge.Finish();
    if (merge.ComponentCount() > std::numeric_limits<std::uint32_t>::max())
    {
      throw Unsupported(std::to_string(merge.ComponentCount()) +
                        " components were found; slabs on devices are labeled together for less than 2^32");
    }
    return merge;
  }

  /** Gives components their numbers in the volume, and writes label maps if there are places for them. */
  void
  Number(const SlabMerge & merge, const std::vector<void *> & labels, LabelType type)
  {
    OnThreads(m_Slabs.size(), [&](std::size_t i) {
      m_Slabs[i]->QueueNumbers(merge, i);
      if (!labels.empty())
      {
        m_Slabs[i]->labeler.WriteOnDevice(labels[i], type, m_Slabs[i]->on);
      }
    });
  }

  void
  Write(const std::vector<void *> & labels, LabelType type)
  {
    OnThreads(m_Slabs.size(),
              [&](std::size_t i) { m_Slabs[i]->labeler.WriteOnDevice(labels[i], type, m_Slabs[i]->on); });
  }

  /** \throws InvalidArgument unless there is a label map for each slab, or none. */
  void
  CheckLabels(const std::vector<void *> & labels, bool mayBeNone) const
  {
    if (labels.size() != m_Slabs.size() && !(mayBeNone && labels.empty()))
    {
      throw InvalidArgument(std::to_string(labels.size()) + " label maps were given for " +
                            std::to_string(m_Slabs.size()) + " slabs; there must be one for each");
    }
  }

  const std::string &
  LastAlgorithm() const
  {
    static const std::string none;
    return m_Slabs.empty() ? none : m_Slabs.front()->labeler.LastAlgorithm();
  }

  Slices        slices;
  std::uint64_t components = 0;
  bool          isLabeled = false;
  Times         times;

private:
  template <typename TWork>
  static void
  OnThreads(std::size_t count, const TWork & work)
  {
    HostContext context;
    context.threads = EffectiveThreadCount(0);
    ParallelFor(static_cast<std::int64_t>(count), context, [&](std::int64_t i) { work(static_cast<std::size_t>(i)); });
  }

  std::vector<std::unique_ptr<SlabOnDevice>> m_Slabs;
  /** Of each seam the lower slab's side and the upper one's. */
  std::vector<std::unique_ptr<SideOnDevice>> m_Sides;
};

CudaSlabLabeler::CudaSlabLabeler()
  : m_State(std::make_unique<State>())
{}

CudaSlabLabeler::~CudaSlabLabeler() = default;

std::uint64_t
CudaSlabLabeler::Label(const std::string &             algorithm,
                       const std::vector<DeviceSlab> & slabs,
                       const Criterion &               criterion,
                       const Connectivity &            connectivity,
                       const std::vector<void *> &     labels,
                       LabelType                       type)
{
  State &               own = *m_State;
  const AlgorithmChoice asked = ParseAlgorithm(algorithm);
  StepClock             clock;
  own.Begin(slabs, criterion, connectivity);
  own.CheckLabels(labels, true);
  own.LabelAll(asked);
  own.times.label = clock.Step();
  own.FindShared();
  own.times.seams = clock.Step();
  const SlabMerge merge = own.Merge();
  own.components = merge.ComponentCount();
  own.times.merge = clock.Step();
  const bool fits = own.components <= MaximumLabel(type);
  own.Number(merge, fits ? labels : std::vector<void *>(), type);
  own.times.queue = clock.Step();
  own.isLabeled = true;
  if (!labels.empty() && !fits)
  {
    own.Write(labels, type);
  }
  return own.components;
}

void
CudaSlabLabeler::Write(const std::vector<void *> & labels, LabelType type)
{
  if (!m_State->isLabeled)
  {
    throw InvalidArgument("nothing has been labeled on the devices yet");
  }
  m_State->CheckLabels(labels, false);
  m_State->Write(labels, type);
}

const std::string &
CudaSlabLabeler::LastAlgorithm() const
{
  return m_State->LastAlgorithm();
}

const CudaSlabLabeler::Times &
CudaSlabLabeler::LastTimes() const
{
  return m_State->times;
}

} // namespace brickccl
