// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

/** The end of a program whose work does not react to an interrupt in time. Work checks for interrupts where it can;
 *  elsewhere, as within a library, another thread ends the process after removing temporary files. */
namespace brickccl
{

/** For programs that catch interrupts (CatchInterrupts): from now on an interrupt that has not ended the process within
 *  a moment does so. The message goes to the error stream, and the exit code is 130. */
void EndAtInterrupt(const std::string & message);

/** Another message from now on, for work that can say more. */
void TellAtInterrupt(const std::string & message);

/** The message given to EndAtInterrupt or TellAtInterrupt. */
std::string MessageAtInterrupt();

/** As EndAtInterrupt, in a forked process, which does not remove its parent's temporary files. */
void EndForkedAtInterrupt();

/** Gives the work this much time instead, if it reacts to every interrupt but must wait for other processes. */
void ExpectEndWithin(std::chrono::milliseconds time);

/** A path to remove when the process ends at an interrupt, such as a temporary folder. */
class UndoneAtInterrupt
{
public:
  /** \param undo  is called, unless this object was destroyed before, on another thread, and never twice */
  explicit UndoneAtInterrupt(std::function<void()> undo);
  ~UndoneAtInterrupt();
  UndoneAtInterrupt(const UndoneAtInterrupt &) = delete;
  UndoneAtInterrupt & operator=(const UndoneAtInterrupt &) = delete;

  /** Calls it now, on this thread, unless that was done before. The process does not end meanwhile. */
  void Undo();

private:
  std::uint64_t m_Key;
};

/** Removes a folder with all that is in it, also while other threads still write there. Failures are passed over. */
void RemoveFolder(const std::string & path);

/** While it is held, no interrupt ends the process: what belongs together is done as a whole. */
std::unique_lock<std::mutex> HoldOffEnd();

} // namespace brickccl
