// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Isolation/EndAtInterrupt.h"

#include "BrickCCL/Files/Disk/FlushDisk.h"
#include "BrickCCL/Host/System.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace brickccl
{

namespace fs = std::filesystem;

namespace
{

using namespace std::chrono_literals;

/** Together with the time between two looks and what undoing takes, less than a second. */
constexpr auto UsualTime = 500ms;
constexpr auto BetweenLooks = 50ms;

/** All that other threads may use while the process ends; it is never destroyed. */
struct EndState
{
  std::mutex                                     mutex;
  std::map<std::uint64_t, std::function<void()>> undo;
  std::uint64_t                                  nextKey = 0;
  std::string                                    message;
  std::atomic<std::chrono::milliseconds>         time{ UsualTime };
};

EndState *&
StateOfProcess()
{
  static auto * state = new EndState;
  return state;
}

EndState &
State()
{
  return *StateOfProcess();
}

[[noreturn]] void
End()
{
  EndState &                        state = State();
  const std::lock_guard<std::mutex> lock(state.mutex);
  for (const auto & one : state.undo)
  {
    one.second();
  }
  // A bar may stand in the last line of a terminal.
  std::cerr << (ErrorStreamIsTerminal() ? "\r\033[K" : "") << state.message << std::flush;
  std::_Exit(130);
}

void
Watch()
{
  while (!WasInterrupted())
  {
    std::this_thread::sleep_for(BetweenLooks);
  }
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < State().time.load())
  {
    std::this_thread::sleep_for(BetweenLooks);
  }
  End();
}

void
StartWatch()
{
  try
  {
    std::thread(Watch).detach();
  }
  catch (const std::system_error &)
  {
    // The system has no thread left. Then work ends where it asks for interrupts.
  }
}

} // namespace

void
EndAtInterrupt(const std::string & message)
{
  State().message = message;
  StartWatch();
}

void
TellAtInterrupt(const std::string & message)
{
  EndState &                        state = State();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.message = message;
}

std::string
MessageAtInterrupt()
{
  EndState &                        state = State();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.message;
}

void
EndForkedAtInterrupt()
{
  if (!State().message.empty())
  {
    // Another thread of the process before may hold the old one's mutex, and is not here to release it.
    auto * const own = new EndState;
    own->message = State().message;
    StateOfProcess() = own;
    StartWatch();
  }
}

void
ExpectEndWithin(std::chrono::milliseconds time)
{
  State().time = time;
}

UndoneAtInterrupt::UndoneAtInterrupt(std::function<void()> undo)
{
  EndState &                        state = State();
  const std::lock_guard<std::mutex> lock(state.mutex);
  m_Key = state.nextKey++;
  state.undo.emplace(m_Key, std::move(undo));
}

UndoneAtInterrupt::~UndoneAtInterrupt()
{
  EndState &                        state = State();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.undo.erase(m_Key);
}

void
UndoneAtInterrupt::Undo()
{
  EndState &                        state = State();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const auto                        found = state.undo.find(m_Key);
  if (found != state.undo.end())
  {
    found->second();
    state.undo.erase(found);
  }
}

void
RemoveFolder(const std::string & path)
{
  constexpr int         maximumAttempts = 10;
  std::error_code       failure;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(path, failure), end; !failure && entry != end; entry.increment(failure))
  {
    files.push_back(entry->path());
  }
  // If a disk is notified of every removed file, one after another would take seconds.
  ForEachOnDisk(files.size(), [&](std::size_t i) {
    std::error_code ignored;
    fs::remove(files[i], ignored);
  });
  for (int i = 0; i < maximumAttempts && (i == 0 || failure); ++i)
  {
    failure.clear();
    fs::remove_all(path, failure);
  }
}

std::unique_lock<std::mutex>
HoldOffEnd()
{
  return std::unique_lock<std::mutex>(State().mutex);
}

} // namespace brickccl
