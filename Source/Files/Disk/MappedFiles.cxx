// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Disk/MappedFiles.h"

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
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const auto before = (page - begin % page) % page;
  const auto end = (begin + bytes) / page * page;
  if (begin + before < end)
  {
    char * const place = const_cast<char *>(static_cast<const char *>(memory));
    (void)madvise(place + before, end - begin - before, MADV_DONTNEED);
  }
#endif
}

} // namespace brickccl
