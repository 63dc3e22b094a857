// Times labeling beside itk::ConnectedComponentImageFilter and the memory floor, in one run.
//
//   brickccl-benchmark [--repeat N] [--threads N] IMAGE ... | --phantoms SIZE
//
// Prints comma-separated lines: input, connectivity, program, threads, median seconds, components. Buffers are
// allocated and touched before the clock starts; the best published habit for peers applies to us as well.

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Phantoms/Phantoms.h"

#include "itkConnectedComponentImageFilter.h"
#include "itkImage.h"
#include "itkImageFileReader.h"
#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <emmintrin.h>

namespace
{

using Mask = itk::Image<std::uint8_t, 3>;
using LabelMap = itk::Image<std::uint32_t, 3>;

int repeats = 7;

double
MedianSeconds(const std::function<void()> & work)
{
  std::vector<double> seconds;
  for (int i = 0; i <= repeats; ++i)
  {
    const auto begin = std::chrono::steady_clock::now();
    work();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  seconds.erase(seconds.begin()); // warm-up
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
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

/** Reads 1 byte and writes 4 bytes per voxel with streaming stores. */
void
Floor(const std::uint8_t * in, std::uint32_t * out, std::int64_t voxels, int threads)
{
  const brickccl::Chunks chunks(voxels / 16, 1 << 14, 4 * threads);
  brickccl::ParallelFor(chunks.count, { threads }, [&](std::int64_t chunk) {
    const __m128i zero = _mm_setzero_si128();
    for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
    {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(in) + i);
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

void
Benchmark(const std::string & name, Mask * mask, const std::vector<int> & threadCounts)
{
  const auto             size = mask->GetLargestPossibleRegion().GetSize();
  const brickccl::Extent extent{ static_cast<std::int64_t>(size[0]),
                                 static_cast<std::int64_t>(size[1]),
                                 static_cast<std::int64_t>(size[2]) };
  void * memory = std::aligned_alloc(64, static_cast<std::size_t>(extent.VoxelCount() * 4 + 63) / 64 * 64);
  auto * labels = static_cast<std::uint32_t *>(memory);
  std::fill_n(labels, extent.VoxelCount(), 1u);

  for (const int threads : threadCounts)
  {
    Print(name,
          0,
          "floor",
          threads,
          MedianSeconds([&] { Floor(mask->GetBufferPointer(), labels, extent.VoxelCount(), threads); }),
          0);
    for (const int connectivity : { 6, 18, 26 })
    {
      brickccl::Labeling     labeling;
      brickccl::LabelOptions options;
      options.connectivity = brickccl::Connectivity::FromNeighbourCount(connectivity, 3);
      options.threads = threads;
      const double seconds = MedianSeconds([&] {
        brickccl::Label(brickccl::ImageView(mask->GetBufferPointer(), extent), options, labeling);
        labeling.Write(labels);
      });
      Print(name, connectivity, "brickccl", threads, seconds, labeling.ComponentCount());
      const double analysis = MedianSeconds(
        [&] { brickccl::Label(brickccl::ImageView(mask->GetBufferPointer(), extent), options, labeling); });
      Print(name, connectivity, "brickccl without writing", threads, analysis, labeling.ComponentCount());
      const double measured = MedianSeconds([&] {
        brickccl::Label(brickccl::ImageView(mask->GetBufferPointer(), extent), options, labeling);
        labeling.Write(labels);
        labeling.Measure();
      });
      Print(name, connectivity, "brickccl with table", threads, measured, labeling.ComponentCount());
      if (connectivity != 18)
      {
        using Filter = itk::ConnectedComponentImageFilter<Mask, LabelMap>;
        itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(static_cast<itk::ThreadIdType>(threads));
        auto filter = Filter::New();
        filter->SetInput(mask);
        filter->SetNumberOfWorkUnits(static_cast<itk::ThreadIdType>(threads));
        filter->SetFullyConnected(connectivity == 26);
        const double itkSeconds = MedianSeconds([&] {
          filter->Modified();
          filter->Update();
        });
        Print(name, connectivity, "itk", threads, itkSeconds, filter->GetObjectCount());
      }
    }
  }
  std::free(memory);
}

Mask::Pointer
ToImage(const brickccl::Extent & extent, const std::vector<std::uint8_t> & voxels)
{
  auto             image = Mask::New();
  Mask::RegionType region;
  for (unsigned axis = 0; axis < 3; ++axis)
  {
    region.SetSize(axis, static_cast<itk::SizeValueType>(extent.size[axis]));
  }
  image->SetRegions(region);
  image->Allocate();
  std::memcpy(image->GetBufferPointer(), voxels.data(), voxels.size());
  return image;
}

} // namespace

int
main(int argc, char ** argv)
{
  try
  {
    std::vector<int> threadCounts{ 1, 2 };
    for (int i = 1; i < argc; ++i)
    {
      const std::string argument = argv[i];
      if (argument == "--repeat" && i + 1 < argc)
      {
        repeats = std::stoi(argv[++i]);
      }
      else if (argument == "--threads" && i + 1 < argc)
      {
        threadCounts = { std::stoi(argv[++i]) };
      }
      else if (argument == "--phantoms" && i + 1 < argc)
      {
        const std::int64_t     size = std::stoll(argv[++i]);
        const brickccl::Extent extent{ size, size, size };
        Benchmark("balls 0.2", ToImage(extent, brickccl::MakeBalls(extent, 0.2, 1)), threadCounts);
        Benchmark("random 0.1", ToImage(extent, brickccl::MakeRandom(extent, 0.1, 1, 1)), threadCounts);
        Benchmark("random 0.5", ToImage(extent, brickccl::MakeRandom(extent, 0.5, 1, 1)), threadCounts);
        Benchmark("random 0.5 grain 4", ToImage(extent, brickccl::MakeRandom(extent, 0.5, 4, 1)), threadCounts);
        Benchmark("full", ToImage(extent, brickccl::MakeRandom(extent, 1, 1, 1)), threadCounts);
      }
      else
      {
        Benchmark(argument.substr(argument.rfind('/') + 1), itk::ReadImage<Mask>(argument), threadCounts);
      }
    }
    return 0;
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << std::endl;
    return 1;
  }
}
