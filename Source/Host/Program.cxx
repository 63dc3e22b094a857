#include "BrickCCL/Host/Program.h"

#include "BrickCCL/Core/Error.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#ifdef _WIN32
#  ifndef NOMINMAX
#    define NOMINMAX
#  endif
#  include <process.h>
#  include <windows.h>
#else
#  include <unistd.h>
#  ifdef __APPLE__
#    include <mach-o/dyld.h>
#  endif
#endif

namespace brickccl
{

std::string
ProgramPath()
{
#ifdef _WIN32
  std::vector<wchar_t> path(32768);
  const DWORD          length = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
  if (length > 0 && length < path.size())
  {
    return std::filesystem::path(std::wstring(path.data(), length)).string();
  }
#elif defined(__APPLE__)
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
  throw Error("the system does not tell where this program lies");
}

void
ContinueAs(const std::string & program, char ** arguments)
{
#ifdef _WIN32
  const std::intptr_t code = _spawnv(_P_WAIT, program.c_str(), arguments);
  if (code >= 0)
  {
    std::exit(static_cast<int>(code));
  }
#else
  ::execv(program.c_str(), arguments);
#endif
  throw Error("'" + program + "' cannot be started: " + std::strerror(errno));
}

} // namespace brickccl
