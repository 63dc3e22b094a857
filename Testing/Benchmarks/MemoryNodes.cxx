// SPDX-License-Identifier: Apache-2.0
// Shows on which node's memory the pages of a labeling lie, and where the threads run that work on them: for machines
// with several nodes (NUMA), or such as two-nodes.sh emulates.
//
//   brickccl-memory-nodes [SIZE [THREADS]]      labels the balls of SIZE^3 voxels (256) with this many threads (0: all)

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Phantoms/Phantoms.h"

#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

namespace
{

using namespace brickccl;

/** The parts of memory, and of work, that are shown one by one. */
constexpr std::int64_t parts = 8;

/** For each node how many of a part's pieces are there, as text. */
std::string
ShareText(const std::map<int, std::int64_t> & piecesOfNode)
{
  std::int64_t all = 0;
  for (const auto & [node, pieces] : piecesOfNode)
  {
    all += pieces;
  }
  std::string text;
  for (const auto & [node, pieces] : piecesOfNode)
  {
    text += (text.empty() ? "" : "+") + std::to_string((100 * pieces + all / 2) / all) + "%@" +
            (node < 0 ? "none" : std::to_string(node));
  }
  return text;
}

void
Print(const std::string & what, const std::vector<std::map<int, std::int64_t>> & piecesOfParts)
{
  std::cout << what;
  for (const auto & piecesOfNode : piecesOfParts)
  {
    std::cout << ' ' << ShareText(piecesOfNode);
  }
  std::cout << std::endl;
}

/** On which nodes the pages of memory lie, part by part. */
void
PrintPlaces(const std::string & what, const void * memory, std::size_t bytes)
{
  const auto                               pageSize = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t                        count = bytes / pageSize;
  std::vector<void *>                      pages;
  std::vector<int>                         nodes(count, -1);
  std::vector<std::map<int, std::int64_t>> piecesOfParts(parts);
  for (std::size_t i = 0; i < count; ++i)
  {
    pages.push_back(const_cast<char *>(static_cast<const char *>(memory)) + i * pageSize);
  }
  // Without nodes to move pages to, it says where they are.
  if (count == 0 || syscall(SYS_move_pages, 0, count, pages.data(), nullptr, nodes.data(), 0) != 0)
  {
    std::cout << what << ": the system does not tell" << std::endl;
    return;
  }
  for (std::size_t i = 0; i < count; ++i)
  {
    ++piecesOfParts[i * parts / count][nodes[i]];
  }
  Print(what, piecesOfParts);
}

/** On which nodes the threads of ParallelFor run that take the pieces of some work, part by part. */
void
PrintThreads(int threads)
{
  constexpr std::int64_t                   pieces = 64;
  constexpr int                            rounds = 50;
  std::vector<int>                         nodes(pieces);
  std::vector<std::map<int, std::int64_t>> piecesOfParts(parts);
  for (int round = 0; round < rounds; ++round)
  {
    ParallelFor(pieces, { threads }, [&](std::int64_t piece) {
      unsigned cpu = 0;
      unsigned node = 0;
      syscall(SYS_getcpu, &cpu, &node, nullptr);
      nodes[static_cast<std::size_t>(piece)] = static_cast<int>(node);
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(1))
      {}
    });
    for (std::int64_t piece = 0; piece < pieces; ++piece)
    {
      ++piecesOfParts[static_cast<std::size_t>(piece * parts / pieces)][nodes[static_cast<std::size_t>(piece)]];
    }
  }
  Print("threads", piecesOfParts);
}

} // namespace

int
main(int argc, char ** argv)
{
  try
  {
    const std::int64_t size = argc > 1 ? std::stoll(argv[1]) : 256;
    LabelOptions       options;
    options.threads = argc > 2 ? std::stoi(argv[2]) : 0;
    options.connectivity = Connectivity::Full(3);
    const Extent          extent{ size, size, size };
    const auto            mask = MakeBalls(extent, 0.2, 1);
    Buffer<std::uint32_t> labels;
    labels.Resize(mask.size());
    Labeling labeling;
    Label(ImageView(mask.data(), extent), options, labeling);
    labeling.Write(labels.Data());

    std::cout << labeling.ComponentCount() << " components; share@node, by eighths\n";
    PrintPlaces("mask (the caller's)", mask.data(), mask.size());
    const RunVolume & runs = RunsOf(labeling);
    PrintPlaces("foreground bits",
                runs.Foreground(0),
                static_cast<std::size_t>(runs.WordsPerRow() * extent.RowCount()) * sizeof(Word));
    runs.VisitLabels(
      [&](const auto * first) { PrintPlaces("labels of runs", first, runs.RunCount() * sizeof(*first)); });
    PrintPlaces("label map", labels.Data(), labels.Size() * sizeof(std::uint32_t));
    PrintThreads(options.threads);
    return 0;
  }
  catch (const std::exception & error)
  {
    std::cerr << "brickccl-memory-nodes: " << error.what() << '\n';
    return 1;
  }
}
