// Repeats the measurements of the papers whose algorithms are in Source/Algorithms, on this machine's GPU:
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
// consecutive labels and their number. Own milliseconds are those of the algorithm's own stages, as the papers time
// them: without links and consecutive labels. Testing/Benchmarks/papers.py makes PAPERS.md from the lines.

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Dispatch/DeviceLabeler.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "BrickCCL/Phantoms/Ridges.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <set>
#include <string>
#include <vector>

namespace
{

using namespace brickccl;

using Pixels = std::vector<std::uint8_t>;

void
Check(cudaError_t status)
{
  if (status != cudaSuccess)
  {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(1);
  }
}

/** Device memory that is used again for the next image. */
struct DeviceImage
{
  unsigned char * pixels = nullptr;
  unsigned *      labels = nullptr;
  std::size_t     capacity = 0;

  void
  Load(const Pixels & from)
  {
    if (from.size() > capacity)
    {
      Check(cudaFree(pixels));
      Check(cudaFree(labels));
      capacity = from.size();
      Check(cudaMalloc(&pixels, capacity + 64));
      Check(cudaMalloc(&labels, 4 * capacity + 64));
    }
    Check(cudaMemcpy(pixels, from.data(), from.size(), cudaMemcpyHostToDevice));
  }
};

double
Median(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

enum class Sums
{
  None,
  /** Moments, summed voxel by voxel while labeling or after it, as the algorithm's option says. */
  Moments,
  /** The component table's default columns. */
  Table
};

/** One way to label, and what is summed with it. */
struct Method
{
  std::string name;
  std::string algorithm;
  Sums        sums = Sums::None;
};

struct Measured
{
  double                                      total = 0;
  double                                      own = 0;
  int                                         rounds = 0;
  std::vector<std::pair<std::string, double>> stages;
};

class Benchmark
{
public:
  Benchmark()
    : m_Labeler(0)
  {
    DeviceLabelerOf(m_Labeler).MeasureStages(true);
    Check(cudaEventCreate(&m_Begin));
    Check(cudaEventCreate(&m_End));
  }

  /** The median of as many runs as fit into `limit` milliseconds, at least 3 and at most 50, after a warm-up run. */
  Measured
  Measure(const Method & method, const Extent & extent, const Criterion & criterion, const Connectivity & connectivity)
  {
    std::vector<double> totals, owns;
    Measured            measured;
    double              spent = 0;
    for (int run = 0; run < 4 || (run < 51 && spent < limit); ++run)
    {
      Check(cudaEventRecord(m_Begin));
      m_Labeler.LabelOnDevice(method.algorithm,
                              ImageView(m_Image.pixels, extent),
                              criterion,
                              {},
                              connectivity,
                              m_Image.labels,
                              LabelType::UInt32);
      if (method.sums == Sums::Moments)
      {
        DeviceLabelerOf(m_Labeler).MomentsOnDevice();
      }
      if (method.sums == Sums::Table)
      {
        m_Labeler.MeasureOnDevice();
      }
      Check(cudaEventRecord(m_End));
      Check(cudaEventSynchronize(m_End));
      float milliseconds = 0;
      Check(cudaEventElapsedTime(&milliseconds, m_Begin, m_End));
      spent += milliseconds;
      measured.stages = DeviceLabelerOf(m_Labeler).LastStages();
      double own = 0;
      for (const auto & [stage, time] : measured.stages)
      {
        own += stage == "links" || stage == "labels" ? 0 : time;
      }
      if (run > 0)
      {
        totals.push_back(milliseconds);
        owns.push_back(own);
      }
    }
    measured.total = Median(totals);
    measured.own = Median(owns);
    measured.rounds = DeviceLabelerOf(m_Labeler).LastIterations();
    return measured;
  }

  void
  Load(const Pixels & pixels)
  {
    m_Image.Load(pixels);
  }

  /** Measures one image by several methods, and prints a line for each. */
  void
  Row(const std::string &         table,
      const std::string &         name,
      double                      x,
      const Pixels &              pixels,
      const Extent &              extent,
      const Connectivity &        connectivity,
      const std::vector<Method> & methods,
      const Criterion &           criterion = Criterion::Foreground())
  {
    Load(pixels);
    for (const Method & method : methods)
    {
      if (!onlyMethod.empty() && method.name != onlyMethod)
      {
        continue;
      }
      const Measured measured = Measure(method, extent, criterion, connectivity);
      Print(table, name, x, method.name, measured.total, measured.own, measured.rounds);
    }
  }

  static void
  Print(const std::string & table,
        const std::string & name,
        double              x,
        const std::string & method,
        double              total,
        double              own,
        int                 rounds)
  {
    std::printf("%s,%s,%g,%s,%.4f,%.4f,%d\n", table.c_str(), name.c_str(), x, method.c_str(), total, own, rounds);
    std::fflush(stdout);
  }

  double      limit = 250;
  std::string onlyMethod;

private:
  CudaLabeler m_Labeler;
  DeviceImage m_Image;
  cudaEvent_t m_Begin = nullptr;
  cudaEvent_t m_End = nullptr;
};

const Method Default{ "default", "Auto" };

/** Paints a disc of one value. */
template <typename TPlace, typename TRadius>
void
PaintDisc(Pixels & pixels, std::int64_t side, TPlace centreX, TPlace centreY, TRadius radius, std::uint8_t value)
{
  for (std::int64_t y = std::max<std::int64_t>(0, centreY - radius); y <= std::min(side - 1, centreY + radius); ++y)
  {
    for (std::int64_t x = std::max<std::int64_t>(0, centreX - radius); x <= std::min(side - 1, centreX + radius); ++x)
    {
      if ((x - centreX) * (x - centreX) + (y - centreY) * (y - centreY) <= radius * radius)
      {
        pixels[static_cast<std::size_t>(y * side + x)] = value;
      }
    }
  }
}

std::int64_t
PlaceOf(std::uint64_t seed, std::uint64_t number, std::int64_t side)
{
  return static_cast<std::int64_t>(HashOf(seed, number) % static_cast<std::uint64_t>(side));
}

/** Half of the pixels are foreground: half of these in discs of one radius, the others as single random pixels. */
Pixels
DiscsWithNoise(std::int64_t side, std::int64_t radius)
{
  Pixels     pixels(static_cast<std::size_t>(side * side), 0);
  const auto share = [&] {
    return static_cast<double>(std::count(pixels.begin(), pixels.end(), 1)) / static_cast<double>(pixels.size());
  };
  for (std::uint64_t disc = 0; share() < 0.25;)
  {
    for (int several = 0; several < std::max<int>(1, static_cast<int>(2000 / (radius * radius))); ++several, ++disc)
    {
      PaintDisc(pixels, side, PlaceOf(1, 2 * disc, side), PlaceOf(1, 2 * disc + 1, side), radius, 1);
    }
  }
  const double rest = (0.5 - share()) / (1 - share());
  for (std::size_t i = 0; i < pixels.size(); ++i)
  {
    pixels[i] = pixels[i] != 0 || UniformOf(2, i) < rest ? 1 : 0;
  }
  return pixels;
}

// The paper "Connected component labeling on a 2D grid using CUDA".

const Method RowColumn{ "RC", "RowColumnUnification" };
const Method EquivalenceNsz{ "LE NSZ", "LabelEquivalence:flag=global" };
const Method EquivalenceSz{ "LE SZ", "LabelEquivalence:flag=global,properties=size" };
const Method Hawick{ "Hawick", "HawickLabelEquivalence" };

void
Kalentev1(Benchmark & benchmark)
{
  const Extent extent{ 1024, 1024 };
  const auto   row = [&](const std::string & name, const Pixels & pixels) {
    benchmark.Row("Kalentev 1",
                  name,
                  1024,
                  pixels,
                  extent,
                  Connectivity::Face(2),
                  { RowColumn, EquivalenceNsz, EquivalenceSz, Hawick, Default });
  };
  row("C1", DiscsWithNoise(1024, 10));
  row("C2", DiscsWithNoise(1024, 20));
  row("C3", DiscsWithNoise(1024, 50));
  row("C4", DiscsWithNoise(1024, 100));
  row("spiral", MakeSpiral(extent));
  row("random 0.5", MakeRandom(extent, 0.5, 1, 1));
  row("random 0.1", MakeRandom(extent, 0.1, 1, 1));
}

void
Kalentev2(Benchmark & benchmark)
{
  const Extent extent{ 2048, 2048 };
  for (const double occupancy : { 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99 })
  {
    benchmark.Row("Kalentev 2",
                  "random",
                  occupancy,
                  MakeRandom(extent, occupancy, 1, 1),
                  extent,
                  Connectivity::Face(2),
                  { EquivalenceNsz, EquivalenceSz, Default });
  }
}

void
Kalentev3(Benchmark & benchmark)
{
  for (const std::int64_t side : { 1024, 2048, 4096, 8128 })
  {
    const Extent extent{ side, side };
    benchmark.Row("Kalentev 3",
                  "random 0.5",
                  static_cast<double>(side),
                  MakeRandom(extent, 0.5, 1, 1),
                  extent,
                  Connectivity::Face(2),
                  { EquivalenceNsz, EquivalenceSz, Default });
  }
}

void
Kalentev4(Benchmark & benchmark)
{
  const Extent extent{ 2048, 2048 };
  const Pixels random = MakeRandom(extent, 0.5, 1, 1);
  for (const int threads : { 512, 256, 64, 16, 4, 1 })
  {
    std::vector<Method> methods = { EquivalenceNsz, EquivalenceSz };
    for (Method & method : methods)
    {
      method.algorithm += ",threads=" + std::to_string(threads);
    }
    benchmark.Row("Kalentev 4", "random 0.5", threads, random, extent, Connectivity::Face(2), methods);
  }
}

/** The paper about HYBRID3, tables 1 and 2. */
void
Soh(Benchmark & benchmark)
{
  const Extent              extent{ 320, 240 };
  const std::vector<Method> methods = { { "NSZ-LE", EquivalenceNsz.algorithm },
                                        { "M8DLS", "DirectionalSearch" },
                                        { "HYBRID1", "Hybrid1" },
                                        { "HYBRID2", "Hybrid2" },
                                        { "HYBRID3", "Hybrid3" },
                                        Default };
  const double              occupancies[] = { 0.07, 0.17, 0.27, 0.36, 0.46 };
  for (int i = 0; i < 5; ++i)
  {
    benchmark.Row("Soh 1",
                  "B" + std::to_string(i + 1),
                  occupancies[i],
                  MakeBalls(extent, occupancies[i], 1),
                  extent,
                  Connectivity::Full(2),
                  methods);
  }
  const auto row = [&](const char * name, double x, const Pixels & pixels) {
    benchmark.Row("Soh 1", name, x, pixels, extent, Connectivity::Full(2), methods);
  };
  row("Spiral", 0.5, MakeSpiral(extent));
  row("Random1", 0.1, MakeRandom(extent, 0.1, 1, 1));
  row("Random2", 0.5, MakeRandom(extent, 0.5, 1, 1));
}

/** Segments of a log of wood: 1 is air, 2 is wood, 3 is denser than water. In 2-D it is one slice of the log. */
Pixels
LogSegments(const Extent & extent)
{
  const Extent volume{ extent.size[0], extent.size[1], std::max<std::int64_t>(extent.size[2], 16) };
  const Scan   log = MakeLog(volume, 1);
  Pixels       segments(static_cast<std::size_t>(extent.VoxelCount()));
  const auto   first = log.image.begin() + (extent.dimension == 2 ? 8 * extent.VoxelCount() : 0);
  std::transform(first, first + extent.VoxelCount(), segments.begin(), [](std::int16_t value) {
    return static_cast<std::uint8_t>(value < -800 ? 1 : value <= 0 ? 2 : 3);
  });
  return segments;
}

/** Efficient Volume Segmentation on the GPU: times with links, master cells and both, by gather length. */
void
Ziegler(Benchmark & benchmark)
{
  struct Case
  {
    const char * name;
    Extent       extent;
    int          rank;
  };
  for (const Case & input : { Case{ "100by300 CU_4CON", Extent{ 100, 300 }, 1 },
                              Case{ "100by300 CU_8CON", Extent{ 100, 300 }, 2 },
                              Case{ "1Kby768 CU_4CON", Extent{ 1024, 768 }, 1 },
                              Case{ "1Kby768 CU_8CON", Extent{ 1024, 768 }, 2 },
                              Case{ "4Kby4K CU_4CON", Extent{ 4096, 4096 }, 1 },
                              Case{ "4Kby4K CU_8CON", Extent{ 4096, 4096 }, 2 },
                              Case{ "256x256x100 CU_6CON_3D", Extent{ 256, 256, 100 }, 1 } })
  {
    const Pixels        segments = LogSegments(input.extent);
    std::vector<Method> methods;
    for (const int gather : { 8, 32, 64, 128, 256, 4096 })
    {
      methods.push_back({ "links " + std::to_string(gather), "LinkPropagation:gather=" + std::to_string(gather) });
    }
    methods.push_back({ "links 128 without master", "LinkPropagation:gather=128,master=off" });
    methods.push_back({ "master without links", "LinkPropagation:max-gather=off" });
    methods.push_back({ "neither", "LinkPropagation:max-gather=off,master=off" });
    methods.push_back(Default);
    benchmark.Row("Ziegler",
                  input.name,
                  static_cast<double>(input.extent.VoxelCount()),
                  segments,
                  input.extent,
                  Connectivity(input.extent.dimension, input.rank),
                  methods,
                  Criterion::EqualValue(std::nullopt));
  }
}

/** Discs of several values. The base image of 1024 x 1024 pixels has `count` of them. */
Pixels
ManyDiscs(std::int64_t side, int count, bool isGrid)
{
  constexpr std::int64_t base = 1024;
  Pixels                 tile(static_cast<std::size_t>(base * base), 0);
  const auto             perSide = static_cast<std::int64_t>(std::sqrt(static_cast<double>(count)));
  for (std::uint64_t disc = 0; disc < static_cast<std::uint64_t>(count); ++disc)
  {
    const auto number = static_cast<std::int64_t>(disc);
    const auto along = [&](std::int64_t place) { return (2 * place + 1) * base / (2 * perSide); };
    PaintDisc(tile,
              base,
              isGrid ? along(number % perSide) : PlaceOf(3, 2 * disc, base),
              isGrid ? along(number / perSide) : PlaceOf(3, 2 * disc + 1, base),
              std::int64_t{ 10 },
              static_cast<std::uint8_t>(1 + disc % 5));
  }
  Pixels pixels(static_cast<std::size_t>(side * side));
  for (std::int64_t i = 0; i < side * side; ++i)
  {
    pixels[static_cast<std::size_t>(i)] = tile[static_cast<std::size_t>(i / side % base * base + i % side % base)];
  }
  return pixels;
}

/** A few large discs that fill most of the image. Their size follows the image's. */
Pixels
FewDiscs(std::int64_t side)
{
  Pixels pixels(static_cast<std::size_t>(side * side), 0);
  for (std::uint64_t disc = 0; disc < 40; ++disc)
  {
    const auto unit = static_cast<double>(side);
    PaintDisc(pixels,
              side,
              static_cast<std::int64_t>(UniformOf(4, 3 * disc) * unit),
              static_cast<std::int64_t>(UniformOf(4, 3 * disc + 1) * unit),
              static_cast<std::int64_t>((0.05 + 0.15 * UniformOf(4, 3 * disc + 2)) * unit),
              static_cast<std::uint8_t>(1 + disc % 5));
  }
  return pixels;
}

/** The chapter "Connected Component Labeling in CUDA", figures 35.11 and 35.12. */
void
Stava(Benchmark & benchmark)
{
  const auto                criterion = Criterion::EqualValue();
  const Method              tiles{ "tile merging", "TileMerging" };
  const std::vector<Method> methods = { Hawick, tiles, { "BrickMerging", "BrickMerging" }, Default };
  const auto                image =
    [&](const std::string & name, const Pixels & pixels, const Extent & extent, const Connectivity & connectivity) {
      const auto   x = static_cast<double>(extent.size[0]);
      LabelOptions options;
      options.device = { Device::Kind::Cpu, 0 };
      options.threads = 1;
      options.criterion = criterion;
      options.connectivity = connectivity;
      std::vector<std::uint32_t> labels(pixels.size());
      std::vector<double>        times;
      Labeling                   labeling;
      for (int run = 0; run < 6; ++run)
      {
        const auto begin = std::chrono::steady_clock::now();
        Label(ImageView(pixels.data(), extent), options, labeling);
        labeling.Write(labels.data());
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
      }
      Benchmark::Print("Stava 35.11", name, x, "CPU", Median(times), 0, 0);
      benchmark.Row("Stava 35.11", name, x, pixels, extent, connectivity, methods, criterion);
      const Measured measured = benchmark.Measure(tiles, extent, criterion, connectivity);
      for (const auto & [stage, milliseconds] : measured.stages)
      {
        Benchmark::Print("Stava 35.12", name, x, stage, milliseconds, 100 * milliseconds / measured.own, 0);
      }
    };
  // Cracks and knots are labeled slice by slice, as in the chapter, and in all slices at once.
  const Extent log{ 512, 512, 200 };
  Pixels       defects = LogSegments(log);
  std::replace(defects.begin(), defects.end(), std::uint8_t{ 2 }, std::uint8_t{ 0 });
  const auto slice = defects.begin() + 100 * 512 * 512;
  image("a: one slice", Pixels(slice, slice + 512 * 512), Extent{ 512, 512 }, Connectivity::Full(2));
  image("a: 200 slices", defects, log, Connectivity::Full(2).WithinSlices(2));
  for (const std::int64_t side : { 1024, 2048, 4096 })
  {
    const Extent extent{ side, side };
    image("b", FewDiscs(side), extent, Connectivity::Full(2));
    image("c", ManyDiscs(side, 2500, true), extent, Connectivity::Full(2));
    image("d", ManyDiscs(side, 250, false), extent, Connectivity::Full(2));
  }
}

/** The variants that the paper about ridge patterns compares. */
std::vector<Method>
RidgeMethods()
{
  const std::string equivalence = "LabelEquivalence:atomics=on,first-scan=earlier";
  return { { "Ordinary LE", equivalence },
           { "Ordinary TM", "TileMerging" },
           { "Early LE", equivalence + ",properties=moments", Sums::Moments },
           { "Early TM", "TileMerging:properties=moments", Sums::Moments },
           { "Late LE", equivalence, Sums::Moments },
           { "Late TM", "TileMerging", Sums::Moments },
           Default,
           { "default with table", "Auto", Sums::Table } };
}

struct FamilyImage
{
  std::string family;
  RidgeImage  image;
};

std::vector<FamilyImage>
FamilyImages(int n)
{
  using Family = RidgeImage::Family;
  std::vector<FamilyImage> images;
  const auto               add = [&](const char * name, Family family, int level, int subdivisions, double parameter) {
    RidgeImage image;
    image.family = family;
    image.level = level;
    image.subdivisions = subdivisions;
    image.parameter = parameter;
    images.push_back({ name, image });
  };
  for (int level = 1; level <= std::min(12, n - 1); ++level)
  {
    add("Leveling", Family::Leveling, level, 0, 1);
  }
  for (int s = 0; s <= n - 4; ++s)
  {
    add("Subdivision", Family::Subdivision, 3, s, 1);
  }
  for (int step = 0; step <= 10; ++step)
  {
    const double parameter = step / 10.0;
    add("RandomInstancing", Family::RandomInstancing, 3, 5, parameter);
    add("RandomMerging", Family::RandomMerging, 3, 5, parameter);
    add("Scaling", Family::Scaling, 2, 0, parameter);
    if (step > 0)
    {
      add("Spiral", Family::Spiral, 1, 0, parameter);
    }
  }
  return images;
}

struct Mask
{
  std::string file;
  Extent      extent;
};

/** Every fiftieth slice of a mask, if at most 30 % is foreground, as a square of 2^n x 2^n nearest neighbours. */
std::vector<Pixels>
ScaledSlices(const Mask & mask, int n)
{
  const Extent &      extent = mask.extent;
  Pixels              volume(static_cast<std::size_t>(extent.VoxelCount()));
  std::ifstream       stream(mask.file, std::ios::binary);
  std::vector<Pixels> slices;
  if (!stream.read(reinterpret_cast<char *>(volume.data()), static_cast<std::streamsize>(volume.size())))
  {
    std::fprintf(stderr, "%s does not have %lld bytes\n", mask.file.c_str(), static_cast<long long>(volume.size()));
    std::exit(1);
  }
  const std::int64_t        side = std::int64_t{ 1 } << n;
  std::vector<std::int64_t> sources(static_cast<std::size_t>(side));
  for (std::int64_t x = 0; x < side; ++x)
  {
    sources[static_cast<std::size_t>(x)] = x * extent.size[0] / side;
  }
  for (std::int64_t z = 25; z < extent.size[2]; z += 50)
  {
    Pixels       pixels(static_cast<std::size_t>(side * side));
    std::int64_t count = 0;
    for (std::int64_t y = 0; y < side; ++y)
    {
      const std::uint8_t * row = volume.data() + (z * extent.size[1] + y * extent.size[1] / side) * extent.size[0];
      for (std::int64_t x = 0; x < side; ++x)
      {
        const std::uint8_t pixel = row[sources[static_cast<std::size_t>(x)]] != 0 ? 1 : 0;
        pixels[static_cast<std::size_t>(y * side + x)] = pixel;
        count += pixel;
      }
    }
    if (static_cast<double>(count) <= 0.3 * static_cast<double>(side * side))
    {
      slices.push_back(std::move(pixels));
    }
  }
  return slices;
}

/** The paper about ridge patterns: the measurements that tables III, IV and VI to VIII are made of, for images of 2^n
 *  pixels a side. There is one line for each image and method. */
void
Ridges(Benchmark & benchmark, int firstN, int lastN, const std::vector<Mask> & masks)
{
  // Only means over many images are wanted, so each image has less time.
  benchmark.limit = 25;
  for (int n = firstN; n <= lastN; ++n)
  {
    const std::int64_t               side = std::int64_t{ 1 } << n;
    const Extent                     extent{ side, side };
    const std::vector<FamilyImage>   images = FamilyImages(n);
    const std::size_t                ahead = 12;
    std::vector<std::future<Pixels>> made(images.size());
    const auto                       make = [&](std::size_t i) {
      made[i] = std::async(std::launch::async, [&, i] { return MakeRidges(extent, images[i].image); });
    };
    for (std::size_t i = 0; i < std::min(ahead, images.size()); ++i)
    {
      make(i);
    }
    for (std::size_t i = 0; i < images.size(); ++i)
    {
      const Pixels pixels = made[i].get();
      if (i + ahead < images.size())
      {
        make(i + ahead);
      }
      const RidgeImage & image = images[i].image;
      const std::string  name = images[i].family + " l=" + std::to_string(image.level) +
                               " s=" + std::to_string(image.subdivisions) + " p=" + std::to_string(image.parameter);
      benchmark.Row("Ridges", name, static_cast<double>(side), pixels, extent, Connectivity::Full(2), RidgeMethods());
    }
    for (const Mask & mask : masks)
    {
      for (const Pixels & pixels : ScaledSlices(mask, n))
      {
        benchmark.Row("Ridges",
                      "Dataset " + mask.file,
                      static_cast<double>(side),
                      pixels,
                      extent,
                      Connectivity::Full(2),
                      RidgeMethods());
      }
    }
  }
}

} // namespace

int
main(int argc, char ** argv)
{
  const ResolvedDevice resolved = ResolveDevice({ Device::Kind::Cuda, 0 });
  if (resolved.device.kind != Device::Kind::Cuda)
  {
    std::fprintf(stderr, "there is nothing to measure: %s\n", resolved.remark.c_str());
    return 1;
  }
  Benchmark                benchmark;
  std::vector<Mask>        masks;
  std::vector<std::string> tables;
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
      benchmark.onlyMethod = argv[++i];
    }
    else
    {
      tables.push_back(argument);
    }
  }
  const auto ridges = [&](int firstN, int lastN) { Ridges(benchmark, firstN, lastN, masks); };
  // Some tables and figures are made from the same measurements.
  struct Group
  {
    std::vector<std::string> tables;
    std::function<void()>    run;
    /** Whether these images are among those of another group. If so, "all" leaves them to that group. */
    bool isPartOfAnother = false;
  };
  const std::vector<Group> groups = {
    { { "kalentev-1" }, [&] { Kalentev1(benchmark); } },
    { { "kalentev-2" }, [&] { Kalentev2(benchmark); } },
    { { "kalentev-3" }, [&] { Kalentev3(benchmark); } },
    { { "kalentev-4" }, [&] { Kalentev4(benchmark); } },
    { { "soh-1", "soh-2" }, [&] { Soh(benchmark); } },
    { { "ziegler" }, [&] { Ziegler(benchmark); } },
    { { "stava-11", "stava-12" }, [&] { Stava(benchmark); } },
    { { "ridges-3", "ridges-6" }, [&] { ridges(13, 13); }, true },
    { { "ridges-4" }, [&] { ridges(14, 14); }, true },
    { { "ridges-7", "ridges-8" }, [&] { ridges(10, 14); } },
  };
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
  if (tables.empty() || !unknown.empty())
  {
    std::fprintf(stderr,
                 "usage: brickccl-paper-benchmark [--mask FILE NX NY NZ ...] [--method NAME] %sall\n",
                 names.c_str());
    return 1;
  }
  const auto isAskedFor = [&](const std::string & table) {
    return std::find(tables.begin(), tables.end(), table) != tables.end();
  };
  std::printf("table,case,x,algorithm,ms,own_ms,rounds\n");
  for (const Group & group : groups)
  {
    if ((isAskedFor("all") && !group.isPartOfAnother) ||
        std::any_of(group.tables.begin(), group.tables.end(), isAskedFor))
    {
      group.run();
    }
  }
  return 0;
}
