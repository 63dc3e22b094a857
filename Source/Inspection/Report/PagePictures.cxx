// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Report/PagePictures.h"

#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Pictures/Canvas.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace brickccl::report
{

namespace
{

/** A picture at a smaller size, each pixel the mean of those that it stands for. */
Canvas
Reduced(const LoadedImage & image, double scale)
{
  const auto sideOf = [&](int axis) {
    return static_cast<int>(std::max(1.0, std::floor(static_cast<double>(image.extent.size[axis]) * scale)));
  };
  const int    sides[2] = { sideOf(0), sideOf(1) };
  Canvas       canvas(sides[0], sides[1], {});
  const auto * bytes = reinterpret_cast<const unsigned char *>(image.voxels.Data());
  const auto   channels = static_cast<std::int64_t>(image.channels);
  const auto   begin = [&](int axis, int place) { return place * image.extent.size[axis] / sides[axis]; };
  for (int y = 0; y < sides[1]; ++y)
  {
    for (int x = 0; x < sides[0]; ++x)
    {
      std::int64_t sums[3] = {};
      std::int64_t count = 0;
      for (std::int64_t row = begin(1, y); row < begin(1, y + 1); ++row)
      {
        for (std::int64_t column = begin(0, x); column < begin(0, x + 1); ++column, ++count)
        {
          for (std::int64_t channel = 0; channel < 3; ++channel)
          {
            sums[channel] += bytes[(row * image.extent.size[0] + column) * channels + std::min(channel, channels - 1)];
          }
        }
      }
      const auto mean = [&](int channel) { return static_cast<std::uint8_t>((sums[channel] + count / 2) / count); };
      canvas.Blend(x, y, { mean(0), mean(1), mean(2) });
    }
  }
  return canvas;
}

} // namespace

std::string
Base64(const std::string & bytes)
{
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int   length = EVP_EncodeBlock(reinterpret_cast<unsigned char *>(text.data()),
                                     reinterpret_cast<const unsigned char *>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

PagePictures::PagePictures(std::string folder, std::size_t items)
  : m_Folder(std::move(folder))
{
  // Base64 takes a third more, and the tables of 20 items half a megabyte.
  constexpr double most = 165e3;
  constexpr double base = 1.94e6;
  constexpr double each = 67.8e3;
  m_BytesOfItem = std::min(most, each + base / static_cast<double>(std::max<std::size_t>(1, items)));
}

void
PagePictures::BeginItem()
{
  m_Left = m_BytesOfItem;
}

PagePicture
PagePictures::Take(const std::string & file, double share)
{
  const std::string path = (std::filesystem::path(m_Folder) / file).string();
  const std::string temporary = (std::filesystem::path(m_Folder) / "report.jpg").string();
  const double      room = m_Left * share;
  const LoadedImage image = ReadImageFile(path);
  const auto        pixels = static_cast<double>(image.extent.VoxelCount());
  const bool        isJpeg = std::filesystem::path(file).extension() == ".jpg";
  std::string       bytes = batch::ReadText(path);
  // A first guess of the bytes that a pixel of such pictures takes; a step is 15 % smaller.
  constexpr double bytesOfPixel = 0.16;
  constexpr double step = 0.85;
  constexpr int    quality = 72;
  const char *     type = isJpeg ? "jpeg" : "png";
  for (double scale = std::min(1.0, std::sqrt(room / (bytesOfPixel * pixels)));
       static_cast<double>(bytes.size()) > room && scale * scale * pixels > 1000;
       scale *= step)
  {
    Reduced(image, scale).WriteJpeg(temporary, quality);
    bytes = batch::ReadText(temporary);
    type = "jpeg";
  }
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  if (m_All + static_cast<double>(bytes.size()) > static_cast<double>(MaximumPictureBytes))
  {
    return {};
  }
  m_Left -= static_cast<double>(bytes.size());
  m_All += static_cast<double>(bytes.size());
  return { std::string("data:image/") + type + ";base64," + Base64(bytes),
           std::to_string(image.extent.size[0]),
           std::to_string(image.extent.size[1]) };
}

} // namespace brickccl::report
