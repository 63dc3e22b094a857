# SPDX-License-Identifier: Apache-2.0
"""Writes FontGlyphs.txt, a glyph in a line (Font.h). They are of Aileron Regular (Sora Sagano, CC0); Pillow carries a part.

    make_font.py > FontGlyphs.txt        # needs numpy and Pillow

What the part lacks is made of what it has: raised digits of a smaller size, the micro sign of u and p.
"""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

SIZE = 15
ROOM = 40


def drawn(text, size=SIZE, rise=0):
    """The coverage (0 .. 255) of a text whose baseline is row 20 and whose origin is column 5."""
    image = Image.new("L", (ROOM, ROOM))
    font = ImageFont.load_default(size)
    ImageDraw.Draw(image).text((5, 20 - rise), text, 255, font, anchor="ls")
    return np.array(image), font.getlength(text)


def micro():
    letter, advance = drawn("u")
    stem, _ = drawn("p")
    below = stem.copy()
    below[:20] = 0
    return np.maximum(letter, below), advance


GLYPHS = {chr(code): drawn(chr(code)) for code in range(32, 127)}
GLYPHS["°"] = drawn("°")
GLYPHS["²"] = drawn("2", 10, 5)
GLYPHS["³"] = drawn("3", 10, 5)
GLYPHS["µ"] = micro()

print("# Made by make_font.py from Aileron Regular (Sora Sagano, CC0); not to be changed by hand.")
for character, (pixels, advance) in sorted(GLYPHS.items()):
    levels = np.round(pixels / 17.0).astype(int)
    rows, columns = np.any(levels, axis=1).nonzero()[0], np.any(levels, axis=0).nonzero()[0]
    if len(rows) == 0:
        rows, columns = np.array([20]), np.array([5])
    box = levels[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1]
    text = "".join("%x" % level for level in box.ravel())
    print("%02x" % ord(character), round(advance), columns[0] - 5, 20 - rows[0], *box.shape[::-1], text)
