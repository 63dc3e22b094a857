// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/ScanInfo.h"

#include "BrickCCL/Cli/CriterionOptions.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

namespace brickccl::cli
{

namespace
{

constexpr double Percents[] = { 0.1, 1, 5, 25, 50, 75, 95, 99, 99.9 };

/** The methods whose thresholds are proposed. */
constexpr const char * ProposedMethods[] = { "otsu", "multi-otsu:3", "multi-otsu:4", "valley", "iso50" };

std::string
TextOf(double value)
{
  std::ostringstream text;
  text << std::setprecision(7) << value;
  return text.str();
}

std::string
TextOfThreshold(Number threshold)
{
  return Threshold::IsBeyondDoubles(threshold) ? threshold.ToString() : TextOf(static_cast<double>(threshold));
}

/** A value of an image as JSON: whole numbers exactly, also with 64 bits. */
nlohmann::ordered_json
ValueAsJson(Number value, ScalarType type)
{
  if (type == ScalarType::Float32 || type == ScalarType::Float64)
  {
    return static_cast<double>(value);
  }
  return value < 0 ? nlohmann::ordered_json(static_cast<std::int64_t>(value))
                   : nlohmann::ordered_json(static_cast<std::uint64_t>(value));
}

/** The way an axis of the image mostly runs in the patient: 'L' (left), 'R', 'P' (posterior), 'A', 'S' (superior) or
 *  'I'. Coordinates grow to the left, to the back and upwards (LPS). */
char
WayOf(const Geometry & geometry, int axis)
{
  int along = 0;
  for (int row = 1; row < 3; ++row)
  {
    along = std::abs(geometry.direction[row][axis]) > std::abs(geometry.direction[along][axis]) ? row : along;
  }
  return (geometry.direction[along][axis] >= 0 ? "LPS" : "RAI")[along];
}

std::string
NameOfWay(char way)
{
  static const std::map<char, std::string> names = { { 'L', "left" },     { 'R', "right" },    { 'P', "posterior" },
                                                     { 'A', "anterior" }, { 'S', "superior" }, { 'I', "inferior" } };
  return names.at(way);
}

/** A proposal: a method and the threshold that it finds, or why it finds none. */
struct Proposal
{
  std::string method;
  Threshold   threshold;
  std::string failure;
  /** The share of the values at or above the threshold. */
  double share = 0;
};

double
ShareFrom(const ValueHistogram & histogram, Number threshold)
{
  std::uint64_t above = 0;
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin)
  {
    above += histogram.NumberOf(bin) >= threshold ? histogram.counts[bin] : 0;
  }
  return static_cast<double>(above) / static_cast<double>(histogram.valueCount);
}

std::vector<Proposal>
Propose(const ValueHistogram & histogram)
{
  std::vector<Proposal> proposals;
  for (const char * const method : ProposedMethods)
  {
    Proposal proposal;
    proposal.method = method;
    try
    {
      proposal.threshold = FindThreshold(histogram, ThresholdMethod::FromText(method));
      proposal.share = ShareFrom(histogram, proposal.threshold.value);
    }
    catch (const InvalidArgument & error)
    {
      proposal.failure = error.what();
    }
    proposals.push_back(proposal);
  }
  return proposals;
}

/** A row of the text histogram: values from `low` up to `high`. */
struct Bar
{
  double        low = 0;
  double        high = 0;
  std::uint64_t count = 0;
};

/** The histogram in a few bars, over all but the rarest values, which the outermost bars hold. */
std::vector<Bar>
BarsOf(const ValueHistogram & histogram)
{
  constexpr std::size_t rows = 24;
  const auto            binOf = [&](double value) {
    const auto   fromOrigin = static_cast<double>(Number(value) + -histogram.origin);
    const double bin = std::round((fromOrigin - histogram.first) / histogram.width);
    return static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(histogram.counts.size() - 1)));
  };
  const std::size_t begin = binOf(histogram.Percentile(0.01));
  const std::size_t end = binOf(histogram.Percentile(99.99)) + 1;
  const std::size_t perRow = (end - begin + rows - 1) / rows;
  std::vector<Bar>  bars;
  for (std::size_t bin = begin; bin < end; bin += perRow)
  {
    Bar bar;
    bar.low = histogram.ValueOf(bin) - (histogram.isExact ? 0 : 0.5 * histogram.width);
    bar.high = bar.low + histogram.width * static_cast<double>(perRow - (histogram.isExact ? 1 : 0));
    const std::size_t last = std::min(bin + perRow, end);
    for (std::size_t i = bin == begin ? 0 : bin; i < (last == end ? histogram.counts.size() : last); ++i)
    {
      bar.count += histogram.counts[i];
    }
    bars.push_back(bar);
  }
  bars.front().low = static_cast<double>(histogram.minimum);
  bars.back().high = static_cast<double>(histogram.maximum);
  return bars;
}

void
PrintHistogram(const ValueHistogram & histogram)
{
  const std::vector<Bar> bars = BarsOf(histogram);
  std::uint64_t          largest = 1;
  std::size_t            width = 0;
  for (const Bar & bar : bars)
  {
    largest = std::max(largest, bar.count);
    width = std::max({ width, TextOf(bar.low).size(), TextOf(bar.high).size() });
  }
  std::cout << "histogram (bar length: logarithm of the number of voxels)\n";
  for (const Bar & bar : bars)
  {
    constexpr double length = 48;
    const double     share = std::log1p(static_cast<double>(bar.count)) / std::log1p(static_cast<double>(largest));
    std::cout << "  " << std::setw(static_cast<int>(width)) << TextOf(bar.low) << " .. "
              << std::setw(static_cast<int>(width)) << TextOf(bar.high) << " |"
              << std::string(static_cast<std::size_t>(std::lround(length * share)), '#') << (bar.count > 0 ? " " : "")
              << bar.count << '\n';
  }
}

void
PrintProposals(const std::vector<Proposal> & proposals)
{
  std::cout << "proposals for brickccl label --threshold (foreground: at or above)\n";
  for (const Proposal & proposal : proposals)
  {
    std::cout << "  " << std::left << std::setw(13) << proposal.method << std::right;
    if (!proposal.failure.empty())
    {
      std::cout << "none: " << proposal.failure << '\n';
      continue;
    }
    for (std::size_t i = 0; i < proposal.threshold.all.size(); ++i)
    {
      std::cout << (i == 0 ? "" : ", ") << TextOfThreshold(proposal.threshold.all[i]);
    }
    if (!proposal.threshold.peaks.empty())
    {
      std::cout << " (peaks at " << TextOf(proposal.threshold.peaks[0]) << " and "
                << TextOf(proposal.threshold.peaks[1]) << ')';
    }
    std::cout << ": " << std::setprecision(4) << 100 * proposal.share << " % foreground\n";
  }
}

/** The values and proposals of an image of one channel. */
void
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
  PrintProposals(Propose(histogram));
  std::cout << std::flush;
}

void
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
  std::cout << "orientation";
  for (int axis = 0; axis < std::min(dimension, 3); ++axis)
  {
    std::cout << (axis == 0 ? " " : ", ") << AxisNames[axis] << " to " << NameOfWay(WayOf(image.geometry, axis));
  }
  std::cout << "; origin";
  for (int axis = 0; axis < dimension; ++axis)
  {
    std::cout << (axis == 0 ? " " : ", ") << TextOf(image.geometry.origin[axis]);
  }
  std::cout << " mm (LPS)\n";
}

nlohmann::ordered_json
ProposalsAsJson(const std::vector<Proposal> & proposals)
{
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Proposal & proposal : proposals)
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

void
PrintJson(const std::string &    path,
          const LoadedImage &    image,
          const ValueHistogram * histogram,
          const ImageReader &    reader,
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
    for (const Bar & bar : BarsOf(*histogram))
    {
      info["histogram"].push_back({ { "low", bar.low }, { "high", bar.high }, { "count", bar.count } });
    }
    info["thresholds"] = ProposalsAsJson(Propose(*histogram));
  }
  info["notes"] = reader.Notes();
  std::cout << ToText(info) << std::endl;
}

} // namespace

void
PrintScanInfo(const job::Job & job)
{
  Reporter    reporter(job.json);
  ImageReader reader(job, job.threads, reporter);
  CheckReading(job, { { "SCAN", job.input }, { "--mask", job.mask } });
  const LoadedImage   image = reader.Read(job.input, false);
  const auto          region = ReadRegion(job, image, job.threads, reader);
  const ProgressHooks hooks = reporter.Hooks();
  // The channel for a threshold is unknown.
  std::optional<ValueHistogram> histogram;
  if (image.channels == 1)
  {
    reporter.Step("counting values");
    const auto inside = region ? std::optional(region->View()) : std::nullopt;
    histogram = HistogramOfValues(image.View(), inside, { job.threads, Progress(hooks) });
  }
  job::Findings found;
  AddRegion(found, job, job::CountIn(region, job.threads), image, 1);
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
