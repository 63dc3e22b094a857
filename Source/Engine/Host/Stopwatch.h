// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace brickccl
{

/** Seconds since the last call, or since the construction. */
class Stopwatch
{
public:
  double
  Lap()
  {
    const auto   now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - m_Begin).count();
    m_Begin = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point m_Begin = std::chrono::steady_clock::now();
};

} // namespace brickccl
