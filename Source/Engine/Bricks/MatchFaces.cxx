// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/FaceRuns.h"
#include "BrickCCL/Criteria/RuleConversion.h"

#include <algorithm>
#include <vector>

namespace brickccl
{

namespace
{

/** Two rows of different bricks. Their voxels count from the volume's first one. */
struct RowPair
{
  std::pair<const FaceRun *, const FaceRun *> a;
  std::pair<const FaceRun *, const FaceRun *> b;
  std::int64_t                                beginA;
  std::int64_t                                beginB;
};

/** Which of the steps -1, 0 and 1 along x lead from one row to neighbors in another. */
struct StepsAlongX
{
  bool has[3];
};

/** Calls `visit(runA, runB, begin, end, step)` for runs of two rows that have neighbors: the voxel x of row a, begin
 *  <= x < end, and the voxel x + step of row b. It stops looking at two runs when `visit` returns true. */
template <typename TVisit>
void
ForNeighboringRuns(const RowPair & rows, const StepsAlongX & steps, TVisit visit)
{
  const FaceRun * first = rows.b.first;
  for (const FaceRun * a = rows.a.first; a != rows.a.second; ++a)
  {
    const std::int64_t beginA = rows.beginA + a->begin;
    const std::int64_t endA = rows.beginA + a->end;
    while (first != rows.b.second && rows.beginB + first->end < beginA)
    {
      ++first;
    }
    for (const FaceRun * b = first; b != rows.b.second && rows.beginB + b->begin <= endA; ++b)
    {
      const std::int64_t beginB = rows.beginB + b->begin;
      const std::int64_t endB = rows.beginB + b->end;
      for (int step = -1; step <= 1; ++step)
      {
        const std::int64_t begin = std::max(beginA, beginB - step);
        const std::int64_t end = std::min(endA, endB - step);
        if (steps.has[step + 1] && begin < end && visit(*a, *b, begin, end, step))
        {
          break;
        }
      }
    }
  }
}

template <typename TRule>
class FaceMatcher
{
public:
  using Pixel = typename TRule::Pixel;

  FaceMatcher(const FaceRuns & a, const FaceRuns & b, const BrickProblem & problem, const TRule & rule)
    : m_A(a)
    , m_B(b)
    , m_Needed(problem.NeededValues())
    , m_Rule(rule)
  {}

  void
  MatchRows(const RowPair & rows, const StepsAlongX & steps, JoinedLabels & joined) const
  {
    ForNeighboringRuns(
      rows,
      steps,
      [&](const FaceRun & a, const FaceRun & b, std::int64_t begin, std::int64_t end, int step) {
        const std::pair<std::uint64_t, std::uint64_t> labels(a.label, b.label);
        if (!joined.empty() && joined.back() == labels)
        {
          return true;
        }
        const bool are =
          AreJoined(a, b, begin - rows.beginA - a.begin, begin + step - rows.beginB - b.begin, end - begin);
        if (are)
        {
          joined.push_back(labels);
        }
        return are;
      });
  }

private:
  /** Whether one of `count` voxels of run a, from its voxel `atA` on, is joined to the adjacent voxel of run b. */
  bool
  AreJoined(const FaceRun & a, const FaceRun & b, std::int64_t atA, std::int64_t atB, std::int64_t count) const
  {
    const auto channels = static_cast<std::uint64_t>(m_Rule.channels);
    switch (m_Needed)
    {
    case BrickProblem::Values::None:
      return true;
    case BrickProblem::Values::OfRuns:
      return m_Rule.AreJoined(m_ValuesA + a.value * channels, m_ValuesB + b.value * channels);
    case BrickProblem::Values::OfVoxels:
      break;
    }
    const Pixel * valueA = m_ValuesA + (a.value + static_cast<std::uint64_t>(atA)) * channels;
    const Pixel * valueB = m_ValuesB + (b.value + static_cast<std::uint64_t>(atB)) * channels;
    for (std::int64_t i = 0; i < count; ++i, valueA += channels, valueB += channels)
    {
      if (m_Rule.AreJoined(valueA, valueB))
      {
        return true;
      }
    }
    return false;
  }

  const FaceRuns &           m_A;
  const FaceRuns &           m_B;
  const Pixel *              m_ValuesA = reinterpret_cast<const Pixel *>(m_A.Values());
  const Pixel *              m_ValuesB = reinterpret_cast<const Pixel *>(m_B.Values());
  const BrickProblem::Values m_Needed;
  const TRule &              m_Rule;
};

/** A step from a row to one with neighbors of its voxels. */
struct RowStep
{
  int         to[MaximumDimension];
  StepsAlongX alongX;
};

std::vector<RowStep>
RowSteps(const BrickProblem & problem)
{
  std::vector<RowStep> steps;
  for (int code = 0; code < 27; ++code)
  {
    RowStep step{ { 0, code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1 }, {} };
    bool    any = false;
    for (step.to[0] = -1; step.to[0] <= 1; ++step.to[0])
    {
      step.alongX.has[step.to[0] + 1] = problem.Has(step.to);
      any = any || step.alongX.has[step.to[0] + 1];
    }
    if (any)
    {
      steps.push_back(step);
    }
  }
  return steps;
}

} // namespace

bool
AreNeighbors(const BrickBox & a, const BrickBox & b)
{
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    if (a.begin[axis] > b.End(axis) || b.begin[axis] > a.End(axis))
    {
      return false;
    }
  }
  return true;
}

NeighboringRows::NeighboringRows(const BrickBox & a, const BrickBox & b)
{
  for (int axis = 1; axis < MaximumDimension; ++axis)
  {
    m_First[axis] = std::max(a.begin[axis], b.begin[axis] - 1);
    m_Size[axis] = std::max<std::int64_t>(0, std::min(a.End(axis), b.End(axis) + 1) - m_First[axis]);
    m_End *= m_Size[axis];
  }
}

JoinedLabels
MatchFaces(const FaceRuns &        a,
           const FaceRuns &        b,
           const BrickBox &        boxOfB,
           const BrickProblem &    problem,
           const NeighboringRows & rows)
{
  const std::vector<RowStep> steps = RowSteps(problem);
  JoinedLabels               joined;
  VisitScalarType(problem.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const VoxelRule<T>              rule = ToVoxelRule<T>(problem.criterion, problem.channels);
    const FaceMatcher<VoxelRule<T>> matcher(a, b, problem, rule);
    rows.ForEach([&](const std::int64_t(&at)[MaximumDimension]) {
      const std::int64_t rowA = a.Box().RowAt(at);
      for (const RowStep & step : steps)
      {
        const std::int64_t other[MaximumDimension] = { 0, at[1] + step.to[1], at[2] + step.to[2], at[3] + step.to[3] };
        const std::int64_t rowB = boxOfB.RowAt(other);
        if (rowB >= 0)
        {
          matcher.MatchRows({ a.Row(rowA), b.Row(rowB), a.Box().begin[0], boxOfB.begin[0] }, step.alongX, joined);
        }
      }
    });
  });
  return joined;
}

} // namespace brickccl
