// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

struct Color
{
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool
  operator==(const Color & a, const Color & b)
  {
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
  }
  friend bool
  operator!=(const Color & a, const Color & b)
  {
    return !(a == b);
  }
};

/** A mixture of two colors: `a` where `share` is 0, `b` where it is 1. */
Color Mix(const Color & a, const Color & b, double share);

enum class Anchor
{
  Begin,
  Middle,
  End
};

/** Pixels to draw on, x to the right and y down. Parts outside are not drawn. */
class Canvas
{
public:
  Canvas(int width, int height, const Color & color);

  int
  Width() const
  {
    return m_Width;
  }
  int
  Height() const
  {
    return m_Height;
  }
  Color At(int x, int y) const;

  /** Covers a pixel by a share (0 .. 1). */
  void Blend(int x, int y, const Color & color, double share = 1);

  /** Covers the pixels [x, x + width) of the rows [y, y + height). */
  void FillRectangle(int x, int y, int width, int height, const Color & color);

  /** Draws a line with round ends, a disk if its length is 0. Ends are in pixels, whose centers are at a half. */
  void DrawLine(double x0, double y0, double x1, double y1, double width, const Color & color);

  /** Draws UTF-8 text with its baseline at y. Turned text runs upwards with its baseline at x. */
  void DrawText(int                 x,
                int                 y,
                const std::string & text,
                const Color &       color,
                Anchor              anchor = Anchor::Begin,
                bool                turned = false);

  /** Writes a PNG, all or nothing. \throws Error with the reason. */
  void Write(const std::string & path) const;

  /** Writes a JPEG of a quality from 1 to 100, all or nothing. \throws Error with the reason. */
  void WriteJpeg(const std::string & path, int quality) const;

private:
  int                       m_Width;
  int                       m_Height;
  std::vector<std::uint8_t> m_Pixels;
};

} // namespace brickccl
