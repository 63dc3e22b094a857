# SPDX-License-Identifier: Apache-2.0
"""Times cleaning a segmentation beside loops over its classes: numpy arrays in and out.

    python clean_segmentations.py [--repeat N] [--sample N] SEGMENTATION ...

Every class keeps its largest component (26 neighbors) and gets its holes filled. The loops do what users' scripts do: for
each class a mask, its components, the largest of them, its filled holes, and the voxels of these that were background.
They work on whole volumes, or on the boxes around classes (`find_objects`). A loop over whole volumes runs for a sample of
the classes, evenly among them, and is taken times the number of classes. Prints a table in Markdown. Needs brickccl[test]
and SimpleITK.
"""

import argparse
import os
import platform
import statistics
import time

import cc3d
import numpy as np
import scipy.ndimage

import brickccl
from brickccl import io

ALL = np.ones((3, 3, 3), int)


def largest_by_scipy(mask):
    labels, count = scipy.ndimage.label(mask, ALL)
    if count < 2:
        return mask
    return labels == np.bincount(labels.ravel())[1:].argmax() + 1


def largest_by_cc3d(mask):
    return cc3d.largest_k(mask, k=1, connectivity=26) != 0


def clean_class(segmentation, result, value, largest, fills):
    """One turn of the loop; `result` is another array of the same box."""
    mask = segmentation == value
    kept = largest(mask)
    result[mask & ~kept] = 0
    if fills:
        filled = scipy.ndimage.binary_fill_holes(kept)
        result[filled & (segmentation == 0)] = value


def loop(segmentation, values, largest, fills, in_boxes):
    result = segmentation.copy()
    boxes = boxes_of(segmentation) if in_boxes else None
    for value in values:
        box = Ellipsis if boxes is None else boxes[value]
        clean_class(segmentation[box], result[box], value, largest, fills)
    return result


def boxes_of(segmentation):
    """The box around each class. find_objects makes a list up to the largest value; where that is long, values are numbered
    first."""
    if segmentation.max() < 100000:
        return {value: box for value, box in enumerate(scipy.ndimage.find_objects(segmentation), 1) if box is not None}
    values, dense = np.unique(segmentation, return_inverse=True)
    return dict(zip(values, scipy.ndimage.find_objects(dense.reshape(segmentation.shape) + 1)))


def seconds(function, repeat):
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def compare(path, repeat, sample):
    segmentation = np.ascontiguousarray(io.read(path).array)
    values = np.unique(segmentation)
    values = values[values != 0]
    print(f"\n{os.path.basename(path)}: {' x '.join(map(str, segmentation.shape[::-1]))}, {segmentation.dtype}, "
          f"{len(values)} classes\n")
    print("| what | brickccl, 2 threads | brickccl, 1 thread | loop | seconds | times (2 threads) | times (1 thread) |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    chosen = values[np.linspace(0, len(values) - 1, min(sample, len(values))).astype(int)]
    for name, fills in (("largest", False), ("largest, holes filled", True)):
        own = {threads: seconds(lambda: brickccl.clean(segmentation, largest=1, fill_holes=fills, connectivity=26,
                                                       threads=threads), repeat) for threads in (2, 1)}
        result = brickccl.clean(segmentation, largest=1, fill_holes=fills, connectivity=26)
        peers = [("scipy, whole volumes", largest_by_scipy, chosen, False), ("cc3d, whole volumes", largest_by_cc3d, chosen, False),
                 ("scipy, boxes", largest_by_scipy, values, True), ("cc3d, boxes", largest_by_cc3d, values, True)]
        for peer, largest, some, in_boxes in peers:
            begin = time.perf_counter()
            other = loop(segmentation, some, largest, fills, in_boxes)
            spent = (time.perf_counter() - begin) * len(values) / len(some)
            if not fills and len(some) == len(values) and largest is largest_by_scipy:
                assert np.array_equal(other, result), peer
            note = "" if len(some) == len(values) else f" ({len(some)} classes, extrapolated)"
            print(f"| {name} | {own[2]:.4f} | {own[1]:.4f} | {peer}{note} | {spent:.2f} | {spent / own[2]:.0f} | "
                  f"{spent / own[1]:.0f} |", flush=True)
        print(f"| | | | voxels that differ from the last loop's: {np.count_nonzero(other != result)} | | | |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--sample", type=int, default=10)
    parser.add_argument("segmentations", nargs="+")
    arguments = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} CPUs, brickccl {brickccl.__version__}, "
          f"scipy {scipy.__version__}, cc3d {getattr(cc3d, '__version__', '')}")
    for path in arguments.segmentations:
        compare(path, arguments.repeat, arguments.sample)


if __name__ == "__main__":
    main()
