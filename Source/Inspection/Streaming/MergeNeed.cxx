// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/MergeNeed.h"

#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Tables/ColumnGroup.h"

#include <algorithm>
#include <string>
#include <vector>

namespace brickccl
{

namespace
{

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

} // namespace

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

std::uint64_t
BytesOfTables(const ColumnGroups & groups,
              bool                 isPeriodic,
              bool                 hasClasses,
              bool                 hasIntensity,
              std::uint64_t        parts,
              std::uint64_t        components)
{
  std::uint64_t ofSlabs = isPeriodic ? 200 : 160;
  std::uint64_t ofVolume = 160;
  for (const ColumnGroup * const group : groups.List())
  {
    const std::string name = group->name;
    ofSlabs += group->needsMoments ? 160 : 0;
    ofVolume += group->needsMoments ? 480 : 0;
    // Hulls of rugged components have hundreds of corners.
    ofSlabs += name == "feret" ? 1000 : 0;
    ofVolume += name == "feret" ? 1500 : 0;
    ofVolume += name == "surface" || name == "topology" ? 200 : 0;
  }
  if (hasClasses)
  {
    ofSlabs += 32;
    ofVolume += 32;
  }
  if (hasIntensity)
  {
    ofSlabs += 200;
    ofVolume += 240;
  }
  return ofSlabs * parts + ofVolume * components;
}

} // namespace brickccl
