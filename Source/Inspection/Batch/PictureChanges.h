// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BATCH_PICTURECHANGES_H
#define BRICKCCL_BATCH_PICTURECHANGES_H

#include "BrickCCL/Batch/CompareBatches.h"
#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <string>
#include <vector>

namespace brickccl::batch
{

/** A label map as runs, whose labels are places in the table from 1 on. */
struct LabelMap
{
  LoadedImage    image;
  RunVolume      runs;
  ComponentTable table;

  /** Reads it. \throws Error. */
  LabelMap(const std::string & path, int threads);
};

/** Writes a PNG of the slice across z with the most changes, with the defects colored by change. A voxel that is
 *  labeled twice has the color of the later defect.
 *  \param scan   the image below them; null if there is none
 *  \param title  above the legend
 *  \throws Error if it cannot be written; Canceled. */
void WriteChanges(const std::string &                 path,
                  const LabelMap &                    before,
                  const LabelMap &                    after,
                  const std::vector<ComparedDefect> & defects,
                  const LoadedImage *                 scan,
                  const std::vector<std::string> &    title,
                  int                                 threads);

} // namespace brickccl::batch

#endif
