#include "BrickCCL/Host/ChildProcess.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/EndAtInterrupt.h"
#include "BrickCCL/Host/System.h"

#include <cerrno>
#include <cstring>
#include <exception>

#ifdef _WIN32
#  include <fcntl.h>
#  include <io.h>
#  include <share.h>
#  include <sys/stat.h>
#else
#  include <csignal>
#  include <fcntl.h>
#  include <sys/types.h>
#  include <sys/wait.h>
#  include <unistd.h>
#  ifdef __linux__
#    include <sys/prctl.h>
#  endif
#endif

namespace brickccl
{

std::string
ChildEnd::ToString() const
{
#ifndef _WIN32
  if (signal != 0)
  {
    return "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
  }
#endif
  return "exit code " + std::to_string(exitCode);
}

#ifdef _WIN32

ChildProcesses::~ChildProcesses() = default;

void
ChildProcesses::Start(std::size_t key, const std::function<int()> & work, const std::string &)
{
  ChildEnd end;
  try
  {
    end.exitCode = work();
  }
  catch (const std::exception &)
  {
    end.exitCode = 1;
  }
  const auto number = static_cast<std::int64_t>(m_Running.size());
  m_Running.emplace(number, key);
  m_Ended.emplace(number, end);
}

std::optional<ChildProcesses::Ended>
ChildProcesses::WaitForOne()
{
  if (m_Ended.empty())
  {
    return std::nullopt;
  }
  const auto  first = *m_Ended.begin();
  const Ended ended{ m_Running[first.first], first.second };
  m_Running.erase(first.first);
  m_Ended.erase(first.first);
  return ended;
}

void
ChildProcesses::Interrupt()
{}

FolderLock::FolderLock(const std::string & file)
  : m_File(file)
{
  // Windows refuses to open a file that another process has opened like this.
  if (::_sopen_s(&m_Descriptor, file.c_str(), _O_CREAT | _O_RDWR, _SH_DENYRW, _S_IREAD | _S_IWRITE) != 0)
  {
    throw Error("cannot lock '" + file + "': " + std::strerror(errno));
  }
}

FolderLock::~FolderLock()
{
  ::_close(m_Descriptor);
}

#else

namespace
{

/** Forks a process that ends with the result of `work`, or with 1 after an exception.
 *  \param errors  the file that its error stream goes to
 *  \return its number. \throws Error. */
pid_t
Fork(const std::function<int()> & work, const char * errors)
{
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0)
  {
    throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  }
  if (child > 0)
  {
    return child;
  }
#  ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
  {
    ::_exit(1);
  }
#  else
  static_cast<void>(parent);
#  endif
  const int nowhere = ::open("/dev/null", O_RDWR);
  const int file = ::open(errors, O_WRONLY | O_CREAT | O_APPEND, 0666);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(file >= 0 ? file : nowhere, STDERR_FILENO);
  EndForkedAtInterrupt();
  int result = 1;
  try
  {
    result = work();
  }
  catch (...)
  {
    result = 1;
  }
  ::_exit(result);
}

ChildEnd
EndOf(int status)
{
  ChildEnd end;
  end.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return end;
}

} // namespace

ChildProcesses::~ChildProcesses()
{
  for (const auto & [process, key] : m_Running)
  {
    ::kill(static_cast<pid_t>(process), SIGKILL);
  }
  for (const auto & [process, key] : m_Running)
  {
    while (::waitpid(static_cast<pid_t>(process), nullptr, 0) < 0 && errno == EINTR)
    {}
  }
}

void
ChildProcesses::Start(std::size_t key, const std::function<int()> & work, const std::string & errors)
{
  // Where a parent ignores its children, the system does not tell how they end, and a caller may have asked for that.
  ::signal(SIGCHLD, SIG_DFL);
  m_Running.emplace(Fork(work, errors.c_str()), key);
}

std::optional<ChildProcesses::Ended>
ChildProcesses::WaitForOne()
{
  while (!m_Running.empty())
  {
    int         status = 0;
    const pid_t process = ::waitpid(-1, &status, 0);
    if (process < 0)
    {
      return std::nullopt;
    }
    const auto found = m_Running.find(process);
    if (found != m_Running.end())
    {
      const Ended ended{ found->second, EndOf(status) };
      m_Running.erase(found);
      return ended;
    }
  }
  return std::nullopt;
}

void
ChildProcesses::Interrupt()
{
  for (const auto & [process, key] : m_Running)
  {
    ::kill(static_cast<pid_t>(process), SIGTERM);
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
  throw Error("cannot lock '" + file + "': " +
              (isHeld ? "another process" + (holder > 0 ? " (number " + std::to_string(holder) + ")" : std::string()) +
                          " holds it"
                      : std::strerror(reason)));
}

FolderLock::~FolderLock()
{
  ::close(m_Descriptor);
}

#endif

} // namespace brickccl
