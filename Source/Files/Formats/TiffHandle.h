// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/Disk/FileBytes.h"

#include <string>

#include <tiffio.h>

namespace brickccl::files
{

/** A TIFF file in libtiff, whose messages stay with the handle. Threads may each have one of the same bytes. */
class TiffHandle
{
public:
  /** Opens bytes in memory. The first directory is read unless `headerOnly`. \throws Error. */
  explicit TiffHandle(const FileBytes & bytes, bool headerOnly = false);
  /** Creates a file. \throws Error with the system's reason. */
  TiffHandle(const std::string & path, bool isBig);
  ~TiffHandle();
  TiffHandle(const TiffHandle &) = delete;
  TiffHandle & operator=(const TiffHandle &) = delete;

  TIFF *
  Get() const
  {
    return m_Tiff;
  }

  /** \throws Error that says what failed and why. */
  [[noreturn]] void Fail(const std::string & what) const;
  template <typename TText>
  void
  FailIf(bool condition, const TText & what) const
  {
    if (condition)
    {
      Fail(what);
    }
  }

  bool
  HasError() const
  {
    return !m_Error.empty();
  }
  /** The first warning since ForgetWarnings(). */
  const std::string &
  Warning() const
  {
    return m_Warning;
  }
  void
  ForgetWarnings()
  {
    m_Warning.clear();
  }

  /** Completes a created file. \throws Error with the system's reason if not all of it was written. */
  void Close();

private:
  struct Procedures;

  TIFF *      m_Tiff = nullptr;
  FileBytes   m_Bytes;
  toff_t      m_Place = 0;
  bool        m_IsWritten = false;
  int         m_SystemError = 0;
  std::string m_Error;
  std::string m_Warning;
};

} // namespace brickccl::files
