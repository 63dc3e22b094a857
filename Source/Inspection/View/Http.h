// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Error.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

/** The page that `brickccl view` opens in a browser. */
namespace brickccl::view
{

using Texts = std::map<std::string, std::string>;

struct Request
{
  std::string method;
  /** The target up to its parameters. Nothing in it is decoded. */
  std::string path;
  Texts       parameters;
  /** By names in small letters. */
  Texts       headers;
  std::string body;
};

struct Response
{
  int         status = 200;
  std::string type = "application/json";
  std::string body;
  Texts       headers = {};
};

struct Refusal : Error
{
  Refusal(int code, const std::string & text)
    : Error(text)
    , status(code)
  {}
  int status;
};

/** Reads a request; nothing while it is incomplete. \throws Refusal for what no browser sends. */
std::optional<Request> ReadRequest(const std::string & bytes);

/** \throws Refusal unless a page of this computer asks: the Host is a loopback name, with any port because of tunnels,
 *  so that no other site's name that leads here is accepted; an Origin is the same; and the path begins with
 *  "/TOKEN/". \return the rest of the path */
std::string CheckSource(const Request & request, const std::string & token);

/** A server for one page, on the loopback address. */
class Server
{
public:
  /** \param port  0: any that is free
   *  \param frameOrigin  the origin of pages that may show this one in a frame; empty: none
   *  \throws Error if the port is not free. */
  Server(int port, const std::string & frameOrigin);
  ~Server();

  int Port() const;

  /** Answers requests, each on a thread of its own; nothing means that a request waits, and is asked for again after
   *  Wake() and several times a second. */
  using Answering = std::function<std::optional<Response>(const Request &)>;

  /** Works until `goesOn` returns false. Neither function may throw anything but Refusal. */
  void Run(const Answering & answering, const std::function<bool()> & goesOn);

  /** It may be called on any thread. */
  void Wake();

private:
  struct Implementation;
  std::unique_ptr<Implementation> m_Implementation;
};

/** Opens an address in the browser of the desktop. \return whether there is a desktop */
bool OpenBrowser(std::string address);

// The system's sockets: as much of them as the server needs.

using Socket = std::intptr_t;
constexpr Socket NoSocket = -1;

/** A socket that listens on a port of the loopback address; 0: one that is free. \throws Error */
Socket ListenOn(int port);
int    PortOf(Socket listener);

/** Waits for a connection or for bytes of one. \return whether there is one */
bool IsReady(Socket socket, int milliseconds);

/** The connection that waits; NoSocket if it is gone. Sending to it fails after this many seconds. */
Socket AcceptFrom(Socket listener, int secondsForSending);

/** Appends what has come. \return whether that was something */
bool ReceiveFrom(Socket socket, std::string & received);

/** Sends all, unless the other side goes away. */
void SendTo(Socket socket, const std::string & text);

bool HasHungUp(Socket socket);
void CloseSocket(Socket socket);

} // namespace brickccl::view
