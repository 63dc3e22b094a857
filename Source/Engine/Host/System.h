// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace brickccl
{

/** The number of processors that this process may run on, at least 1. It is asked for once. */
int ProcessorCount();

/** The most memory that this process has held, in bytes; 0 if the system does not report it. */
std::uint64_t PeakMemoryBytes();

std::pair<std::string, std::string> UserAndComputer();

bool ErrorStreamIsTerminal();

/** How many columns the terminal has that shows the output; 0 if none shows it, or if the system does not report it. */
std::size_t TerminalWidth();

/** Whether two paths lead to one existing file, device or folder. */
bool AreSameExistingFile(const std::string & a, const std::string & b);

/** From now on WasInterrupted reports an interrupt (Ctrl-C), a request to terminate or, unless that is ignored as
 *  under nohup, a closed terminal. Further ones change nothing. A limit on the size of files (ulimit -f) is an error of
 *  writing from now on, as a full disk is. It is for programs, since it replaces earlier handlers of these signals. */
void CatchInterrupts();
bool WasInterrupted();

/** If another program shortens a mapped file while it is read, the process writes `message` to the error stream and
 *  ends with exit code 1. The message must live as long as the process. */
void CatchShortenedFiles(const char * message);

/** The same for a library that aborts the process; null: from now on an abort is one. On Windows it does nothing. */
void CatchAborts(const char * message);

/** Nothing that this process writes to the error stream while `work` runs is seen, except on Windows. */
void WithoutErrorStream(const std::function<void()> & work);

/** Keeps the library that holds this code in memory until the process ends, even if it is unloaded. */
void KeepLibraryLoaded();

/** Calls `renew` first in every process that is forked from this one. On Windows, no process forks. */
void CallInForkedChildren(void (*renew)());

} // namespace brickccl
