// SPDX-License-Identifier: Apache-2.0
// A library with an engine of its own, for ThreadPoolTest.cxx to load and give back.

#include "BrickCCL/Host/ThreadPool.h"

#include <atomic>
#include <thread>

#ifdef _WIN32
#  define EXPORTED __declspec(dllexport)
#else
#  define EXPORTED __attribute__((visibility("default")))
#endif

/** 0 + 1 + ... + (count - 1), by two threads that have both begun. */
extern "C" EXPORTED int
SumOnThreads(int count)
{
  std::atomic<int> begun{ 0 };
  std::atomic<int> next{ 0 };
  std::atomic<int> sum{ 0 };
  brickccl::RunOnThreads(2, [&](int) {
    ++begun;
    while (begun < 2)
    {
      std::this_thread::yield();
    }
    for (int i = next++; i < count; i = next++)
    {
      sum += i;
    }
  });
  return sum;
}
