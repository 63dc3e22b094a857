// SPDX-License-Identifier: Apache-2.0
// Times labeling next to itk::ConnectedComponentImageFilter and the memory floor, in one run.
//
//   brickccl-benchmark [OPTIONS] CASE | IMAGE ...
//   brickccl-benchmark --list
//
//   --repeat N         timed runs after a warm-up, of which the median is printed (7)
//   --threads N,M      thread counts (1,2)
//   --connectivity N   only this one
//   --criterion C      for images: equal or tolerance:T instead of foreground
//   --save FILE        writes the case's voxels, for peers
//   --algorithm NAME   instead of Auto
//   --no-itk
//   --brief            labeling alone
//
// Prints comma-separated lines: input, connectivity, program, threads, median seconds, components. Buffers (voxels,
// labels, workspaces, the table) are allocated and touched before the clock starts, in large pages where the system
// gives them (as numpy's are, which the peers work on), except for the program "fresh", which labels into new memory.

#include "BenchmarkInputs.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Host/HugePages.h"
#include "BrickCCL/Host/Parallel.h"

#include "itkConnectedComponentImageFilter.h"
#include "itkLabelImageToShapeLabelMapFilter.h"
#include "itkImage.h"
#include "itkMultiThreaderBase.h"
#include "itkScalarConnectedComponentImageFilter.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <emmintrin.h>

namespace
{

using namespace brickccl;
using brickccl::testing::caseList;
using brickccl::testing::Input;
using brickccl::testing::MakeCase;
using brickccl::testing::ReadInput;

int              repeats = 7;
std::vector<int> threadCounts{ 1, 2 };
int              onlyConnectivity = 0;
bool             withItk = true;
bool             measures = false;
bool             brief = false;
std::string      saveTo;
std::string      algorithm = "Auto";

double
SecondsOf(const std::function<void()> & work)
{
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double
Median(std::vector<double> seconds)
{
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

/** After a warm-up. */
double
MedianSeconds(const std::function<void()> & work, int times)
{
  work();
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i)
  {
    seconds.push_back(SecondsOf(work));
  }
  return Median(seconds);
}

void
Print(const std::string & input,
      int                 connectivity,
      const std::string & program,
      int                 threads,
      double              seconds,
      std::uint64_t       components)
{
  std::cout << input << ',' << connectivity << ',' << program << ',' << threads << ',' << seconds << ',' << components
            << std::endl;
}

/** Programs that are timed in turns, so that what else the machine does hits all of them alike. */
class Turns
{
public:
  void
  Add(const std::string & program, int threads, const std::function<void()> & work)
  {
    m_Entries.push_back({ program, threads, work, {} });
  }
  /** Times all, after a warm-up, and prints their medians. */
  void
  Take(const std::string & input, int connectivity, const std::function<std::uint64_t()> & components)
  {
    for (int round = 0; round <= repeats; ++round)
    {
      for (Entry & entry : m_Entries)
      {
        const double seconds = SecondsOf(entry.work);
        if (round > 0)
        {
          entry.seconds.push_back(seconds);
        }
      }
    }
    for (const Entry & entry : m_Entries)
    {
      Print(input, connectivity, entry.program, entry.threads, Median(entry.seconds), components());
    }
  }

private:
  struct Entry
  {
    std::string           program;
    int                   threads;
    std::function<void()> work;
    std::vector<double>   seconds;
  };

  std::vector<Entry> m_Entries;
};

/** Reads the pixels and writes 4 bytes per voxel with streaming stores. */
void
Floor(const Input & input, std::uint32_t * out, int threads)
{
  const std::int64_t bytesPerVoxel = static_cast<std::int64_t>(SizeOf(input.type));
  const Chunks       chunks(input.extent.VoxelCount() / 16, 1 << 14, std::int64_t{ 4 } * threads);
  ParallelFor(chunks.count, { threads }, [&](std::int64_t chunk) {
    const __m128i zero = _mm_setzero_si128();
    for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
    {
      const auto * from = reinterpret_cast<const __m128i *>(input.bytes.Data()) + i * bytesPerVoxel;
      __m128i      bytes = _mm_loadu_si128(from);
      for (std::int64_t k = 1; k < bytesPerVoxel; ++k)
      {
        bytes = _mm_or_si128(bytes, _mm_loadu_si128(from + k));
      }
      const __m128i low = _mm_unpacklo_epi8(bytes, zero);
      const __m128i high = _mm_unpackhi_epi8(bytes, zero);
      auto *        place = reinterpret_cast<__m128i *>(out) + 4 * i;
      _mm_stream_si128(place, _mm_unpacklo_epi16(low, zero));
      _mm_stream_si128(place + 1, _mm_unpackhi_epi16(low, zero));
      _mm_stream_si128(place + 2, _mm_unpacklo_epi16(high, zero));
      _mm_stream_si128(place + 3, _mm_unpackhi_epi16(high, zero));
    }
    _mm_sfence();
  });
}

/** An input as ITK's image. */
template <typename T, unsigned VDimension>
typename itk::Image<T, VDimension>::Pointer
ItkImageOf(const Input & input)
{
  using Image = itk::Image<T, VDimension>;
  auto                       image = Image::New();
  typename Image::RegionType region;
  for (unsigned axis = 0; axis < VDimension; ++axis)
  {
    region.SetSize(axis, static_cast<itk::SizeValueType>(input.extent.size[axis]));
  }
  image->SetRegions(region);
  image->Allocate();
  std::memcpy(image->GetBufferPointer(), input.bytes.Data(), input.bytes.Size());
  return image;
}

/** Times the filter for gray-value tolerances, once, since it takes long. Its labels have gaps, so that what it counts
 * is not compared. */
void
BenchmarkItkTolerance(const Input & input, int connectivity)
{
  using Scan = itk::Image<std::int16_t, 3>;
  using Filter = itk::ScalarConnectedComponentImageFilter<Scan, itk::Image<std::uint32_t, 3>>;
  auto filter = Filter::New();
  filter->SetInput(ItkImageOf<std::int16_t, 3>(input));
  filter->SetDistanceThreshold(static_cast<std::int16_t>(input.criterion.tolerance));
  filter->SetFullyConnected(connectivity == 26);
  Print(input.name, connectivity, "itk scalar", 1, SecondsOf([&] { filter->Update(); }), 0);
}

template <unsigned VDimension>
void
BenchmarkItk(const Input & input, int connectivity, int threads)
{
  using Mask = itk::Image<std::uint8_t, VDimension>;
  using Filter = itk::ConnectedComponentImageFilter<Mask, itk::Image<std::uint32_t, VDimension>>;
  const auto mask = ItkImageOf<std::uint8_t, VDimension>(input);
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(static_cast<itk::ThreadIdType>(threads));
  auto filter = Filter::New();
  filter->SetInput(mask);
  filter->SetNumberOfWorkUnits(static_cast<itk::ThreadIdType>(threads));
  filter->SetFullyConnected(connectivity == 26 || connectivity == 8);
  const double seconds = MedianSeconds(
    [&] {
      filter->Modified();
      filter->Update();
    },
    std::min(repeats, 3));
  Print(input.name, connectivity, "itk", threads, seconds, filter->GetObjectCount());
}

/** Measures the components of a mask, labeled at full connectivity, from the label image, as peers have to, and from
 * the runs; and ITK's shape attributes. The label image is saved. */
void
BenchmarkMeasures(const Input & input)
{
  LabelOptions options;
  options.connectivity = Connectivity::Full(input.extent.dimension);
  const Labeling             labeling = Label(input.View(), options);
  std::vector<std::uint32_t> labels(static_cast<std::size_t>(input.extent.VoxelCount()));
  labeling.Write(labels.data());
  if (!saveTo.empty())
  {
    std::ofstream file(saveTo, std::ios::binary);
    file.write(reinterpret_cast<const char *>(labels.data()), static_cast<std::streamsize>(labels.size() * 4));
  }
  using Labels = itk::Image<std::uint32_t, 3>;
  auto               image = Labels::New();
  Labels::RegionType region;
  for (unsigned axis = 0; axis < 3; ++axis)
  {
    region.SetSize(axis, static_cast<itk::SizeValueType>(input.extent.size[axis]));
  }
  image->SetRegions(region);
  image->Allocate();
  std::copy(labels.begin(), labels.end(), image->GetBufferPointer());
  auto filter = itk::LabelImageToShapeLabelMapFilter<Labels>::New();
  filter->SetInput(image);

  const auto withGroups = [](const std::string & groups) {
    MeasureOptions measure;
    measure.groups = ColumnGroups::FromNames(groups);
    return measure;
  };
  Turns turns;
  // Lines are separated by commas, and so are groups.
  const auto add = [&turns](std::string program, int threads, const std::function<void()> & work) {
    std::replace(program.begin(), program.end(), ',', '+');
    turns.Add(program, threads, work);
  };
  std::vector<std::unique_ptr<Labeling>> labelings;
  for (const int threads : threadCounts)
  {
    for (const std::string groups : { "",
                                      "shape",
                                      "shape,surface",
                                      "shape,surface,feret",
                                      "feret",
                                      "topology",
                                      "inscribed",
                                      "thickness",
                                      "neighbors",
                                      "shape,surface,feret,topology" })
    {
      add("measure " + groups, threads, [&, threads, measure = withGroups(groups)] {
        MeasureLabelImage(ImageView(labels.data(), input.extent), {}, measure, threads);
      });
    }
    labelings.push_back(std::make_unique<Labeling>());
    options.threads = threads;
    Label(input.View(), options, *labelings.back());
    for (const std::string groups : { "", "shape", "shape,surface", "shape,surface,feret", "topology" })
    {
      add("measure runs" + (groups.empty() ? "" : " " + groups),
          threads,
          [own = labelings.back().get(), measure = withGroups(groups)] { own->Measure(measure); });
    }
    for (const std::string groups : { "shape", "shape,surface", "shape,surface,feret" })
    {
      add("itk " + groups, threads, [threads, groups, filter = filter.GetPointer()] {
        const bool hasExtents = groups.find("feret") != std::string::npos;
        itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(static_cast<itk::ThreadIdType>(threads));
        filter->SetNumberOfWorkUnits(static_cast<itk::ThreadIdType>(threads));
        filter->SetComputePerimeter(groups.find("surface") != std::string::npos);
        filter->SetComputeFeretDiameter(hasExtents);
        filter->SetComputeOrientedBoundingBox(hasExtents);
        filter->Modified();
        filter->Update();
      });
    }
  }
  turns.Take(input.name, options.connectivity->NeighborCount(), [&] { return labeling.ComponentCount(); });
}

void
Benchmark(const Input & input)
{
  if (!saveTo.empty())
  {
    std::ofstream file(saveTo, std::ios::binary);
    file.write(input.bytes.Data(), static_cast<std::streamsize>(input.bytes.Size()));
    if (!file.flush())
    {
      throw InvalidArgument("cannot write '" + saveTo + "'");
    }
  }
  const Extent & extent = input.extent;
  const auto     voxels = static_cast<std::size_t>(extent.VoxelCount());
  struct Free
  {
    void
    operator()(void * memory) const
    {
      std::free(memory);
    }
  };
  const std::unique_ptr<void, Free> memory(std::aligned_alloc(64, (voxels * 4 + 63) / 64 * 64));
  auto * const                      labels = static_cast<std::uint32_t *>(memory.get());
  AdviseHugePages(labels, voxels * sizeof(*labels));
  std::fill_n(labels, voxels, 1u);

  for (int rank = 1; rank <= extent.dimension; ++rank)
  {
    const Connectivity connectivity(extent.dimension, rank);
    const int          neighbors = connectivity.NeighborCount();
    if (onlyConnectivity != 0 && neighbors != onlyConnectivity)
    {
      continue;
    }
    LabelOptions options;
    options.connectivity = connectivity;
    options.criterion = input.criterion;
    options.algorithm = algorithm;
    Turns                                        turns;
    std::vector<std::unique_ptr<Labeling>>       labelings;
    std::vector<std::unique_ptr<ComponentTable>> tables;
    for (const int threads : threadCounts)
    {
      options.threads = threads;
      labelings.push_back(std::make_unique<Labeling>());
      tables.push_back(std::make_unique<ComponentTable>());
      Labeling * const       own = labelings.back().get();
      ComponentTable * const table = tables.back().get();
      turns.Add("floor", threads, [&, threads] { Floor(input, labels, threads); });
      turns.Add("brickccl", threads, [&, options, own] {
        Label(input.View(), options, *own);
        own->Write(labels);
      });
      if (brief)
      {
        continue;
      }
      turns.Add("brickccl without writing", threads, [&, options, own] { Label(input.View(), options, *own); });
      turns.Add("brickccl with table", threads, [&, options, own, table] {
        Label(input.View(), options, *own);
        own->Write(labels);
        own->Measure({}, *table);
      });
      turns.Add("brickccl fresh", threads, [&, options] {
        Labeling                               fresh;
        const std::unique_ptr<std::uint32_t[]> output(new std::uint32_t[voxels]);
        Label(input.View(), options, fresh);
        fresh.Write(output.get());
      });
    }
    turns.Take(input.name, neighbors, [&] { return labelings.front()->ComponentCount(); });
    if (withItk && input.type == ScalarTypeOf<std::int16_t>() && extent.dimension == 3 &&
        input.criterion.joining == Criterion::Joining::Tolerance && (rank == 1 || rank == 3))
    {
      BenchmarkItkTolerance(input, neighbors);
    }
    const bool isMask =
      input.type == ScalarTypeOf<std::uint8_t>() && input.criterion.joining == Criterion::Joining::Foreground;
    if (withItk && isMask && (rank == 1 || rank == extent.dimension) && !brief)
    {
      for (const int threads : threadCounts)
      {
        extent.dimension == 2 ? BenchmarkItk<2>(input, neighbors, threads) : BenchmarkItk<3>(input, neighbors, threads);
      }
    }
  }
}

} // namespace

int
main(int argc, char ** argv)
{
  try
  {
    Criterion criterion = Criterion::Foreground();
    for (int i = 1; i < argc; ++i)
    {
      const std::string argument = argv[i];
      const auto        value = [&] {
        if (i + 1 >= argc)
        {
          throw InvalidArgument("option " + argument + " needs a value");
        }
        return std::string(argv[++i]);
      };
      if (argument == "--list")
      {
        std::cout << caseList;
      }
      else if (argument == "--repeat")
      {
        repeats = std::stoi(value());
      }
      else if (argument == "--threads")
      {
        std::istringstream counts(value());
        threadCounts.clear();
        for (std::string count; std::getline(counts, count, ',');)
        {
          threadCounts.push_back(std::stoi(count));
        }
      }
      else if (argument == "--connectivity")
      {
        onlyConnectivity = std::stoi(value());
      }
      else if (argument == "--criterion")
      {
        const std::string text = value();
        criterion =
          text == "equal" ? Criterion::EqualValue() : Criterion::Tolerance(std::stod(text.substr(text.find(':') + 1)));
      }
      else if (argument == "--algorithm")
      {
        algorithm = value();
      }
      else if (argument == "--save")
      {
        saveTo = value();
      }
      else if (argument == "--no-itk")
      {
        withItk = false;
      }
      else if (argument == "--brief")
      {
        brief = true;
      }
      else if (argument == "--measures")
      {
        measures = true;
      }
      else
      {
        std::ifstream file(argument);
        const Input   input = file ? ReadInput(argument, criterion) : MakeCase(argument);
        measures ? BenchmarkMeasures(input) : Benchmark(input);
      }
    }
    return 0;
  }
  catch (const std::exception & error)
  {
    std::cerr << "brickccl-benchmark: " << error.what() << std::endl;
    return 1;
  }
}
