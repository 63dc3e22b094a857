// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_CUDAONHOST_CUBONHOST_H
#define BRICKCCL_TESTING_CUDAONHOST_CUBONHOST_H

#include <cuda_runtime.h>

#include <algorithm>

/** As much of CUB as Source/ uses, for the host compiler. All threads of a block call each function. */
namespace cub
{

template <typename T, int VThreads>
class BlockScan
{
public:
  using TempStorage = T[VThreads];

  explicit BlockScan(TempStorage & values)
    : m_Values(values)
  {}
  void
  ExclusiveSum(T value, T & before)
  {
    m_Values[threadIdx.x] = value;
    __syncthreads();
    before = 0;
    for (unsigned thread = 0; thread < threadIdx.x; ++thread)
    {
      before += m_Values[thread];
    }
    __syncthreads();
  }

private:
  TempStorage & m_Values;
};

template <typename T>
struct BFEDigitExtractor
{
  unsigned bits;

  BFEDigitExtractor(unsigned, unsigned bitCount)
    : bits(bitCount)
  {}
  unsigned
  Digit(T key) const
  {
    return key & ((1u << bits) - 1);
  }
};

/** Ranks keys by one digit. A warp's keys lie side by side, and lanes follow each other in each of their rounds. */
template <int VThreads, int VBits, bool VDescending>
class BlockRadixRankMatch
{
  static_assert(!VDescending && VThreads == 1 << VBits);

public:
  struct TempStorage
  {
    unsigned digits[16 * VThreads];
    int      ranks[16 * VThreads];
    int      smaller[VThreads];
  };

  explicit BlockRadixRankMatch(TempStorage & storage)
    : m_Storage(storage)
  {}
  template <typename T, int VKeys>
  void
  RankKeys(const T (&keys)[VKeys], int (&ranks)[VKeys], BFEDigitExtractor<T> extractor, int (&smaller)[1])
  {
    static_assert(VKeys <= 16);
    const auto placeOf = [](int round) { return (threadIdx.x / 32 * VKeys + round) * 32 + threadIdx.x % 32; };
    for (int round = 0; round < VKeys; ++round)
    {
      m_Storage.digits[placeOf(round)] = extractor.Digit(keys[round]);
    }
    __syncthreads();
    if (threadIdx.x == 0)
    {
      int rank = 0;
      for (unsigned digit = 0; digit < VThreads; ++digit)
      {
        m_Storage.smaller[digit] = rank;
        rank += static_cast<int>(std::count(m_Storage.digits, m_Storage.digits + VThreads * VKeys, digit));
      }
      int next[VThreads];
      std::copy(m_Storage.smaller, m_Storage.smaller + VThreads, next);
      for (int place = 0; place < VThreads * VKeys; ++place)
      {
        m_Storage.ranks[place] = next[m_Storage.digits[place]]++;
      }
    }
    __syncthreads();
    for (int round = 0; round < VKeys; ++round)
    {
      ranks[round] = m_Storage.ranks[placeOf(round)];
    }
    smaller[0] = m_Storage.smaller[threadIdx.x];
  }

private:
  TempStorage & m_Storage;
};

} // namespace cub

#endif
