// SPDX-License-Identifier: Apache-2.0
// What it costs to share work between threads: microseconds of a call of ParallelFor whose pieces do nothing, of one
// whose threads wait for each other, right after the last call and a while later, and of labeling of volumes.
//
//   brickccl-parallel-benchmark [REPEATS] > table.csv
//   brickccl-parallel-benchmark scaling [SIZE [REPEATS]] > table.csv
//
// Medians and minima of this many (101 if not given) repetitions, volumes of 512^3 of a fifth of them. `scaling` labels
// volumes of SIZE^3 voxels (1024; 11 repetitions) with 1, 2, 4 ... all threads, and beside it, as the floor, reads the
// voxels and writes a value of 32 bits for each. It ends with an error if a number of threads gives other labels.

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Host/Buffer.h"
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

/** Reads a voxel and writes a label for each, 1 MiB of voxels a piece, as fast as the memory takes it. */
void
WriteFloor(const std::uint8_t * voxels, std::uint32_t * labels, std::int64_t count, int threads)
{
  constexpr std::int64_t piece = 1 << 20;
  ParallelFor((count + piece - 1) / piece, { threads }, [&](std::int64_t index) {
    const std::int64_t end = std::min(count, (index + 1) * piece);
    std::copy(voxels + index * piece, voxels + end, labels + index * piece);
  });
}

/** A number that differs, as good as always, if a label differs. */
std::uint64_t
Checksum(const Buffer<std::uint32_t> & labels)
{
  constexpr std::size_t      pieces = 1024;
  std::vector<std::uint64_t> sums(pieces);
  ParallelFor(pieces, {}, [&](std::int64_t piece) {
    const auto index = static_cast<std::size_t>(piece);
    for (std::size_t i = labels.Size() * index / pieces; i < labels.Size() * (index + 1) / pieces; ++i)
    {
      sums[index] = (sums[index] ^ labels.Data()[i]) * 0x100000001b3;
    }
  });
  std::uint64_t all = 0;
  for (const std::uint64_t sum : sums)
  {
    all = (all ^ sum) * 0x100000001b3;
  }
  return all;
}

/** One volume with 1, 2, 4 ... all threads; false if labels differ. */
bool
TimeScaling(const std::string & name, const std::vector<std::uint8_t> & made, std::int64_t size, int repeats)
{
  const Extent          extent{ size, size, size };
  const int             all = static_cast<int>(std::thread::hardware_concurrency());
  const auto            count = static_cast<std::int64_t>(made.size());
  Buffer<std::uint8_t>  voxels;
  Buffer<std::uint32_t> labels;
  voxels.Resize(made.size());
  labels.Resize(made.size());
  // Pages lie with the threads that touch them first.
  ParallelFor(size, {}, [&](std::int64_t z) {
    const std::int64_t slice = count / size;
    std::copy_n(made.data() + z * slice, slice, voxels.Data() + z * slice);
    std::fill_n(labels.Data() + z * slice, slice, 0U);
  });
  std::uint64_t expected = 0;
  for (int threads = 1, last = 0; threads > last; last = threads, threads = std::min(2 * threads, all))
  {
    Time("floor " + name, threads, repeats, 1, [&] { WriteFloor(voxels.Data(), labels.Data(), count, threads); });
    LabelOptions options;
    options.connectivity = Connectivity::FromNeighborCount(26, 3);
    options.threads = threads;
    options.device.kind = Device::Kind::Cpu;
    Labeling   labeling;
    const auto label = [&] { Label(ImageView(voxels.Data(), extent), options, labeling); };
    Time("label " + name, threads, repeats, 1, label);
    Time("label and write " + name, threads, repeats, 1, [&] {
      label();
      labeling.Write(labels.Data());
    });
    const std::uint64_t sum = Checksum(labels);
    if (threads > 1 && sum != expected)
    {
      std::cerr << name << ": " << threads << " threads give other labels than one" << std::endl;
      return false;
    }
    expected = sum;
  }
  return true;
}

bool
TimeScaling(std::int64_t size, int repeats)
{
  const Extent extent{ size, size, size };
  return TimeScaling("balls", MakeBalls(extent, 0.2, 1), size, repeats) &&
         TimeScaling("noise, grain 4", MakeRandom(extent, 0.5, 4, 1), size, repeats) &&
         TimeScaling("noise, grain 1", MakeRandom(extent, 0.5, 1, 1), size, repeats);
}

} // namespace

int
main(int argc, char * argv[])
{
  if (argc > 1 && std::string(argv[1]) == "scaling")
  {
    std::cout << "what,threads,median_us,minimum_us" << std::endl;
    return TimeScaling(argc > 2 ? std::max(1, std::atoi(argv[2])) : 1024,
                       argc > 3 ? std::max(1, std::atoi(argv[3])) : 11)
           ? 0
           : 1;
  }
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
