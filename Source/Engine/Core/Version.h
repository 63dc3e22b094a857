// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CORE_VERSION_H
#define BRICKCCL_CORE_VERSION_H

namespace brickccl
{

/** The library's version; CMake reads it from here. */
inline constexpr const char * Version = "0.2.0";

} // namespace brickccl

#endif
