// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Dispatch/Label.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Dispatch/ImageOnDevice.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Dispatch/SlabLabeler.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Labels/JoinComponents.h"
#include "BrickCCL/Labels/ListVoxels.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Labels/VolumeLimits.h"
#include "BrickCCL/Measuring/Measure.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace brickccl
{

namespace
{

/** The axis that the connectivity leaves out, if there is one. */
std::optional<int>
SliceAxisOf(const Connectivity & connectivity)
{
  for (int axis = 0; axis < connectivity.Dimension(); ++axis)
  {
    if (!connectivity.Uses(axis))
    {
      return axis;
    }
  }
  return std::nullopt;
}

Connectivity
ConnectivityOf(const LabelOptions & options, const Extent & extent)
{
  return options.connectivity.value_or(Connectivity::Face(extent.dimension));
}

/** The device that labels. \throws Unsupported, as ResolveDevice does too. */
ResolvedDevice
DeviceFor(const Device & asked, const Connectivity & connectivity)
{
  if (connectivity.Plain().AxisCount() > 0 || asked.kind == Device::Kind::Cpu)
  {
    return ResolveDevice(asked);
  }
  const std::string why = "CUDA devices need a neighborhood with face neighbors; use the CPU";
  ThrowIf<Unsupported>(asked.kind == Device::Kind::Cuda, why);
  return { { Device::Kind::Cpu, 0 }, why };
}

/** One labeling: the steps from a problem to a result. */
class Labeler
{
public:
  /** \throws InvalidArgument for options that have no meaning. */
  Labeler(const LabelOptions & options, const Extent & extent, const Connectivity & connectivity, Labeling & result)
    : m_Options(options)
    , m_Asked(ParseAlgorithm(options.algorithm))
    , m_Limits(LimitsOf(options, extent.dimension))
    , m_Result(ImplementationOf(result))
  {
    EffectiveThreadCount(options.threads);
    CheckLargestAcross(options.relabel, connectivity);
    CheckPeriodic(options.periodic, connectivity);
    m_Result.connectivity = connectivity;
    m_Result.periodic = options.periodic;
    m_Result.geometry = options.geometry;
    m_Result.threads = options.threads;
    m_Result.grain = options.grain;
    m_Result.components = 0;
  }

  void
  LabelOnCpu(const RowLinks & links, const ProblemTraits & traits, const ResolvedDevice & device)
  {
    m_Result.device = device;
    AlgorithmChoice choice;
    try
    {
      choice = ChooseAlgorithm(m_Asked, traits, Backend::Cpu, &m_Result.connectivity);
    }
    catch (const Unsupported & error)
    {
      // The message also says why the CPU was to label at all.
      throw Unsupported(error.what() + (device.remark.empty() ? std::string() : " (" + device.remark + ")"));
    }
    const Connectivity & asked = m_Result.connectivity;
    const bool           hasWholeRows = !asked.IsPlain() && asked.HasWholeRows();
    if (hasWholeRows && m_Asked.algorithm == nullptr)
    {
      choice = ChooseForWholeRows();
    }
    const bool         isAtOnce = hasWholeRows && choice.algorithm->cpu.takesWholeRows;
    const Connectivity labeled = isAtOnce ? asked : traits.connectivity;
    m_Result.algorithm = choice.algorithm->name;
    const std::uint64_t found = choice.algorithm->cpu.label(links,
                                                            traits.extent,
                                                            labeled,
                                                            choice.options,
                                                            Context().Part(0, LabelShare),
                                                            m_Result.volume);
    Finish(Join(found, links, labeled));
  }

#ifdef BRICKCCL_USE_CUDA
  /** Labels what is in memory of a device. */
  void
  LabelThere(DeviceLabeler & labeler, const Problem & problem)
  {
    m_Result.device = { { Device::Kind::Cuda, labeler.Device() }, {} };
    const std::uint64_t found = labeler.Label(m_Asked, problem, Context().Part(0, LabelShare), m_Result.volume, true);
    m_Result.algorithm = labeler.LastAlgorithm();
    Finish(found);
  }
#endif

  /** Labels on a CUDA device. \return the device to use instead, if this one fails and the caller asked for `Auto`. */
  std::optional<ResolvedDevice>
  LabelOnCuda([[maybe_unused]] const Problem & problem, const ResolvedDevice & device)
  {
    m_Result.device = device;
#ifdef BRICKCCL_USE_CUDA
    std::uint64_t found = 0;
    try
    {
      found = LabelOnDevices(problem, device.device.Indices());
    }
    catch (const cuda::DeviceError & error)
    {
      m_Result.deviceLabeler.reset();
      m_Result.slabLabeler.reset();
      if (m_Options.device.kind != Device::Kind::Auto)
      {
        throw;
      }
      ResolvedDevice onCpu;
      onCpu.device.kind = Device::Kind::Cpu;
      onCpu.remark = std::string(error.what()) + "; the CPU is used";
      return onCpu;
    }
    const Connectivity & labeled = problem.connectivity;
    Finish(LeavesLinks(labeled) ? Join(found, *MakeRowLinks(problem.image, problem.criterion, problem.mask), labeled)
                                : found);
#endif
    return std::nullopt;
  }

private:
#ifdef BRICKCCL_USE_CUDA
  /** Labels as a whole on one device, or by slabs on one or several. Memory of the other way is given back. */
  std::uint64_t
  LabelOnDevices(const Problem & problem, const std::vector<int> & devices)
  {
    const HostContext context = Context().Part(0, LabelShare);
    if (devices.size() > 1 || SlabLabeler::IsNeeded(problem, devices.front()))
    {
      m_Result.deviceLabeler.reset();
      m_Result.slabLabeler = m_Result.slabLabeler ? m_Result.slabLabeler : std::make_shared<SlabLabeler>();
      const std::uint64_t found = m_Result.slabLabeler->Label(m_Asked, problem, devices, context, m_Result.volume);
      m_Result.algorithm = m_Result.slabLabeler->LastAlgorithm();
      return found;
    }
    m_Result.slabLabeler.reset();
    std::shared_ptr<DeviceLabeler> & labeler = m_Result.deviceLabeler;
    if (!labeler || labeler->Device() != devices.front())
    {
      labeler.reset();
      labeler = std::make_shared<DeviceLabeler>(devices.front());
    }
    const std::uint64_t found = labeler->Label(m_Asked, problem, context, m_Result.volume);
    m_Result.algorithm = labeler->LastAlgorithm();
    return found;
  }
#endif

  /** The share of labeling in the progress; the rest is for numbering. */
  static constexpr double LabelShare = 0.8;
  static constexpr double JoinShare = 0.9;

  HostContext
  Context() const
  {
    return m_Result.Context(m_Options.progress);
  }

  /** Whether there are other links than those that were labeled. */
  bool
  LeavesLinks(const Connectivity & labeled) const
  {
    return labeled.NeighborCount() != m_Result.connectivity.NeighborCount() || m_Result.periodic.HasAny();
  }

  /** Joins along these links. \return the number of components that are left */
  std::uint64_t
  Join(std::uint64_t found, const RowLinks & links, const Connectivity & labeled)
  {
    const HostContext context = Context().Part(LabelShare, JoinShare);
    return LeavesLinks(labeled)
           ? JoinComponents(links, m_Result.connectivity, labeled, m_Result.periodic, found, context, m_Result.volume)
           : found;
  }

  void
  Finish(std::uint64_t found)
  {
    const HostContext    context = Context();
    const Connectivity & connectivity = m_Result.connectivity;
    RunVolume &          volume = m_Result.volume;
    volume.SetTouchingAreJoined(volume.StartsFollowForeground() && connectivity.IsPlain() &&
                                connectivity.UsesEveryAxis() && connectivity.Rank() == connectivity.Dimension());
    m_Result.components = Relabel(volume, found, m_Limits, context.Part(JoinShare, 1), &m_Result.relabeled);
    if (m_Options.mask)
    {
      CountRegion(*m_Options.mask, context, volume);
    }
    context.progress.Update(1);
  }

  const LabelOptions &       m_Options;
  const AlgorithmChoice      m_Asked;
  const RelabelOptions       m_Limits;
  Labeling::Implementation & m_Result;
};

} // namespace

RelabelOptions
LimitsOf(const LabelOptions & options, int dimension)
{
  RelabelOptions limits = options.relabel;
  limits.minimumSize = std::max(
    limits.minimumSize,
    FewestVoxelsOfVolume(options.minimumVolume,
                         VoxelSizeOf(options.geometry, options.connectivity.value_or(Connectivity::Face(dimension)))));
  return limits;
}

Labeling::Labeling()
  : m_Implementation(std::make_unique<Implementation>())
{}

Labeling::~Labeling() = default;
Labeling::Labeling(Labeling &&) noexcept = default;
Labeling & Labeling::operator=(Labeling &&) noexcept = default;

Labeling::Implementation &
ImplementationOf(Labeling & labeling)
{
  if (!labeling.m_Implementation)
  {
    // The result was moved from.
    labeling.m_Implementation = std::make_unique<Labeling::Implementation>();
  }
  return *labeling.m_Implementation;
}

const Labeling::Implementation &
ImplementationOf(const Labeling & labeling)
{
  return *labeling.m_Implementation;
}

const RunVolume &
RunsOf(const Labeling & labeling)
{
  return ImplementationOf(labeling).volume;
}

RunVolume
TakeRuns(Labeling & labeling)
{
  Labeling::Implementation & own = ImplementationOf(labeling);
  own.components = 0;
  return std::move(own.volume);
}

void
GiveMemory(RunVolume && runs, Labeling & labeling)
{
  ImplementationOf(labeling).volume = std::move(runs);
}

const Extent &
Labeling::GetExtent() const
{
  return m_Implementation->volume.GetExtent();
}

const RelabelReport &
Labeling::Relabeled() const
{
  return m_Implementation->relabeled;
}

std::uint64_t
Labeling::ComponentCount() const
{
  return m_Implementation->components;
}

LabelType
Labeling::SmallestType() const
{
  return SmallestLabelType(m_Implementation->components);
}

const Connectivity &
Labeling::GetConnectivity() const
{
  return m_Implementation->connectivity;
}

const PeriodicAxes &
Labeling::GetPeriodicAxes() const
{
  return m_Implementation->periodic;
}

const std::string &
Labeling::AlgorithmName() const
{
  return m_Implementation->algorithm;
}

const ResolvedDevice &
Labeling::UsedDevice() const
{
  return m_Implementation->device;
}

std::uint64_t
Labeling::ForegroundVoxelCount() const
{
  const ProgressHooks none;
  return CountForeground(m_Implementation->volume, m_Implementation->Context(none));
}

void
Labeling::Write(void * labels, LabelType type, const ProgressHooks & hooks) const
{
  const std::uint64_t background = 0;
  WriteAs(labels, ScalarTypeOfLabel(type), &background, hooks);
}

void
Labeling::WriteAs(void * labels, ScalarType type, const void * background, const ProgressHooks & hooks) const
{
  VisitScalarType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T value;
    std::memcpy(&value, background, sizeof(value));
    ExpandLabels(m_Implementation->volume,
                 m_Implementation->components,
                 m_Implementation->Context(hooks),
                 static_cast<T *>(labels),
                 value);
  });
}

void
Labeling::WriteRows(std::int64_t begin, std::int64_t end, void * labels, LabelType type) const
{
  const std::uint64_t components = m_Implementation->components;
  ThrowIf<LabelOverflow>(components > MaximumLabel(type),
                         std::to_string(components) + " components do not fit the label type " + NameOf(type) +
                           "; use " + NameOf(SmallestType()));
  ExpandRows(m_Implementation->volume, begin, end, type, labels);
}

std::vector<LabelRun>
Labeling::ListRuns(std::int64_t begin, std::int64_t end) const
{
  return brickccl::ListRuns(m_Implementation->volume, begin, end);
}

ComponentTable
Labeling::Measure(const MeasureOptions & options, const ProgressHooks & hooks) const
{
  ComponentTable table;
  Measure(options, table, hooks);
  return table;
}

void
Labeling::Measure(const MeasureOptions & options, ComponentTable & table, const ProgressHooks & hooks) const
{
  const Implementation & own = *m_Implementation;
  MeasureComponents(own.volume,
                    own.components,
                    own.geometry,
                    options,
                    SliceAxisOf(own.connectivity),
                    own.Context(hooks),
                    table);
}

LabelLists
Labeling::ListVoxels(const ProgressHooks & hooks) const
{
  return brickccl::ListVoxels(m_Implementation->volume, m_Implementation->components, m_Implementation->Context(hooks));
}

void
Label(const RowLinks & links, const Extent & extent, const LabelOptions & options, Labeling & result)
{
  const Connectivity  connectivity = ConnectivityOf(options, extent);
  const ProblemTraits traits(extent, connectivity.Plain(), links.FollowForeground());
  ResolvedDevice      device{ { Device::Kind::Cpu, 0 }, {} };
  if (options.device.kind == Device::Kind::Cuda)
  {
    device.remark = "custom links are labeled on the CPU";
  }
  Labeler(options, extent, connectivity, result).LabelOnCpu(links, traits, device);
}

void
Label(const ImageView & image, const LabelOptions & options, Labeling & result)
{
  const Connectivity            connectivity = ConnectivityOf(options, image.extent);
  const Problem                 problem(image, options.criterion, options.mask, connectivity.Plain());
  Labeler                       labeler(options, image.extent, connectivity, result);
  const ResolvedDevice          device = DeviceFor(options.device, connectivity);
  std::optional<ResolvedDevice> onCpu = device;
  if (device.device.kind == Device::Kind::Cuda)
  {
    onCpu = labeler.LabelOnCuda(problem, device);
  }
  if (onCpu)
  {
    labeler.LabelOnCpu(*MakeRowLinks(problem.image, problem.criterion, problem.mask), ProblemTraits(problem), *onCpu);
  }
}

#ifdef BRICKCCL_USE_CUDA
void
Label(DeviceLabeler & labeler, const ImageView & image, const LabelOptions & options, Labeling & result)
{
  const Connectivity connectivity = ConnectivityOf(options, image.extent);
  const Problem      problem(image, options.criterion, {}, connectivity);
  Labeler(options, image.extent, connectivity, result).LabelThere(labeler, problem);
}
#else
std::unique_ptr<ImageOnDevice>
ImageOnDevice::Keep(const ImageView &, const Device &, const HostContext &)
{
  return nullptr;
}
#endif

void
testing::OverwriteMemory(Labeling & labeling, unsigned char byte)
{
  ImplementationOf(labeling).volume.Overwrite(byte);
}

Labeling
Label(const ImageView & image, const LabelOptions & options)
{
  Labeling result;
  Label(image, options, result);
  return result;
}

} // namespace brickccl
