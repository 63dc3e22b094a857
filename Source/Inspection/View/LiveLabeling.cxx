// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/View/LiveLabeling.h"

#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Host/Stopwatch.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Job/Region.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Segmenting/FillPart.h"
#include "BrickCCL/Segmenting/SmoothImage.h"

#include <chrono>
#include <new>
#include <utility>

namespace brickccl::view
{

LiveLabeling::LiveLabeling(const LoadedImage &   scan,
                           const LoadedImage *   labelMap,
                           ImageOnDevice *       onDevice,
                           int                   threads,
                           std::function<void()> onNews)
  : m_Scan(scan)
  , m_LabelMap(labelMap)
  , m_OnDevice(onDevice)
  , m_Threads(threads)
  , m_OnNews(std::move(onNews))
  , m_Thread([this] { Work(); })
{}

LiveLabeling::~LiveLabeling()
{
  m_Ends = true;
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    m_Asked.notify_all();
  }
  m_Thread.join();
}

bool
LiveLabeling::Ask(std::uint64_t generation, const Settings & settings)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  if (generation > m_Generation)
  {
    m_Generation = generation;
    m_Wanted = settings;
    m_Asked.notify_all();
  }
  return generation == m_Generation;
}

std::shared_ptr<const Labeled>
LiveLabeling::Newest() const
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  return m_Newest;
}

std::optional<std::vector<std::string>>
LiveLabeling::NotesOf(std::uint64_t generation) const
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  return m_GenerationOfNotes >= generation ? std::optional(m_Notes) : std::nullopt;
}

/** Memory of the result before is used again, unless a request still reads it. */
void
LiveLabeling::Publish(std::shared_ptr<Labeled> labeled)
{
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    std::swap(m_Newest, labeled);
  }
  m_OnNews();
  if (labeled && labeled.use_count() == 1)
  {
    m_Labeling = std::move(labeled->labeling);
    m_PartOfDevice = std::move(labeled->partOfDevice);
    m_Memory.part = labeled->part ? std::move(labeled->part->part) : std::move(m_Memory.part);
  }
}

std::shared_ptr<const Values>
LiveLabeling::ValuesFor(const job::Job & job, const ProgressHooks & hooks)
{
  const auto before = Newest();
  const bool isSmoothed = before && before->values->smooth == job.smooth;
  if (isSmoothed && before->values->box == job.box)
  {
    return before->values;
  }
  if (job.smooth.empty() && job.box.empty() && m_Plain)
  {
    return m_Plain;
  }
  const HostContext context{ m_Threads, Progress(hooks) };
  auto              values = std::make_shared<Values>();
  values->smooth = job.smooth;
  values->box = job.box;
  values->image = &m_Scan;
  if (!job.smooth.empty())
  {
    values->smoothed =
      isSmoothed ? before->values->smoothed
                 : std::make_shared<const LoadedImage>(SmoothImage(m_Scan, job::SmoothingOf(job.smooth), context));
    values->image = values->smoothed.get();
  }
  values->mask = job::MaskOf(job, m_Scan, {}, m_Threads);
  values->region = values->mask ? std::optional(values->mask->View()) : std::nullopt;
  values->histogram = HistogramOfValues(values->image->View(), values->region, context);
  return values;
}

PoreOptions
LiveLabeling::OptionsFor(const Labeled & labeled, const ProgressHooks & hooks) const
{
  PoreOptions options;
  options.material = job::CriterionOf(labeled.job, labeled.values->image->type, labeled.threshold);
  options.closeWidth = labeled.job.close;
  options.region = labeled.values->region;
  options.geometry = m_Scan.geometry;
  options.device.kind = Device::Kind::Cpu;
  options.threads = m_Threads;
  options.progress = hooks;
  return options;
}

/** \return whether the device could do it */
bool
LiveLabeling::LabelOnDevice(Labeled & labeled, const LabelOptions & options)
{
  const job::Job & job = labeled.job;
  if (m_OnDevice == nullptr || !job.smooth.empty() || !job.box.empty() || !job.split.empty() || job.close > 0)
  {
    return false;
  }
  try
  {
    if (job.pores)
    {
      const std::uint64_t voxels = MarkPartOnDevice(*m_OnDevice, m_Scan.extent, OptionsFor(labeled, options.progress));
      LabelOptions        whole;
      whole.connectivity = Connectivity::Full(m_Scan.extent.dimension);
      whole.threads = m_Threads;
      whole.progress = options.progress;
      labeled.partOfDevice = std::move(m_PartOfDevice);
      m_PartOfDevice = {};
      m_OnDevice->Label(ImageOnDevice::Of::Part, whole, labeled.partOfDevice);
      labeled.part.emplace();
      labeled.part->partVoxels = voxels;
    }
    m_OnDevice->Label(job.pores ? ImageOnDevice::Of::Pores : ImageOnDevice::Of::Image, options, labeled.labeling);
    return true;
  }
  catch (const cuda::DeviceError &)
  {
    // The device's memory is too small for this.
    m_OnDevice = nullptr;
    labeled.part.reset();
    return false;
  }
}

void
LiveLabeling::LabelBy(Labeled & labeled, const ProgressHooks & hooks)
{
  labeled.job = JobOf(labeled.settings);
  labeled.values = ValuesFor(labeled.job, hooks);
  const job::Job &  job = labeled.job;
  ImageView         view = labeled.values->image->View();
  LabelOptions      options;
  const std::string text = job.threshold.empty() && job.pores && !job.range ? "otsu" : job.threshold;
  labeled.threshold = job::FindThreshold(text, view.type, [&] { return labeled.values->histogram; }, {});
  if (!job.pores)
  {
    options.criterion = job::CriterionOf(job, view.type, labeled.threshold);
    options.mask = labeled.values->region;
  }
  options.connectivity = ConnectivityFor(job.connectivity, view.extent, "");
  options.minimumVolume = job::SizeFor(*options.connectivity, job.minimumVolume, "--minimum-volume");
  options.geometry = m_Scan.geometry;
  options.device.kind = Device::Kind::Cpu;
  options.threads = m_Threads;
  options.progress = hooks;
  labeled.labeling = std::move(m_Labeling);
  m_Labeling = {};
  const bool isDone = LabelOnDevice(labeled, options);
  if (job.pores && !isDone)
  {
    PoreOptions poreOptions = OptionsFor(labeled, hooks);
    poreOptions.findsOpenings = false;
    labeled.part = FindPores(view, poreOptions, std::move(m_Memory));
    view = labeled.part->PoreView();
  }
  if (!job.split.empty())
  {
    ComponentFilter all;
    SplitOptions    splitting;
    splitting.height = job::SplitHeightOf(job.split);
    job::LabelObjects(
      view,
      options,
      splitting,
      [&] { return hooks; },
      all,
      labeled.split,
      labeled.labeling);
  }
  else if (!isDone)
  {
    Label(view, options, labeled.labeling);
  }
  labeled.table = labeled.labeling.Measure({}, hooks);
  if (labeled.part)
  {
    labeled.table.partTotals.voxels = labeled.part->partVoxels;
    labeled.table.regionVoxels = labeled.part->partVoxels;
    m_Memory.pores = std::move(labeled.part->pores);
  }
  labeled.runs = &RunsOf(labeled.labeling);
}

/** The scan's values, and its label map if there is one. */
void
LiveLabeling::Begin(Labeled & first)
{
  ProgressHooks hooks;
  hooks.canceled = [this] { return m_Ends.load(); };
  first.values = m_Plain = ValuesFor(first.job, hooks);
  if (m_LabelMap != nullptr)
  {
    const HostContext context{ m_Threads, Progress(hooks) };
    first.table = MeasureLabelImage(m_LabelMap->View(), m_LabelMap->geometry, {}, context, m_RunsOfMap);
    std::vector<std::uint64_t> labels{ 0 };
    for (std::size_t place = 0; place < first.table.components.size(); ++place)
    {
      labels.push_back(first.table.components.Label(place));
    }
    Renumber(m_RunsOfMap, labels, context);
    first.runs = &m_RunsOfMap;
  }
}

/** Openings take longer to find than the part. */
void
LiveLabeling::FindNotes(const Labeled & labeled, const ProgressHooks & hooks)
{
  std::vector<std::string> notes;
  try
  {
    if (labeled.part)
    {
      notes = NotesOn(FindPores(labeled.values->image->View(), OptionsFor(labeled, hooks)), "--close");
    }
  }
  catch (const std::exception & error)
  {
    // Newer settings are there, or memory is too little for notes.
  }
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    m_Notes = std::move(notes);
    m_GenerationOfNotes = labeled.generation;
  }
  m_OnNews();
}

void
LiveLabeling::Work()
{
  auto labeled = std::make_shared<Labeled>();
  while (!m_Ends)
  {
    ProgressHooks hooks;
    hooks.canceled = [this, own = labeled->generation] { return m_Ends || m_Generation != own; };
    const bool isFirst = Newest() == nullptr;
    try
    {
      Stopwatch watch;
      isFirst ? Begin(*labeled) : LabelBy(*labeled, hooks);
      labeled->seconds = watch.Lap();
    }
    catch (const Canceled &)
    {
      // Newer settings are there, or the end.
      labeled = nullptr;
    }
    catch (const std::exception & error)
    {
      labeled->error = dynamic_cast<const std::bad_alloc *>(&error) != nullptr ? "not enough memory" : error.what();
      labeled->values = isFirst || labeled->values ? labeled->values : Newest()->values;
    }
    if (labeled)
    {
      Publish(labeled);
      // In a drag, the next settings are about to come.
      constexpr auto               time = std::chrono::milliseconds(500);
      std::unique_lock<std::mutex> lock(m_Mutex);
      const auto                   isNewer = [&] { return m_Ends || m_Generation > m_Newest->generation; };
      if (const bool isIdle = !m_Asked.wait_for(lock, time, isNewer); isIdle)
      {
        lock.unlock();
        FindNotes(*labeled, hooks);
      }
    }
    labeled = std::make_shared<Labeled>();
    std::unique_lock<std::mutex> lock(m_Mutex);
    m_Asked.wait(lock, [&] { return m_Ends || m_Generation > m_Newest->generation; });
    labeled->generation = m_Generation;
    labeled->settings = m_Wanted;
  }
}

} // namespace brickccl::view
