// SPDX-License-Identifier: Apache-2.0
// Times labeling on 1, 2, 4 ... GPUs of one host: of volumes in host memory, and of volumes that lie on the GPUs by
// slabs. Volumes are made on GPUs. All label maps are compared with the CPU's by a sum over voxels.
//
//   brickccl-several-gpus-benchmark [--gpus N] [--repeat N] [--extent NX NY NZ]... [--only host|device] [--markdown
//   FILE]
//
// Prints a line of JSON for each measurement as soon as it is there; before volumes in host memory the speeds of the
// buses and memories, behind slabs on several GPUs how far each had come when.

#include "SeveralGpus.cuh"

#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Dispatch/SlabLabeler.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Host/Stopwatch.h"

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

namespace
{

using namespace brickccl;
using namespace brickccl::benchmark;

struct Arguments
{
  int                 gpus = 0;
  int                 repeats = 3;
  std::vector<Extent> extents;
  std::string         only;
  std::string         markdown;
};

Arguments
Parse(int count, char ** texts)
{
  Arguments arguments;
  for (int i = 1; i < count; ++i)
  {
    const std::string name = texts[i];
    const int         values = name == "--extent" ? 3 : 1;
    if (i + values >= count)
    {
      std::fprintf(stderr, "%s takes %d value(s)\n", name.c_str(), values);
      std::exit(2);
    }
    if (name == "--gpus")
    {
      arguments.gpus = std::atoi(texts[i + 1]);
    }
    else if (name == "--repeat")
    {
      arguments.repeats = std::atoi(texts[i + 1]);
    }
    else if (name == "--extent")
    {
      arguments.extents.push_back({ std::atoll(texts[i + 1]), std::atoll(texts[i + 2]), std::atoll(texts[i + 3]) });
    }
    else if (name == "--only")
    {
      arguments.only = texts[i + 1];
    }
    else if (name == "--markdown")
    {
      arguments.markdown = texts[i + 1];
    }
    else
    {
      std::fprintf(stderr, "unknown option %s\n", name.c_str());
      std::exit(2);
    }
    i += values;
  }
  if (arguments.extents.empty())
  {
    arguments.extents = { { 2048, 2048, 1024 }, { 2048, 2048, 2048 } };
  }
  return arguments;
}

/** Prints measurements as JSON, and keeps them for the table. */
class Report
{
public:
  void
  Add(const std::string & volume,
      const std::string & mode,
      int                 gpus,
      double              seconds,
      const std::string & shares,
      bool                same)
  {
    double & one = m_One[volume + mode];
    one = one == 0 ? seconds : one;
    std::printf("{\"volume\": \"%s\", \"mode\": \"%s\", \"gpus\": %d, \"ms\": %.3f, \"speedup\": %.3f, %s, "
                "\"labels_equal_cpu\": %s}\n",
                volume.c_str(),
                mode.c_str(),
                gpus,
                seconds * 1e3,
                one / seconds,
                shares.c_str(),
                same ? "true" : "false");
    std::fflush(stdout);
    std::ostringstream row;
    row.precision(4);
    row << "| " << volume << " | " << mode << " | " << gpus << " | " << seconds * 1e3 << " | " << one / seconds << " | "
        << shares << " | " << (same ? "yes" : "NO") << " |\n";
    m_Table += row.str();
    isRight = isRight && same;
  }

  void
  Save(const std::string & path) const
  {
    if (!path.empty())
    {
      std::ofstream(path)
        << "| volume | from, to | GPUs | ms | speed-up | shares | as CPU |\n|---|---|---|---|---|---|---|\n"
        << m_Table;
    }
  }

  bool isRight = true;

private:
  std::map<std::string, double> m_One;
  std::string                   m_Table;
};

/** A sum over the labels of a volume that tells where which label is. */
std::uint64_t
SumOnHost(const std::uint32_t * labels, std::int64_t voxels)
{
  const Chunks               chunks(voxels, 1 << 20, 4096);
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(chunks.count));
  ParallelFor(chunks.count, {}, [&](std::int64_t chunk) {
    std::uint64_t sum = 0;
    for (std::int64_t i = chunks.Begin(chunk); i < chunks.End(chunk); ++i)
    {
      sum += PlaceFactor(static_cast<std::uint64_t>(i)) * labels[i];
    }
    sums[static_cast<std::size_t>(chunk)] = sum;
  });
  std::uint64_t all = 0;
  for (const std::uint64_t sum : sums)
  {
    all += sum;
  }
  return all;
}

struct Expected
{
  std::uint64_t components = 0;
  std::uint64_t sum = 0;
};

/** Volumes in host memory. */
class HostRuns
{
public:
  HostRuns(const Extent & extent, const std::string & name, Pattern pattern)
    : m_Extent(extent)
    , m_Name(name)
    , m_Voxels(static_cast<std::size_t>(extent.VoxelCount()))
  {
    m_Image.Resize(m_Voxels);
    m_Labels.Resize(m_Voxels);
    FillHost(m_Image.Data(), extent, pattern);
  }

  Expected
  LabelOnCpu(Report & report)
  {
    Expected     expected;
    Labeling     labeling;
    LabelOptions options = Options();
    options.device = { Device::Kind::Cpu, 0 };
    double seconds = 0;
    double label = 0;
    for (int i = 0; i < 2; ++i)
    {
      Stopwatch clock;
      Label(ImageView(m_Image.Data(), m_Extent), options, labeling);
      label = clock.Lap();
      labeling.Write(m_Labels.Data(), LabelType::UInt32);
      seconds = label + clock.Lap();
    }
    expected.components = labeling.ComponentCount();
    expected.sum = SumOnHost(m_Labels.Data(), m_Extent.VoxelCount());
    char shares[200];
    std::snprintf(shares,
                  sizeof(shares),
                  "\"label_ms\": %.1f, \"write_ms\": %.1f, \"components\": %llu",
                  label * 1e3,
                  (seconds - label) * 1e3,
                  static_cast<unsigned long long>(expected.components));
    report.Add(m_Name, "host to host, CPU", 0, seconds, shares, true);
    return expected;
  }

  void
  LabelOnGpus(int gpus, int repeats, const Expected & expected, const std::string & from, Report & report)
  {
    LabelOptions options = Options();
    options.device = { Device::Kind::Cuda, 0 };
    for (int gpu = 1; gpu < gpus; ++gpu)
    {
      options.device.others.push_back(gpu);
    }
    Labeling           labeling;
    double             best = 0;
    double             bestLabel = 0;
    double             first = 0;
    SlabLabeler::Times times;
    for (int i = 0; i <= repeats; ++i)
    {
      Stopwatch clock;
      Label(ImageView(m_Image.Data(), m_Extent), options, labeling);
      const double label = clock.Lap();
      labeling.Write(m_Labels.Data(), LabelType::UInt32);
      const double seconds = label + clock.Lap();
      if (i == 0)
      {
        first = seconds;
      }
      else if (best == 0 || seconds < best)
      {
        best = seconds;
        bestLabel = label;
        times = ImplementationOf(labeling).slabLabeler->LastTimes();
      }
    }
    const bool same = labeling.ComponentCount() == expected.components &&
                      SumOnHost(m_Labels.Data(), m_Extent.VoxelCount()) == expected.sum;
    char shares[600];
    std::snprintf(shares,
                  sizeof(shares),
                  "\"slabs\": %d, \"slabs_ms\": %.1f, \"upload_sum_ms\": %.1f, \"kernels_sum_ms\": %.1f, "
                  "\"download_sum_ms\": %.1f, \"stack_ms\": %.1f, \"write_ms\": %.1f, \"first_call_ms\": %.1f, "
                  "\"upload_GBs\": %.1f",
                  static_cast<int>(times.count),
                  times.slabs * 1e3,
                  times.upload * 1e3,
                  times.label * 1e3,
                  times.download * 1e3,
                  times.stack * 1e3,
                  (best - bestLabel) * 1e3,
                  first * 1e3,
                  static_cast<double>(m_Voxels) / times.slabs / 1e9);
    report.Add(m_Name, from + " to host", gpus, best, shares, same);
    report.Add(m_Name, from + " to runs", gpus, bestLabel, "\"see\": \"above\"", same);
  }

  const std::uint8_t *
  Image() const
  {
    return m_Image.Data();
  }
  std::size_t
  Bytes() const
  {
    return m_Voxels;
  }

private:
  static LabelOptions
  Options()
  {
    LabelOptions options;
    options.connectivity = Connectivity::Full(3);
    return options;
  }

  Extent                m_Extent;
  std::string           m_Name;
  std::size_t           m_Voxels;
  Buffer<std::uint8_t>  m_Image;
  Buffer<std::uint32_t> m_Labels;
};

/** Locks the pages of an image as long as it lives, so that GPUs read them without a copy. */
class PageLocked
{
public:
  explicit PageLocked(const HostRuns & host)
    : m_Memory(const_cast<std::uint8_t *>(host.Image()))
  {
    Check(cudaHostRegister(m_Memory, host.Bytes(), cudaHostRegisterPortable));
  }
  PageLocked(const PageLocked &) = delete;
  PageLocked & operator=(const PageLocked &) = delete;
  ~PageLocked()
  {
    Check(cudaHostUnregister(m_Memory));
  }

private:
  void * m_Memory;
};

/** Prints when each slab's work had come how far on the host, and how long its steps took on its GPU. */
void
PrintTimeline(const std::vector<CudaSlabLabeler::SlabTimes> & slabs)
{
  const auto print = [](const std::vector<std::pair<std::string, double>> & stages) {
    const char * separator = "";
    for (const auto & [stage, milliseconds] : stages)
    {
      std::printf("%s\"%s\": %.3f", separator, stage.c_str(), milliseconds);
      separator = ", ";
    }
  };
  for (std::size_t i = 0; i < slabs.size(); ++i)
  {
    const CudaSlabLabeler::SlabTimes & slab = slabs[i];
    std::printf("{\"slab\": %d, \"host_ms\": {\"begun\": %.3f, \"queued\": %.3f, \"labeled\": %.3f, "
                "\"joins queued\": %.3f, \"counted\": %.3f}, \"gpu_ms\": {",
                static_cast<int>(i),
                slab.begun * 1e3,
                slab.queued * 1e3,
                slab.labeled * 1e3,
                slab.joinsQueued * 1e3,
                slab.counted * 1e3);
    print(slab.stages);
    std::printf("}");
    for (const auto & stages : slab.stagesOfSeams)
    {
      std::printf(", \"seam_gpu_ms\": {");
      print(stages);
      std::printf("}");
    }
    std::printf("}\n");
  }
  std::fflush(stdout);
}

/** Volumes on GPUs by slabs. */
void
LabelResident(const Extent &      extent,
              const std::string & name,
              Pattern             pattern,
              int                 gpus,
              int                 repeats,
              const Expected &    expected,
              Report &            report)
{
  ResidentSlabs   there(extent, pattern, gpus);
  CudaSlabLabeler several;
  CudaLabeler     single(0);
  // The plain labeler is the one to compare with, where one GPU takes the volume as a whole.
  const bool isPlain = there.slabs.size() == 1;
  const auto label = [&] {
    return isPlain ? single.LabelOnDevice("Auto",
                                          there.slabs[0].image,
                                          Criterion::Foreground(),
                                          {},
                                          Connectivity::Full(3),
                                          there.labels[0],
                                          LabelType::UInt32,
                                          there.slabs[0].stream)
                   : several.Label("Auto",
                                   there.slabs,
                                   Criterion::Foreground(),
                                   Connectivity::Full(3),
                                   there.labels,
                                   LabelType::UInt32);
  };
  std::uint64_t components = 0;
  double        best = 0;
  double        labeled = 0;
  double        counted = 0;
  for (int i = 0; i < repeats + 2; ++i)
  {
    there.Wait();
    Stopwatch clock;
    components = label();
    there.Wait();
    const double seconds = clock.Lap();
    if (i >= 2 && (best == 0 || seconds < best))
    {
      best = seconds;
      labeled = 0;
      for (const CudaSlabLabeler::SlabTimes & slab : several.LastTimes())
      {
        labeled = std::max(labeled, slab.labeled);
        counted = slab.counted;
      }
    }
  }
  if (!isPlain)
  {
    several.MeasureStages(true);
    label();
    there.Wait();
    PrintTimeline(several.LastTimes());
  }
  const double floor = there.FloorSeconds();
  const bool   same = components == expected.components && there.Sum() == expected.sum;
  char         shares[400];
  std::snprintf(shares,
                sizeof(shares),
                "\"slabs\": %d, \"labeled_ms\": %.3f, \"counted_ms\": %.3f, \"written_ms\": %.3f, "
                "\"floor_ms\": %.3f, \"times_floor\": %.2f",
                static_cast<int>(there.slabs.size()),
                labeled * 1e3,
                counted * 1e3,
                best * 1e3,
                floor * 1e3,
                best / floor);
  report.Add(name, "device resident", gpus, best, shares, same);
}

} // namespace

int
main(int count, char ** texts)
{
  const Arguments arguments = Parse(count, texts);
  int             gpus = 0;
  Check(cudaGetDeviceCount(&gpus));
  gpus = arguments.gpus > 0 ? std::min(gpus, arguments.gpus) : gpus;
  const bool hasHost = arguments.only != "device";
  if (hasHost)
  {
    PrintSpeeds(gpus);
  }
  Report report;
  for (const Extent & extent : arguments.extents)
  {
    for (const Pattern pattern : { Pattern::Smooth, Pattern::Noise })
    {
      const std::string name = std::string(pattern == Pattern::Smooth ? "CT-like " : "noise 0.3 ") + extent.ToString();
      HostRuns          host(extent, name, pattern);
      const Expected    expected = host.LabelOnCpu(report);
      for (int used = 1; used <= gpus && arguments.only != "host"; used *= 2)
      {
        LabelResident(extent, name, pattern, used, arguments.repeats + 4, expected, report);
      }
      if (hasHost)
      {
        for (int used = 1; used <= gpus; used *= 2)
        {
          host.LabelOnGpus(used, arguments.repeats, expected, "host", report);
        }
        const PageLocked lock(host);
        for (int used = 1; used <= gpus; used *= 2)
        {
          host.LabelOnGpus(used, arguments.repeats, expected, "page-locked", report);
        }
      }
      report.Save(arguments.markdown);
    }
  }
  return report.isRight ? 0 : 1;
}
