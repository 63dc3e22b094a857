#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the distance map and the split of touching balls beside scipy, edt, scikit-image and ITK.

    Testing/Benchmarks/split_benchmark.py [--side 384] [--threads 2] [--runs 3] [--skip-slow]

It needs the Python package of this repository and, for each comparison, scipy, edt, scikit-image and SimpleITK. The balls have radii of 6 to
16 voxels; most overlap a neighbor by 15 % of the smaller radius. Figures are the least of the runs; peers run once. Load of
the machine before and after is printed, since others may use it: then CPU seconds, summed over threads, tell more."""

import argparse
import os
import time

import numpy as np


def touching_balls(side, seed=3):
    """Labels of balls, grown ball by ball, each next to one that is there already."""
    random = np.random.default_rng(seed)
    count = side**3 // 9000
    centers, radii = np.empty((count, 3)), np.empty(count)
    made = 0
    for _ in range(60 * count):
        if made == count:
            break
        radius = random.uniform(6, 16)
        center = random.uniform(0, side, 3)
        if made and random.random() < 0.9:
            other = random.integers(made)
            way = random.normal(size=3)
            center = centers[other] + way / np.linalg.norm(way) * (radii[other] + radius - 0.15 * min(radius, radii[other]))
        if (center < 0).any() or (center > side - 1).any():
            continue
        room = np.linalg.norm(centers[:made] - center, axis=1) - radii[:made] - radius + 0.15 * np.minimum(radius, radii[:made])
        if made and room.min() < -1e-9:
            continue
        centers[made], radii[made] = center, radius
        made += 1
    labels = np.zeros((side,) * 3, np.int32)
    nearest = np.full(labels.shape, np.inf, np.float32)
    for label in range(made):
        low = np.maximum(centers[label] - radii[label] - 1, 0).astype(int)
        high = np.minimum(centers[label] + radii[label] + 2, side).astype(int)
        box = tuple(map(slice, low, high))
        steps = [axis - middle for axis, middle in zip(np.ogrid[box], centers[label])]
        depth = np.sqrt(sum(step**2 for step in steps)) - radii[label]
        inside = (depth <= 0) & (depth < nearest[box])
        nearest[box][inside] = depth[inside]
        labels[box][inside] = label + 1
    return labels


def rand_index(first, second):
    """The adjusted Rand index of two label maps where both have labels."""
    both = (first > 0) & (second > 0)
    pairs = np.unique(first[both].astype(np.int64) * (int(second.max()) + 1) + second[both], return_counts=True)[1]
    total, *sums = ((counts * (counts - 1.0) / 2).sum() for counts in (
        np.array([both.sum()]), pairs, np.bincount(first[both]), np.bincount(second[both])))
    joint, ours, theirs = sums
    expected = ours * theirs / total
    return (joint - expected) / ((ours + theirs) / 2 - expected)


def timed(name, runs, work):
    seconds = []
    for _ in range(runs):
        begin, busy = time.perf_counter(), time.process_time()
        result = work()
        seconds.append((time.perf_counter() - begin, time.process_time() - busy))
    print("%-50s %8.2f s, CPU %8.2f s" % (name, *map(min, zip(*seconds))), flush=True)
    return result


def split_by_skimage(mask):
    from scipy import ndimage
    from skimage.morphology import h_maxima
    from skimage.segmentation import watershed

    depth = ndimage.distance_transform_edt(mask)
    markers = ndimage.label(h_maxima(depth, 0.75), np.ones((3, 3, 3)))[0]
    return watershed(-depth, markers, mask=mask, connectivity=3)


def split_by_itk(mask, threads):
    import SimpleITK as sitk

    sitk.ProcessObject.SetGlobalDefaultNumberOfThreads(threads)
    image = sitk.GetImageFromArray(mask)
    depth = sitk.SignedMaurerDistanceMap(image, insideIsPositive=False, squaredDistance=False, useImageSpacing=True)
    objects = sitk.MorphologicalWatershed(depth, level=0.75, markWatershedLine=False, fullyConnected=True)
    return sitk.GetArrayFromImage(sitk.Mask(objects, image))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=384)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--skip-slow", action="store_true", help="leave out scikit-image and ITK")
    arguments = parser.parse_args()
    import brickccl

    print("load %.2f, %d processors" % (os.getloadavg()[0], os.cpu_count()))
    truth = touching_balls(arguments.side)
    mask = (truth > 0).astype(np.uint8)
    print("%d balls in %d^3 voxels, %.0f %% of them foreground" % (truth.max(), arguments.side, 100 * mask.mean()), flush=True)

    depth = timed("brickccl.distance", arguments.runs, lambda: brickccl.distance(mask, threads=arguments.threads))
    try:
        import edt

        theirs = timed("edt", arguments.runs, lambda: edt.edt(mask, parallel=arguments.threads))
        print("  largest difference %g" % np.abs(theirs - depth).max())
    except ImportError:
        print("edt is not installed")
    from scipy import ndimage

    theirs = timed("scipy.ndimage.distance_transform_edt", 1, lambda: ndimage.distance_transform_edt(mask))
    print("  largest difference %g" % np.abs(theirs.astype(np.float32) - depth).max())
    del theirs, depth
    objects = timed("brickccl.split", arguments.runs, lambda: brickccl.split(mask, threads=arguments.threads))
    print("  %d objects, adjusted Rand index %.4f" % (objects.max(), rand_index(truth, objects)))
    if not arguments.skip_slow:
        for name, work in (("distance, h-maxima and watershed of scikit-image", lambda: split_by_skimage(mask)),
                           ("distance and morphological watershed of ITK", lambda: split_by_itk(mask, arguments.threads))):
            theirs = timed(name, 1, work)
            print("  %d objects, adjusted Rand index %.4f" % (len(np.unique(theirs)) - 1, rand_index(truth, theirs)))
    print("load %.2f" % os.getloadavg()[0])


if __name__ == "__main__":
    main()
