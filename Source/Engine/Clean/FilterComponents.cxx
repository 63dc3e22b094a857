// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Clean/Clean.h"

#include "BrickCCL/Clean/Holes.h"
#include "BrickCCL/Clean/HoleWalls.h"
#include "BrickCCL/Clean/HookParts.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Criteria/Problem.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Labels/ListVoxels.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Runs/AccumulateRuns.h"
#include "BrickCCL/Runs/BuildRunVolume.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace brickccl
{

namespace
{

/** Links of a foreground that `pack(row, bits)` makes. */
class MadeForeground final : public RowLinks
{
public:
  using Pack = std::function<void(std::int64_t row, Word * bits)>;

  MadeForeground(const Extent & extent, Pack pack)
    : m_RowLength(extent.RowLength())
    , m_Pack(std::move(pack))
  {}

  bool
  FollowForeground() const override
  {
    return true;
  }

  void
  PackForeground(std::int64_t row, Word * bits) const override
  {
    m_Pack(row, bits);
  }

  void
  PackLinks(std::int64_t, std::int64_t, int, const Word * candidates, Word * bits) const override
  {
    std::copy(candidates, candidates + WordsForBits(m_RowLength), bits);
  }

  bool
  AreJoined(std::int64_t, std::int64_t) const override
  {
    return true;
  }

private:
  const std::int64_t m_RowLength;
  const Pack         m_Pack;
};

/** The properties that decide whether a component stays. */
struct ComponentMarks
{
  static constexpr bool IsExact = true;

  bool atBorder = false;
  bool touches = false;

  void
  Merge(const ComponentMarks & other)
  {
    atBorder = atBorder || other.atBorder;
    touches = touches || other.touches;
  }
};

class FilteredLabeler
{
public:
  FilteredLabeler(const ImageView &       image,
                  const LabelOptions &    options,
                  const ComponentFilter & filter,
                  Labeling &              result)
    : m_Image(image)
    , m_Options(options)
    , m_Filter(filter)
    , m_Connectivity(options.connectivity.value_or(Connectivity::Face(image.extent.dimension)))
    , m_Result(result)
  {
    CheckProblem(image, options.criterion, options.mask);
    CheckLargestAcross(options.relabel, m_Connectivity);
    if (filter.touching && filter.touching->extent != image.extent)
    {
      throw InvalidArgument("the mask that components must touch has the extent " + filter.touching->extent.ToString() +
                            " but the image " + image.extent.ToString() + "; they must be the same");
    }
    if (filter.holes && options.periodic.HasAny())
    {
      CheckPeriodicHoles();
    }
    const std::int64_t voxels = image.extent.VoxelCount();
    for (const std::int64_t seed : filter.seeds.value_or(std::vector<std::int64_t>()))
    {
      ThrowIf<InvalidArgument>(seed < 0 || seed >= voxels,
                               "the seed at voxel " + std::to_string(seed) + " is outside the image, which has " +
                                 std::to_string(voxels) + " voxels");
    }
  }

  ComponentFilterReport
  Run()
  {
    const RelabelOptions limits = LimitsOf(m_Options, m_Image.extent.dimension);
    LabelOptions         options = m_Options;
    options.connectivity = m_Connectivity;
    options.relabel = {};
    options.minimumVolume = 0;
    options.progress = PartOf(m_Options.progress, 0, 0.8);
    if (!m_Filter.holes)
    {
      Label(m_Image, options, m_Result);
    }
    else if (m_Options.criterion.FollowsForeground())
    {
      LabelFilled(options);
    }
    else
    {
      LabelAndFill(options);
    }

    Labeling::Implementation & own = ImplementationOf(m_Result);
    m_Report.components = own.components;
    const ProgressHooks hooks = PartOf(m_Options.progress, 0.8, 1);
    const HostContext   context = own.Context(hooks);
    Keep(context.Part(0, 0.8));
    own.components = Relabel(own.volume, own.components, limits, context.Part(0.8, 1), &own.relabeled);
    context.progress.Update(1);
    return m_Report;
  }

private:
  /** Components with holes that are filled after labeling cannot be unwrapped yet. */
  void
  CheckPeriodicHoles() const
  {
    const Connectivity connectivity = BackgroundConnectivity();
    BorderOfHoles(m_Image.extent, connectivity, PeriodicWithin(m_Options.periodic, connectivity));
    ThrowIf<Unsupported>(
      !m_Options.criterion.FollowsForeground(),
      "holes of components of equal or similar values cannot be filled in an image that is periodic along " +
        m_Options.periodic.ToString() + "; label it first, then fill the holes of its labels (clean)");
  }

  Connectivity
  BackgroundConnectivity() const
  {
    return m_Filter.holes->connectivity.value_or(m_Connectivity.Dual());
  }

  /** Labels the background of links, and finds its holes. */
  Holes
  FindHoles(const RowLinks & links, LabelOptions options, const ProgressHooks & hooks, Labeling & background) const
  {
    options.connectivity = BackgroundConnectivity();
    options.periodic = PeriodicWithin(m_Options.periodic, *options.connectivity);
    options.mask.reset();
    // The algorithm that is asked for labels the objects.
    options.algorithm = "Auto";
    options.device = { Device::Kind::Cpu, 0 };
    options.progress = hooks;
    const auto pack = [&links, length = m_Image.extent.RowLength()](std::int64_t row, Word * bits) {
      links.PackForeground(row, bits);
      const std::int64_t words = WordsForBits(length);
      std::transform(bits, bits + words, bits, [](Word word) { return ~word; });
      bits[words - 1] &= BitsUpTo(static_cast<int>((length - 1) % BitsPerWord));
    };
    Label(MadeForeground(m_Image.extent, pack), m_Image.extent, options, background);
    return Holes(RunsOf(background),
                 background.ComponentCount(),
                 BorderOfHoles(m_Image.extent, *options.connectivity, options.periodic),
                 m_Filter.holes->MaximumVoxels(*options.connectivity, m_Options.geometry),
                 { m_Options.threads });
  }

  /** Makes holes foreground, and labels it. */
  void
  LabelFilled(LabelOptions & options)
  {
    const auto          links = MakeRowLinks(m_Image, m_Options.criterion, m_Options.mask);
    const ProgressHooks hooks = PartOf(options.progress, 0, 0.5);
    Labeling            background;
    const Holes         holes = FindHoles(*links, options, hooks, background);
    m_Report.filledHoles = holes.Count();
    for (std::uint64_t hole = 0; hole < holes.Count(); ++hole)
    {
      m_Report.filledVoxels += holes.Size(hole);
    }
    options.progress = PartOf(options.progress, 0.5, 1);
    const RunVolume & outside = RunsOf(background);
    const auto        pack = [&](std::int64_t row, Word * bits) {
      links->PackForeground(row, bits);
      outside.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        if (holes.OfLabel(outside.Label(run)) != Holes::None)
        {
          SetBits(bits, begin, end);
        }
      });
    };
    Label(MadeForeground(m_Image.extent, pack), m_Image.extent, options, m_Result);
    std::string & remark = ImplementationOf(m_Result).device.remark;
    remark = m_Options.device.kind == Device::Kind::Cuda ? "holes are filled on the CPU" : "";
  }

  /** Labels, and gives each hole to the component around it. */
  void
  LabelAndFill(LabelOptions & options)
  {
    const ProgressHooks hooks = options.progress;
    options.progress = PartOf(hooks, 0, 0.4);
    Label(m_Image, options, m_Result);
    Labeling    background;
    const auto  links = MakeRowLinks(m_Image, m_Options.criterion, m_Options.mask);
    const Holes holes = FindHoles(*links, options, PartOf(hooks, 0.4, 0.7), background);
    if (holes.Count() == 0)
    {
      return;
    }
    const LabelType type =
      m_Result.ComponentCount() > std::numeric_limits<std::uint32_t>::max() ? LabelType::UInt64 : LabelType::UInt32;
    VisitLabelType(type,
                   [&](auto tag) { this->FillByLabels<typename decltype(tag)::Type>(RunsOf(background), holes); });
    Progress(hooks).Update(1);
  }

  template <typename TLabel>
  void
  FillByLabels(const RunVolume & background, const Holes & holes)
  {
    const ProgressHooks        none;
    Labeling::Implementation & own = ImplementationOf(m_Result);
    const HostContext          context = own.Context(none);
    Buffer<TLabel>             labels;
    labels.Resize(static_cast<std::size_t>(m_Image.extent.VoxelCount()));
    m_Result.Write(labels.Data());
    auto values = CountHoleWalls(background, holes, BackgroundConnectivity(), {}, labels.Data(), TLabel(0), context)
                    .Largest(holes.Count());
    for (std::uint64_t hole = 0; hole < holes.Count(); ++hole)
    {
      const bool isFilled = values[static_cast<std::size_t>(hole)].has_value();
      m_Report.filledHoles += isFilled ? 1 : 0;
      m_Report.filledVoxels += isFilled ? holes.Size(hole) : 0;
    }
    WriteHoles(background, holes, values, labels.Data(), context);
    MeasureOptions fewest;
    MeasureLabelImage(ImageView(labels.Data(), m_Image.extent), {}, fewest, context, own.volume);
    own.volume.SetTouchingAreJoined(false);
    if (m_Options.mask)
    {
      CountRegion(*m_Options.mask, context, own.volume);
    }
    NumberInRasterOrder(own, context);
  }

  /** A hole may come before the first voxel of the component that fills it. */
  static void
  NumberInRasterOrder(Labeling::Implementation & own, const HostContext & context)
  {
    std::vector<std::uint64_t> numbers(static_cast<std::size_t>(own.components) + 1, 0);
    std::uint64_t              last = 0;
    own.volume.VisitLabels([&](const auto * labels) {
      for (std::uint64_t run = 0; run < own.volume.RunCount() && last < own.components; ++run)
      {
        std::uint64_t & number = numbers[static_cast<std::size_t>(labels[run])];
        number = number == 0 ? ++last : number;
      }
    });
    Renumber(own.volume, numbers, context);
  }

  void
  Keep(const HostContext & context)
  {
    Labeling::Implementation & own = ImplementationOf(m_Result);
    if (!m_Filter.seeds && !m_Filter.clearBorder && !m_Filter.touching)
    {
      return;
    }
    std::vector<unsigned char> hasSeed(static_cast<std::size_t>(own.components) + 1, m_Filter.seeds ? 0 : 1);
    for (const std::int64_t seed : m_Filter.seeds.value_or(std::vector<std::int64_t>()))
    {
      const std::int64_t x = seed % m_Image.extent.RowLength();
      std::uint64_t      label = 0;
      own.volume.ForEachRun(seed / m_Image.extent.RowLength(), [&](std::int64_t begin, std::int64_t end, auto run) {
        label = begin <= x && x < end ? own.volume.Label(run) : label;
      });
      m_Report.seedsInBackground += label == 0 ? 1 : 0;
      hasSeed[static_cast<std::size_t>(label)] = 1;
    }
    const auto                 marks = MarkComponents(context.Part(0, 0.8));
    std::vector<std::uint64_t> numbers{ 0 };
    std::uint64_t              kept = 0;
    for (std::size_t c = 0; c < marks.size(); ++c)
    {
      const bool seeded = hasSeed[c + 1] != 0;
      const bool inside = !m_Filter.clearBorder || !marks[c].atBorder;
      const bool touches = !m_Filter.touching || marks[c].touches;
      m_Report.removedWithoutSeed += seeded ? 0 : 1;
      m_Report.removedAtBorder += seeded && !inside ? 1 : 0;
      m_Report.removedNotTouching += seeded && inside && !touches ? 1 : 0;
      numbers.push_back(seeded && inside && touches ? ++kept : 0);
    }
    Renumber(own.volume, numbers, context.Part(0.8, 1));
    own.components = kept;
  }

  UninitializedVector<ComponentMarks>
  MarkComponents(const HostContext & context) const
  {
    const RunVolume &               volume = RunsOf(m_Result);
    const Border                    border(m_Image.extent, m_Connectivity, m_Options.periodic);
    const std::unique_ptr<RowLinks> touching =
      m_Filter.touching ? MakeRowLinks(*m_Filter.touching, Criterion::Foreground()) : nullptr;
    const auto makeVisit = [&] {
      return [&, bits = std::vector<Word>(static_cast<std::size_t>(volume.WordsPerRow()))](auto &       accumulators,
                                                                                           std::int64_t row) mutable {
        const RowPosition position(m_Image.extent, row);
        if (touching)
        {
          touching->PackForeground(row, bits.data());
        }
        volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
          ComponentMarks & marks = accumulators[static_cast<std::size_t>(volume.Label(run) - 1)];
          marks.atBorder = marks.atBorder || border.Touches(position, begin, end);
          marks.touches = marks.touches || (touching && HasBits(bits.data(), begin, end));
        });
      };
    };
    return AccumulateRows<ComponentMarks>(volume, m_Result.ComponentCount(), context, makeVisit);
  }

  const ImageView         m_Image;
  const LabelOptions &    m_Options;
  const ComponentFilter & m_Filter;
  const Connectivity      m_Connectivity;
  Labeling &              m_Result;
  ComponentFilterReport   m_Report;
};

} // namespace

ComponentFilterReport
Label(const ImageView & image, const LabelOptions & options, const ComponentFilter & filter, Labeling & result)
{
  if (filter.KeepsEverything())
  {
    Label(image, options, result);
    ComponentFilterReport report;
    report.components = result.ComponentCount();
    return report;
  }
  return FilteredLabeler(image, options, filter, result).Run();
}

} // namespace brickccl
