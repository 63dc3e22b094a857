# SPDX-License-Identifier: Apache-2.0
"""Times labeling of arrays on a CUDA device, compared with the engine without Python and with cupyx.

    python device.py

Prints microseconds, medians, for white noise of density 0.3 and 26 neighbors: only the engine; CuPy and PyTorch with a
fresh array and with `out`; with filters and orders; with the table; only the count and the lists of voxels, without a label
map; cupyx.scipy.ndimage.label. Then, for balls of 512^3 voxels, all times relative to labeling.
"""

import time

import brickccl
import cupy
import cupyx.scipy.ndimage
import numpy as np
import torch
from brickccl import _core


def median(work, repeat):
    for _ in range(20):
        work()
    cupy.cuda.Device().synchronize()
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        cupy.cuda.Device().synchronize()
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)[repeat // 2] * 1e6


def balls(size):
    """Balls of random places and radii that fill a fifth of a cube."""
    random = np.random.default_rng(1)
    image = np.zeros((size, size, size), np.uint8)
    filled = 0
    while filled < 0.2 * image.size:
        radius = int(random.integers(size // 64, size // 16))
        place = random.integers(0, size, 3)
        low, high = np.maximum(place - radius, 0), np.minimum(place + radius + 1, size)
        z, y, x = (np.arange(a, b) - c for a, b, c in zip(low, high, place))
        inside = z[:, None, None] ** 2 + y[:, None] ** 2 + x**2 <= radius**2
        box = image[tuple(slice(a, b) for a, b in zip(low, high))]
        filled += int(np.count_nonzero(inside & (box == 0)))
        box |= inside
    return image


def main():
    random = np.random.default_rng(0)
    print(f"CuPy {cupy.__version__}, PyTorch {torch.__version__}, {cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}")
    names = ("input", "engine", "CuPy", "CuPy, out", "PyTorch", "PyTorch, out", "by size", "PyTorch, by size", "10 voxels and more")
    names += ("5 largest", "table", "count alone", "lists alone", "cupyx")
    print("| " + " | ".join(names) + " |")
    print("| --- " * len(names) + "|")
    inputs = [(f"noise {size}^3", (random.random((size, size, size)) < 0.3).astype(np.uint8)) for size in (16, 64, 256, 512)]
    for name, image in [*inputs, ("balls 512^3", balls(512))]:
        array, tensor = cupy.asarray(image), torch.from_numpy(image).cuda()
        out = cupy.empty(image.shape, np.uint32)
        tensor_out = torch.empty(image.shape, dtype=torch.int32, device="cuda")
        engine = _core.DeviceLabels(0)
        source = (array.data.ptr, "uint8", list(image.shape))
        rules = _core.Rules.make(connectivity=26)
        structure = np.ones((3, 3, 3))
        columns = (
            lambda: engine.label(source, None, out.data.ptr, "uint32", rules, 0),
            lambda: brickccl.label(array, connectivity=26),
            lambda: brickccl.label(array, connectivity=26, out=out),
            lambda: brickccl.label(tensor, connectivity=26),
            lambda: brickccl.label(tensor, connectivity=26, out=tensor_out),
            lambda: brickccl.label(array, connectivity=26, out=out, order="size"),
            lambda: brickccl.label(tensor, connectivity=26, out=tensor_out, order="size"),
            lambda: brickccl.label(array, connectivity=26, out=out, minimum_size=10),
            lambda: brickccl.label(array, connectivity=26, out=out, largest=5),
            lambda: brickccl.label(array, connectivity=26, out=out, return_table=True),
            lambda: brickccl.find(array, connectivity=26),
            lambda: brickccl.find(array, connectivity=26).voxels(),
            lambda: cupyx.scipy.ndimage.label(array, structure),
        )
        repeat = 300 if image.size <= 64**3 else 30
        print(f"| {name} | " + " | ".join(f"{median(work, repeat):.0f}" for work in columns) + " |", flush=True)


if __name__ == "__main__":
    main()
