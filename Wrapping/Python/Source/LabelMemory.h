// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PYTHON_LABELMEMORY_H
#define BRICKCCL_PYTHON_LABELMEMORY_H

#include "Arrays.h"

#include <cstddef>
#include <cstdint>

namespace brickccl::python
{

/** Memory for a large label map, not initialized. Most of the time that a new label map takes goes into pages that the
 *  system has to clear first. So the memory of label maps that were freed is kept for the next ones: two of them, of at
 *  most `LargestKeptMemory` bytes together. The system may take its pages back at any time (MADV_FREE of Linux), so
 *  that nobody else lacks them; on other systems nothing is kept. Several threads may call it at once.
 *  \throws std::bad_alloc */
nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>> NewLabelMemory(std::size_t bytes);

inline constexpr std::size_t LargestKeptMemory = std::size_t{ 1 } << 32;

/** Gives back what is kept. \return how many bytes it was. */
std::size_t FreeKeptLabelMemory();

} // namespace brickccl::python

#endif
