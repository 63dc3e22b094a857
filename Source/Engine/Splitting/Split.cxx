// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Splitting/Split.h"

#include "BrickCCL/Geometry/DistanceTransform.h"
#include "BrickCCL/Splitting/LabelGrowth.h"
#include "BrickCCL/Splitting/Splitter.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace brickccl
{

namespace
{

/** \throws InvalidArgument for a label that is negative or not a whole number. */
void
CheckLabels(const ImageView & labels, const HostContext & context)
{
  VisitScalarType(labels.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const T * const voxels = static_cast<const T *>(labels.data);
    const Chunks    chunks(std::is_unsigned_v<T> ? 0 : labels.extent.VoxelCount(), context.grain, 256);
    ParallelFor(chunks.count, context.Silent(), [&](std::int64_t chunk) {
      for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
      {
        bool isGood = voxels[i] >= 0;
        if constexpr (std::is_floating_point_v<T>)
        {
          isGood = isGood && voxels[i] < T(18446744073709551615.0) && std::floor(voxels[i]) == voxels[i];
        }
        if (!isGood)
        {
          throw InvalidArgument("a label is " + std::to_string(voxels[i]) +
                                "; labels must be whole numbers, 0 (background) or above");
        }
      }
    });
  });
}

/** A bit for each axis along which voxels have neighbors. */
unsigned
UsedAxes(const Connectivity & connectivity)
{
  unsigned axes = 0;
  for (int axis = 0; axis < connectivity.Dimension(); ++axis)
  {
    axes |= connectivity.Uses(axis) ? 1u << axis : 0u;
  }
  return axes;
}

/** The type of the heights of an image of values: one that holds a value more than TValue, for the background. */
template <typename TValue>
using HeightOf = std::
  conditional_t<sizeof(TValue) == 1, std::uint16_t, std::conditional_t<sizeof(TValue) == 2, std::uint32_t, double>>;

/** One call of Split. */
class SplitWork
{
public:
  SplitWork(const ImageView & labels, std::uint32_t * objects, const SplitOptions & options)
    : m_Image(labels)
    , m_Objects(objects)
    , m_Options(options)
    , m_Connectivity(options.connectivity.value_or(Connectivity::Full(labels.extent.dimension)))
    , m_Context{ options.threads, Progress(options.progress) }
  {
    CheckLabels(labels, m_Context);
    m_LabelAt = VisitLabels(labels, [&](auto tag) -> std::function<std::uint64_t(std::int64_t)> {
      const auto * const voxels = static_cast<const typename decltype(tag)::Type *>(labels.data);
      return [voxels](std::int64_t voxel) { return static_cast<std::uint64_t>(voxels[voxel]); };
    });
    if (objects == nullptr)
    {
      throw InvalidArgument("the objects of a split are a null pointer; they need memory for all voxels");
    }
    if (m_Connectivity.Dimension() != labels.extent.dimension)
    {
      throw InvalidArgument("neighbors in " + std::to_string(m_Connectivity.Dimension()) +
                            " dimensions do not fit labels in " + std::to_string(labels.extent.dimension));
    }
    if (options.height && !(*options.height >= 0))
    {
      throw InvalidArgument("the height of a split is " + std::to_string(*options.height) + "; it must be at least 0");
    }
  }

  SplitReport
  Run()
  {
    return m_Options.values ? SplitByValues() : SplitByDistances();
  }

private:
  SplitReport
  SplitByDistances()
  {
    const DistanceUnit     unit(DistanceTo::Centers, m_Image.extent, m_Options.geometry, UsedAxes(m_Connectivity));
    const SquaredDistances found(m_Image, unit, m_Context.Part(0, 0.5));
    const double           depth = m_Options.height ? *m_Options.height / unit.length : 0.75 * unit.smallest;
    return std::visit(
      [&](const auto & squares) {
        using T = std::decay_t<decltype(squares[0])>;
        const auto root = [](T square) { return DistanceUnit::RootOf(square); };
        return Climb(Landscape<T>{ squares.Data(), 0, m_LabelAt, found.areSeveral, root, depth },
                     [&](T square) { return root(square) * unit.length; });
      },
      found.squares);
  }

  SplitReport
  SplitByValues()
  {
    const ImageView & values = *m_Options.values;
    if (values.extent != m_Image.extent || values.channels != 1 || values.type == ScalarType::Int64 ||
        values.type == ScalarType::UInt64)
    {
      throw InvalidArgument("the values of a split must have the extent " + m_Image.extent.ToString() +
                            " of the labels, one channel and at most 32 bits or a floating-point type");
    }
    return VisitScalarType(values.type, [&](auto tag) {
      using TValue = typename decltype(tag)::Type;
      using T = HeightOf<TValue>;
      constexpr bool isWhole = std::is_integral_v<T>;
      // Whole numbers are counted from 1; 0 is the background.
      const double ground = isWhole ? 0 : -std::numeric_limits<double>::infinity();
      const double shift = isWhole ? 1 - static_cast<double>(std::numeric_limits<TValue>::lowest()) : 0;
      Buffer<T>    heights;
      heights.Resize(static_cast<std::size_t>(m_Image.extent.VoxelCount()));
      const Chunks chunks(m_Image.extent.VoxelCount(), m_Context.grain, 256);
      ParallelFor(chunks.count, m_Context.Part(0, 0.5), [&](std::int64_t chunk) {
        for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
        {
          const auto value = static_cast<double>(static_cast<const TValue *>(values.data)[i]);
          if (m_LabelAt(i) != 0 && !std::isfinite(value))
          {
            throw InvalidArgument("a labeled voxel has the value " + std::to_string(value) +
                                  "; a split by values needs finite ones");
          }
          heights[static_cast<std::size_t>(i)] = static_cast<T>(m_LabelAt(i) == 0 ? ground : value + shift);
        }
      });
      const auto asNumber = [](T height) { return static_cast<double>(height); };
      return Climb(
        Landscape<T>{ heights.Data(), static_cast<T>(ground), m_LabelAt, true, asNumber, m_Options.height.value_or(0) },
        [&](T height) { return asNumber(height) - shift; });
    });
  }

  /** \param peakOf  a height as users know it */
  template <typename T, typename TPeakOf>
  SplitReport
  Climb(const Landscape<T> & landscape, const TPeakOf & peakOf)
  {
    Splitter<T>                splitter(m_Image.extent, m_Connectivity, landscape, m_Objects);
    SplitReport                report;
    std::vector<std::uint64_t> parents;
    for (const std::int64_t peak : splitter.Run(m_Context.Part(0.5, 1)))
    {
      parents.push_back(m_LabelAt(peak));
      report.objects.push_back({ parents.back(), peakOf(landscape.heights[peak]) });
    }
    std::sort(parents.begin(), parents.end());
    report.parents = static_cast<std::uint64_t>(std::unique(parents.begin(), parents.end()) - parents.begin());
    report.basins = splitter.BasinCount();
    return report;
  }

  const ImageView      m_Image;
  std::uint32_t *      m_Objects;
  const SplitOptions & m_Options;
  const Connectivity   m_Connectivity;
  const HostContext    m_Context;

  std::function<std::uint64_t(std::int64_t)> m_LabelAt;
};

} // namespace

void
Distances(const ImageView & labels, float * distances, const DistanceOptions & options)
{
  if (distances == nullptr)
  {
    throw InvalidArgument("the distances are a null pointer; they need memory for all voxels");
  }
  if (options.sliceAxis < -1 || options.sliceAxis >= labels.extent.dimension)
  {
    throw InvalidArgument("the image has no axis " + NameOfAxis(options.sliceAxis));
  }
  const unsigned    axes = options.sliceAxis < 0 ? ~0u : ~(1u << options.sliceAxis);
  const HostContext context{ options.threads, Progress(options.progress) };
  CheckLabels(labels, context);
  const DistanceUnit     unit(DistanceTo::Centers, labels.extent, options.geometry, axes);
  const SquaredDistances found(labels, unit, context.Part(0, 0.9));
  const Chunks           chunks(labels.extent.VoxelCount(), context.grain, 256);
  std::visit(
    [&](const auto & squares) {
      ParallelFor(chunks.count, context.Part(0.9, 1), [&](std::int64_t chunk) {
        for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
        {
          const auto square = squares[static_cast<std::size_t>(i)];
          distances[i] = static_cast<float>(DistanceUnit::RootOf(square) * unit.length);
        }
      });
    },
    found.squares);
}

SplitReport
Split(const ImageView & labels, std::uint32_t * objects, const SplitOptions & options)
{
  return SplitWork(labels, objects, options).Run();
}

} // namespace brickccl
