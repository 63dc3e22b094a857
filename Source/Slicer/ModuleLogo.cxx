#include "BrickCCL/Slicer/ModuleLogo.h"

#include "BrickCCL/Core/Error.h"

#include <zlib.h>

#include <string>
#include <vector>

namespace brickccl::slicer
{

namespace
{

constexpr int Side = 48;
constexpr int PixelSize = 3;

/** A wall of bricks, two of which are coloured as labels are. */
std::vector<unsigned char>
DrawLogo()
{
  constexpr int       width = 16;
  constexpr int       height = 8;
  const unsigned char colours[][PixelSize] = { { 178, 90, 66 }, { 66, 133, 178 }, { 236, 180, 60 }, { 225, 218, 208 } };
  std::vector<unsigned char> pixels;
  for (int y = 0; y < Side; ++y)
  {
    const int row = y / height;
    for (int x = 0; x < Side; ++x)
    {
      const int  shifted = x + (row % 2 == 1 ? width / 2 : 0);
      const int  column = shifted / width;
      const bool isMortar = y % height == 0 || shifted % width == 0;
      const int  colour = isMortar                            ? 3
                        : row >= 1 && row <= 2 && column == 1 ? 1
                        : row >= 3 && row <= 4 && column == 2 ? 2
                                                              : 0;
      pixels.insert(pixels.end(), colours[colour], colours[colour] + PixelSize);
    }
  }
  return pixels;
}

std::string
ToBase64(const std::vector<unsigned char> & bytes)
{
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string       text;
  for (std::size_t begin = 0; begin < bytes.size(); begin += 3)
  {
    unsigned          group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - begin);
    for (std::size_t i = 0; i < 3; ++i)
    {
      group = group << 8 | (i < count ? bytes[begin + i] : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i)
    {
      text += i <= count ? digits[group >> (18 - 6 * i) & 63u] : '=';
    }
  }
  return text;
}

} // namespace

void
WriteLogo(std::ostream & stream)
{
  const std::vector<unsigned char> pixels = DrawLogo();
  uLongf                           size = compressBound(static_cast<uLong>(pixels.size()));
  std::vector<unsigned char>       compressed(size);
  if (compress(compressed.data(), &size, pixels.data(), static_cast<uLong>(pixels.size())) != Z_OK)
  {
    throw Error("the logo could not be compressed");
  }
  compressed.resize(size);
  const std::string text = ToBase64(compressed);
  stream << "LOGO\n" << Side << '\n' << Side << '\n' << PixelSize << '\n' << text.size() << '\n' << text << std::endl;
}

} // namespace brickccl::slicer
