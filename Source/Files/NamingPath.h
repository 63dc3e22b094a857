// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_NAMINGPATH_H
#define BRICKCCL_FILES_NAMINGPATH_H

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/OutOfMemory.h"

#include <filesystem>
#include <functional>
#include <new>
#include <string>

namespace brickccl::files
{

inline std::string
CannotRead(const std::string & path, const std::string & reason)
{
  return "cannot read " + Quoted(path) + ": " + reason;
}

inline std::string
CannotWrite(const std::string & path, const std::string & reason)
{
  return "cannot write " + Quoted(path) + ": " + reason;
}

/** Calls `function` and puts the path before the reason of any error that it throws. The kind of the error stays. */
template <typename TFunction>
decltype(auto)
NamingPath(const std::function<std::string(const std::string &)> & sentence, TFunction && function)
{
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
    throw InvalidArgument(sentence(error.what()));
  }
  catch (const Unsupported & error)
  {
    throw Unsupported(sentence(error.what()));
  }
  catch (const Error & error)
  {
    throw Error(sentence(error.what()));
  }
  catch (const std::bad_alloc &)
  {
    throw OutOfMemory(sentence("it does not fit into memory"));
  }
  catch (const std::filesystem::filesystem_error & error)
  {
    throw Error(sentence(error.code().message()));
  }
}

} // namespace brickccl::files

#endif
