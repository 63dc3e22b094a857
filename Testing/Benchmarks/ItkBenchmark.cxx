// SPDX-License-Identifier: Apache-2.0
// Times each ITK filter of BrickCCL next to the filter of ITK that it replaces, in one run:
//
//   brickccl-itk-benchmark [--size N,N] [--repetitions N] [--once-above SECONDS] [--threads N,N] [--only TEXT]
//
// It prints a table for each size: images of N^3 voxels (default 256). The tables of Source/Fronts/Itk/README.md are
// those of
// --size 256,512 --repetitions 3. Each line has the median seconds of ITK's filter and of ours and their ratio
// for each number of threads. A filter of ITK that takes more than SECONDS (default 2) runs once. Filters are made anew
// for each run. All runs of one filter follow each other, so that its memory was just used, except that of the first
// run: a virtual machine may give memory that lies free for a second or two back to its host, and whoever touches it
// next waits for the host, for half a gigabyte some seconds.

#include "itkBrickBinaryFillholeImageFilter.h"
#include "itkBrickConnectedComponentImageFilter.h"
#include "itkBrickLabelImageToShapeLabelMapFilter.h"
#include "itkBrickScalarConnectedComponentImageFilter.h"

#include "BrickCCL/Phantoms/Phantoms.h"

#include "itkBinaryFillholeImageFilter.h"
#include "itkConnectedComponentImageFilter.h"
#include "itkLabelImageToShapeLabelMapFilter.h"
#include "itkScalarConnectedComponentImageFilter.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace
{

using Mask = itk::Image<unsigned char, 3>;
using Scan = itk::Image<short, 3>;
using Labels = itk::Image<unsigned int, 3>;

struct Options
{
  std::vector<int> sizes{ 256 };
  /** That of the table that is made now. */
  std::int64_t size = 0;
  int          repetitions = 5;
  /** A filter of ITK that takes more seconds runs once. */
  int              onceAbove = 2;
  std::vector<int> threads{ 1, 2 };
  std::string      only;
};

template <typename TImage>
typename TImage::Pointer
NewImage(std::int64_t size)
{
  auto                      image = TImage::New();
  typename TImage::SizeType sizes;
  sizes.Fill(static_cast<itk::SizeValueType>(size));
  image->SetRegions(sizes);
  image->Allocate();
  return image;
}

template <typename TImage, typename TVoxels>
typename TImage::Pointer
ImageOf(const TVoxels & voxels, std::int64_t size, int scale = 1)
{
  auto image = NewImage<TImage>(size);
  std::transform(voxels.begin(), voxels.end(), image->GetBufferPointer(), [scale](auto value) {
    return static_cast<typename TImage::PixelType>(value * scale);
  });
  return image;
}

/** Makes a filter, sets its parameters, and measures one Update. */
template <typename TFilter, typename TSet>
double
SecondsOf(const TSet & set)
{
  auto filter = TFilter::New();
  set(filter.GetPointer());
  const auto start = std::chrono::steady_clock::now();
  filter->Update();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/** The median of the seconds of some runs, or the seconds of the only run if it takes more than `onceAbove`. */
template <typename TFilter, typename TSet>
double
MedianSecondsOf(int repetitions, double onceAbove, const TSet & set)
{
  std::vector<double> seconds;
  while (static_cast<int>(seconds.size()) < repetitions && (seconds.empty() || seconds.front() <= onceAbove))
  {
    seconds.push_back(SecondsOf<TFilter>(set));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

/** One line of the table. */
template <typename TTheirs, typename TOurs, typename TSet, typename TSetOurs>
void
Compare(const Options & options, const std::string & name, const TSet & set, const TSetOurs & setOurs)
{
  if (name.find(options.only) == std::string::npos)
  {
    return;
  }
  std::printf("| %s |", name.c_str());
  for (const int threads : options.threads)
  {
    itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(static_cast<itk::ThreadIdType>(threads));
    const double theirs = MedianSecondsOf<TTheirs>(options.repetitions, options.onceAbove, set);
    const double ours =
      MedianSecondsOf<TOurs>(options.repetitions, std::numeric_limits<double>::infinity(), [&](TOurs * filter) {
        set(filter);
        setOurs(filter);
      });
    std::printf(" %.3f | %.3f | %.1f |", theirs, ours, theirs / ours);
    std::fflush(stdout);
  }
  std::printf("\n");
}

template <typename TTheirs, typename TOurs, typename TSet>
void
Compare(const Options & options, const std::string & name, const TSet & set)
{
  Compare<TTheirs, TOurs>(options, name, set, [](TOurs *) {});
}

void
CompareComponents(const Options & options, const Mask * mask)
{
  using Theirs = itk::ConnectedComponentImageFilter<Mask, Labels>;
  using Ours = itk::BrickConnectedComponentImageFilter<Mask, Labels>;
  for (const bool fully : { false, true })
  {
    const auto set = [&](auto * filter) {
      filter->SetInput(mask);
      filter->SetFullyConnected(fully);
    };
    const std::string neighbors = fully ? "26 neighbors" : "6 neighbors";
    Compare<Theirs, Ours>(options, "ConnectedComponent, " + neighbors, set);
    Compare<Theirs, Ours>(options, "ConnectedComponent, " + neighbors + ", no table", set, [](Ours * filter) {
      filter->ComputeComponentTableOff();
    });
  }
}

void
CompareGrains(const Options & options)
{
  const brickccl::Extent extent{ options.size, options.size, options.size };
  const auto             grains = brickccl::MakeGrains(extent, 24, 1);
  const auto             scan = ImageOf<Scan>(grains, options.size);
  using Theirs = itk::ScalarConnectedComponentImageFilter<Scan, Labels>;
  using Ours = itk::BrickScalarConnectedComponentImageFilter<Scan, Labels>;
  Compare<Theirs, Ours>(options, "ScalarConnectedComponent", [&](auto * filter) {
    filter->SetInput(scan);
    filter->SetDistanceThreshold(20);
  });
}

void
CompareLabelImages(const Options & options, const std::string & kind, const Labels * labels)
{
  Compare<itk::LabelImageToShapeLabelMapFilter<Labels>, itk::BrickLabelImageToShapeLabelMapFilter<Labels>>(
    options,
    "LabelImageToShapeLabelMap, " + kind,
    [&](auto * filter) { filter->SetInput(labels); });
}

void
CompareAll(const Options & options)
{
  // ITK's pool has for ever the threads that it was made with.
  const auto maximum =
    static_cast<itk::ThreadIdType>(*std::max_element(options.threads.begin(), options.threads.end()));
  itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(maximum);
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(maximum);
  itk::MultiThreaderBase::New();
  const brickccl::Extent extent{ options.size, options.size, options.size };
  const auto             mask = ImageOf<Mask>(brickccl::MakeBalls(extent, 0.25, 1), options.size, 255);
  CompareComponents(options, mask);
  {
    using Fill = itk::BinaryFillholeImageFilter<Mask>;
    const auto shells = ImageOf<Mask>(brickccl::MakeRandom(extent, 0.7, 3, 1), options.size, 255);
    Compare<Fill, itk::BrickBinaryFillholeImageFilter<Mask>>(options, "BinaryFillhole", [&](auto * filter) {
      filter->SetInput(shells);
    });
  }
  {
    auto labeler = itk::BrickConnectedComponentImageFilter<Mask, Labels>::New();
    labeler->SetInput(mask);
    labeler->Update();
    CompareLabelImages(options, "balls", labeler->GetOutput());
  }
  const auto cells = ImageOf<Labels>(brickccl::MakeVoronoi(extent, 8, 1), options.size);
  CompareLabelImages(options, "cells of 8^3", cells.GetPointer());
  CompareGrains(options);
}

/** Numbers of at least 1 with commas between. */
std::vector<int>
ReadNumbers(const std::string & name, const std::string & text)
{
  std::vector<int>   numbers;
  std::istringstream list(text);
  for (std::string number; std::getline(list, number, ',');)
  {
    const char * const end = number.data() + number.size();
    const auto         read = std::from_chars(number.data(), end, numbers.emplace_back());
    if (read.ec != std::errc() || read.ptr != end || numbers.back() < 1)
    {
      throw std::invalid_argument(name + " has the value " + number + ", which is not a number of at least 1");
    }
  }
  if (numbers.empty())
  {
    throw std::invalid_argument(name + " lacks its value");
  }
  return numbers;
}

void
PrintHead(const Options & options)
{
  std::printf("| %lld^3 |", static_cast<long long>(options.size));
  for (const int threads : options.threads)
  {
    std::printf(" ITK, %d thread%s | BrickCCL | ratio |", threads, threads == 1 ? "" : "s");
  }
  std::printf("\n| --- |");
  for (std::size_t i = 0; i < options.threads.size(); ++i)
  {
    std::printf(" --: | --: | --: |");
  }
  std::printf("\n");
}

Options
ReadOptions(int argc, char ** argv)
{
  Options options;
  for (int i = 1; i < argc; i += 2)
  {
    const std::string name = argv[i];
    if (i + 1 == argc)
    {
      throw std::invalid_argument(name + " lacks its value");
    }
    const std::string value = argv[i + 1];
    if (name == "--size")
    {
      options.sizes = ReadNumbers(name, value);
    }
    else if (name == "--repetitions")
    {
      options.repetitions = ReadNumbers(name, value).front();
    }
    else if (name == "--once-above")
    {
      options.onceAbove = ReadNumbers(name, value).front();
    }
    else if (name == "--threads")
    {
      options.threads = ReadNumbers(name, value);
    }
    else if (name == "--only")
    {
      options.only = value;
    }
    else
    {
      throw std::invalid_argument("unknown option " + name +
                                  "; there are --size, --repetitions, --once-above, --threads and --only");
    }
  }
  return options;
}

} // namespace

int
main(int argc, char ** argv)
{
  try
  {
    Options options = ReadOptions(argc, argv);
    for (const int size : options.sizes)
    {
      options.size = size;
      PrintHead(options);
      CompareAll(options);
      std::printf("\n");
    }
    return EXIT_SUCCESS;
  }
  catch (const std::exception & error)
  {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
