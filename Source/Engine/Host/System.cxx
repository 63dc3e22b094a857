// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Host/System.h"

#include "BrickCCL/Host/ProcessMemory.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#ifdef _WIN32
#  ifndef NOMINMAX
#    define NOMINMAX
#  endif
#  include <windows.h>
// These need windows.h before them.
#  include <io.h>
#  include <psapi.h>
#else
#  include <cerrno>
#  include <dlfcn.h>
#  include <fcntl.h>
#  include <pthread.h>
#  include <pwd.h>
#  include <sys/ioctl.h>
#  include <sys/resource.h>
#  include <sys/stat.h>
#  include <unistd.h>
#  ifdef __linux__
#    include <sched.h>
#  endif
#endif

namespace brickccl
{

namespace
{

// Signal handlers may set it, and another thread may look at it.
std::atomic<int> interrupted{ 0 };
static_assert(std::atomic<int>::is_always_lock_free);

int
CountProcessors()
{
#if defined(_WIN32)
  DWORD_PTR ours = 0;
  DWORD_PTR all = 0;
  if (GetActiveProcessorGroupCount() == 1 && GetProcessAffinityMask(GetCurrentProcess(), &ours, &all) != 0)
  {
    int count = 0;
    for (; ours != 0; ours &= ours - 1)
    {
      ++count;
    }
    return count;
  }
  return static_cast<int>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
#elif defined(__linux__)
  // On machines with more processors than the set holds, all are counted.
  cpu_set_t  set;
  const bool isTold = sched_getaffinity(0, sizeof(set), &set) == 0;
  return isTold ? CPU_COUNT(&set) : static_cast<int>(std::thread::hardware_concurrency());
#else
  return static_cast<int>(std::thread::hardware_concurrency());
#endif
}

} // namespace

int
ProcessorCount()
{
  // It is not a local constant: a process forked while the constant is being set would wait for its value forever.
  static std::atomic<int> processors{ 0 };
  if (processors == 0)
  {
    processors = std::max(1, CountProcessors());
  }
  return processors;
}

bool
WasInterrupted()
{
  return interrupted != 0;
}

#ifdef _WIN32

std::uint64_t
PeakMemoryBytes()
{
  PROCESS_MEMORY_COUNTERS counters = {};
  return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof(counters)) != 0 ? counters.PeakWorkingSetSize : 0;
}

void
ForgetPeakMemory()
{}

std::pair<std::string, std::string>
UserAndComputer()
{
  char  names[2][256] = {};
  DWORD sizes[2] = { sizeof(names[0]), sizeof(names[1]) };
  GetUserNameA(names[0], &sizes[0]);
  GetComputerNameA(names[1], &sizes[1]);
  return { names[0], names[1] };
}

bool
ErrorStreamIsTerminal()
{
  return _isatty(2) != 0;
}

std::size_t
TerminalWidth()
{
  CONSOLE_SCREEN_BUFFER_INFO terminal = {};
  const bool                 isThere = GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &terminal) != 0;
  return isThere ? static_cast<std::size_t>(terminal.srWindow.Right - terminal.srWindow.Left + 1) : 0;
}

bool
AreSameExistingFile(const std::string & a, const std::string & b)
{
  std::error_code failure;
  return std::filesystem::equivalent(a, b, failure) && !failure;
}

void
CatchInterrupts()
{
  SetConsoleCtrlHandler(
    [](DWORD event) -> BOOL {
      interrupted = SIGINT;
      // The system ends a process whose window was closed when this returns; it ends by itself before.
      Sleep(event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? 0 : 5000);
      return TRUE;
    },
    TRUE);
}

void
CatchShortenedFiles(const char *)
{
  // There is nothing to catch: Windows lets no program shorten a file that is mapped.
}

void
CatchAborts(const char *)
{}

void
WithoutErrorStream(const std::function<void()> & work)
{
  work();
}

void
KeepLibraryLoaded()
{
  HMODULE module = nullptr;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                     reinterpret_cast<LPCWSTR>(&CountProcessors),
                     &module);
}

void
CallInForkedChildren(void (*)())
{}

#else

std::uint64_t
PeakMemoryBytes()
{
#  ifdef __linux__
  // The peak from getrusage may belong to the program that started this one.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
  {
    if (line.rfind("VmHWM:", 0) == 0)
    {
      return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
    }
  }
#  endif
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
#  ifdef __APPLE__
  constexpr std::uint64_t unit = 1;
#  else
  constexpr std::uint64_t unit = 1024;
#  endif
  return static_cast<std::uint64_t>(usage.ru_maxrss) * unit;
}

void
ForgetPeakMemory()
{
#  ifdef __linux__
  std::ofstream("/proc/self/clear_refs") << 5;
#  endif
}

std::pair<std::string, std::string>
UserAndComputer()
{
  char computer[256] = {};
  const struct passwd * const user = ::getpwuid(::geteuid());
  ::gethostname(computer, sizeof(computer) - 1);
  return { user != nullptr ? user->pw_name : std::to_string(::geteuid()), computer };
}

bool
ErrorStreamIsTerminal()
{
  return isatty(STDERR_FILENO) == 1;
}

std::size_t
TerminalWidth()
{
  struct winsize size = {};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool
AreSameExistingFile(const std::string & a, const std::string & b)
{
  // std::filesystem::equivalent does not compare devices.
  struct stat first = {};
  struct stat second = {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

void
CatchInterrupts()
{
  struct sigaction action = {};
  action.sa_handler = [](int signal) { interrupted = signal; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // The terminal was closed. Under nohup that is ignored, and stays so.
  struct sigaction before = {};
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
  {
    sigaction(SIGHUP, &action, nullptr);
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);
}

/** At this signal the process writes `message` and ends with exit code 1; null: it ends as usual. */
template <int TSignal>
static void
EndWithMessage(const char * message)
{
  static const char * text = nullptr;
  text = message;
  struct sigaction action = {};
  action.sa_handler = [](int) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
    ::_exit(1);
  };
  if (message == nullptr)
  {
    action.sa_handler = SIG_DFL;
  }
  sigaction(TSignal, &action, nullptr);
}

void
CatchShortenedFiles(const char * message)
{
  EndWithMessage<SIGBUS>(message);
}

void
CatchAborts(const char * message)
{
  EndWithMessage<SIGABRT>(message);
}

void
WithoutErrorStream(const std::function<void()> & work)
{
  std::fflush(stderr);
  const int kept = ::dup(STDERR_FILENO);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (kept >= 0 && nowhere >= 0)
  {
    ::dup2(nowhere, STDERR_FILENO);
  }
  work();
  std::fflush(stderr);
  if (kept >= 0)
  {
    ::dup2(kept, STDERR_FILENO);
  }
  ::close(kept);
  ::close(nowhere);
}

void
KeepLibraryLoaded()
{
  // The program itself is never unloaded, so it does no harm if it is not opened.
  Dl_info library = {};
  if (::dladdr(reinterpret_cast<void *>(&CountProcessors), &library) != 0 && library.dli_fname != nullptr)
  {
    [[maybe_unused]] void * const kept = ::dlopen(library.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

void
CallInForkedChildren(void (*renew)())
{
  ::pthread_atfork(nullptr, nullptr, renew);
}

#endif

} // namespace brickccl
