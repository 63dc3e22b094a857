#include "BrickCCL/Dispatch/Label.h"

#include "BrickCCL/Cuda/DeviceError.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"
#include "BrickCCL/Measuring/Measure.h"

#include <cmath>
#include <numeric>
#include <vector>

namespace brickccl
{

namespace
{

/** The fewest voxels whose volume is at least `volume`, but for what spacings and limits that are decimal fractions
 * lose as doubles: a volume that is less by 1e-9 of the limit is enough. */
std::uint64_t
VoxelsOfVolume(double volume, double voxelVolume)
{
  if (!(volume >= 0) || std::isinf(volume))
  {
    throw InvalidArgument("the minimum volume " + std::to_string(volume) +
                          " is invalid; it must be a number of at least 0");
  }
  constexpr double tolerance = 1e-9;
  const double     voxels = volume / voxelVolume;
  const double     nearest = std::round(voxels);
  const double     least = std::abs(nearest - voxels) <= tolerance * voxels ? nearest : std::ceil(voxels);
  return least >= 9e18 ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(least);
}

/** The axis that the connectivity leaves out, if any. */
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

} // namespace

std::uint64_t
Labeling::ForegroundVoxelCount() const
{
  const ProgressHooks        none;
  const HostContext          context = Context(none);
  const Chunks               chunks = RowChunks(GetExtent(), context);
  std::vector<std::uint64_t> voxels(static_cast<std::size_t>(chunks.count), 0);
  ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
    const Word * const begin = m_Volume.Foreground(chunks.Begin(chunk));
    const Word * const end = m_Volume.Foreground(chunks.End(chunk));
    voxels[static_cast<std::size_t>(chunk)] =
      std::accumulate(begin, end, std::uint64_t{ 0 }, [](std::uint64_t count, Word word) {
        return count + static_cast<std::uint64_t>(CountBits(word));
      });
  });
  return std::accumulate(voxels.begin(), voxels.end(), std::uint64_t{ 0 });
}

void
Labeling::Write(void * labels, LabelType type, const ProgressHooks & hooks) const
{
  VisitLabelType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    Write(static_cast<T *>(labels), T{ 0 }, hooks);
  });
}

void
Labeling::WriteRows(std::int64_t begin, std::int64_t end, void * labels, LabelType type) const
{
  if (m_Components > MaximumLabel(type))
  {
    throw LabelOverflow(std::to_string(m_Components) + " components do not fit the label type " + NameOf(type) +
                        "; use " + NameOf(SmallestType()));
  }
  ExpandRows(m_Volume, begin, end, type, labels);
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
  const auto sliceAxis = SliceAxisOf(m_Connectivity);
  MeasureComponents(m_Volume, m_Components, m_Geometry, options, sliceAxis, Context(hooks), table);
}

LabelLists
Labeling::ListVoxels(const ProgressHooks & hooks) const
{
  return brickccl::ListVoxels(m_Volume, m_Components, Context(hooks));
}

void
Labeling::Prepare(const Extent & extent, const LabelOptions & options)
{
  m_Connectivity = options.connectivity.value_or(Connectivity::Face(extent.dimension));
  if (m_Connectivity.Dimension() != extent.dimension)
  {
    throw InvalidArgument("the connectivity is one of " + std::to_string(m_Connectivity.Dimension()) +
                          " dimensions but the image has " + std::to_string(extent.dimension));
  }
  m_Geometry = options.geometry;
  m_Threads = options.threads;
  m_Grain = options.grain;
  m_Components = 0;
  EffectiveThreadCount(options.threads);
  VoxelsOfVolume(options.minimumVolume, options.geometry.VoxelVolume(extent.dimension));
}

void
Labeling::LabelOnCpu(const RowLinks & links, const Extent & extent, const LabelOptions & options)
{
  const Algorithm * chosen = nullptr;
  try
  {
    chosen = &CpuAlgorithmFor(options.algorithm, links, extent, m_Connectivity);
  }
  catch (const Unsupported & error)
  {
    // Why it is the CPU at all belongs to the answer.
    throw Unsupported(error.what() + (m_Device.remark.empty() ? std::string() : " (" + m_Device.remark + ")"));
  }
  const Algorithm & algorithm = *chosen;
  m_Algorithm = algorithm.name;
  Finish(algorithm.label(links, extent, m_Connectivity, Context(options.progress).Part(0, 0.9), m_Volume), options);
}

/** Labels on the device that `m_Device` names. \return whether it did; false if `Auto` may use the CPU instead. */
bool
Labeling::LabelOnCuda([[maybe_unused]] const ImageView & image, [[maybe_unused]] const LabelOptions & options)
{
#ifdef BRICKCCL_USE_CUDA
  std::uint64_t found = 0;
  try
  {
    if (!m_CudaLabeler || m_CudaLabeler->Device() != m_Device.device.index)
    {
      m_CudaLabeler.reset();
      m_CudaLabeler = std::make_shared<CudaLabeler>(m_Device.device.index);
    }
    found = m_CudaLabeler->Label(options.algorithm,
                                 image,
                                 options.criterion,
                                 options.mask,
                                 m_Connectivity,
                                 m_Volume,
                                 Context(options.progress).Silent());
  }
  catch (const cuda::DeviceError & error)
  {
    m_CudaLabeler.reset();
    if (options.device.kind != Device::Kind::Auto)
    {
      throw;
    }
    m_Device = { { Device::Kind::Cpu, 0 }, std::string(error.what()) + "; the CPU is used" };
    return false;
  }
  m_Algorithm = m_CudaLabeler->LastAlgorithm();
  Context(options.progress).progress.Update(0.9);
  Finish(found, options);
  return true;
#else
  return false;
#endif
}

void
Labeling::Finish(std::uint64_t found, const LabelOptions & options)
{
  const HostContext context = Context(options.progress);
  RelabelOptions    relabel = options.relabel;
  relabel.minimumSize =
    std::max(relabel.minimumSize,
             VoxelsOfVolume(options.minimumVolume, options.geometry.VoxelVolume(GetExtent().dimension)));
  m_Volume.SetTouchingAreJoined(m_Volume.StartsFollowForeground() && m_Connectivity.UsesEveryAxis() &&
                                m_Connectivity.Rank() == m_Connectivity.Dimension());
  m_Components = Relabel(m_Volume, found, relabel, context.Part(0.9, 1));
  context.progress.Update(1);
}

void
Label(const RowLinks & links, const Extent & extent, const LabelOptions & options, Labeling & result)
{
  result.Prepare(extent, options);
  result.m_Device = { { Device::Kind::Cpu, 0 }, {} };
  if (options.device.kind == Device::Kind::Cuda)
  {
    result.m_Device.remark = "links of the caller's own are labeled on the CPU";
  }
  result.LabelOnCpu(links, extent, options);
}

void
Label(const ImageView & image, const LabelOptions & options, Labeling & result)
{
  AlgorithmFromName(options.algorithm);
  result.Prepare(image.extent, options);
  result.m_Device = ResolveDevice(options.device);
  const auto links = MakeRowLinks(image, options.criterion, options.mask);
  if (result.m_Device.device.kind != Device::Kind::Cuda || !result.LabelOnCuda(image, options))
  {
    result.LabelOnCpu(*links, image.extent, options);
  }
}

void
testing::OverwriteMemory(Labeling & labeling, unsigned char byte)
{
  labeling.m_Volume.Overwrite(byte);
}

Labeling
Label(const ImageView & image, const LabelOptions & options)
{
  Labeling result;
  Label(image, options, result);
  return result;
}

} // namespace brickccl
