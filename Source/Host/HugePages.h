#ifndef BRICKCCL_HOST_HUGEPAGES_H
#define BRICKCCL_HOST_HUGEPAGES_H

#include <cstddef>

namespace brickccl
{

/** Asks the operating system for large pages in memory that is about to be touched for the first time; where it has
 *  them, that costs a fraction of what small pages do. Never fails: it is advice, and none for less than 4 MiB. */
void AdviseHugePages(void * memory, std::size_t bytes);

} // namespace brickccl

#endif
