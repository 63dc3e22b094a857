// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Dispatch/Label.h"

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/AlgorithmTable.h"

namespace brickccl
{

namespace
{

/** \throws InvalidArgument for `Auto`, which is not an algorithm. */
const Algorithm &
RowOf(const std::string & name)
{
  const AlgorithmChoice choice = ParseAlgorithm(name);
  if (choice.algorithm == nullptr)
  {
    throw InvalidArgument("give the name of an algorithm, not '" + name + "'");
  }
  return *choice.algorithm;
}

ProblemTraits
TraitsOf(const Extent & extent, const Criterion & criterion, const Connectivity & connectivity)
{
  return { extent, connectivity.Plain(), criterion.FollowsForeground() };
}

} // namespace

std::vector<AlgorithmInfo>
ListAlgorithms()
{
  std::vector<AlgorithmInfo> list;
  for (const Algorithm & algorithm : Algorithms())
  {
    list.push_back({ algorithm.name, algorithm.summary, algorithm.RunsOnCpu(), algorithm.RunsOnCuda(), {} });
    for (const AlgorithmOption & option : algorithm.options)
    {
      list.back().options.push_back({ option.name, option.summary, option.Syntax(), option.ValueText(option.preset) });
    }
  }
  return list;
}

bool
AlgorithmRunsOnCpu(const std::string &  name,
                   const Extent &       extent,
                   const Criterion &    criterion,
                   const Connectivity & connectivity)
{
  const Algorithm & row = RowOf(name);
  return row.RunsOnCpu() && row.cpu.supports(TraitsOf(extent, criterion, connectivity));
}

bool
AlgorithmRunsOnCuda(const std::string &  name,
                    const Extent &       extent,
                    const Criterion &    criterion,
                    const Connectivity & connectivity)
{
  const Algorithm & row = RowOf(name);
  return row.RunsOnCuda() && row.cuda.supports(TraitsOf(extent, criterion, connectivity));
}

} // namespace brickccl
