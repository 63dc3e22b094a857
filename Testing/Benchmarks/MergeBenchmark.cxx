// SPDX-License-Identifier: Apache-2.0
// Merges slices whose runs all touch the next slice: how long BrickMerge takes for a number of labels, and in how much
// memory. Usage: brickccl-merge-benchmark [SIDE [SLICES [THREADS]]]; a slice has SIDE^2 / 4 labels, THREADS 0 stands
// for all.

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Phantoms/Random.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <iostream>
#include <vector>

namespace
{

using namespace brickccl;

/** Separate voxels, one in a square of 2 x 2; some of them are missing. */
std::vector<std::uint8_t>
MakeSlice(std::int64_t side, std::int64_t z)
{
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(side * side));
  for (std::int64_t y = 0; y < side; y += 2)
  {
    for (std::int64_t x = 0; x < side; x += 2)
    {
      const std::int64_t  place = y * side + x;
      const std::uint64_t hash = HashOf(static_cast<std::uint64_t>(z), static_cast<std::uint64_t>(place));
      voxels[static_cast<std::size_t>(place)] = hash % 64 != 0 ? 1 : 0;
    }
  }
  return voxels;
}

int
Run(std::int64_t side, std::int64_t slices, int threads)
{
  using Clock = std::chrono::steady_clock;
  const Extent volume{ side, side, slices };
  const Extent slice{ side, side, 1 };
  BrickOptions options;
  options.measures = false;
  // So many records are added at once.
  constexpr std::int64_t atOnce = 4;
  std::vector<Bytes>     records;
  BrickMerge             merge(threads);
  Labeling               scratch;
  double                 seconds = 0;
  double                 processorSeconds = 0;
  std::uint64_t          bytes = 0;
  const auto             timed = [&](auto work) {
    const auto begin = Clock::now();
    const auto before = std::clock();
    work();
    processorSeconds += static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  };
  for (std::int64_t z = 0; z < slices; ++z)
  {
    const std::int64_t              begin[MaximumDimension] = { 0, 0, z, 0 };
    const std::vector<std::uint8_t> voxels = MakeSlice(side, z);
    records.push_back(
      LabelBrick(ImageView(voxels.data(), slice), BrickBox(volume, begin, slice), options, scratch).record);
    bytes += records.back().size();
    if (z % atOnce == atOnce - 1 || z == slices - 1)
    {
      timed([&] { merge.Add({ records.begin(), records.end() }); });
      records.clear();
    }
  }
  scratch = Labeling();
  const std::uint64_t labels = merge.PartCount();
  timed([&] { merge.Finish(); });
  std::cout << labels << " labels of " << slices << " bricks, records of " << bytes
            << " bytes: " << merge.ComponentCount() << " components in " << seconds << " s (" << processorSeconds
            << " s of a processor); merge takes " << merge.MemoryBytes() << " bytes, peak " << PeakMemoryBytes()
            << " bytes" << std::endl;
  return 0;
}

} // namespace

int
main(int count, char ** arguments)
{
  try
  {
    return Run(count > 1 ? std::atoll(arguments[1]) : 4096,
               count > 2 ? std::atoll(arguments[2]) : 25,
               count > 3 ? std::atoi(arguments[3]) : 0);
  }
  catch (const std::exception & error)
  {
    std::cerr << "error: " << error.what() << std::endl;
    return 1;
  }
}
