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

/** The errors of libjpeg, which leaves its functions by longjmp. */
struct JpegErrors
{
  jpeg_error_mgr manager = {};
  std::jmp_buf   jump = {};
  char           message[JMSG_LENGTH_MAX] = "";

  template <typename TJpeg>
  explicit JpegErrors(TJpeg & jpeg)
  {
    jpeg.err = jpeg_std_error(&manager);
    jpeg.client_data = this;
    manager.error_exit = Leave;
    manager.output_message = [](j_common_ptr) {};
  }
  JpegErrors(const JpegErrors &) = delete;
  JpegErrors & operator=(const JpegErrors &) = delete;

  static void
  Leave(j_common_ptr jpeg)
  {
    auto & errors = *static_cast<JpegErrors *>(jpeg->client_data);
    jpeg->err->format_message(jpeg, errors.message);
    std::longjmp(errors.jump, 1);
  }
};

/** A file that libjpeg decodes. It stops at warnings as well. */
class JpegDecoder
{
public:
  jpeg_decompress_struct jpeg = {};

  JpegDecoder()
  {
    m_Errors.manager.emit_message = LeaveAtWarning;
  }
  ~JpegDecoder()
  {
    jpeg_destroy_decompress(&jpeg);
  }

  bool
  ReadHeader(const unsigned char * data, std::size_t size)
  {
    if (setjmp(m_Errors.jump) != 0)
    {
      return false;
    }
    jpeg_create_decompress(&jpeg);
    m_Monitor.progress_monitor = LimitScans;
    jpeg.progress = &m_Monitor;
    jpeg_mem_src(&jpeg, data, static_cast<unsigned long>(size));
    jpeg_read_header(&jpeg, TRUE);
    return true;
  }

  bool
  ReadPixels(unsigned char * pixels, std::size_t rowBytes, const Progress & progress)
  {
    if (setjmp(m_Errors.jump) != 0)
    {
      return false;
    }
    jpeg.out_color_space = jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&jpeg);
    while (jpeg.output_scanline < jpeg.output_height)
    {
      constexpr JDIMENSION rowsBetweenReports = 64;
      if (jpeg.output_scanline % rowsBetweenReports == 0)
      {
        progress.Update(static_cast<double>(jpeg.output_scanline) / jpeg.output_height);
      }
      JSAMPROW row = pixels + jpeg.output_scanline * rowBytes;
      jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    return true;
  }

  [[noreturn]] void
  Fail() const
  {
    throw Error(std::string("the JPEG file is damaged or truncated: libjpeg says: ") + m_Errors.message);
  }

private:
  static void
  LeaveAtWarning(j_common_ptr common, int level)
  {
    if (level < 0)
    {
      JpegErrors::Leave(common);
    }
  }
  /** Limits the number of scans. A small file can hold scans without end, and each of them goes over all pixels. */
  static void
  LimitScans(j_common_ptr common)
  {
    constexpr int maximumScans = 200;
    auto &        errors = *static_cast<JpegErrors *>(common->client_data);
    if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > maximumScans)
    {
      std::snprintf(errors.message, sizeof(errors.message), "more than %d scans", maximumScans);
      std::longjmp(errors.jump, 1);
    }
  }

  JpegErrors        m_Errors{ jpeg };
  jpeg_progress_mgr m_Monitor = {};
};

/** Colors that libjpeg encodes into memory. */
struct JpegEncoder
{
  jpeg_compress_struct jpeg = {};
  JpegErrors           errors{ jpeg };
  unsigned char *      bytes = nullptr;
  unsigned long        size = 0;

  ~JpegEncoder()
  {
    jpeg_destroy_compress(&jpeg);
    std::free(bytes);
  }

  bool
  Encode(int width, int height, const unsigned char * pixels, int quality)
  {
    if (setjmp(errors.jump) != 0)
    {
      return false;
    }
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = static_cast<JDIMENSION>(width);
    jpeg.image_height = static_cast<JDIMENSION>(height);
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg.optimize_coding = TRUE;
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height)
    {
      // libjpeg does not write to the row.
      JSAMPROW row = const_cast<unsigned char *>(pixels) + std::size_t{ 3 } * jpeg.image_width * jpeg.next_scanline;
      jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    return true;
  }
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
  const auto & jpeg = decoder.jpeg;
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
  file.Write(encoder.bytes, encoder.size);
  file.Close();
}
