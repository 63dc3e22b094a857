// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Dispatch/DeviceLabeler.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <memory>
#include <string>

namespace brickccl
{

class SlabLabeler;

/** The state of a Labeling. */
struct Labeling::Implementation
{
  RunVolume      volume;
  Connectivity   connectivity = Connectivity::Face(1);
  PeriodicAxes   periodic;
  Geometry       geometry;
  std::string    algorithm;
  ResolvedDevice device;
  std::uint64_t  components = 0;
  RelabelReport  relabeled;
  int            threads = 0;
  std::int64_t   grain = 0;

  /** It is made when a device is first asked for. Builds without CUDA have none. */
  std::shared_ptr<DeviceLabeler> deviceLabeler;
  /** The same for volumes that are labeled by slabs. */
  std::shared_ptr<SlabLabeler> slabLabeler;

  HostContext
  Context(const ProgressHooks & hooks) const
  {
    return { threads, Progress(hooks), grain };
  }
};

Labeling::Implementation &       ImplementationOf(Labeling & labeling);
const Labeling::Implementation & ImplementationOf(const Labeling & labeling);

/** The runs of a result, for rooms that work on runs. */
const RunVolume & RunsOf(const Labeling & labeling);

/** Hands the runs over to a caller that needs nothing else. The result is then good only for labeling into it again. */
RunVolume TakeRuns(Labeling & labeling);

/** Gives a result that was not labeled into yet unused memory of runs. */
void GiveMemory(RunVolume && runs, Labeling & labeling);

/** Labels a volume on the CPU by links that give rows of bits. `options.criterion` is not used, and `options.mask` for
 *  the size of the region alone. */
void Label(const RowLinks & links, const Extent & extent, const LabelOptions & options, Labeling & result);

/** Labels an image in memory of a device by a plain connectivity. Only builds with CUDA have it. */
void Label(DeviceLabeler & labeler, const ImageView & image, const LabelOptions & options, Labeling & result);

namespace testing
{
/** Sets every byte of the host memory that a result keeps for the next call. The result is then good only for that. */
void OverwriteMemory(Labeling & labeling, unsigned char byte);
} // namespace testing

} // namespace brickccl
