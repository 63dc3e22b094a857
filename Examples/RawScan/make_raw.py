# SPDX-License-Identifier: Apache-2.0
"""Writes the voxels of a scan without a header, as scanners do: make_raw.py VOLUME.nrrd FILE.raw

The volume is compressed by gzip, as `brickccl phantom` writes it."""

import gzip
import sys

with open(sys.argv[1], "rb") as stream:
    voxels = gzip.decompress(stream.read().split(b"\n\n", 1)[1])
with open(sys.argv[2], "wb") as stream:
    stream.write(voxels)
