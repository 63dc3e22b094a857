// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Report/Page.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace brickccl::report
{

/** A picture at a smaller size, each pixel the mean of the pixels in its place. */
static Canvas
Reduced(const LoadedImage & image, double scale)
{
  const std::int64_t width = image.extent.size[0];
  const auto         sideOf = [&](int axis) {
    return std::max(1, static_cast<int>(static_cast<double>(image.extent.size[axis]) * scale));
  };
  Canvas             canvas(sideOf(0), sideOf(1), {});
  const auto * const bytes = reinterpret_cast<const unsigned char *>(image.voxels.Data());
  const auto         mean = [&](int x, int y, int channel) {
    const std::int64_t ends[4] = { x * width / canvas.Width(),
                                   (x + 1) * width / canvas.Width(),
                                   y * image.extent.size[1] / canvas.Height(),
                                   (y + 1) * image.extent.size[1] / canvas.Height() };
    std::int64_t       sum = 0;
    for (std::int64_t row = ends[2]; row < ends[3]; ++row)
    {
      for (std::int64_t column = ends[0]; column < ends[1]; ++column)
      {
        sum += bytes[(row * width + column) * image.channels + std::min(channel, image.channels - 1)];
      }
    }
    return static_cast<std::uint8_t>(sum / ((ends[1] - ends[0]) * (ends[3] - ends[2])));
  };
  for (int pixel = 0; pixel < canvas.Width() * canvas.Height(); ++pixel)
  {
    const int x = pixel % canvas.Width();
    const int y = pixel / canvas.Width();
    canvas.Blend(x, y, { mean(x, y, 0), mean(x, y, 1), mean(x, y, 2) });
  }
  return canvas;
}

std::string
DataAddress(const std::string & type, const std::string & bytes)
{
  static const char * const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string               text = "data:image/" + type + ";base64,";
  text.reserve(text.size() + bytes.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3)
  {
    unsigned bits = 0;
    for (std::size_t k = i; k < i + 3; ++k)
    {
      bits = bits << 8 | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0);
    }
    for (const unsigned place : { 18, 12, 6, 0 })
    {
      text += letters[bits >> place & 63U];
    }
  }
  const std::size_t missing = (3 - bytes.size() % 3) % 3;
  return text.replace(text.size() - missing, missing, missing, '=');
}

PagePictures::PagePictures(std::string folder, std::size_t items)
  : m_Folder(std::move(folder))
  // Base64 takes a third more, and the tables of 20 items half a megabyte.
  , m_BytesOfItem(std::min(165e3, 67.8e3 + 1.94e6 / static_cast<double>(std::max<std::size_t>(1, items))))
{}

nlohmann::ordered_json
PagePictures::Take(const std::string & file, double share)
{
  const std::string path = (std::filesystem::path(m_Folder) / file).string();
  const std::string temporary = (std::filesystem::path(m_Folder) / "report.jpg").string();
  const double      room = m_Left * share;
  const LoadedImage image = ReadImageFile(path);
  const auto        pixels = static_cast<double>(image.extent.VoxelCount());
  std::string       type = std::filesystem::path(file).extension() == ".jpg" ? "jpeg" : "png";
  std::string       bytes = batch::ReadText(path);
  // A first guess of the bytes that a pixel of such pictures takes; a step is 15 % smaller.
  constexpr double bytesOfPixel = 0.16;
  for (double scale = std::min(1.0, std::sqrt(room / (bytesOfPixel * pixels)));
       static_cast<double>(bytes.size()) > room && scale * scale * pixels > 1000;
       scale *= 0.85)
  {
    constexpr int quality = 72;
    Reduced(image, scale).WriteJpeg(temporary, quality);
    bytes = batch::ReadText(temporary);
    type = "jpeg";
  }
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  nlohmann::ordered_json picture = { { "width", image.extent.size[0] }, { "height", image.extent.size[1] } };
  if (const auto size = static_cast<double>(bytes.size()); m_All + size <= MaximumPictureBytes)
  {
    m_Left -= size;
    m_All += size;
    picture["data"] = DataAddress(type, bytes);
    return picture;
  }
  picture["link"] = file;
  return picture;
}

} // namespace brickccl::report
