// SPDX-License-Identifier: Apache-2.0
// Repeats the measurements of the papers whose algorithms are in Source/Engine/Algorithms, on this machine's GPU:
//
//   brickccl-paper-benchmark [--mask FILE NX NY NZ ...] [--method NAME] TABLE ... > papers.csv
//
// TABLE: kalentev-1, kalentev-2, kalentev-3, kalentev-4, soh-1, soh-2, ziegler, stava-11, stava-12, ridges-3, ridges-4,
// ridges-6, ridges-7, ridges-8, all.
// --mask adds slices of a mask, of one byte per voxel, to the ridges, as images that are not synthetic. --method leaves
// out all methods except one.
//
// Prints comma-separated lines: table, case, x (what the table varies, as a number), algorithm, milliseconds, own
// milliseconds, rounds. Milliseconds are the median by CUDA events with the data on the device; they include
// consecutive labels and their number. Own milliseconds are times of the algorithm's own stages, as the papers time
// them: without links and consecutive labels. Testing/Benchmarks/papers.py makes PAPERS.md from the lines.

#include "PaperRidges.cuh"
#include "PaperTables.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace brickccl::benchmark
{
namespace
{

/** The command line's options. */
struct Arguments
{
  std::vector<Mask>        masks;
  std::string              onlyMethod;
  std::vector<std::string> tables;

  Arguments(int argc, char ** argv)
  {
    for (int i = 1; i < argc; ++i)
    {
      const std::string argument = argv[i];
      if (argument == "--mask" && i + 4 < argc)
      {
        masks.push_back(
          { argv[i + 1], Extent{ std::atoll(argv[i + 2]), std::atoll(argv[i + 3]), std::atoll(argv[i + 4]) } });
        i += 4;
      }
      else if (argument == "--method" && i + 1 < argc)
      {
        onlyMethod = argv[++i];
      }
      else
      {
        tables.push_back(argument);
      }
    }
  }
  bool
  AskFor(const std::string & table) const
  {
    return std::find(tables.begin(), tables.end(), table) != tables.end();
  }
};

/** Some tables and figures are made from the same measurements. */
struct Group
{
  std::vector<std::string> tables;
  std::function<void()>    run;
  /** Whether these images are among those of another group. If so, "all" leaves them to that group. */
  bool isPartOfAnother = false;

  bool
  IsAskedForBy(const Arguments & arguments) const
  {
    return (arguments.AskFor("all") && !isPartOfAnother) ||
           std::any_of(tables.begin(), tables.end(), [&](const std::string & table) {
             return arguments.AskFor(table);
           });
  }
};

std::vector<Group>
GroupsOf(Benchmark & benchmark, const std::vector<Mask> & masks)
{
  const auto ridges = [&](int firstN, int lastN) { Ridges(benchmark, firstN, lastN, masks); };
  return {
    { { "kalentev-1" }, [&] { Kalentev1(benchmark); } },
    { { "kalentev-2" }, [&] { Kalentev2(benchmark); } },
    { { "kalentev-3" }, [&] { Kalentev3(benchmark); } },
    { { "kalentev-4" }, [&] { Kalentev4(benchmark); } },
    { { "soh-1", "soh-2" }, [&] { Soh(benchmark); } },
    { { "ziegler" }, [&] { Ziegler(benchmark); } },
    { { "stava-11", "stava-12" }, [&] { Stava(benchmark); } },
    { { "ridges-3", "ridges-6" }, [ridges] { ridges(13, 13); }, true },
    { { "ridges-4" }, [ridges] { ridges(14, 14); }, true },
    { { "ridges-7", "ridges-8" }, [ridges] { ridges(10, 14); } },
  };
}

/** Tells how the program is called unless all tables that are asked for are there, and some are. */
bool
CheckTables(const std::vector<std::string> & tables, const std::vector<Group> & groups)
{
  std::string           names;
  std::set<std::string> unknown(tables.begin(), tables.end());
  unknown.erase("all");
  for (const Group & group : groups)
  {
    for (const std::string & table : group.tables)
    {
      names += table + " | ";
      unknown.erase(table);
    }
  }
  const bool areThere = !tables.empty() && unknown.empty();
  if (!areThere)
  {
    std::fprintf(stderr,
                 "usage: brickccl-paper-benchmark [--mask FILE NX NY NZ ...] [--method NAME] %sall\n",
                 names.c_str());
  }
  return areThere;
}

} // namespace
} // namespace brickccl::benchmark

int
main(int argc, char ** argv)
{
  using namespace brickccl;
  const ResolvedDevice resolved = ResolveDevice({ Device::Kind::Cuda, 0 });
  if (resolved.device.kind != Device::Kind::Cuda)
  {
    std::fprintf(stderr, "there is nothing to measure: %s\n", resolved.remark.c_str());
    return 1;
  }
  const benchmark::Arguments          arguments(argc, argv);
  benchmark::Benchmark                times;
  const std::vector<benchmark::Group> groups = benchmark::GroupsOf(times, arguments.masks);
  if (!benchmark::CheckTables(arguments.tables, groups))
  {
    return 1;
  }
  times.onlyMethod = arguments.onlyMethod;
  std::printf("table,case,x,algorithm,ms,own_ms,rounds\n");
  for (const benchmark::Group & group : groups)
  {
    if (group.IsAskedForBy(arguments))
    {
      group.run();
    }
  }
  return 0;
}
