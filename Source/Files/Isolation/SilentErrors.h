// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_ISOLATION_SILENTERRORS_H
#define BRICKCCL_FILES_ISOLATION_SILENTERRORS_H

namespace brickccl
{

/** As long as it lives, nothing that this process writes to the standard error stream is seen. For libraries that write
 *  there what they return as well. */
class SilentErrors
{
public:
  SilentErrors();
  ~SilentErrors();
  SilentErrors(const SilentErrors &) = delete;
  SilentErrors & operator=(const SilentErrors &) = delete;

private:
  int m_Kept = -1;
};

} // namespace brickccl

#endif
