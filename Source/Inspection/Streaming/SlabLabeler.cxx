// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/SlabLabeler.h"

#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Measuring/Groups/GroupTable.h"
#include "BrickCCL/Tables/ColumnGroup.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/Disk/MappedFiles.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace brickccl
{

using Kind = WorkFolder::Kind;

namespace
{

/** Additional memory per component for numbering: sorting needs up to four numbers, unwrapping 16 more. */
constexpr std::uint64_t
NumberingBytes(const PeriodicAxes & periodic)
{
  return periodic.HasAny() ? 160 : 32;
}

struct MergeNeed
{
  /** The components of all slabs. */
  std::uint64_t parts = 0;
  /** At most, with numbering. */
  std::uint64_t bytes = 0;
};

/** The memory for links through ends of periodic axes among some slabs, and more.
 *  \param faces  the bytes of the slabs' faces, which are kept with the links */
std::uint64_t
BytesOfLinks(const std::vector<Bytes> & records, std::uint64_t faces)
{
  BrickMerge merge(1);
  for (const Bytes & record : records)
  {
    merge.Add(record);
  }
  const std::uint64_t known = faces + BrickMerge::BytesFor(0, merge.PartCount());
  const std::uint64_t bytes = merge.MemoryBytes();
  // A list that grows has room for up to twice what it holds.
  return 2 * (bytes - std::min(bytes, known));
}

/** Computes it from records, one after the other, in little memory. \param record  of a slab; the slabs make up one
 *  volume in raster order */
MergeNeed
NeedOfMerging(std::size_t slabs, const std::function<Bytes(std::size_t)> & record, const PeriodicAxes & periodic)
{
  MergeNeed     need;
  std::uint64_t mostFaces = 0;
  std::uint64_t firstFaces = 0;
  std::uint64_t faces = 0;
  std::uint64_t links = 0;
  for (std::size_t slab = 0; slab < slabs; ++slab)
  {
    const Bytes bytes = record(slab);
    BrickRecord read = ReadRecord(bytes, RecordParts::Merging);
    need.parts += read.firstVoxels.size();
    mostFaces = std::max<std::uint64_t>(mostFaces, read.faces.MemoryBytes());
    read.faces.ForgetEnds();
    faces = read.faces.MemoryBytes();
    firstFaces = slab == 0 ? faces : firstFaces;
    if (periodic.HasAny())
    {
      // A slab that is the whole volume keeps no faces.
      links += BytesOfLinks({ bytes }, slabs == 1 ? 0 : faces);
    }
  }
  if (periodic.HasAny() && slabs > 1)
  {
    // The first and the last slab may be neighbors; two slabs that are the whole volume keep no faces.
    links += BytesOfLinks({ record(0), record(slabs - 1) }, slabs == 2 ? 0 : firstFaces + faces);
  }
  // The faces of a slab, of the one before and of the first one are there together.
  need.bytes = BrickMerge::BytesFor(slabs, need.parts) + 3 * mostFaces + links + NumberingBytes(periodic) * need.parts;
  return need;
}

/** The place of a slab's first voxel in the bytes of an image, and the slab's bytes. */
struct Part
{
  std::uint64_t begin;
  std::size_t   size;

  Part(const LoadedImage & image, const BrickBox & slab)
    : begin(slab.PlaceInVolume(0) * SizeOf(image.type) * static_cast<std::uint64_t>(image.channels))
    , size(static_cast<std::size_t>(slab.extent.VoxelCount()) * SizeOf(image.type) *
           static_cast<std::size_t>(image.channels))
  {}
};

ImageView
ReadPart(const LoadedImage & image, const BrickBox & slab, Buffer<std::byte> & room)
{
  const Part        part(image, slab);
  const std::byte * voxels = image.voxels.Data() + part.begin;
  if (image.stream)
  {
    room.Resize(part.size);
    image.stream->Read(part.begin, room.Data(), part.size);
    voxels = room.Data();
  }
  return ImageView(static_cast<const void *>(voxels), image.type, slab.extent, image.channels);
}

} // namespace

SlabViews
SlabReader::Read(const BrickBox & slab)
{
  SlabViews  views;
  const auto read = [&](const LoadedImage * image, auto & view, int room) {
    if (image != nullptr)
    {
      view = ReadPart(*image, slab, m_Rooms[room]);
    }
  };
  read(m_Images.image, views.image, 0);
  read(m_Images.mask, views.mask, 1);
  read(m_Images.intensity, views.intensity, 2);
  read(m_Images.zones, views.zones, 3);
  return views;
}

void
SlabReader::Forget(const BrickBox & slab) const
{
  for (const LoadedImage * const image :
       std::array{ m_Images.image, m_Images.mask, m_Images.intensity, m_Images.zones })
  {
    if (image != nullptr && !image->stream && image->voxels.IsShared())
    {
      const Part part(*image, slab);
      ForgetMapped(image->voxels.Data() + part.begin, part.size);
    }
  }
}

SlabLabeler::SlabLabeler(const SlabImages &  images,
                         const SlabOptions & options,
                         const WorkFolder &  folder,
                         SlabStage           stage)
  : m_Images(images)
  , m_Options(options)
  , m_Folder(folder)
  , m_Stage(std::move(stage))
  , m_Context{ options.label.threads, Progress(options.label.progress) }
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
  m_Options.seeSlab(views.image, FirstRowOf(slab), scratch);
  reader.Forget(box);
}

void
SlabLabeler::LabelSlabs()
{
  SlabImages read = m_Images;
  read.image = m_Stage.make ? nullptr : read.image;
  read.zones = nullptr;
  SlabReader   reader(read);
  Labeling     scratch;
  const auto & slabs = m_Result.plan.slabs;
  m_Options.hooks.step("labeling " + Counted(slabs.size(), "slab"));
  for (std::size_t slab = 0; slab < slabs.size(); ++slab)
  {
    m_Context.progress.Update(static_cast<double>(slab) / static_cast<double>(slabs.size()));
    files::WithContext(slabs[slab].ToString() + ": ", [&] { LabelSlab(slab, reader, scratch); });
  }
  m_Result.secondsToLabel += m_Clock.Lap();
}

/** \throws InvalidArgument, which says how much memory does. */
void
SlabLabeler::RefuseComponents()
{
  const SlabPlan & plan = m_Result.plan;
  const MergeNeed  need = NeedOfMerging(plan.slabs.size(), Reader(Kind::Record), m_Options.label.periodic);
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
  BrickMerge          merge(m_Options.label.threads);
  bool                fits = true;
  for (std::size_t slab = 0; fits && slab < m_Result.plan.slabs.size(); ++slab)
  {
    merge.Add(ReadState(slab, Kind::Record));
    fits = merge.MemoryBytes() + NumberingBytes(m_Options.label.periodic) * merge.PartCount() <= room;
  }
  if (!fits)
  {
    merge = BrickMerge();
    RefuseComponents();
  }
  merge.Finish();
  m_Result.components = merge.ComponentCount();
  m_Result.relabeled = merge.Relabeled();
  m_Result.foregroundVoxels = merge.ForegroundVoxelCount();
  m_Result.notNumbers = merge.NotNumberCount();
  m_Result.mergeBytes = merge.MemoryBytes();
  for (std::size_t slab = 0; slab < m_Result.plan.slabs.size(); ++slab)
  {
    m_Folder.Write(m_Stage.firstFile + slab, Kind::Map, merge.Map(slab));
  }
  m_SlabComponents = merge.PartCount();
  m_Result.secondsToMerge += m_Clock.Lap();
}

/** The memory for merging tables, very probably an upper limit: rows of slabs and volume, sums of groups. */
std::uint64_t
SlabLabeler::TableBytes(std::uint64_t parts, std::uint64_t components) const
{
  std::uint64_t ofSlabs = m_Options.label.periodic.HasAny() ? 200 : 160;
  std::uint64_t ofVolume = 160;
  for (const ColumnGroup * const group : m_Options.groups.List())
  {
    const std::string name = group->name;
    ofSlabs += group->needsMoments ? 160 : 0;
    ofVolume += group->needsMoments ? 480 : 0;
    // Hulls of rugged components have hundreds of corners.
    ofSlabs += name == "feret" || name == "hull" ? 1000 : 0;
    ofVolume += name == "feret" || name == "hull" ? 1500 : 0;
    ofVolume += name == "surface" || name == "topology" ? 200 : 0;
  }
  if (MeasuresClasses())
  {
    ofSlabs += 32;
    ofVolume += 32;
  }
  if (m_Images.intensity != nullptr)
  {
    ofSlabs += 200;
    ofVolume += 240;
  }
  ofSlabs += m_Images.zones == nullptr ? 0 : 160;
  return ofSlabs * parts + ofVolume * components;
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
    files::WithContext(m_Result.plan.slabs[slab].ToString() + ": ", [&] {
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

/** Sets the zones and parts of the merged components, and counts their voxels. */
void
SlabLabeler::MeasureNumbers()
{
  const bool  hasParts = m_Stage.part && job::PartsOf(m_Options.job);
  SlabReader  reader({ nullptr, m_Images.mask, nullptr, m_Images.zones });
  ZoneCounter zones;
  ZoneCounter parts;
  RunVolume   runs;
  for (std::size_t slab = 0; (hasParts || m_Images.zones != nullptr) && slab < m_Result.plan.slabs.size(); ++slab)
  {
    const BrickBox & box = m_Result.plan.slabs[slab];
    const SlabViews  views = reader.Read(box);
    const ImageView  part = m_Stage.part ? m_Stage.part(slab) : *views.zones;
    const auto       count = [&](const ImageView & numbers, ZoneCounter & counter, VoxelsOfNumbers & all) {
      for (const auto & [number, voxels] : CountNumbers(numbers, part, views.mask, m_Context.threads))
      {
        all[number] += voxels;
      }
      counter.Add(runs, numbers, m_Context.Silent());
    };
    ReadRuns(slab, runs);
    if (views.zones)
    {
      count(*views.zones, zones, m_Result.zones);
    }
    if (hasParts)
    {
      count(part, parts, m_Result.parts);
    }
    reader.Forget(box);
  }
  ComponentTable & table = m_Result.table;
  if (hasParts)
  {
    InsertGroup(groups::Parts, table.groups);
    parts.SetNumbers<PartNumber>(table);
  }
  if (m_Images.zones != nullptr)
  {
    InsertGroup(groups::Zones, table.groups);
    zones.SetNumbers<ZoneNumber>(table);
  }
}

void
SlabLabeler::MergeTables()
{
  m_Options.hooks.step("merging tables");
  const SlabPlan &    plan = m_Result.plan;
  const std::uint64_t bytes = TableBytes(m_SlabComponents, m_Result.components);
  const std::uint64_t room = plan.memory - plan.fixedBytes;
  ThrowIf<InvalidArgument>(bytes > room,
                           "the table of " + std::to_string(m_Result.components) + " components needs about " +
                             BytesAsText(bytes) + " of memory, more than the " + BytesAsText(room) +
                             " that --memory leaves; " + plan.AskForBytes(bytes) +
                             ", drop small components by a larger --minimum-size, or leave out the table");
  CountSlabs();
  m_Result.table = MergeBrickTables(plan.slabs.size(),
                                    Reader(Kind::Record),
                                    Reader(Kind::Map),
                                    Reader(Kind::Counts),
                                    m_Options.label.threads);
  MeasureNumbers();
  m_Result.secondsToMerge += m_Clock.Lap();
}

} // namespace brickccl
