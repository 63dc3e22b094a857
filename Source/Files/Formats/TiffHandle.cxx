// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/TiffHandle.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace brickccl::files
{

struct TiffHandle::Procedures
{
  static TiffHandle &
  Of(void * handle)
  {
    return *static_cast<TiffHandle *>(handle);
  }

  static int
  Keep(std::string & message, const char * format, std::va_list arguments)
  {
    if (message.empty())
    {
      char text[512];
      std::vsnprintf(text, sizeof(text), format, arguments);
      // libtiff quotes text from the file.
      message = Printable(text);
      while (!message.empty() && (message.back() == '.' || message.back() == ' '))
      {
        message.pop_back();
      }
    }
    return 1;
  }
  static int
  KeepError(TIFF *, void * handle, const char *, const char * format, std::va_list arguments)
  {
    std::string text;
    Keep(text, format, arguments);
    // An unknown unit does not damage pixels. Its number is read elsewhere.
    const bool isUnit = text.find("\"ResolutionUnit\" tag") != std::string::npos;
    if (!isUnit && Of(handle).m_Error.empty())
    {
      Of(handle).m_Error = text;
      Of(handle).m_SystemError = errno;
    }
    return 1;
  }
  static int
  KeepWarning(TIFF *, void * handle, const char *, const char * format, std::va_list arguments)
  {
    return Keep(Of(handle).m_Warning, format, arguments);
  }

  static tmsize_t
  ReadBytes(thandle_t handle, void * output, tmsize_t size)
  {
    TiffHandle &      of = Of(handle);
    const std::size_t there = of.m_Bytes.Size();
    const auto        begin = static_cast<std::size_t>(std::min<toff_t>(of.m_Place, there));
    const std::size_t count = std::min(static_cast<std::size_t>(std::max<tmsize_t>(size, 0)), there - begin);
    if (count > 0)
    {
      std::memcpy(output, of.m_Bytes.Data() + begin, count);
    }
    of.m_Place = begin + count;
    return static_cast<tmsize_t>(count);
  }
  static tmsize_t
  WriteNoBytes(thandle_t, void *, tmsize_t)
  {
    return -1;
  }
  static toff_t
  SeekBytes(thandle_t handle, toff_t offset, int whence)
  {
    TiffHandle & of = Of(handle);
    of.m_Place = offset + (whence == SEEK_CUR ? of.m_Place : whence == SEEK_END ? of.m_Bytes.Size() : 0);
    return of.m_Place;
  }
  static toff_t
  SizeOfBytes(thandle_t handle)
  {
    return Of(handle).m_Bytes.Size();
  }
  static int
  MapBytes(thandle_t handle, void ** base, toff_t * size)
  {
    *base = const_cast<unsigned char *>(Of(handle).m_Bytes.Data());
    *size = Of(handle).m_Bytes.Size();
    return 1;
  }
  static void
  UnmapBytes(thandle_t, void *, toff_t)
  {}
  static int
  DoNotClose(thandle_t)
  {
    return 0;
  }
};

/** Calls `open` with options by which a handle keeps the messages of libtiff. */
template <typename TOpen>
static TIFF *
OpenWith(TIFFErrorHandlerExtR keepError, TIFFErrorHandlerExtR keepWarning, TiffHandle * handle, TOpen open)
{
  TIFFOpenOptions * const options = TIFFOpenOptionsAlloc();
  if (options == nullptr)
  {
    return nullptr;
  }
  constexpr tmsize_t maximumBytes = tmsize_t{ 1 } << 31;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, maximumBytes);
  TIFFOpenOptionsSetErrorHandlerExtR(options, keepError, handle);
  TIFFOpenOptionsSetWarningHandlerExtR(options, keepWarning, handle);
  TIFF * const tiff = open(options);
  TIFFOpenOptionsFree(options);
  return tiff;
}

TiffHandle::TiffHandle(const FileBytes & bytes, bool headerOnly)
  : m_Bytes(bytes)
{
  m_Tiff = OpenWith(Procedures::KeepError, Procedures::KeepWarning, this, [&](TIFFOpenOptions * options) {
    // D: libtiff looks up the places of strips only when they are needed.
    return TIFFClientOpenExt("file",
                             headerOnly ? "rhD" : "rD",
                             this,
                             Procedures::ReadBytes,
                             Procedures::WriteNoBytes,
                             Procedures::SeekBytes,
                             Procedures::DoNotClose,
                             Procedures::SizeOfBytes,
                             Procedures::MapBytes,
                             Procedures::UnmapBytes,
                             options);
  });
  FailIf(m_Tiff == nullptr, "the TIFF header is damaged");
}

TiffHandle::TiffHandle(const std::string & path, bool isBig)
  : m_IsWritten(true)
{
  errno = 0;
  m_Tiff = OpenWith(Procedures::KeepError, Procedures::KeepWarning, this, [&](TIFFOpenOptions * options) {
    const char * const mode = isBig ? "w8" : "w";
    return TIFFOpenExt(path.c_str(), mode, options);
  });
  FailIf(m_Tiff == nullptr, "the file could not be created");
}

TiffHandle::~TiffHandle()
{
  if (m_Tiff != nullptr)
  {
    TIFFClose(m_Tiff);
  }
}

void
TiffHandle::Fail(const std::string & what) const
{
  const std::string & reason = m_Error.empty() ? m_Warning : m_Error;
  throw Error(what + (reason.empty() ? "" : ": libtiff says: " + reason) +
              (m_IsWritten && m_SystemError != 0 ? std::string(" (") + std::strerror(m_SystemError) + ")" : ""));
}

void
TiffHandle::Close()
{
  errno = 0;
  const bool isDone = TIFFFlush(m_Tiff) == 1;
  TIFFClose(m_Tiff);
  m_Tiff = nullptr;
  FailIf(!isDone || HasError(), "the file could not be written");
}

} // namespace brickccl::files
