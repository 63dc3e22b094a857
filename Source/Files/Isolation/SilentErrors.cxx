// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Isolation/SilentErrors.h"

#include <cstdio>

#ifndef _WIN32
#  include <fcntl.h>
#  include <unistd.h>
#endif

namespace brickccl
{

#ifdef _WIN32

SilentErrors::SilentErrors() = default;
SilentErrors::~SilentErrors() = default;

#else

SilentErrors::SilentErrors()
{
  std::fflush(stderr);
  m_Kept = ::dup(STDERR_FILENO);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (m_Kept >= 0 && nowhere >= 0)
  {
    ::dup2(nowhere, STDERR_FILENO);
  }
  if (nowhere >= 0)
  {
    ::close(nowhere);
  }
}

SilentErrors::~SilentErrors()
{
  std::fflush(stderr);
  if (m_Kept >= 0)
  {
    ::dup2(m_Kept, STDERR_FILENO);
    ::close(m_Kept);
  }
}

#endif

} // namespace brickccl
