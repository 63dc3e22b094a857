// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/MultiOtsu.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace brickccl
{

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
  /** Solves for the numbers of values [first, last). The last class begins at one of [low, high], since the more values
   *  there are, the later it begins. */
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

} // namespace

std::vector<double>
MultiOtsuThresholds(const ValueHistogram & histogram, int classes)
{
  const OccurringValues occurring(histogram);
  const std::size_t     valueCount = occurring.values.size();
  const auto            classCount = static_cast<std::size_t>(classes);
  if (classes < 2 || valueCount < classCount)
  {
    throw InvalidArgument(valueCount == 1 ? std::string("no automatic threshold: all voxels have the same value")
                                          : "no automatic threshold for " + std::to_string(classes) +
                                              " classes: the image has only " + std::to_string(valueCount) +
                                              " different values; give the threshold as a number");
  }
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

} // namespace brickccl
