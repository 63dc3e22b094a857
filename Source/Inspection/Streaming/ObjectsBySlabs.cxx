// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/AxisOfParts.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Splitting/SlabSplitter.h"
#include "BrickCCL/Streaming/SlabLabeler.h"

#include <algorithm>
#include <utility>

namespace brickccl
{

namespace
{

class ObjectSlabs
{
public:
  ObjectSlabs(const SlabImages & images, const SlabOptions & options, const std::shared_ptr<const WorkFolder> & folder)
    : m_Plan(options.plan)
    , m_Folder(*folder)
    , m_Axis(AxisOfParts(images.image->extent))
    , m_Splitter(images.image->extent, *options.label.connectivity, options.label.geometry, m_Room)
    , m_Context{ options.label.threads, Progress(options.label.progress) }
    , m_OfComponents(options)
    , m_OfObjects(options)
    , m_Components({ images.image, images.mask }, m_OfComponents, *folder, { m_Slabs.size() })
    , m_Objects(images, m_OfObjects, *folder, { 0, [this](std::size_t slab, const auto &) { return ObjectsOf(slab); } })
    , m_WriteLabels(RowWriterOf(m_Plan, folder, m_Slabs.size()))
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
      FindRegions(m_Slabs[slab], 2 * m_Slabs.size() + slab);
    }
    m_Labels.Release();
    CheckRoom();
    const auto all = m_Splitter.Merge(job::SplitHeightOf(m_OfObjects.job.split));
    m_Objects.LabelSlabs();
    m_Entries = {};
    m_Objects.Merge();
    SlabResult & result = m_Objects.Result();
    result.notNumbers = m_Components.Result().notNumbers;
    if (m_OfObjects.measures)
    {
      m_Objects.MergeTables();
      SetParents(result.table, all);
    }
    return std::move(result);
  }

private:
  /** \throws InvalidArgument, with the memory needed, if slices around a slab or records of regions did not fit. */
  void
  CheckRoom() const
  {
    const std::uint64_t records = m_Splitter.RecordBytes();
    const std::int64_t  deep = m_Splitter.GetAround().atMost;
    const std::int64_t  slices = m_Slabs.front().extent.size[m_Axis];
    // Slabs without the slices around them take up to a quarter of the memory. Slabs of other sizes have other records.
    const std::uint64_t all = BytesOf(m_Slabs.front().volume.size[m_Axis]) + records;
    const std::uint64_t enough = std::min((BytesOf(2 * deep) + records) / 3 * 4, all) / 4 * 5;
    ThrowIf<InvalidArgument>(m_IsTooDeep || records > m_Room,
                             "splitting objects that may be " + std::to_string(deep) + " slices deep needs about " +
                               BytesAsText(BytesOf(slices + 2 * deep) + records) + " of memory, more than the " +
                               BytesAsText(m_Room) + " that --memory leaves; " + m_Plan.AskForBytes(enough));
  }

  std::uint64_t
  BytesOf(std::int64_t slices) const
  {
    const Extent & volume = m_Slabs.front().volume;
    const auto     all = static_cast<std::uint64_t>(volume.size[m_Axis]);
    return std::min(static_cast<std::uint64_t>(slices), all) * (static_cast<std::uint64_t>(volume.VoxelCount()) / all) *
           m_Splitter.BytesPerVoxel();
  }

  /** Finds the regions in a slab. If the slices for distances take too much memory, only the need is found. */
  void
  FindRegions(const BrickBox & slab, std::size_t file)
  {
    const std::int64_t begin = slab.begin[m_Axis];
    const std::int64_t end = slab.End(m_Axis);
    const std::int64_t sliceRows = slab.volume.RowCount() / slab.volume.size[m_Axis];
    m_Entries.resize(4 * static_cast<std::size_t>(slab.extent.VoxelCount()));
    auto * const regions = reinterpret_cast<std::uint32_t *>(m_Entries.data());
    for (bool isDone = false; !isDone;)
    {
      m_IsTooDeep =
        m_IsTooDeep || BytesOf(end - begin + 2 * m_Splitter.GetAround().known) + m_Splitter.RecordBytes() > m_Room;
      m_Around = m_IsTooDeep ? m_Around : m_Splitter.GetAround().known;
      const std::int64_t first = std::max<std::int64_t>(0, begin - m_Around);
      const std::int64_t last = std::min(slab.volume.size[m_Axis], end + m_Around);
      m_Labels.Resize(static_cast<std::size_t>((last - first) * sliceRows * slab.volume.RowLength()));
      m_WriteLabels(first * sliceRows, last * sliceRows, LabelType::UInt32, m_Labels.Data());
      const LabelSlab labels = { m_Labels.Data(), first, last, begin, end };
      isDone = m_Splitter.FindRegions(labels, m_IsTooDeep ? nullptr : regions, m_Context.Quiet()) || m_IsTooDeep;
    }
    m_Folder.Write(file, WorkFolder::Kind::Runs, m_Entries);
  }

  ImageView
  ObjectsOf(std::size_t slab)
  {
    m_Entries = m_Folder.Read(2 * m_Slabs.size() + slab, WorkFolder::Kind::Runs);
    auto * const objects = reinterpret_cast<std::uint32_t *>(m_Entries.data());
    m_Splitter.MakeObjects(objects, m_Slabs[slab].extent, m_Context.Quiet());
    return ImageView(objects, m_Slabs[slab].extent);
  }

  const SlabPlan &              m_Plan;
  const std::vector<BrickBox> & m_Slabs = m_Plan.slabs;
  const WorkFolder &            m_Folder;
  const std::uint64_t           m_Room = m_Plan.memory - m_Plan.fixedBytes;
  const int                     m_Axis;
  SlabSplitter                  m_Splitter;
  const HostContext             m_Context;
  SlabOptions                   m_OfComponents;
  SlabOptions                   m_OfObjects;
  SlabLabeler                   m_Components;
  SlabLabeler                   m_Objects;

  std::function<void(std::int64_t, std::int64_t, LabelType, void *)> m_WriteLabels;

  /** Whether objects are so deep that the slices for their distances do not fit, and how many around a slab did. */
  bool                  m_IsTooDeep = false;
  std::int64_t          m_Around = 1;
  Buffer<std::uint32_t> m_Labels;
  Bytes                 m_Entries;
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
