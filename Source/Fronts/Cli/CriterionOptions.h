// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_CRITERIONOPTIONS_H
#define BRICKCCL_CLI_CRITERIONOPTIONS_H

#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"
#include "BrickCCL/Segmenting/Threshold.h"
#include "BrickCCL/Segmenting/ThresholdAsJson.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::cli
{

nlohmann::ordered_json ThresholdsAsJson(const std::vector<Number> & thresholds);

/** What is labeled: the image, a smoothed one or the pores of a part, and the criterion for it. */
struct Segmented
{
  std::optional<LoadedImage> smoothed;
  std::optional<Threshold>   threshold;
  std::optional<PoresOfPart> pores;
  /** The criterion for the image. Of pores, the material's. */
  Criterion     asked;
  std::uint64_t notNumbers = 0;

  ImageView View(const LoadedImage & image) const;
  /** The criterion as summaries show it. */
  std::string CriterionText(const job::Segmenting & arguments) const;
  /** The criterion for the view. */
  Criterion ForView() const;
};

/** Notes values that are not a number, if there are any. */
void NoteNotANumber(std::uint64_t count, ImageReader & reader);

/** Finds the threshold, if one is asked for, and notes padding. \param histogram  of the image's values, which are of
 *  this type; called where it is needed */
std::optional<Threshold> ThresholdFor(const job::Segmenting &                 arguments,
                                      ScalarType                              type,
                                      const std::function<ValueHistogram()> & histogram,
                                      ImageReader &                           reader,
                                      Reporter &                              reporter);

/** Smooths the image and finds the threshold, if that is asked for, among the voxels of the mask, and then the pores.
 * It notes values that are not a number. */
Segmented ApplyCriterion(const job::Segmenting &            arguments,
                         const LoadedImage &                image,
                         const std::optional<LoadedImage> & mask,
                         const Device &                     device,
                         int                                threads,
                         ImageReader &                      reader,
                         Reporter &                         reporter);

/** The number of voxels of the part, which was found or is given, in the mask: porosity is that of a region, pores in
 * it by the part in it. Nothing if there is no part, or the whole of a given one counts. */
std::optional<std::uint64_t> CountPartInRegion(const Segmented &                  segmented,
                                               const std::optional<LoadedImage> & part,
                                               const std::optional<LoadedImage> & mask,
                                               int                                threads);

/** Adds the numbers of parts, and the part whose pores were found, for a table that somebody reads: distances to its
 *  surface take time. */
inline MeasureOptions
MeasureOptionsFor(const Segmented & segmented, bool isRead, MeasureOptions options)
{
  if (segmented.pores && !segmented.pores->voxelsOfParts.empty())
  {
    options.parts = segmented.pores->PartView();
  }
  if (segmented.pores && isRead)
  {
    options.part = segmented.pores->PartView();
  }
  return options;
}

/** "material from 452 up (otsu)", "foreground from 1 to 5, equal values joined" */
std::string DescribeCriterion(const job::Segmenting & arguments, const Segmented & segmented);

/** Adds the threshold, without words, and the pores. `table` holds the pores that are kept. */
void AddSegmented(job::Findings &         findings,
                  const job::Segmenting & arguments,
                  const Segmented &       segmented,
                  const ComponentTable &  table,
                  const LoadedImage &     image,
                  int                     line);

/** Adds what was found in each part (`name` is "part") or zone ("zone"), a line of text each.
 *  \param region  the voxels of the part, or of the region, with each number \param table  has these numbers */
void AddNumbers(job::Findings &         findings,
                const std::string &     name,
                const VoxelsOfNumbers & region,
                const ComponentTable &  table,
                const LoadedImage &     image,
                bool                    isPores,
                int                     line);

} // namespace brickccl::cli

#endif
