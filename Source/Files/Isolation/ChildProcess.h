// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace brickccl
{

struct ChildEnd
{
  int exitCode = 0;
  /** The signal that ended it; 0 if it ended by itself. */
  int signal = 0;

  /** Whether it ended by itself with this code. */
  bool
  IsExit(int code) const
  {
    return signal == 0 && exitCode == code;
  }

  /** "exit code 1" or "signal 11 (Segmentation fault)". */
  std::string ToString() const;
};

/** Processes forked from this one that work at the same time. A crash of one does not end the others. If this process
 *  dies, they end too (on Linux). No other thread of this process should run when one is started.
 *
 *  Windows has no such processes. There Start does the work itself and WaitForSome returns how it ended. */
class ChildProcesses
{
public:
#ifdef _WIN32
  static constexpr bool AreProcesses = false;
#else
  static constexpr bool AreProcesses = true;
#endif

  /** The work of the processes. A process continues with other keys, in its own memory, and sees later changes of this
   *  one only through Start. */
  struct Work
  {
    /** Does the work of a key. The result is its exit code; after an exception that is 1. */
    std::function<int(std::size_t key)> run;
    /** The file that the error stream goes to in the meantime. The output stream goes nowhere. */
    std::function<std::string(std::size_t key)> errorFile;
  };

  explicit ChildProcesses(Work work);
  /** Ends those that still run. */
  ~ChildProcesses();
  ChildProcesses(const ChildProcesses &) = delete;
  ChildProcesses & operator=(const ChildProcesses &) = delete;

  /** Has a process do the work of a key: one that has finished its own, or a new one.
   *  \throws Error if no process can be started. */
  void Start(std::size_t key);

  struct Ended
  {
    std::size_t key = 0;
    ChildEnd    end;
  };

  /** Waits until the work of a key ends, and returns all that have ended then. Returns nothing if an interrupt came
   *  first (CatchInterrupts), or if no work is done. */
  std::vector<Ended> WaitForSome();

  /** Asks all to stop, as Ctrl-C does. */
  void Interrupt();

  std::size_t Count() const;

private:
#ifdef _WIN32
  Work               m_Work;
  std::vector<Ended> m_Ended;
#else
  struct Process
  {
    std::int64_t number = 0;
    /** Keys go this way, and exit codes come back. */
    int socket = -1;
    /** The key of its work; none if it is waiting. */
    std::optional<std::size_t> key;
  };

  void                    Fork(std::size_t key);
  [[noreturn]] void       WorkInChild(std::size_t key, int socket);
  ChildEnd                End(std::size_t place, bool isToBeKilled);
  std::optional<ChildEnd> Look(std::size_t place);

  Work                 m_Work;
  std::vector<Process> m_Processes;
#endif
};

/** A lock on a folder that one process at a time holds. It ends with the process, however that ends. */
class FolderLock
{
public:
  /** Locks by a file in the folder. \throws Error if another process holds it. */
  explicit FolderLock(const std::string & file);
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;
  FolderLock & operator=(const FolderLock &) = delete;

private:
  std::string m_File;
  int         m_Descriptor = -1;
};

} // namespace brickccl
