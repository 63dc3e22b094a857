// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_REPORT_REPORT_H
#define BRICKCCL_REPORT_REPORT_H

#include <string>

namespace brickccl::report
{

/** Writes the report of a batch (Batch/BatchFolder.h), `report.html` in its folder: verdicts, defects, histograms,
 *  pictures, recipe, versions and hashes in one file that asks for nothing else.
 *
 *  It has at most MaximumDefects rows of defects, the largest ones of all items; as the page notes. Pictures are part
 *  of it up to MaximumPictureBytes; the page links the others. \return the path. \throws Error if the folder is not a
 *  batch's folder, or the file cannot be written. */
std::string WriteReport(const std::string & folder);

inline constexpr std::size_t MaximumDefects = 20000;
inline constexpr std::size_t MaximumPictureBytes = std::size_t{ 64 } << 20;

} // namespace brickccl::report

#endif
