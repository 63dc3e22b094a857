// SPDX-License-Identifier: Apache-2.0
// What the command does before main on Windows. Windows.manifest makes UTF-8 the code page of the program: arguments,
// names of files and messages of the system.
#include <cstddef>
#include <cstdlib>
#include <cwchar>
#include <initializer_list>
#include <string>

#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <windows.h>

namespace
{

/** Lines end as on other systems, and terminals show UTF-8 and follow the sequences that steer a progress bar. */
struct Streams
{
  Streams()
  {
    for (const int stream : { 0, 1, 2 })
    {
      _setmode(stream, _O_BINARY);
    }
    SetConsoleOutputCP(CP_UTF8);
    for (const DWORD stream : { STD_OUTPUT_HANDLE, STD_ERROR_HANDLE })
    {
      DWORD        mode = 0;
      HANDLE const console = GetStdHandle(stream);
      if (GetConsoleMode(console, &mode) != 0)
      {
        SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
      }
    }
    // A double click, or a scan that is dropped on the program, opens the page of `view`.
    DWORD process = 0;
    if (GetConsoleProcessList(&process, 1) == 1 && (__argc == 1 || (__argc == 2 && _access(__argv[1], 0) == 0)))
    {
      const std::string scan = __argc == 1 ? "" : '"' + std::string(__argv[1]) + '"';
      const auto        code = _spawnl(_P_WAIT, _pgmptr, "brickccl", "view", scan.c_str(), nullptr);
      // The window of a double click would close with the program.
      if (code != 0)
      {
        std::system("pause");
      }
      std::exit(static_cast<int>(code));
    }
  }
};

const Streams streams;

} // namespace

/** The linker takes it for mbrtowc (CMakeLists.txt), by which std::filesystem reads names: the runtime library of
 * Windows has no locale of UTF-8. A character beyond 16 bits gives its first half for 3 of its bytes, then
 * the second half for the last one. */
extern "C" std::size_t
__wrap_mbrtowc(wchar_t * wide, const char * text, std::size_t size, std::mbstate_t * state)
{
  static std::mbstate_t ownState = {};
  auto &                secondHalf = state == nullptr ? ownState : *state;
  wchar_t               nowhere = 0;
  wide = wide == nullptr ? &nowhere : wide;
  if (secondHalf != 0)
  {
    *wide = static_cast<wchar_t>(secondHalf);
    secondHalf = 0;
    return 1;
  }
  constexpr std::size_t longest = 4;
  for (std::size_t length = 1; text != nullptr && length <= longest && length <= size; ++length)
  {
    wchar_t   halves[2] = {};
    const int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, static_cast<int>(length), halves, 2);
    if (count > 0)
    {
      *wide = halves[0];
      secondHalf = static_cast<std::mbstate_t>(halves[1]);
      return *wide == 0 ? 0 : length - static_cast<std::size_t>(count - 1);
    }
  }
  // It is invalid, or cut.
  return text == nullptr ? 0 : static_cast<std::size_t>(size < longest ? -2 : -1);
}
