#include "BrickCCL/Host/HugePages.h"

#include <cstdint>

#ifdef __linux__
#  include <sys/mman.h>
#  include <unistd.h>
#endif

namespace brickccl
{

void
AdviseHugePages([[maybe_unused]] void * memory, [[maybe_unused]] std::size_t bytes)
{
#ifdef __linux__
  constexpr std::size_t least = std::size_t{ 1 } << 22;
  if (bytes < least)
  {
    return;
  }
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

} // namespace brickccl
