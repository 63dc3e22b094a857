// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/SlabLabeler.h"

#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Streaming/MergeNeed.h"
#include "BrickCCL/Streaming/SlabRuns.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace brickccl
{

using Kind = WorkFolder::Kind;

SlabLabeler::SlabLabeler(const SlabImages &  images,
                         const SlabOptions & options,
                         const WorkFolder &  folder,
                         SlabStage           stage)
  : m_Images(images)
  , m_Options(options)
  , m_Folder(folder)
  , m_Stage(std::move(stage))
  , m_Context{ options.label.threads, Progress(options.label.progress) }
  , m_Merge(options.label.threads)
{
  m_Result.plan = options.plan;
}

void
SlabLabeler::LabelSlab(std::size_t slab, SlabReader & reader, Labeling & scratch)
{
  const BrickBox & box = m_Result.plan.slabs[slab];
  SlabViews        views = reader.Read(box);
  if (m_Stage.make)
  {
    views.image = m_Stage.make(slab, views.mask);
  }
  BrickOptions options;
  options.label = m_Options.label;
  options.label.mask = views.mask;
  if (views.mask)
  {
    m_Result.notNumbersOfMask += CountNotANumber(*views.mask, { m_Options.label.threads });
  }
  // The bar counts slabs.
  options.label.progress = {};
  options.measures = m_Options.measures;
  options.measure.groups = m_Options.groups;
  options.measure.intensity = views.intensity;
  if (MeasuresClasses())
  {
    options.measure.classes = views.image;
  }
  const LabeledBrick brick = LabelBrick(views.image, box, options, scratch);
  m_Folder.Write(m_Stage.firstFile + slab, Kind::Runs, brick.runs);
  m_Folder.Write(m_Stage.firstFile + slab, Kind::Record, brick.record);
  if (!m_MergesLater)
  {
    m_Merge.Add(brick.record);
  }
  m_Options.seeSlab(views.image, FirstRowOf(slab), scratch);
  reader.Forget(box);
}

/** The records of slabs do not fit next to a slab: they are released, and read from the state when all are labeled. */
void
SlabLabeler::MergeLater(std::size_t slab)
{
  const SlabPlan &    plan = m_Result.plan;
  const std::uint64_t bytes = m_Merge.MemoryBytes();
  const double        ofAll =
    static_cast<double>(bytes) / static_cast<double>(slab + 1) * static_cast<double>(plan.slabs.size());
  std::string text = "the records of the slabs up to " + plan.slabs[slab].ToString() + " take " + BytesAsText(bytes) +
                     ", too much to keep next to a slab: slabs are merged when all are labeled";
  if (ofAll > static_cast<double>(plan.memory - plan.fixedBytes))
  {
    text += "; all slabs take about " + BytesAsText(static_cast<std::uint64_t>(ofAll)) +
            " if they are alike, more than --memory: the run will then stop and report the memory it needs";
  }
  m_Options.hooks.remark(text);
  m_Merge = BrickMerge(m_Options.label.threads);
  m_MergesLater = true;
}

void
SlabLabeler::LabelSlabs()
{
  SlabImages read = m_Images;
  read.image = m_Stage.make ? nullptr : read.image;
  SlabReader   reader(read, m_Result.plan.keepsSlices);
  Labeling     scratch;
  const auto & slabs = m_Result.plan.slabs;
  m_Options.hooks.step("labeling " + Counted(slabs.size(), "slab"));
  for (std::size_t slab = 0; slab < slabs.size(); ++slab)
  {
    m_Context.progress.Update(static_cast<double>(slab) / static_cast<double>(slabs.size()));
    NamingSlab(slabs[slab], [&] { LabelSlab(slab, reader, scratch); });
    if (!m_MergesLater && m_Merge.MemoryBytes() > m_Result.plan.BytesForMerging())
    {
      MergeLater(slab);
    }
  }
  m_Result.secondsToLabel += m_Clock.Lap();
}

/** \throws InvalidArgument, which says how much memory does. */
void
SlabLabeler::RefuseComponents()
{
  const SlabPlan & plan = m_Result.plan;
  m_Merge = BrickMerge();
  const MergeNeed need = NeedOfMerging(plan.slabs.size(), Reader(Kind::Record), m_Options.label.periodic);
  // The volume's number of components is not known yet.
  const std::uint64_t ofTables = m_Options.measures ? TableBytes(need.parts, need.parts) : 0;
  throw InvalidArgument("numbering " + std::to_string(need.parts) + " components of slabs needs up to " +
                        BytesAsText(need.bytes) + ", more than the " + BytesAsText(plan.memory - plan.fixedBytes) +
                        " that --memory leaves; " + plan.AskForBytes(std::max(need.bytes, ofTables)) +
                        (m_Stage.firstFile == 0 ? ", or drop small components by a larger --minimum-size" : ""));
}

std::function<Bytes(std::size_t)>
SlabLabeler::Reader(Kind kind) const
{
  return [this, kind](std::size_t slab) { return ReadState(slab, kind); };
}

Bytes
SlabLabeler::ReadState(std::size_t slab, Kind kind) const
{
  return m_Folder.Read(m_Stage.firstFile + slab, kind);
}

void
SlabLabeler::ReadRuns(std::size_t slab, RunVolume & runs) const
{
  ReadBrickRuns(ReadState(slab, Kind::Runs), ReadMap(ReadState(slab, Kind::Map)), m_Context.Silent(), runs);
}

std::int64_t
SlabLabeler::FirstRowOf(std::size_t slab) const
{
  return static_cast<std::int64_t>(m_Result.plan.slabs[slab].PlaceInVolume(0)) / m_Images.image->extent.RowLength();
}

void
SlabLabeler::Merge()
{
  m_Options.hooks.step("merging slabs");
  const std::uint64_t room = m_Result.plan.memory - m_Result.plan.fixedBytes;
  for (std::size_t slab = 0; m_MergesLater && slab < m_Result.plan.slabs.size(); ++slab)
  {
    m_Merge.Add(ReadState(slab, Kind::Record));
    if (m_Merge.MemoryBytes() > room)
    {
      RefuseComponents();
    }
  }
  if (m_Merge.MemoryBytes() + NumberingBytes(m_Options.label.periodic) * m_Merge.PartCount() > room)
  {
    RefuseComponents();
  }
  m_Merge.Finish();
  m_Result.components = m_Merge.ComponentCount();
  m_Result.relabeled = m_Merge.Relabeled();
  m_Result.foregroundVoxels = m_Merge.ForegroundVoxelCount();
  m_Result.notNumbers = m_Merge.NotNumberCount();
  m_Result.mergeBytes = m_Merge.MemoryBytes();
  for (std::size_t slab = 0; slab < m_Result.plan.slabs.size(); ++slab)
  {
    m_Folder.Write(m_Stage.firstFile + slab, Kind::Map, m_Merge.Map(slab));
  }
  m_SlabComponents = m_Merge.PartCount();
  m_Merge = BrickMerge();
  m_Result.secondsToMerge += m_Clock.Lap();
}

std::uint64_t
SlabLabeler::TableBytes(std::uint64_t parts, std::uint64_t components) const
{
  return BytesOfTables(m_Options.groups,
                       m_Options.label.periodic.HasAny(),
                       MeasuresClasses(),
                       m_Images.intensity != nullptr,
                       parts,
                       components);
}

/** Takes the second look at slabs that surfaces and Euler numbers need. */
void
SlabLabeler::CountSlabs()
{
  if (!SecondLookOf(m_Options.groups).IsAny())
  {
    return;
  }
  const std::size_t count = m_Result.plan.slabs.size();
  m_Options.hooks.step("counting neighboring voxels");
  for (std::size_t slab = 0; slab < count; ++slab)
  {
    m_Context.progress.Update(static_cast<double>(slab) / static_cast<double>(count));
    NamingSlab(m_Result.plan.slabs[slab], [&] {
      const Bytes              record = ReadState(slab, Kind::Record);
      const Bytes              map = ReadState(slab, Kind::Map);
      Bytes                    recordBefore, mapBefore;
      std::vector<MergedBrick> before;
      if (slab > 0)
      {
        recordBefore = ReadState(slab - 1, Kind::Record);
        mapBefore = ReadState(slab - 1, Kind::Map);
        before.push_back({ recordBefore, mapBefore });
      }
      const Bytes runs = ReadState(slab, Kind::Runs);
      m_Folder.Write(m_Stage.firstFile + slab,
                     Kind::Counts,
                     CountBrick({ record, map }, runs, before, m_Options.label.threads));
    });
  }
}

void
SlabLabeler::MergeTables()
{
  m_Options.hooks.step("merging tables");
  const SlabPlan &    plan = m_Result.plan;
  const std::uint64_t bytes = TableBytes(m_SlabComponents, m_Result.components);
  const std::uint64_t room = plan.memory - plan.fixedBytes;
  if (bytes > room)
  {
    throw InvalidArgument("the table of " + std::to_string(m_Result.components) + " components needs about " +
                          BytesAsText(bytes) + " of memory, more than the " + BytesAsText(room) +
                          " that --memory leaves; " + plan.AskForBytes(bytes) +
                          ", drop small components by a larger --minimum-size, or leave out the table");
  }
  CountSlabs();
  m_Result.table = MergeBrickTables(plan.slabs.size(),
                                    Reader(Kind::Record),
                                    Reader(Kind::Map),
                                    Reader(Kind::Counts),
                                    m_Options.label.threads);
  m_Result.secondsToMerge += m_Clock.Lap();
}

} // namespace brickccl
