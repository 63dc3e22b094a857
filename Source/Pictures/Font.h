#ifndef BRICKCCL_PICTURES_FONT_H
#define BRICKCCL_PICTURES_FONT_H

#include <cstddef>
#include <string>

namespace brickccl
{

/** A character as pixels, so that text needs neither font files nor a display. */
struct Glyph
{
  unsigned codePoint;
  /** How far it is to the next character's origin. */
  int advance;
  /** The pixels' first column, from the origin to the right, and their first row, from the baseline upwards. */
  int left;
  int top;
  int width;
  int height;
  /** Row by row, a hexadecimal digit each: 0 is empty, f is full. */
  const char * coverage;
};

/** In the order of their code points: ASCII, and what units need. */
extern const Glyph       FontGlyphs[];
extern const std::size_t FontGlyphCount;

/** The height of capitals and digits, and the distance between the baselines of two lines, in pixels. */
inline constexpr int FontCapitalHeight = 10;
inline constexpr int FontLineHeight = 20;

/** The glyph of the character of a UTF-8 text that begins at byte `at`, which moves on to the next one; that of '?' for
 *  what the font lacks and for what is no UTF-8. */
const Glyph & NextGlyph(const std::string & text, std::size_t & at);

/** In pixels. */
int TextWidth(const std::string & text);

} // namespace brickccl

#endif
