// SPDX-License-Identifier: Apache-2.0
// What a call of the library takes without Python: labels the mask of bytes in a file, whose sides are equally long,
// and writes new label maps. Prints microseconds of CPU time for a call, with a new Labeling for each and with one for
// all.
#include "BrickCCL/BrickCCL.h"

#include <cmath>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <vector>

namespace
{

template <typename TCall>
double
Microseconds(int calls, const TCall & call)
{
  const std::clock_t begin = std::clock();
  for (int i = 0; i < calls; ++i)
  {
    call();
  }
  return 1e6 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / calls;
}

} // namespace

int
main(int count, char ** arguments)
{
  using namespace brickccl;
  if (count != 3)
  {
    std::cerr << "usage: overhead MASK CALLS\n";
    return 1;
  }
  std::ifstream           file(arguments[1], std::ios::binary);
  const std::vector<char> mask{ std::istreambuf_iterator<char>(file), {} };
  const auto              side = static_cast<std::int64_t>(std::llround(std::cbrt(mask.size())));
  const std::int64_t      sizes[] = { side, side, side };
  const ImageView         image{ mask.data(), ScalarType::UInt8, Extent(3, sizes), 1 };
  LabelOptions            options;
  options.threads = 1;
  options.device = Device::FromName("cpu");
  Labeling   kept;
  const auto label = [&](Labeling & labeling) {
    Label(image, options, labeling);
    const auto labels = std::make_unique<std::uint8_t[]>(2 * mask.size());
    labeling.Write(labels.get(), labeling.SmallestType());
  };
  const int    calls = std::stoi(arguments[2]);
  const double fresh = Microseconds(calls, [&] {
    Labeling labeling;
    label(labeling);
  });
  std::cout << fresh << ' ' << Microseconds(calls, [&] { label(kept); }) << '\n';
  return 0;
}
