#include "BrickCCL/Dispatch/Label.h"

#include "BrickCCL/Dispatch/AlgorithmTable.h"

#include <cmath>

namespace brickccl
{

namespace
{

/** The fewest voxels whose volume is at least `volume`. */
std::uint64_t
VoxelsOfVolume(double volume, double voxelVolume)
{
  if (!(volume >= 0) || std::isinf(volume))
  {
    throw InvalidArgument("the minimum volume " + std::to_string(volume) +
                          " is invalid; it must be a number of at least 0");
  }
  const double exact = std::ceil(volume / voxelVolume);
  if (exact >= 9e18)
  {
    return std::numeric_limits<std::uint64_t>::max();
  }
  auto voxels = static_cast<std::uint64_t>(exact);
  while (voxels > 0 && static_cast<double>(voxels - 1) * voxelVolume >= volume)
  {
    --voxels;
  }
  return voxels;
}

std::uint64_t
CountForeground(const RunVolume & volume, const HostContext & context)
{
  const Chunks               chunks = RowChunks(volume.GetExtent(), context);
  std::vector<std::uint64_t> voxels(static_cast<std::size_t>(chunks.count), 0);
  ParallelFor(chunks.count, context.Silent(), [&](std::int64_t chunk) {
    std::uint64_t count = 0;
    for (const Word * word = volume.Foreground(chunks.Begin(chunk)); word != volume.Foreground(chunks.End(chunk));
         ++word)
    {
      count += static_cast<std::uint64_t>(CountBits(*word));
    }
    voxels[static_cast<std::size_t>(chunk)] = count;
  });
  std::uint64_t sum = 0;
  for (const std::uint64_t count : voxels)
  {
    sum += count;
  }
  return sum;
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

void
Labeling::Write(void * labels, LabelType type, const ProgressHooks & hooks) const
{
  VisitLabelType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    Write(static_cast<T *>(labels), T{ 0 }, hooks);
  });
}

ComponentTable
Labeling::Measure(const std::optional<ImageView> & intensity, const ProgressHooks & hooks) const
{
  return MeasureComponents(
    m_Volume, m_Components, m_Geometry, intensity, SliceAxisOf(m_Connectivity), Context(hooks));
}

void
Label(const RowLinks & links, const Extent & extent, const LabelOptions & options, Labeling & result)
{
  const Algorithm & algorithm = AlgorithmFromName(options.algorithm);
  result.m_Connectivity = options.connectivity.value_or(Connectivity::Face(extent.dimension));
  if (result.m_Connectivity.Dimension() != extent.dimension)
  {
    throw InvalidArgument("the connectivity is one of " + std::to_string(result.m_Connectivity.Dimension()) +
                          " dimensions but the image has " + std::to_string(extent.dimension));
  }
  RelabelOptions relabel = options.relabel;
  relabel.minimumSize =
    std::max(relabel.minimumSize,
             VoxelsOfVolume(options.minimumVolume, options.geometry.VoxelVolume(extent.dimension)));

  result.m_Geometry = options.geometry;
  result.m_Threads = options.threads;
  result.m_Grain = options.grain;
  result.m_Algorithm = algorithm.name;
  result.m_Device = ResolveDevice(options.device);
  result.m_Components = 0;
  const HostContext context = result.Context(options.progress);
  const std::uint64_t found =
    algorithm.label(links, extent, result.m_Connectivity, context.Part(0, 0.9), result.m_Volume);
  result.m_ForegroundVoxels = CountForeground(result.m_Volume, context);
  result.m_Components = Relabel(result.m_Volume, found, relabel, context.Part(0.9, 1));
  context.progress.Update(1);
}

void
Label(const ImageView & image, const LabelOptions & options, Labeling & result)
{
  Label(*MakeRowLinks(image, options.criterion, options.mask), image.extent, options, result);
}

Labeling
Label(const ImageView & image, const LabelOptions & options)
{
  Labeling result;
  Label(image, options, result);
  return result;
}

} // namespace brickccl
