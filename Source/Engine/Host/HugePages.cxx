// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Host/HugePages.h"

#include "BrickCCL/Host/ProcessMemory.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <mutex>
#include <new>

#ifdef __GLIBC__
#  include <malloc.h>
#endif
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

/** Large memory that was freed and is used again. */
class KeptMemory
{
public:
  std::atomic<bool> isOn{ false };

  /** The smallest that is large enough, unless half of it would lie idle, or new memory. */
  void *
  Take(std::size_t bytes)
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    const auto                        found = m_Free.lower_bound(bytes);
    if (found != m_Free.end() && found->first / 2 <= bytes)
    {
      void * const memory = found->second;
      m_Sizes[memory] = found->first;
      m_Free.erase(found);
      return memory;
    }
    try
    {
      return ::operator new (bytes, std::align_val_t{ LargePage });
    }
    catch (const std::bad_alloc &)
    {
      GiveBack();
      return ::operator new (bytes, std::align_val_t{ LargePage });
    }
  }

  void
  Return(void * memory, std::size_t bytes)
  {
    if (memory == nullptr)
    {
      return;
    }
    const std::lock_guard<std::mutex> lock(m_Mutex);
    const auto                        known = m_Sizes.find(memory);
    m_Free.emplace(known == m_Sizes.end() ? bytes : known->second, memory);
    if (known != m_Sizes.end())
    {
      m_Sizes.erase(known);
    }
    // More are the sizes of items that differ, and not worth their room.
    constexpr std::size_t limit = 8;
    if (m_Free.size() > limit)
    {
      ::operator delete (m_Free.begin()->second, std::align_val_t{ LargePage });
      m_Free.erase(m_Free.begin());
    }
  }

private:
  void
  GiveBack()
  {
    for (const auto & [bytes, memory] : m_Free)
    {
      ::operator delete (memory, std::align_val_t{ LargePage });
    }
    m_Free.clear();
  }

  std::mutex                         m_Mutex;
  std::multimap<std::size_t, void *> m_Free;
  /** For memory in use that is larger than its user knows. */
  std::map<void *, std::size_t> m_Sizes;
};

/** Never destroyed, since memory may be freed later. */
KeptMemory &
Kept()
{
  static auto & kept = *new KeptMemory;
  return kept;
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
  // Places in large pages are worked out as numbers. NOLINTNEXTLINE(performance-no-int-to-ptr)
  void * const pages = reinterpret_cast<void *>(begin);
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
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const auto before = (page - begin % page) % page;
  const auto end = (begin + bytes) / page * page;
  (void)madvise(static_cast<char *>(memory) + before, end - begin - before, MADV_HUGEPAGE);
#endif
}

void *
AllocateAligned(std::size_t count, std::size_t size)
{
  if (count > std::numeric_limits<std::size_t>::max() / size)
  {
    throw std::bad_array_new_length();
  }
  const std::size_t bytes = count * size;
  return bytes >= LargePage && Kept().isOn ? Kept().Take(bytes) : ::operator new(bytes, AlignmentOf(bytes));
}

void
FreeAligned(void * memory, std::size_t count, std::size_t size)
{
  const std::size_t bytes = count * size;
  if (bytes >= LargePage && Kept().isOn)
  {
    Kept().Return(memory, bytes);
    return;
  }
  ::operator delete(memory, AlignmentOf(bytes));
}

void
KeepMemory()
{
  Kept().isOn = true;
#ifdef __GLIBC__
  // Other allocations up to this size come from the heap, which is not returned to the system.
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
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
