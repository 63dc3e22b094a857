// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Isolation/PipedChild.h"

#include "BrickCCL/Core/Error.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#  include <sys/prctl.h>
#endif

namespace brickccl::files
{

namespace
{

/** The size of a message that is the text of an error. */
constexpr std::uint64_t ErrorMark = ~std::uint64_t{ 0 };

void
WriteAll(int pipe, const void * bytes, std::size_t size)
{
  const auto * place = static_cast<const char *>(bytes);
  while (size > 0)
  {
    const ssize_t written = ::write(pipe, place, size);
    if (written < 0 && errno != EINTR)
    {
      ::_exit(1);
    }
    place += written > 0 ? written : 0;
    size -= written > 0 ? static_cast<std::size_t>(written) : 0;
  }
}

void
WriteMessage(int pipe, std::uint64_t mark, const void * bytes, std::uint64_t size)
{
  const std::uint64_t header[2] = { mark, size };
  WriteAll(pipe, header, sizeof(header));
  WriteAll(pipe, bytes, static_cast<std::size_t>(size));
}

/** The size of the address space that this process uses; 0 if it is unknown or must not be limited. */
std::size_t
AddressSpace()
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (std::FILE * const file = std::fopen("/proc/self/statm", "r"))
  {
    unsigned long pages = 0;
    const int     found = std::fscanf(file, "%lu", &pages);
    std::fclose(file);
    return found == 1 ? pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
  }
#endif
  return 0;
}

/** Makes this process, which was forked, harmless: it ends with its parent and at every signal but Ctrl-C, which is
 *  for the parent to take up, leaves no dump, prints nothing, opens as many files as the hard limit allows, and has
 *  an address space of at most this many bytes (0: any). */
void
TameProcess(std::size_t addressSpace)
{
  for (const int signal : { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGPIPE, SIGALRM })
  {
    ::signal(signal, SIG_DFL);
  }
  ::signal(SIGINT, SIG_IGN);
  if (::signal(SIGHUP, SIG_DFL) == SIG_IGN)
  {
    ::signal(SIGHUP, SIG_IGN);
  }
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  const rlimit noCore = { 0, 0 };
  ::setrlimit(RLIMIT_CORE, &noCore);
  rlimit files;
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0)
  {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  if (addressSpace > 0)
  {
    const rlimit space = { addressSpace, addressSpace };
    ::setrlimit(RLIMIT_AS, &space);
  }
  const int nowhere = ::open("/dev/null", O_RDWR);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
}

} // namespace

PipedChild::PipedChild(std::string                                    name,
                       const std::function<void(const Send & send)> & work,
                       std::size_t                                    moreSpace,
                       unsigned                                       seconds,
                       std::function<void()>                          waiting)
  : m_Name(std::move(name))
  , m_Waiting(std::move(waiting))
{
  const std::size_t space = AddressSpace();
  int               ends[2];
  const bool        hasPipe = ::pipe(ends) == 0;
  m_Process = hasPipe ? ::fork() : -1;
  if (m_Process < 0)
  {
    const std::string reason = std::strerror(errno);
    if (hasPipe)
    {
      ::close(ends[0]);
      ::close(ends[1]);
    }
    throw Error("a process that reads it by " + m_Name + " cannot be started: " + reason);
  }
  if (m_Process > 0)
  {
    ::close(ends[1]);
    m_Pipe = ends[0];
#ifdef F_SETPIPE_SZ
    ::fcntl(m_Pipe, F_SETPIPE_SZ, 1 << 20);
#endif
    return;
  }
  ::close(ends[0]);
  TameProcess(space == 0 ? 0 : space + moreSpace);
  const int pipe = ends[1];
  ::alarm(seconds);
  try
  {
    work([&](const void * bytes, std::size_t size) {
      // Waiting for a parent that is slow to take it does not count.
      ::alarm(0);
      WriteMessage(pipe, 0, bytes, size);
      ::alarm(seconds);
    });
  }
  catch (const std::bad_alloc &)
  {
    const std::string text = "it takes too much memory";
    WriteMessage(pipe, ErrorMark, text.data(), text.size());
  }
  catch (const std::exception & error)
  {
    WriteMessage(pipe, ErrorMark, error.what(), std::strlen(error.what()));
  }
  catch (...)
  {}
  ::_exit(0);
}

PipedChild::~PipedChild()
{
  if (m_Pipe >= 0)
  {
    ::close(m_Pipe);
  }
  if (m_Process > 0)
  {
    ::kill(m_Process, SIGKILL);
    while (::waitpid(m_Process, nullptr, 0) < 0 && errno == EINTR)
    {}
  }
}

void
PipedChild::ThrowEnd()
{
  int   status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(m_Process, &status, 0)) < 0 && errno == EINTR)
  {}
  m_Process = 0;
  const bool isSignal = ended > 0 && WIFSIGNALED(status);
  ThrowIf(isSignal && WTERMSIG(status) == SIGALRM, "reading it by " + m_Name + " takes too long: it is damaged");
  throw Error(m_Name + " failed" + (isSignal ? " with signal " + std::to_string(WTERMSIG(status)) : "") +
              ": the file is damaged or of an unusual kind");
}

void
PipedChild::Wait() const
{
  constexpr int milliseconds = 20;
  pollfd        pipe = { m_Pipe, POLLIN, 0 };
  while (m_Waiting && ::poll(&pipe, 1, milliseconds) <= 0)
  {
    m_Waiting();
  }
}

void
PipedChild::ReadAll(void * bytes, std::size_t size)
{
  auto * place = static_cast<char *>(bytes);
  while (size > 0)
  {
    Wait();
    const ssize_t got = ::read(m_Pipe, place, size);
    if (got == 0 || (got < 0 && errno != EINTR))
    {
      ThrowEnd();
    }
    place += got > 0 ? got : 0;
    size -= got > 0 ? static_cast<std::size_t>(got) : 0;
  }
}

std::uint64_t
PipedChild::NextSize()
{
  std::uint64_t header[2];
  ReadAll(header, sizeof(header));
  if (header[0] != ErrorMark)
  {
    return header[1];
  }
  std::string text(static_cast<std::size_t>(header[1]), ' ');
  ReadAll(text.data(), text.size());
  throw Error(text);
}

PipedChild::Bytes
PipedChild::Receive()
{
  Bytes bytes(static_cast<std::size_t>(NextSize()));
  ReadAll(bytes.data(), bytes.size());
  return bytes;
}

void
PipedChild::Receive(void * bytes, std::size_t size)
{
  ThrowIf(NextSize() != size, m_Name + " read an unexpected number of bytes");
  ReadAll(bytes, size);
}

} // namespace brickccl::files
