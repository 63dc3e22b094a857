// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_HOST_PROGRESS_H
#define BRICKCCL_HOST_PROGRESS_H

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace brickccl
{

/** Progress reports and canceling of long work. Both functions are called only on the calling thread. Both may be
 *  empty. */
struct ProgressHooks
{
  /** Receives the fraction of the work done, from 0 to 1. It never decreases. */
  std::function<void(double)> report;
  /** Returns true when the work should stop. The work then throws Canceled and leaves no partial output. */
  std::function<bool()> canceled;
};

/** The part [begin, end] of a longer work's progress. */
class Progress
{
public:
  Progress() = default;
  explicit Progress(const ProgressHooks & hooks, double begin = 0, double end = 1)
    : m_Hooks(&hooks)
    , m_Begin(begin)
    , m_End(end)
  {}

  /** The part from fraction `begin` to fraction `end` of this part. */
  Progress
  Part(double begin, double end) const
  {
    Progress part = *this;
    part.m_Begin = At(begin);
    part.m_End = At(end);
    return part;
  }

  /** The same work without reports, only with canceling. */
  Progress
  Quiet() const
  {
    Progress quiet = *this;
    quiet.m_Reports = false;
    return quiet;
  }

  /** Whether the caller wants to stop. */
  bool
  IsCanceled() const
  {
    return m_Hooks != nullptr && m_Hooks->canceled && m_Hooks->canceled();
  }

  /** Reports a fraction of this part. \throws Canceled if the caller wants to stop. */
  void
  Update(double fraction) const
  {
    if (m_Hooks == nullptr)
    {
      return;
    }
    if (IsCanceled())
    {
      throw Canceled();
    }
    if (m_Reports && m_Hooks->report)
    {
      m_Hooks->report(At(fraction));
    }
  }

private:
  double
  At(double fraction) const
  {
    return m_Begin + (m_End - m_Begin) * std::min(1.0, std::max(0.0, fraction));
  }

  const ProgressHooks * m_Hooks = nullptr;
  double                m_Begin = 0;
  double                m_End = 1;
  bool                  m_Reports = true;
};

} // namespace brickccl

#endif
