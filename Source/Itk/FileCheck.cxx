#include "BrickCCL/Itk/FileCheck.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include <tiffio.h>
#include <zlib.h>

namespace brickccl
{

namespace fs = std::filesystem;

namespace
{

std::string
TooShort(const fs::path & file, std::uint64_t has, std::uint64_t needs)
{
  return "the file is truncated: '" + file.filename().string() + "' has " + std::to_string(has) + " bytes of " +
         std::to_string(needs);
}

using GzipFile = std::unique_ptr<gzFile_s, decltype(&gzclose)>;

/** Decompresses all of a gzip file. \return whether it is whole, checksum included; `count` gets its bytes. */
bool
DecompressesWhole(gzFile file, std::uint64_t & count)
{
  std::vector<char> block(1 << 20);
  int               got = 1;
  for (count = 0; got > 0; count += got > 0 ? static_cast<std::uint64_t>(got) : 0)
  {
    got = gzread(file, block.data(), static_cast<unsigned>(block.size()));
  }
  int status = Z_OK;
  gzerror(file, &status);
  return got == 0 && (status == Z_OK || status == Z_STREAM_END);
}

/** The uncompressed size modulo 2^32 that a whole gzip file states in its last four bytes. */
std::uint32_t
StatedSize(const fs::path & file)
{
  unsigned char bytes[4] = {};
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(-4, std::ios::end);
  stream.read(reinterpret_cast<char *>(bytes), 4);
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

template <typename T>
T
FieldAt(const unsigned char * header, int place, bool swapped)
{
  unsigned char bytes[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i)
  {
    bytes[i] = header[static_cast<std::size_t>(place) + (swapped ? sizeof(T) - 1 - i : i)];
  }
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/** The file with the voxels of a NIfTI or Analyze header. */
fs::path
NiftiDataFile(const fs::path & path)
{
  const bool gzipped = path.extension() == ".gz";
  fs::path   data = gzipped ? path.stem() : path;
  if (data.extension() != ".hdr")
  {
    return path;
  }
  data = path.parent_path() / data.filename();
  data.replace_extension(".img");
  return fs::exists(data) ? data : fs::path(data.string() + ".gz");
}

std::string
MissingOfNifti(const fs::path & path, std::uint64_t bytes)
{
  unsigned char  header[540] = {};
  const GzipFile headerFile(gzopen(path.c_str(), "rb"), gzclose);
  if (!headerFile || gzread(headerFile.get(), header, sizeof(header)) < 348)
  {
    return "its header is truncated";
  }
  const fs::path data = NiftiDataFile(path);
  const int      size = FieldAt<std::int32_t>(header, 0, false);
  const bool     swapped = size != 348 && size != 540;
  const bool     second = FieldAt<std::int32_t>(header, 0, swapped) == 540;
  // With a header file of its own the offset counts from the data file's begin.
  const auto          offset = second ? static_cast<std::uint64_t>(FieldAt<std::int64_t>(header, 168, swapped))
                                      : static_cast<std::uint64_t>(FieldAt<float>(header, 108, swapped));
  const std::uint64_t needed = offset + bytes;
  if (data.extension() != ".gz")
  {
    return fs::file_size(data) < needed ? TooShort(data, fs::file_size(data), needed) : std::string();
  }
  if (StatedSize(data) == static_cast<std::uint32_t>(needed))
  {
    return {};
  }
  const GzipFile file(gzopen(data.c_str(), "rb"), gzclose);
  std::uint64_t  count = 0;
  const bool     whole = file && DecompressesWhole(file.get(), count);
  return !whole || count < needed ? TooShort(data, count, needed) + " when decompressed" : std::string();
}

std::string
MissingOfMetaImage(const fs::path & path, std::uint64_t bytes)
{
  std::ifstream stream(path, std::ios::binary);
  std::uint64_t needed = bytes;
  bool          compressed = false;
  for (std::string line; std::getline(stream, line);)
  {
    const auto equals = line.find('=');
    if (equals == std::string::npos)
    {
      continue;
    }
    const auto trimmed = [](const std::string & text) {
      const auto begin = text.find_first_not_of(" \t\r");
      const auto end = text.find_last_not_of(" \t\r");
      return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
    };
    const std::string key = trimmed(line.substr(0, equals));
    const std::string value = trimmed(line.substr(equals + 1));
    if (key == "CompressedData")
    {
      compressed = value == "True" || value == "true" || value == "1";
      needed = compressed ? 0 : needed;
    }
    else if (key == "CompressedDataSize" && compressed)
    {
      needed = std::stoull(value);
    }
    else if (key == "HeaderSize" && !value.empty() && value[0] != '-' && !compressed)
    {
      needed += std::stoull(value);
    }
    else if (key == "ElementDataFile")
    {
      const fs::path      data = value == "LOCAL" ? path : path.parent_path() / value;
      const std::uint64_t begin = value == "LOCAL" ? static_cast<std::uint64_t>(stream.tellg()) : 0;
      // A list or a pattern of files is not looked into.
      if (fs::is_regular_file(data) && fs::file_size(data) < begin + needed)
      {
        return TooShort(data, fs::file_size(data), begin + needed);
      }
      break;
    }
  }
  return {};
}

std::string firstTiffError;

extern "C" void
KeepTiffError(const char *, const char * format, va_list arguments)
{
  if (firstTiffError.empty())
  {
    char text[256];
    std::vsnprintf(text, sizeof(text), format, arguments);
    firstTiffError = text;
  }
}

/** Errors of the TIFF library go to `firstTiffError` for as long as this lives, its warnings nowhere. */
class TiffHandlers
{
public:
  TiffHandlers()
    : m_Errors(TIFFSetErrorHandler(KeepTiffError))
    , m_Warnings(TIFFSetWarningHandler(nullptr))
  {
    firstTiffError.clear();
  }
  TiffHandlers(const TiffHandlers &) = delete;
  TiffHandlers & operator=(const TiffHandlers &) = delete;
  ~TiffHandlers()
  {
    TIFFSetErrorHandler(m_Errors);
    TIFFSetWarningHandler(m_Warnings);
  }

private:
  TIFFErrorHandler m_Errors;
  TIFFErrorHandler m_Warnings;
};

/** Whether all pages can be found and their strips or tiles lie within the file. */
std::string
MissingOfTiff(const fs::path & path)
{
  const TiffHandlers                            handlers;
  const std::unique_ptr<TIFF, void (*)(TIFF *)> file(TIFFOpen(path.c_str(), "r"), TIFFClose);
  if (!file)
  {
    return "the file is no TIFF file or is truncated: " + firstTiffError;
  }
  const std::uint64_t size = fs::file_size(path);
  do
  {
    const std::uint32_t pieces =
      TIFFIsTiled(file.get()) ? TIFFNumberOfTiles(file.get()) : TIFFNumberOfStrips(file.get());
    for (std::uint32_t piece = 0; piece < pieces; ++piece)
    {
      const std::uint64_t end = TIFFGetStrileOffset(file.get(), piece) + TIFFGetStrileByteCount(file.get(), piece);
      if (end > size)
      {
        return TooShort(path, size, end);
      }
    }
  } while (TIFFReadDirectory(file.get()) == 1);
  return firstTiffError.empty() ? std::string() : "the file is truncated: " + firstTiffError;
}

} // namespace

std::string
WhatIsMissing(const std::string & path, const std::string & reader, std::uint64_t bytes)
{
  return reader == "NiftiImageIO" ? MissingOfNifti(path, bytes)
       : reader == "MetaImageIO"  ? MissingOfMetaImage(path, bytes)
       : reader == "TIFFImageIO"  ? MissingOfTiff(path)
                                  : std::string();
}

} // namespace brickccl
