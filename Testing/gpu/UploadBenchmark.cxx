// What it gains that voxels go up while others are still decompressed: from a compressed file to runs on a CUDA device.
//   brickccl-upload-benchmark [--folder DIR] [--size N ...] [--repeats 7] [--threads N]
// makes balls (uint8) of 512^3 and 1024^3 voxels and a log (int16) of 512^3 in the folder, and reads and labels each
// file in processes of their own, with and without, in turns. It prints the medians and, of the last process with it,
// how far both sides were when.

#include "BrickCCL/Cuda/EarlyUpload.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Host/ArrivingBytes.h"
#include "BrickCCL/Host/StepClock.h"
#include "BrickCCL/Phantoms/Phantoms.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

using namespace brickccl;

double
SecondsSince(std::chrono::steady_clock::time_point start)
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/** Writes down how many bytes have arrived and were sent, every few milliseconds. */
class Timeline
{
public:
  Timeline(const ArrivingBytes & bytes, const cuda::EarlyUpload & upload, std::chrono::steady_clock::time_point start)
    : m_Thread([this, &bytes, &upload, start] {
      while (!m_Ends)
      {
        const Row row{ SecondsSince(start), bytes.Count(), upload.Sent() };
        if (m_Rows.empty() || row.arrived != m_Rows.back().arrived || row.sent != m_Rows.back().sent)
        {
          m_Rows.push_back(row);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    })
  {}
  ~Timeline()
  {
    End();
  }

  void
  End()
  {
    m_Ends = true;
    if (m_Thread.joinable())
    {
      m_Thread.join();
    }
  }

  void
  Print() const
  {
    for (const Row & row : m_Rows)
    {
      std::printf("time %.3f decompressed %.1f sent %.1f\n",
                  row.seconds,
                  static_cast<double>(row.arrived) / (1 << 20),
                  static_cast<double>(row.sent) / (1 << 20));
    }
  }

private:
  struct Row
  {
    double      seconds;
    std::size_t arrived;
    std::size_t sent;
  };

  std::atomic<bool> m_Ends{ false };
  std::vector<Row>  m_Rows;
  std::thread       m_Thread;
};

/** Reads and labels a file once, as the command does. */
int
RunOnce(const std::string & path, bool isEarly, int threads)
{
  constexpr cuda::EarlyUploadTuning anySize = { 1, 5, "" };
  const auto                        start = std::chrono::steady_clock::now();
  StepClock                         clock;
  LabelOptions                      options;
  options.device = { Device::Kind::Cuda, 0 };
  options.connectivity = Connectivity::Full(3);
  options.threads = threads;
  const auto                preparation = PrepareDevice(options.device);
  auto                      bytes = std::make_shared<ArrivingBytes>();
  LoadedImage               image;
  Labeling                  labeling;
  std::unique_ptr<Timeline> timeline;
  ReadOptions               reading;
  reading.threads = threads;
  if (isEarly)
  {
    auto & upload = ImplementationOf(labeling).earlyUpload;
    upload = std::make_shared<cuda::EarlyUpload>(
      bytes,
      [] { return 0; },
      anySize);
    timeline = std::make_unique<Timeline>(*bytes, *upload, start);
    reading.arriving = bytes;
  }
  image = ReadImageFile(path, reading);
  const double read = clock.Step();
  if (timeline)
  {
    timeline->End();
  }
  if (image.type == ScalarType::Int16)
  {
    options.criterion = Criterion::InRange(-32768, -750);
  }
  Label(image.View(), options, labeling);
  const double label = clock.Step();
  if (labeling.UsedDevice().device.kind != Device::Kind::Cuda)
  {
    throw std::runtime_error(labeling.UsedDevice().remark);
  }
  std::printf("read %.4f label %.4f total %.4f components %llu device %s\n",
              read,
              label,
              read + label,
              static_cast<unsigned long long>(labeling.ComponentCount()),
              labeling.UsedDevice().device.ToString().c_str());
  if (timeline)
  {
    timeline->Print();
  }
  return 0;
}

/** What one process printed. */
struct Run
{
  double             read = 0;
  double             label = 0;
  double             total = 0;
  unsigned long long components = 0;
  std::string        rest;
};

Run
StartOnce(const std::string & program, const std::string & path, bool isEarly, int threads)
{
  const std::string command =
    "'" + program + "' --once '" + path + (isEarly ? "' early " : "' usual ") + std::to_string(threads);
  std::FILE * const output = ::popen(command.c_str(), "r");
  Run               run;
  char              line[400];
  while (output != nullptr && std::fgets(line, sizeof(line), output) != nullptr)
  {
    if (std::sscanf(line,
                    "read %lf label %lf total %lf components %llu",
                    &run.read,
                    &run.label,
                    &run.total,
                    &run.components) != 4)
    {
      run.rest += line;
    }
    else
    {
      run.rest = std::string(line) + run.rest;
    }
  }
  if (output == nullptr || ::pclose(output) != 0 || run.total == 0)
  {
    throw std::runtime_error("failed: " + command);
  }
  return run;
}

double
Median(std::vector<Run> runs, double Run::*what)
{
  std::sort(runs.begin(), runs.end(), [&](const Run & a, const Run & b) { return a.*what < b.*what; });
  return runs[runs.size() / 2].*what;
}

void
WriteIfMissing(const std::string & path, const Extent & extent, bool isLog)
{
  if (std::filesystem::exists(path))
  {
    return;
  }
  std::cerr << "making " << path << std::endl;
  if (isLog)
  {
    const auto scan = MakeLog(extent, 1);
    WriteImageFile(path, ImageToWrite::FromMemory(scan.image.data(), ScalarType::Int16, extent, {}));
    return;
  }
  const auto balls = MakeBalls(extent, 0.3, 1);
  WriteImageFile(path, ImageToWrite::FromMemory(balls.data(), ScalarType::UInt8, extent, {}));
}

void
RunAll(const std::string &               program,
       const std::string &               folder,
       const std::vector<std::int64_t> & sizes,
       int                               repeats,
       int                               threads)
{
  std::printf("| file | upload | read, s | label, s | file to runs, s |\n| --- | --- | --- | --- | --- |\n");
  std::string timelines;
  for (const std::int64_t size : sizes)
  {
    for (const std::string name : { "balls.nrrd", "balls.nii.gz", "log.nrrd" })
    {
      if (name == "log.nrrd" && size > 512)
      {
        // Made on one thread.
        continue;
      }
      const std::string path = folder + "/" + std::to_string(size) + "-" + name;
      WriteIfMissing(path, Extent{ size, size, size }, name == "log.nrrd");
      std::map<bool, std::vector<Run>> runs;
      std::vector<unsigned long long>  components;
      for (int i = 0; i <= repeats; ++i)
      {
        for (const bool isEarly : { false, true })
        {
          const Run run = StartOnce(program, path, isEarly, threads);
          isEarly ? components.push_back(run.components) : components.assign(1, run.components);
          if (components.front() != components.back())
          {
            throw std::runtime_error(path + ": " + std::to_string(components.front()) + " components without, " +
                                     std::to_string(components.back()) + " with");
          }
          if (i > 0)
          {
            // The first one reads the file from the disk.
            runs[isEarly].push_back(run);
          }
        }
      }
      for (const bool isEarly : { false, true })
      {
        std::printf("| %ld^3 %s | %s | %.3f | %.3f | %.3f |\n",
                    static_cast<long>(size),
                    name.c_str(),
                    isEarly ? "while reading" : "after reading",
                    Median(runs[isEarly], &Run::read),
                    Median(runs[isEarly], &Run::label),
                    Median(runs[isEarly], &Run::total));
        std::fflush(stdout);
      }
      timelines += path + "\n" + runs[true].back().rest + "\n";
    }
  }
  std::printf("\nSeconds since the start, MiB decompressed and sent to the device:\n\n%s", timelines.c_str());
}

} // namespace

int
main(int argc, char ** argv)
{
  try
  {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() == 4 && words[0] == "--once")
    {
      return RunOnce(words[1], words[2] == "early", std::stoi(words[3]));
    }
    std::string               folder = std::filesystem::temp_directory_path().string();
    std::vector<std::int64_t> sizes;
    int                       repeats = 7;
    int                       threads = 0;
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
    {
      if (words[i] == "--folder")
      {
        folder = words[++i];
      }
      else if (words[i] == "--repeats")
      {
        repeats = std::stoi(words[++i]);
      }
      else if (words[i] == "--threads")
      {
        threads = std::stoi(words[++i]);
      }
      else if (words[i] == "--size")
      {
        sizes.push_back(std::stoll(words[++i]));
      }
      else
      {
        throw std::invalid_argument("'" + words[i] + "' is unknown; choose --folder, --size, --repeats or --threads");
      }
    }
    if (sizes.empty())
    {
      sizes = { 512, 1024 };
    }
    RunAll(std::filesystem::read_symlink("/proc/self/exe").string(), folder, sizes, repeats, threads);
    return 0;
  }
  catch (const std::exception & error)
  {
    std::cerr << "brickccl-upload-benchmark: " << error.what() << std::endl;
    return 1;
  }
}
