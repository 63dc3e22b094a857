// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Isolation/VirtualDisplay.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Isolation/Program.h"

#include <string>

#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#  include <sys/prctl.h>
#endif

namespace brickccl
{

namespace
{

/** Whether the display that the environment names answers. The library that draws through X has brought what it takes
 * to ask. */
bool
DisplayAnswers()
{
  using Open = void * (*)(const char *);
  const auto open = reinterpret_cast<Open>(::dlsym(RTLD_DEFAULT, "XOpenDisplay"));
  // The connection stays open: a server that loses its last one restarts and is unavailable meanwhile.
  return std::getenv("DISPLAY") != nullptr && open != nullptr && open(nullptr) != nullptr;
}

} // namespace

VirtualDisplay::VirtualDisplay(bool isNeeded)
  : m_IsNeeded(isNeeded)
{
  const std::string program = isNeeded ? FindProgram("Xvfb") : std::string();
  int               ends[2];
  if (program.empty() || ::pipe(ends) != 0)
  {
    return;
  }
  // All that the child needs is made here: after fork it may call little.
  std::string  descriptor = std::to_string(ends[1]);
  std::string  name = program;
  std::string  words[] = { "-displayfd", descriptor, "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset" };
  char *       arguments[10] = { name.data() };
  const auto   parent = ::getpid();
  std::int64_t count = 1;
  for (std::string & word : words)
  {
    arguments[count++] = word.data();
  }
  const ::pid_t child = ::fork();
  if (child == 0)
  {
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    const int nowhere = ::open("/dev/null", O_RDWR);
    // A group of its own, so that Ctrl-C does not end it before this process has ended its work.
    ::setpgid(0, 0);
    if (nowhere >= 0 && ::getppid() == parent)
    {
      ::dup2(nowhere, 0);
      ::dup2(nowhere, 1);
      ::dup2(nowhere, 2);
      ::close(ends[0]);
      ::execv(program.c_str(), arguments);
    }
    ::_exit(127);
  }
  ::close(ends[1]);
  m_Pipe = ends[0];
  ::fcntl(m_Pipe, F_SETFD, FD_CLOEXEC);
  m_Process = child;
}

VirtualDisplay::~VirtualDisplay()
{
  if (m_Pipe >= 0)
  {
    ::close(m_Pipe);
  }
  if (m_Process > 0)
  {
    ::kill(static_cast<::pid_t>(m_Process), SIGTERM);
    ::waitpid(static_cast<::pid_t>(m_Process), nullptr, 0);
  }
}

void
VirtualDisplay::WaitUntilReady()
{
  if (m_Pipe >= 0)
  {
    std::string   number;
    char          letter = 0;
    constexpr int longest = 20000;
    for (::pollfd end{ m_Pipe, POLLIN, 0 }; ::poll(&end, 1, longest) > 0 && ::read(m_Pipe, &letter, 1) == 1;)
    {
      if (letter == '\n')
      {
        ::setenv("DISPLAY", (":" + number).c_str(), 1);
        return;
      }
      number += letter;
    }
  }
  if (m_IsNeeded && !DisplayAnswers())
  {
    throw Unsupported(std::string("surfaces are drawn through an X server, and ") +
                      (m_Process > 0 ? "Xvfb, which was started for it, does not answer"
                                     : "there is none; install Xvfb (Debian and Ubuntu: apt-get install xvfb "
                                       "libgl1-mesa-dri)"));
  }
}

} // namespace brickccl
