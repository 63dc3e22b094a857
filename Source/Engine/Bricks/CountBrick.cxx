// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Measuring/RowMarks.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Runs/BuildRunVolume.h"

#include <algorithm>

namespace brickccl
{

void
BrickCounts::Add(const UninitializedVector<MarkCounts> & otherPairs,
                 const std::vector<TopologyMeasures> &   otherEuler,
                 bool                                    adds)
{
  for (std::size_t c = 0; c < labels.size(); ++c)
  {
    for (std::size_t kind = 0; kind < simd::PairKinds::Count; ++kind)
    {
      pairs[c].of[kind] += adds ? otherPairs[c].of[kind] : ~otherPairs[c].of[kind] + 1;
    }
    euler[c].eulerFull += adds ? otherEuler[c].eulerFull : -otherEuler[c].eulerFull;
    euler[c].eulerFace += adds ? otherEuler[c].eulerFace : -otherEuler[c].eulerFace;
  }
}

Bytes
WriteCounts(const BrickCounts & counts)
{
  ByteWriter writer;
  writer.Fixed(counts.record);
  writer.Number(counts.labels.size());
  std::uint64_t before = 0;
  for (std::size_t c = 0; c < counts.labels.size(); ++c)
  {
    writer.Number(counts.labels[c] - before);
    before = counts.labels[c];
    for (std::size_t kind = 0; kind < simd::PairKinds::Count; ++kind)
    {
      writer.Signed(static_cast<std::int64_t>(counts.pairs[c].of[kind]));
    }
    writer.Signed(counts.euler[c].eulerFull);
    writer.Signed(counts.euler[c].eulerFace);
  }
  return Seal(BytesKind::Counts, writer.Written());
}

BrickCounts
ReadCounts(BytesView bytes)
{
  ByteReader  reader(Unseal(BytesKind::Counts, bytes), "the counts of a brick");
  BrickCounts counts;
  counts.record = reader.Fixed();
  const std::size_t size = reader.Count();
  std::uint64_t     label = 0;
  for (std::size_t c = 0; c < size; ++c)
  {
    MarkCounts       pairs;
    TopologyMeasures euler;
    label += reader.Number();
    for (std::size_t kind = 0; kind < simd::PairKinds::Count; ++kind)
    {
      pairs.of[kind] = static_cast<std::uint64_t>(reader.Signed());
    }
    euler.eulerFull = reader.Signed();
    euler.eulerFace = reader.Signed();
    counts.labels.push_back(label);
    counts.pairs.push_back(pairs);
    counts.euler.push_back(euler);
  }
  return counts;
}

namespace
{

/** A brick and the layer of voxels before it along each axis along which neighbors differ. */
struct EnlargedBox
{
  std::int64_t begin[MaximumDimension] = {};
  Extent       extent;
  /** Bit a: there is a layer along axis a. */
  unsigned layers = 0;

  EnlargedBox(const BrickBox & brick, const BrickProblem & problem)
    : extent(brick.extent)
  {
    for (int axis = 0; axis < brick.volume.dimension; ++axis)
    {
      const bool hasLayer = brick.begin[axis] > 0 && problem.Uses(axis);
      begin[axis] = brick.begin[axis] - (hasLayer ? 1 : 0);
      extent.size[axis] += hasLayer ? 1 : 0;
      layers |= hasLayer ? 1u << axis : 0u;
    }
  }

  std::int64_t
  CommonVoxels(const BrickBox & brick) const
  {
    std::int64_t voxels = 1;
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      voxels *= std::max<std::int64_t>(0,
                                       std::min(begin[axis] + extent.size[axis], brick.End(axis)) -
                                         std::max(begin[axis], brick.begin[axis]));
    }
    return voxels;
  }
};

/** The runs of an enlarged box with the labels of the volume, and then with places among these labels, from 1 on. */
class EnlargedRuns
{
public:
  explicit EnlargedRuns(const EnlargedBox & box)
    : m_Box(box)
    , m_Rows(static_cast<std::size_t>(box.extent.RowCount()))
  {}

  /** Adds the runs of a brick in the box. `visit(row, add)` calls `add(begin, end, label)` for the runs of a row. */
  template <typename TVisit>
  void
  Add(const BrickBox & brick, TVisit visit)
  {
    std::int64_t at[MaximumDimension] = {};
    RowPosition  position(m_Box.extent, 0);
    for (std::vector<LabeledRun> & runs : m_Rows)
    {
      for (int axis = 1; axis < MaximumDimension; ++axis)
      {
        at[axis] = m_Box.begin[axis] + position.at[axis - 1];
      }
      const std::int64_t row = brick.RowAt(at);
      if (row >= 0)
      {
        visit(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t label) {
          const std::int64_t shift = brick.begin[0] - m_Box.begin[0];
          const std::int64_t first = std::max<std::int64_t>(0, begin + shift);
          const std::int64_t last = std::min(m_Box.extent.RowLength(), end + shift);
          if (first < last && label != 0)
          {
            runs.push_back({ first, last, label });
          }
        });
      }
      position.Advance(m_Box.extent);
    }
  }

  /** Replaces labels by their indices in the list of labels. \return the labels. */
  std::vector<std::uint64_t>
  Compact()
  {
    std::vector<std::uint64_t> labels;
    for (std::vector<LabeledRun> & runs : m_Rows)
    {
      std::sort(runs.begin(), runs.end(), [](const LabeledRun & a, const LabeledRun & b) { return a.begin < b.begin; });
      for (const LabeledRun & run : runs)
      {
        labels.push_back(run.label);
      }
    }
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    for (std::vector<LabeledRun> & runs : m_Rows)
    {
      for (LabeledRun & run : runs)
      {
        run.label =
          static_cast<std::uint64_t>(std::lower_bound(labels.begin(), labels.end(), run.label) - labels.begin()) + 1;
      }
    }
    return labels;
  }

  /** The box, or its part in the layers along some axes. \param layers  bit a: axis a. */
  RunVolume
  Volume(unsigned layers) const
  {
    Extent extent = m_Box.extent;
    for (int axis = 0; axis < extent.dimension; ++axis)
    {
      extent.size[axis] = (layers >> axis & 1u) != 0 ? 1 : extent.size[axis];
    }
    const std::int64_t length = extent.RowLength();
    return BuildRunVolume(extent, [&](std::int64_t row, auto add) {
      const RowPosition position(extent, row);
      std::int64_t      own = 0;
      for (int axis = MaximumDimension - 1; axis > 0; --axis)
      {
        own = own * m_Box.extent.size[axis] + position.at[axis - 1];
      }
      for (const LabeledRun & run : m_Rows[static_cast<std::size_t>(own)])
      {
        if (run.begin < length)
        {
          add(run.begin, std::min(run.end, length), run.label);
        }
      }
    });
  }

private:
  const EnlargedBox &                  m_Box;
  std::vector<std::vector<LabeledRun>> m_Rows;
};

BrickMap
ReadMapOf(const MergedBrick & brick)
{
  BrickMap map = ReadMap(brick.map);
  ThrowIf<InvalidArgument>(map.record != ChecksumOf(brick.record),
                           "the map of " + map.box.ToString() + " has the record of another brick");
  return map;
}

void
AddFaces(const MergedBrick & brick, EnlargedRuns & runs)
{
  const BrickRecord record = ReadRecord(brick.record, RecordParts::Merging);
  const BrickMap    map = ReadMapOf(brick);
  runs.Add(record.box, [&](std::int64_t row, auto add) {
    const auto [first, last] = record.faces.Row(row);
    for (const FaceRun * run = first; run != last; ++run)
    {
      add(run->begin, run->end, map.labels[static_cast<std::size_t>(run->label)]);
    }
  });
}

void
AddBrick(const BrickMap & map, BytesView runs, const HostContext & context, EnlargedRuns & enlarged)
{
  RunVolume volume;
  ReadBrickRuns(runs, map, context, volume);
  enlarged.Add(map.box, [&](std::int64_t row, auto add) {
    volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
      add(begin, end, volume.Label(run));
    });
  });
}

} // namespace

bool
IsNeededToCount(const BrickBox & brick, const BrickBox & other)
{
  bool isBefore = false;
  for (int axis = 0; axis < brick.volume.dimension; ++axis)
  {
    if (other.begin[axis] >= brick.End(axis) || other.End(axis) < brick.begin[axis])
    {
      return false;
    }
    isBefore = isBefore || other.End(axis) == brick.begin[axis];
  }
  return isBefore;
}

Bytes
CountBrick(const MergedBrick & brick, BytesView runs, const std::vector<MergedBrick> & before, int threads)
{
  const HostContext context{ threads };
  const BrickRecord own = ReadRecord(brick.record, RecordParts::Merging);
  const EnlargedBox box(own.box, own.problem);
  EnlargedRuns      enlarged(box);
  AddBrick(ReadMapOf(brick), runs, context, enlarged);
  std::int64_t covered = own.box.extent.VoxelCount();
  for (const MergedBrick & other : before)
  {
    const BrickBox otherBox = BoxOf(other.record);
    if (IsNeededToCount(own.box, otherBox) && box.CommonVoxels(otherBox) > 0)
    {
      covered += box.CommonVoxels(otherBox);
      AddFaces(other, enlarged);
    }
  }
  ThrowIf<InvalidArgument>(covered != box.extent.VoxelCount(),
                           "not all bricks before " + own.box.ToString() + " are available to count its voxels");
  BrickCounts counts;
  counts.record = ChecksumOf(brick.record);
  counts.labels = enlarged.Compact();
  counts.pairs.assign(counts.labels.size(), MarkCounts());
  counts.euler.resize(counts.labels.size());
  // By inclusion and exclusion, voxels only in the layers are not counted: they belong to the bricks before.
  for (unsigned layers = 0; layers < 1u << MaximumDimension; ++layers)
  {
    if ((layers & ~box.layers) != 0)
    {
      continue;
    }
    bool adds = true;
    for (int axis = 0; axis < MaximumDimension; ++axis)
    {
      adds = adds != ((layers >> axis & 1u) != 0);
    }
    const RunVolume volume = enlarged.Volume(layers);
    const bool      areJoined = TouchingRunsAreJoined(volume, context);
    counts.Add(CountVoxelPairs(volume, counts.labels.size(), context, areJoined),
               CountEulerNumbers(volume, counts.labels.size(), context, areJoined),
               adds);
  }
  return WriteCounts(counts);
}

} // namespace brickccl
