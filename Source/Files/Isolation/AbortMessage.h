// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_ISOLATION_ABORTMESSAGE_H
#define BRICKCCL_FILES_ISOLATION_ABORTMESSAGE_H

namespace brickccl
{

/** While it lives, a library that aborts the process ends it with a message and exit code 1. There is one at a time. On
 *  Windows it does nothing. */
class AbortMessage
{
public:
  /** \param message  what the standard error gets; it must live as long */
  explicit AbortMessage(const char * message);
  ~AbortMessage();
  AbortMessage(const AbortMessage &) = delete;
  AbortMessage & operator=(const AbortMessage &) = delete;

private:
  void (*m_Before)(int) = nullptr;
};

} // namespace brickccl

#endif
