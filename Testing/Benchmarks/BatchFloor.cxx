// SPDX-License-Identifier: Apache-2.0
/** The time that reading the scans of a batch and compressing its label maps take by themselves: the floor for a batch.
 *
 *      brickccl-batch-floor OUTDIR PROCESSES [keep]
 *
 *  OUTDIR is the folder of a batch that is finished. The items are dealt out to this many processes of one thread each,
 * as `brickccl batch` does. Label maps are read beforehand, which does not count. Two numbers are printed: the seconds
 * that the longest process read and wrote, and the CPU seconds of all. With `keep`, processes use the memory of one
 * item for the next, as `brickccl batch` does; else they take it again from the system. */
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Files/Isolation/ChildProcess.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace
{

namespace fs = std::filesystem;

struct Item
{
  std::string scan;
  std::string labels;
};

std::vector<Item>
ItemsOf(const fs::path & folder)
{
  std::vector<Item> items;
  for (const auto & entry : fs::directory_iterator(folder / "items"))
  {
    std::ifstream stream(entry.path() / "summary.json");
    const auto    summary = nlohmann::json::parse(stream);
    items.push_back({ summary.at("input").at("files").at(0).at("path"), (entry.path() / "labels.nrrd").string() });
  }
  std::sort(items.begin(), items.end(), [](const Item & a, const Item & b) { return a.scan < b.scan; });
  return items;
}

/** Reads and writes every `step`-th item, and writes the seconds into a file. */
int
Work(const std::vector<Item> & items, std::size_t first, std::size_t step, const std::string & output)
{
  brickccl::ReadOptions  reading;
  brickccl::WriteOptions writing;
  reading.threads = writing.context.threads = 1;
  double seconds = 0;
  double processorSeconds = 0;
  for (std::size_t i = first; i < items.size(); i += step)
  {
    const brickccl::LoadedImage labels = brickccl::ReadImageFile(items[i].labels, reading);
    const auto                  begin = std::chrono::steady_clock::now();
    const std::clock_t          processorBegin = std::clock();
    const brickccl::LoadedImage scan = brickccl::ReadImageFile(items[i].scan, reading);
    brickccl::WriteImageFile(
      output,
      brickccl::ImageToWrite::FromMemory(labels.voxels.Data(), labels.type, labels.extent, labels.geometry),
      writing);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    processorSeconds += static_cast<double>(std::clock() - processorBegin) / CLOCKS_PER_SEC;
  }
  std::ofstream(output + ".txt") << seconds << ' ' << processorSeconds << std::endl;
  return 0;
}

} // namespace

int
main(int argc, char ** argv)
{
  if (argc != 3 && (argc != 4 || std::string(argv[3]) != "keep"))
  {
    std::cerr << "usage: brickccl-batch-floor OUTDIR PROCESSES [keep]\n";
    return 2;
  }
  try
  {
    const auto               items = ItemsOf(argv[1]);
    const std::size_t        count = std::stoul(argv[2]);
    const fs::path           folder = fs::temp_directory_path();
    std::vector<std::string> outputs;
    brickccl::ChildProcesses children({ [&](std::size_t child) { return Work(items, child, count, outputs[child]); },
                                        [&](std::size_t child) { return outputs[child] + ".log"; } });
    for (std::size_t child = 0; child < count; ++child)
    {
      outputs.push_back((folder / ("brickccl-floor-" + std::to_string(child) + ".nrrd")).string());
      children.Start(child);
    }
    double longest = 0;
    double processorSum = 0;
    while (children.Count() > 0)
    {
      for (const auto & ended : children.WaitForSome())
      {
        if (!ended.end.IsExit(0))
        {
          throw brickccl::Error("a process failed: " + ended.end.ToString());
        }
      }
    }
    for (const std::string & output : outputs)
    {
      double seconds = 0;
      double processorSeconds = 0;
      std::ifstream(output + ".txt") >> seconds >> processorSeconds;
      longest = std::max(longest, seconds);
      processorSum += processorSeconds;
      for (const char * const extension : { "", ".txt", ".log" })
      {
        fs::remove(output + extension);
      }
    }
    std::cout << longest << ' ' << processorSum << std::endl;
  }
  catch (const std::exception & error)
  {
    std::cerr << "error: " << error.what() << std::endl;
    return 1;
  }
}
