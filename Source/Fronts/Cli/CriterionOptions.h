#ifndef BRICKCCL_CLI_CRITERIONOPTIONS_H
#define BRICKCCL_CLI_CRITERIONOPTIONS_H

#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"
#include "BrickCCL/Segmenting/Threshold.h"
#include "BrickCCL/Segmenting/ThresholdAsJson.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace brickccl::cli
{

nlohmann::ordered_json ThresholdsAsJson(const std::vector<Number> & thresholds);

/** What `label` asks about the voxels that are foreground, and about which of them are joined. */
struct CriterionArguments
{
  std::vector<std::string> range;
  std::string              threshold;
  bool                     below = false;
  std::string              smooth;
  bool                     equalValue = false;
  std::string              tolerance;
  std::string              background = "0";
  bool                     pores = false;
  double                   close = 0;
};

void AddCriterionOptions(CLI::App & command, CriterionArguments & arguments);

/** The criterion as far as it is known without the image, whose values a threshold may depend on.
 *  \throws InvalidArgument for what has no meaning. */
Criterion CriterionOf(const CriterionArguments & arguments);

/** The same for an image of a type: numbers are values that the type has, or the nearest ones. */
Criterion ForVoxels(Criterion criterion, ScalarType type);

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
  /** What is asked for, for summaries. */
  std::string CriterionText(const CriterionArguments & arguments) const;
  /** The criterion for the view. */
  Criterion ForView() const;
};

/** Notes values that are not a number, if there are any. */
void NoteNotANumber(std::uint64_t count, ImageReader & reader);

/** Smooths the image and finds the threshold, if that is asked for, among the voxels of the mask, and then the pores.
 * It notes values that are not a number. */
Segmented ApplyCriterion(const CriterionArguments &         arguments,
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

/** Adds the part whose pores were found, for a table that somebody reads: distances to its surface take time. */
inline MeasureOptions
MeasureOptionsFor(const Segmented & segmented, bool isRead, MeasureOptions options)
{
  if (segmented.pores && isRead)
  {
    options.part = segmented.pores->PartView();
  }
  return options;
}

/** Lines for the summary about the threshold and about pores; empty if there are neither. `table` holds the pores that
 *  are kept. */
std::string
DescribeSegmented(const CriterionArguments & arguments, const Segmented & segmented, const ComponentTable & table);

/** The same as members "threshold" and "pores" of a summary, which are null where there are none. */
void AddSegmented(nlohmann::ordered_json &   summary,
                  const CriterionArguments & arguments,
                  const Segmented &          segmented,
                  const ComponentTable &     table);

} // namespace brickccl::cli

#endif
