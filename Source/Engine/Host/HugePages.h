// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace brickccl
{

/** The size of a large page in bytes. */
inline constexpr std::size_t LargePage = std::size_t{ 1 } << 21;

/** Asks the operating system for large pages in memory that is about to be touched for the first time. Where it has
 *  them, the first touch costs a fraction of the cost with small pages. It never fails, and does nothing for less
 *  than a large page. */
void AdviseHugePages(void * memory, std::size_t bytes);

/** Allocates `count` elements of `size` bytes. The memory begins with a line of the cache, and with a large page if
 *  there is room for one. \throws std::bad_alloc. */
void * AllocateAligned(std::size_t count, std::size_t size);
void   FreeAligned(void * memory, std::size_t count, std::size_t size);

/** Memory that is written once from begin to end, in pieces. It reports which pieces are untouched, after making the
 *  system allocate them, a large page at a time. Such a piece is best written through the caches, which hold the page
 *  since the system has cleared it. Pieces out of order get memory as all memory does. Each thread has its own. */
class FreshMemory
{
public:
  FreshMemory(void * memory, std::size_t bytes);

  /** Whether the end of a piece is in an untouched page. It is false if the system does not report it. */
  bool
  Touch(const void * piece, std::size_t bytes)
  {
    const auto end = reinterpret_cast<std::uintptr_t>(piece) + bytes;
    if (end > m_PageEnd)
    {
      Enter(reinterpret_cast<std::uintptr_t>(piece), end);
    }
    return m_IsFresh;
  }

private:
  void Enter(std::uintptr_t begin, std::uintptr_t end);

  std::uintptr_t m_Begin;
  std::uintptr_t m_End;
  std::uintptr_t m_PageEnd = 0;
  bool           m_IsFresh = false;
};

} // namespace brickccl
