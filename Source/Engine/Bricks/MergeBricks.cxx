// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/Bricks.h"

#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Bricks/PartForest.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/Parallel.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

/** A box, then its copies next to the volume along periodic axes that may have neighbors in the volume. */
std::vector<BrickBox>
CopiesOf(const BrickBox & box, const PeriodicAxes & periodic)
{
  std::vector<BrickBox> copies{ box };
  for (int axis = 0; axis < box.volume.dimension; ++axis)
  {
    for (std::size_t i = copies.size(); periodic.Has(axis) && i-- > 0;)
    {
      for (const int side : { -1, 1 })
      {
        copies.push_back(copies[i]);
        copies.back().begin[axis] += side * box.volume.size[axis];
      }
    }
  }
  return copies;
}

/** The voxels that two boxes have in common, one of them made larger by 1 on all sides. */
std::int64_t
CommonVoxels(const BrickBox & enlarged, const BrickBox & box)
{
  std::int64_t voxels = 1;
  for (int axis = 0; axis < box.volume.dimension; ++axis)
  {
    const std::int64_t begin = std::max(enlarged.begin[axis] - 1, box.begin[axis]);
    const std::int64_t end = std::min(enlarged.End(axis) + 1, box.End(axis));
    voxels *= std::max<std::int64_t>(0, end - begin);
  }
  return voxels;
}

/** The number of voxels of another box straight across x next to one. */
std::int64_t
VoxelsAcrossX(const BrickBox & box, const BrickBox & other)
{
  const auto   has = [&other](std::int64_t x) { return other.begin[0] <= x && x < other.End(0) ? 1 : 0; };
  std::int64_t voxels = has(box.begin[0] - 1) + has(box.End(0));
  for (int axis = 1; axis < MaximumDimension; ++axis)
  {
    const std::int64_t begin = std::max(box.begin[axis], other.begin[axis]);
    voxels *= std::max<std::int64_t>(0, std::min(box.End(axis), other.End(axis)) - begin);
  }
  return voxels;
}

bool
Overlap(const BrickBox & a, const BrickBox & b)
{
  bool overlap = true;
  for (int axis = 0; axis < a.volume.dimension; ++axis)
  {
    overlap = overlap && a.begin[axis] < b.End(axis) && b.begin[axis] < a.End(axis);
  }
  return overlap;
}

struct Brick
{
  BrickBox box;
  /** The checksum of its record. */
  std::uint64_t record = 0;
  /** Its labels 1.. are the nodes from here on. */
  std::uint64_t firstNode = 0;
  std::uint64_t components = 0;
  /** How many voxels around it belong to bricks that are not there yet. */
  std::int64_t missing = 0;
  /** How many of them lie straight across x. */
  std::int64_t missingAcrossX = 0;
};

/** A brick with its place in a map. */
constexpr std::size_t BytesOfBrick = sizeof(Brick) + 128;

/** A brick some of whose neighbors are missing. */
struct OpenBrick
{
  std::size_t number;
  FaceRuns    faces;
};

/** The image of the volume with a copy of a box, relative to the image of the box. */
std::array<signed char, MaximumDimension>
ThroughEnds(const BrickBox & box, const BrickBox & copy)
{
  std::array<signed char, MaximumDimension> through = {};
  for (std::size_t axis = 0; axis < through.size(); ++axis)
  {
    through[axis] = static_cast<signed char>(copy.begin[axis] > box.begin[axis]   ? 1
                                             : copy.begin[axis] < box.begin[axis] ? -1
                                                                                  : 0);
  }
  return through;
}

struct MatchedFaces
{
  std::size_t      brick;
  const FaceRuns * faces;
  std::size_t      beside;
  const FaceRuns * others;
  /** The place of the other brick. */
  BrickBox copy;
  /** As in EndLink, from the brick to the next one. */
  std::array<signed char, MaximumDimension> through;

  bool
  IsThroughEnds() const
  {
    return std::any_of(through.begin(), through.end(), [](signed char along) { return along != 0; });
  }
};

/** Faces are matched by at least this many rows. */
constexpr std::int64_t LeastRows = 256;
constexpr std::int64_t MaximumPieces = 64;

} // namespace

struct BrickMerge::State
{
  HostContext                                      context;
  BrickProblem                                     problem;
  Extent                                           volume;
  std::vector<Brick>                               bricks;
  std::map<std::vector<std::int64_t>, std::size_t> numbers;
  std::vector<OpenBrick>                           open;
  PartForest                                       parts;
  std::int64_t                                     coveredVoxels = 0;
  std::uint64_t                                    foregroundVoxels = 0;
  std::uint64_t                                    notNumbers = 0;
  RelabelReport                                    report;
  std::uint64_t                                    components = 0;
  bool                                             isFinished = false;

  void        CheckNew(const BrickRecord & record) const;
  void        CountMissing(const MatchedFaces & match);
  void        Match(const std::vector<MatchedFaces> & matches);
  void        MatchWithOpen(std::size_t number, FaceRuns faces);
  std::size_t Add(BrickRecord record, std::uint64_t checksum);
  void        CheckComplete() const;
};

BrickMerge::BrickMerge(int threads)
  : m_State(std::make_unique<State>())
{
  m_State->context.threads = threads;
}

BrickMerge::~BrickMerge() = default;
BrickMerge::BrickMerge(BrickMerge &&) noexcept = default;
BrickMerge & BrickMerge::operator=(BrickMerge &&) noexcept = default;

void
BrickMerge::State::CheckNew(const BrickRecord & record) const
{
  if (bricks.empty())
  {
    return;
  }
  const std::string name = record.box.ToString();
  ThrowIf<InvalidArgument>(record.box.volume != volume,
                           name + " belongs to a volume of " + record.box.volume.ToString() +
                             " voxels, the others to one of " + volume.ToString());
  const std::string difference = record.problem.DifferenceFrom(problem);
  ThrowIf<InvalidArgument>(!difference.empty(), name + " was labeled with another " + difference + " than the others");
  const auto same = numbers.find({ record.box.begin, record.box.begin + MaximumDimension });
  if (same != numbers.end())
  {
    throw InvalidArgument(name + " was added before, as " + bricks[same->second].box.ToString());
  }
  for (const OpenBrick & other : open)
  {
    if (Overlap(record.box, bricks[other.number].box))
    {
      throw InvalidArgument(name + " overlaps " + bricks[other.number].box.ToString());
    }
  }
}

/** Some of the voxels around two neighboring bricks are there. */
void
BrickMerge::State::CountMissing(const MatchedFaces & match)
{
  Brick & brick = bricks[match.brick];
  Brick & beside = bricks[match.beside];
  brick.missing -= CommonVoxels(brick.box, match.copy);
  brick.missingAcrossX -= VoxelsAcrossX(brick.box, match.copy);
  if (match.brick != match.beside)
  {
    // From the other brick, this one has the opposite offset.
    beside.missing -= CommonVoxels(match.copy, brick.box);
    beside.missingAcrossX -= VoxelsAcrossX(match.copy, brick.box);
  }
}

void
BrickMerge::State::Match(const std::vector<MatchedFaces> & matches)
{
  struct Piece
  {
    const MatchedFaces * match;
    NeighboringRows      rows;
  };
  std::vector<Piece> pieces;
  for (const MatchedFaces & match : matches)
  {
    const NeighboringRows all(bricks[match.brick].box, match.copy);
    const Chunks          chunks(all.Count(), LeastRows, MaximumPieces);
    for (std::int64_t chunk = 0; chunk < chunks.count; ++chunk)
    {
      pieces.push_back({ &match, all.Part(chunks.Begin(chunk), chunks.End(chunk)) });
    }
  }
  std::vector<JoinedLabels> throughEnds(pieces.size());
  ParallelFor(static_cast<std::int64_t>(pieces.size()), context, [&](std::int64_t i) {
    const Piece &        piece = pieces[static_cast<std::size_t>(i)];
    const MatchedFaces & match = *piece.match;
    JoinedLabels         joined = MatchFaces(*match.faces, *match.others, match.copy, problem, piece.rows);
    if (match.IsThroughEnds())
    {
      throughEnds[static_cast<std::size_t>(i)] = std::move(joined);
      return;
    }
    for (const auto & [ours, theirs] : joined)
    {
      parts.Join(bricks[match.brick].firstNode + ours - 1, bricks[match.beside].firstNode + theirs - 1);
    }
  });
  for (std::size_t i = 0; i < pieces.size(); ++i)
  {
    const MatchedFaces & match = *pieces[i].match;
    for (const auto & [ours, theirs] : throughEnds[i])
    {
      parts.JoinThroughEnds(
        { bricks[match.brick].firstNode + ours - 1, bricks[match.beside].firstNode + theirs - 1, match.through });
    }
  }
}

void
BrickMerge::State::MatchWithOpen(std::size_t number, FaceRuns faces)
{
  std::vector<MatchedFaces> matches;
  const auto                addMatches = [&](std::size_t beside, const FaceRuns & others) {
    for (const BrickBox & copy : CopiesOf(bricks[beside].box, problem.periodic))
    {
      // A brick may be next to its own copies.
      const bool isItself = beside == number && copy == bricks[number].box;
      if (!isItself && AreNeighbors(bricks[number].box, copy))
      {
        matches.push_back({ number, &faces, beside, &others, copy, ThroughEnds(bricks[beside].box, copy) });
      }
    }
  };
  for (const OpenBrick & other : open)
  {
    addMatches(other.number, other.faces);
  }
  addMatches(number, faces);
  Match(matches);
  for (const MatchedFaces & match : matches)
  {
    CountMissing(match);
  }
  open.push_back({ number, std::move(faces) });
  open.erase(std::remove_if(open.begin(),
                            open.end(),
                            [this](const OpenBrick & each) { return bricks[each.number].missing == 0; }),
             open.end());
  for (OpenBrick & each : open)
  {
    if (bricks[each.number].missingAcrossX == 0)
    {
      each.faces.ForgetEnds();
    }
  }
}

std::size_t
BrickMerge::State::Add(BrickRecord record, std::uint64_t checksum)
{
  CheckNew(record);
  if (bricks.empty())
  {
    problem = record.problem;
    volume = record.box.volume;
  }
  const std::size_t number = bricks.size();
  Brick             brick;
  brick.box = record.box;
  brick.record = checksum;
  brick.firstNode = parts.Size();
  brick.components = record.firstVoxels.size();
  const std::int64_t start[MaximumDimension] = {};
  for (const BrickBox & copy : CopiesOf(BrickBox(volume, start, volume), problem.periodic))
  {
    brick.missing += CommonVoxels(record.box, copy);
    brick.missingAcrossX += VoxelsAcrossX(record.box, copy);
  }
  brick.missing -= record.box.extent.VoxelCount();
  bricks.push_back(brick);
  numbers[{ record.box.begin, record.box.begin + MaximumDimension }] = number;
  coveredVoxels += record.box.extent.VoxelCount();
  foregroundVoxels += record.foregroundVoxels;
  notNumbers += record.notNumbers;
  report.tooSmall += record.tooSmall;
  report.tooLarge += record.tooLarge;
  for (std::size_t c = 0; c < record.firstVoxels.size(); ++c)
  {
    parts.Append(record.firstVoxels[c], record.voxelCounts[c]);
  }
  MatchWithOpen(number, std::move(record.faces));
  return number;
}

std::size_t
BrickMerge::Add(BytesView bytes)
{
  return Add(std::vector<BytesView>{ bytes });
}

std::size_t
BrickMerge::Add(const std::vector<BytesView> & records)
{
  State & own = *m_State;
  ThrowIf<InvalidArgument>(own.isFinished, "a brick was added after the bricks were merged");
  std::vector<BrickRecord> read(records.size());
  ParallelFor(static_cast<std::int64_t>(records.size()), own.context, [&](std::int64_t i) {
    const auto place = static_cast<std::size_t>(i);
    read[place] = ReadRecord(records[place], RecordParts::Merging);
  });
  const std::size_t first = own.bricks.size();
  for (std::size_t i = 0; i < read.size(); ++i)
  {
    own.Add(std::move(read[i]), ChecksumOf(records[i]));
  }
  return first;
}

void
BrickMerge::State::CheckComplete() const
{
  ThrowIf<InvalidArgument>(bricks.empty(), "no bricks were added");
  if (!open.empty())
  {
    throw InvalidArgument("bricks are missing: the voxels next to " + bricks[open.front().number].box.ToString() +
                          " are not all there");
  }
  ThrowIf<InvalidArgument>(coveredVoxels != volume.VoxelCount(),
                           "the bricks have " + std::to_string(coveredVoxels) + " voxels, the volume " +
                             std::to_string(volume.VoxelCount()) + ": bricks overlap, or some are missing");
}

void
BrickMerge::Finish()
{
  State & own = *m_State;
  own.CheckComplete();
  if (own.isFinished)
  {
    return;
  }
  own.isFinished = true;
  own.components = own.parts.Number(own.volume, own.problem.periodic, own.problem.relabel, own.context, own.report);
}

std::uint64_t
BrickMerge::ComponentCount() const
{
  return m_State->components;
}

const RelabelReport &
BrickMerge::Relabeled() const
{
  return m_State->report;
}

std::uint64_t
BrickMerge::ForegroundVoxelCount() const
{
  return m_State->foregroundVoxels;
}

std::uint64_t
BrickMerge::NotNumberCount() const
{
  return m_State->notNumbers;
}

Bytes
BrickMerge::Map(std::size_t number) const
{
  const State & own = *m_State;
  ThrowIf<InvalidArgument>(!own.isFinished || number >= own.bricks.size(),
                           "brick " + std::to_string(number) + " of " + std::to_string(own.bricks.size()) +
                             " has no map" + (own.isFinished ? "" : ": Finish was not called"));
  const Brick & brick = own.bricks[number];
  BrickMap      map;
  map.box = brick.box;
  map.components = own.components;
  map.record = brick.record;
  map.labels.assign(1, 0);
  for (std::uint64_t c = 0; c < brick.components; ++c)
  {
    map.labels.push_back(own.parts.NumberOf(brick.firstNode + c));
  }
  map.periodic = own.problem.periodic;
  if (map.periodic.HasAny())
  {
    map.unwrapped.resize(1);
    for (std::uint64_t c = 0; c < brick.components; ++c)
    {
      map.unwrapped.push_back(own.parts.UnwrappedOf(brick.firstNode + c));
    }
  }
  return WriteMap(map);
}

std::size_t
BrickMerge::MemoryBytes() const
{
  const State & own = *m_State;
  std::size_t   bytes = own.bricks.capacity() * BytesOfBrick + own.parts.MemoryBytes();
  for (const OpenBrick & brick : own.open)
  {
    bytes += brick.faces.MemoryBytes();
  }
  return bytes;
}

std::size_t
BrickMerge::BytesFor(std::size_t bricks, std::uint64_t parts)
{
  // A list that grows has room for up to twice what it holds.
  return 2 * bricks * BytesOfBrick + PartForest::BytesFor(parts);
}

std::uint64_t
BrickMerge::PartCount() const
{
  return m_State->parts.Size();
}

std::size_t
BrickMerge::BrickCount() const
{
  return m_State->bricks.size();
}

} // namespace brickccl
