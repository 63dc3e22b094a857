// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Voxels.h"

#include <csetjmp>
#include <cstdlib>

#include <jpeglib.h>

namespace brickccl
{

namespace
{

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

void
WriteColorJpeg(const std::string & path, int width, int height, const unsigned char * pixels, int quality)
{
  JpegEncoder encoder;
  if (!encoder.Encode(width, height, pixels, quality))
  {
    throw Error("JPEG cannot hold a picture of " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
  }
  files::OutputFile file(path);
  file.Write(encoder.Bytes(), encoder.Size());
  file.Close();
}

} // namespace brickccl
