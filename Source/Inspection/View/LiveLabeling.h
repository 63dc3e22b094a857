// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Dispatch/ImageOnDevice.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Job/RunJob.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"
#include "BrickCCL/Segmenting/Threshold.h"
#include "BrickCCL/Segmenting/ValueHistogram.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace brickccl::view
{

/** Values of options of `brickccl label`, by the options' names; of flags none. */
using Settings = std::map<std::string, std::vector<std::string>>;

/** {"pores": [], "threshold": ["450"]}. \throws InvalidArgument for options that a page may not set (of files). */
Settings ReadSettings(const nlohmann::json & json);

/** \throws InvalidArgument for values that do not fit, and options that exclude each other. */
job::Job JobOf(const Settings & settings);

Settings ReadingOf(const job::Reading & job);

/** A recipe as settings. \param notes  receives one on what the page leaves out of it, if that changes results */
Settings SettingsOf(job::Job recipe, std::vector<std::string> & notes);

/** The command line that does the same. \param reading  options of reading the scan */
std::string CommandOf(const std::string & scan, const Settings & reading, const Settings & settings);

/** A recipe for `brickccl batch` that does the same. \throws InvalidArgument for options that recipes lack. */
std::string RecipeOf(const Settings & reading, const Settings & settings);

/** The gray values that are labeled: the scan, or the scan smoothed. */
struct Values
{
  /** How it was smoothed, and the box that is looked at; empty if it was not, and for all of the image. */
  std::string                        smooth;
  std::string                        box;
  const LoadedImage *                image = nullptr;
  std::shared_ptr<const LoadedImage> smoothed;
  /** The mask of the box. */
  std::optional<LoadedImage> mask;
  std::optional<ImageView>   region;
  /** The histogram of the values in the box. */
  ValueHistogram histogram;
};

struct Labeled
{
  std::uint64_t generation = 0;
  Settings      settings;
  job::Job      job;
  /** Why there is no result; empty if there is one. */
  std::string error;

  std::shared_ptr<const Values> values;
  Labeling                      labeling;
  std::optional<Threshold>      threshold;
  /** The part, without its pores' mask, which the labeling replaces. */
  std::optional<PoresOfPart> part;
  /** The part as runs instead of its mask, if a device found it. */
  Labeling partOfDevice;
  /** The components that were split, if the settings ask for it. */
  job::SplitComponents split;
  /** The runs of the labeling, or of a label map from a file; null if there are no labels. */
  const RunVolume * runs = nullptr;
  ComponentTable    table;
  double            seconds = 0;

  /** Whether a voxel is of the part, pores included. */
  bool IsInPart(std::int64_t row, std::int64_t x) const;
};

/** Labels a scan again and again on a thread of its own, always by the newest settings. Work on older ones stops. */
class LiveLabeling
{
public:
  /** \param labelMap  what is shown at first, if there is one
   *  \param onDevice  the scan on a device, if it is there
   *  \param onNews   called on the other thread whenever a result is there */
  LiveLabeling(const LoadedImage &   scan,
               const LoadedImage *   labelMap,
               ImageOnDevice *       onDevice,
               int                   threads,
               std::function<void()> onNews);
  ~LiveLabeling();
  LiveLabeling(const LiveLabeling &) = delete;
  LiveLabeling & operator=(const LiveLabeling &) = delete;

  /** Asks for the labeling of settings. Requests with lower numbers than an earlier one are dropped.
   *  \return whether this one is the newest */
  bool Ask(std::uint64_t generation, const Settings & settings);

  /** The newest result. The first one has the values and no labels. Null while there is none. */
  std::shared_ptr<const Labeled> Newest() const;

  /** Notes on the part of a result, which take longer; nothing while they are not there. */
  std::optional<std::vector<std::string>> NotesOf(std::uint64_t generation) const;

private:
  void                          Work();
  void                          Publish(std::shared_ptr<Labeled> labeled);
  std::shared_ptr<const Values> ValuesFor(const job::Job & job, const ProgressHooks & hooks);
  void                          LabelBy(Labeled & labeled, const ProgressHooks & hooks);
  bool                          LabelOnDevice(Labeled & labeled, const LabelOptions & options);
  PoreOptions                   OptionsFor(const Labeled & labeled, const ProgressHooks & hooks) const;
  void                          FindNotes(const Labeled & labeled, const ProgressHooks & hooks);
  void                          Begin(Labeled & first);

  const LoadedImage &           m_Scan;
  const LoadedImage * const     m_LabelMap;
  ImageOnDevice *               m_OnDevice;
  const int                     m_Threads;
  const std::function<void()>   m_OnNews;
  RunVolume                     m_RunsOfMap;
  std::shared_ptr<const Values> m_Plain;
  PoresOfPart                   m_Memory;
  Labeling                      m_Labeling;
  Labeling                      m_PartOfDevice;

  mutable std::mutex         m_Mutex;
  std::condition_variable    m_Asked;
  std::atomic<std::uint64_t> m_Generation{ 0 };
  std::atomic<bool>          m_Ends{ false };
  Settings                   m_Wanted;
  std::shared_ptr<Labeled>   m_Newest;
  std::vector<std::string>   m_Notes;
  std::uint64_t              m_GenerationOfNotes = 0;
  std::thread                m_Thread;
};

/** A slice across an axis. The lower of the two other axes runs fastest. */
struct Slice
{
  int          axis = 2;
  std::int64_t index = 0;
};

/** The gray values of a slice, of the image's type; 64-bit integers as doubles. */
std::string GrayOf(const LoadedImage & image, const Slice & slice);

/** The labels of a slice as uint32. Voxels of the part that have none are `InPart`. */
inline constexpr std::uint32_t InPart = 0xFFFFFFFF;
std::string                    LabelsOf(const Labeled & labeled, const Slice & slice);

/** The labels of blocks of voxels, of which the longest side in mm has at most 128: any of a block's labels, or InPart.
 *  \param block  receives the voxels of a block along each axis */
std::string BlocksOf(const Labeled & labeled, std::int64_t block[3]);

} // namespace brickccl::view
