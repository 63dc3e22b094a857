#include "BrickCCL/Host/MappedFiles.h"

#ifdef __linux__
#  include <cstdint>
#  include <sys/mman.h>
#  include <unistd.h>
#endif

namespace brickccl
{

void
ForgetMapped([[maybe_unused]] const void * memory, [[maybe_unused]] std::size_t bytes)
{
#ifdef __linux__
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  if (begin < end)
  {
    (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
  }
#endif
}

} // namespace brickccl
