// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/ValueHistogram.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Measuring/CountNotANumber.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace brickccl
{

namespace
{

constexpr std::size_t BinCount = std::size_t{ 1 } << 16;

/** The results of a first pass over the values. */
template <typename T>
struct Bounds
{
  T             minimum = std::numeric_limits<T>::max();
  T             maximum = std::numeric_limits<T>::lowest();
  std::uint64_t finite = 0;
  std::uint64_t notNumbers = 0;
  std::uint64_t infinite = 0;
  bool          areWhole = true;

  void
  Add(T value)
  {
    if constexpr (std::is_floating_point_v<T>)
    {
      if (!std::isfinite(value))
      {
        ++(std::isnan(value) ? notNumbers : infinite);
        return;
      }
      areWhole = areWhole && value == std::floor(value);
    }
    minimum = std::min(minimum, value);
    maximum = std::max(maximum, value);
    ++finite;
  }

  void
  Add(const Bounds & other)
  {
    minimum = std::min(minimum, other.minimum);
    maximum = std::max(maximum, other.maximum);
    finite += other.finite;
    notNumbers += other.notNumbers;
    infinite += other.infinite;
    areWhole = areWhole && other.areWhole;
  }
};

/** The voxels of an image that count, in pieces for several threads. */
template <typename T>
class Values
{
public:
  Values(const ImageView & image, const std::optional<ImageView> & mask, const HostContext & context)
    : m_Values(static_cast<const T *>(image.data))
    , m_Context(context)
    , m_Chunks(image.extent.VoxelCount(), context.grain, std::int64_t{ 16 } * EffectiveThreadCount(context.threads))
  {
    if (mask)
    {
      VisitScalarType(mask->type, [&](auto tag) {
        using TMask = typename decltype(tag)::Type;
        const auto * inside = static_cast<const TMask *>(mask->data);
        m_Inside.resize(static_cast<std::size_t>(image.extent.VoxelCount()));
        std::transform(inside, inside + m_Inside.size(), m_Inside.begin(), IsInPart<TMask>);
      });
    }
  }

  /** Adds all values to copies of `sum`, calling `add(copy, value)`, and these to `sum` by `join(sum, copy)`. */
  template <typename TSum, typename TAdd, typename TJoin>
  void
  Sum(TSum & sum, TAdd add, TJoin join) const
  {
    // A few at a time, so that an interrupt takes effect soon and there are only as many sums as threads.
    const std::int64_t group = EffectiveThreadCount(m_Context.threads);
    std::vector<TSum>  sums(static_cast<std::size_t>(std::min(group, m_Chunks.count)), sum);
    for (std::int64_t begin = 0; begin < m_Chunks.count; begin += group)
    {
      const std::int64_t count = std::min(group, m_Chunks.count - begin);
      ParallelFor(count, m_Context.Silent(), [&](std::int64_t i) {
        TSum & own = sums[static_cast<std::size_t>(i)];
        for (std::int64_t place = m_Chunks.Begin(begin + i); place < m_Chunks.End(begin + i); ++place)
        {
          if (m_Inside.empty() || m_Inside[static_cast<std::size_t>(place)] != 0)
          {
            add(own, m_Values[place]);
          }
        }
      });
      m_Context.progress.Update(static_cast<double>(begin + count) / static_cast<double>(m_Chunks.count));
    }
    for (const TSum & own : sums)
    {
      join(sum, own);
    }
  }

  /** Counts values in bins; `binOf` gives the bin of a value. */
  template <typename TBin>
  void
  Count(std::vector<std::uint64_t> & counts, TBin binOf) const
  {
    Sum(
      counts,
      [&](std::vector<std::uint64_t> & own, T value) {
        if constexpr (std::is_floating_point_v<T>)
        {
          if (!std::isfinite(value))
          {
            return;
          }
        }
        ++own[binOf(value)];
      },
      [](std::vector<std::uint64_t> & all, const std::vector<std::uint64_t> & own) {
        for (std::size_t bin = 0; bin < all.size(); ++bin)
        {
          all[bin] += own[bin];
        }
      });
  }

private:
  const T *                 m_Values;
  std::vector<std::uint8_t> m_Inside;
  HostContext               m_Context;
  Chunks                    m_Chunks;
};

/** The distance of two values, where `low` is not above `high`; exact for integers. */
template <typename T>
double
Distance(T low, T high)
{
  if constexpr (std::is_integral_v<T>)
  {
    return static_cast<double>(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
  }
  else
  {
    return static_cast<double>(high) - static_cast<double>(low);
  }
}

/** Whether doubles hold the distances of integers to the least one, but not the integers themselves. */
template <typename T>
bool
NeedsOrigin(const Bounds<T> & bounds)
{
  if constexpr (sizeof(T) == 8 && std::is_integral_v<T>)
  {
    constexpr double largest = 9007199254740992.0;
    const Number     minimum = bounds.minimum;
    const Number     maximum = bounds.maximum;
    return Distance(bounds.minimum, bounds.maximum) < largest && (minimum < -largest || maximum > largest);
  }
  return false;
}

/** Counts values of many sizes in bins of equal width. If the outermost hundred-thousandths of the values need nearly
 * all the bins, the bins are set again for the others. */
template <typename T>
void
CountInWideBins(const Values<T> & values, const Bounds<T> & bounds, ValueHistogram & histogram)
{
  const bool hasOrigin = histogram.origin != 0;
  double     low = histogram.first;
  double     high = hasOrigin ? Distance(bounds.minimum, bounds.maximum) : static_cast<double>(histogram.maximum);
  for (int round = 0; round < 8; ++round)
  {
    // The distance of two numbers may be more than the largest number, so each is divided first.
    histogram.width = high / BinCount - low / BinCount;
    histogram.first = low + 0.5 * histogram.width;
    histogram.counts.assign(BinCount, 0);
    values.Count(histogram.counts, [&](T value) {
      const double fromOrigin = hasOrigin ? Distance(bounds.minimum, value) : static_cast<double>(value);
      const double bin = (0.5 * fromOrigin - 0.5 * low) / (0.5 * histogram.width);
      return bin >= static_cast<double>(BinCount - 1) ? BinCount - 1
           : bin >= 0                                 ? static_cast<std::size_t>(bin)
                                                      : std::size_t{ 0 };
    });
    const std::uint64_t few = histogram.valueCount / 100000;
    std::size_t         begin = 0;
    std::size_t         end = BinCount;
    for (std::uint64_t passed = histogram.counts[begin]; passed <= few; passed += histogram.counts[begin])
    {
      ++begin;
    }
    for (std::uint64_t passed = histogram.counts[end - 1]; passed <= few; passed += histogram.counts[end - 1])
    {
      --end;
    }
    const double newLow = begin == 0 ? low : low + histogram.width * static_cast<double>(begin);
    const double newHigh = end == BinCount ? high : low + histogram.width * static_cast<double>(end);
    if (end - begin > BinCount / 16 || !(newHigh / BinCount - newLow / BinCount > 0))
    {
      return;
    }
    low = newLow;
    high = newHigh;
  }
}

template <typename T>
ValueHistogram
HistogramOf(const ImageView & image, const std::optional<ImageView> & mask, const HostContext & context)
{
  ValueHistogram  histogram;
  const Values<T> look(image, mask, context.Part(0, 0.5));
  Bounds<T>       bounds;
  look.Sum(
    bounds,
    [](Bounds<T> & own, T value) { own.Add(value); },
    [](Bounds<T> & all, const Bounds<T> & own) { all.Add(own); });
  histogram.valueCount = bounds.finite;
  histogram.notANumberCount = bounds.notNumbers;
  histogram.infiniteCount = bounds.infinite;
  if (bounds.finite == 0)
  {
    return histogram;
  }
  histogram.minimum = bounds.minimum;
  histogram.maximum = bounds.maximum;
  histogram.origin = NeedsOrigin(bounds) ? histogram.minimum : 0;
  const Values<T> values(image, mask, context.Part(0.5, 1));
  const double    span = Distance(bounds.minimum, bounds.maximum);
  // Numbers so close that bins between them have no width count as one.
  const bool isOne = !(span / BinCount > 0);
  histogram.first = histogram.origin != 0 ? 0 : static_cast<double>(histogram.minimum);
  if (isOne)
  {
    histogram.counts.assign(1, bounds.finite);
    return histogram;
  }
  if (bounds.areWhole && span < static_cast<double>(BinCount))
  {
    histogram.counts.assign(static_cast<std::size_t>(span) + 1, 0);
    values.Count(histogram.counts, [&](T value) { return static_cast<std::size_t>(Distance(bounds.minimum, value)); });
    return histogram;
  }
  histogram.isExact = false;
  CountInWideBins(values, bounds, histogram);
  return histogram;
}

} // namespace

ValueHistogram
ValueHistogram::FromOrigin() const
{
  ValueHistogram shifted = *this;
  shifted.origin = 0;
  shifted.minimum = minimum + -origin;
  shifted.maximum = maximum + -origin;
  return shifted;
}

double
ValueHistogram::Percentile(double percent) const
{
  if (!(percent >= 0 && percent <= 100) || valueCount == 0)
  {
    throw InvalidArgument("cannot compute a percentile for " + std::to_string(percent) + " percent of " +
                          std::to_string(valueCount) + " values; give 0 to 100 percent of at least one value");
  }
  if (percent == 0 || percent == 100)
  {
    return static_cast<double>(percent == 0 ? minimum : maximum);
  }
  const auto    wanted = static_cast<long double>(percent) / 100 * static_cast<long double>(valueCount);
  std::uint64_t passed = 0;
  for (std::size_t bin = 0; bin < counts.size(); ++bin)
  {
    passed += counts[bin];
    if (counts[bin] > 0 && static_cast<long double>(passed) >= wanted)
    {
      return ValueOf(bin);
    }
  }
  return static_cast<double>(maximum);
}

bool
ValueHistogram::HasPadding() const
{
  if (!isExact || valueCount == 0 || minimum >= -1100 || counts.front() < std::max<std::uint64_t>(1, valueCount / 200))
  {
    return false;
  }
  const auto occurs = [](std::uint64_t count) { return count > 0; };
  const auto next = std::find_if(counts.begin() + 1, counts.end(), occurs);
  // In an image of two values neither is padding.
  return next != counts.end() && static_cast<double>(next - counts.begin()) * width >= 300 &&
         std::any_of(next + 1, counts.end(), occurs);
}

ValueHistogram
HistogramOfValues(const ImageView & image, const std::optional<ImageView> & mask, const HostContext & context)
{
  if (image.channels != 1 || (mask && mask->channels != 1))
  {
    throw InvalidArgument("an image of " + std::to_string(std::max(image.channels, mask ? mask->channels : 1)) +
                          " channels (a color image?) has no gray values; convert it to gray first");
  }
  if (mask && mask->extent != image.extent)
  {
    throw InvalidArgument("the mask has " + mask->extent.ToString() + " voxels but the image " +
                          image.extent.ToString() + "; they must be the same");
  }
  return VisitScalarType(image.type,
                         [&](auto tag) { return HistogramOf<typename decltype(tag)::Type>(image, mask, context); });
}

} // namespace brickccl
