// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Bricks/BrickProblem.h"
#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Bricks/ByteStream.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace brickccl
{

/** A run at the faces of a brick: the voxels begin <= x < end of one of its rows. */
struct FaceRun
{
  std::int64_t  begin;
  std::int64_t  end;
  std::uint64_t label;
  /** The place of its value, or of its first voxel's, among the values, in voxels. */
  std::uint64_t value;
};

/** The voxels of a brick next to other bricks, as runs with the brick's labels, and values if joining needs these.
 *  Rows at a face across y, z or t are there as a whole. Other rows have only the first and the last voxel, and only
 *  if there are bricks at the faces across x. Faces at the volume's border, except at the ends of periodic axes, and
 *  across axes along which no neighbors differ are omitted. */
class FaceRuns
{
public:
  FaceRuns() = default;
  FaceRuns(const BrickBox & box, const BrickProblem & problem);

  /** Takes the runs at the faces from a labeled brick. \param image  is read if values are needed. */
  void Take(const RunVolume & volume, const ImageView & image);

  void Write(ByteWriter & writer) const;
  /** \throws Error unless all labels are 1..`labels`. */
  void Read(ByteReader & reader, std::uint64_t labels);

  const BrickBox &
  Box() const
  {
    return m_Box;
  }
  /** Releases the rows with only their ends: most runs. Only bricks straight across x have neighbors of these. */
  void ForgetEnds();

  /** The runs of a row of the brick, first to last; two pointers. */
  std::pair<const FaceRun *, const FaceRun *>
  Row(std::int64_t row) const
  {
    const std::size_t at = m_HasEnds ? static_cast<std::size_t>(row) : PlaceOfRow(row);
    return { m_Runs.data() + m_FirstRun[at], m_Runs.data() + m_FirstRun[at + 1] };
  }
  const std::vector<FaceRun> &
  Runs() const
  {
    return m_Runs;
  }
  const std::byte *
  Values() const
  {
    return m_Values.data();
  }
  std::size_t
  MemoryBytes() const
  {
    return (m_FirstRun.capacity() + m_Rows.capacity()) * sizeof(std::uint64_t) + m_Runs.capacity() * sizeof(FaceRun) +
           m_Values.capacity();
  }

private:
  enum class Part
  {
    Nothing,
    Ends,
    Whole
  };
  Part PartOf(const RowPosition & position) const;
  /** The index in m_Rows; for a released row the empty row after them. */
  std::size_t PlaceOfRow(std::int64_t row) const;
  std::size_t ValueBytesOf(const FaceRun & run) const;

  BrickBox             m_Box;
  BrickProblem::Values m_NeededValues = BrickProblem::Values::None;
  std::size_t          m_VoxelBytes = 0;
  /** Whether there may be bricks at the lower and the upper face across an axis. */
  bool m_HasLower[MaximumDimension] = {};
  bool m_HasUpper[MaximumDimension] = {};
  bool m_HasEnds = true;
  bool m_AreEndsUnwanted = false;
  /** The first run of each row: of all rows or, without ends, of those in m_Rows, which are in order. */
  std::vector<std::uint64_t> m_FirstRun;
  std::vector<std::int64_t>  m_Rows;
  std::vector<FaceRun>       m_Runs;
  std::vector<std::byte>     m_Values;
};

/** Labels of two bricks that are joined, the first brick's first. */
using JoinedLabels = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/** Whether two boxes of a volume are neighbors: some voxels of theirs differ by at most 1 along every axis. */
bool AreNeighbors(const BrickBox & a, const BrickBox & b);

/** Rows of a brick that may have neighbors in another one. They can be cut into parts. */
class NeighboringRows
{
public:
  NeighboringRows(const BrickBox & a, const BrickBox & b);

  std::int64_t
  Count() const
  {
    return m_End - m_Begin;
  }
  NeighboringRows
  Part(std::int64_t begin, std::int64_t end) const
  {
    NeighboringRows part = *this;
    part.m_Begin = m_Begin + begin;
    part.m_End = m_Begin + end;
    return part;
  }

  /** Calls `visit(at)` with the indices of each row in the volume. */
  template <typename TVisit>
  void
  ForEach(TVisit visit) const
  {
    std::int64_t at[MaximumDimension] = {};
    for (std::int64_t row = m_Begin; row < m_End; ++row)
    {
      std::int64_t rest = row;
      for (int axis = 1; axis < MaximumDimension; ++axis)
      {
        at[axis] = m_First[axis] + rest % m_Size[axis];
        rest /= m_Size[axis];
      }
      visit(at);
    }
  }

private:
  std::int64_t m_First[MaximumDimension] = {};
  std::int64_t m_Size[MaximumDimension] = {};
  std::int64_t m_Begin = 0;
  std::int64_t m_End = 1;
};

/** Which components of neighboring bricks of any sizes are joined, also at edges and corners. Pairs may repeat.
 *  \param boxOfB  b's box or, in a periodic volume, a copy, perhaps outside the volume \param rows  of a, to check */
JoinedLabels MatchFaces(const FaceRuns &        a,
                        const FaceRuns &        b,
                        const BrickBox &        boxOfB,
                        const BrickProblem &    problem,
                        const NeighboringRows & rows);

} // namespace brickccl
