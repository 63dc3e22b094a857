// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/Threshold.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/LostNumber.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Segmenting/HistogramPeaks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>

namespace brickccl
{

static void
RefuseIf(bool condition, const std::string & text)
{
  if (!condition)
  {
    return;
  }
  std::string hint;
  if (text.find(',') != std::string::npos)
  {
    std::string point = text;
    point[point.find(',')] = '.';
    hint = "; write a decimal point: " + point;
  }
  hint = IsLostNumber(text) ? HintOnLostNumber(text) : hint;
  throw InvalidArgument(
    "unknown threshold " + Quoted(text) + "; use otsu, multi-otsu:N (N classes, 2 to " +
    std::to_string(ThresholdMethod::MaximumClasses) +
    "; multi-otsu:N:K takes the K-th threshold), valley, iso50, local:MM (a window; local:MM:PERCENT) "
    "or a number" +
    hint + DidYouMean(text, { "otsu", "multi-otsu:3", "valley", "iso50", "local:5" }));
}

/** A whole number from `minimum` to `maximum`, or -1. */
static int
CountOf(const std::string & text, int minimum, int maximum)
{
  int          count = -1;
  const char * end = text.data() + text.size();
  const auto   parsed = std::from_chars(text.data(), end, count);
  return parsed.ec == std::errc() && parsed.ptr == end && count >= minimum && count <= maximum ? count : -1;
}

bool
Threshold::IsBeyondDoubles(const Number & threshold)
{
  constexpr double largest = 9007199254740992.0;
  return threshold > largest || threshold < -largest;
}

ThresholdMethod
ThresholdMethod::FromText(const std::string & text)
{
  ThresholdMethod   method;
  const std::string multi = "multi-otsu:";
  const std::string local = "local:";
  if (text == "otsu" || text == "valley" || text == "iso50")
  {
    method.kind = text == "otsu" ? Kind::Otsu : text == "valley" ? Kind::Valley : Kind::Iso50;
  }
  else if (text.compare(0, multi.size(), multi) == 0)
  {
    const auto        colon = text.find(':', multi.size());
    const bool        hasWhich = colon != std::string::npos;
    const std::string classes = text.substr(multi.size(), hasWhich ? colon - multi.size() : std::string::npos);
    method.kind = Kind::MultiOtsu;
    method.classes = CountOf(classes, 2, MaximumClasses);
    method.which = hasWhich ? CountOf(text.substr(colon + 1), 1, method.classes - 1) : 0;
    RefuseIf(method.classes < 0 || method.which < 0, text);
  }
  else if (text.compare(0, local.size(), local) == 0)
  {
    const auto        colon = text.find(':', local.size());
    const std::string window = text.substr(local.size(), colon == std::string::npos ? colon : colon - local.size());
    const auto        width = Number::FromText(window);
    method.kind = Kind::Local;
    method.percent = colon == std::string::npos ? 50 : CountOf(text.substr(colon + 1), 1, 99);
    RefuseIf(!width || !(*width > 0) || !std::isfinite(width->Nearest()) || IsLostNumber(window) || method.percent < 0,
             text);
    method.window = width->Nearest();
  }
  else
  {
    const std::optional<Number> value = Number::FromText(text);
    RefuseIf(!value || !std::isfinite(value->Nearest()) || IsLostNumber(text) ||
               text.find_first_not_of("+-.0123456789eE") != std::string::npos,
             text);
    method.kind = Kind::Value;
    method.value = *value;
  }
  return method;
}

std::string
ThresholdMethod::ToString() const
{
  switch (kind)
  {
  case Kind::Otsu:
    return "otsu";
  case Kind::MultiOtsu:
    return "multi-otsu:" + std::to_string(classes) + (which == 0 ? "" : ":" + std::to_string(which));
  case Kind::Valley:
    return "valley";
  case Kind::Iso50:
    return "iso50";
  case Kind::Local:
    return "local:" + Shortest(window) + (percent == 50 ? "" : ":" + std::to_string(percent));
  case Kind::Value:
    break;
  }
  return value.ToString();
}

Criterion
Threshold::AtOrAbove() const
{
  // A local threshold gives a mask.
  return Criterion::InRange(IsLocal() ? Number(1) : value, std::numeric_limits<double>::infinity());
}

Criterion
Threshold::Below() const
{
  return Criterion::InRange(-std::numeric_limits<double>::infinity(), IsLocal() ? Number(0) : value.JustBelow());
}

namespace
{

/** The values that occur, and sums over them from the first on. */
struct OccurringValues
{
  std::vector<double>      values;
  std::vector<long double> counts = { 0 };
  std::vector<long double> sums = { 0 };

  explicit OccurringValues(const ValueHistogram & histogram)
  {
    for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin)
    {
      if (histogram.counts[bin] > 0)
      {
        const auto count = static_cast<long double>(histogram.counts[bin]);
        values.push_back(histogram.ValueOf(bin));
        counts.push_back(counts.back() + count);
        // In numbers of bins, so that the sums of images far from zero lose nothing.
        sums.push_back(sums.back() + count * static_cast<long double>(bin));
      }
    }
  }

  /** The contribution of a class of the values [begin, end) to the variance between classes, up to a constant. */
  long double
  Score(std::size_t begin, std::size_t end) const
  {
    const long double sum = sums[end] - sums[begin];
    return sum * sum / (counts[end] - counts[begin]);
  }
};

/** The best divisions of the first values into a number of classes, from those into one class fewer. */
class Divisions
{
public:
  explicit Divisions(const OccurringValues & occurring)
    : m_Occurring(occurring)
    , m_Best(occurring.values.size() + 1)
  {
    for (std::size_t end = 1; end < m_Best.size(); ++end)
    {
      m_Best[end] = occurring.Score(0, end);
    }
  }

  /** One class more. \return for each number of values, where the last class begins. */
  std::vector<std::size_t>
  AddClass(std::size_t classes)
  {
    std::vector<long double> best(m_Best.size());
    std::vector<std::size_t> begins(m_Best.size());
    Solve(classes, m_Best.size(), classes - 1, m_Best.size() - 1, best, begins);
    m_Best = best;
    return begins;
  }

private:
  /** Solves for numbers of values in [first, last). The last class begins in [low, high], later for more values. */
  void
  Solve(std::size_t                first,
        std::size_t                last,
        std::size_t                low,
        std::size_t                high,
        std::vector<long double> & best,
        std::vector<std::size_t> & begins) const
  {
    if (first >= last)
    {
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    best[middle] = -1;
    for (std::size_t begin = low; begin <= std::min(high, middle - 1); ++begin)
    {
      const long double score = m_Best[begin] + m_Occurring.Score(begin, middle);
      if (score > best[middle])
      {
        best[middle] = score;
        begins[middle] = begin;
      }
    }
    Solve(first, middle, low, begins[middle], best, begins);
    Solve(middle + 1, last, begins[middle], high, best, begins);
  }

  const OccurringValues &  m_Occurring;
  std::vector<long double> m_Best;
};

/** The `classes` - 1 thresholds that make the variance between classes greatest, lowest first (Otsu, A Threshold
 *  Selection Method from Gray-Level Histograms, IEEE Transactions on Systems, Man, and Cybernetics, 1979). The
 *  optimum is exact. Each threshold is in the middle between the two neighboring values that occur; of equally good
 *  divisions the one with the lowest thresholds wins. \throws InvalidArgument if fewer than `classes` values occur. */
std::vector<double>
MultiOtsuThresholds(const ValueHistogram & histogram, int classes)
{
  const OccurringValues occurring(histogram);
  const std::size_t     valueCount = occurring.values.size();
  const auto            classCount = static_cast<std::size_t>(classes);
  ThrowIf<InvalidArgument>(
    classes < 2 || valueCount < classCount,
    valueCount == 1 ? std::string("no automatic threshold: all ") + (histogram.infiniteCount > 0 ? "finite " : "") +
                        "voxels have the same value"
                    : "no automatic threshold for " + std::to_string(classes) + " classes: the image has only " +
                        std::to_string(valueCount) + " different values; give the threshold as a number");
  Divisions                             divisions(occurring);
  std::vector<std::vector<std::size_t>> begins;
  for (std::size_t count = 2; count <= classCount; ++count)
  {
    begins.push_back(divisions.AddClass(count));
  }
  std::vector<double> thresholds;
  std::size_t         end = valueCount;
  for (std::size_t count = begins.size(); count > 0; --count)
  {
    end = begins[count - 1][end];
    thresholds.push_back(0.5 * occurring.values[end - 1] + 0.5 * occurring.values[end]);
  }
  std::reverse(thresholds.begin(), thresholds.end());
  return thresholds;
}

/** \throws InvalidArgument if doubles, used for thresholds, cannot distinguish the values of neighboring bins. */
void
CheckPrecision(const ValueHistogram & histogram)
{
  // The last of the bins, which ignore outliers.
  const double last = histogram.counts.empty() ? histogram.first : histogram.ValueOf(histogram.counts.size() - 1);
  const double farthest = std::max(std::abs(histogram.first), std::abs(last));
  if (std::nextafter(farthest, std::numeric_limits<double>::infinity()) - farthest > histogram.width)
  {
    std::ostringstream text;
    text << "the values are too close together for their size (up to " << farthest
         << ") to find a threshold in 64-bit floating-point numbers; give a number";
    throw InvalidArgument(text.str());
  }
}

} // namespace

Threshold
FindThreshold(const ValueHistogram & histogram, const ThresholdMethod & method)
{
  using Kind = ThresholdMethod::Kind;
  if (method.kind != Kind::Value)
  {
    CheckPrecision(histogram);
  }
  if (method.kind != Kind::Value && histogram.HasPadding())
  {
    ValueHistogram measured = histogram;
    measured.valueCount -= measured.counts.front();
    measured.counts.front() = 0;
    const auto next =
      std::find_if(measured.counts.begin(), measured.counts.end(), [](auto count) { return count > 0; });
    measured.first = measured.ValueOf(static_cast<std::size_t>(next - measured.counts.begin()));
    measured.minimum = measured.first;
    measured.counts.erase(measured.counts.begin(), next);
    Threshold threshold = FindThreshold(measured, method);
    threshold.padding = histogram.first;
    return threshold;
  }
  Threshold threshold;
  threshold.method = method;
  if (method.kind == Kind::Value)
  {
    threshold.value = method.value;
    threshold.all = { method.value };
    return threshold;
  }
  if (method.kind == Kind::Otsu || method.kind == Kind::MultiOtsu || method.kind == Kind::Local)
  {
    const std::vector<double> all = MultiOtsuThresholds(histogram, method.kind == Kind::MultiOtsu ? method.classes : 2);
    threshold.all.assign(all.begin(), all.end());
    threshold.value =
      method.which == 0 ? threshold.all.back() : threshold.all[static_cast<std::size_t>(method.which) - 1];
    return threshold;
  }
  const HistogramPeaks peaks = FindTwoPeaks(histogram);
  threshold.value = method.kind == Kind::Valley ? peaks.valley : 0.5 * (peaks.low + peaks.high);
  threshold.all = { threshold.value };
  threshold.peaks = { peaks.low, peaks.high };
  return threshold;
}

std::vector<ProposedThreshold>
ProposeThresholds(const ValueHistogram & histogram)
{
  std::vector<ProposedThreshold> proposals;
  for (const char * const method : { "otsu", "multi-otsu:3", "multi-otsu:4", "valley", "iso50" })
  {
    ProposedThreshold proposal;
    proposal.method = method;
    try
    {
      proposal.threshold = FindThreshold(histogram, ThresholdMethod::FromText(method));
      std::uint64_t above = 0;
      for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin)
      {
        above += Number(histogram.ValueOf(bin)) >= proposal.threshold.value ? histogram.counts[bin] : 0;
      }
      proposal.share = static_cast<double>(above) / static_cast<double>(histogram.valueCount);
      proposal.isRepeated = std::any_of(proposals.begin(), proposals.end(), [&](const ProposedThreshold & before) {
        return before.failure.empty() && before.method.rfind("multi-otsu", 0) == 0 && proposal.method[0] == 'm' &&
               before.threshold.value == proposal.threshold.value;
      });
    }
    catch (const InvalidArgument & error)
    {
      proposal.failure = error.what();
    }
    proposals.push_back(proposal);
  }
  return proposals;
}

} // namespace brickccl
