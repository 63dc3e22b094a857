// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/Font.h"

#include <algorithm>
#include <sstream>

namespace brickccl
{

namespace
{

#include "FontGlyphs.inc"

std::vector<Glyph>
ReadGlyphs()
{
  std::istringstream text(FontGlyphs_txt);
  std::string        comment;
  std::getline(text, comment);
  std::vector<Glyph> glyphs;
  for (Glyph one; text >> std::hex >> one.codePoint >> std::dec >> one.advance >> one.left >> one.top >> one.width >>
                  one.height >> one.coverage;)
  {
    glyphs.push_back(one);
  }
  return glyphs;
}

const Glyph &
GlyphOf(unsigned codePoint)
{
  const std::vector<Glyph> & all = FontGlyphs();
  const auto found = std::lower_bound(all.begin(), all.end(), codePoint, [](const Glyph & glyph, unsigned code) {
    return glyph.codePoint < code;
  });
  return found != all.end() && found->codePoint == codePoint ? *found : GlyphOf('?');
}

} // namespace

const std::vector<Glyph> &
FontGlyphs()
{
  static const std::vector<Glyph> glyphs = ReadGlyphs();
  return glyphs;
}

const Glyph &
NextGlyph(const std::string & text, std::size_t & at)
{
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto first = byte(at++);
  if (first < 0x80)
  {
    return GlyphOf(first);
  }
  const std::size_t following = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  unsigned          code = first & (0x3fu >> following);
  for (std::size_t i = 0; i < following; ++i)
  {
    if ((byte(at) & 0xc0u) != 0x80u)
    {
      return GlyphOf('?');
    }
    code = code << 6 | (byte(at++) & 0x3fu);
  }
  return GlyphOf(following == 0 ? '?' : code);
}

int
TextWidth(const std::string & text)
{
  int width = 0;
  for (std::size_t at = 0; at < text.size();)
  {
    width += NextGlyph(text, at).advance;
  }
  return width;
}

} // namespace brickccl
