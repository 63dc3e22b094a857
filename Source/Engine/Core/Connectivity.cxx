// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Connectivity.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Neighborhood.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <cstddef>

namespace brickccl
{

/** The number of neighbors of rank k in d dimensions: the sum over j = 1..k of binomial(d, j) 2^j. */
static int
CountNeighbors(int dimension, int rank)
{
  int sum = 0;
  int term = 1;
  for (int j = 1; j <= rank; ++j)
  {
    term = term * 2 * (dimension - j + 1) / j;
    sum += term;
  }
  return sum;
}

static int
CountAxes(unsigned axes)
{
  int count = 0;
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    count += (axes >> axis) & 1u;
  }
  return count;
}

constexpr int OffsetCount = 81;
constexpr int CodeOfSelf = OffsetCount / 2;

/** The number of an offset in raster order. The voxel itself is in the middle, halfway between opposite offsets. */
static int
CodeOf(const int (&step)[MaximumDimension])
{
  int code = 0;
  for (int axis = MaximumDimension - 1; axis >= 0; --axis)
  {
    code = 3 * code + step[axis] + 1;
  }
  return code;
}

static NeighborOffset
OffsetOf(int code)
{
  NeighborOffset offset{};
  for (int & step : offset)
  {
    step = code % 3 - 1;
    code /= 3;
  }
  return offset;
}

/** "(1, 0, -1)" */
static std::string
ToText(const NeighborOffset & offset, int dimension)
{
  std::string text;
  for (int axis = 0; axis < dimension; ++axis)
  {
    text += (axis == 0 ? "(" : ", ") + std::to_string(offset[static_cast<std::size_t>(axis)]);
  }
  return text + ')';
}

/** \throws InvalidArgument unless all steps are -1, 0 or 1, and 0 along axes that the dimension lacks. */
static void
CheckOffset(const NeighborOffset & offset, int dimension)
{
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    const int step = offset[static_cast<std::size_t>(axis)];
    if (step < -1 || step > 1 || (axis >= dimension && step != 0))
    {
      throw InvalidArgument("the offset " + ToText(offset, MaximumDimension) + " is not possible in " +
                            Counted(dimension, "dimension") +
                            ": steps must be -1, 0 or 1, and 0 along axes that the image lacks");
    }
  }
}

Connectivity::Connectivity(int dimension, int rank)
  : m_Dimension(dimension)
  , m_Rank(rank)
  , m_Axes((1u << dimension) - 1)
  , m_PlainRank(m_Rank)
  , m_PlainAxes(m_Axes)
{
  ThrowIf<InvalidArgument>(dimension < 1 || dimension > MaximumDimension || rank < 1 || rank > dimension,
                           "a connectivity of rank " + std::to_string(rank) + " in " + Counted(dimension, "dimension") +
                             " does not exist; the rank runs from 1 to the dimension, the dimension from 1 to " +
                             std::to_string(MaximumDimension));
}

Connectivity
Connectivity::FromNeighborCount(int neighbors, int dimension)
{
  std::string valid;
  for (int rank = 1; rank <= dimension; ++rank)
  {
    const int count = CountNeighbors(dimension, rank);
    if (count == neighbors)
    {
      return Connectivity(dimension, rank);
    }
    valid += (rank == 1 ? "" : rank == dimension ? " or " : ", ") + std::to_string(count);
  }
  throw InvalidArgument("connectivity " + std::to_string(neighbors) + " does not fit " + std::to_string(dimension) +
                        (dimension == 1 ? " dimension" : " dimensions") + "; use " + valid);
}

Connectivity
Connectivity::FromOffsets(int dimension, const std::vector<NeighborOffset> & offsets)
{
  Connectivity found = Face(dimension);
  bool         has[OffsetCount] = {};
  found.m_Rank = 1;
  found.m_Axes = 0;
  for (const NeighborOffset & offset : offsets)
  {
    CheckOffset(offset, dimension);
    int step[MaximumDimension];
    std::copy(offset.begin(), offset.end(), step);
    has[CodeOf(step)] = true;
    unsigned axes = 0;
    for (int axis = 0; axis < dimension; ++axis)
    {
      axes |= step[axis] != 0 ? 1u << axis : 0u;
    }
    found.m_Axes |= axes;
    found.m_Rank = std::max(found.m_Rank, CountAxes(axes));
  }
  for (int code = 0; code < OffsetCount; ++code)
  {
    if (has[code] && !has[OffsetCount - 1 - code])
    {
      throw InvalidArgument("the neighborhood has the offset " + ToText(OffsetOf(code), dimension) +
                            " but lacks the opposite one, " + ToText(OffsetOf(OffsetCount - 1 - code), dimension) +
                            "; a neighborhood must be symmetric");
    }
  }
  // The plain part: as many neighbors as possible. If two have equally many, the one along x has the longer runs.
  int largest = -1;
  for (unsigned axes = 0; axes < 1u << dimension; ++axes)
  {
    for (int rank = 1; rank <= std::max(1, CountAxes(axes)); ++rank)
    {
      bool hasAll = true;
      for (int code = 0; code < OffsetCount && hasAll; ++code)
      {
        int                  step[MaximumDimension];
        const NeighborOffset offset = OffsetOf(code);
        std::copy(offset.begin(), offset.end(), step);
        hasAll = has[code] || !HasNeighbor(rank, axes, step);
      }
      const int count = 2 * CountNeighbors(CountAxes(axes), rank) + static_cast<int>(axes & 1u);
      if (hasAll && count > largest)
      {
        largest = count;
        found.m_PlainRank = rank;
        found.m_PlainAxes = axes;
      }
    }
  }
  for (int code = 0; code < CodeOfSelf; ++code)
  {
    int                  step[MaximumDimension];
    const NeighborOffset offset = OffsetOf(code);
    std::copy(offset.begin(), offset.end(), step);
    const bool isMore = has[code] && !HasNeighbor(found.m_PlainRank, found.m_PlainAxes, step);
    found.m_More |= std::uint64_t{ isMore } << code;
  }
  return found;
}

Connectivity
Connectivity::FromStructuringElement(int dimension, const std::vector<bool> & element)
{
  std::size_t size = 1;
  for (int axis = 0; axis < dimension; ++axis)
  {
    size *= 3;
  }
  ThrowIf<InvalidArgument>(element.size() != size,
                           "a neighborhood in " + Counted(dimension, "dimension") + " has " + std::to_string(size) +
                             " voxels, 3 along each axis, not " + std::to_string(element.size()));
  std::vector<NeighborOffset> offsets;
  for (std::size_t place = 0; place < size; ++place)
  {
    if (element[place])
    {
      offsets.push_back(OffsetOf(static_cast<int>(place)));
      std::fill(offsets.back().begin() + dimension, offsets.back().end(), 0);
    }
  }
  return FromOffsets(dimension, offsets);
}

std::vector<NeighborOffset>
Connectivity::Offsets() const
{
  std::vector<NeighborOffset> offsets;
  for (int code = 0; code < OffsetCount; ++code)
  {
    const NeighborOffset offset = OffsetOf(code);
    if (Has({ offset[0], offset[1], offset[2], offset[3] }))
    {
      offsets.push_back(offset);
    }
  }
  return offsets;
}

bool
Connectivity::HasWholeRows() const
{
  bool areWhole = Has({ 1, 0, 0, 0 });
  for (const NeighborOffset & offset : Offsets())
  {
    const bool isOfRow = offset[1] == 0 && offset[2] == 0 && offset[3] == 0;
    areWhole = areWhole &&
               (isOfRow || offset[0] == 0 ||
                (Has({ 0, offset[1], offset[2], offset[3] }) && Has({ -offset[0], offset[1], offset[2], offset[3] })));
  }
  return areWhole;
}

Connectivity
Connectivity::Plain() const
{
  Connectivity plain = *this;
  plain.m_Rank = m_PlainRank;
  plain.m_Axes = m_PlainAxes;
  plain.m_More = 0;
  return plain;
}

Connectivity
Connectivity::WithinSlices(int axis) const
{
  ThrowIf<InvalidArgument>(axis < 0 || axis > m_Dimension || m_Dimension == MaximumDimension,
                           "slices along axis " + std::to_string(axis) + " do not exist in " +
                             std::to_string(m_Dimension + 1) + " dimensions");
  Connectivity   inSlices = *this;
  const unsigned below = (1u << axis) - 1;
  inSlices.m_Dimension = m_Dimension + 1;
  inSlices.m_Axes = (m_Axes & below) | ((m_Axes & ~below) << 1);
  inSlices.m_PlainAxes = (m_PlainAxes & below) | ((m_PlainAxes & ~below) << 1);
  inSlices.m_More = 0;
  for (int code = 0; code < CodeOfSelf; ++code)
  {
    if (((m_More >> code) & 1u) != 0)
    {
      const NeighborOffset offset = OffsetOf(code);
      int                  step[MaximumDimension] = {};
      for (int from = 0; from < m_Dimension; ++from)
      {
        step[from < axis ? from : from + 1] = offset[static_cast<std::size_t>(from)];
      }
      inSlices.m_More |= std::uint64_t{ 1 } << CodeOf(step);
    }
  }
  return inSlices;
}

Connectivity
Connectivity::Dual() const
{
  Connectivity dual = *this;
  dual.m_Rank = m_Rank == 1 ? std::max(1, AxisCount()) : 1;
  dual.m_PlainRank = dual.m_Rank;
  dual.m_PlainAxes = m_Axes;
  dual.m_More = 0;
  return dual;
}

int
Connectivity::AxisCount() const
{
  return CountAxes(m_Axes);
}

int
Connectivity::NeighborCount() const
{
  int more = 0;
  for (std::uint64_t rest = m_More; rest != 0; rest &= rest - 1)
  {
    more += 2;
  }
  return CountNeighbors(CountAxes(m_PlainAxes), m_PlainRank) + more;
}

std::string
Connectivity::Text() const
{
  // Neighbors along these axes differ along no other one.
  std::string alone;
  unsigned    others = m_Axes;
  for (int axis = 0; axis < m_Dimension; ++axis)
  {
    bool isAlone = Uses(axis);
    for (const NeighborOffset & offset : Offsets())
    {
      const auto along = static_cast<std::size_t>(axis);
      int        steps = 0;
      for (const int step : offset)
      {
        steps += step != 0 ? 1 : 0;
      }
      isAlone = isAlone && (offset[along] == 0 || steps == 1);
    }
    if (isAlone)
    {
      alone += AxisNames[axis];
      others &= ~(1u << axis);
    }
  }
  const int  count = NeighborCount() - 2 * static_cast<int>(alone.size());
  const bool isText = !IsPlain() && UsesEveryAxis() && others != 0 && !alone.empty() && m_PlainAxes == others &&
                      count == CountNeighbors(CountAxes(others), m_PlainRank);
  return isText ? std::to_string(count) + '+' + alone : std::string();
}

bool
Connectivity::Has(const int (&step)[MaximumDimension]) const
{
  if (IsPlain() || HasNeighbor(m_PlainRank, m_PlainAxes, step))
  {
    return HasNeighbor(m_PlainRank, m_PlainAxes, step);
  }
  for (const int along : step)
  {
    if (along < -1 || along > 1)
    {
      return false;
    }
  }
  const int code = CodeOf(step);
  const int earlier = code < CodeOfSelf ? code : OffsetCount - 1 - code;
  return earlier != CodeOfSelf && ((m_More >> earlier) & 1u) != 0;
}

RowOffsets
Connectivity::BackwardRows() const
{
  return IsPlain() ? BackwardRowsOf(m_PlainRank, m_PlainAxes)
                   : BackwardRowsThat([this](const int(&step)[MaximumDimension]) { return Has(step); });
}

NeighborSteps
Connectivity::Neighbors() const
{
  return NeighborSteps(BackwardRows(), Uses(0));
}

std::string
Connectivity::ToString() const
{
  std::string text = std::to_string(NeighborCount());
  if (!IsPlain())
  {
    const std::string written = Text();
    text += written.empty() ? " of a custom neighborhood" : " (" + written + ')';
  }
  bool isFirst = true;
  for (int axis = 0; axis < m_Dimension; ++axis)
  {
    if (!Uses(axis))
    {
      text += std::string(isFirst ? " within slices along " : " and ") + AxisNames[axis];
      isFirst = false;
    }
  }
  return text;
}

PeriodicAxes
PeriodicAxes::FromNames(const std::string & names)
{
  PeriodicAxes axes;
  for (const char name : names)
  {
    const int axis = AxisFromName(std::string(1, name));
    ThrowIf<InvalidArgument>(axis < 0, Quoted(names) + " does not name periodic axes; use letters of " + AxisNames);
    ThrowIf<InvalidArgument>(axes.Has(axis), Quoted(names) + " names the periodic axis " + name + " twice");
    axes.Add(axis);
  }
  return axes;
}

std::string
PeriodicAxes::ToString() const
{
  std::string names;
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    names += Has(axis) ? std::string(1, AxisNames[axis]) : std::string();
  }
  return names;
}

} // namespace brickccl
