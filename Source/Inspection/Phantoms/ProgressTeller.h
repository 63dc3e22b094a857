// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_PHANTOMS_PROGRESSTELLER_H
#define BRICKCCL_PHANTOMS_PROGRESSTELLER_H

#include "BrickCCL/Phantoms/Phantoms.h"

#include <algorithm>
#include <limits>

namespace brickccl
{

/** Adds up the work of making a phantom and reports the share done after each stretch. */
class ProgressTeller
{
public:
  /** \param all  the work, in about the time that it takes to set a voxel */
  ProgressTeller(const ProgressFunction & progress, double all)
    : m_Progress(progress)
    , m_All(std::max(1.0, all))
    , m_Next(progress ? Stretch : std::numeric_limits<double>::infinity())
  {}

  /** So much more work is done. */
  void
  Add(double work)
  {
    AdvanceTo(m_Done + work);
  }

  /** So much work is done in all. */
  void
  AdvanceTo(double done)
  {
    m_Done = std::max(m_Done, done);
    if (m_Done >= m_Next)
    {
      m_Next = m_Done + Stretch;
      m_Progress(std::min(1.0, m_Done / m_All));
    }
  }

private:
  /** Some milliseconds of work. */
  static constexpr double Stretch = 65536;

  ProgressFunction m_Progress;
  double           m_All;
  double           m_Done = 0;
  double           m_Next;
};

} // namespace brickccl

#endif
