# SPDX-License-Identifier: Apache-2.0
"""Writes the slices of a scan as images, as scanners do: make_slices.py VOLUME.nrrd FOLDER

The volume is one of 16-bit numbers, compressed by gzip, as `brickccl phantom` writes it."""

import gzip
import os
import struct
import sys


def tiff_of(pixels, width, height):
    """A TIFF image of signed 16-bit pixels in a single strip."""
    short, long = 3, 4
    tags = ((256, long, width), (257, long, height), (258, short, 16), (259, short, 1), (262, short, 1), (273, long, 8),
            (277, short, 1), (278, long, height), (279, long, len(pixels)), (339, short, 2))
    entries = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags)
    return b"II*\0" + struct.pack("<I", 8 + len(pixels)) + pixels + struct.pack("<H", len(tags)) + entries + bytes(4)


def main(volume, folder):
    with open(volume, "rb") as stream:
        header, data = stream.read().split(b"\n\n", 1)
    fields = dict(line.split(": ", 1) for line in header.decode().splitlines() if ": " in line)
    width, height, slices = map(int, fields["sizes"].split())
    voxels = gzip.decompress(data)
    size = len(voxels) // slices
    os.makedirs(folder, exist_ok=True)
    for number in range(slices):
        with open(os.path.join(folder, "log_%03d.tif" % (number + 1)), "wb") as image:
            image.write(tiff_of(voxels[number * size:(number + 1) * size], width, height))


main(*sys.argv[1:])
