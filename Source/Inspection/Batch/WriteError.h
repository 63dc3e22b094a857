// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BATCH_WRITEERROR_H
#define BRICKCCL_BATCH_WRITEERROR_H

#include "BrickCCL/Core/Error.h"

namespace brickccl::batch
{

/** Something could not be written, which other items would meet as well. */
class WriteError : public Error
{
public:
  using Error::Error;
};

/** Turns every error of `write`, but an interrupt, into a WriteError. */
template <typename TFunction>
void
Writing(TFunction && write)
{
  try
  {
    write();
  }
  catch (const Canceled &)
  {
    throw;
  }
  catch (const Unsupported &)
  {
    throw;
  }
  catch (const Error & error)
  {
    throw WriteError(error.what());
  }
}

} // namespace brickccl::batch

#endif
