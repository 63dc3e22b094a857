// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/AxisOfParts.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Splitting/Splitter.h"
#include "BrickCCL/Streaming/SlabLabeler.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace brickccl
{

namespace
{

/** Components and their objects. Steps uphill that leave a slab are followed when all slabs are known. */
class ObjectSlabs
{
public:
  ObjectSlabs(const SlabImages & images, const SlabOptions & options, const std::shared_ptr<const WorkFolder> & folder)
    : m_Plan(options.plan)
    , m_Slabs(m_Plan.slabs)
    , m_Folder(*folder)
    , m_Extent(images.image->extent)
    , m_Axis(AxisOfParts(m_Extent))
    , m_SliceVoxels(m_Extent.VoxelCount() / m_Extent.size[m_Axis])
    , m_Neighbors(*options.label.connectivity)
    , m_Unit(DistanceTo::Centers, m_Extent, options.label.geometry, UsedAxes(m_Neighbors))
    , m_Context{ options.label.threads, Progress(options.label.progress) }
    , m_OfComponents(options)
    , m_OfObjects(options)
    , m_Components({ images.image, images.mask }, m_OfComponents, *folder, { m_Slabs.size() })
    , m_Objects(images, m_OfObjects, *folder, { 0, [this](std::size_t slab, const auto &) { return ObjectsOf(slab); } })
    , m_WriteLabels(RowWriterOf(m_Plan, folder, m_Slabs.size()))
    , m_Around(m_Neighbors.Uses(m_Axis) ? 2 : 0)
  {
    m_OfComponents.label.relabel = {};
    m_OfComponents.label.minimumVolume = 0;
    m_OfComponents.measures = false;
    m_OfComponents.groups = {};
    m_OfObjects.label.criterion = Criterion::EqualValue(0);
    m_OfObjects.seeSlab = [](const ImageView &, std::int64_t, const Labeling &) {};
  }

  SlabResult
  Run(std::uint64_t & parents)
  {
    m_Components.LabelSlabs();
    m_Components.Merge();
    parents = m_Components.Result().components;
    m_OfObjects.hooks.step("splitting");
    for (std::size_t slab = 0; slab < m_Slabs.size(); ++slab)
    {
      m_Context.progress.Update(static_cast<double>(slab) / static_cast<double>(m_Slabs.size()));
      FindBasins(slab);
    }
    m_Labels.Release();
    std::sort(m_Passes.begin(), m_Passes.end());
    m_Basins.firsts = m_Basins.peaks;
    const auto   root = DistanceUnit::RootOf<double>;
    const double depth = SplitDepth(job::SplitHeight(m_OfObjects.job.split), m_Unit);
    m_Found = MergeBasins(m_Basins, m_Passes, root, depth);
    m_Objects.LabelSlabs();
    m_Entries = {};
    m_Objects.Merge();
    SlabResult & result = m_Objects.Result();
    result.notNumbers = m_Components.Result().notNumbers;
    if (m_OfObjects.measures)
    {
      m_Objects.MergeTables();
      SetParents(result.table);
    }
    return std::move(result);
  }

private:
  /** \throws InvalidArgument if this many bytes are not there. Slabs take up to half of what is. */
  void
  CheckRoom(const std::string & what, std::uint64_t bytes) const
  {
    const std::uint64_t room = m_Plan.memory - m_Plan.fixedBytes;
    ThrowIf<InvalidArgument>(bytes > room,
                             "splitting " + what + " needs about " + BytesAsText(bytes) + " of memory, more than the " +
                               BytesAsText(room) + " that --memory leaves; " + m_Plan.AskForBytes(2 * bytes));
  }

  /** Finds the basins in a slab. Distances need slices around it. */
  void
  FindBasins(std::size_t slab)
  {
    for (bool isDone = false; !isDone; m_Around += isDone ? 0 : m_Around / 2)
    {
      const std::int64_t begin = std::max<std::int64_t>(0, m_Slabs[slab].begin[m_Axis] - m_Around);
      Extent             part = m_Extent;
      part.size[m_Axis] = std::min(m_Slabs[slab].End(m_Axis) + m_Around, m_Extent.size[m_Axis]) - begin;
      // Labels, squares of distances, and entries, which are copied twice.
      CheckRoom("objects that may be " + std::to_string(m_Around) + " slices deep",
                static_cast<std::uint64_t>(part.VoxelCount() * (m_Unit.isWhole ? 16 : 20)));
      m_Labels.Resize(static_cast<std::size_t>(part.VoxelCount()));
      const std::int64_t firstRow = begin * m_SliceVoxels / m_Extent.RowLength();
      m_WriteLabels(firstRow, firstRow + part.RowCount(), LabelType::UInt32, m_Labels.Data());
      const SquaredDistances found(ImageView(m_Labels.Data(), part), m_Unit, m_Context.Quiet());
      isDone = std::visit(
        [&](const auto & squares) {
          const bool isCertain = m_Around == 0 || AreCertain(squares.Data(), slab, begin, begin + part.size[m_Axis]);
          return isCertain && (Climb(squares.Data(), slab, begin, found.areSeveral), true);
        },
        found.squares);
    }
  }

  /** Whether no distance in a slab and the slices next to it may end outside of the slices from `begin` to `end`. */
  template <typename T>
  bool
  AreCertain(const T * squares, std::size_t slab, std::int64_t begin, std::int64_t end) const
  {
    const double       step = std::sqrt(m_Unit.weights[m_Axis]);
    const std::int64_t last = std::min(end, m_Slabs[slab].End(m_Axis) + 1);
    for (std::int64_t slice = std::max(begin, m_Slabs[slab].begin[m_Axis] - 1); slice < last; ++slice)
    {
      const double way = std::min(begin > 0 ? static_cast<double>(slice - begin + 1) : HUGE_VAL,
                                  end < m_Extent.size[m_Axis] ? static_cast<double>(end - slice) : HUGE_VAL);
      const T * first = squares + (slice - begin) * m_SliceVoxels;
      // Roots are rounded.
      if (DistanceUnit::RootOf(*std::max_element(first, first + m_SliceVoxels)) > way * step * (1 - 1e-12))
      {
        return false;
      }
    }
    return true;
  }

  /** Writes the basins of voxels in a slab, from 1, and the passes. \param squares  and m_Labels are of the slices from
   *  `begin` */
  template <typename T>
  void
  Climb(const T * squares, std::size_t slab, std::int64_t begin, bool labelsTouch)
  {
    const std::int64_t reach = std::min<std::int64_t>(1, m_Around);
    const std::int64_t first = std::max<std::int64_t>(0, m_Slabs[slab].begin[m_Axis] - reach);
    const std::int64_t before = (m_Slabs[slab].begin[m_Axis] - first) * m_SliceVoxels;
    const std::int64_t last = before + m_Slabs[slab].extent.VoxelCount();
    Extent             near = m_Extent;
    near.size[m_Axis] = std::min(m_Extent.size[m_Axis], m_Slabs[slab].End(m_Axis) + reach) - first;
    const std::uint32_t * const labels = m_Labels.Data() + (first - begin) * m_SliceVoxels;
    Landscape<T>                landscape;
    landscape.heights = squares + (first - begin) * m_SliceVoxels;
    landscape.labelAt = [labels](std::int64_t voxel) { return std::uint64_t{ labels[voxel] }; };
    landscape.labelsTouch = labelsTouch;
    landscape.firstRow = before / m_Extent.RowLength();
    landscape.endRow = last / m_Extent.RowLength();
    std::vector<std::uint32_t> entries(static_cast<std::size_t>(near.VoxelCount()));
    Splitter<T>                splitter(near, m_Neighbors, landscape, entries.data());
    const auto                 passes = splitter.FindBasins(m_Context.Quiet());
    const auto                 came = std::exchange(m_Leaving, {});
    const auto basins = AddBasins(splitter.GetBasins(), labels, entries, before, last, first * m_SliceVoxels);
    for (const Pass<T> & pass : passes)
    {
      m_Passes.push_back({ static_cast<double>(pass.height), basins[pass.first], basins[pass.second] });
    }
    entries.erase(entries.begin() + last, entries.end());
    entries.erase(entries.begin(), entries.begin() + before);
    for (std::uint32_t & entry : entries)
    {
      entry = entry == 0 ? 0 : basins[entry - Splitter<T>::FirstBasin] + 1;
    }
    for (const auto & [place, basin] : came)
    {
      m_Next[basin] = entries[static_cast<std::size_t>(place)] - 1;
    }
    m_LastSlice.assign(entries.end() - m_SliceVoxels, entries.end());
    const auto * const bytes = reinterpret_cast<const std::uint8_t *>(entries.data());
    m_Folder.Write(2 * m_Slabs.size() + slab, WorkFolder::Kind::Runs, Bytes(bytes, bytes + 4 * entries.size()));
    KeepHighest();
  }

  /** Adds the basins of a slab, from voxel `before` to `last`, and the later voxels in which steps end. The next slab
   * shows where these lead. \return the number of each basin */
  template <typename T>
  std::vector<std::uint32_t>
  AddBasins(const Basins<T> &                  found,
            const std::uint32_t *              labels,
            const std::vector<std::uint32_t> & entries,
            std::int64_t                       before,
            std::int64_t                       last,
            std::int64_t                       place)
  {
    std::vector<bool> isUsed(found.peaks.size() + Splitter<T>::FirstBasin);
    std::for_each(entries.begin() + before, entries.begin() + last, [&](std::uint32_t entry) { isUsed[entry] = true; });
    std::vector<std::uint32_t> numbers;
    for (const std::int64_t peak : found.peaks)
    {
      const std::size_t basin = numbers.size();
      numbers.push_back(peak < before ? m_LastSlice[static_cast<std::size_t>(peak)] - 1
                                      : static_cast<std::uint32_t>(m_Next.size()));
      if (peak >= before && isUsed[basin + Splitter<T>::FirstBasin])
      {
        const T square = found.heights[basin];
        m_Basins.peaks.push_back(place + peak);
        m_Basins.heights.push_back(square == UnknownSquare<T> ? HUGE_VAL : static_cast<double>(square));
        m_Next.push_back(numbers.back());
        m_Parents.push_back(labels[peak]);
      }
      if (peak >= last && isUsed[basin + Splitter<T>::FirstBasin])
      {
        m_Leaving.emplace_back(peak - last, numbers.back());
      }
    }
    return numbers;
  }

  /** The basin in which the steps of another one end, as far as is known. */
  std::uint32_t
  EndOf(std::uint32_t basin) const
  {
    for (; m_Next[basin] != basin; basin = m_Next[basin])
    {}
    return basin;
  }

  /** Keeps the highest pass between each two basins. */
  void
  KeepHighest()
  {
    const auto pairOf = [](const Pass<double> & pass) { return std::uint64_t{ pass.first } << 32 | pass.second; };
    for (Pass<double> & pass : m_Passes)
    {
      std::tie(pass.first, pass.second) = std::minmax({ EndOf(pass.first), EndOf(pass.second) });
    }
    std::sort(m_Passes.begin(), m_Passes.end(), [&](const Pass<double> & a, const Pass<double> & b) {
      return std::make_pair(pairOf(a), -a.height) < std::make_pair(pairOf(b), -b.height);
    });
    const auto end = std::unique(m_Passes.begin(), m_Passes.end(), [&](const Pass<double> & a, const Pass<double> & b) {
      return pairOf(a) == pairOf(b);
    });
    m_Passes.erase(end, m_Passes.end());
    CheckRoom(std::to_string(m_Next.size()) + " regions",
              48 * std::uint64_t{ m_Next.size() } + 32 * std::uint64_t{ m_Passes.size() });
  }

  /** The numbers of the objects in a slab. */
  ImageView
  ObjectsOf(std::size_t slab)
  {
    m_Entries = m_Folder.Read(2 * m_Slabs.size() + slab, WorkFolder::Kind::Runs);
    auto * const objects = reinterpret_cast<std::uint32_t *>(m_Entries.data());
    std::transform(objects, objects + m_Entries.size() / 4, objects, [this](std::uint32_t entry) {
      return entry == 0 ? 0 : m_Found.numbers[EndOf(entry - 1)];
    });
    return ImageView(objects, m_Slabs[slab].extent);
  }

  /** Replaces the objects' unfiltered numbers by parents. */
  void
  SetParents(ComponentTable & table) const
  {
    std::vector<ParentLabel> parents;
    for (const ClassValue & object : table.measures.Of<ClassValue>())
    {
      const auto number = static_cast<std::size_t>(std::get<std::uint64_t>(object.value));
      parents.push_back({ m_Parents[m_Found.highest[number - 1]] });
    }
    table.measures.Set(std::move(parents));
    std::replace(table.groups.begin(), table.groups.end(), &groups::Classes, &groups::Parents);
  }

  const SlabPlan &              m_Plan;
  const std::vector<BrickBox> & m_Slabs;
  const WorkFolder &            m_Folder;
  const Extent                  m_Extent;
  const int                     m_Axis;
  const std::int64_t            m_SliceVoxels;
  const Connectivity            m_Neighbors;
  const DistanceUnit            m_Unit;
  const HostContext             m_Context;
  SlabOptions                   m_OfComponents;
  SlabOptions                   m_OfObjects;
  SlabLabeler                   m_Components;
  SlabLabeler                   m_Objects;

  std::function<void(std::int64_t, std::int64_t, LabelType, void *)> m_WriteLabels;

  /** The slices around a slab that distances needed so far; 0 if slices are not neighbors. */
  std::int64_t          m_Around;
  Buffer<std::uint32_t> m_Labels;
  Basins<double>        m_Basins;
  /** By basin: the one in which its steps end, and its label. */
  std::vector<std::uint32_t> m_Next;
  std::vector<std::uint32_t> m_Parents;
  /** The basins in the last slice, and the basins of later voxels. */
  std::vector<std::uint32_t>                          m_LastSlice;
  std::vector<std::pair<std::int64_t, std::uint32_t>> m_Leaving;

  std::vector<Pass<double>> m_Passes;
  ObjectsOfBasins           m_Found;
  Bytes                     m_Entries;
};

} // namespace

SlabResult
LabelObjectsBySlabs(const SlabImages &                        images,
                    const SlabOptions &                       options,
                    const std::shared_ptr<const WorkFolder> & folder,
                    std::uint64_t &                           parents)
{
  return ObjectSlabs(images, options, folder).Run(parents);
}

} // namespace brickccl
