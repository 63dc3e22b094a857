// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/BrickCounts.h"

#include "BrickCCL/Measuring/CountPairs.h"

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

} // namespace brickccl
