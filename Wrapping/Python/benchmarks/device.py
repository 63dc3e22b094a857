"""Times labeling of arrays on a CUDA device, beside the engine without Python's part, and beside cupyx.

    python device.py

Prints microseconds, medians, for white noise of density 0.3 and 26 neighbours: the engine alone; CuPy and PyTorch with a
fresh array and with `out`; the largest first; with the table; cupyx.scipy.ndimage.label.
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


def main():
    random = np.random.default_rng(0)
    print(f"CuPy {cupy.__version__}, PyTorch {torch.__version__}, {cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}")
    print("| size | engine | CuPy | CuPy, out | PyTorch | PyTorch, out | by size | table | cupyx |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for size in (16, 64, 256, 512):
        image = (random.random((size, size, size)) < 0.3).astype(np.uint8)
        array, tensor = cupy.asarray(image), torch.from_numpy(image).cuda()
        out = cupy.empty(image.shape, np.uint32)
        tensor_out = torch.empty(image.shape, dtype=torch.int32, device="cuda")
        engine = _core.DeviceLabels(0)
        source = (array.data.ptr, "uint8", list(image.shape))
        rules = ("foreground", 0, None, None, None, 26, [], "Auto", 0)
        structure = np.ones((3, 3, 3))
        columns = (
            lambda: engine.label(source, None, out.data.ptr, "uint32", *rules),
            lambda: brickccl.label(array, connectivity=26),
            lambda: brickccl.label(array, connectivity=26, out=out),
            lambda: brickccl.label(tensor, connectivity=26),
            lambda: brickccl.label(tensor, connectivity=26, out=tensor_out),
            lambda: brickccl.label(array, connectivity=26, order="size"),
            lambda: brickccl.label(array, connectivity=26, return_table=True),
            lambda: cupyx.scipy.ndimage.label(array, structure),
        )
        repeat = 300 if size <= 64 else 30
        print(f"| {size} | " + " | ".join(f"{median(work, repeat):.0f}" for work in columns) + " |", flush=True)


if __name__ == "__main__":
    main()
