// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/View/Http.h"

#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

namespace brickccl::view
{

namespace
{

using Clock = std::chrono::steady_clock;

/** Further ones wait until another one ends. */
constexpr int MaximumConnections = 512;
/** A request that takes longer to arrive is dropped: others may wait for its place. */
constexpr auto TimeForRequest = std::chrono::seconds(2);
constexpr int  SecondsForSending = 20;

std::string
TextOf(const Response & response, const std::string & frameOrigin)
{
  std::string text =
    "HTTP/1.1 " + std::to_string(response.status) + (response.status == 200 ? " OK" : " Refused") +
    "\r\nContent-Type: " + response.type + "\r\nContent-Length: " + std::to_string(response.body.size()) +
    "\r\nConnection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff"
    "\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin"
    "\r\nContent-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src "
    "'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors " +
    (frameOrigin.empty() ? "'none'" : frameOrigin) + "\r\n";
  for (const auto & [name, value] : response.headers)
  {
    text.append(name).append(": ").append(value).append("\r\n");
  }
  return text + "\r\n" + response.body;
}

/** Waits for bytes until then. \return whether some were received */
bool
Receive(int socket, Clock::time_point end, std::string & received)
{
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  pollfd     file = { socket, POLLIN, 0 };
  char       bytes[16384];
  const bool isReady = left > 0 && poll(&file, 1, static_cast<int>(left)) > 0;
  const auto count = isReady ? recv(socket, bytes, sizeof(bytes), 0) : 0;
  received.append(bytes, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return count > 0;
}

void
Send(int socket, const std::string & text)
{
  ssize_t count = 1;
  for (std::size_t sent = 0; sent < text.size() && count > 0; sent += static_cast<std::size_t>(count))
  {
    count = send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
  }
}

bool
HasHungUp(int socket)
{
  pollfd file = { socket, POLLRDHUP, 0 };
  return poll(&file, 1, 0) > 0;
}

} // namespace

struct Server::Implementation
{
  int                     listener = -1;
  std::string             frameOrigin;
  std::mutex              mutex;
  std::condition_variable changed;
  int                     connections = 0;
  std::uint64_t           news = 0;
  bool                    ends = false;

  /** Answers the request of a connection, once it can be. */
  void
  Serve(int socket, const Answering & answering)
  {
    try
    {
      std::string            received;
      const auto             end = Clock::now() + TimeForRequest;
      std::optional<Request> request;
      while (!(request = ReadRequest(received)) && Receive(socket, end, received))
      {}
      std::optional<Response> response;
      for (std::uint64_t seen = 0; request && !response && !HasHungUp(socket);)
      {
        response = answering(*request);
        std::unique_lock<std::mutex> lock(mutex);
        if (ends)
        {
          break;
        }
        constexpr auto time = std::chrono::milliseconds(100);
        changed.wait_for(lock, time, [&] { return response || ends || seen != news; });
        seen = news;
      }
      Send(socket, response ? TextOf(*response, frameOrigin) : "");
    }
    catch (const Refusal & refusal)
    {
      Send(socket, TextOf({ refusal.status, "text/plain; charset=utf-8", std::string(refusal.what()) + "\n" }, ""));
    }
    catch (const std::exception &)
    {
      // There is not enough memory: the page sees that the connection ends.
    }
    close(socket);
    const std::lock_guard<std::mutex> lock(mutex);
    --connections;
    changed.notify_all();
  }
};

Server::Server(int port, const std::string & frameOrigin)
  : m_Implementation(std::make_unique<Implementation>())
{
  m_Implementation->frameOrigin = frameOrigin;
  int &       listener = m_Implementation->listener;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  constexpr int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (listener < 0 || bind(listener, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0 ||
      listen(listener, SOMAXCONN) != 0)
  {
    throw Error("cannot listen on port " + std::to_string(port) + ": " + std::strerror(errno) +
                "; choose another --port");
  }
}

Server::~Server()
{
  close(m_Implementation->listener);
}

int
Server::Port() const
{
  sockaddr_in address = {};
  socklen_t   size = sizeof(address);
  getsockname(m_Implementation->listener, reinterpret_cast<sockaddr *>(&address), &size);
  return ntohs(address.sin_port);
}

void
Server::Run(const Answering & answering, const std::function<bool()> & goesOn)
{
  Implementation &             all = *m_Implementation;
  constexpr int                milliseconds = 100;
  std::unique_lock<std::mutex> lock(all.mutex, std::defer_lock);
  for (; goesOn(); lock.unlock())
  {
    pollfd     file = { all.listener, POLLIN, 0 };
    const bool isReady = poll(&file, 1, milliseconds) > 0;
    lock.lock();
    const auto hasPlace = [&] { return all.connections < MaximumConnections; };
    const int  socket = isReady && all.changed.wait_for(lock, std::chrono::milliseconds(milliseconds), hasPlace)
                        ? accept4(all.listener, nullptr, nullptr, SOCK_CLOEXEC)
                        : -1;
    if (socket >= 0)
    {
      const timeval patience = { SecondsForSending, 0 };
      setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
      ++all.connections;
      std::thread([&all, &answering, socket] { all.Serve(socket, answering); }).detach();
    }
  }
  lock.lock();
  all.ends = true;
  all.changed.notify_all();
  all.changed.wait(lock, [&] { return all.connections == 0; });
}

void
Server::Wake()
{
  const std::lock_guard<std::mutex> lock(m_Implementation->mutex);
  ++m_Implementation->news;
  m_Implementation->changed.notify_all();
}

bool
OpenBrowser(std::string address)
{
  char   program[] = "xdg-open";
  char * words[] = { program, address.data(), nullptr };
  pid_t  child = 0;
  return (std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr) &&
         posix_spawnp(&child, program, nullptr, nullptr, words, environ) == 0;
}

} // namespace brickccl::view
