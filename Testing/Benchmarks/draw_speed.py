#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the first table of RESULTS.md, seconds from file to file, as bars: the picture of README.md.

    Testing/Benchmarks/draw_speed.py         writes Examples/speed.svg
"""

import os
import re
from html import escape

HERE = os.path.dirname(os.path.abspath(__file__))
PICTURE = os.path.join(HERE, "..", "..", "Examples", "speed.svg")
FORMATS = (".nrrd", ".nii.gz")
LEFT, WIDTH, BAR, GAP = 250, 460, 14, 12


def rows():
    """The image, the format and the seconds of both programs."""
    with open(os.path.join(HERE, "RESULTS.md"), encoding="utf-8") as stream:
        table = stream.read().split("## Whole commands")[1].split("\n## ")[0]
    image = ""
    for cells in re.findall(r"^\| (?!mask|---)(.*) \|$", table, re.M):
        name, output, ours, theirs = [cell.strip() for cell in cells.split("|")][:4]
        image = name.split(", 5")[0] or image
        if output.rstrip(" *") in FORMATS:
            yield f"{image}, {output.rstrip(' *')}", float(ours), float(theirs)


def main():
    found = list(rows())
    longest = max(theirs for _, _, theirs in found)
    lines, y = [], 34
    for name, ours, theirs in found:
        lines.append(f'<text x="{LEFT - 10}" y="{y + BAR + 4}" text-anchor="end">{escape(name)}</text>')
        for seconds, color in ((ours, "#0b7fab"), (theirs, "#b9bec5")):
            width = WIDTH * seconds / longest
            lines.append(f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{color}"/>')
            lines.append(f'<text x="{LEFT + width + 6:.1f}" y="{y + BAR - 2}">{seconds:.2f} s</text>')
            y += BAR + 1
        y += GAP
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 60}" height="{y}" font-family="sans-serif" '
            'font-size="13" fill="#24292f"><rect width="100%" height="100%" fill="#ffffff"/>'
            f'<rect x="{LEFT}" y="10" width="12" height="12" fill="#0b7fab"/><text x="{LEFT + 18}" y="21">BrickCCL</text>'
            f'<rect x="{LEFT + 100}" y="10" width="12" height="12" fill="#b9bec5"/>'
            f'<text x="{LEFT + 118}" y="21">SimpleITK and cc3d</text>')
    with open(PICTURE, "w", encoding="utf-8") as stream:
        stream.write("\n".join([head, *lines, "</svg>"]) + "\n")


if __name__ == "__main__":
    main()
