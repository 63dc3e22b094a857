// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TESTING_CUDAONHOST_THRUSTONHOST_H
#define BRICKCCL_TESTING_CUDAONHOST_THRUSTONHOST_H

/** As much of Thrust as Source/ uses, for the host compiler. Algorithms run at once. Where Thrust needs temporary
 *  memory, they take it from their policy's allocator. */

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>

namespace thrust
{

using std::plus;
using std::system_error;

template <typename TValue>
class counting_iterator
{
public:
  explicit counting_iterator(TValue value)
    : m_Value(value)
  {}
  TValue
  operator*() const
  {
    return m_Value;
  }
  counting_iterator &
  operator++()
  {
    ++m_Value;
    return *this;
  }
  bool
  operator!=(const counting_iterator & other) const
  {
    return m_Value != other.m_Value;
  }

private:
  TValue m_Value;
};

/** Calls a function with the place and the value of everything that is written to it. */
template <typename TFunction>
class tabulate_output_iterator
{
public:
  explicit tabulate_output_iterator(TFunction function)
    : m_Function(function)
  {}
  tabulate_output_iterator &
  operator*()
  {
    return *this;
  }
  template <typename TValue>
  void
  operator=(const TValue & value)
  {
    m_Function(m_Place, value);
  }
  tabulate_output_iterator &
  operator++()
  {
    ++m_Place;
    return *this;
  }

private:
  TFunction      m_Function;
  std::ptrdiff_t m_Place = 0;
};

template <typename TFunction>
tabulate_output_iterator<TFunction>
make_tabulate_output_iterator(TFunction function)
{
  return tabulate_output_iterator<TFunction>(function);
}

template <typename TAllocator>
struct PolicyOnHost
{
  TAllocator & allocator;

  PolicyOnHost
  on(void *) const
  {
    return *this;
  }
  void
  TakeTemporaryMemory(std::size_t bytes) const
  {
    auto * const place = allocator.allocate(bytes);
    std::fill_n(place, bytes, typename TAllocator::value_type{ 0x5A });
    allocator.deallocate(place, bytes);
  }
};

namespace cuda
{

struct PolicyMaker
{
  template <typename TAllocator>
  PolicyOnHost<TAllocator>
  operator()(TAllocator & allocator) const
  {
    return { allocator };
  }
};

inline constexpr PolicyMaker par_nosync;

} // namespace cuda

template <typename TPolicy, typename TIterator, typename TFunction>
void
for_each(const TPolicy &, TIterator begin, TIterator end, TFunction function)
{
  for (; begin != end; ++begin)
  {
    function(*begin);
  }
}

template <typename TPolicy, typename TIterator, typename TOutput, typename TFunction>
void
transform(const TPolicy &, TIterator begin, TIterator end, TOutput to, TFunction function)
{
  for (; begin != end; ++begin, ++to)
  {
    *to = function(*begin);
  }
}

template <typename TPolicy, typename T, typename TOther>
void
copy(const TPolicy &, const T * begin, const T * end, TOther * to)
{
  std::transform(begin, end, to, [](T value) { return static_cast<TOther>(value); });
}

template <typename TPolicy, typename T>
void
sequence(const TPolicy &, T * begin, T * end)
{
  std::iota(begin, end, T{ 0 });
}

template <typename TPolicy, typename TIterator, typename TOutput, typename TFunction, typename TSum>
void
transform_inclusive_scan(const TPolicy & policy,
                         TIterator       begin,
                         TIterator       end,
                         TOutput         to,
                         TFunction       function,
                         TSum            add)
{
  policy.TakeTemporaryMemory(64);
  decltype(function(*begin)) sum{ 0 };
  for (; begin != end; ++begin, ++to)
  {
    sum = add(sum, function(*begin));
    *to = sum;
  }
}

template <typename TPolicy, typename TIterator, typename TOutput, typename TFunction, typename T, typename TSum>
void
transform_exclusive_scan(const TPolicy & policy,
                         TIterator       begin,
                         TIterator       end,
                         TOutput         to,
                         TFunction       function,
                         T               sum,
                         TSum            add)
{
  policy.TakeTemporaryMemory(64);
  for (; begin != end; ++begin, ++to)
  {
    const T value = function(*begin);
    *to = sum;
    sum = add(sum, value);
  }
}

template <typename TPolicy, typename T, typename TOutput>
void
inclusive_scan(const TPolicy & policy, const T * begin, const T * end, TOutput to)
{
  const auto same = [](T value) { return value; };
  transform_inclusive_scan(policy, begin, end, to, same, std::plus<T>());
}

template <typename TPolicy, typename T>
void
exclusive_scan(const TPolicy & policy, const T * begin, const T * end, T * to, T sum)
{
  const auto same = [](T value) { return value; };
  transform_exclusive_scan(policy, begin, end, to, same, sum, std::plus<T>());
}

template <typename TPolicy, typename TKey, typename TValue>
void
stable_sort_by_key(const TPolicy & policy, TKey * begin, TKey * end, TValue * values)
{
  const auto                           count = static_cast<std::size_t>(end - begin);
  std::vector<std::pair<TKey, TValue>> pairs(count);
  policy.TakeTemporaryMemory(count * sizeof(pairs[0]));
  for (std::size_t i = 0; i < count; ++i)
  {
    pairs[i] = { begin[i], values[i] };
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto & a, const auto & b) { return a.first < b.first; });
  for (std::size_t i = 0; i < count; ++i)
  {
    begin[i] = pairs[i].first;
    values[i] = pairs[i].second;
  }
}

/** Keeps the first of equal keys in succession. */
template <typename TPolicy, typename TKey, typename TValue>
std::pair<TKey *, TValue *>
unique_by_key(const TPolicy & policy, TKey * begin, TKey * end, TValue * values)
{
  policy.TakeTemporaryMemory(64);
  std::ptrdiff_t count = 0;
  for (std::ptrdiff_t i = 0; i < end - begin; ++i)
  {
    if (i == 0 || begin[i] != begin[count - 1])
    {
      begin[count] = begin[i];
      values[count++] = values[i];
    }
  }
  return { begin + count, values + count };
}

} // namespace thrust

#endif
