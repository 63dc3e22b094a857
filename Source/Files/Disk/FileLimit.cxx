// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Disk/FileLimit.h"

#include <csignal>

namespace brickccl
{

void
MakeFileLimitAnError()
{
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);
#endif
}

} // namespace brickccl
