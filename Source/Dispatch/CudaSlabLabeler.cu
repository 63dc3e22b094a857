#include "BrickCCL/Dispatch/CudaLabeler.h"

#include "BrickCCL/Dispatch/SlabOnDevice.cuh"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/StepClock.h"

#include <algorithm>
#include <exception>
#include <future>
#include <limits>
#include <utility>

namespace brickccl
{

namespace
{

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

  /** Labels all slabs and seams, each on a thread of its own, and finds what components of both share. */
  void
  LabelAll(const AlgorithmChoice & asked)
  {
    StepClock                             clock;
    std::vector<unsigned *>               places;
    std::vector<std::promise<bool>>       labeled(m_Slabs.size());
    std::vector<std::shared_future<bool>> areLabeled;
    for (std::promise<bool> & promise : labeled)
    {
      areLabeled.push_back(promise.get_future().share());
    }
    for (const auto & side : m_Sides)
    {
      places.push_back(side->Begin(slices));
    }
    // Threads take slabs before sides, and slabs wait for nothing. So no side waits for ever, however few threads run;
    // that is why nothing may be thrown before all is done.
    std::vector<std::exception_ptr> failures(m_Slabs.size() + m_Sides.size());
    OnThreads(failures.size(), [&](std::size_t i) {
      try
      {
        if (i >= m_Slabs.size())
        {
          LabelSide(asked, i - m_Slabs.size(), areLabeled);
          return;
        }
        // The side before a slab is the upper one of the seam there.
        m_Slabs[i]->Label(asked,
                          slices,
                          i > 0 && !places.empty() ? places[2 * i - 1] : nullptr,
                          2 * i < places.size() ? places[2 * i] : nullptr);
        labeled[i].set_value(true);
      }
      catch (...)
      {
        failures[i] = std::current_exception();
        if (i < m_Slabs.size())
        {
          labeled[i].set_value(false);
        }
      }
    });
    for (const std::exception_ptr & failure : failures)
    {
      if (failure)
      {
        std::rethrow_exception(failure);
      }
    }
    times.label = 0;
    for (const auto & slab : m_Slabs)
    {
      times.label = std::max(times.label, slab->seconds);
    }
    times.seams = clock.Step() - times.label;
  }

  void
  Merge()
  {
    std::vector<std::uint64_t> counts;
    for (const auto & slab : m_Slabs)
    {
      counts.push_back(slab->components);
    }
    std::vector<const cuda::SeamSide *> sides;
    for (const auto & side : m_Sides)
    {
      sides.push_back(side->found);
    }
    merge.Reset(counts);
    cuda::JoinSides(sides, merge, {});
    merge.Finish();
    if (merge.ComponentCount() > std::numeric_limits<std::uint32_t>::max())
    {
      throw Unsupported(std::to_string(merge.ComponentCount()) +
                        " components were found; slabs on devices are labeled together for less than 2^32");
    }
  }

  /** Gives components their numbers in the volume, and writes label maps if there are places for them. */
  void
  Number(const std::vector<void *> & labels, LabelType type)
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
  SlabMerge     merge;
  std::uint64_t components = 0;
  bool          isLabeled = false;
  Times         times;

private:
  /** Labels one side of a seam at once, and looks for what it shares with its slab when that is labeled. */
  void
  LabelSide(const AlgorithmChoice & asked, std::size_t side, const std::vector<std::shared_future<bool>> & areLabeled)
  {
    const std::size_t lower = side / 2;
    const bool        isUpper = side % 2 != 0;
    const std::size_t own = lower + (isUpper ? 1 : 0);
    m_Sides[side]->Label(asked, slices, *m_Slabs[lower], *m_Slabs[lower + 1], isUpper);
    if (areLabeled[own].get())
    {
      m_Sides[side]->Find(*m_Slabs[own]);
    }
  }

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
  clock.Step();
  own.Merge();
  own.components = own.merge.ComponentCount();
  own.times.merge = clock.Step();
  const bool fits = own.components <= MaximumLabel(type);
  own.Number(fits ? labels : std::vector<void *>(), type);
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
