// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PYTHON_HOOKS_H
#define BRICKCCL_PYTHON_HOOKS_H

#include "BrickCCL/Host/Progress.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <type_traits>

namespace brickccl::python
{

namespace nb = nanobind;

/** Code without the interpreter's lock reports to Python through these: every few milliseconds it takes the lock, calls
 *  `progress(fraction)` and looks for signals, so that Ctrl-C ends it. An exception of either stays pending in the
 *  thread and cancels the work. */
class Hooks
{
public:
  explicit Hooks(nb::object progress)
    : m_Progress(std::move(progress))
  {
    m_Hooks.report = [this](double fraction) {
      m_Fraction = fraction < 1 ? fraction : m_Fraction;
      Report();
    };
    m_Hooks.canceled = [this] { return IsCanceled(); };
  }

  const ProgressHooks &
  Get() const
  {
    return m_Hooks;
  }

  /** Tells that all is done. With the lock held. \throws nb::python_error if Python wants to stop. */
  void
  Finish()
  {
    if (!m_Failed && !m_Progress.is_none())
    {
      m_Failed = !Call(1);
    }
    Check();
  }

  void
  Check() const
  {
    if (m_Failed)
    {
      throw nb::python_error();
    }
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds Interval{ 20 };

  bool
  Call(double fraction) const
  {
    const auto result = nb::steal(PyObject_CallFunction(m_Progress.ptr(), "d", fraction));
    return result.is_valid();
  }

  void
  Report()
  {
    if (m_Failed || m_Progress.is_none())
    {
      return;
    }
    if (const auto now = Clock::now(); now >= m_NextReport)
    {
      m_NextReport = now + Interval;
      const nb::gil_scoped_acquire lock;
      m_Failed = !Call(m_Fraction);
    }
  }

  bool
  IsCanceled()
  {
    const auto now = Clock::now();
    if (now >= m_NextLook && !m_Failed)
    {
      m_NextLook = now + Interval;
      const nb::gil_scoped_acquire lock;
      m_Failed = PyErr_CheckSignals() != 0;
    }
    // Work asks more often than it reports, and the function may want to stop it.
    Report();
    return m_Failed;
  }

  nb::object        m_Progress;
  ProgressHooks     m_Hooks;
  Clock::time_point m_NextLook = Clock::now() + Interval;
  Clock::time_point m_NextReport = m_NextLook;
  double            m_Fraction = 0;
  bool              m_Failed = false;
};

/** Runs `work(hooks)` without the interpreter's lock. */
template <typename TWork>
auto
WithoutLock(nb::object progress, TWork work)
{
  Hooks hooks(std::move(progress));
  try
  {
    const auto run = [&] {
      const nb::gil_scoped_release unlocked;
      return work(hooks.Get());
    };
    if constexpr (std::is_void_v<decltype(run())>)
    {
      run();
      hooks.Finish();
    }
    else
    {
      auto result = run();
      hooks.Finish();
      return result;
    }
  }
  catch (const Canceled &)
  {
    hooks.Check();
    throw;
  }
}

} // namespace brickccl::python

#endif
