#ifndef BRICKCCL_HOST_HUGEPAGES_H
#define BRICKCCL_HOST_HUGEPAGES_H

#include <cstddef>
#include <cstdint>

namespace brickccl
{

/** The size of a large page. */
inline constexpr std::size_t LargePage = std::size_t{ 1 } << 21;

/** Asks the operating system for large pages in memory that is about to be touched for the first time; where it has
 *  them, that costs a fraction of what small pages do. Never fails: it is advice, and none for less than one. */
void AdviseHugePages(void * memory, std::size_t bytes);

/** Memory for `count` elements of `size` bytes that begins with a line of the cache, and with a large page if it has
 * room for one. \throws std::bad_alloc. */
void * AllocateAligned(std::size_t count, std::size_t size);
void   FreeAligned(void * memory, std::size_t count, std::size_t size);

/** Memory that is written once from begin to end, by pieces in order: tells which of them were never touched before,
 *  after the operating system has given memory to them, a large page at a time. What was never touched is best written
 *  through the caches, which hold the page since it was cleared. Pieces out of order get theirs as all memory does. One
 * for each thread. */
class FreshMemory
{
public:
  FreshMemory(void * memory, std::size_t bytes);

  /** Whether the end of a piece lies in a page that was never touched before. Never so where the operating system does
   *  not tell. */
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

#endif
