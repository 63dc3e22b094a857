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
#include <unordered_set>
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

/** The values in a label image. */
template <typename T>
class BrickLabelValues
{
public:
  /** Finds all values except the background. \throws brickccl::InvalidArgument for NaN; Canceled. */
  BrickLabelValues(ProcessObject * filter, BrickProgress & progress, const T * pixels, std::int64_t count, T background)
  {
    const auto pieces = static_cast<std::size_t>(BrickThreadsOf(filter));
    if constexpr (std::is_integral_v<T>)
    {
      if (FindRange(filter, pixels, count))
      {
        FindByTable(filter, progress, pixels, count, pieces, background);
        return;
      }
    }
    FindBySet(filter, progress, pixels, count, pieces, background);
  }

  /** The labels, ascending. */
  const std::vector<T> &
  Labels() const
  {
    return m_Labels;
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
      add(pixels[i]);
      i = EndOfBrickStretch(pixels, i, end);
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
    m_Places.resize(static_cast<std::size_t>(range) + 1);
    return true;
  }

  void
  FindByTable(ProcessObject * filter,
              BrickProgress & progress,
              const T *       pixels,
              std::int64_t    count,
              std::size_t     pieces,
              T               background)
  {
    std::vector<std::vector<unsigned char>> tables(pieces);
    ForBrickPieces(filter, progress, count, [&](std::int64_t begin, std::int64_t end, std::size_t piece) {
      tables[piece].resize(m_Places.size());
      ForEachStretch(pixels, begin, end, [&](T value) { tables[piece][Offset(value)] = 1; });
    });
    for (std::size_t i = 0; i < m_Places.size(); ++i)
    {
      const T    value = static_cast<T>(static_cast<std::uint64_t>(m_Smallest) + i);
      const bool isThere =
        std::any_of(tables.begin(), tables.end(), [i](const auto & table) { return !table.empty() && table[i] != 0; });
      m_Places[i] = m_Labels.size();
      if (isThere && value != background)
      {
        m_Labels.push_back(value);
      }
    }
    if (static_cast<std::uint64_t>(background) - static_cast<std::uint64_t>(m_Smallest) < m_Places.size())
    {
      m_Places[Offset(background)] = m_Labels.size();
    }
  }

  void
  FindBySet(ProcessObject * filter,
            BrickProgress & progress,
            const T *       pixels,
            std::int64_t    count,
            std::size_t     pieces,
            T               background)
  {
    std::vector<std::unordered_set<T>> sets(pieces);
    std::atomic<bool>                  hasNan{ false };
    ForBrickPieces(filter, progress, count, [&](std::int64_t begin, std::int64_t end, std::size_t piece) {
      ForEachStretch(pixels, begin, end, [&](T value) {
        if (IsBrickNan(value))
        {
          hasNan = true;
          return;
        }
        sets[piece].insert(value);
      });
    });
    if (hasNan)
    {
      throw brickccl::InvalidArgument("the label image contains NaN, which is not a label");
    }
    for (std::size_t piece = 1; piece < pieces; ++piece)
    {
      sets[0].insert(sets[piece].begin(), sets[piece].end());
    }
    sets[0].erase(background);
    m_Labels.assign(sets[0].begin(), sets[0].end());
    std::sort(m_Labels.begin(), m_Labels.end());
  }

  T                        m_Smallest{};
  std::vector<std::size_t> m_Places;
  std::vector<T>           m_Labels;
};

} // namespace itk

#endif
