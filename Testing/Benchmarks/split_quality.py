#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well touching objects that are known are split: the default height, a share, the best of several heights, and scikit-image at its best.

    Testing/Benchmarks/split_quality.py BRICKCCL [--side 160] [--seed 1] [--skip-slow]

Each phantom has objects of known numbers, which touch or overlap by a share of the smaller radius: balls, ellipsoids, rough ones, and the
cells of a foam with round windows in its walls. The adjusted Rand index is that of voxels that are objects in both label maps. It needs numpy,
scipy, and scikit-image for the comparison."""

import argparse
import gzip
import json
import os
import subprocess
import tempfile

import numpy as np
from scipy import ndimage

from split_benchmark import rand_index

HEIGHTS = (0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3)


def objects(side, random, radii, overlap=0.0, flat=1.0, rough=0.0):
    """Labels of balls, or of ellipsoids with axes of `flat` to 1 times the radius, each next to one that is there already."""
    low, high = radii
    wanted = max(12, int(0.25 * side**3 / (4 / 3 * np.pi * ((low + high) / 2) ** 3 * ((1 + flat) / 2) ** 2)))
    centers, sizes, axes, turns = [], [], [], []
    for _ in range(400 * wanted):
        if len(centers) == wanted:
            break
        # As many of each size on a scale of ratios.
        radius = low * (high / low) ** random.random()
        center = random.uniform(radius, side - 1 - radius, 3)
        shape = np.sort(random.uniform(flat, 1, 3))[::-1] / 1.0
        shape = shape / shape[0]
        turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
        if centers:
            other = random.integers(len(centers))
            way = random.normal(size=3)
            way /= np.linalg.norm(way)

            def reach(size, axis, turned):
                return size / np.linalg.norm(turned.T @ way / axis)
            near, far = reach(sizes[other], axes[other], turns[other]), reach(radius, shape, turn)
            center = centers[other] + way * (near + far - overlap * min(near, far))
        if (center < radius).any() or (center > side - 1 - radius).any():
            continue
        if centers:
            gaps = np.array(centers) - center
            lengths = np.linalg.norm(gaps, axis=1)
            units = gaps / lengths[:, None]
            theirs = np.array(sizes) / np.linalg.norm(np.einsum("nij,ni->nj", np.array(turns), units) / np.array(axes), axis=1)
            ours = radius / np.linalg.norm(units @ turn / shape, axis=1)
            if (lengths - theirs - ours < -overlap * np.minimum(theirs, ours) - 1e-9).any():
                continue
        for known, one in ((centers, center), (sizes, radius), (axes, shape), (turns, turn)):
            known.append(one)
    labels = np.zeros((side,) * 3, np.int32)
    nearest = np.full(labels.shape, np.inf, np.float32)
    bumps = random.uniform(-rough, rough, labels.shape).astype(np.float32)
    for label, (center, radius, shape, turn) in enumerate(zip(centers, sizes, axes, turns), 1):
        first = np.maximum(center - radius - 2, 0).astype(int)
        box = tuple(slice(a, b) for a, b in zip(first, np.minimum(center + radius + 3, side).astype(int)))
        steps = np.stack(np.meshgrid(*(np.arange(part.start, part.stop) - c for part, c in zip(box, center)), indexing="ij"), -1)
        length = np.linalg.norm(steps, axis=-1)
        scaled = np.linalg.norm(steps @ turn / shape, axis=-1) / radius
        depth = np.where(scaled > 0, length - length / np.maximum(scaled, 1e-9), -radius)
        inside = (depth <= bumps[box]) & (depth < nearest[box])
        nearest[box][inside] = depth[inside]
        labels[box][inside] = label
    return labels


def foam(side, random, cell, window):
    """The cells of random points, with walls of two voxels; walls have round windows."""
    count = side // cell
    points = (np.stack(np.meshgrid(*[np.arange(count)] * 3, indexing="ij"), -1).reshape(-1, 3) + random.uniform(0.2, 0.8, (count**3, 3))) * cell
    from scipy.spatial import cKDTree

    places = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    distances, owners = cKDTree(points).query(places, k=2)
    gap = np.linalg.norm(points[owners[:, 0]] - points[owners[:, 1]], axis=1)
    # The distance to the plane between the two nearest points, and from the middle between them along it.
    to_wall = (distances[:, 1] ** 2 - distances[:, 0] ** 2) / (2 * gap)
    middle = (points[owners[:, 0]] + points[owners[:, 1]]) / 2
    along = np.sqrt(np.maximum(((places - middle) ** 2).sum(1) - to_wall**2, 0))
    third = cKDTree(points).query(places, k=3)[0][:, 2]
    is_open = (along < window) & (third - distances[:, 1] > 1)
    labels = np.where((to_wall >= 1) | is_open, owners[:, 0] + 1, 0).reshape((side,) * 3).astype(np.int32)
    return labels


def phantoms(command, side, seed):
    random = np.random.default_rng(seed)
    yield "balls, radii 3 to 24, touching", objects(side, random, (3, 24))
    yield "balls, overlap 15 %", objects(side, random, (3, 24), 0.15)
    yield "balls, overlap 30 %", objects(side, random, (3, 24), 0.3)
    yield "balls, overlap 15 %, rough by 0.5 voxel", objects(side, random, (3, 24), 0.15, rough=0.5)
    yield "balls, overlap 30 %, rough by 0.5 voxel", objects(side, random, (3, 24), 0.3, rough=0.5)
    yield "ellipsoids 0.6 to 1, touching", objects(side, random, (3, 24), 0, 0.6)
    yield "ellipsoids 0.6 to 1, overlap 15 %", objects(side, random, (3, 24), 0.15, 0.6)
    yield "ellipsoids, overlap 15 %, rough by 0.5 voxel", objects(side, random, (3, 24), 0.15, 0.6, 0.5)
    yield "foam, cells of 20, windows of radius 4", foam(side, random, 20, 4)
    yield "`phantom powder`", made(command, "powder", side, seed)
    yield "`phantom foam`", made(command, "foam", side, seed)
    yield "`phantom foam --grain 16`", made(command, "foam", side, seed, "--grain", "16")


def made(command, kind, side, seed, *options):
    """The objects of a phantom of the command."""
    with tempfile.TemporaryDirectory() as folder:
        truth = os.path.join(folder, "truth.nrrd")
        size = [str(side)] * 3
        subprocess.run([command, "phantom", kind, os.path.join(folder, "mask.nrrd"), "--truth", truth, "--size", *size, "--seed", str(seed),
                        "--quiet", *options], check=True)
        with open(truth, "rb") as stream:
            data = stream.read()
    return np.frombuffer(gzip.decompress(data[data.index(b"\n\n") + 2:]), "<u4").reshape((side,) * 3).astype(np.int32)


def by_command(command, mask, height, folder):
    path = os.path.join(folder, "mask.npy")
    out = os.path.join(folder, "objects.nrrd")
    np.save(path, mask)
    options = [] if height is None else ["--split-height", str(height)]
    found = json.loads(subprocess.run([command, "split", path, out, *options, "--label-type", "uint32", "--no-compression", "--json"],
                                      check=True, capture_output=True, text=True).stdout)
    with open(out, "rb") as stream:
        data = stream.read()
    labels = np.frombuffer(data[data.index(b"\n\n") + 2:], "<u4").reshape(mask.shape[::-1] if mask.flags.f_contiguous else mask.shape)
    assert found["components"] == labels.max()
    return labels


def by_skimage(mask, height):
    from skimage.morphology import h_maxima
    from skimage.segmentation import watershed

    depth = ndimage.distance_transform_edt(mask)
    markers = ndimage.label(h_maxima(depth, height), np.ones((3, 3, 3)))[0]
    return watershed(-depth, markers, mask=mask, connectivity=3)


def score(truth, found):
    return rand_index(truth, found), len(np.unique(found)) - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--side", type=int, default=160)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip-slow", action="store_true", help="leave out scikit-image")
    arguments = parser.parse_args()
    print("| phantom (objects; components) | default H: index, objects | 10 %: index, objects | best H: index, objects | scikit-image, best h: index, objects |")
    print("| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name, truth in phantoms(arguments.command, arguments.side, arguments.seed):
            mask = (truth > 0).astype(np.uint8)
            count = len(np.unique(truth)) - 1
            cells = ["%s (%d; %d)" % (name, count, ndimage.label(mask, np.ones((3, 3, 3)))[1])]
            for height in (None, "10%"):
                cells.append("%.4f, %d" % score(truth, by_command(arguments.command, mask, height, folder)))
            ours = {height: score(truth, by_command(arguments.command, mask, height, folder)) for height in HEIGHTS}
            height = max(ours, key=lambda one: ours[one][0])
            cells.append("%g: %.4f, %d" % (height, *ours[height]))
            if not arguments.skip_slow:
                theirs = {height: score(truth, by_skimage(mask, height)) for height in (0.5, 0.75, 1, 1.5)}
                height = max(theirs, key=lambda one: theirs[one][0])
                cells.append("%g: %.4f, %d" % (height, *theirs[height]))
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
