#include "BrickCCL/Bricks/Bricks.h"

#include "BrickCCL/Bricks/BlockArray.h"
#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Labels/Relabel.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

/** A box and its copies beside the volume along periodic axes, as far as voxels of the volume may be neighbours of
 *  theirs. The first is the box itself. */
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

/** How many voxels of another box lie straight across x beside one. */
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

/** A component of a brick. */
struct Node
{
  std::uint64_t parent = 0;
  /** At last the number of the component that it belongs to. */
  std::uint64_t firstVoxel = 0;
  std::uint64_t voxels = 0;
};

/** A brick some of whose neighbours are missing. */
struct OpenBrick
{
  std::size_t number;
  FaceRuns    faces;
};

} // namespace

/** The nodes of the union-find are the components of all bricks. The root of a set has its least first voxel, and all
 *  of its voxels. */
struct BrickMerge::State
{
  BrickProblem                                     problem;
  Extent                                           volume;
  std::vector<Brick>                               bricks;
  std::map<std::vector<std::int64_t>, std::size_t> numbers;
  std::vector<OpenBrick>                           open;
  BlockArray<Node>                                 nodes;
  std::int64_t                                     coveredVoxels = 0;
  std::uint64_t                                    foregroundVoxels = 0;
  RelabelReport                                    report;
  std::uint64_t                                    components = 0;
  bool                                             isFinished = false;

  std::uint64_t
  RootOf(std::uint64_t node)
  {
    while (nodes[node].parent != node)
    {
      node = nodes[node].parent = nodes[nodes[node].parent].parent;
    }
    return node;
  }

  void
  Join(std::uint64_t a, std::uint64_t b)
  {
    a = RootOf(a);
    b = RootOf(b);
    if (a == b)
    {
      return;
    }
    // The component with more voxels becomes the root, so that paths stay short.
    if (nodes[a].voxels < nodes[b].voxels)
    {
      std::swap(a, b);
    }
    nodes[b].parent = a;
    nodes[a].firstVoxel = std::min(nodes[a].firstVoxel, nodes[b].firstVoxel);
    nodes[a].voxels += nodes[b].voxels;
  }

  void CheckNew(const BrickRecord & record) const;
  void Match(Brick & brick, const FaceRuns & faces, Brick & beside, const FaceRuns & others);
  void MatchWithOpen(std::size_t number, FaceRuns faces);
  void CheckComplete() const;
};

BrickMerge::BrickMerge()
  : m_State(std::make_unique<State>())
{}

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
  if (record.box.volume != volume)
  {
    throw InvalidArgument(name + " belongs to a volume of " + record.box.volume.ToString() +
                          " voxels, the others to "
                          "one of " +
                          volume.ToString());
  }
  const std::string difference = record.problem.DifferenceFrom(problem);
  if (!difference.empty())
  {
    throw InvalidArgument(name + " was labeled with another " + difference + " than the others");
  }
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

/** Joins what a brick and another one, or its copies, have in common. A brick may lie beside its own copies. */
void
BrickMerge::State::Match(Brick & brick, const FaceRuns & faces, Brick & beside, const FaceRuns & others)
{
  const bool isItself = &brick == &beside;
  for (const BrickBox & copy : CopiesOf(beside.box, problem.periodic))
  {
    if ((isItself && copy == brick.box) || !AreNeighbours(brick.box, copy))
    {
      continue;
    }
    brick.missing -= CommonVoxels(brick.box, copy);
    // Seen from the other brick, this one lies as far away on the opposite side.
    beside.missing -= isItself ? 0 : CommonVoxels(copy, brick.box);
    brick.missingAcrossX -= VoxelsAcrossX(brick.box, copy);
    beside.missingAcrossX -= isItself ? 0 : VoxelsAcrossX(copy, brick.box);
    for (const auto & [ours, theirs] : MatchFaces(faces, others, copy, problem))
    {
      Join(brick.firstNode + ours - 1, beside.firstNode + theirs - 1);
    }
  }
}

void
BrickMerge::State::MatchWithOpen(std::size_t number, FaceRuns faces)
{
  Brick & brick = bricks[number];
  for (const OpenBrick & other : open)
  {
    Match(brick, faces, bricks[other.number], other.faces);
  }
  Match(brick, faces, brick, faces);
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
BrickMerge::Add(BytesView bytes)
{
  State & own = *m_State;
  if (own.isFinished)
  {
    throw InvalidArgument("a brick was added after the bricks were merged");
  }
  BrickRecord record = ReadRecord(bytes, RecordParts::Merging);
  own.CheckNew(record);
  if (own.bricks.empty())
  {
    own.problem = record.problem;
    own.volume = record.box.volume;
  }
  const std::size_t number = own.bricks.size();
  Brick             brick;
  brick.box = record.box;
  brick.record = ChecksumOf(bytes);
  brick.firstNode = own.nodes.Size();
  brick.components = record.firstVoxels.size();
  const std::int64_t start[MaximumDimension] = {};
  for (const BrickBox & copy : CopiesOf(BrickBox(own.volume, start, own.volume), own.problem.periodic))
  {
    brick.missing += CommonVoxels(record.box, copy);
    brick.missingAcrossX += VoxelsAcrossX(record.box, copy);
  }
  brick.missing -= record.box.extent.VoxelCount();
  own.bricks.push_back(brick);
  own.numbers[{ record.box.begin, record.box.begin + MaximumDimension }] = number;
  own.coveredVoxels += record.box.extent.VoxelCount();
  own.foregroundVoxels += record.foregroundVoxels;
  own.report.tooSmall += record.tooSmall;
  own.report.tooLarge += record.tooLarge;
  for (std::size_t c = 0; c < record.firstVoxels.size(); ++c)
  {
    own.nodes.Append({ brick.firstNode + c, record.firstVoxels[c], record.voxelCounts[c] });
  }
  own.MatchWithOpen(number, std::move(record.faces));
  return number;
}

void
BrickMerge::State::CheckComplete() const
{
  if (bricks.empty())
  {
    throw InvalidArgument("no bricks were added");
  }
  if (!open.empty())
  {
    throw InvalidArgument("bricks are missing: the voxels beside " + bricks[open.front().number].box.ToString() +
                          " are not all there");
  }
  if (coveredVoxels != volume.VoxelCount())
  {
    throw InvalidArgument("the bricks have " + std::to_string(coveredVoxels) + " voxels, the volume " +
                          std::to_string(volume.VoxelCount()) + ": bricks overlap, or some are missing");
  }
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
  std::vector<std::uint64_t> roots;
  for (std::uint64_t node = 0; node < own.nodes.Size(); ++node)
  {
    if (own.nodes[node].parent == node)
    {
      roots.push_back(node);
    }
  }
  std::sort(roots.begin(), roots.end(), [&own](std::uint64_t a, std::uint64_t b) {
    return own.nodes[a].firstVoxel < own.nodes[b].firstVoxel;
  });
  const RelabelOptions & limits = own.problem.relabel;
  const auto             sizeOf = [&](std::size_t component) { return own.nodes[roots[component]].voxels; };
  const int              axis = limits.largestAcross.value_or(0);
  const auto             sliceOf = [&](std::size_t component) {
    auto place = static_cast<std::int64_t>(own.nodes[roots[component]].firstVoxel);
    for (int before = 0; before < axis; ++before)
    {
      place /= own.volume.size[before];
    }
    return limits.largestAcross ? place % own.volume.size[axis] : std::int64_t{ 0 };
  };
  const auto [numberOf, kept] = NumberComponents<std::uint64_t>(roots.size(), sizeOf, limits, sliceOf);
  own.components = kept;
  own.report.found = roots.size() + own.report.tooSmall + own.report.tooLarge;
  own.report.keptVoxels = 0;
  for (std::size_t component = 0; component < roots.size(); ++component)
  {
    const std::uint64_t number = numberOf[component + 1];
    const std::uint64_t voxels = sizeOf(component);
    own.nodes[roots[component]].firstVoxel = number;
    if (number != 0)
    {
      *own.report.keptVoxels += voxels;
      continue;
    }
    ++(voxels < limits.minimumSize   ? own.report.tooSmall
       : voxels > limits.maximumSize ? own.report.tooLarge
                                     : own.report.beyondLargest);
  }
  for (std::uint64_t node = 0; node < own.nodes.Size(); ++node)
  {
    own.nodes[node].firstVoxel = own.nodes[own.RootOf(node)].firstVoxel;
  }
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

Bytes
BrickMerge::Map(std::size_t number) const
{
  const State & own = *m_State;
  if (!own.isFinished || number >= own.bricks.size())
  {
    throw InvalidArgument("there is no map of brick " + std::to_string(number) + " of " +
                          std::to_string(own.bricks.size()) + (own.isFinished ? "" : ": Finish was not called"));
  }
  const Brick & brick = own.bricks[number];
  BrickMap      map;
  map.box = brick.box;
  map.components = own.components;
  map.record = brick.record;
  map.labels.assign(1, 0);
  for (std::uint64_t c = 0; c < brick.components; ++c)
  {
    map.labels.push_back(own.nodes[brick.firstNode + c].firstVoxel);
  }
  return WriteMap(map);
}

std::size_t
BrickMerge::MemoryBytes() const
{
  const State & own = *m_State;
  std::size_t   bytes = own.bricks.capacity() * BytesOfBrick + own.nodes.MemoryBytes();
  for (const OpenBrick & brick : own.open)
  {
    bytes += brick.faces.MemoryBytes();
  }
  return bytes;
}

std::size_t
BrickMerge::StartBytes(std::size_t bricks)
{
  // A list that grows has room for up to twice what it holds.
  return 2 * bricks * BytesOfBrick + BlockArray<Node>::BlockBytes;
}

std::uint64_t
BrickMerge::PartCount() const
{
  return m_State->nodes.Size();
}

std::size_t
BrickMerge::BrickCount() const
{
  return m_State->bricks.size();
}

} // namespace brickccl
