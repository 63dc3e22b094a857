// SPDX-License-Identifier: Apache-2.0
// The HDF5 library of packages: what Hdf5Library.h loads, linked from the static library. The shared one of Debian also
// reads from the web, which takes 24 more libraries.
#include "BrickCCL/Files/Formats/Hdf5Library.h"

#include <cstdio>

// The static library takes the addresses of the C library's streams in a way that shared libraries cannot: it gets
// these instead (the linker's option --wrap).
extern "C"
{
  std::FILE *               brickccl_stderr __asm__("__wrap_stderr");
  std::FILE *               brickccl_stdout __asm__("__wrap_stdout");
  extern std::FILE *        brickccl_c_stderr __asm__("__real_stderr");
  extern std::FILE *        brickccl_c_stdout __asm__("__real_stdout");
  extern const void * const brickccl_hdf5_functions[];
}

namespace
{

__attribute__((constructor)) void
SetStreams()
{
  brickccl_stderr = brickccl_c_stderr;
  brickccl_stdout = brickccl_c_stdout;
}

} // namespace

// The linker takes from the static library what is named here.
#define BRICKCCL_HDF5_ADDRESS(name) reinterpret_cast<const void *>(&(name)),
const void * const brickccl_hdf5_functions[] = { BRICKCCL_HDF5_FUNCTIONS(BRICKCCL_HDF5_ADDRESS) };
