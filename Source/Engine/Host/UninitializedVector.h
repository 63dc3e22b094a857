// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/HugePages.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace brickccl
{

/** An allocator that leaves new elements unset. */
template <typename T>
struct UnsetAllocator : std::allocator<T>
{
  template <typename TOther>
  struct rebind
  {
    using other = UnsetAllocator<TOther>;
  };
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>, "nothing but values");

  template <typename TOther>
  void
  construct(TOther *) noexcept
  {}
  template <typename TOther, typename... TArguments>
  void
  construct(TOther * place, TArguments &&... arguments)
  {
    ::new (static_cast<void *>(place)) TOther(std::forward<TArguments>(arguments)...);
  }
};

/** A vector whose elements are unset after a resize. So the threads that set them are the first to touch their
 *  memory. */
template <typename T>
using UninitializedVector = std::vector<T, UnsetAllocator<T>>;

/** Fills unset elements if the build asks for it, so that tests find code that reads them. */
template <typename T>
void
PoisonUnset([[maybe_unused]] UninitializedVector<T> & elements)
{
#ifdef BRICKCCL_POISON_MEMORY
  if (!elements.empty())
  {
    std::memset(static_cast<void *>(elements.data()), 0x5A, elements.size() * sizeof(T));
  }
#endif
}

/** A vector of `size` unset elements, in large pages where the operating system has them. */
template <typename T>
UninitializedVector<T>
MakeUnset(std::size_t size)
{
  UninitializedVector<T> elements;
  elements.reserve(size);
  AdviseHugePages(elements.data(), size * sizeof(T));
  elements.resize(size);
  PoisonUnset(elements);
  return elements;
}

/** The same, in the memory of a vector that is no longer needed if that has room. */
template <typename T>
UninitializedVector<T>
MakeUnset(std::size_t size, UninitializedVector<T> old)
{
  if (old.capacity() < size)
  {
    old = UninitializedVector<T>();
    return MakeUnset<T>(size);
  }
  old.clear();
  old.resize(size);
  PoisonUnset(old);
  return old;
}

} // namespace brickccl
