// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace brickccl
{

/** A character as pixels, so that text needs neither font files nor a display. */
struct Glyph
{
  unsigned codePoint;
  /** The distance to the next character's origin. */
  int advance;
  /** The first column, from the origin to the right, and the first row, from the baseline upwards. */
  int left;
  int top;
  int width;
  int height;
  /** The pixels row by row, a hexadecimal digit each: 0 is empty, f is full. */
  std::string coverage;
};

/** The glyphs in the order of their code points: ASCII, and what units need. */
const std::vector<Glyph> & FontGlyphs();

/** The height of capitals and digits, and the distance between the baselines of two lines, in pixels. */
inline constexpr int FontCapitalHeight = 10;
inline constexpr int FontLineHeight = 20;

/** The glyph of the UTF-8 character that begins at byte `at` of a text; `at` moves on to the next character.
 *  Characters that the font lacks and bytes that are not UTF-8 get the glyph of '?'. */
const Glyph & NextGlyph(const std::string & text, std::size_t & at);

/** The width of a text in pixels. */
int TextWidth(const std::string & text);

} // namespace brickccl
