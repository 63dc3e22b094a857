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

void
CheckValues(const ImageView & image, const std::optional<ImageView> & mask)
{
  ThrowIf<InvalidArgument>(image.channels != 1 || (mask && mask->channels != 1),
                           "an image of " + std::to_string(std::max(image.channels, mask ? mask->channels : 1)) +
                             " channels (a color image?) has no gray values; convert it to gray first");
  if (mask && mask->extent != image.extent)
  {
    throw InvalidArgument("the mask has " + mask->extent.ToString() + " voxels but the image " +
                          image.extent.ToString() + "; they must be the same");
  }
}

/** The voxels of an image that count, in pieces for several threads. */
template <typename T>
class Values
{
public:
  Values(const ImageParts & parts, const HostContext & context)
    : m_Parts(parts)
    , m_Context(context)
  {}

  /** Adds all values to copies of `sum`, calling `add(copy, value)`, and these to `sum` by `join(sum, copy)`. */
  template <typename TSum, typename TAdd, typename TJoin>
  void
  Sum(TSum & sum, TAdd add, TJoin join) const
  {
    const TSum none = sum;
    m_Parts([&](const ImageView & part, const std::optional<ImageView> & mask) {
      CheckValues(part, mask);
      const auto * const values = static_cast<const T *>(part.data);
      const Chunks       chunks(part.extent.VoxelCount(),
                          m_Context.grain,
                          std::int64_t{ 16 } * EffectiveThreadCount(m_Context.threads));
      // A few at a time, so that an interrupt takes effect soon and there are only as many sums as threads.
      const std::int64_t group = EffectiveThreadCount(m_Context.threads);
      std::vector<TSum>  sums(static_cast<std::size_t>(std::min(group, chunks.count)), none);
      for (std::int64_t begin = 0; begin < chunks.count; begin += group)
      {
        const std::int64_t count = std::min(group, chunks.count - begin);
        ParallelFor(count, m_Context.Silent(), [&](std::int64_t i) {
          TSum &                          own = sums[static_cast<std::size_t>(i)];
          const std::int64_t              first = chunks.Begin(begin + i);
          const std::int64_t              end = chunks.End(begin + i);
          const std::vector<std::uint8_t> inside = mask ? IsInside(*mask, first, end) : std::vector<std::uint8_t>();
          for (std::int64_t place = first; place < end; ++place)
          {
            if (inside.empty() || inside[static_cast<std::size_t>(place - first)] != 0)
            {
              add(own, values[place]);
            }
          }
        });
        m_Context.progress.Update(static_cast<double>(begin + count) / static_cast<double>(chunks.count));
      }
      for (const TSum & own : sums)
      {
        join(sum, own);
      }
    });
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
  static std::vector<std::uint8_t>
  IsInside(const ImageView & mask, std::int64_t begin, std::int64_t end)
  {
    std::vector<std::uint8_t> inside(static_cast<std::size_t>(end - begin));
    VisitScalarType(mask.type, [&](auto tag) {
      using TMask = typename decltype(tag)::Type;
      const auto * const values = static_cast<const TMask *>(mask.data);
      std::transform(values + begin, values + end, inside.begin(), IsInPart<TMask>);
    });
    return inside;
  }

  const ImageParts & m_Parts;
  HostContext        m_Context;
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

/** Counts values in bins of equal width, without the outermost hundred-thousandths if these need most bins. */
template <typename T>
void
CountInWideBins(const Values<T> & values, ValueHistogram & histogram)
{
  double low = histogram.first;
  auto   high = static_cast<double>(histogram.maximum);
  for (int round = 0; round < 8; ++round)
  {
    // The distance of two numbers may be more than the largest number, so each is divided first.
    histogram.width = high / BinCount - low / BinCount;
    histogram.first = low + 0.5 * histogram.width;
    histogram.counts.assign(BinCount, 0);
    values.Count(histogram.counts, [&](T value) {
      const double bin = (0.5 * static_cast<double>(value) - 0.5 * low) / (0.5 * histogram.width);
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
HistogramOf(const ImageParts & parts, const HostContext & context)
{
  ValueHistogram  histogram;
  const Values<T> look(parts, context.Part(0, 0.5));
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
  const Values<T> values(parts, context.Part(0.5, 1));
  const double    span = Distance(bounds.minimum, bounds.maximum);
  // Numbers so close that bins between them have no width count as one.
  const bool isOne = !(span / BinCount > 0);
  histogram.first = static_cast<double>(histogram.minimum);
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
  CountInWideBins(values, histogram);
  return histogram;
}

} // namespace

double
ValueHistogram::Percentile(double percent) const
{
  ThrowIf<InvalidArgument>(!(percent >= 0 && percent <= 100) || valueCount == 0,
                           "cannot compute a percentile for " + std::to_string(percent) + " percent of " +
                             std::to_string(valueCount) + " values; give 0 to 100 percent of at least one value");
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
  return HistogramOfValues(
    image.type,
    [&](const auto & look) { look(image, mask); },
    context);
}

ValueHistogram
HistogramOfValues(ScalarType type, const ImageParts & parts, const HostContext & context)
{
  return VisitScalarType(type, [&](auto tag) { return HistogramOf<typename decltype(tag)::Type>(parts, context); });
}

std::vector<HistogramBar>
BarsOf(const ValueHistogram & histogram, std::size_t most)
{
  const auto binOf = [&](double value) {
    const double bin = std::round((value - histogram.first) / histogram.width);
    return static_cast<std::size_t>(std::clamp(bin, 0.0, static_cast<double>(histogram.counts.size() - 1)));
  };
  const std::size_t         begin = binOf(histogram.Percentile(0.01));
  const std::size_t         end = binOf(histogram.Percentile(99.99)) + 1;
  const std::size_t         perBar = (end - begin + most - 1) / most;
  std::vector<HistogramBar> bars;
  for (std::size_t bin = begin; bin < end; bin += perBar)
  {
    HistogramBar bar;
    bar.low = histogram.ValueOf(bin) - (histogram.isExact ? 0 : 0.5 * histogram.width);
    bar.high = bar.low + histogram.width * static_cast<double>(perBar - (histogram.isExact ? 1 : 0));
    const std::size_t last = std::min(bin + perBar, end);
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

LooksOfImage::Kind
LooksOfImage::Look() const
{
  // A handful of voxels says nothing.
  if (!m_AreSeveral || m_Equal + m_Different < 100)
  {
    return Kind::Other;
  }
  return m_Different > (m_Equal + m_Different) / 4                ? Kind::GrayValues
       : m_AreWhole && m_Different <= (m_Equal + m_Different) / 8 ? Kind::Labels
                                                                  : Kind::Other;
}

void
LooksOfImage::Add(const ImageView & part, std::int64_t firstRow, const Extent & image)
{
  VisitScalarType(part.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto *           voxels = static_cast<const T *>(part.data);
    constexpr std::int64_t maximumRows = 4096;
    const std::int64_t     step = 1 + image.RowCount() / maximumRows;
    const std::int64_t     length = part.extent.RowLength();
    m_AreWhole = std::is_integral_v<T>;
    for (std::int64_t row = (step - firstRow % step) % step; row < part.extent.RowCount(); row += step)
    {
      const T * const begin = voxels + row * length;
      for (std::int64_t x = 1; x < length; ++x)
      {
        const bool areBoth = begin[x - 1] != 0 && begin[x] != 0;
        m_Equal += areBoth && begin[x - 1] == begin[x] ? 1 : 0;
        m_Different += areBoth && begin[x - 1] != begin[x] ? 1 : 0;
        if (areBoth)
        {
          // Other numbers than these may be the same as doubles; labels are not so large.
          const auto value = static_cast<double>(begin[x]);
          m_First = m_First == 0 ? value : m_First;
          m_AreSeveral = m_AreSeveral || value != m_First;
        }
      }
    }
  });
}

} // namespace brickccl
