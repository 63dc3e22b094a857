// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

namespace brickccl::files
{

namespace
{

/** A file that libjpeg decodes. At an error or warning, libjpeg leaves its functions by longjmp. */
class JpegDecoder
{
public:
  JpegDecoder()
  {
    m_Jpeg.err = jpeg_std_error(&m_Errors);
    m_Jpeg.client_data = this;
    m_Errors.error_exit = Leave;
    m_Errors.emit_message = LeaveAtWarning;
    m_Errors.output_message = SayNothing;
  }
  ~JpegDecoder()
  {
    jpeg_destroy_decompress(&m_Jpeg);
  }
  JpegDecoder(const JpegDecoder &) = delete;
  JpegDecoder & operator=(const JpegDecoder &) = delete;

  bool
  ReadHeader(const unsigned char * data, std::size_t size)
  {
    if (setjmp(m_Jump) != 0)
    {
      return false;
    }
    jpeg_create_decompress(&m_Jpeg);
    m_Monitor.progress_monitor = LimitScans;
    m_Jpeg.progress = &m_Monitor;
    jpeg_mem_src(&m_Jpeg, data, static_cast<unsigned long>(size));
    jpeg_read_header(&m_Jpeg, TRUE);
    return true;
  }

  bool
  ReadPixels(unsigned char * pixels, std::size_t rowBytes, const Progress & progress)
  {
    if (setjmp(m_Jump) != 0)
    {
      return false;
    }
    m_Jpeg.out_color_space = m_Jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&m_Jpeg);
    while (m_Jpeg.output_scanline < m_Jpeg.output_height)
    {
      constexpr JDIMENSION rowsBetweenReports = 64;
      if (m_Jpeg.output_scanline % rowsBetweenReports == 0)
      {
        progress.Update(static_cast<double>(m_Jpeg.output_scanline) / m_Jpeg.output_height);
      }
      JSAMPROW row = pixels + m_Jpeg.output_scanline * rowBytes;
      jpeg_read_scanlines(&m_Jpeg, &row, 1);
    }
    jpeg_finish_decompress(&m_Jpeg);
    return true;
  }

  const jpeg_decompress_struct &
  Jpeg() const
  {
    return m_Jpeg;
  }

  [[noreturn]] void
  Fail() const
  {
    throw Error(std::string("the JPEG file is damaged or truncated: libjpeg says: ") + m_Message);
  }

private:
  static void
  Leave(j_common_ptr jpeg)
  {
    auto & decoder = *static_cast<JpegDecoder *>(jpeg->client_data);
    jpeg->err->format_message(jpeg, decoder.m_Message);
    std::longjmp(decoder.m_Jump, 1);
  }
  static void
  LeaveAtWarning(j_common_ptr jpeg, int level)
  {
    if (level < 0)
    {
      Leave(jpeg);
    }
  }
  static void
  SayNothing(j_common_ptr)
  {}
  /** Limits the number of scans. A small file can hold scans without end, and each of them goes over all pixels. */
  static void
  LimitScans(j_common_ptr jpeg)
  {
    constexpr int maximumScans = 200;
    auto &        decoder = *static_cast<JpegDecoder *>(jpeg->client_data);
    if (jpeg->is_decompressor != FALSE && decoder.m_Jpeg.input_scan_number > maximumScans)
    {
      std::snprintf(decoder.m_Message, sizeof(decoder.m_Message), "more than %d scans", maximumScans);
      std::longjmp(decoder.m_Jump, 1);
    }
  }

  jpeg_decompress_struct m_Jpeg = {};
  jpeg_error_mgr         m_Errors = {};
  jpeg_progress_mgr      m_Monitor = {};
  std::jmp_buf           m_Jump = {};
  char                   m_Message[JMSG_LENGTH_MAX] = "";
};

/** Colors that libjpeg encodes into memory. At an error libjpeg leaves its functions by longjmp. */
class JpegEncoder
{
public:
  JpegEncoder()
  {
    m_Jpeg.err = jpeg_std_error(&m_Errors);
    m_Jpeg.client_data = this;
    m_Errors.error_exit = Leave;
    m_Errors.output_message = SayNothing;
  }
  ~JpegEncoder()
  {
    jpeg_destroy_compress(&m_Jpeg);
    std::free(m_Bytes);
  }
  JpegEncoder(const JpegEncoder &) = delete;
  JpegEncoder & operator=(const JpegEncoder &) = delete;

  bool
  Encode(int width, int height, const unsigned char * pixels, int quality)
  {
    if (setjmp(m_Jump) != 0)
    {
      return false;
    }
    jpeg_create_compress(&m_Jpeg);
    jpeg_mem_dest(&m_Jpeg, &m_Bytes, &m_Size);
    m_Jpeg.image_width = static_cast<JDIMENSION>(width);
    m_Jpeg.image_height = static_cast<JDIMENSION>(height);
    m_Jpeg.input_components = 3;
    m_Jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&m_Jpeg);
    jpeg_set_quality(&m_Jpeg, quality, TRUE);
    m_Jpeg.optimize_coding = TRUE;
    jpeg_start_compress(&m_Jpeg, TRUE);
    while (m_Jpeg.next_scanline < m_Jpeg.image_height)
    {
      // libjpeg does not write to the row.
      JSAMPROW row = const_cast<unsigned char *>(pixels) + std::size_t{ 3 } * m_Jpeg.image_width * m_Jpeg.next_scanline;
      jpeg_write_scanlines(&m_Jpeg, &row, 1);
    }
    jpeg_finish_compress(&m_Jpeg);
    return true;
  }

  const unsigned char *
  Bytes() const
  {
    return m_Bytes;
  }
  std::size_t
  Size() const
  {
    return m_Size;
  }

private:
  static void
  Leave(j_common_ptr jpeg)
  {
    std::longjmp(static_cast<JpegEncoder *>(jpeg->client_data)->m_Jump, 1);
  }
  static void
  SayNothing(j_common_ptr)
  {}

  jpeg_compress_struct m_Jpeg = {};
  jpeg_error_mgr       m_Errors = {};
  std::jmp_buf         m_Jump = {};
  unsigned char *      m_Bytes = nullptr;
  unsigned long        m_Size = 0;
};

} // namespace

bool
IsJpeg(const FileBytes & file)
{
  return file.BeginsWith("\xff\xd8\xff", 3);
}

LoadedImage
ReadJpeg(const FileBytes & file, const ReadOptions & options)
{
  JpegDecoder decoder;
  if (!decoder.ReadHeader(file.Data(), file.Size()))
  {
    decoder.Fail();
  }
  const auto & jpeg = decoder.Jpeg();
  ThrowIf<Unsupported>(jpeg.num_components != 1 && jpeg.num_components != 3,
                       "its pixels have " + std::to_string(jpeg.num_components) +
                         " components (CMYK, perhaps); JPEG files of 1 or 3 are read");
  // A block of 8 x 8 pixels takes at least two bits in one scan. Smooth blocks in many scans take less.
  constexpr double maximumPixelsPerByte = 2048;
  LoadedImage      image;
  image.type = ScalarType::UInt8;
  image.channels = jpeg.num_components;
  image.extent = SettleExtent({ jpeg.image_width, jpeg.image_height });
  RequireRoom(file.Size(), maximumPixelsPerByte, static_cast<double>(image.extent.VoxelCount()), image.extent);
  image.spacingSource = "none";
  const double unit = jpeg.density_unit == 1 ? 25.4 : jpeg.density_unit == 2 ? 10 : 0;
  if (jpeg.saw_JFIF_marker != FALSE && unit > 0 && jpeg.X_density > 1 && jpeg.Y_density > 1)
  {
    image.geometry.spacing[0] = unit / jpeg.X_density;
    image.geometry.spacing[1] = unit / jpeg.Y_density;
    image.spacingSource = "file";
    image.notes.push_back(NoteOnResolution(jpeg.X_density, jpeg.Y_density, unit == 10 ? "cm" : "inch"));
  }
  TellHeader(options, image);
  const std::size_t rowBytes = static_cast<std::size_t>(jpeg.image_width) * static_cast<std::size_t>(image.channels);
  auto * const      output =
    reinterpret_cast<unsigned char *>(image.voxels.Resize(VoxelBytes(image.extent, image.channels, image.type)));
  if (!decoder.ReadPixels(output, rowBytes, options.progress))
  {
    decoder.Fail();
  }
  image.notes.push_back("JPEG compression is lossy: values near edges differ from the original");
  return image;
}

} // namespace brickccl::files

void
brickccl::WriteColorJpeg(const std::string & path, int width, int height, const unsigned char * pixels, int quality)
{
  files::JpegEncoder encoder;
  ThrowIf(!encoder.Encode(width, height, pixels, quality),
          "JPEG cannot hold a picture of " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
  files::OutputFile file(path);
  file.Write(encoder.Bytes(), encoder.Size());
  file.Close();
}
