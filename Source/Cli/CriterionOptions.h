#ifndef BRICKCCL_CLI_CRITERIONOPTIONS_H
#define BRICKCCL_CLI_CRITERIONOPTIONS_H

#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace brickccl::cli
{

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
};

void AddCriterionOptions(CLI::App & command, CriterionArguments & arguments);

/** The criterion as far as it is known without the image, whose values a threshold may depend on.
 *  \throws InvalidArgument for what has no meaning. */
Criterion CriterionOf(const CriterionArguments & arguments);

/** What is labeled: the image or a smoothed one, and the criterion for it. */
struct Segmented
{
  std::optional<LoadedImage> smoothed;
  std::optional<Threshold>   threshold;
  Criterion                  criterion;
  std::uint64_t              notNumbers = 0;
};

/** Smooths the image and finds the threshold, if that is asked for, among the voxels of the mask. It notes values that
 *  are not a number. */
Segmented ApplyCriterion(const CriterionArguments &         arguments,
                         const LoadedImage &                image,
                         const std::optional<LoadedImage> & mask,
                         int                                threads,
                         ImageReader &                      reader,
                         Reporter &                         reporter);

/** For summaries: "threshold otsu 494.5: voxels at or above it", with a line end; empty if there is no threshold. */
std::string DescribeThreshold(const CriterionArguments & arguments, const Segmented & segmented);

/** The same as JSON; null if there is none. */
nlohmann::ordered_json ThresholdAsJson(const CriterionArguments & arguments, const Segmented & segmented);

} // namespace brickccl::cli

#endif
