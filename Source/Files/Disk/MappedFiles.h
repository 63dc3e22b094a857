// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_DISK_MAPPEDFILES_H
#define BRICKCCL_FILES_DISK_MAPPEDFILES_H

#include <cstddef>

namespace brickccl
{

/** Gives the memory of a part of a mapped file back to the system, which reads the file again if the part is used
 *  again. Only whole pages are given back. It does nothing where the system cannot. */
void ForgetMapped(const void * memory, std::size_t bytes);

} // namespace brickccl

#endif
