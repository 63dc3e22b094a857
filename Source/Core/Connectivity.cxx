#include "BrickCCL/Core/Connectivity.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Neighbourhood.h"

namespace brickccl
{

namespace
{

/** The number of neighbours of rank k in d dimensions: the sum over j = 1..k of binomial(d, j) 2^j. */
int
CountNeighbours(int dimension, int rank)
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

} // namespace

Connectivity::Connectivity(int dimension, int rank)
  : m_Dimension(dimension)
  , m_Rank(rank)
  , m_Axes((1u << dimension) - 1)
{
  if (dimension < 1 || dimension > MaximumDimension || rank < 1 || rank > dimension)
  {
    throw InvalidArgument(
      "a connectivity of rank " + std::to_string(rank) + " in " + std::to_string(dimension) +
      " dimensions does not exist; the rank runs from 1 to the dimension, the dimension from 1 to " +
      std::to_string(MaximumDimension));
  }
}

Connectivity
Connectivity::FromNeighbourCount(int neighbours, int dimension)
{
  std::string valid;
  for (int rank = 1; rank <= dimension; ++rank)
  {
    const int count = CountNeighbours(dimension, rank);
    if (count == neighbours)
    {
      return Connectivity(dimension, rank);
    }
    valid += (rank == 1 ? "" : rank == dimension ? " or " : ", ") + std::to_string(count);
  }
  throw InvalidArgument("connectivity " + std::to_string(neighbours) + " does not fit " + std::to_string(dimension) +
                        (dimension == 1 ? " dimension" : " dimensions") + "; use " + valid);
}

Connectivity
Connectivity::WithinSlices(int axis) const
{
  if (axis < 0 || axis > m_Dimension || m_Dimension == MaximumDimension)
  {
    throw InvalidArgument("slices along axis " + std::to_string(axis) + " do not exist in " +
                          std::to_string(m_Dimension + 1) + " dimensions");
  }
  Connectivity inSlices = *this;
  inSlices.m_Dimension = m_Dimension + 1;
  const unsigned below = (1u << axis) - 1;
  inSlices.m_Axes = (m_Axes & below) | ((m_Axes & ~below) << 1);
  return inSlices;
}

Connectivity
Connectivity::Dual() const
{
  Connectivity dual = *this;
  dual.m_Rank = m_Rank == 1 ? AxisCount() : 1;
  return dual;
}

int
Connectivity::AxisCount() const
{
  int axes = 0;
  for (int axis = 0; axis < m_Dimension; ++axis)
  {
    axes += Uses(axis) ? 1 : 0;
  }
  return axes;
}

int
Connectivity::NeighbourCount() const
{
  return CountNeighbours(AxisCount(), m_Rank);
}

bool
Connectivity::Has(const int (&step)[MaximumDimension]) const
{
  return HasNeighbour(m_Rank, m_Axes, step);
}

RowOffsets
Connectivity::BackwardRows() const
{
  return BackwardRowsOf(m_Rank, m_Axes);
}

NeighbourSteps
Connectivity::Neighbours() const
{
  return NeighbourSteps(BackwardRows(), Uses(0));
}

std::string
Connectivity::ToString() const
{
  std::string text = std::to_string(NeighbourCount());
  for (int axis = 0; axis < m_Dimension; ++axis)
  {
    if (!Uses(axis))
    {
      text += std::string(" within slices along ") + "xyzt"[axis];
    }
  }
  return text;
}

} // namespace brickccl
