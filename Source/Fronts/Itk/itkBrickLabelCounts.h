// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickLabelCounts_h
#define itkBrickLabelCounts_h

#include "BrickCCL/Core/Error.h"
#include "itkBrickImageView.h"
#include "itkBrickProcess.h"

#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace itk
{

/** Calls a function with pieces [begin, end) of `count` items on a filter's threads, band after band. Progress is
 *  reported in between, and the filter can be stopped. The third parameter is the number of the piece within its band.
 *  The function must not throw. \throws brickccl::Canceled. */
template <typename TFunction>
void
ForBrickPieces(ProcessObject * filter, BrickProgress & progress, std::int64_t count, const TFunction & function)
{
  constexpr std::int64_t bands = 16;
  const std::int64_t     threads = BrickThreadsOf(filter);
  for (std::int64_t band = 0; band < bands; ++band)
  {
    progress.Update(static_cast<double>(band) / bands);
    const std::int64_t begin = count * band / bands;
    const std::int64_t size = count * (band + 1) / bands - begin;
    // A few items are not worth a thread's start.
    const std::int64_t pieces = size < 4096 ? 1 : threads;
    const auto         runPiece = [&](SizeValueType piece) {
      const auto number = static_cast<std::int64_t>(piece);
      function(begin + size * number / pieces, begin + size * (number + 1) / pieces, piece);
    };
    if (pieces == 1)
    {
      runPiece(0);
    }
    else
    {
      filter->GetMultiThreader()->ParallelizeArray(0, static_cast<SizeValueType>(pieces), runPiece, nullptr);
    }
  }
  progress.Update(1);
}

/** The end of the stretch of equal values that begins at a pixel. */
template <typename T>
std::int64_t
EndOfBrickStretch(const T * pixels, std::int64_t begin, std::int64_t end)
{
  constexpr std::int64_t block = 16;
  const T                value = pixels[begin];
  const std::int64_t     firstBlock = std::min(end, begin + block);
  std::int64_t           next = begin + 1;
  while (next < firstBlock && pixels[next] == value)
  {
    ++next;
  }
  // From here on whole blocks are compared at once, which compilers make vector code of.
  for (bool isEqual = next == firstBlock; isEqual && next + block <= end;)
  {
    int others = 0;
    for (std::int64_t i = 0; i < block; ++i)
    {
      others += pixels[next + i] == value ? 0 : 1;
    }
    isEqual = others == 0;
    next += isEqual ? block : 0;
  }
  while (next < end && pixels[next] == value)
  {
    ++next;
  }
  return next;
}

/** The values in a label image, with the number of pixels of each. */
template <typename T>
class BrickLabelCounts
{
public:
  /** Counts all values except the background. \throws brickccl::InvalidArgument for NaN; Canceled. */
  BrickLabelCounts(ProcessObject * filter, BrickProgress & progress, const T * pixels, std::int64_t count, T background)
  {
    const auto pieces = static_cast<std::size_t>(BrickThreadsOf(filter));
    if constexpr (std::is_integral_v<T>)
    {
      if (FindRange(filter, pixels, count))
      {
        CountByTable(filter, progress, pixels, count, pieces);
        Collect(background);
        return;
      }
    }
    CountByMap(filter, progress, pixels, count, pieces);
    Collect(background);
  }

  /** The labels, ascending, and the pixels of each. */
  const std::vector<T> &
  Labels() const
  {
    return m_Labels;
  }
  const std::vector<SizeValueType> &
  Counts() const
  {
    return m_Counts;
  }

  /** The index of a value in the labels; Labels().size() for the background. */
  std::size_t
  PlaceOf(T value) const
  {
    if constexpr (std::is_integral_v<T>)
    {
      if (!m_Places.empty())
      {
        return m_Places[Offset(value)];
      }
    }
    const auto found = std::lower_bound(m_Labels.begin(), m_Labels.end(), value);
    return found != m_Labels.end() && *found == value ? static_cast<std::size_t>(found - m_Labels.begin())
                                                      : m_Labels.size();
  }

private:
  std::size_t
  Offset(T value) const
  {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(m_Smallest));
  }

  template <typename TAdd>
  static void
  ForEachStretch(const T * pixels, std::int64_t begin, std::int64_t end, const TAdd & add)
  {
    for (std::int64_t i = begin; i < end;)
    {
      const std::int64_t next = EndOfBrickStretch(pixels, i, end);
      add(pixels[i], static_cast<SizeValueType>(next - i));
      i = next;
    }
  }

  /** \return whether a table of all values between the smallest and the largest is small enough */
  bool
  FindRange(ProcessObject * filter, const T * pixels, std::int64_t count)
  {
    m_Smallest = std::numeric_limits<T>::min();
    T largest = std::numeric_limits<T>::max();
    if constexpr (sizeof(T) > 2)
    {
      const auto     pieces = static_cast<std::size_t>(BrickThreadsOf(filter));
      std::vector<T> smallest(pieces, largest);
      std::vector<T> largests(pieces, m_Smallest);
      filter->GetMultiThreader()->ParallelizeArray(
        0,
        pieces,
        [&](SizeValueType piece) {
          const auto number = static_cast<std::int64_t>(piece);
          const auto all = static_cast<std::int64_t>(pieces);
          T          low = smallest[piece];
          T          high = largests[piece];
          for (std::int64_t i = count * number / all; i < count * (number + 1) / all; ++i)
          {
            low = std::min(low, pixels[i]);
            high = std::max(high, pixels[i]);
          }
          smallest[piece] = low;
          largests[piece] = high;
        },
        nullptr);
      m_Smallest = *std::min_element(smallest.begin(), smallest.end());
      largest = *std::max_element(largests.begin(), largests.end());
    }
    const std::uint64_t range = static_cast<std::uint64_t>(largest) - static_cast<std::uint64_t>(m_Smallest);
    if (range >= std::max<std::uint64_t>(std::uint64_t{ 1 } << 16, static_cast<std::uint64_t>(count) / 4))
    {
      return false;
    }
    m_Table.assign(static_cast<std::size_t>(range) + 1, 0);
    return true;
  }

  void
  CountByTable(ProcessObject * filter,
               BrickProgress & progress,
               const T *       pixels,
               std::int64_t    count,
               std::size_t     pieces)
  {
    std::vector<std::vector<SizeValueType>> tables(pieces);
    ForBrickPieces(filter, progress, count, [&](std::int64_t begin, std::int64_t end, std::size_t piece) {
      std::vector<SizeValueType> & table = tables[piece];
      table.resize(m_Table.size());
      ForEachStretch(pixels, begin, end, [&](T value, SizeValueType length) { table[Offset(value)] += length; });
    });
    for (const auto & table : tables)
    {
      for (std::size_t i = 0; i < table.size(); ++i)
      {
        m_Table[i] += table[i];
      }
    }
  }

  void
  CountByMap(ProcessObject * filter, BrickProgress & progress, const T * pixels, std::int64_t count, std::size_t pieces)
  {
    std::vector<std::unordered_map<T, SizeValueType>> maps(pieces);
    std::atomic<bool>                                 hasNan{ false };
    ForBrickPieces(filter, progress, count, [&](std::int64_t begin, std::int64_t end, std::size_t piece) {
      ForEachStretch(pixels, begin, end, [&](T value, SizeValueType length) {
        if (IsBrickNan(value))
        {
          hasNan = true;
          return;
        }
        maps[piece][value] += length;
      });
    });
    if (hasNan)
    {
      throw brickccl::InvalidArgument("the label image contains NaN, which is not a label");
    }
    std::unordered_map<T, SizeValueType> & all = maps.front();
    for (std::size_t piece = 1; piece < pieces; ++piece)
    {
      for (const auto & pair : maps[piece])
      {
        all[pair.first] += pair.second;
      }
    }
    m_Pairs.assign(all.begin(), all.end());
    std::sort(m_Pairs.begin(), m_Pairs.end());
  }

  void
  Collect(T background)
  {
    for (std::size_t i = 0; i < m_Table.size(); ++i)
    {
      if (m_Table[i] != 0)
      {
        m_Pairs.emplace_back(static_cast<T>(static_cast<std::uint64_t>(m_Smallest) + i), m_Table[i]);
      }
    }
    for (const auto & pair : m_Pairs)
    {
      if (pair.first != background)
      {
        m_Labels.push_back(pair.first);
        m_Counts.push_back(pair.second);
      }
    }
    if (!m_Table.empty())
    {
      m_Places.assign(m_Table.size(), m_Labels.size());
      for (std::size_t i = 0; i < m_Labels.size(); ++i)
      {
        m_Places[Offset(m_Labels[i])] = i;
      }
    }
    m_Table = {};
    m_Pairs = {};
  }

  T                                        m_Smallest{};
  std::vector<SizeValueType>               m_Table;
  std::vector<std::pair<T, SizeValueType>> m_Pairs;
  std::vector<std::size_t>                 m_Places;
  std::vector<T>                           m_Labels;
  std::vector<SizeValueType>               m_Counts;
};

} // namespace itk

#endif
