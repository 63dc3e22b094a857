# SPDX-License-Identifier: Apache-2.0
"""Times brickccl, cc3d, scipy and scikit-image: numpy arrays in and out, a new label map for each call.

    python benchmarks/compare.py [--repeat N] [--cpu] [--masks-alone] [--new-memory] [--sides 64 100 128 ...] [MASK.npy ...]

Prints tables in Markdown: seconds, the median of N calls in turns after a first one that does not count, and in parentheses
how many times as long as brickccl's with uint32 and with the smallest type the others take; the time that
importing takes; how soon Ctrl-C takes effect. Needs brickccl[test]. `overhead.py` is about small arrays.

With `--sides`, it times cubes of these sides and compares them with cc3d, in milliseconds: label maps of cc3d's type, kept and freed,
and written into `out=`; and apart, the clearing of the pages of such a map by the system, in small pages and in large ones.
The given masks are cut to these sides, and repeated, mirrored, if they are smaller.
"""

import argparse
import ctypes
import functools
import mmap
import os
import platform
import signal
import statistics
import subprocess
import sys
import threading
import time

import cc3d
import numpy as np
import scipy.ndimage
import skimage.measure

import brickccl


def balls(size, fraction, seed):
    """A mask of overlapping balls that fill about this fraction."""
    random = np.random.default_rng(seed)
    mask = np.zeros((size,) * 3, bool)
    filled = 0.0
    while filled < fraction:
        for _ in range(50):
            radius = int(random.integers(4, 28))
            grid = np.ogrid[tuple(slice(-radius, radius + 1) for _ in range(3))]
            ball = sum(axis * axis for axis in grid) <= radius * radius
            corner = random.integers(0, size - 2 * radius, 3)
            box = tuple(slice(begin, begin + 2 * radius + 1) for begin in corner)
            mask[box] |= ball[tuple(slice(0, part.stop - part.start) for part in box)][
                tuple(slice(0, min(size, part.stop) - part.start) for part in box)
            ]
        filled = mask.mean()
    return mask


def read_mask(path):
    """A mask of a reference folder (.nhdr with .raw.gz), or of .npy."""
    if path.endswith(".npy"):
        return np.load(path) != 0
    from brickccl import io

    return io.read(path).array != 0


def median_times(functions, repeat, clock, in_new_memory=False):
    """The median of each function, called in turns. `in_new_memory`: none takes what brickccl keeps of earlier label maps."""
    times = {name: [] for name in functions}
    for turn in range(repeat + 1):
        for name, function in functions.items():
            if in_new_memory:
                brickccl.release_memory()
            begin = clock()
            result = function()
            elapsed = clock() - begin
            del result
            if turn > 0:
                times[name].append(elapsed)
    return {name: statistics.median(values) for name, values in times.items()}


def compare(name, mask, repeat, cpu, in_new_memory=False):
    image = mask.view(np.uint8)
    threads = (1,) if cpu else (1, 2)
    for neighbors, rank in {3: ((6, 1), (26, 3)), 2: ((4, 1), (8, 2))}[mask.ndim]:
        structure = scipy.ndimage.generate_binary_structure(mask.ndim, rank)
        expected = scipy.ndimage.label(image, structure)[1]
        assert expected == brickccl.find(image, connectivity=neighbors).count
        times = median_times(
            {
                **{
                    (dtype, count): functools.partial(
                        brickccl.label, image, connectivity=neighbors, dtype=dtype, threads=count
                    )
                    for dtype in ("uint32", "smallest")
                    for count in threads
                },
                "cc3d": lambda: cc3d.connected_components(image, connectivity=neighbors, binary_image=True),
                "scipy": lambda: scipy.ndimage.label(image, structure),
                "skimage": lambda: skimage.measure.label(image, connectivity=rank),
            },
            repeat,
            time.process_time if cpu else time.perf_counter,
            in_new_memory,
        )
        row = [name, neighbors, expected]
        row += [" / ".join(f"{times[dtype, count]:.3g}" for count in threads) for dtype in ("uint32", "smallest")]
        for peer in ("cc3d", "scipy", "skimage"):
            ratios = "; ".join(
                ", ".join(f"{times[peer] / times[dtype, count]:.1f}" for count in threads) for dtype in ("uint32", "smallest")
            )
            row.append(f"{times[peer]:.3g} ({ratios})")
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


def grains(side, grain, seed):
    """Half of the cubes of this many voxels along each axis."""
    coarse = np.random.default_rng(seed).random((-(-side // grain),) * 3) < 0.5
    return np.ascontiguousarray(np.kron(coarse, np.ones((grain,) * 3, bool))[:side, :side, :side])


def page_time(size, with_large_pages, repeat):
    """Milliseconds of the processor to write one byte in each page of new memory, the median."""
    times = []
    for _ in range(repeat):
        memory = mmap.mmap(-1, size + (1 << 21), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if with_large_pages:
            memory.madvise(mmap.MADV_HUGEPAGE)
        pages = np.frombuffer(memory, np.uint8)
        begin = -pages.ctypes.data % (1 << 21)
        pages = pages[begin:begin + size:4096]
        start = time.process_time()
        pages[:] = 1
        times.append(1e3 * (time.process_time() - start))
    return statistics.median(times)


def compare_side(name, mask, repeat):
    """A line of milliseconds: processor time on one thread, the clock's on two."""
    image = mask.view(np.uint8)
    peer = functools.partial(cc3d.connected_components, image, connectivity=26, binary_image=True)
    dtype = peer().dtype
    ours = functools.partial(brickccl.label, image, connectivity=26, dtype=dtype)
    out = np.zeros(image.shape, dtype)
    assert np.array_equal(ours() > 0, image > 0) and ours(out=out).max() == peer().max()
    calls = {"one": functools.partial(ours, threads=1), "out": functools.partial(ours, threads=1, out=out),
             "two": functools.partial(ours, threads=2), "peer": peer}
    times = {}
    for are_kept in (True, False):
        kept = []
        for turn in range(repeat + 1):
            for call, function in calls.items():
                clock = time.perf_counter if call == "two" else time.process_time
                begin = clock()
                result = function()
                if not are_kept:
                    del result
                times.setdefault((call, are_kept), []).append(1e3 * (clock() - begin))
                if are_kept:
                    kept.append(result)
                    del result
            if len(kept) > 16:
                # The next ones get their pages from the system.
                kept.clear()
                brickccl.release_memory()
                ctypes.CDLL(None).malloc_trim(0)
    median = {key: statistics.median(values[1:]) for key, values in times.items()}
    row = [name, dtype] + [f"{median[key, kept]:.3g}" for kept in (True, False) for key in ("one", "two", "peer")]
    row += [f"{median['out', False]:.3g}", *(f"{page_time(out.nbytes, large, repeat):.3g}" for large in (False, True))]
    row += [f"{median['peer', kept] / median['one', kept]:.2f}" for kept in (True, False)]
    print("| " + " | ".join(map(str, row)) + " |", flush=True)


def compare_sides(sides, masks, repeat):
    print("| mask | type | kept: 1 thread | 2 threads | cc3d | freed: 1 thread | 2 threads | cc3d | out= | pages: small | large | "
          "x cc3d kept | freed |")
    print("| --- " * 13 + "|")
    for side in sides:
        compare_side(f"balls {side}^3", balls(side, 0.2, 1), repeat)
        compare_side(f"noise {side}^3", grains(side, 4, 1), repeat)
        for path in masks:
            whole = read_mask(path)
            cut = np.pad(whole, [(0, max(0, side - size)) for size in whole.shape], "symmetric")[:side, :side, :side]
            compare_side(f"{os.path.basename(path).split('_')[0]} {side}^3", np.ascontiguousarray(cut), repeat)


def import_time():
    script = "import time, numpy; begin = time.perf_counter(); import brickccl; print(time.perf_counter() - begin)"
    times = [float(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout) for _ in range(9)]
    print(f"\nimport brickccl after numpy: {1e3 * statistics.median(times):.1f} ms")


def interrupt_time(mask):
    """From the signal to KeyboardInterrupt, in calls at random moments."""
    image, waits = np.concatenate([mask] * 4), []
    for delay in np.random.default_rng(1).uniform(0.02, 0.15, 15):
        sent = []
        timer = threading.Timer(delay, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT)))
        timer.start()
        try:
            while True:
                brickccl.label(image, threads=1, connectivity=26)
        except KeyboardInterrupt:
            waits.append(time.perf_counter() - sent[0])
        timer.join()
    print(f"Ctrl-C to KeyboardInterrupt, {image.size} voxels on one thread: at most {1e3 * max(waits):.0f} ms of {len(waits)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("masks", nargs="*")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--cpu", action="store_true", help="CPU time, of one thread: for machines that others use, too")
    parser.add_argument("--masks-alone", action="store_true", help="only these masks, no others and nothing else")
    parser.add_argument("--new-memory", action="store_true", help="no label map in the memory of an earlier one")
    parser.add_argument("--sides", type=int, nargs="+", help="compare cubes of these sides with cc3d, and do nothing more")
    arguments = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}")
    print(f"brickccl {brickccl.__version__}, cc3d {cc3d.__version__ if hasattr(cc3d, '__version__') else ''}, "
          f"scipy {scipy.__version__}, scikit-image {skimage.__version__}, numpy {np.__version__}\n")
    if arguments.sides:
        compare_sides(arguments.sides, arguments.masks, arguments.repeat)
        return
    threads = "1 thread" if arguments.cpu else "1 / 2 threads"
    print(f"| mask | neighbors | components | uint32, {threads} | smallest type | cc3d | scipy | scikit-image |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for path in arguments.masks:
        compare(
            os.path.basename(path).split(".")[0], read_mask(path), arguments.repeat, arguments.cpu, arguments.new_memory
        )
    if arguments.masks_alone:
        return
    synthetic = balls(384, 0.2, 1)
    compare("balls 0.2, 384^3", synthetic, arguments.repeat, arguments.cpu)
    compare("noise 0.5, 256^3", np.random.default_rng(1).random((256,) * 3) < 0.5, arguments.repeat, arguments.cpu)
    import_time()
    interrupt_time(synthetic)


if __name__ == "__main__":
    main()
