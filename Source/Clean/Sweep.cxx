#include "BrickCCL/Clean/Clean.h"

#include "BrickCCL/Clean/EnteringVoxels.h"
#include "BrickCCL/Clean/GrowingComponents.h"
#include "BrickCCL/Clean/HookParts.h"
#include "BrickCCL/Clean/SweepPlan.h"
#include "BrickCCL/Criteria/RuleConversion.h"
#include "BrickCCL/Criteria/VoxelValue.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Runs/AccumulateRuns.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>

namespace brickccl
{

namespace
{

struct SizeSum
{
  static constexpr bool IsExact = true;

  std::uint64_t voxels = 0;

  void
  Merge(const SizeSum & other)
  {
    voxels += other.voxels;
  }
};

/** Whether no value of the type lies between two thresholds, of which the first one is smaller. */
bool
HaveSameForeground(ScalarType type, double first, double second, bool below)
{
  return VisitScalarType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_floating_point_v<T>)
    {
      return false;
    }
    T          a{};
    T          b{};
    const bool hasA = below ? FloorOf(first, a) : CeilingOf(first, a);
    const bool hasB = below ? FloorOf(second, b) : CeilingOf(second, b);
    return hasA == hasB && a == b;
  });
}

/** The values of the type that are nearest to thresholds. */
std::vector<double>
AsVoxelValues(std::vector<double> thresholds, ScalarType type)
{
  for (double & threshold : thresholds)
  {
    threshold = AsVoxelValue(threshold, type).Nearest();
  }
  return thresholds;
}

/** What the labels of one threshold give. */
SweepStep
StepOf(const Labeling & labeling, UninitializedVector<SizeSum> & sums, const HostContext & context)
{
  sums = AccumulateRuns<SizeSum>(
    RunsOf(labeling),
    labeling.ComponentCount(),
    context,
    [](SizeSum & sum, std::int64_t, const RowPosition &, std::int64_t begin, std::int64_t end) {
      sum.voxels += static_cast<std::uint64_t>(end - begin);
    },
    std::move(sums));
  SweepStep step;
  step.components = labeling.ComponentCount();
  for (const SizeSum & sum : sums)
  {
    step.largest = std::max(step.largest, sum.voxels);
    step.voxels += sum.voxels;
  }
  return step;
}

/** What all parts of a sweep share. */
class SweepWork
{
public:
  SweepWork(const ImageView & image, const SweepOptions & options)
    : m_Image(image)
    , m_Options(options)
    , m_Asked(options.Thresholds())
    , m_Thresholds(options.asVoxelValues ? AsVoxelValues(m_Asked, image.type) : m_Asked)
    , m_Steps(m_Thresholds.size())
    , m_Caller(std::this_thread::get_id())
  {}

  std::vector<SweepStep>
  Run()
  {
    if (CanGrow() && IsWorthCounting())
    {
      m_Entering.emplace(m_Image, m_Thresholds, m_Options.below, HostContext{ m_Options.threads });
    }
    const SweepPlan        plan = Plan(0, Turns());
    const std::vector<int> ends = EndsOfParts(plan, PartCount(plan));
    std::vector<bool>      adds;
    for (std::size_t part = 0; part < ends.size(); ++part)
    {
      m_Plans.push_back(Plan(part == 0 ? 0 : ends[part - 1], ends[part]));
      adds.insert(adds.end(), m_Plans.back().adds.begin(), m_Plans.back().adds.end());
    }
    if (m_Entering)
    {
      m_Places = PaddedPlaces(m_Image.extent);
      m_Entering->List(adds, m_Places, { m_Options.threads });
    }
    ParallelFor(static_cast<std::int64_t>(ends.size()), { m_Options.threads }, [&](std::int64_t part) {
      const auto at = static_cast<std::size_t>(part);
      RunPart(at == 0 ? 0 : ends[at - 1], m_Plans[at], ends.size() > 1 ? 1 : m_Options.threads);
    });
    // The caller's thread may have had no part.
    Progress(m_Options.progress).Update(1);
    return std::move(m_Steps);
  }

private:
  int
  Turns() const
  {
    return static_cast<int>(m_Thresholds.size());
  }
  /** The step of a turn. The foreground grows from the highest threshold to the lowest, or from the lowest one on. */
  std::size_t
  StepOfTurn(int turn) const
  {
    return static_cast<std::size_t>(m_Options.below ? turn : Turns() - 1 - turn);
  }

  /** Whether voxels can be added to components: on the CPU, in places of 32 bits. */
  bool
  CanGrow() const
  {
    return !m_Options.periodic.HasAny() && ResolveDevice(m_Options.device).device.kind == Device::Kind::Cpu &&
           PaddedPlaces(m_Image.extent).Count() < EnteringVoxels::MaximumPlaces;
  }

  /** As many parts as threads, as long as what they take is less than the image, or little. */
  int
  PartCount(const SweepPlan & plan) const
  {
    if (std::none_of(plan.adds.begin(), plan.adds.end(), [](bool adds) { return adds; }))
    {
      return 1;
    }
    const double voxels = static_cast<double>(m_Image.extent.VoxelCount());
    const double room = std::max(voxels * static_cast<double>(SizeOf(m_Image.type)), 1e9);
    const int    fitting = static_cast<int>(std::clamp(room / (0.75 * voxels), 1.0, 1024.0));
    return std::min({ EffectiveThreadCount(m_Options.threads), fitting, std::max(1, Turns() / 8) });
  }

  /** Measured on images from computed tomography (Testing/Benchmarks/DECISIONS.md). */
  SweepCosts
  Costs() const
  {
    const auto voxels = static_cast<double>(m_Image.extent.VoxelCount());
    const auto connectivity = m_Options.connectivity.value_or(Connectivity::Face(m_Image.extent.dimension));
    return { 20000 + 0.35 * voxels, 20000 + voxels, 60 + 1.5 * connectivity.NeighbourCount() };
  }

  /** Whether adding voxels is likely to be faster than labeling alone by more than what counting them takes. */
  bool
  IsWorthCounting() const
  {
    const SweepCosts costs = Costs();
    const auto       entering = EnteringVoxels::Estimate(m_Image, m_Thresholds, m_Options.below, { m_Options.threads });
    // Without counting, all that may differ is labeled.
    double labelings = 1;
    for (int turn = 1; turn < Turns(); ++turn)
    {
      labelings += static_cast<double>(EnteringAt(turn));
    }
    return PlanSweep(entering, costs).Total() < 0.75 * labelings * costs.labeling;
  }

  SweepPlan
  Plan(int begin, int end) const
  {
    std::vector<std::uint64_t> entering;
    for (int turn = begin; turn < end; ++turn)
    {
      entering.push_back(EnteringAt(turn));
    }
    SweepPlan plan = PlanSweep(entering, Costs());
    if (!m_Entering)
    {
      plan.adds.assign(plan.adds.size(), false);
    }
    return plan;
  }

  /** How many voxels become foreground at a turn from 1 on; if they are not counted, whether there may be some. */
  std::uint64_t
  EnteringAt(int turn) const
  {
    if (turn == 0 || m_Entering)
    {
      return turn == 0 ? 0 : m_Entering->Count(turn);
    }
    const std::size_t one = StepOfTurn(turn - 1);
    const std::size_t other = StepOfTurn(turn);
    return HaveSameForeground(m_Image.type,
                              m_Thresholds[std::min(one, other)],
                              m_Thresholds[std::max(one, other)],
                              m_Options.below)
           ? 0
           : 1;
  }

  /** Where parts of nearly equal cost end. */
  static std::vector<int>
  EndsOfParts(const SweepPlan & plan, int parts)
  {
    std::vector<int> ends;
    const double     total = plan.Total();
    double           before = 0;
    for (std::size_t turn = 0; turn < plan.costs.size(); ++turn)
    {
      before += plan.costs[turn];
      while (static_cast<int>(ends.size()) + 1 < parts &&
             before >= total * static_cast<double>(ends.size() + 1) / parts)
      {
        ends.push_back(static_cast<int>(turn) + 1);
      }
    }
    ends.resize(static_cast<std::size_t>(parts), static_cast<int>(plan.costs.size()));
    return ends;
  }

  void
  RunPart(int begin, const SweepPlan & plan, int threads)
  {
    const int                        end = begin + static_cast<int>(plan.adds.size());
    Labeling                         labeling;
    UninitializedVector<SizeSum>     sums;
    std::optional<GrowingComponents> growing;
    bool                             isGrowing = false;
    for (int turn = begin; turn < end; ++turn)
    {
      const auto  at = static_cast<std::size_t>(turn - begin);
      SweepStep & step = m_Steps[StepOfTurn(turn)];
      if (turn > begin && EnteringAt(turn) == 0)
      {
        step = m_Steps[StepOfTurn(turn - 1)];
      }
      else if (plan.adds[at])
      {
        if (!growing)
        {
          growing.emplace(m_Image.extent, ImplementationOf(labeling).connectivity, m_Places);
        }
        if (!isGrowing)
        {
          StartGrowing(labeling, sums, plan, turn, begin, *growing);
          isGrowing = true;
        }
        growing->Add(m_Entering->Begin(turn), m_Entering->End(turn));
        step.components = growing->Components();
        step.largest = growing->Largest();
        step.voxels = growing->Voxels();
      }
      else
      {
        isGrowing = false;
        LabelTurn(turn, threads, labeling);
        step = StepOf(labeling, sums, { threads });
      }
      step.threshold = m_Asked[StepOfTurn(turn)];
      TellProgress();
    }
  }

  /** Makes components ready for the voxels of all turns up to the next one that is labeled. */
  void
  StartGrowing(const Labeling &                     labeling,
               const UninitializedVector<SizeSum> & sums,
               const SweepPlan &                    plan,
               int                                  turn,
               int                                  begin,
               GrowingComponents &                  growing) const
  {
    std::vector<std::uint64_t> sizes;
    sizes.reserve(sums.size());
    for (const SizeSum & sum : sums)
    {
      sizes.push_back(sum.voxels);
    }
    growing.Start(RunsOf(labeling), std::move(sizes));
    for (std::size_t at = static_cast<std::size_t>(turn - begin); at < plan.adds.size(); ++at, ++turn)
    {
      if (!plan.adds[at] && EnteringAt(turn) != 0)
      {
        break;
      }
      growing.Expect(m_Entering->Begin(turn), m_Entering->End(turn));
    }
    growing.Prepare(RunsOf(labeling));
  }

  void
  LabelTurn(int turn, int threads, Labeling & labeling)
  {
    const double     threshold = m_Thresholds[StepOfTurn(turn)];
    constexpr double infinity = std::numeric_limits<double>::infinity();
    LabelOptions     options;
    // Hooks are called on the caller's thread alone, and tell how far all parts are.
    if (m_Plans.size() == 1)
    {
      const double done = m_Done.load();
      options.progress = PartOf(m_Options.progress, done / Turns(), (done + 1) / Turns());
    }
    options.connectivity = m_Options.connectivity;
    options.periodic = m_Options.periodic;
    options.device = m_Options.device;
    options.threads = threads;
    options.criterion =
      m_Options.below ? Criterion::InRange(-infinity, threshold) : Criterion::InRange(threshold, infinity);
    Label(m_Image, options, labeling);
  }

  /** \throws Cancelled if the caller wants to stop; then also in the other parts. */
  void
  TellProgress()
  {
    const int done = ++m_Done;
    if (std::this_thread::get_id() != m_Caller)
    {
      if (m_IsCancelled)
      {
        throw Cancelled();
      }
      return;
    }
    try
    {
      Progress(m_Options.progress).Update(static_cast<double>(done) / Turns());
    }
    catch (...)
    {
      m_IsCancelled = true;
      throw;
    }
  }

  const ImageView &             m_Image;
  const SweepOptions &          m_Options;
  const std::vector<double>     m_Asked;
  const std::vector<double>     m_Thresholds;
  std::vector<SweepStep>        m_Steps;
  const std::thread::id         m_Caller;
  std::optional<EnteringVoxels> m_Entering;
  PaddedPlaces                  m_Places;
  std::vector<SweepPlan>        m_Plans;
  std::atomic<int>              m_Done{ 0 };
  std::atomic<bool>             m_IsCancelled{ false };
};

} // namespace

std::vector<double>
SweepOptions::Thresholds() const
{
  if (!(from < to) || !std::isfinite(from) || !std::isfinite(to))
  {
    throw InvalidArgument("thresholds from " + std::to_string(from) + " to " + std::to_string(to) +
                          " are no range; the first must be below the last, both finite");
  }
  if (steps < 2 || steps > MaximumSteps)
  {
    throw InvalidArgument(std::to_string(steps) + " steps were asked for; there must be 2 to " +
                          std::to_string(MaximumSteps));
  }
  std::vector<double> thresholds;
  for (int i = 0; i < steps; ++i)
  {
    // Exact at both ends, and where all thresholds are whole numbers.
    const double share = static_cast<double>(i) / (steps - 1);
    thresholds.push_back(i == steps - 1 ? to : from + (to - from) * share);
  }
  return thresholds;
}

std::vector<SweepStep>
Sweep(const ImageView & image, const SweepOptions & options)
{
  if (image.channels != 1)
  {
    throw InvalidArgument("the image has " + std::to_string(image.channels) + " channels; it must have 1");
  }
  return SweepWork(image, options).Run();
}

} // namespace brickccl
