// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Clean/Clean.h"

#include "BrickCCL/Clean/HoleWalls.h"
#include "BrickCCL/Clean/HookParts.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Criteria/RuleConversion.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Labels/VolumeLimits.h"
#include "BrickCCL/Runs/AccumulateRuns.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace brickccl
{

namespace
{

/** The value as a T. \return false if no T has it. */
template <typename T>
bool
ToValue(Number number, T & value)
{
  return CeilingOf(number, value) && Number(value) == number;
}

/** A component of a class: the size and the place of the first voxel. */
struct ComponentSum
{
  static constexpr bool IsExact = true;

  std::uint64_t voxels = 0;
  std::int64_t  first = std::numeric_limits<std::int64_t>::max();

  void
  Merge(const ComponentSum & other)
  {
    voxels += other.voxels;
    first = std::min(first, other.first);
  }
};

/** The sums of all components. It knows no pixel type, so that it is compiled once. */
UninitializedVector<ComponentSum>
SumComponents(const Labeling & labeling, std::int64_t rowLength, const HostContext & context)
{
  return AccumulateRuns<ComponentSum>(
    RunsOf(labeling),
    labeling.ComponentCount(),
    context,
    [&](ComponentSum & sum, std::int64_t row, const RowPosition &, std::int64_t begin, std::int64_t end) {
      sum.voxels += static_cast<std::uint64_t>(end - begin);
      sum.first = std::min(sum.first, row * rowLength + begin);
    });
}

template <typename T>
class Cleaner
{
public:
  Cleaner(const ImageView & segmentation, T * output, const CleanOptions & options)
    : m_Input(segmentation)
    , m_Output(output)
    , m_Options(options)
    , m_Connectivity(options.connectivity.value_or(Connectivity::Face(segmentation.extent.dimension)))
    , m_FewestVoxels(
        std::max(options.minimumSize,
                 FewestVoxelsOfVolume(options.minimumVolume, VoxelSizeOf(options.geometry, m_Connectivity))))
  {
    ThrowIf<InvalidArgument>(!ToValue(options.background, m_Background),
                             "the background " + options.background.ToString() + " does not fit the type " +
                               NameOf(segmentation.type) + " of the segmentation");
    for (const Number number : options.values)
    {
      T value{};
      ThrowIf<InvalidArgument>(number == options.background,
                               "the value " + number.ToString() + " is the background; name classes");
      if (ToValue(number, value))
      {
        m_Values.push_back(value);
      }
    }
    std::sort(m_Values.begin(), m_Values.end());
    CheckPeriodic(options.periodic, m_Connectivity);
    if (options.holes)
    {
      HoleBorder();
    }
  }

  CleanReport
  Run()
  {
    const bool   removes = m_FewestVoxels > 1 || m_Options.largest != 0;
    const bool   looksAtComponents = removes || m_Options.countComponents;
    const double share = !looksAtComponents ? 0.0 : m_Options.holes ? 0.5 : 1.0;
    CleanReport  report;
    if (looksAtComponents)
    {
      RemoveComponents(PartOf(m_Options.progress, 0, share));
      for (const Number number : m_Options.values)
      {
        T value{};
        if (!ToValue(number, value) || m_Classes.count(value) == 0)
        {
          report.missing.push_back(number);
        }
      }
    }
    else if (m_Output != m_Input.data)
    {
      CopyRows({});
    }
    if (m_Options.holes)
    {
      FillHoles(PartOf(m_Options.progress, share, 1));
    }
    report.classes = Mapped(m_Classes, [](const auto & one) { return one.second; });
    std::sort(report.classes.begin(), report.classes.end(), [](const CleanedClass & a, const CleanedClass & b) {
      return a.value < b.value;
    });
    return report;
  }

private:
  CleanedClass &
  ReportOf(T value)
  {
    CleanedClass & report = m_Classes[value];
    report.value = value;
    return report;
  }

  HostContext
  Context(const ProgressHooks & hooks) const
  {
    return { m_Options.threads, Progress(hooks) };
  }

  HostContext
  Silent() const
  {
    return { m_Options.threads };
  }

  bool
  IsAsked(T value) const
  {
    return m_Options.values.empty() || std::binary_search(m_Values.begin(), m_Values.end(), value);
  }

  Connectivity
  HoleConnectivity() const
  {
    return m_Options.holes->connectivity.value_or(m_Connectivity.Dual());
  }

  Border
  HoleBorder() const
  {
    const Connectivity connectivity = HoleConnectivity();
    return BorderOfHoles(m_Input.extent, connectivity, PeriodicWithin(m_Options.periodic, connectivity));
  }

  LabelOptions
  LabelingOptions(const Connectivity & connectivity, const ProgressHooks & hooks) const
  {
    LabelOptions options;
    options.connectivity = connectivity;
    options.periodic = PeriodicWithin(m_Options.periodic, connectivity);
    options.device = m_Options.device;
    options.threads = m_Options.threads;
    options.progress = hooks;
    return options;
  }

  void
  CopyRows(const std::vector<unsigned char> & isRemoved)
  {
    const RunVolume &  volume = RunsOf(m_Labeling);
    const std::int64_t length = m_Input.extent.RowLength();
    const T * const    input = static_cast<const T *>(m_Input.data);
    const Chunks       chunks = RowChunks(m_Input.extent, Silent());
    ParallelFor(chunks.count, Silent(), [&](std::int64_t chunk) {
      for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
      {
        T * const voxels = m_Output + row * length;
        if (m_Output != input)
        {
          std::memcpy(voxels, input + row * length, static_cast<std::size_t>(length) * sizeof(T));
        }
        if (!isRemoved.empty())
        {
          volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
            if (isRemoved[static_cast<std::size_t>(volume.Label(run))] != 0)
            {
              std::fill(voxels + begin, voxels + end, m_Background);
            }
          });
        }
      }
    });
  }

  void
  RemoveComponents(const ProgressHooks & hooks)
  {
    const ProgressHooks labelingHooks = PartOf(hooks, 0, 0.6);
    LabelOptions        options = LabelingOptions(m_Connectivity, labelingHooks);
    options.criterion = Criterion::EqualValue(m_Options.background);
    Label(m_Input, options, m_Labeling);
    const auto sums = SumComponents(m_Labeling, m_Input.extent.RowLength(), Context(hooks).Part(0.6, 0.9));
    const std::vector<unsigned char> isRemoved = ChooseRemoved(sums);
    if (m_Output != m_Input.data || !isRemoved.empty())
    {
      CopyRows(isRemoved);
    }
    Progress(hooks).Update(1);
  }

  /** Marks removed components by their labels, and enters what becomes of the classes. Empty if none is removed. */
  std::vector<unsigned char>
  ChooseRemoved(const UninitializedVector<ComponentSum> & sums)
  {
    const T * const            voxels = static_cast<const T *>(m_Input.data);
    std::vector<unsigned char> isRemoved(sums.size() + 1, 0);
    bool                       some = false;
    const auto                 remove = [&](CleanedClass & report, std::size_t c) {
      isRemoved[c + 1] = 1;
      some = true;
      ++report.removedComponents;
      report.removedVoxels += sums[c].voxels;
    };
    std::unordered_map<T, std::vector<std::size_t>> componentsOf;
    for (std::size_t c = 0; c < sums.size(); ++c)
    {
      const T value = voxels[sums[c].first];
      if (!IsAsked(value))
      {
        continue;
      }
      CleanedClass & report = ReportOf(value);
      ++report.components;
      report.voxels += sums[c].voxels;
      if (sums[c].voxels < m_FewestVoxels)
      {
        remove(report, c);
      }
      else if (m_Options.largest != 0)
      {
        componentsOf[value].push_back(c);
      }
    }
    for (auto & [value, components] : componentsOf)
    {
      if (components.size() > m_Options.largest)
      {
        const auto rest = components.begin() + static_cast<std::ptrdiff_t>(m_Options.largest);
        std::nth_element(components.begin(), rest, components.end(), [&](std::size_t a, std::size_t b) {
          return sums[a].voxels != sums[b].voxels ? sums[a].voxels > sums[b].voxels : a < b;
        });
        CleanedClass & report = ReportOf(value);
        std::for_each(rest, components.end(), [&](std::size_t c) { remove(report, c); });
      }
    }
    return some ? isRemoved : std::vector<unsigned char>();
  }

  void
  FillHoles(const ProgressHooks & hooks)
  {
    const ImageView     image(static_cast<const void *>(m_Output), m_Input.type, m_Input.extent, 1);
    const Connectivity  connectivity = HoleConnectivity();
    const ProgressHooks labelingHooks = PartOf(hooks, 0, 0.6);
    LabelOptions        options = LabelingOptions(connectivity, labelingHooks);
    options.criterion = Criterion::InRange(m_Options.background, m_Options.background);
    Label(image, options, m_Labeling);

    const RunVolume & background = RunsOf(m_Labeling);
    const Holes       holes(background,
                      m_Labeling.ComponentCount(),
                      HoleBorder(),
                      m_Options.holes->MaximumVoxels(connectivity, m_Options.geometry),
                      Context(hooks).Part(0.6, 0.8));
    if (holes.Count() != 0)
    {
      const HostContext context = Context(hooks).Part(0.8, 0.9);
      auto values = CountHoleWalls(background, holes, connectivity, m_Options.periodic, m_Output, m_Background, context)
                      .Only(holes.Count());
      for (std::size_t hole = 0; hole < values.size(); ++hole)
      {
        if (values[hole] && !IsAsked(*values[hole]))
        {
          values[hole].reset();
        }
        if (values[hole])
        {
          CleanedClass & report = ReportOf(*values[hole]);
          ++report.filledHoles;
          report.filledVoxels += holes.Size(hole);
        }
      }
      WriteHoles(background, holes, values, m_Output, Silent());
    }
    Progress(hooks).Update(1);
  }

  const ImageView                     m_Input;
  T * const                           m_Output;
  const CleanOptions &                m_Options;
  const Connectivity                  m_Connectivity;
  const std::uint64_t                 m_FewestVoxels;
  T                                   m_Background{};
  std::vector<T>                      m_Values;
  std::unordered_map<T, CleanedClass> m_Classes;
  /** First for the classes, then for the background. */
  Labeling m_Labeling;
};

} // namespace

std::uint64_t
HoleOptions::MaximumVoxels(const Connectivity & ofBackground, const Geometry & geometry) const
{
  return std::min(maximumSize, MaximumVoxelsOfVolume(maximumVolume, VoxelSizeOf(geometry, ofBackground)));
}

CleanedClass
CleanReport::Total() const
{
  CleanedClass total;
  for (const CleanedClass & one : classes)
  {
    total.components += one.components;
    total.voxels += one.voxels;
    total.removedComponents += one.removedComponents;
    total.removedVoxels += one.removedVoxels;
    total.filledHoles += one.filledHoles;
    total.filledVoxels += one.filledVoxels;
  }
  return total;
}

CleanReport
Clean(const ImageView & segmentation, void * output, const CleanOptions & options)
{
  ThrowIf<InvalidArgument>(segmentation.channels != 1,
                           "the segmentation has " + std::to_string(segmentation.channels) +
                             " channels; it must have 1: export overlapping segments to one label map");
  ThrowIf<InvalidArgument>(
    output == nullptr,
    "the output of cleaning is a null pointer; it needs memory for all voxels of the segmentation");
  return VisitScalarType(segmentation.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    return Cleaner<T>(segmentation, static_cast<T *>(output), options).Run();
  });
}

CleanReport
FillHoles(const ImageView & segmentation, void * output, CleanOptions options)
{
  if (!options.holes)
  {
    options.holes.emplace();
  }
  options.countComponents = false;
  return Clean(segmentation, output, options);
}

} // namespace brickccl
