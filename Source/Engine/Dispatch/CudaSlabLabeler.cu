// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Dispatch/CudaLabeler.h"

#include "BrickCCL/Dispatch/SlabOnDevice.cuh"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/Stopwatch.h"
#include "BrickCCL/Host/TeamSteps.h"
#include "BrickCCL/Host/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <exception>
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
                          first.image.extent.ToString() + "; they may differ only along the last axis");
  }
  if (slab.image.type != first.image.type || slab.image.channels != first.image.channels)
  {
    throw InvalidArgument(name + " has voxels of type " + NameOf(slab.image.type) + ", slab 0 of type " +
                          NameOf(first.image.type) + "; all slabs of a volume must have the same");
  }
  if (slab.mask.has_value() != first.mask.has_value())
  {
    throw InvalidArgument(name + " has " + (slab.mask ? "a" : "no") +
                          " mask, unlike slab 0; either all slabs or none must have one");
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
    m_Start = Stopwatch();
    if (slabs.empty())
    {
      throw InvalidArgument("there are no slabs; give at least one");
    }
    std::vector<Problem> problems;
    for (std::size_t i = 0; i < slabs.size(); ++i)
    {
      CheckSlab(slabs[0], slabs[i], i);
      problems.emplace_back(slabs[i].image, criterion, slabs[i].mask, connectivity);
    }
    if (slabs[0].image.extent.dimension < 2)
    {
      throw Unsupported("slabs need at least 2 dimensions");
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
      m_Slabs[i]->Stages().SwitchOn(m_MeasuresStages);
    }
    for (const auto & side : m_Sides)
    {
      side->Stages().SwitchOn(m_MeasuresStages);
    }
  }

  /** Labels all slabs and seams, and joins and numbers the components. Each slab has a thread if there are enough. It
   * queues the work to label the slab and its seams, and, when the components are counted, the work to join and number
   * them: by then the devices are still at work on the seams. Label maps follow, if requested. */
  void
  LabelAll(const AlgorithmChoice & asked, const std::vector<void *> & labels, LabelType type)
  {
    m_Failures.assign(m_Slabs.size(), nullptr);
    m_HasFailed = false;
    try
    {
      JoinAll(asked, labels, type);
    }
    catch (...)
    {
      // Queued work still reads the slabs' images and data.
      for (const auto & slab : m_Slabs)
      {
        slab->WaitForDevice();
      }
      throw;
    }
    components = m_Slabs.front()->componentsOfVolume;
    for (const auto & slab : m_Slabs)
    {
      slab->labeler.LowerHighest(components);
    }
  }

  /** Labels all slabs, joins them, and numbers their components. */
  void
  JoinAll(const AlgorithmChoice & asked, const std::vector<void *> & labels, LabelType type)
  {
    const auto number = [&](std::size_t slab) { Guard(slab, [&] { Number(slab, labels, type); }); };
    OnTeam(2, [&](TeamSteps & steps, std::size_t thread) {
      steps.Take(0, thread, [&](std::size_t slab) { Guard(slab, [&] { LabelSlab(asked, slab); }); });
      steps.Take(1, thread, number);
    });
    while (FindAgain())
    {
      OnTeam(1, [&](TeamSteps & steps, std::size_t thread) { steps.Take(0, thread, number); });
    }
  }

  /** Whether label maps of this type may be written before the volume's components are counted. */
  bool
  HoldsAll(LabelType type) const
  {
    return ComponentsOfSlabs() <= MaximumLabel(type);
  }

  void
  Write(const std::vector<void *> & labels, LabelType type)
  {
    for (std::size_t i = 0; i < m_Slabs.size(); ++i)
    {
      m_Slabs[i]->labeler.WriteOnDevice(labels[i], type, m_Slabs[i]->on);
    }
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

  void
  MeasureStages(bool on)
  {
    m_MeasuresStages = on;
  }

  std::vector<SlabTimes>
  Times() const
  {
    std::vector<SlabTimes> times;
    for (const auto & slab : m_Slabs)
    {
      times.push_back(slab->times);
      times.back().stages = slab->Stages().Times();
    }
    for (std::size_t side = 0; side < m_Sides.size(); ++side)
    {
      times[(side + 1) / 2].stagesOfSeams.push_back(m_Sides[side]->Stages().Times());
    }
    return times;
  }

  Slices        slices;
  std::uint64_t components = 0;
  bool          isLabeled = false;

private:
  /** Runs `work(steps, thread)` on threads that take the steps of all slabs. \throws the first failure of a slab */
  template <typename TWork>
  void
  OnTeam(std::size_t stepCount, const TWork & work)
  {
    TeamSteps steps(stepCount, m_Slabs.size());
    const int threads = std::min(static_cast<int>(m_Slabs.size()), EffectiveThreadCount(0));
    RunOnThreads(threads, [&](int thread) { work(steps, static_cast<std::size_t>(thread)); });
    for (const std::exception_ptr & failure : m_Failures)
    {
      if (failure)
      {
        std::rethrow_exception(failure);
      }
    }
  }

  /** Does the work on a slab unless some has failed. */
  template <typename TWork>
  void
  Guard(std::size_t slab, const TWork & work)
  {
    if (m_HasFailed)
    {
      return;
    }
    try
    {
      work();
    }
    catch (...)
    {
      m_Failures[slab] = std::current_exception();
      m_HasFailed = true;
    }
  }

  void
  LabelSlab(const AlgorithmChoice & asked, std::size_t slab)
  {
    // The side before a slab is the upper one of the seam there.
    std::vector<std::size_t> sides;
    for (const std::size_t end : { 2 * slab, 2 * slab + 1 })
    {
      if (end > 0 && end <= m_Sides.size())
      {
        sides.push_back(end - 1);
      }
    }
    m_Slabs[slab]->Label(asked, m_Start, [&] {
      for (const std::size_t side : sides)
      {
        m_Sides[side]->Fetch(slices, *m_Slabs[side / 2], *m_Slabs[side / 2 + 1]);
      }
      LabelSides(asked, sides, 0);
    });
  }

  /** Queues what labels these sides from the first one on, before the host waits for the first. */
  void
  LabelSides(const AlgorithmChoice & asked, const std::vector<std::size_t> & sides, std::size_t first)
  {
    if (first < sides.size())
    {
      const std::size_t side = sides[first];
      m_Sides[side]->Label(asked, slices, *m_Slabs[(side + 1) / 2], side % 2 != 0, [&] {
        LabelSides(asked, sides, first + 1);
      });
    }
  }

  std::uint64_t
  ComponentsOfSlabs() const
  {
    std::uint64_t sum = 0;
    for (const auto & slab : m_Slabs)
    {
      sum += slab->components;
    }
    return sum;
  }

  void
  Number(std::size_t slab, const std::vector<void *> & labels, LabelType type)
  {
    if (ComponentsOfSlabs() > cuda::SlabNumbers::MaximumNodes)
    {
      throw Unsupported("the slabs have " + std::to_string(ComponentsOfSlabs()) +
                        " components together; on devices they may have less than 2^32");
    }
    std::vector<std::uint64_t> counts;
    for (const auto & each : m_Slabs)
    {
      counts.push_back(each->components);
    }
    m_Slabs[slab]
      ->Number(m_Sides, counts, slab, labels.empty() || !HoldsAll(type) ? nullptr : labels[slab], type, m_Start);
  }

  /** \return whether some side had too little room and was searched again */
  bool
  FindAgain()
  {
    bool isNeeded = false;
    for (const auto & side : m_Sides)
    {
      isNeeded = side->FindAgain() || isNeeded;
    }
    return isNeeded;
  }

  std::vector<std::unique_ptr<SlabOnDevice>> m_Slabs;
  /** For each seam the lower slab's side and the upper one's. */
  std::vector<std::unique_ptr<SideOnDevice>> m_Sides;
  std::vector<std::exception_ptr>            m_Failures;
  std::atomic<bool>                          m_HasFailed{ false };
  Stopwatch                                  m_Start;
  bool                                       m_MeasuresStages = false;
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
  own.Begin(slabs, criterion, connectivity);
  own.CheckLabels(labels, true);
  own.LabelAll(asked, labels, type);
  own.isLabeled = true;
  if (!labels.empty() && !own.HoldsAll(type))
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

void
CudaSlabLabeler::MeasureStages(bool on)
{
  m_State->MeasureStages(on);
}

std::vector<CudaSlabLabeler::SlabTimes>
CudaSlabLabeler::LastTimes() const
{
  return m_State->Times();
}

} // namespace brickccl
