// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Segmenting/Threshold.h"
#include "BrickCCL/Segmenting/ThresholdAsJson.h"
#include "BrickCCL/Streaming/LabelBySlabs.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>
#include <vector>

namespace brickccl::cli
{

constexpr std::size_t Bars = 24;
constexpr double      Percents[] = { 0.1, 1, 5, 25, 50, 75, 95, 99, 99.9 };

static std::string
TextOf(double value)
{
  std::ostringstream text;
  text << std::setprecision(7) << value;
  return text.str();
}

/** A value of an image as JSON: whole numbers exactly, also with 64 bits. */
static nlohmann::ordered_json
ValueAsJson(Number value, ScalarType type)
{
  const bool isReal = type == ScalarType::Float32 || type == ScalarType::Float64;
  return isReal ? nlohmann::ordered_json(static_cast<double>(value)) : NumberAsJson(value);
}

/** The way an axis of the image mostly runs in the patient: 'L' (left), 'R', 'P' (posterior), 'A', 'S' (superior) or
 *  'I'. Coordinates grow to the left, to the back and upwards (LPS). */
static char
WayOf(const Geometry & geometry, int axis)
{
  int along = 0;
  for (int row = 1; row < 3; ++row)
  {
    along = std::abs(geometry.direction[row][axis]) > std::abs(geometry.direction[along][axis]) ? row : along;
  }
  return (geometry.direction[along][axis] >= 0 ? "LPS" : "RAI")[along];
}

static void
PrintHistogram(const ValueHistogram & histogram)
{
  const std::vector<HistogramBar> bars = BarsOf(histogram, Bars);
  std::uint64_t                   largest = 1;
  std::size_t                     width = 0;
  for (const HistogramBar & bar : bars)
  {
    largest = std::max(largest, bar.count);
    width = std::max({ width, TextOf(bar.low).size(), TextOf(bar.high).size() });
  }
  std::cout << "histogram (bar length: logarithm of the number of voxels)\n";
  for (const HistogramBar & bar : bars)
  {
    constexpr double length = 48;
    const double     share = std::log1p(static_cast<double>(bar.count)) / std::log1p(static_cast<double>(largest));
    std::cout << "  " << std::setw(static_cast<int>(width)) << TextOf(bar.low) << " .. "
              << std::setw(static_cast<int>(width)) << TextOf(bar.high) << " |"
              << std::string(static_cast<std::size_t>(std::lround(length * share)), '#') << (bar.count > 0 ? " " : "")
              << bar.count << '\n';
  }
}

static void
PrintProposals(const std::vector<ProposedThreshold> & proposals)
{
  std::cout << "proposals for brickccl label --threshold (foreground: at or above)\n";
  for (const ProposedThreshold & proposal : proposals)
  {
    if (proposal.isRepeated)
    {
      continue;
    }
    std::cout << "  " << std::left << std::setw(13) << proposal.method << std::right;
    if (!proposal.failure.empty())
    {
      std::cout << "none: " << proposal.failure << '\n';
      continue;
    }
    for (std::size_t i = 0; i < proposal.threshold.all.size(); ++i)
    {
      const Number one = proposal.threshold.all[i];
      std::cout << (i == 0 ? "" : ", ")
                << (Threshold::IsBeyondDoubles(one) ? one.ToString() : TextOf(static_cast<double>(one)));
    }
    if (!proposal.threshold.peaks.empty())
    {
      std::cout << " (peaks at " << TextOf(proposal.threshold.peaks[0]) << " and "
                << TextOf(proposal.threshold.peaks[1]) << ')';
    }
    std::cout << ": " << std::setprecision(4) << 100 * proposal.share << " % foreground\n";
  }
}

static void
PrintValues(const LoadedImage & image, const ValueHistogram & histogram)
{
  if (histogram.notANumberCount + histogram.infiniteCount > 0)
  {
    std::cout << "NaN values: " << histogram.notANumberCount << ", infinite ones: " << histogram.infiniteCount << '\n';
  }
  if (histogram.valueCount == 0)
  {
    std::cout << "no finite values" << std::endl;
    return;
  }
  std::cout << "values " << ValueAsJson(histogram.minimum, image.type) << " .. "
            << ValueAsJson(histogram.maximum, image.type) << "\npercentiles ";
  for (const double percent : Percents)
  {
    std::cout << (percent == Percents[0] ? "" : ", ") << TextOf(percent)
              << " %: " << TextOf(histogram.Percentile(percent));
  }
  std::cout << '\n';
  PrintHistogram(histogram);
  if (histogram.HasPadding())
  {
    std::cout << "the value " << TextOf(histogram.ValueOf(0)) << " fills the unscanned area; proposals ignore it\n";
  }
  PrintProposals(ProposeThresholds(histogram));
  std::cout << std::flush;
}

static void
PrintGeometry(const std::string & path, const LoadedImage & image)
{
  const int dimension = image.extent.dimension;
  std::cout << Printable(path) << ": " << image.extent.ToString() << " voxels of " << NameOf(image.type);
  if (image.channels > 1)
  {
    std::cout << ", " << image.channels << " channels";
  }
  std::cout << "\nspacing " << DescribeSpacing(image) << ", together";
  for (int axis = 0; axis < dimension; ++axis)
  {
    std::cout << (axis == 0 ? " " : " x ")
              << TextOf(image.geometry.spacing[axis] * static_cast<double>(image.extent.size[axis]));
  }
  std::cout << " mm\n";
  static const std::map<char, std::string> names = { { 'L', "left" },     { 'R', "right" },    { 'P', "posterior" },
                                                     { 'A', "anterior" }, { 'S', "superior" }, { 'I', "inferior" } };
  std::cout << "orientation";
  for (int axis = 0; axis < std::min(dimension, 3); ++axis)
  {
    std::cout << (axis == 0 ? " " : ", ") << AxisNames[axis] << " to " << names.at(WayOf(image.geometry, axis));
  }
  std::cout << "; origin";
  for (int axis = 0; axis < dimension; ++axis)
  {
    std::cout << (axis == 0 ? " " : ", ") << TextOf(image.geometry.origin[axis]);
  }
  std::cout << " mm (LPS)\n";
}

static nlohmann::ordered_json
ProposalsAsJson(const std::vector<ProposedThreshold> & proposals)
{
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ProposedThreshold & proposal : proposals)
  {
    nlohmann::ordered_json one = { { "method", proposal.method } };
    if (proposal.failure.empty())
    {
      one["value"] = ThresholdAsJson(proposal.threshold.value);
      one["all"] = ThresholdsAsJson(proposal.threshold.all);
      one["share_at_or_above"] = proposal.share;
      if (!proposal.threshold.peaks.empty())
      {
        one["peaks"] = proposal.threshold.peaks;
      }
    }
    else
    {
      one["value"] = nullptr;
      one["reason"] = proposal.failure;
    }
    all.push_back(one);
  }
  return all;
}

static void
PrintJson(const std::string &    path,
          const LoadedImage &    image,
          const ValueHistogram * histogram,
          ImageReader &          reader,
          const job::Findings &  region)
{
  const int              dimension = image.extent.dimension;
  nlohmann::ordered_json info;
  info["file"] = path;
  info["extent"] = std::vector<std::int64_t>(image.extent.size, image.extent.size + dimension);
  info["type"] = NameOf(image.type);
  info["channels"] = image.channels;
  info["spacing"] = std::vector<double>(image.geometry.spacing, image.geometry.spacing + dimension);
  info["spacing_source"] = image.spacingSource;
  info["origin"] = std::vector<double>(image.geometry.origin, image.geometry.origin + dimension);
  info["coordinates"] = "LPS";
  std::string ways;
  for (int axis = 0; axis < std::min(dimension, 3); ++axis)
  {
    ways += WayOf(image.geometry, axis);
  }
  info["orientation"] = ways;
  info.update(job::AsJson(region));
  if (histogram != nullptr)
  {
    info["nan_values"] = histogram->notANumberCount;
    info["infinite_values"] = histogram->infiniteCount;
  }
  if (histogram != nullptr && histogram->valueCount > 0)
  {
    info["minimum"] = ValueAsJson(histogram->minimum, image.type);
    info["maximum"] = ValueAsJson(histogram->maximum, image.type);
    for (const double percent : Percents)
    {
      info["percentiles"][TextOf(percent)] = histogram->Percentile(percent);
    }
    info["padding"] = histogram->HasPadding() ? nlohmann::ordered_json(histogram->first) : nlohmann::ordered_json();
    info["percentile_step"] = histogram->isExact ? 0 : histogram->width;
    for (const HistogramBar & bar : BarsOf(*histogram, Bars))
    {
      info["histogram"].push_back({ { "low", bar.low }, { "high", bar.high }, { "count", bar.count } });
    }
    info["thresholds"] = ProposalsAsJson(ProposeThresholds(*histogram));
  }
  info["notes"] = reader.Notes();
  std::cout << JsonText(info) << std::endl;
}

void
PrintScanInfo(const job::Job & job)
{
  Reporter    reporter(job.json);
  ImageReader reader(job, job.threads, reporter, job.memory > 0);
  CheckReading(job, { { "SCAN", job.input }, { "--mask", job.mask } });
  const LoadedImage   image = reader.Read(job.input, false);
  const auto          region = ReadRegion(job, image, job.threads, reader);
  const ProgressHooks hooks = reporter.Hooks();
  // The channel for a threshold is unknown.
  std::optional<ValueHistogram> histogram;
  if (image.channels == 1)
  {
    reporter.Step("counting values");
    const HostContext context{ job.threads, Progress(hooks) };
    const SlabImages  images{ &image, region ? &*region : nullptr };
    const auto        inside = region && !image.inParts ? std::optional(region->View()) : std::nullopt;
    histogram = image.inParts ? HistogramBySlabs(images, PlanSlabs(images, Criterion::Foreground(), job), context)
                              : HistogramOfValues(image.View(), inside, context);
  }
  ThrowIf<Unsupported>(image.inParts && region && !histogram,
                       "--memory: voxels of several channels in a region are not counted; leave --memory out");
  const auto    voxels = image.inParts && histogram
                         ? histogram->valueCount + histogram->notANumberCount + histogram->infiniteCount
                         : job::CountIn(region, job.threads);
  job::Findings found;
  AddRegion(found, job, voxels, image, 1);
  if (job.json)
  {
    PrintJson(job.input, image, histogram ? &*histogram : nullptr, reader, found);
    return;
  }
  reporter.Note("");
  PrintGeometry(job.input, image);
  std::cout << (region ? job::AsText(found) + "\n" : "");
  if (histogram)
  {
    PrintValues(image, *histogram);
  }
  else
  {
    std::cout << "values of " << image.channels << " channels: no histogram and no thresholds" << std::endl;
  }
}

} // namespace brickccl::cli
