// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_OUTOFMEMORY_H
#define BRICKCCL_FILES_OUTOFMEMORY_H

#include "BrickCCL/Core/Error.h"

namespace brickccl::files
{

/** An image does not fit into memory while it is read or written. */
class OutOfMemory : public Error
{
public:
  using Error::Error;
};

} // namespace brickccl::files

#endif
