// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/Threshold.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/LostNumber.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Segmenting/HistogramPeaks.h"
#include "BrickCCL/Segmenting/MultiOtsu.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

namespace brickccl
{

namespace
{

[[noreturn]] void
RefuseMethod(const std::string & text)
{
  std::string hint;
  if (text.find(',') != std::string::npos)
  {
    std::string point = text;
    point[point.find(',')] = '.';
    hint = "; write a decimal point: " + point;
  }
  if (IsLostNumber(text))
  {
    hint = HintOnLostNumber(text);
  }
  throw InvalidArgument("unknown threshold " + Quoted(text) + "; use otsu, multi-otsu:N (N classes, 2 to " +
                        std::to_string(ThresholdMethod::MaximumClasses) +
                        "; multi-otsu:N:K takes the K-th threshold), valley, iso50 or a number" + hint +
                        DidYouMean(text, { "otsu", "multi-otsu:3", "valley", "iso50" }));
}

/** A whole number from `minimum` to `maximum`, or -1. */
int
CountOf(const std::string & text, int minimum, int maximum)
{
  int          count = -1;
  const char * end = text.data() + text.size();
  const auto   parsed = std::from_chars(text.data(), end, count);
  return parsed.ec == std::errc() && parsed.ptr == end && count >= minimum && count <= maximum ? count : -1;
}

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

} // namespace

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
    if (method.classes < 0 || method.which < 0)
    {
      RefuseMethod(text);
    }
  }
  else
  {
    const std::optional<Number> value = Number::FromText(text);
    if (!value || !std::isfinite(value->Nearest()) || IsLostNumber(text) ||
        text.find_first_not_of("+-.0123456789eE") != std::string::npos)
    {
      RefuseMethod(text);
    }
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
  case Kind::Value:
    break;
  }
  return value.ToString();
}

Criterion
Threshold::AtOrAbove() const
{
  return Criterion::InRange(value, std::numeric_limits<double>::infinity());
}

Criterion
Threshold::Below() const
{
  return Criterion::InRange(-std::numeric_limits<double>::infinity(), value.JustBelow());
}

namespace
{

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
  if (method.kind != Kind::Value && histogram.origin != 0)
  {
    Threshold threshold = FindThreshold(histogram.FromOrigin(), method);
    // A threshold between two whole numbers separates them like the upper one.
    threshold.value = histogram.origin + threshold.value.Ceiling();
    for (Number & each : threshold.all)
    {
      each = histogram.origin + each.Ceiling();
    }
    for (double & peak : threshold.peaks)
    {
      peak = static_cast<double>(histogram.origin + Number(peak));
    }
    return threshold;
  }
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
  if (method.kind == Kind::Otsu || method.kind == Kind::MultiOtsu)
  {
    const std::vector<double> all = MultiOtsuThresholds(histogram, method.kind == Kind::Otsu ? 2 : method.classes);
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

} // namespace brickccl
