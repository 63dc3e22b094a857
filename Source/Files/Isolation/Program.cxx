// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Isolation/Program.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Host/System.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __APPLE__
#  include <crt_externs.h>
#  include <mach-o/dyld.h>
#  define environ (*_NSGetEnviron())
#endif

namespace brickccl
{

std::string
ProgramPath()
{
#if defined(__APPLE__)
  std::vector<char> path(4096);
  auto              size = static_cast<std::uint32_t>(path.size());
  if (_NSGetExecutablePath(path.data(), &size) == 0)
  {
    return std::filesystem::canonical(path.data()).string();
  }
#else
  std::error_code             failure;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (!failure)
  {
    return path.string();
  }
#endif
  throw Error("the system does not report the path of this program");
}

std::string
FindProgram(const std::string & name)
{
  const char * const path = std::getenv("PATH");
  for (const std::string & folder : SplitAt(':', path == nullptr ? "" : path))
  {
    const std::filesystem::path program = std::filesystem::path(folder) / name;
    std::error_code             failure;
    if (std::filesystem::is_regular_file(program, failure))
    {
      return program.string();
    }
  }
  return {};
}

void
ProvideXServer()
{
  // It has a session of its own, so that Ctrl-C does not end it before this process has ended its work.
  const std::string command = "exec setsid Xvfb -displayfd 1 -screen 0 640x480x24 -nolisten tcp -terminate 2>/dev/null";
  char              number[32] = {};
  std::FILE * const pipe = FindProgram("Xvfb").empty() ? nullptr : ::popen(command.c_str(), "r");
  if (pipe != nullptr && std::fgets(number, sizeof(number), pipe) != nullptr)
  {
    ::setenv("DISPLAY", (":" + std::to_string(std::atoi(number))).c_str(), 1);
  }
  const auto open = reinterpret_cast<void * (*)(const char *)>(::dlsym(RTLD_DEFAULT, "XOpenDisplay"));
  // The connection stays open: the server ends with its last one.
  ThrowIf<Unsupported>(std::getenv("DISPLAY") == nullptr || open == nullptr || open(nullptr) == nullptr,
                       std::string("surfaces are drawn through an X server, and ") +
                         (pipe != nullptr ? "Xvfb, which was started for it, does not answer"
                                          : "there is none; install Xvfb (Debian and Ubuntu: apt-get install xvfb "
                                            "libgl1-mesa-dri)"));
}

void
ContinueAs(const std::string & program, char ** arguments)
{
  ::execv(program.c_str(), arguments);
  throw Error(Quoted(program) + " cannot be started: " + std::strerror(errno));
}

ProgramEnd
RunProgram(const std::vector<std::string> & arguments)
{
  ProgramEnd end;
  auto       words = Mapped(arguments, [](const std::string & word) { return const_cast<char *>(word.c_str()); });
  words.push_back(nullptr);
  int        ends[2];
  const bool arePiped = ::pipe(ends) == 0;
  ThrowIf<Error>(!arePiped, Quoted(arguments[0]) + " cannot be started: " + std::strerror(errno));
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  ::posix_spawn_file_actions_t streams;
  ::posix_spawn_file_actions_init(&streams);
  ::posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&streams, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&streams, ends[1], 2);
  ::posix_spawn_file_actions_addclose(&streams, ends[1]);
  ::pid_t   child = 0;
  const int failure = ::posix_spawn(&child, words[0], &streams, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&streams);
  ::close(ends[1]);
  if (failure != 0)
  {
    ::close(ends[0]);
    throw Error(Quoted(arguments[0]) + " cannot be started: " + std::strerror(failure));
  }
  constexpr int milliseconds = 100;
  bool          isTold = false;
  for (::pollfd from{ ends[0], POLLIN, 0 };;)
  {
    const int ready = ::poll(&from, 1, milliseconds);
    if (WasInterrupted() && !isTold)
    {
      ::kill(child, SIGTERM);
      isTold = true;
    }
    char          text[4096];
    const ssize_t count = ready > 0 ? ::read(ends[0], text, sizeof(text)) : -1;
    if (ready > 0 && (count == 0 || (count < 0 && errno != EINTR)))
    {
      break;
    }
    end.errors.append(text, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
  {}
  end.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

} // namespace brickccl
