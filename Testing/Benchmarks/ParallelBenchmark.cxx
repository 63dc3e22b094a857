// SPDX-License-Identifier: Apache-2.0
// What it costs to share work between threads: microseconds of a call of ParallelFor whose pieces do nothing, of one
// whose threads wait for each other, right after the last call and a while later, and of labeling of volumes.
//
//   brickccl-parallel-benchmark [REPEATS] > table.csv
//
// Medians and minima of this many (101 if not given) repetitions, volumes of 512^3 of a fifth of them.

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Phantoms/Phantoms.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace
{

using namespace brickccl;

/** Prints the median and the minimum of `repeats` runs of `work`, of `calls` calls each; `before` is not timed. */
void
Time(const std::string &           name,
     int                           threads,
     int                           repeats,
     int                           calls,
     const std::function<void()> & work,
     const std::function<void()> & before = {})
{
  std::vector<double> microseconds;
  for (int repeat = -1; repeat < repeats; ++repeat)
  {
    if (before)
    {
      before();
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call)
    {
      work();
    }
    const std::chrono::duration<double, std::micro> duration = std::chrono::steady_clock::now() - begin;
    // The first one warms up.
    if (repeat >= 0)
    {
      microseconds.push_back(duration.count() / calls);
    }
  }
  std::sort(microseconds.begin(), microseconds.end());
  std::cout << name << ',' << threads << ',' << microseconds[microseconds.size() / 2] << ',' << microseconds.front()
            << std::endl;
}

/** Every piece waits until all have begun, so that each has a thread of its own. */
void
Meet(int threads)
{
  std::atomic<int> begun{ 0 };
  ParallelFor(threads, { threads }, [&](std::int64_t) {
    ++begun;
    while (begun < threads)
    {}
  });
}

void
TimeLabeling(std::int64_t size, int threads, int repeats)
{
  const Extent                    extent{ size, size, size };
  const std::vector<std::uint8_t> voxels = MakeBalls(extent, 0.2, 1);
  std::vector<std::uint32_t>      labels(voxels.size());
  LabelOptions                    options;
  options.connectivity = Connectivity::FromNeighborCount(26, 3);
  options.threads = threads;
  options.device.kind = Device::Kind::Cpu;
  Labeling labeling;
  Time("label " + std::to_string(size) + "^3", threads, repeats, 1, [&] {
    Label(ImageView(voxels.data(), extent), options, labeling);
    labeling.Write(labels.data());
  });
}

} // namespace

int
main(int argc, char * argv[])
{
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 101;
  std::cout << "what,threads,median_us,minimum_us" << std::endl;
  for (const int threads : { 1, 2 })
  {
    const auto none = [](std::int64_t) {};
    Time("2 empty pieces", threads, repeats, 1000, [&] { ParallelFor(2, { threads }, none); });
    Time("64 empty pieces", threads, repeats, 1000, [&] { ParallelFor(64, { threads }, none); });
    Time("threads meet", threads, repeats, 1000, [&] { Meet(threads); });
    Time(
      "threads meet after 1 ms",
      threads,
      repeats,
      1,
      [&] { Meet(threads); },
      [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    TimeLabeling(64, threads, repeats * 5);
    TimeLabeling(512, threads, std::max(1, repeats / 5));
  }
  return 0;
}
