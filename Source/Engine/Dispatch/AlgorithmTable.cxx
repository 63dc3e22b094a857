// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Dispatch/AlgorithmTable.h"

#include "BrickCCL/Core/AlgorithmOptions.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Dispatch/Label.h"

#include <algorithm>
#include <iterator>

namespace brickccl
{

// CMake makes this file. `BRICKCCL_ALGORITHM_FOLDERS(DO)` is DO(Name) for every folder of Algorithms/.
#include "AlgorithmFolders.inc"

#define BRICKCCL_DECLARE_ROWS(name) std::vector<Algorithm> name##Rows();
BRICKCCL_ALGORITHM_FOLDERS(BRICKCCL_DECLARE_ROWS)
#undef BRICKCCL_DECLARE_ROWS

namespace
{

std::vector<Algorithm>
CollectRows()
{
  std::vector<Algorithm> all;
  const auto             append = [&all](std::vector<Algorithm> rows) {
    all.insert(all.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  };
#define BRICKCCL_APPEND_ROWS(name) append(name##Rows());
  BRICKCCL_ALGORITHM_FOLDERS(BRICKCCL_APPEND_ROWS)
#undef BRICKCCL_APPEND_ROWS
  return all;
}

bool
Supports(const Algorithm & algorithm, const ProblemTraits & problem, Backend backend)
{
  return backend == Backend::Cpu ? algorithm.RunsOnCpu() && algorithm.cpu.supports(problem)
                                 : algorithm.RunsOnCuda() && algorithm.cuda.supports(problem);
}

/** Whether an algorithm that supports the problem also prefers it. */
bool
Prefers(const Algorithm & algorithm, const ProblemTraits & problem, Backend backend)
{
  return backend != Backend::Cpu || algorithm.cpu.prefers == nullptr || algorithm.cpu.prefers(problem);
}

/** The options' values if the caller sets none. */
OptionValues
PresetsOf(const Algorithm & algorithm)
{
  return ParseOptions(algorithm.name, algorithm.options, {});
}

} // namespace

const std::vector<Algorithm> &
Algorithms()
{
  static const std::vector<Algorithm> algorithms = CollectRows();
  return algorithms;
}

AlgorithmChoice
ParseAlgorithm(const std::string & text)
{
  const AlgorithmText asked(text);
  if (asked.name == "Auto")
  {
    return { nullptr, ParseOptions(asked.name, {}, asked.options) };
  }
  std::vector<std::string> names{ "Auto" };
  for (const Algorithm & algorithm : Algorithms())
  {
    if (asked.name == algorithm.name)
    {
      return { &algorithm, ParseOptions(asked.name, algorithm.options, asked.options) };
    }
    names.emplace_back(algorithm.name);
  }
  throw InvalidArgument("algorithm '" + asked.name + "' is unknown" + DidYouMean(asked.name, names) +
                        "; choose one of " + Joined(names, ", "));
}

AlgorithmChoice
ChooseAlgorithm(const AlgorithmChoice & asked,
                const ProblemTraits &   problem,
                Backend                 backend,
                const Connectivity *    wholeConnectivity)
{
  std::string supporting = "Auto";
  for (const Algorithm & algorithm : Algorithms())
  {
    if (!Supports(algorithm, problem, backend))
    {
      continue;
    }
    if (asked.algorithm == &algorithm)
    {
      return asked;
    }
    if (asked.algorithm == nullptr && Prefers(algorithm, problem, backend))
    {
      return { &algorithm, PresetsOf(algorithm) };
    }
    supporting += std::string(", ") + algorithm.name;
  }
  std::string connectivity = problem.connectivity.ToString();
  if (wholeConnectivity != nullptr && !wholeConnectivity->IsPlain())
  {
    // The rest is joined afterwards.
    connectivity = wholeConnectivity->ToString() +
                   (problem.connectivity.NeighborCount() > 0 ? ", whose plain part is " + connectivity + "," : "");
  }
  throw Unsupported(std::string("algorithm ") + (asked.algorithm != nullptr ? asked.algorithm->name : "Auto") +
                    " does not label an image of " + Counted(problem.extent.dimension, "dimension") +
                    " with connectivity " + connectivity + " and this criterion on " +
                    (backend == Backend::Cpu ? "the CPU" : "CUDA devices") + "; choose one of " + supporting);
}

AlgorithmChoice
ChooseForWholeRows()
{
  const std::vector<Algorithm> & all = Algorithms();
  const auto                     takes = [](const Algorithm & algorithm) { return algorithm.cpu.takesWholeRows; };
  const auto                     found = std::find_if(all.begin(), all.end(), takes);
  ThrowIf<Unsupported>(found == all.end(), "this build has no algorithm for neighborhoods with whole rows");
  return { &*found, PresetsOf(*found) };
}

/** \throws InvalidArgument for `Auto`, which is not an algorithm. */
static const Algorithm &
RowOf(const std::string & name)
{
  const AlgorithmChoice choice = ParseAlgorithm(name);
  ThrowIf<InvalidArgument>(choice.algorithm == nullptr, "give the name of an algorithm, not '" + name + "'");
  return *choice.algorithm;
}

static ProblemTraits
TraitsOf(const Extent & extent, const Criterion & criterion, const Connectivity & connectivity)
{
  return { extent, connectivity.Plain(), criterion.FollowsForeground() };
}

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
