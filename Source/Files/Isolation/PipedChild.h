// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <string>
#include <vector>

// Work of libraries that damaged files may crash or keep busy for ever.
namespace brickccl::files
{

/** A process forked from this one that does some work and sends what comes out.
 *
 *  Windows has no such processes (ChildProcesses::AreProcesses). There the constructor does all of the work, with no
 *  limit of memory or time. */
class PipedChild
{
public:
  using Bytes = std::vector<std::uint8_t>;
  using Send = std::function<void(const void * bytes, std::size_t size)>;

  /** Starts the process. Exceptions of the work are thrown by Receive.
   *  \param name         names the library in errors
   *  \param moreSpace    how many bytes more than this process the child may take
   *  \param seconds      how long it may take from one Send to the next
   *  \param waiting      called now and then while Receive waits; if it throws, waiting ends
   *  \throws Error if no process can be started. */
  PipedChild(std::string                                    name,
             const std::function<void(const Send & send)> & work,
             std::size_t                                    moreSpace,
             unsigned                                       seconds,
             std::function<void()>                          waiting = {});
  ~PipedChild();
  PipedChild(const PipedChild &) = delete;
  PipedChild & operator=(const PipedChild &) = delete;

  /** The next data sent. \throws Error with the work's exception, or with the end of the process. */
  Bytes Receive();
  /** The same for a size that is known. */
  void Receive(void * bytes, std::size_t size);

private:
  std::uint64_t     NextSize();
  void              Wait() const;
  void              ReadAll(void * bytes, std::size_t size);
  [[noreturn]] void ThrowEnd();

  std::string           m_Name;
  std::function<void()> m_Waiting;
  int                   m_Pipe = -1;
  int                   m_Process = 0;
  /** The output and the exception of the work, on systems without such processes. */
  std::deque<Bytes>  m_Sent;
  std::exception_ptr m_Thrown;
};

} // namespace brickccl::files
