// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/Canvas.h"

#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Pictures/Font.h"

#include <algorithm>
#include <cmath>

namespace brickccl
{

Color
Mix(const Color & a, const Color & b, double share)
{
  const auto mix = [share](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
  };
  return { mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue) };
}

Canvas::Canvas(int width, int height, const Color & color)
  : m_Width(width)
  , m_Height(height)
  , m_Pixels(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height))
{
  FillRectangle(0, 0, width, height, color);
}

Color
Canvas::At(int x, int y) const
{
  const std::size_t at =
    3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(m_Width) + static_cast<std::size_t>(x));
  return { m_Pixels[at], m_Pixels[at + 1], m_Pixels[at + 2] };
}

void
Canvas::Blend(int x, int y, const Color & color, double share)
{
  if (x < 0 || y < 0 || x >= m_Width || y >= m_Height)
  {
    return;
  }
  const Color       mixed = share == 1 ? color : Mix(At(x, y), color, share);
  const std::size_t at =
    3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(m_Width) + static_cast<std::size_t>(x));
  m_Pixels[at] = mixed.red;
  m_Pixels[at + 1] = mixed.green;
  m_Pixels[at + 2] = mixed.blue;
}

void
Canvas::FillRectangle(int x, int y, int width, int height, const Color & color)
{
  for (int row = std::max(0, y); row < std::min(m_Height, y + height); ++row)
  {
    for (int column = std::max(0, x); column < std::min(m_Width, x + width); ++column)
    {
      Blend(column, row, color);
    }
  }
}

void
Canvas::DrawLine(double x0, double y0, double x1, double y1, double width, const Color & color)
{
  const double reach = width / 2 + 1;
  const double lengthSquared = std::max((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0), 1e-300);
  const auto   first = [reach](double a, double b) { return std::max(0.0, std::floor(std::min(a, b) - reach)); };
  const auto   last = [reach](double a, double b, int size) {
    return std::min(size - 1.0, std::ceil(std::max(a, b) + reach));
  };
  for (int y = static_cast<int>(first(y0, y1)); y <= static_cast<int>(last(y0, y1, m_Height)); ++y)
  {
    for (int x = static_cast<int>(first(x0, x1)); x <= static_cast<int>(last(x0, x1, m_Width)); ++x)
    {
      const double acrossX = x + 0.5 - x0;
      const double acrossY = y + 0.5 - y0;
      const double nearest = std::clamp((acrossX * (x1 - x0) + acrossY * (y1 - y0)) / lengthSquared, 0.0, 1.0);
      const double offX = acrossX - nearest * (x1 - x0);
      const double offY = acrossY - nearest * (y1 - y0);
      const double share = std::clamp(width / 2 + 0.5 - std::sqrt(offX * offX + offY * offY), 0.0, 1.0);
      if (share > 0)
      {
        Blend(x, y, color, share);
      }
    }
  }
}

void
Canvas::DrawText(int x, int y, const std::string & text, const Color & color, Anchor anchor, bool turned)
{
  const int width = TextWidth(text);
  int       origin = anchor == Anchor::Begin ? 0 : anchor == Anchor::Middle ? -width / 2 : -width;
  for (std::size_t at = 0; at < text.size();)
  {
    const Glyph & glyph = NextGlyph(text, at);
    for (int i = 0; i < glyph.width * glyph.height; ++i)
    {
      const char   digit = glyph.coverage[static_cast<std::size_t>(i)];
      const double share = (digit <= '9' ? digit - '0' : digit - 'a' + 10) / 15.0;
      const int    right = origin + glyph.left + i % glyph.width;
      const int    down = i / glyph.width - glyph.top;
      if (share > 0)
      {
        turned ? Blend(x + down, y - right, color, share) : Blend(x + right, y + down, color, share);
      }
    }
    origin += glyph.advance;
  }
}

template <typename TWrite>
static void
ReplacePicture(const std::string & path, TWrite write)
{
  ReplaceFile(path, [&](const std::string & temporary) {
    files::WithContext(files::CannotWrite(path), [&] { write(temporary); });
  });
}

void
Canvas::Write(const std::string & path) const
{
  ReplacePicture(path, [this](const std::string & temporary) {
    WriteColorPicture(temporary, m_Width, m_Height, m_Pixels.data());
  });
}

void
Canvas::WriteJpeg(const std::string & path, int quality) const
{
  ReplacePicture(path, [&](const std::string & temporary) {
    WriteColorJpeg(temporary, m_Width, m_Height, m_Pixels.data(), quality);
  });
}

} // namespace brickccl
