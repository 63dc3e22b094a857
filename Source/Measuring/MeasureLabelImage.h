#ifndef BRICKCCL_MEASURING_MEASURELABELIMAGE_H
#define BRICKCCL_MEASURING_MEASURELABELIMAGE_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Progress.h"
#include "BrickCCL/Measuring/MeasureOptions.h"
#include "BrickCCL/Tables/ComponentTable.h"

namespace brickccl
{

/** Measures an existing label image: every value but 0 is the label of one component, connected or not. The rows of the
 *  table have these labels, ascending.
 *  \param labels    of any scalar type, one channel
 *  \param geometry  spacing, origin and direction, for the physical columns; by default voxels of 1 mm
 *  \param options   what is measured beside the default columns
 *  \param threads   the number of CPU threads; 0: all. The table does not depend on it
 *  \param hooks     hear of progress and may cancel
 *  \throws InvalidArgument if a label is negative or not a whole number, or if another image does not fit; Unsupported
 *  for groups that images of this dimension do not have; Cancelled. */
ComponentTable MeasureLabelImage(const ImageView &      labels,
                                 const Geometry &       geometry = {},
                                 const MeasureOptions & options = {},
                                 int                    threads = 0,
                                 const ProgressHooks &  hooks = {});

} // namespace brickccl

#endif
