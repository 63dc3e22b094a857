// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/HistogramPeaks.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace brickccl
{

namespace
{

/** About this many bins are used. */
constexpr std::size_t CoarseBins = 512;
/** The bins at both ends into which smoothing may reach. */
constexpr std::size_t Margin = 8;

/** A histogram of few bins, each of which holds the same number of values that may occur. */
struct CoarseHistogram
{
  /** So many bins of the fine histogram make one. */
  std::size_t         bins = 1;
  std::vector<double> counts;
  /** The square roots of smoothed counts. */
  std::vector<double> heights;
};

/** The greatest step of which all distances of occurring bins are multiples. */
std::size_t
StepOf(const std::vector<std::uint64_t> & counts)
{
  std::size_t step = 0;
  std::size_t last = 0;
  for (std::size_t bin = 0; bin < counts.size(); ++bin)
  {
    if (counts[bin] > 0)
    {
      step = std::gcd(step, bin - last);
      last = bin;
    }
  }
  return std::max<std::size_t>(1, step);
}

/** The span of the bins that hold all but the rarest values. */
std::size_t
SpanOf(const ValueHistogram & histogram)
{
  const double low = histogram.Percentile(0.01);
  const double high = histogram.Percentile(99.99);
  return static_cast<std::size_t>(std::max(0.0, std::round((high - low) / histogram.width))) + 1;
}

void
Smooth(std::vector<double> & counts)
{
  const std::vector<double> before = counts;
  for (std::size_t i = 2; i + 2 < counts.size(); ++i)
  {
    counts[i] = (before[i - 2] + 4 * before[i - 1] + 6 * before[i] + 4 * before[i + 1] + before[i + 2]) / 16;
  }
}

CoarseHistogram
Coarsen(const ValueHistogram & histogram)
{
  CoarseHistogram   coarse;
  const std::size_t step = StepOf(histogram.counts);
  coarse.bins = step * ((SpanOf(histogram) + step * CoarseBins - 1) / (step * CoarseBins));
  coarse.counts.assign((histogram.counts.size() - 1) / coarse.bins + 1 + 2 * Margin, 0);
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin)
  {
    coarse.counts[bin / coarse.bins + Margin] += static_cast<double>(histogram.counts[bin]);
  }
  std::vector<double> smooth = coarse.counts;
  Smooth(smooth);
  Smooth(smooth);
  coarse.heights = smooth;
  std::transform(smooth.begin(), smooth.end(), coarse.heights.begin(), [](double count) { return std::sqrt(count); });
  return coarse;
}

/** The bins of the highest peak and of the most prominent other one; equal ones if there is none. */
std::pair<std::size_t, std::size_t>
ClearestPeaks(const std::vector<double> & heights)
{
  std::vector<std::size_t> order(heights.size());
  std::iota(order.begin(), order.end(), std::size_t{ 0 });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return heights[a] > heights[b]; });
  // From the highest bin down, each bin is a new peak or belongs to its neighbors; where two meet, the lower one ends.
  constexpr auto           none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> peakOf(heights.size(), none);
  const auto               find = [&](std::size_t bin) {
    while (peakOf[bin] != bin)
    {
      bin = peakOf[bin];
    }
    return bin;
  };
  const std::size_t highest = order.front();
  std::size_t       second = highest;
  double            secondHeight = 0;
  for (const std::size_t bin : order)
  {
    peakOf[bin] = bin;
    for (const std::size_t beside : { bin - 1, bin + 1 })
    {
      if (beside >= heights.size() || peakOf[beside] == none)
      {
        continue;
      }
      std::size_t higher = find(beside);
      std::size_t lower = find(bin);
      if (heights[lower] > heights[higher] || (heights[lower] == heights[higher] && lower < higher))
      {
        std::swap(higher, lower);
      }
      if (heights[lower] - heights[bin] > secondHeight)
      {
        secondHeight = heights[lower] - heights[bin];
        second = lower;
      }
      peakOf[lower] = higher;
    }
  }
  // Counts vary by about their square root, so heights by about 0.5, and after smoothing by less.
  constexpr double leastHeight = 1.5;
  return { highest, secondHeight >= leastHeight ? second : highest };
}

/** The mean value around a peak: of its neighboring bins that are at least 0.8 times as frequent. */
double
ValueAt(std::size_t peak, const CoarseHistogram & coarse, const ValueHistogram & histogram)
{
  const double least = std::sqrt(0.8) * coarse.heights[peak];
  std::size_t  begin = peak;
  std::size_t  end = peak + 1;
  while (begin > Margin && coarse.heights[begin - 1] >= least)
  {
    --begin;
  }
  while (end < coarse.heights.size() - Margin && coarse.heights[end] >= least)
  {
    ++end;
  }
  double count = 0;
  double sum = 0;
  begin = std::max(begin, Margin) - Margin;
  end = std::max(end, Margin) - Margin;
  for (std::size_t bin = begin * coarse.bins; bin < std::min(end * coarse.bins, histogram.counts.size()); ++bin)
  {
    count += static_cast<double>(histogram.counts[bin]);
    sum += static_cast<double>(histogram.counts[bin]) * static_cast<double>(bin);
  }
  // A narrow peak may be smoothed beyond the end of the histogram, where no value is.
  const double mean = count > 0 ? sum / count : static_cast<double>((std::max(peak, Margin) - Margin) * coarse.bins);
  return histogram.first + histogram.width * mean;
}

} // namespace

HistogramPeaks
FindTwoPeaks(const ValueHistogram & histogram)
{
  const char * const oneAlone =
    histogram.minimum == histogram.maximum
      ? "no automatic threshold: all voxels have the same value"
      : "the histogram does not have two clear peaks (air and material); use otsu or a number as the threshold";
  ThrowIf<InvalidArgument>(
    histogram.valueCount == 0,
    "there are no values for a threshold: every voxel is NaN or infinite, or none is in the mask");
  const CoarseHistogram coarse = Coarsen(histogram);
  const auto [highest, second] = ClearestPeaks(coarse.heights);
  ThrowIf<InvalidArgument>(highest == second, oneAlone);
  const auto [left, right] = std::minmax(highest, second);
  const auto  lowest = std::min_element(coarse.heights.begin() + static_cast<std::ptrdiff_t>(left),
                                       coarse.heights.begin() + static_cast<std::ptrdiff_t>(right));
  const auto  begin = static_cast<std::size_t>(lowest - coarse.heights.begin());
  std::size_t end = begin;
  while (end < right && coarse.heights[end] == *lowest)
  {
    ++end;
  }
  HistogramPeaks peaks;
  peaks.low = ValueAt(left, coarse, histogram);
  peaks.high = ValueAt(right, coarse, histogram);
  // The stretch of the rarest bins, from the lower border of the first to the upper border of the last.
  const double middle = 0.5 * static_cast<double>((begin - Margin + end - Margin) * coarse.bins) - 0.5;
  peaks.valley = histogram.first + histogram.width * middle;
  return peaks;
}

} // namespace brickccl
