// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/GrayWindow.h"

#include "BrickCCL/Pictures/Ticks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace brickccl
{

constexpr std::size_t Bins = 256;

/** The lower group may be air up to this spread, as a share of the distance between the means of the two groups. */
constexpr double LargestSpreadOfAir = 0.2;
constexpr double SmallestShareOfPart = 0.1;

/** How many of `count` sorted values are below a percentile, as above the percentile 100 - `percent`. */
static std::size_t
CountBelow(double percent, std::size_t count)
{
  return static_cast<std::size_t>(percent / 100 * static_cast<double>(count - 1));
}

/** The position of a value between `low` and `high`, 0 to 1. The two may be as far apart as doubles can be. */
static double
ShareBetween(double value, double low, double high)
{
  return std::clamp((value / 2 - low / 2) / (high / 2 - low / 2), 0.0, 1.0);
}

/** The value that would stand at a place if the values were sorted. It puts them in another order. */
static double
ValueOfRank(std::vector<double> & values, std::size_t place)
{
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/** How many of the lowest values are air; 0 if they do not fall into two groups. */
static std::size_t
CountAir(std::vector<double> & values)
{
  // A few values far outside must not shift the threshold.
  const std::size_t outside = CountBelow(0.1, values.size());
  const double      low = ValueOfRank(values, outside);
  const double      high = ValueOfRank(values, values.size() - 1 - outside);
  if (!(high > low))
  {
    return 0;
  }
  double counts[Bins] = {};
  for (const double value : values)
  {
    const double place = ShareBetween(value, low, high) * static_cast<double>(Bins);
    ++counts[std::min(Bins - 1, static_cast<std::size_t>(place))];
  }
  double total = 0;
  for (std::size_t i = 0; i < Bins; ++i)
  {
    total += static_cast<double>(i) * counts[i];
  }
  const auto  all = static_cast<double>(values.size());
  double      below = 0;
  double      sum = 0;
  double      squares = 0;
  double      best = 0;
  std::size_t air = 0;
  for (std::size_t i = 0; i + 1 < Bins; ++i)
  {
    const auto level = static_cast<double>(i);
    below += counts[i];
    sum += level * counts[i];
    squares += level * level * counts[i];
    if (counts[i] == 0 || below == all)
    {
      continue;
    }
    const double mean = sum / below;
    const double apart = (total - sum) / (all - below) - mean;
    const double between = below * (all - below) * apart * apart;
    if (between > best)
    {
      best = between;
      const double spread = std::sqrt(std::max(0.0, squares / below - mean * mean));
      const bool   isAir = spread <= LargestSpreadOfAir * apart && all - below >= SmallestShareOfPart * all;
      air = isAir ? static_cast<std::size_t>(below) : 0;
    }
  }
  return air;
}

double
GrayWindow::ShareOf(double value) const
{
  return std::isnan(value) ? 0 : ShareBetween(value, black, white);
}

std::string
GrayWindow::Text() const
{
  return "window " + ShortNumber(white - black) + ", level " + ShortNumber(0.5 * black + 0.5 * white);
}

GrayWindow
WindowOfPart(const std::vector<double> & values)
{
  std::vector<double> finite;
  finite.reserve(values.size());
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](double value) {
    return std::isfinite(value);
  });
  if (finite.empty())
  {
    return {};
  }
  const std::size_t air = CountAir(finite);
  const std::size_t outside = CountBelow(0.5, finite.size() - air);
  const double      low = ValueOfRank(finite, air + outside);
  const double      high = ValueOfRank(finite, finite.size() - 1 - outside);
  const auto [minimum, maximum] = std::minmax_element(finite.begin(), finite.end());
  if (!(high > low))
  {
    // A part that has a single value is white on air, or on 0 without air.
    const double black = high > *minimum ? *minimum : std::min(high, 0.0);
    return { black, high > black ? high : high < 0 ? 0 : 1 };
  }
  const double beyond = 0.05 * high - 0.05 * low;
  return { std::max(*minimum, low - beyond), std::min(*maximum, high + beyond) };
}

} // namespace brickccl
