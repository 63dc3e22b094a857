#ifndef BRICKCCL_DISPATCH_LABELINGIMPLEMENTATION_H
#define BRICKCCL_DISPATCH_LABELINGIMPLEMENTATION_H

#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Dispatch/DeviceLabeler.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Host/ArrivingBytes.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"

#include <cstdint>
#include <memory>
#include <string>

namespace brickccl
{

class SlabLabeler;

/** What a Labeling keeps. */
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
  /** The voxels of the next image, on their way to a device (UploadWhileReading). */
  std::shared_ptr<cuda::EarlyUpload> earlyUpload;

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

/** Gives a result that was not labeled into yet the memory of runs that nobody needs any more. */
void GiveMemory(RunVolume && runs, Labeling & labeling);

/** Prepares for an image that is read now and labeled next into this result: its voxels go to the device while others
 *  are still decompressed, if that pays. \return who is to hear of the voxels (ReadOptions::arriving); null unless one
 *  CUDA device is asked for. The image must not change until it is labeled. */
std::shared_ptr<ArrivingBytes> UploadWhileReading(const Device & requested, Labeling & result);

/** Labels a volume on the CPU by links that give rows of bits. `options.criterion` and `options.mask` are not used. */
void Label(const RowLinks & links, const Extent & extent, const LabelOptions & options, Labeling & result);

namespace testing
{
/** Sets every byte of the host memory that a result keeps for the next call. The result is then good only for that. */
void OverwriteMemory(Labeling & labeling, unsigned char byte);
} // namespace testing

} // namespace brickccl

#endif
