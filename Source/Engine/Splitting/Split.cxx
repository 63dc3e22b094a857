// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Splitting/Split.h"

#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Geometry/DistanceTransform.h"
#include "BrickCCL/Splitting/LabelGrowth.h"
#include "BrickCCL/Splitting/Splitter.h"
#ifdef BRICKCCL_USE_CUDA
#  include "BrickCCL/Splitting/DeviceSplitter.h"
#endif

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <type_traits>

namespace brickccl
{

namespace
{

/** \return a function that returns the number at a voxel */
std::function<std::uint64_t(std::int64_t)>
NumbersOf(const ImageView & labels)
{
  return VisitLabels(labels, [&](auto tag) -> std::function<std::uint64_t(std::int64_t)> {
    const auto * const voxels = static_cast<const typename decltype(tag)::Type *>(labels.data);
    return [voxels](std::int64_t voxel) { return static_cast<std::uint64_t>(voxels[voxel]); };
  });
}

/** Calls `work(splitter)` if a CUDA device is asked for, is there and can do the work, which needs a unit; else sets
 *  the remark. \return whether it was called */
template <typename TWork>
bool
DoOnDevice([[maybe_unused]] const ImageView &    labels,
           [[maybe_unused]] const DistanceUnit * unit,
           const Device &                        asked,
           std::string &                         remark,
           [[maybe_unused]] const TWork &        work)
{
  if (asked.kind == Device::Kind::Cuda)
  {
    const ResolvedDevice found = ResolveDevice(asked);
    remark = found.remark;
#ifdef BRICKCCL_USE_CUDA
    if (found.device.kind == Device::Kind::Cuda && unit != nullptr && !unit->periodic.HasAny() &&
        DeviceSplitter::Supports(labels, *unit))
    {
      DeviceSplitter splitter(found.device.index);
      work(splitter);
      return true;
    }
    remark = remark.empty()
             ? "CUDA devices split and measure distances in up to 3 dimensions, without values, seeds and periodic "
               "axes, if spacings are multiples of a common length; the CPU is used"
             : remark;
#endif
  }
  return false;
}

/** The type of the heights of an image of values: one that holds a value more than TValue, for the background. */
template <typename TValue>
using HeightOf = std::
  conditional_t<sizeof(TValue) == 1, std::uint16_t, std::conditional_t<sizeof(TValue) == 2, std::uint32_t, double>>;

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
    m_LabelAt = NumbersOf(labels);
    ThrowIf<InvalidArgument>(objects == nullptr,
                             "the objects of a split are a null pointer; they need memory for all voxels");
    ThrowIf<InvalidArgument>(m_Connectivity.Dimension() != labels.extent.dimension,
                             "neighbors in " + std::to_string(m_Connectivity.Dimension()) +
                               " dimensions do not fit labels in " + std::to_string(labels.extent.dimension));
    CheckPeriodic(options.periodic, m_Connectivity);
    const SplitHeight height = options.height.value_or(0);
    ThrowIf<InvalidArgument>(height.isPercent ? !(height.value > 0 && height.value < 100) : !(height.value >= 0),
                             "the height of a split is " + std::to_string(height.value) +
                               (height.isPercent ? " %; it must be above 0 and below 100" : "; it must be at least 0"));
    ThrowIf<InvalidArgument>(height.isPercent && options.values.has_value(),
                             "per cents of a peak are for distances; a split by values has a height in their unit");
  }

  SplitReport
  Run()
  {
    if (m_Options.seeds)
    {
      CountSeeds();
    }
    return m_Options.values ? SplitByValues() : SplitByDistances();
  }

private:
  /** \throws InvalidArgument for seeds that do not fit. */
  void
  CountSeeds()
  {
    const ImageView & seeds = *m_Options.seeds;
    ThrowIf<InvalidArgument>(seeds.extent != m_Image.extent,
                             "the seeds of a split have the extent " + seeds.extent.ToString() + "; the labels have " +
                               m_Image.extent.ToString());
    ThrowIf<InvalidArgument>(m_Options.height.has_value() || m_Options.findsCurve,
                             "a split with seeds has no height and no curve; leave out these or the seeds");
    CheckLabels(seeds, m_Context, "seed");
    const auto              seedAt = NumbersOf(seeds);
    std::set<std::uint64_t> all = { 0 };
    std::uint64_t           last = 0;
    for (std::int64_t i = 0; i < seeds.extent.VoxelCount(); ++i)
    {
      if (seedAt(i) != last)
      {
        last = seedAt(i);
        all.insert(last);
      }
    }
    ThrowIf<InvalidArgument>(*all.rbegin() > std::numeric_limits<std::uint32_t>::max(),
                             "a seed is " + std::to_string(*all.rbegin()) + "; the largest possible one is 4294967295");
    m_Report.seeds = all.size() - 1;
    m_SeedAt = [seedAt](std::int64_t voxel) { return static_cast<std::uint32_t>(seedAt(voxel)); };
  }

  SplitReport
  SplitByDistances()
  {
    DistanceUnit unit(DistanceTo::Centers, m_Image.extent, m_Options.geometry, UsedAxes(m_Connectivity));
    unit.periodic = m_Options.periodic;
    const auto isLow = LowPeak(m_Options.height, unit);
    const auto peakOf = [&](auto square) { return DistanceUnit::RootOf(square) * unit.length; };
    const auto split = [&](auto & splitter) {
      const auto found = splitter.Split(m_Image, unit, m_Connectivity, isLow, m_Objects, &m_Context);
      Report(found.basins, found.objects, peakOf);
    };
    if (DoOnDevice(m_Image,
                   m_Options.seeds || m_Options.findsCurve ? nullptr : &unit,
                   m_Options.device,
                   m_Report.deviceRemark,
                   split))
    {
      return m_Report;
    }
    const SquaredDistances found(m_Image, unit, m_Context.Part(0, 0.5));
    return std::visit(
      [&](const auto & squares) {
        using T = std::decay_t<decltype(squares[0])>;
        const auto root = [](T square) { return DistanceUnit::RootOf(square); };
        return Climb(Landscape<T>{ squares.Data(), 0, m_LabelAt, found.areSeveral, m_SeedAt, root, isLow },
                     peakOf,
                     unit.length);
      },
      found.squares);
  }

  SplitReport
  SplitByValues()
  {
    DoOnDevice(m_Image, nullptr, m_Options.device, m_Report.deviceRemark, [](auto &) {});
    const ImageView & values = *m_Options.values;
    ThrowIf<InvalidArgument>(values.extent != m_Image.extent || values.channels != 1 ||
                               values.type == ScalarType::Int64 || values.type == ScalarType::UInt64,
                             "the values of a split must have the extent " + m_Image.extent.ToString() +
                               " of the labels, one channel and at most 32 bits or a floating-point type");
    return VisitScalarType(values.type, [&](auto tag) {
      using TValue = typename decltype(tag)::Type;
      using T = HeightOf<TValue>;
      constexpr bool isWhole = std::is_integral_v<T>;
      // Whole numbers are counted from 1; 0 is the background.
      const double ground = isWhole ? 0 : -std::numeric_limits<double>::infinity();
      const double shift = isWhole ? 1 - static_cast<double>(std::numeric_limits<TValue>::lowest()) : 0;
      Buffer<T>    heights;
      heights.Resize(static_cast<std::size_t>(m_Image.extent.VoxelCount()));
      ForEachVoxel(m_Image.extent, m_Context.Part(0, 0.5), [&](std::size_t i) {
        const auto value = static_cast<double>(static_cast<const TValue *>(values.data)[i]);
        const bool isLabeled = m_LabelAt(static_cast<std::int64_t>(i)) != 0;
        if (isLabeled && !std::isfinite(value))
        {
          throw InvalidArgument("a labeled voxel has the value " + std::to_string(value) +
                                "; a split by values needs finite ones");
        }
        heights[i] = static_cast<T>(isLabeled ? value + shift : ground);
      });
      const auto   asNumber = [](T height) { return static_cast<double>(height); };
      const double least = m_Options.height.value_or(0).value;
      return Climb(
        Landscape<T>{ heights.Data(),
                      static_cast<T>(ground),
                      m_LabelAt,
                      true,
                      m_SeedAt,
                      asNumber,
                      [=](T peak, T pass) { return asNumber(peak) - asNumber(pass) < least; } },
        [&](T height) { return asNumber(height) - shift; },
        1);
    });
  }

  /** \param peakOf  a height as users know it \param unit  of differences of heights */
  template <typename T, typename TPeakOf>
  SplitReport
  Climb(const Landscape<T> & landscape, const TPeakOf & peakOf, double unit)
  {
    Splitter<T>           splitter(m_Image.extent, m_Connectivity, m_Options.periodic, landscape, m_Objects);
    std::vector<double>   rises;
    const ObjectsOfBasins objects = splitter.Run(m_Context.Part(0.5, 1), m_Options.findsCurve ? &rises : nullptr);
    Report(splitter.GetBasins(), objects, peakOf);
    if (m_Options.findsCurve)
    {
      std::sort(rises.begin(), rises.end());
      std::uint64_t count = rises.size();
      m_Report.curve = { { 0, count } };
      for (auto rise = rises.begin(); rise != rises.end() && std::isfinite(*rise); ++rise)
      {
        if (*rise * unit != m_Report.curve.back().first)
        {
          m_Report.curve.emplace_back(*rise * unit, count);
        }
        m_Report.curve.back().second = --count;
      }
    }
    m_Report.unreached = splitter.UnreachedCount();
    return m_Report;
  }

  template <typename T, typename TPeakOf>
  void
  Report(const Basins<T> & basins, const ObjectsOfBasins & objects, const TPeakOf & peakOf)
  {
    std::set<std::uint64_t> parents;
    for (const std::uint32_t basin : objects.highest)
    {
      const std::uint64_t parent = m_LabelAt(basins.peaks[basin]);
      parents.insert(parent);
      m_Report.objects.push_back({ objects.numbers[basin], parent, peakOf(basins.heights[basin]) });
    }
    m_Report.parents = parents.size();
    m_Report.basins = basins.peaks.size();
  }

  const ImageView      m_Image;
  std::uint32_t *      m_Objects;
  const SplitOptions & m_Options;
  const Connectivity   m_Connectivity;
  const HostContext    m_Context;

  std::function<std::uint64_t(std::int64_t)> m_LabelAt;
  std::function<std::uint32_t(std::int64_t)> m_SeedAt;
  SplitReport                                m_Report;
};

} // namespace

std::string
Distances(const ImageView & labels, float * distances, const DistanceOptions & options)
{
  ThrowIf<InvalidArgument>(distances == nullptr, "the distances are a null pointer; they need memory for all voxels");
  const unsigned    axes = AxesAcross(labels.extent, options.sliceAxis);
  const HostContext context{ options.threads, Progress(options.progress) };
  CheckLabels(labels, context);
  const DistanceUnit unit(DistanceTo::Centers, labels.extent, options.geometry, axes);
  std::string        remark;
  if (DoOnDevice(labels, &unit, options.device, remark, [&](auto & splitter) {
        splitter.Distances(labels, unit, distances, &context);
      }))
  {
    return remark;
  }
  const SquaredDistances found(labels, unit, context.Part(0, 0.9));
  std::visit(
    [&](const auto & squares) {
      ForEachVoxel(labels.extent, context.Part(0.9, 1), [&](std::size_t i) {
        distances[i] = static_cast<float>(DistanceUnit::RootOf(squares[i]) * unit.length);
      });
    },
    found.squares);
  return remark;
}

SplitReport
Split(const ImageView & labels, std::uint32_t * objects, const SplitOptions & options)
{
  return SplitWork(labels, objects, options).Run();
}

} // namespace brickccl
