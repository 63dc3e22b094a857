// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace brickccl::files
{

/** Clears the upper halves of vector registers. ISA-L leaves values in them, and until they are cleared, other
 *  instructions wait for them: SHA-256 takes 1.3 times as long. */
#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("avx"))) inline void
ClearUpperHalves()
{
  __builtin_ia32_vzeroupper();
}

inline void
ClearRegisters()
{
  if (__builtin_cpu_supports("avx"))
  {
    ClearUpperHalves();
  }
}
#else
inline void
ClearRegisters()
{}
#endif

} // namespace brickccl::files
