// SPDX-License-Identifier: Apache-2.0
#ifdef BRICKCCL_USE_CUDA

#  include "BrickCCL/Dispatch/SlabLabeler.h"

#  include "BrickCCL/Core/Error.h"
#  include "BrickCCL/Criteria/RowLinks.h"
#  include "BrickCCL/Cuda/Devices.h"
#  include "BrickCCL/Host/Stopwatch.h"

#  include <algorithm>
#  include <atomic>
#  include <chrono>
#  include <condition_variable>
#  include <exception>
#  include <limits>
#  include <mutex>
#  include <thread>

namespace brickccl
{

/** So many slabs are at work on a device at a time. */
constexpr int LabelersPerDevice = 2;

/** Slabs per labeler: devices end at nearly the same time, and the first upload and last download overlap work. */
constexpr std::int64_t SlabsPerLabeler = 3;

/** Larger volumes are labeled by slabs on a single device, too: transfers in both directions and labeling overlap. */
constexpr std::int64_t LeastVoxelsOfSeveralSlabs = std::int64_t{ 1 } << 29;

/** Slabs have fewer voxels, so that the fastest algorithms take them. */
constexpr std::int64_t MostVoxelsOfSlab = std::int64_t{ 1 } << 31;

/** Device memory for labeling per voxel in addition to the image, at most, in noise: bits, runs and their labels. */
constexpr double ScratchBytesPerVoxel = 3;

/** The share of a device's free memory that is used. */
constexpr double UsedShare = 0.85;

static double
BytesPerVoxel(const Problem & problem)
{
  const auto bytesOf = [](const ImageView & image) {
    return static_cast<double>(image.channels) * static_cast<double>(SizeOf(image.type));
  };
  return bytesOf(problem.image) + (problem.mask ? bytesOf(*problem.mask) : 0) + ScratchBytesPerVoxel;
}

static std::size_t
BytesOf(const ImageView & image, std::int64_t voxels)
{
  return static_cast<std::size_t>(voxels) * SizeOf(image.type) * static_cast<std::size_t>(image.channels);
}

static ImageView
SlabOf(const ImageView & image, const SlabCut & cut, std::size_t slab)
{
  ImageView view = image;
  view.extent = cut.ExtentOf(slab);
  view.data = static_cast<const unsigned char *>(image.data) + BytesOf(image, cut.VoxelsBefore(slab));
  return view;
}

/** The shared state of the threads of one call. */
struct SlabLabeler::Work
{
  const AlgorithmChoice &      asked;
  const Problem &              problem;
  const SlabCut &              cut;
  int                          threadsEach;
  std::int64_t                 grain;
  std::vector<RunVolume> &     slabs;
  std::vector<std::uint64_t> & components;

  std::atomic<std::size_t> next{ 0 };
  std::atomic<bool>        stops{ false };
  std::mutex               mutex{};
  std::condition_variable  changed{};
  /** Guarded by the mutex. */
  std::size_t        running = 0;
  std::exception_ptr failure{};
  /** The sum of the slabs' progress. */
  double done = 0;
  Times  times{};

  /** Labels slabs until there are no more. */
  void
  Run(DeviceLabeler & labeler)
  {
    try
    {
      for (std::size_t slab = next++; slab < cut.Count() && !stops; slab = next++)
      {
        LabelSlab(labeler, slab);
      }
    }
    catch (...)
    {
      const std::lock_guard<std::mutex> lock(mutex);
      failure = failure ? failure : std::current_exception();
      stops = true;
    }
    const std::lock_guard<std::mutex> lock(mutex);
    --running;
    changed.notify_all();
  }

  void
  LabelSlab(DeviceLabeler & labeler, std::size_t slab)
  {
    Problem own = problem;
    own.image = SlabOf(problem.image, cut, slab);
    if (problem.mask)
    {
      own.mask = SlabOf(*problem.mask, cut, slab);
    }
    double        last = 0;
    ProgressHooks hooks;
    hooks.canceled = [this] { return stops.load(); };
    hooks.report = [&](double fraction) {
      const std::lock_guard<std::mutex> lock(mutex);
      done += fraction - last;
      last = fraction;
      changed.notify_all();
    };
    components[slab] = labeler.Label(asked, own, { threadsEach, Progress(hooks), grain }, slabs[slab]);
    const DeviceLabeler::Times &      each = labeler.LastTimes();
    const std::lock_guard<std::mutex> lock(mutex);
    times.upload += each.upload;
    times.label += each.label;
    times.download += each.download;
  }

  /** Waits for the threads on the calling thread, the only one that may report progress. */
  void
  Wait(const Progress & progress)
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (running > 0)
    {
      const double fraction = done / static_cast<double>(cut.Count());
      lock.unlock();
      try
      {
        if (!stops)
        {
          progress.Update(fraction);
        }
      }
      catch (...)
      {
        const std::lock_guard<std::mutex> locked(mutex);
        failure = failure ? failure : std::current_exception();
        stops = true;
      }
      lock.lock();
      if (running > 0)
      {
        changed.wait_for(lock, std::chrono::milliseconds(20));
      }
    }
  }
};

bool
SlabLabeler::IsNeeded(const Problem & problem, int device)
{
  const std::int64_t voxels = problem.GetExtent().VoxelCount();
  if (voxels >= LeastVoxelsOfSeveralSlabs)
  {
    return true;
  }
  // Small volumes fit anywhere, and asking takes longer than labeling them.
  constexpr std::int64_t small = std::int64_t{ 1 } << 24;
  return voxels > small && static_cast<double>(voxels) * BytesPerVoxel(problem) >
                             UsedShare * static_cast<double>(cuda::FreeMemory(device));
}

std::uint64_t
SlabLabeler::Label(const AlgorithmChoice &  asked,
                   const Problem &          problem,
                   const std::vector<int> & devices,
                   const HostContext &      context,
                   RunVolume &              result)
{
  // The share of labeling in the progress.
  constexpr double labeled = 0.8;
  Stopwatch        clock;
  const auto       lanes = devices.size() * LabelersPerDevice;
  bool             isFit = m_Labelers.size() == lanes;
  for (std::size_t lane = 0; lane < lanes && isFit; ++lane)
  {
    isFit = m_Labelers[lane]->Device() == devices[lane % devices.size()];
  }
  if (!isFit)
  {
    m_Labelers.clear();
    for (std::size_t lane = 0; lane < lanes; ++lane)
    {
      m_Labelers.push_back(std::make_unique<DeviceLabeler>(devices[lane % devices.size()]));
    }
  }
  // Memory that labelers already hold is available to them.
  double mostBytes = std::numeric_limits<double>::max();
  for (const int device : devices)
  {
    double bytes = static_cast<double>(cuda::FreeMemory(device));
    double sharers = 0;
    for (const auto & labeler : m_Labelers)
    {
      bytes += labeler->Device() == device ? static_cast<double>(labeler->HeldBytes()) : 0;
      sharers += labeler->Device() == device ? 1 : 0;
    }
    mostBytes = std::min(mostBytes, UsedShare * bytes / sharers);
  }
  const auto mostVoxels =
    static_cast<std::int64_t>(std::min(mostBytes / BytesPerVoxel(problem), static_cast<double>(MostVoxelsOfSlab)));
  const SlabCut cut = CutIntoSlabs(problem.GetExtent(), static_cast<std::int64_t>(lanes) * SlabsPerLabeler, mostVoxels);
  std::vector<std::uint64_t> components(cut.Count());
  m_Slabs.resize(cut.Count());

  const int threadsEach = std::max(1, EffectiveThreadCount(context.threads) / static_cast<int>(lanes));
  Work      work{ asked, problem, cut, threadsEach, context.grain, m_Slabs, components };
  work.running = lanes;
  std::vector<std::thread> threads;
  for (const auto & labeler : m_Labelers)
  {
    threads.emplace_back([&work, &labeler] { work.Run(*labeler); });
  }
  work.Wait(context.progress.Part(0, labeled));
  for (std::thread & thread : threads)
  {
    thread.join();
  }
  if (work.failure)
  {
    std::rethrow_exception(work.failure);
  }
  m_Algorithm = m_Labelers.front()->LastAlgorithm();
  m_Times = work.times;
  m_Times.count = cut.Count();
  m_Times.slabs = clock.Lap();
  const std::uint64_t found = StackSlabs(cut,
                                         *MakeRowLinks(problem.image, problem.criterion, problem.mask),
                                         problem.connectivity,
                                         m_Slabs,
                                         components,
                                         context.Part(labeled, 1),
                                         result);
  context.progress.Update(1);
  m_Times.stack = clock.Lap();
  return found;
}

} // namespace brickccl

#endif
