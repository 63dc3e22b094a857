#ifndef BRICKCCL_CUDA_DEVICEERROR_H
#define BRICKCCL_CUDA_DEVICEERROR_H

#include "BrickCCL/Core/Error.h"

namespace brickccl::cuda
{

/** A call of the CUDA runtime, or a launch, failed. The text says which, where, why and what helps. */
class DeviceError : public Error
{
public:
  using Error::Error;
};

} // namespace brickccl::cuda

#endif
