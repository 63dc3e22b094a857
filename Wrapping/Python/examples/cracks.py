# SPDX-License-Identifier: Apache-2.0
"""Cracks in a CT scan of a log: label them, keep cracks of at least 500 mm^3, write a table and a picture.

    python examples/cracks.py ../../Data/log.nrrd OUTPUT_FOLDER

Needs the wheel of brickccl and matplotlib.
"""

import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import brickccl
from brickccl import io


def main(scan_path, output):
    output = pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    scan = io.read(scan_path)

    # Cracks are full of air. So is the room around the log: only it touches the scan's border and is large.
    cracks = brickccl.find(scan, range=(-np.inf, -750), connectivity=26, minimum_volume=500.0, order="size")
    cracks.remove("touches_border == 1 and voxel_count > 300000")
    table = cracks.table("shape", intensity=scan)
    table.to_csv(output / "cracks.csv")
    labels = cracks.labels()
    io.write(output / "cracks.nrrd", labels)

    # The slice that most of the cracks cross.
    z = int(np.argmax((labels.array > 0).sum(axis=(1, 2))))
    height, width = (size * step for size, step in zip(scan.shape[1:], scan.spacing[1:]))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
    left.imshow(scan.array[z], cmap="gray", vmin=-1000, vmax=200, extent=(0, width, height, 0))
    shown = np.ma.masked_equal(labels.array[z], 0)
    left.imshow(shown, cmap="tab10", vmin=1, vmax=10, extent=(0, width, height, 0), interpolation="nearest")
    left.set(title=f"{cracks.count} cracks, slice {z}", xlabel="x [mm]", ylabel="y [mm]")
    right.bar(table["label"], table["volume_mm3"], color=[plt.cm.tab10((label - 1) % 10) for label in table["label"]])
    right.set(title="volumes", xlabel="crack", ylabel="mm³", yscale="log", xticks=table["label"])
    figure.savefig(output / "cracks.png", dpi=100)

    for label, volume, length in zip(table["label"], table["volume_mm3"], table["axis_length_3_mm"]):
        print(f"crack {label}: {volume:.0f} mm^3, {length:.0f} mm long")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
