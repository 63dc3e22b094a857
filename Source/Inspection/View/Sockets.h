// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_VIEW_SOCKETS_H
#define BRICKCCL_VIEW_SOCKETS_H

#include <cstdint>
#include <string>

/** The system's sockets: as much of them as the server of `brickccl view` needs. */
namespace brickccl::view
{

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

#endif
