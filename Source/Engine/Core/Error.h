// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CORE_ERROR_H
#define BRICKCCL_CORE_ERROR_H

#include <stdexcept>
#include <string>

namespace brickccl
{

/** The base of every exception that this library throws on purpose. The text names the fault, the value found and a
 *  remedy. */
class Error : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/** An invalid argument or combination of arguments (connectivity 5, tolerance below 0 ...). */
class InvalidArgument : public Error
{
public:
  using Error::Error;
};

/** The requested label type cannot hold the number of components. Thrown before anything is written. */
class LabelOverflow : public Error
{
public:
  using Error::Error;
};

/** A valid request that this build, backend or algorithm does not support. */
class Unsupported : public Error
{
public:
  using Error::Error;
};

/** The caller's cancellation hook asked to stop. */
class Canceled : public Error
{
public:
  Canceled()
    : Error("labeling was canceled by the caller")
  {}
};

/** \throws TError with the reason if something is wrong. */
template <typename TError = Error>
void
ThrowIf(bool isWrong, const std::string & reason)
{
  if (isWrong)
  {
    throw TError(reason);
  }
}

} // namespace brickccl

namespace brickccl::cuda
{

/** A call of the CUDA runtime, or a launch, failed. The text names the call, the place, the reason and a remedy. */
class DeviceError : public Error
{
public:
  using Error::Error;
};

} // namespace brickccl::cuda

#endif
