#include "BrickCCL/Host/HugePages.h"

#include <algorithm>
#include <limits>
#include <new>

#ifdef __linux__
#  include <sys/mman.h>
#  include <unistd.h>
#endif

namespace brickccl
{

namespace
{

std::align_val_t
AlignmentOf(std::size_t bytes)
{
  constexpr std::size_t line = 64;
  return std::align_val_t{ bytes < LargePage ? line : LargePage };
}

#ifdef __linux__
#  ifndef MADV_POPULATE_WRITE
/** Linux has it since 5.14. Older kernels refuse it. */
#    define MADV_POPULATE_WRITE 23
#  endif

/** Makes the system give memory to the pages [begin, end) if the first one has none. \return whether it had none. */
bool
TouchPages(std::uintptr_t begin, std::uintptr_t end)
{
  unsigned char isResident = 1;
  void * const  pages = reinterpret_cast<void *>(begin);
  if (mincore(pages, 1, &isResident) != 0 || (isResident & 1) != 0)
  {
    return false;
  }
  // If the system refuses, pages get their memory when they are written.
  (void)madvise(pages, end - begin, MADV_POPULATE_WRITE);
  return true;
}
#endif

} // namespace

void
AdviseHugePages([[maybe_unused]] void * memory, [[maybe_unused]] std::size_t bytes)
{
#ifdef __linux__
  if (bytes < LargePage)
  {
    return;
  }
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

void *
AllocateAligned(std::size_t count, std::size_t size)
{
  if (count > std::numeric_limits<std::size_t>::max() / size)
  {
    throw std::bad_array_new_length();
  }
  return ::operator new(count * size, AlignmentOf(count * size));
}

void
FreeAligned(void * memory, std::size_t count, std::size_t size)
{
  ::operator delete(memory, AlignmentOf(count * size));
}

FreshMemory::FreshMemory(void * memory, std::size_t bytes)
  : m_Begin(reinterpret_cast<std::uintptr_t>(memory))
  , m_End(m_Begin + bytes)
{}

void
FreshMemory::Enter(std::uintptr_t begin, std::uintptr_t end)
{
  for (std::uintptr_t place = std::max(m_PageEnd, begin); place < end; place = m_PageEnd)
  {
    m_PageEnd = (place / LargePage + 1) * LargePage;
#ifdef __linux__
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    // These are the pages that lie wholly in this memory. Its first and last page may hold other data.
    const std::uintptr_t first = (std::max(m_Begin, m_PageEnd - LargePage) + page - 1) / page * page;
    const std::uintptr_t last = std::min(m_End, m_PageEnd) / page * page;
    m_IsFresh = first < last && TouchPages(first, last);
#endif
  }
}

} // namespace brickccl
