#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws time against size from RESULTS.md: sizes.svg beside it. Needs matplotlib (Testing/Benchmarks/install-peers.sh).

    build/peers/bin/python Testing/gpu/plot.py"""

import os

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "brickccl"
import matplotlib.pyplot as pyplot  # after the choice of the backend

FOLDER = os.path.dirname(os.path.abspath(__file__))


def rows():
    """(input, voxels, connectivity, algorithm, milliseconds) of every line of the table."""
    with open(os.path.join(FOLDER, "RESULTS.md")) as stream:
        for line in stream:
            fields = [field.strip() for field in line.strip().strip("|").split("|")]
            if len(fields) == 8 and fields[2].isdigit() and fields[4]:
                voxels = 1
                for side in fields[1].split(" x "):
                    voxels *= int(side)
                yield fields[0], voxels, int(fields[2]), fields[3], float(fields[4])


def main():
    series = {}
    for name, voxels, connectivity, algorithm, time in rows():
        if name == "balls 0.2" and (connectivity in (0, 26)):
            series.setdefault(algorithm, {})[voxels] = time
    figure, axis = pyplot.subplots(figsize=(6, 4))
    for algorithm, times in series.items():
        sizes = sorted(times)
        axis.plot(sizes, [times[size] / size * 1e9 for size in sizes], "o-", label=algorithm)
    axis.set(xscale="log", xlabel="voxels", ylabel="picoseconds per voxel",
             title="Union of balls, 26 neighbors, data on the device")
    axis.set_ylim(bottom=0)
    axis.legend()
    figure.savefig(os.path.join(FOLDER, "sizes.svg"), bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()
