#include "BrickCCL/Files/Formats/TiffHandle.h"

#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#ifdef _WIN32
#  include <filesystem>
#  include <io.h>
#  include <sys/stat.h>
#else
#  include <unistd.h>
#endif

namespace brickccl::files
{

namespace
{

#ifdef _WIN32

using Offset = __int64;
/** One call transfers at most 2^31 - 1 bytes. */
constexpr tmsize_t MaximumBytes = tmsize_t{ 1 } << 30;

int
OpenToWrite(const std::string & path)
{
  return ::_wopen(std::filesystem::path(path).c_str(),
                  _O_RDWR | _O_CREAT | _O_TRUNC | _O_BINARY | _O_NOINHERIT,
                  _S_IREAD | _S_IWRITE);
}

Offset
Seek(int file, Offset offset, int whence)
{
  return ::_lseeki64(file, offset, whence);
}

tmsize_t
Read(int file, void * bytes, tmsize_t size)
{
  return ::_read(file, bytes, static_cast<unsigned>(std::min(size, MaximumBytes)));
}

tmsize_t
Write(int file, const void * bytes, tmsize_t size)
{
  return ::_write(file, bytes, static_cast<unsigned>(std::min(size, MaximumBytes)));
}

int
CloseFile(int file)
{
  return ::_close(file);
}

#else

using Offset = ::off_t;

int
OpenToWrite(const std::string & path)
{
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

Offset
Seek(int file, Offset offset, int whence)
{
  return ::lseek(file, offset, whence);
}

tmsize_t
Read(int file, void * bytes, tmsize_t size)
{
  return ::read(file, bytes, static_cast<std::size_t>(size));
}

tmsize_t
Write(int file, const void * bytes, tmsize_t size)
{
  return ::write(file, bytes, static_cast<std::size_t>(size));
}

int
CloseFile(int file)
{
  return ::close(file);
}

#endif

} // namespace

/** The functions that libtiff calls. */
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
      message = text;
      // libtiff quotes text from the file.
      for (char & letter : message)
      {
        const auto code = static_cast<unsigned char>(letter);
        letter = code < 32 || code > 126 ? '?' : letter;
      }
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

  static tmsize_t
  ReadFile(thandle_t handle, void * output, tmsize_t size)
  {
    return Read(Of(handle).m_File, output, size);
  }
  static tmsize_t
  WriteFile(thandle_t handle, void * bytes, tmsize_t size)
  {
    tmsize_t done = 0;
    while (done < size)
    {
      const tmsize_t count = Write(Of(handle).m_File, static_cast<const char *>(bytes) + done, size - done);
      if (count < 0 && errno == EINTR)
      {
        continue;
      }
      if (count <= 0)
      {
        Of(handle).m_SystemError = count < 0 ? errno : ENOSPC;
        return -1;
      }
      done += count;
    }
    return done;
  }
  static toff_t
  SeekFile(thandle_t handle, toff_t offset, int whence)
  {
    return static_cast<toff_t>(Seek(Of(handle).m_File, static_cast<Offset>(offset), whence));
  }
  static toff_t
  SizeOfFile(thandle_t handle)
  {
    const Offset place = Seek(Of(handle).m_File, 0, SEEK_CUR);
    const Offset size = Seek(Of(handle).m_File, 0, SEEK_END);
    Seek(Of(handle).m_File, place, SEEK_SET);
    return static_cast<toff_t>(std::max<Offset>(0, size));
  }
  static int
  DoNotMap(thandle_t, void **, toff_t *)
  {
    return 0;
  }
};

TiffHandle::TiffHandle(const FileBytes & bytes, bool headerOnly)
  : m_Bytes(bytes)
{
  // D: libtiff looks up the places of strips only when they are needed.
  Open("file", headerOnly ? "rhD" : "rD");
  if (m_Tiff == nullptr)
  {
    Fail("the TIFF header is damaged");
  }
}

TiffHandle::TiffHandle(const std::string & path, bool isBig)
  : m_File(OpenToWrite(path))
{
  if (m_File < 0)
  {
    throw Error(std::strerror(errno));
  }
  Open("file", isBig ? "w8" : "w");
  if (m_Tiff == nullptr)
  {
    const std::string reason = m_SystemError != 0 ? std::strerror(m_SystemError) : m_Error;
    CloseFile(m_File);
    throw Error(reason);
  }
}

void
TiffHandle::Open(const char * name, const char * mode)
{
  TIFFOpenOptions * const options = TIFFOpenOptionsAlloc();
  if (options == nullptr)
  {
    return;
  }
  constexpr tmsize_t maximumBytes = tmsize_t{ 1 } << 31;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, maximumBytes);
  TIFFOpenOptionsSetErrorHandlerExtR(options, Procedures::KeepError, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options, Procedures::KeepWarning, this);
  const bool reads = m_File < 0;
  m_Tiff = TIFFClientOpenExt(name,
                             mode,
                             this,
                             reads ? Procedures::ReadBytes : Procedures::ReadFile,
                             reads ? Procedures::WriteNoBytes : Procedures::WriteFile,
                             reads ? Procedures::SeekBytes : Procedures::SeekFile,
                             Procedures::DoNotClose,
                             reads ? Procedures::SizeOfBytes : Procedures::SizeOfFile,
                             reads ? Procedures::MapBytes : Procedures::DoNotMap,
                             Procedures::UnmapBytes,
                             options);
  TIFFOpenOptionsFree(options);
}

TiffHandle::~TiffHandle()
{
  if (m_Tiff != nullptr)
  {
    TIFFClose(m_Tiff);
  }
  if (m_File >= 0)
  {
    CloseFile(m_File);
  }
}

void
TiffHandle::Fail(const std::string & what) const
{
  if (m_SystemError != 0)
  {
    throw Error(std::strerror(m_SystemError));
  }
  const std::string & reason = m_Error.empty() ? m_Warning : m_Error;
  throw Error(what + (reason.empty() ? "" : ": libtiff says: " + reason));
}

void
TiffHandle::Close()
{
  if (TIFFFlush(m_Tiff) != 1 || HasError() || m_SystemError != 0)
  {
    Fail("the file could not be written");
  }
  TIFFClose(m_Tiff);
  m_Tiff = nullptr;
  const int file = m_File;
  m_File = -1;
  if (CloseFile(file) != 0)
  {
    throw Error(std::strerror(errno));
  }
  if (HasError() || m_SystemError != 0)
  {
    Fail("the file could not be written");
  }
}

} // namespace brickccl::files
