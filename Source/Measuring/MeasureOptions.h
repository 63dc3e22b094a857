#ifndef BRICKCCL_MEASURING_MEASUREOPTIONS_H
#define BRICKCCL_MEASURING_MEASUREOPTIONS_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Measuring/ColumnGroups.h"

#include <optional>

namespace brickccl
{

/** What is measured, and in which images beside the labels. All images have the labels' extent and one channel. */
struct MeasureOptions
{
  /** Its values under the components give the intensity columns. */
  std::optional<ImageView> intensity;
  /** A mask of the part that is inspected, not 0 inside: gives the distance to the part's surface. */
  std::optional<ImageView> part;
  /** Columns beside the default ones. */
  ColumnGroups groups;

  MeasureOptions() = default;
  MeasureOptions(const ImageView & intensityImage)
    : intensity(intensityImage)
  {}
  MeasureOptions(const std::optional<ImageView> & intensityImage, const ColumnGroups & columnGroups)
    : intensity(intensityImage)
    , groups(columnGroups)
  {}
};

} // namespace brickccl

#endif
