// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Voxels.h"
#include "BrickCCL/Files/Settle.h"

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include <png.h>

namespace brickccl::files
{

namespace
{

/** libpng's bytes and messages. Only its handles need a destructor, since libpng leaves functions by longjmp. */
class PngDecoder
{
public:
  PngDecoder(const unsigned char * data, std::size_t size)
    : m_Data(data)
    , m_Size(size)
    , png(png_create_read_struct(PNG_LIBPNG_VER_STRING, this, KeepError, KeepWarning))
  {
    info = png != nullptr ? png_create_info_struct(png) : nullptr;
    if (info == nullptr)
    {
      png_destroy_read_struct(&png, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  ~PngDecoder()
  {
    png_destroy_read_struct(&png, &info, nullptr);
  }
  PngDecoder(const PngDecoder &) = delete;
  PngDecoder & operator=(const PngDecoder &) = delete;

  /** Reads everything before the pixels. \return false on an error */
  bool
  ReadHeader()
  {
    if (setjmp(png_jmpbuf(png)) != 0)
    {
      return false;
    }
    png_set_read_fn(png, this, Read);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png, 1 << 24);
    // Color profiles and texts do not matter here, and many are faulty.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, Unneeded, static_cast<int>(sizeof(Unneeded) / 5));
    png_read_info(png, info);
    return true;
  }

  /** Reads the pixels, as stored. \return false on an error, also if pixels are left over or missing */
  bool
  ReadPixels(unsigned char * pixels, std::size_t rowBytes, std::uint32_t height, const Progress & progress)
  {
    if (setjmp(png_jmpbuf(png)) != 0)
    {
      return false;
    }
    png_set_packing(png);
    png_set_strip_alpha(png);
    if (!HostIsBigEndian)
    {
      png_set_swap(png);
    }
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != rowBytes)
    {
      png_error(png, "rows do not have the length in the header");
    }
    for (int pass = 0; pass < passes; ++pass)
    {
      for (std::uint32_t row = 0; row < height; ++row)
      {
        if (row % RowsBetweenReports == 0)
        {
          progress.Update((pass + static_cast<double>(row) / height) / passes);
        }
        png_read_row(png, pixels + row * rowBytes, nullptr);
      }
    }
    png_read_end(png, nullptr);
    return std::strncmp(m_Warning, "IDAT", 4) != 0;
  }

  [[noreturn]] void
  Fail() const
  {
    const char * const reason = m_Error[0] != 0 ? m_Error : m_Warning;
    throw Error(std::string("the PNG file is damaged or truncated: libpng says: ") + reason);
  }

private:
  static constexpr std::uint32_t RowsBetweenReports = 64;

  static constexpr png_byte Unneeded[] =
    "iCCP\0sRGB\0gAMA\0cHRM\0tEXt\0zTXt\0iTXt\0eXIf\0tIME\0hIST\0sPLT\0bKGD\0sBIT\0"
    "pCAL\0sCAL\0oFFs";

  static void
  Keep(char (&place)[128], const char * message)
  {
    std::snprintf(place, sizeof(place), "%s", message);
    for (char * letter = place; *letter != 0; ++letter)
    {
      *letter = *letter < 32 || *letter > 126 ? '?' : *letter;
    }
  }
  static void
  KeepError(png_structp png, png_const_charp message)
  {
    Keep(static_cast<PngDecoder *>(png_get_error_ptr(png))->m_Error, message);
    png_longjmp(png, 1);
  }
  static void
  KeepWarning(png_structp png, png_const_charp message)
  {
    auto & kept = static_cast<PngDecoder *>(png_get_error_ptr(png))->m_Warning;
    if (kept[0] == 0 || std::strncmp(message, "IDAT", 4) == 0)
    {
      Keep(kept, message);
    }
  }
  static void
  Read(png_structp png, png_bytep output, std::size_t size)
  {
    auto & decoder = *static_cast<PngDecoder *>(png_get_io_ptr(png));
    if (size > decoder.m_Size - decoder.m_Place)
    {
      png_error(png, "the file ends too early");
    }
    std::memcpy(output, decoder.m_Data + decoder.m_Place, size);
    decoder.m_Place += size;
  }

  const unsigned char * m_Data;
  std::size_t           m_Size;
  std::size_t           m_Place = 0;
  char                  m_Error[128] = "";
  char                  m_Warning[128] = "";

public:
  /** The handles of libpng. */
  png_structp png;
  png_infop   info = nullptr;
};

void
SetSpacing(const PngDecoder & decoder, LoadedImage & image)
{
  png_uint_32 x = 0;
  png_uint_32 y = 0;
  int         unit = PNG_RESOLUTION_UNKNOWN;
  image.spacingSource = "none";
  if (png_get_pHYs(decoder.png, decoder.info, &x, &y, &unit) != 0 && x > 0 && y > 0)
  {
    if (unit == PNG_RESOLUTION_METER)
    {
      image.geometry.spacing[0] = 1000.0 / x;
      image.geometry.spacing[1] = 1000.0 / y;
      image.spacingSource = "file";
      image.notes.push_back(NoteOnResolution(x, y, "meter"));
    }
    else if (x != y)
    {
      image.notes.push_back("pixels are not square, but their size is not in the file; 1 mm is assumed");
    }
  }
}

} // namespace

bool
IsPng(const FileBytes & file)
{
  return file.BeginsWith("\x89PNG\r\n\x1a\n", 8);
}

LoadedImage
ReadPng(const FileBytes & file, const ReadOptions & options)
{
  PngDecoder decoder(file.Data(), file.Size());
  if (!decoder.ReadHeader())
  {
    decoder.Fail();
  }
  const std::uint32_t width = png_get_image_width(decoder.png, decoder.info);
  const std::uint32_t height = png_get_image_height(decoder.png, decoder.info);
  const int           bits = png_get_bit_depth(decoder.png, decoder.info);
  const int           color = png_get_color_type(decoder.png, decoder.info);
  const int           stored = png_get_channels(decoder.png, decoder.info);
  const double        storedBytes = (static_cast<double>(width) * stored * bits / 8 + 1) * height;
  ThrowIf<Unsupported>(color == PNG_COLOR_TYPE_PALETTE && !options.asLabels,
                       "it has a palette of colors; save it as gray or RGB");
  LoadedImage image;
  image.type = bits == 16 ? ScalarType::UInt16 : ScalarType::UInt8;
  image.channels = color == PNG_COLOR_TYPE_RGB || color == PNG_COLOR_TYPE_RGB_ALPHA ? 3 : 1;
  image.extent = SettleExtent({ width, height });
  RequireRoom(file.Size(), static_cast<double>(MaximumInflatedSize(1)), storedBytes, image.extent);
  SetSpacing(decoder, image);
  TellHeader(options, image);
  const bool isTransparent =
    (color & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(decoder.png, decoder.info, PNG_INFO_tRNS) != 0;
  const std::size_t rowBytes = width * static_cast<std::size_t>(image.channels) * SizeOf(image.type);
  auto * const      pixels =
    reinterpret_cast<unsigned char *>(image.voxels.Resize(VoxelBytes(image.extent, image.channels, image.type)));
  if (!decoder.ReadPixels(pixels, rowBytes, height, options.progress))
  {
    decoder.Fail();
  }
  if (color == PNG_COLOR_TYPE_PALETTE)
  {
    image.meaning = "numbers of palette colors";
    image.notes.push_back("it has a palette; the voxels are numbers of colors, not brightness");
  }
  NoteIf(isTransparent,
         "transparency (alpha) is ignored; " + std::to_string(image.channels) +
           (image.channels == 1 ? " channel is read" : " channels are read"),
         image.notes);
  return image;
}

} // namespace brickccl::files
