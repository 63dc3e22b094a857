// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Segmenting/ValueHistogram.h"

#include <cstdint>
#include <optional>

namespace brickccl::cli
{

/** Notes what makes a labeling look as if another one was meant: a gray scan without a criterion, a range that holds
 *  nothing or nearly everything, several channels, a label map taken for an image. The image may come in parts. */
class Doubts
{
public:
  /** The criterion and the image must outlive it. */
  Doubts(const Criterion & criterion, const LoadedImage & image, const job::Segmenting & arguments, int threads)
    : m_Criterion(criterion)
    , m_Image(image)
    , m_HasMask(!arguments.mask.empty())
    , m_IsSmoothed(!arguments.smooth.empty())
    , m_Threads(threads)
  {}

  /** Sees a part, or all. Slabs that an earlier run labeled are not seen. */
  void See(const ImageView & slab, std::int64_t firstRow);

  /** \param components  the number of remaining ones
   *  \param whole       the image, if it is in memory: its range of values is a part of some notes */
  void Note(std::uint64_t                    foreground,
            std::uint64_t                    components,
            ImageReader &                    reader,
            const std::optional<ImageView> & whole = {}) const;

private:
  const Criterion &   m_Criterion;
  const LoadedImage & m_Image;
  bool                m_HasMask;
  bool                m_IsSmoothed;
  int                 m_Threads;
  LooksOfImage        m_Looks;
};

/** Notes a gray scan instead of a part's mask, and holes of the mask: their walls count as surface. \throws
 *  InvalidArgument for a mask without a voxel of value 0. */
void CheckPart(const LoadedImage & part, int threads, ImageReader & reader);

void NoteOutsideOfPart(const ComponentTable & table, ImageReader & reader);

/** Notes that a segmentation to clean looks like a gray scan. */
void NoteGrayClasses(const LoadedImage & image,
                     ImageReader &       reader,
                     const std::string & advice =
                       "make a mask first: `brickccl label SCAN MASK --threshold METHOD` (`brickccl info` proposes "
                       "thresholds)");

/** Notes components whose intensities have no mean. \param otherwise  a further reason, with a comma before it */
void NoteMeasures(const ComponentTable & table, ImageReader & reader, const std::string & otherwise = "");

} // namespace brickccl::cli
