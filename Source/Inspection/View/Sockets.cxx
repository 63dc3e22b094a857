// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/View/Http.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#ifdef _WIN32
#  ifndef NOMINMAX
#    define NOMINMAX
#  endif
#  include <winsock2.h>
// These need winsock2.h before them.
#  include <shellapi.h>
#  include <windows.h>
#else
#  include <fcntl.h>
#  include <netinet/in.h>
#  include <poll.h>
#  include <spawn.h>
#  include <sys/socket.h>
#  include <unistd.h>
#endif
#ifdef __APPLE__
#  include <crt_externs.h>
#  define environ (*_NSGetEnviron())
#endif

namespace brickccl::view
{

namespace
{

// Names and types of Windows for the same calls.
#ifdef _WIN32
using Native = SOCKET;
using Size = int;
constexpr int NoSignal = 0;

Native
NewSocket()
{
  WSADATA data = {};
  return WSAStartup(MAKEWORD(2, 2), &data) == 0 ? socket(AF_INET, SOCK_STREAM, 0) : INVALID_SOCKET;
}

std::string
LastFault()
{
  return std::system_category().message(WSAGetLastError());
}
#else
using Native = int;
using Size = socklen_t;
constexpr int NoSignal = MSG_NOSIGNAL;

Native
NewSocket()
{
  return socket(AF_INET, SOCK_STREAM, 0);
}

std::string
LastFault()
{
  return std::strerror(errno);
}
#endif

template <typename T>
void
SetOption(Native socket, int name, const T & value)
{
  setsockopt(socket, SOL_SOCKET, name, reinterpret_cast<const char *>(&value), sizeof(value));
}

} // namespace

Socket
ListenOn(int port)
{
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const Native listener = NewSocket();
#ifdef _WIN32
  // Otherwise another program could listen on the same port.
  SetOption(listener, SO_EXCLUSIVEADDRUSE, 1);
#else
  fcntl(listener, F_SETFD, FD_CLOEXEC);
  SetOption(listener, SO_REUSEADDR, 1);
#endif
  if (static_cast<Socket>(listener) == NoSocket ||
      bind(listener, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0 ||
      listen(listener, SOMAXCONN) != 0)
  {
    throw Error("cannot listen on port " + std::to_string(port) + ": " + LastFault() + "; choose another --port");
  }
  return static_cast<Socket>(listener);
}

int
PortOf(Socket listener)
{
  sockaddr_in address = {};
  Size        size = sizeof(address);
  getsockname(static_cast<Native>(listener), reinterpret_cast<sockaddr *>(&address), &size);
  return ntohs(address.sin_port);
}

bool
IsReady(Socket socket, int milliseconds)
{
#ifdef _WIN32
  WSAPOLLFD file = { static_cast<Native>(socket), POLLRDNORM, 0 };
  return WSAPoll(&file, 1, milliseconds) > 0;
#else
  pollfd file = { static_cast<Native>(socket), POLLIN, 0 };
  return poll(&file, 1, milliseconds) > 0;
#endif
}

Socket
AcceptFrom(Socket listener, int secondsForSending)
{
#ifdef _WIN32
  const Native socket = accept(static_cast<Native>(listener), nullptr, nullptr);
  SetOption(socket, SO_SNDTIMEO, static_cast<DWORD>(secondsForSending) * 1000);
#else
  const Native socket = accept(static_cast<Native>(listener), nullptr, nullptr);
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  SetOption(socket, SO_SNDTIMEO, timeval{ secondsForSending, 0 });
#endif
  return static_cast<Socket>(socket);
}

bool
ReceiveFrom(Socket socket, std::string & received)
{
  char       bytes[16384];
  const auto count = recv(static_cast<Native>(socket), bytes, sizeof(bytes), 0);
  received.append(bytes, count > 0 ? static_cast<std::size_t>(count) : 0);
  return count > 0;
}

void
SendTo(Socket socket, const std::string & text)
{
  std::ptrdiff_t count = 1;
  for (std::size_t sent = 0; sent < text.size() && count > 0; sent += static_cast<std::size_t>(count))
  {
    const auto part = static_cast<Size>(std::min(text.size() - sent, std::size_t{ 1 } << 20));
    count = send(static_cast<Native>(socket), text.data() + sent, part, NoSignal);
  }
}

bool
HasHungUp(Socket socket)
{
#ifdef POLLRDHUP
  pollfd file = { static_cast<Native>(socket), POLLRDHUP, 0 };
  return poll(&file, 1, 0) > 0;
#else
  char byte = 0;
  return IsReady(socket, 0) && recv(static_cast<Native>(socket), &byte, 1, MSG_PEEK) <= 0;
#endif
}

void
CloseSocket(Socket socket)
{
#ifdef _WIN32
  closesocket(static_cast<Native>(socket));
#else
  close(static_cast<Native>(socket));
#endif
}

bool
OpenBrowser(std::string address)
{
#ifdef _WIN32
  const std::wstring wide = std::filesystem::path(address).wstring();
  // Up to 32 are errors.
  return reinterpret_cast<std::intptr_t>(
           ShellExecuteW(nullptr, L"open", wide.c_str(), nullptr, nullptr, SW_SHOWNORMAL)) > 32;
#else
  char   program[] = "xdg-open";
  char * words[] = { program, address.data(), nullptr };
  pid_t  child = 0;
  return (std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr) &&
         posix_spawnp(&child, program, nullptr, nullptr, words, environ) == 0;
#endif
}

} // namespace brickccl::view
