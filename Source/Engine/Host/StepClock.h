// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_HOST_STEPCLOCK_H
#define BRICKCCL_HOST_STEPCLOCK_H

#include <chrono>
#include <utility>

namespace brickccl
{

/** Measures steps that follow each other, on the host. */
class StepClock
{
public:
  /** The seconds since the last call, or since the clock was made. */
  double
  Step()
  {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(m_Last, now)).count();
  }

private:
  std::chrono::steady_clock::time_point m_Last = std::chrono::steady_clock::now();
};

} // namespace brickccl

#endif
