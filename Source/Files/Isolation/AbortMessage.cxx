// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Isolation/AbortMessage.h"

#ifndef _WIN32
#  include <csignal>
#  include <cstring>
#  include <initializer_list>
#  include <unistd.h>
#endif

namespace brickccl
{

#ifdef _WIN32

AbortMessage::AbortMessage(const char *) {}

AbortMessage::~AbortMessage() = default;

#else

namespace
{

const char * messageOfAbort = "";

/** Calls only what may be called in a handler of signals. */
void
SayIt(int)
{
  bool isSaid = true;
  for (const char * const part : { "brickccl: error: ", messageOfAbort, "\n" })
  {
    isSaid = isSaid && ::write(STDERR_FILENO, part, std::strlen(part)) >= 0;
  }
  ::_exit(isSaid ? 1 : 2);
}

} // namespace

AbortMessage::AbortMessage(const char * message)
{
  messageOfAbort = message;
  m_Before = std::signal(SIGABRT, SayIt);
}

AbortMessage::~AbortMessage()
{
  std::signal(SIGABRT, m_Before);
}

#endif

} // namespace brickccl
