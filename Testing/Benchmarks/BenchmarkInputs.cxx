// SPDX-License-Identifier: Apache-2.0
#include "BenchmarkInputs.h"
#include "Patterns.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Phantoms/Phantoms.h"

#include <sstream>
#include <vector>

namespace brickccl::testing
{

namespace
{

template <typename T>
Input
MakeInput(const std::string & name, const Extent & extent, const std::vector<T> & voxels, const Criterion & criterion)
{
  Input input{ name, ScalarTypeOf<T>(), extent, {}, criterion };
  input.SetVoxels(voxels.data());
  return input;
}

/** A scan of balls: 1000 inside and -800 outside, with noise of +-64. */
template <typename T>
std::vector<T>
MakeScan(const Extent & extent)
{
  const auto     balls = MakeBalls(extent, 0.2, 1);
  std::vector<T> scan(balls.size());
  std::uint32_t  noise = 1;
  for (std::size_t i = 0; i < balls.size(); ++i)
  {
    noise = noise * 1664525u + 1013904223u;
    scan[i] = static_cast<T>((balls[i] ? 1000 : -800) + static_cast<int>(noise >> 25) - 64);
  }
  return scan;
}

} // namespace

Input
MakeCase(const std::string & name)
{
  std::istringstream words(name);
  std::string        kind;
  std::int64_t       size = 0;
  words >> kind >> size;
  const bool   isFlat = kind.compare(0, 5, "flat-") == 0;
  const Extent extent = isFlat ? Extent{ size, size } : Extent{ size, size, size };
  if (isFlat)
  {
    kind.erase(0, 5);
  }
  const auto mask = [&](const std::vector<std::uint8_t> & voxels) {
    return MakeInput(name, extent, voxels, Criterion::Foreground());
  };
  if (size > 0 && kind == "balls")
  {
    return mask(MakeBalls(extent, 0.2, 1));
  }
  if (size > 0 && kind == "full")
  {
    return mask(MakeRandom(extent, 1, 1, 1));
  }
  if (size > 0 && kind == "empty")
  {
    return mask(MakeRandom(extent, 0, 1, 1));
  }
  if (size > 0 && kind == "spiral")
  {
    return mask(MakeSpiral(extent));
  }
  if (size > 0 && kind == "hilbert")
  {
    return mask(MakeHilbertCurve(extent));
  }
  double density = 0;
  int    grain = 0;
  if (size > 0 && kind == "noise" && words >> density >> grain)
  {
    return mask(MakeRandom(extent, density, grain, 1));
  }
  if (size > 0 && kind == "voronoi")
  {
    return MakeInput(name, extent, MakeVoronoi(extent, 40, 1), Criterion::EqualValue());
  }
  if (size > 0 && kind == "ct-range")
  {
    return MakeInput(name, extent, MakeScan<std::int16_t>(extent), Criterion::InRange(200, 3000));
  }
  double tolerance = 0;
  if (size > 0 && kind == "ct-tolerance" && words >> tolerance)
  {
    return MakeInput(name, extent, MakeScan<std::int16_t>(extent), Criterion::Tolerance(tolerance));
  }
  if (size > 0 && kind == "ct-float" && words >> tolerance)
  {
    return MakeInput(name, extent, MakeScan<float>(extent), Criterion::Tolerance(tolerance));
  }
  throw InvalidArgument("case '" + name + "' is unknown; --list names them");
}

const char * const caseList = "balls SIZE | full SIZE | empty SIZE | spiral SIZE | hilbert SIZE   masks\n"
                              "noise SIZE DENSITY GRAIN   cubes of GRAIN voxels\n"
                              "flat-... SIZE ...          the same in 2-D\n"
                              "voronoi SIZE               uint32 segments, equal values\n"
                              "ct-range SIZE              int16 scan, range 200..3000\n"
                              "ct-tolerance SIZE T        int16 scan, tolerance T\n"
                              "ct-float SIZE T            the same in float\n";

Input
ReadInput(const std::string & file, const Criterion & criterion)
{
  const LoadedImage image = ReadImageFile(file);
  if (image.channels != 1 || image.extent.dimension < 2 || image.extent.dimension > 3)
  {
    throw InvalidArgument("'" + file + "' has " + std::to_string(image.channels) + " channels and " +
                          std::to_string(image.extent.dimension) + " dimensions; it must have 1, and 2 or 3");
  }
  Input input{ file.substr(file.rfind('/') + 1), image.type, image.extent, {}, criterion };
  input.SetVoxels(image.voxels.Data());
  return input;
}

} // namespace brickccl::testing
