#include "BrickCCL/Host/FileLimit.h"

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
