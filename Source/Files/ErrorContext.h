// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <filesystem>
#include <new>
#include <string>

namespace brickccl::files
{

/** An image does not fit into memory while it is read or written. */
class OutOfMemory : public Error
{
public:
  using Error::Error;
};

inline std::string
CannotRead(const std::string & path)
{
  return "cannot read " + Quoted(path) + ": ";
}

inline std::string
CannotWrite(const std::string & path)
{
  return "cannot write " + Quoted(path) + ": ";
}

/** Calls `function` and puts a text before the reason of its errors, unless it is there. Their kind stays. */
template <typename TFunction>
decltype(auto)
WithContext(const std::string & context, TFunction && function)
{
  const auto told = [&](const Error & error) {
    const std::string reason = error.what();
    return reason.rfind(context, 0) == 0 ? reason : context + reason;
  };
  try
  {
    return function();
  }
  catch (const Canceled &)
  {
    throw;
  }
  catch (const InvalidArgument & error)
  {
    throw InvalidArgument(told(error));
  }
  catch (const Unsupported & error)
  {
    throw Unsupported(told(error));
  }
  catch (const OutOfMemory & error)
  {
    throw OutOfMemory(told(error));
  }
  catch (const Error & error)
  {
    throw Error(told(error));
  }
  catch (const std::bad_alloc &)
  {
    throw OutOfMemory(context + "it does not fit into memory");
  }
  catch (const std::filesystem::filesystem_error & error)
  {
    throw Error(context + error.code().message());
  }
}

} // namespace brickccl::files
