// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/CriterionOptions.h"

#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Segmenting/SmoothImage.h"
#include "BrickCCL/Measuring/CountNotANumber.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <sstream>

namespace brickccl::cli
{

nlohmann::ordered_json
ThresholdsAsJson(const std::vector<Number> & thresholds)
{
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Number threshold : thresholds)
  {
    all.push_back(ThresholdAsJson(threshold));
  }
  return all;
}

ImageView
Segmented::View(const LoadedImage & image) const
{
  return pores ? pores->PoreView() : smoothed ? smoothed->View() : image.View();
}

std::string
Segmented::CriterionText(const job::Segmenting & arguments) const
{
  std::string text = asked.ToString();
  if (!threshold || !arguments.below)
  {
    return text;
  }
  // The range ends just below the threshold; what it prints as would be the threshold.
  const std::size_t  range = text.find(" within [");
  std::ostringstream below;
  below << " below " << static_cast<double>(threshold->value);
  return range == std::string::npos ? text : text.replace(range, text.find(']', range) + 1 - range, below.str());
}

Criterion
Segmented::ForView() const
{
  // Numbers of parts differ, and with them their pores.
  return !pores ? asked : pores->voxelsOfParts.empty() ? Criterion::Foreground() : Criterion::EqualValue(0);
}

void
NoteNotANumber(std::uint64_t count, ImageReader & reader)
{
  if (count > 0)
  {
    reader.Note(TellNotANumber(count));
  }
}

std::optional<Threshold>
ThresholdFor(const job::Segmenting &                 arguments,
             ScalarType                              type,
             const std::function<ValueHistogram()> & histogram,
             ImageReader &                           reader,
             Reporter &                              reporter)
{
  if (arguments.threshold.empty() && (!arguments.pores || arguments.range))
  {
    return {};
  }
  const std::string wanted = arguments.threshold.empty() ? "otsu" : arguments.threshold;
  const Threshold   threshold = job::ThresholdOf(type, wanted, [&] {
    reporter.Step("finding the threshold");
    return histogram();
  });
  if (threshold.padding)
  {
    std::ostringstream text;
    text << "the value " << *threshold.padding
         << " is taken for padding, what the scanner did not see, and left out of the threshold; if it is a "
            "measurement, give the threshold as a number";
    reader.Note(text.str());
  }
  return threshold;
}

Segmented
ApplyCriterion(const job::Segmenting &            arguments,
               const LoadedImage &                image,
               const std::optional<LoadedImage> & mask,
               const Device &                     device,
               int                                threads,
               ImageReader &                      reader,
               Reporter &                         reporter)
{
  Segmented segmented;
  // Voxels of files that are mapped are read only here.
  const ProgressHooks reading = reporter.Hooks();
  segmented.notNumbers = CountNotANumber(image.View(), { threads, Progress(reading) });
  NoteNotANumber(segmented.notNumbers, reader);
  if (!arguments.smooth.empty())
  {
    reporter.Step("smoothing");
    const ProgressHooks hooks = reporter.Hooks();
    segmented.smoothed = SmoothImage(image, job::SmoothingOf(arguments.smooth), { threads, Progress(hooks) });
  }
  const auto inside = mask ? std::optional(mask->View()) : std::nullopt;
  const auto histogram = [&] {
    const ProgressHooks hooks = reporter.Hooks();
    return HistogramOfValues(segmented.View(image), inside, { threads, Progress(hooks) });
  };
  segmented.threshold = ThresholdFor(arguments, segmented.View(image).type, histogram, reader, reporter);
  segmented.asked = job::CriterionOf(arguments, segmented.View(image).type, segmented.threshold);
  if (arguments.pores)
  {
    reporter.Step("finding the part");
    PoreOptions options;
    options.material = segmented.asked;
    options.closeWidth = arguments.close;
    options.parts = job::PartsOf(arguments);
    options.geometry = image.geometry;
    options.region = inside;
    options.device = device;
    options.threads = threads;
    options.progress = reporter.Hooks();
    segmented.pores = FindPores(segmented.View(image), options);
    for (const std::string & note : NotesOn(*segmented.pores, "--close"))
    {
      reader.Note(note);
    }
  }
  return segmented;
}

std::optional<std::uint64_t>
CountPartInRegion(const Segmented &                  segmented,
                  const std::optional<LoadedImage> & part,
                  const std::optional<LoadedImage> & mask,
                  int                                threads)
{
  return segmented.pores ? segmented.pores->partVoxels
       : part && mask    ? job::CountIn(part, threads, mask)
                         : std::nullopt;
}

void
AddNumbers(job::Findings &         findings,
           const std::string &     name,
           const VoxelsOfNumbers & region,
           const ComponentTable &  table,
           const LoadedImage &     image,
           bool                    isPores,
           int                     line)
{
  // How many components each number has, their voxels, and the voxels of the largest component.
  std::map<std::uint64_t, std::array<std::uint64_t, 3>> sums;
  const auto                                            sum = [&](auto tag) {
    using Number = decltype(tag);
    for (std::size_t place = 0; place < table.components.size(); ++place)
    {
      auto & own = sums[table.measures.Of<Number>()[place].number];
      own = { own[0] + 1, 0, std::max(own[2], table.components.VoxelCount(place)) };
    }
    for (const auto & [number, voxels] : table.measures.Of<NumberVoxels<Number>>())
    {
      sums[number][1] = voxels;
    }
  };
  name == "part" ? sum(PartNumber()) : sum(ZoneNumber());
  const std::string      noun = isPores ? "pore" : "component";
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string            text;
  for (const auto & [number, voxels] : region)
  {
    const auto [count, shared, largest] = sums[number];
    const double  percent = 100 * static_cast<double>(shared) / static_cast<double>(voxels);
    job::Findings own = { { name, number } };
    AddSizes(own, isPores ? "part_" : "region_", voxels, image, 1, name + ' ' + std::to_string(number) + ": #");
    own.push_back({ noun + 's', count, 1, "#", noun });
    AddSizes(own, noun + '_', shared, image, 0, "#");
    own.push_back({ isPores ? "porosity_percent" : "percent", percent, 1, isPores ? "porosity #" : "# of it", "%" });
    AddSizes(own, "largest_", largest, image, 1, "largest " + noun + " #", table.sliceAxis);
    list.push_back(job::AsJson(own));
    text += (text.empty() ? "" : "\n") + job::AsText(own);
  }
  findings.push_back({ name + 's', list });
  findings.push_back({ "", text, line });
}

namespace
{

void
AddPores(job::Findings &        findings,
         const PoresOfPart &    pores,
         const ComponentTable & table,
         const LoadedImage &    image,
         int                    line)
{
  const std::uint64_t kept = TotalsOf(table).voxels;
  std::uint64_t       largest = 0;
  for (const ComponentMeasures & pore : table.components)
  {
    largest = std::max(largest, pore.voxelCount);
  }
  const int ifDropped = kept == pores.poreVoxels ? 0 : line + 1;
  AddSizes(findings, "pores/part_", pores.partVoxels, image, line, "part #");
  AddSizes(findings, "pores/pore_", kept, image, line, "pores #");
  findings.push_back({ "pores/porosity_percent", pores.PorosityPercent(kept), line, "porosity #", "%" });
  AddSizes(findings, "pores/largest_", largest, image, line, "largest pore #", table.sliceAxis);
  findings.push_back({ "pores/pore_voxels_before_filters", pores.poreVoxels });
  findings.push_back({ "pores/porosity_percent_before_filters",
                       pores.PorosityPercent(pores.poreVoxels),
                       ifDropped,
                       "with the dropped pores: porosity #",
                       "%" });
  findings.push_back({ "pores/other_material_voxels", pores.otherMaterialVoxels });
  findings.push_back({ "pores/bores", pores.bores });
  findings.push_back({ "pores/bore_voxels", pores.boreVoxels });
  if (!pores.voxelsOfParts.empty())
  {
    AddNumbers(findings, "part", pores.voxelsOfParts, table, image, true, line + 2);
  }
}

/** " (otsu)", " (multi-otsu:3 of 300, 450)", " (iso50, peaks at 10 and 200)"; nothing for a given number. */
std::string
DescribeMethod(const Threshold & threshold)
{
  if (threshold.method.kind == ThresholdMethod::Kind::Value)
  {
    return {};
  }
  std::string text = " (" + threshold.method.ToString();
  for (const Number & one : threshold.all)
  {
    text += threshold.all.size() == 1 ? "" : (&one == threshold.all.data() ? " of " : ", ") + job::Readable(one);
  }
  if (!threshold.peaks.empty())
  {
    text +=
      ", peaks at " + job::Readable(Number(threshold.peaks[0])) + " and " + job::Readable(Number(threshold.peaks[1]));
  }
  return text + ")";
}

std::string
DescribeRange(const Criterion::Range & range)
{
  const bool hasLow = range.low > -std::numeric_limits<double>::infinity();
  const bool hasHigh = range.high < std::numeric_limits<double>::infinity();
  return range.low == range.high ? " of value " + job::Readable(range.low)
       : hasLow && hasHigh       ? " from " + job::Readable(range.low) + " to " + job::Readable(range.high)
       : hasLow                  ? " from " + job::Readable(range.low) + " up"
       : hasHigh                 ? " up to " + job::Readable(range.high)
                                 : " of any value";
}

nlohmann::ordered_json
DescribeThresholdAsJson(const job::Segmenting & arguments, const Segmented & segmented)
{
  const Threshold &      threshold = *segmented.threshold;
  nlohmann::ordered_json json = { { "method", threshold.method.ToString() },
                                  { "value", ThresholdAsJson(threshold.value) },
                                  { "foreground", arguments.below ? "below" : "at or above" },
                                  { "all", ThresholdsAsJson(threshold.all) } };
  if (!threshold.peaks.empty())
  {
    json["peaks"] = threshold.peaks;
  }
  return json;
}

} // namespace

std::string
DescribeCriterion(const job::Segmenting & arguments, const Segmented & segmented)
{
  const Criterion & asked = segmented.asked;
  std::string       text = segmented.pores ? "material" : "foreground";
  if (segmented.threshold)
  {
    const std::string value = job::Readable(segmented.threshold->value);
    text += (arguments.below ? " below " + value : " from " + value + " up") + DescribeMethod(*segmented.threshold);
  }
  else
  {
    text += asked.range      ? DescribeRange(*asked.range)
          : asked.background ? ": values other than " + job::Readable(*asked.background)
                             : ": every voxel";
  }
  return text + (asked.joining == Criterion::Joining::EqualValue ? ", equal values joined"
                 : asked.joining == Criterion::Joining::Tolerance
                   ? ", values joined if at most " + job::Readable(asked.tolerance) + " apart"
                   : "");
}

void
AddSegmented(job::Findings &         findings,
             const job::Segmenting & arguments,
             const Segmented &       segmented,
             const ComponentTable &  table,
             const LoadedImage &     image,
             int                     line)
{
  findings.push_back(
    { "threshold", segmented.threshold ? DescribeThresholdAsJson(arguments, segmented) : nlohmann::ordered_json() });
  if (!segmented.pores)
  {
    findings.push_back({ "pores", nullptr });
    return;
  }
  AddPores(findings, *segmented.pores, table, image, line);
}

} // namespace brickccl::cli
