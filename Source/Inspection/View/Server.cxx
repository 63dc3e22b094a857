// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/View/Http.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace brickccl::view
{

using Clock = std::chrono::steady_clock;

/** Further ones wait until another one ends. */
constexpr int MaximumConnections = 512;
/** A request that takes longer to arrive is dropped: others may wait for its place. */
constexpr auto TimeForRequest = std::chrono::seconds(2);
constexpr int  SecondsForSending = 20;

static std::string
TextOf(const Response & response, const std::string & frameOrigin)
{
  std::string text =
    "HTTP/1.1 " + std::to_string(response.status) + (response.status < 400 ? " OK" : " Refused") +
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
static bool
Receive(Socket socket, Clock::time_point end, std::string & received)
{
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return left > 0 && IsReady(socket, static_cast<int>(left)) && ReceiveFrom(socket, received);
}

struct Server::Implementation
{
  Socket                  listener = NoSocket;
  std::string             frameOrigin;
  std::mutex              mutex;
  std::condition_variable changed;
  int                     connections = 0;
  std::uint64_t           news = 0;
  bool                    ends = false;

  /** Answers the request of a connection, once it can be. */
  void
  Serve(Socket socket, const Answering & answering)
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
      SendTo(socket, response ? TextOf(*response, frameOrigin) : "");
    }
    catch (const Refusal & refusal)
    {
      SendTo(socket, TextOf({ refusal.status, "text/plain; charset=utf-8", std::string(refusal.what()) + "\n" }, ""));
    }
    catch (const std::exception &)
    {
      // There is not enough memory: the page sees that the connection ends.
    }
    CloseSocket(socket);
    const std::lock_guard<std::mutex> lock(mutex);
    --connections;
    changed.notify_all();
  }
};

Server::Server(int port, const std::string & frameOrigin)
  : m_Implementation(std::make_unique<Implementation>())
{
  m_Implementation->frameOrigin = frameOrigin;
  m_Implementation->listener = ListenOn(port);
}

Server::~Server()
{
  CloseSocket(m_Implementation->listener);
}

int
Server::Port() const
{
  return PortOf(m_Implementation->listener);
}

void
Server::Run(const Answering & answering, const std::function<bool()> & goesOn)
{
  Implementation &             all = *m_Implementation;
  constexpr int                milliseconds = 100;
  std::unique_lock<std::mutex> lock(all.mutex, std::defer_lock);
  all.ends = false;
  for (; goesOn(); lock.unlock())
  {
    const bool isReady = IsReady(all.listener, milliseconds);
    lock.lock();
    const auto   hasPlace = [&] { return all.connections < MaximumConnections; };
    const Socket socket = isReady && all.changed.wait_for(lock, std::chrono::milliseconds(milliseconds), hasPlace)
                          ? AcceptFrom(all.listener, SecondsForSending)
                          : NoSocket;
    if (socket != NoSocket)
    {
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

} // namespace brickccl::view
