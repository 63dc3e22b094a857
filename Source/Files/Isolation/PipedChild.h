// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_ISOLATION_PIPEDCHILD_H
#define BRICKCCL_FILES_ISOLATION_PIPEDCHILD_H

#include "BrickCCL/Core/Error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Work of libraries that damaged files may crash or keep busy for ever. Windows has no such processes.
#ifndef _WIN32
#  define BRICKCCL_HAS_CHILDREN
#endif

namespace brickccl::files
{

#ifdef BRICKCCL_HAS_CHILDREN

/** The size of the address space that this process uses; 0 if it is unknown or must not be limited. */
std::size_t AddressSpace();

/** Makes this process, which was forked, harmless: it ends with its parent and at every signal but Ctrl-C, which is
 *  for the parent to take up, leaves no dump, prints nothing, opens as many files as the hard limit allows, and has
 *  an address space of at most this many bytes (0: any). */
void TameProcess(std::size_t addressSpace);

/** The work crashed. */
class ChildCrash : public Error
{
public:
  using Error::Error;
};

/** A process forked from this one that does some work and sends what comes out. */
class PipedChild
{
public:
  using Bytes = std::vector<std::uint8_t>;
  /** The sender for the work. */
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
  /** Ends the process. */
  ~PipedChild();
  PipedChild(const PipedChild &) = delete;
  PipedChild & operator=(const PipedChild &) = delete;

  /** The next data sent. \throws Error with the work's exception, or with the end of the process (ChildCrash). */
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
};

#endif

} // namespace brickccl::files

#endif
