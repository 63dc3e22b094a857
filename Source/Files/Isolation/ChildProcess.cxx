// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Isolation/ChildProcess.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Isolation/EndAtInterrupt.h"
#include "BrickCCL/Host/ProcessMemory.h"
#include "BrickCCL/Host/System.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#  include <sys/prctl.h>
#endif

namespace brickccl
{

std::string
ChildEnd::ToString() const
{
  return signal != 0 ? "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")"
                     : "exit code " + std::to_string(exitCode);
}

static int
ResultOf(const std::function<int(std::size_t)> & work, std::size_t key)
{
  try
  {
    return work(key);
  }
  catch (...)
  {
    return 1;
  }
}

/** Files that forked processes have no use for. */
static void
GoToNowhere(int descriptor)
{
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, descriptor);
  ::close(nowhere);
}

static void
SendErrorsTo(const std::string & path)
{
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
  {
    GoToNowhere(STDERR_FILENO);
    return;
  }
  ::dup2(file, STDERR_FILENO);
  ::close(file);
}

/** Whether all of the value has gone or come; not if the other side has ended. */
template <typename T>
static bool
Send(int socket, const T & value)
{
  ssize_t sent = -1;
  while ((sent = ::send(socket, &value, sizeof(T), MSG_NOSIGNAL)) < 0 && errno == EINTR)
  {}
  return sent == static_cast<ssize_t>(sizeof(T));
}

template <typename T>
static bool
Receive(int socket, T & value)
{
  ssize_t received = -1;
  while ((received = ::recv(socket, &value, sizeof(T), MSG_WAITALL)) < 0 && errno == EINTR)
  {}
  return received == static_cast<ssize_t>(sizeof(T));
}

static ChildEnd
EndOf(int status)
{
  ChildEnd end;
  end.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return end;
}

ChildProcesses::ChildProcesses(Work work)
  : m_Work(std::move(work))
{}

ChildProcesses::~ChildProcesses()
{
  while (!m_Processes.empty())
  {
    End(m_Processes.size() - 1, true);
  }
}

std::size_t
ChildProcesses::Count() const
{
  return static_cast<std::size_t>(std::count_if(m_Processes.begin(), m_Processes.end(), [](const Process & process) {
    return process.key.has_value();
  }));
}

void
ChildProcesses::Start(std::size_t key)
{
  for (std::size_t i = m_Processes.size(); i-- > 0;)
  {
    if (!m_Processes[i].key)
    {
      if (Send(m_Processes[i].socket, static_cast<std::uint64_t>(key)))
      {
        m_Processes[i].key = key;
        return;
      }
      End(i, true); // it has died in the meantime
    }
  }
  Fork(key);
}

void
ChildProcesses::Fork(std::size_t key)
{
  // If a parent ignores its children, the system does not report how they end, and a caller may have set that.
  ::signal(SIGCHLD, SIG_DFL);
  int        sockets[2] = { -1, -1 };
  const bool isPaired = ::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0;
  ThrowIf(!isPaired, std::string("cannot start a process: ") + std::strerror(errno));
  ::fcntl(sockets[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(sockets[1], F_SETFD, FD_CLOEXEC);
  [[maybe_unused]] const pid_t parent = ::getpid();
  const pid_t                  child = ::fork();
  const int                    reason = errno;
  if (child == 0)
  {
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
    {
      ::_exit(1);
    }
#endif
    ::close(sockets[0]);
    WorkInChild(key, sockets[1]);
  }
  ::close(sockets[1]);
  if (child < 0)
  {
    ::close(sockets[0]);
    throw Error(std::string("cannot start a process: ") + std::strerror(reason));
  }
  m_Processes.push_back({ child, sockets[0], key });
}

void
ChildProcesses::WorkInChild(std::size_t key, int socket)
{
  for (const Process & other : m_Processes)
  {
    ::close(other.socket);
  }
  GoToNowhere(STDIN_FILENO);
  GoToNowhere(STDOUT_FILENO);
  EndForkedAtInterrupt();
  KeepMemory();
  for (;;)
  {
    SendErrorsTo(m_Work.errorFile(key));
    const int     result = ResultOf(m_Work.run, key);
    std::uint64_t next = 0;
    if (WasInterrupted() || !Send(socket, result) || !Receive(socket, next))
    {
      ::_exit(result);
    }
    key = static_cast<std::size_t>(next);
    ForgetPeakMemory();
  }
}

/** Waits until a process has ended, and forgets it. */
ChildEnd
ChildProcesses::End(std::size_t place, bool isToBeKilled)
{
  const Process process = m_Processes[place];
  if (isToBeKilled)
  {
    ::kill(static_cast<pid_t>(process.number), SIGKILL);
  }
  int status = 0;
  while (::waitpid(static_cast<pid_t>(process.number), &status, 0) < 0 && errno == EINTR)
  {}
  ::close(process.socket);
  m_Processes.erase(m_Processes.begin() + static_cast<std::ptrdiff_t>(place));
  return EndOf(status);
}

/** How the work of a process ended, if it has. A process that has ended is forgotten. */
std::optional<ChildEnd>
ChildProcesses::Look(std::size_t place)
{
  Process & process = m_Processes[place];
  int       result = 0;
  if (::recv(process.socket, &result, sizeof(result), MSG_WAITALL | MSG_DONTWAIT) == ssize_t{ sizeof(result) })
  {
    process.key.reset();
    return ChildEnd{ result, 0 };
  }
  siginfo_t state = {};
  // It stays to be waited for.
  if (::waitid(P_PID, static_cast<id_t>(process.number), &state, WEXITED | WNOHANG | WNOWAIT) == 0 && state.si_pid != 0)
  {
    return End(place, false);
  }
  return std::nullopt;
}

std::vector<ChildProcesses::Ended>
ChildProcesses::WaitForSome()
{
  std::vector<Ended> all;
  while (Count() > 0)
  {
    std::vector<pollfd> sockets;
    for (std::size_t i = m_Processes.size(); i-- > 0;)
    {
      if (const auto key = m_Processes[i].key)
      {
        sockets.push_back({ m_Processes[i].socket, POLLIN, 0 });
        if (const auto end = Look(i))
        {
          all.push_back({ *key, *end });
        }
      }
    }
    if (!all.empty())
    {
      return all;
    }
    // The end of a process is seen at its socket, or soon if processes of its own have that, too.
    constexpr int milliseconds = 200;
    if (::poll(sockets.data(), sockets.size(), milliseconds) < 0 && errno == EINTR)
    {
      return all;
    }
  }
  return all;
}

void
ChildProcesses::Interrupt()
{
  for (std::size_t i = m_Processes.size(); i-- > 0;)
  {
    if (m_Processes[i].key)
    {
      ::kill(static_cast<pid_t>(m_Processes[i].number), SIGTERM);
    }
    else
    {
      End(i, true);
    }
  }
}

FolderLock::FolderLock(const std::string & file)
  : m_File(file)
  , m_Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666))
{
  // This kind of lock belongs to the process: children do not have it, and it is gone when the process is.
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (m_Descriptor >= 0 && ::fcntl(m_Descriptor, F_SETLK, &lock) == 0)
  {
    return;
  }
  const int  reason = errno;
  const bool isHeld = m_Descriptor >= 0 && (reason == EACCES || reason == EAGAIN);
  pid_t      holder = 0;
  if (isHeld && ::fcntl(m_Descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
  {
    holder = lock.l_pid;
  }
  if (m_Descriptor >= 0)
  {
    ::close(m_Descriptor);
  }
  throw Error("cannot lock " + Quoted(file) + ": " +
              (isHeld ? "another process" + (holder > 0 ? " (number " + std::to_string(holder) + ")" : std::string()) +
                          " holds it"
                      : std::strerror(reason)));
}

FolderLock::~FolderLock()
{
  ::close(m_Descriptor);
}

} // namespace brickccl
