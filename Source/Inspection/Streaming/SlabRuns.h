// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_STREAMING_SLABRUNS_H
#define BRICKCCL_STREAMING_SLABRUNS_H

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Streaming/SlabPlan.h"
#include "BrickCCL/Streaming/WorkFolder.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace brickccl
{

/** The runs of slabs with the labels of the volume, for threads that write nearly in raster order. */
class SlabRuns
{
public:
  SlabRuns(const SlabPlan & plan, std::shared_ptr<const WorkFolder> folder)
    : m_Plan(plan)
    , m_Folder(std::move(folder))
  {}

  /** Writes the labels of rows of the volume. */
  void WriteRows(std::int64_t begin, std::int64_t end, LabelType type, void * labels);

private:
  std::shared_ptr<const RunVolume> Get(std::size_t slab);

  SlabPlan                                                              m_Plan;
  std::shared_ptr<const WorkFolder>                                     m_Folder;
  std::mutex                                                            m_Mutex;
  std::vector<std::pair<std::size_t, std::shared_ptr<const RunVolume>>> m_Kept;
};

} // namespace brickccl

#endif
