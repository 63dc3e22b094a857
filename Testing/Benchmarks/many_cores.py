#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `brickccl batch` and `brickccl.big.label` with 1, 2, 4 ... all processors, as volumes or voxels per second.

    Testing/Benchmarks/many_cores.py [--command brickccl] [--folder /dev/shm] [--side 256] [--bricks 8]

Batch: castings of SIDE^3 voxels of 16 bits by the recipe casting-porosity, `--jobs` of them at once. Big: noise of (BRICKS x
128)^3 voxels, grain 4, in an array of zarr, bricks of 128^3, a process per worker. Both must give the same results with all numbers of
workers, else it ends with an error. Needs the Python package with its command, numpy and zarr."""

import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy
import zarr

import brickccl.big


def counts(most):
    """1, 2, 4 ... and `most`."""
    return [n for n in (2**k for k in range(most.bit_length())) if n < most] + [most]


def time_batch(command, folder, side, most):
    scans = folder / "scans"
    scans.mkdir()
    for seed in range(8):
        subprocess.run([command, "phantom", "casting", scans / f"c{seed}.nrrd", "--seed", str(seed), "--quiet",
                        "--size", *[str(side)] * 3], check=True)
    for index in range(8, 2 * most):
        shutil.copy(scans / f"c{index % 8}.nrrd", scans / f"c{index}.nrrd")
    expected = None
    for jobs in counts(most):
        # Twice as many volumes as workers, and at least eight, so that the last one is not waited for all the time.
        files = [scans / f"c{index}.nrrd" for index in range(max(8, 2 * jobs))]
        out = folder / "out"
        begin = time.perf_counter()
        subprocess.run([command, "batch", "casting-porosity", *files, "-o", out, "--jobs", str(jobs), "--quiet"], check=True)
        seconds = time.perf_counter() - begin
        tables = [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.rglob("*.csv")) if path.parent.name == "c7"]
        expected = expected or tables
        if not tables or tables != expected:
            sys.exit(f"batch: {jobs} jobs give other tables than one")
        shutil.rmtree(out)
        print(f"batch,{jobs},{len(files) / seconds:.3f} volumes/s", flush=True)


def time_big(folder, bricks, most):
    random = numpy.random.default_rng(1)
    side = 128 * bricks
    source = zarr.create_array(folder / "mask.zarr", shape=(side,) * 3, chunks=(128,) * 3, dtype="uint8")
    tile = (random.random((64,) * 3) < 0.4).repeat(4, 0).repeat(4, 1).repeat(4, 2)
    for z in range(0, side, 256):
        for y in range(0, side, 256):
            for x in range(0, side, 256):
                source[z:z + 256, y:y + 256, x:x + 256] = numpy.roll(tile, random.integers(0, 256, 3), (0, 1, 2))
    expected = None
    for workers in counts(most):
        target = folder / "labels.zarr"
        begin = time.perf_counter()
        labels = brickccl.big.label(source, target, brick=128, executor="processes", workers=workers, threads=1)
        seconds = time.perf_counter() - begin
        expected = expected or labels.count
        if labels.count != expected:
            sys.exit(f"big: {workers} workers give {labels.count} components, one gives {expected}")
        shutil.rmtree(target)
        print(f"big,{workers},{side**3 / seconds / 1e6:.1f} megavoxels/s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", default="brickccl")
    parser.add_argument("--folder", type=pathlib.Path, default="/dev/shm")
    parser.add_argument("--side", type=int, default=256)
    parser.add_argument("--bricks", type=int, default=8)
    parser.add_argument("--most", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        print("what,workers,rate")
        time_batch(arguments.command, pathlib.Path(folder), arguments.side, arguments.most)
        time_big(pathlib.Path(folder), arguments.bricks, arguments.most)


if __name__ == "__main__":
    main()
