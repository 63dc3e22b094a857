// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Isolation/Program.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Host/System.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#ifndef NOMINMAX
#  define NOMINMAX
#endif
#include <windows.h>

namespace brickccl
{

namespace
{

namespace fs = std::filesystem;

/** An argument as programs take command lines apart: in quotation marks, backslashes before one twice. */
std::wstring
QuotedArgument(const std::wstring & argument)
{
  std::wstring quoted = L"\"";
  std::size_t  backslashes = 0;
  for (const wchar_t letter : argument)
  {
    quoted.append(letter == L'"' ? backslashes + 1 : 0, L'\\');
    quoted += letter;
    backslashes = letter == L'\\' ? backslashes + 1 : 0;
  }
  quoted.append(backslashes, L'\\');
  return quoted + L"\"";
}

/** Runs a program and waits for it. \return its exit code \throws Error if it cannot be started. */
int
Run(const std::vector<std::string> & arguments, DWORD flags)
{
  std::wstring line;
  for (const std::string & argument : arguments)
  {
    line += (line.empty() ? L"" : L" ") + QuotedArgument(fs::path(argument).wstring());
  }
  STARTUPINFOW        streams = {};
  PROCESS_INFORMATION started = {};
  streams.cb = sizeof(streams);
  if (CreateProcessW(fs::path(arguments[0]).c_str(),
                     line.data(),
                     nullptr,
                     nullptr,
                     FALSE,
                     flags,
                     nullptr,
                     nullptr,
                     &streams,
                     &started) == 0)
  {
    throw Error(Quoted(arguments[0]) +
                " cannot be started: " + std::system_category().message(static_cast<int>(GetLastError())));
  }
  constexpr DWORD milliseconds = 100;
  while (WaitForSingleObject(started.hProcess, milliseconds) == WAIT_TIMEOUT)
  {
    if (WasInterrupted())
    {
      TerminateProcess(started.hProcess, 1);
    }
  }
  DWORD code = 1;
  GetExitCodeProcess(started.hProcess, &code);
  CloseHandle(started.hThread);
  CloseHandle(started.hProcess);
  return static_cast<int>(code);
}

} // namespace

std::string
ProgramPath()
{
  std::wstring path(32768, L'\0');
  const DWORD  length = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
  ThrowIf(length == 0 || length >= path.size(), "the system does not report the path of this program");
  return fs::path(path.substr(0, length)).string();
}

std::string
FindProgram(const std::string & name)
{
  std::wstring path(32768, L'\0');
  const DWORD  length =
    SearchPathW(nullptr, fs::path(name).c_str(), L".exe", static_cast<DWORD>(path.size()), path.data(), nullptr);
  return length == 0 || length >= path.size() ? std::string() : fs::path(path.substr(0, length)).string();
}

void
ContinueAs(const std::string & program, char ** arguments)
{
  std::vector<std::string> words{ program };
  for (char ** argument = arguments + 1; *argument != nullptr; ++argument)
  {
    words.emplace_back(*argument);
  }
  std::exit(Run(words, 0));
}

ProgramEnd
RunProgram(const std::vector<std::string> & arguments)
{
  return { Run(arguments, CREATE_NO_WINDOW), {} };
}

} // namespace brickccl
