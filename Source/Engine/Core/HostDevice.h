// SPDX-License-Identifier: Apache-2.0
#pragma once

/** Marks functions that run on the host and, when nvcc compiles them, on the device. */
#ifdef __CUDACC__
#  define BRICKCCL_HOST_DEVICE __host__ __device__
#else
#  define BRICKCCL_HOST_DEVICE
#endif

/** For small functions of inner loops that compilers hesitate to inline. */
#if defined(__GNUC__)
#  define BRICKCCL_ALWAYS_INLINE __attribute__((always_inline))
#else
#  define BRICKCCL_ALWAYS_INLINE
#endif
