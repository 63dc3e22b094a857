// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/FaceRuns.h"

#include <algorithm>

namespace brickccl
{

FaceRuns::FaceRuns(const BrickBox & box, const BrickProblem & problem)
  : m_Box(box)
  , m_NeededValues(problem.NeededValues())
  , m_VoxelBytes(problem.VoxelBytes())
  , m_FirstRun(static_cast<std::size_t>(box.extent.RowCount()) + 1, 0)
{
  for (int axis = 0; axis < box.volume.dimension; ++axis)
  {
    const bool uses = problem.Uses(axis);
    const bool goesOn = problem.periodic.Has(axis);
    m_HasLower[axis] = uses && (box.begin[axis] > 0 || goesOn);
    m_HasUpper[axis] = uses && (box.End(axis) < box.volume.size[axis] || goesOn);
  }
}

FaceRuns::Part
FaceRuns::PartOf(const RowPosition & position) const
{
  for (int axis = 1; axis < MaximumDimension; ++axis)
  {
    const std::int64_t at = position.at[axis - 1];
    if ((m_HasLower[axis] && at == 0) || (m_HasUpper[axis] && at + 1 == m_Box.extent.size[axis]))
    {
      return Part::Whole;
    }
  }
  return m_HasLower[0] || m_HasUpper[0] ? Part::Ends : Part::Nothing;
}

void
FaceRuns::Take(const RunVolume & volume, const ImageView & image)
{
  const std::int64_t length = m_Box.extent.RowLength();
  const auto *       voxels = static_cast<const std::byte *>(image.data);
  const auto         take = [&](std::int64_t row, std::int64_t begin, std::int64_t end, std::uint64_t label) {
    m_Runs.push_back({ begin, end, label, m_VoxelBytes == 0 ? 0 : m_Values.size() / m_VoxelBytes });
    if (m_NeededValues != BrickProblem::Values::None)
    {
      const std::int64_t      count = m_NeededValues == BrickProblem::Values::OfRuns ? 1 : end - begin;
      const std::byte * const first = voxels + static_cast<std::size_t>(row * length + begin) * m_VoxelBytes;
      m_Values.insert(m_Values.end(), first, first + static_cast<std::size_t>(count) * m_VoxelBytes);
    }
  };
  RowPosition position(m_Box.extent, 0);
  for (std::int64_t row = 0; row < m_Box.extent.RowCount(); ++row, position.Advance(m_Box.extent))
  {
    const Part part = PartOf(position);
    if (part != Part::Nothing)
    {
      volume.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        const std::uint64_t label = volume.Label(run);
        if (label == 0)
        {
          return;
        }
        if (part == Part::Whole)
        {
          take(row, begin, end, label);
          return;
        }
        const bool takesFirst = m_HasLower[0] && begin == 0;
        if (takesFirst)
        {
          take(row, 0, 1, label);
        }
        if (m_HasUpper[0] && end == length && !(takesFirst && length == 1))
        {
          take(row, length - 1, length, label);
        }
      });
    }
    m_FirstRun[static_cast<std::size_t>(row) + 1] = m_Runs.size();
  }
}

std::size_t
FaceRuns::ValueBytesOf(const FaceRun & run) const
{
  return m_NeededValues == BrickProblem::Values::None   ? 0
       : m_NeededValues == BrickProblem::Values::OfRuns ? m_VoxelBytes
                                                        : static_cast<std::size_t>(run.end - run.begin) * m_VoxelBytes;
}

std::size_t
FaceRuns::PlaceOfRow(std::int64_t row) const
{
  const auto found = std::lower_bound(m_Rows.begin(), m_Rows.end(), row);
  return static_cast<std::size_t>((found != m_Rows.end() && *found == row ? found : m_Rows.end()) - m_Rows.begin());
}

void
FaceRuns::ForgetEnds()
{
  if (m_AreEndsUnwanted)
  {
    return;
  }
  m_AreEndsUnwanted = true;
  const auto forKept = [this](auto visit) {
    RowPosition position(m_Box.extent, 0);
    for (std::int64_t row = 0; row < m_Box.extent.RowCount(); ++row, position.Advance(m_Box.extent))
    {
      const auto [first, last] = Row(row);
      if (first != last && PartOf(position) == Part::Whole)
      {
        visit(row, first, last);
      }
    }
  };
  // The remaining items are counted first, so that no more memory than needed is allocated.
  std::size_t rowCount = 0;
  std::size_t runCount = 0;
  std::size_t valueBytes = 0;
  forKept([&](std::int64_t, const FaceRun * first, const FaceRun * last) {
    ++rowCount;
    runCount += static_cast<std::size_t>(last - first);
    for (const FaceRun * run = first; run != last; ++run)
    {
      valueBytes += ValueBytesOf(*run);
    }
  });
  if (runCount == m_Runs.size())
  {
    return;
  }
  std::vector<std::uint64_t> firstRun(1, 0);
  std::vector<FaceRun>       runs;
  std::vector<std::byte>     values;
  firstRun.reserve(rowCount + 2);
  m_Rows.reserve(rowCount);
  runs.reserve(runCount);
  values.reserve(valueBytes);
  forKept([&](std::int64_t row, const FaceRun * first, const FaceRun * last) {
    for (const FaceRun * run = first; run != last; ++run)
    {
      const std::byte * const begin = m_Values.data() + static_cast<std::size_t>(run->value) * m_VoxelBytes;
      runs.push_back(*run);
      runs.back().value = m_VoxelBytes == 0 ? 0 : values.size() / m_VoxelBytes;
      values.insert(values.end(), begin, begin + ValueBytesOf(*run));
    }
    m_Rows.push_back(row);
    firstRun.push_back(runs.size());
  });
  // Behind them an empty one.
  firstRun.push_back(runs.size());
  m_HasEnds = false;
  m_FirstRun = std::move(firstRun);
  m_Runs = std::move(runs);
  m_Values = std::move(values);
}

void
FaceRuns::Write(ByteWriter & writer) const
{
  writer.Number(m_Runs.size());
  std::uint64_t before = 0;
  RowPosition   position(m_Box.extent, 0);
  for (std::int64_t row = 0; row < m_Box.extent.RowCount(); ++row, position.Advance(m_Box.extent))
  {
    if (PartOf(position) == Part::Nothing)
    {
      continue;
    }
    const auto [first, last] = Row(row);
    writer.Number(static_cast<std::uint64_t>(last - first));
    std::int64_t x = 0;
    for (const FaceRun * run = first; run != last; ++run)
    {
      writer.Number(static_cast<std::uint64_t>(run->begin - x));
      writer.Number(static_cast<std::uint64_t>(run->end - run->begin - 1));
      writer.Signed(static_cast<std::int64_t>(run->label - before));
      x = run->end;
      before = run->label;
    }
  }
  writer.Number(m_Values.size());
  writer.Raw(m_Values.data(), m_Values.size());
}

void
FaceRuns::Read(ByteReader & reader, std::uint64_t labels)
{
  const std::int64_t length = m_Box.extent.RowLength();
  std::uint64_t      before = 0;
  std::uint64_t      values = 0;
  const std::size_t  runs = reader.Count();
  m_Runs.reserve(runs);
  RowPosition position(m_Box.extent, 0);
  for (std::int64_t row = 0; row < m_Box.extent.RowCount(); ++row, position.Advance(m_Box.extent))
  {
    if (PartOf(position) != Part::Nothing)
    {
      std::int64_t x = 0;
      for (std::size_t count = reader.Count(); count > 0; --count)
      {
        const std::uint64_t gap = reader.Number();
        const std::uint64_t voxels = reader.Number();
        before += static_cast<std::uint64_t>(reader.Signed());
        const auto room = static_cast<std::uint64_t>(length - x);
        reader.FailIf(gap >= room || voxels >= room - gap || before < 1 || before > labels,
                      "a run at its faces is out of bounds");
        const std::int64_t begin = x + static_cast<std::int64_t>(gap);
        x = begin + static_cast<std::int64_t>(voxels) + 1;
        m_Runs.push_back({ begin, x, before, values });
        values += m_NeededValues == BrickProblem::Values::OfVoxels ? voxels + 1 : 1;
      }
    }
    m_FirstRun[static_cast<std::size_t>(row) + 1] = m_Runs.size();
  }
  reader.FailIf(m_Runs.size() != runs,
                "it promises " + std::to_string(runs) + " runs at its faces, but has " + std::to_string(m_Runs.size()));
  const std::size_t bytes = reader.Count();
  reader.FailIf(bytes != (m_NeededValues == BrickProblem::Values::None ? 0 : values * m_VoxelBytes),
                "the values at its faces are " + std::to_string(bytes) + " bytes");
  m_Values.resize(bytes);
  reader.Raw(m_Values.data(), bytes);
}

} // namespace brickccl
