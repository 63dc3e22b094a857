#ifndef BRICKCCL_HOST_CHILDPROCESS_H
#define BRICKCCL_HOST_CHILDPROCESS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace brickccl
{

/** How a process ended. */
struct ChildEnd
{
  int exitCode = 0;
  /** The signal that ended it; 0 if it ended by itself. */
  int signal = 0;

  /** "exit code 1" or "signal 11 (Segmentation fault)". */
  std::string ToString() const;
};

/** Processes forked from this one that work at the same time. What ends one of them ends no other. If this process
 *  dies, they end too (on Linux). No other thread of this process should run when one is started.
 *
 *  Windows has no such processes. There Start does the work itself and WaitForOne hands out how it ended. */
class ChildProcesses
{
public:
  ChildProcesses() = default;
  /** Ends those that still run. */
  ~ChildProcesses();
  ChildProcesses(const ChildProcesses &) = delete;
  ChildProcesses & operator=(const ChildProcesses &) = delete;

  /** Starts a process that does `work` and ends with its result as the exit code, or with 1 after an exception. What it
   *  writes to its error stream goes to the file `errors`; its output stream goes nowhere.
   *  \param key  names it in WaitForOne. \throws Error if no process can be started. */
  void Start(std::size_t key, const std::function<int()> & work, const std::string & errors);

  struct Ended
  {
    std::size_t key = 0;
    ChildEnd    end;
  };

  /** Waits until one ends. Returns nothing if an interrupt came first (CatchInterrupts), or if none runs. */
  std::optional<Ended> WaitForOne();

  /** Asks all to stop, as Ctrl-C does. */
  void Interrupt();

  std::size_t
  Count() const
  {
    return m_Running.size();
  }

private:
  /** The key of each process. */
  std::map<std::int64_t, std::size_t> m_Running;
  /** How those ended that ran in this process. */
  std::map<std::int64_t, ChildEnd> m_Ended;
};

/** A lock on a folder that one process at a time holds. It ends with the process, however that ends. */
class FolderLock
{
public:
  /** Locks by a file in the folder. \throws Error that says so if another process holds it. */
  explicit FolderLock(const std::string & file);
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;
  FolderLock & operator=(const FolderLock &) = delete;

private:
  std::string m_File;
  int         m_Descriptor = -1;
};

} // namespace brickccl

#endif
