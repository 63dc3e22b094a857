// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace brickccl
{

/** The most threads that one call gets: the number of processors that this process may use, or 16 if they are fewer. So
 *  more threads than processors can be asked for and tested. */
int MaximumThreadCount();

/** Runs `work(0)` on the calling thread and `work(1)` .. `work(threads - 1)` on threads that are kept from call to
 *  call. Number k runs on the same thread every time if it is free. Returns when all that have begun have ended.
 *
 *  A number is left out if its thread does not begin before `work(0)` ends, so `work` must be complete without it.
 *  `work` must not throw. It may call this function again, and several threads may call it at the same time; each gets
 *  the threads that are free. The kept threads round floating-point numbers as the caller does. They are never joined:
 *  they sleep when the process ends. A forked process has threads of its own. */
void RunOnThreads(int threads, const std::function<void(int)> & work);

} // namespace brickccl
