# SPDX-License-Identifier: Apache-2.0
"""Times brickccl.big and dask-image on an array of zarr: overlapping balls, chunks of 128^3.

    python benchmarks/big.py [--size 512] [--brick 256] [--peer] [--plan] [--folder FOLDER]

Each run is a process of its own; its peak memory is the largest resident set that the kernel saw. Reading and writing are
part of the time, importing is not. `--peer` runs dask_image.ndmeasure.label and stores its labels as zarr. `--plan` plans
100,000 bricks of an array without data. Prints a table in Markdown.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

CHUNK = 128


def make_balls(path, size, fraction=0.2, seed=1):
    """Balls of radius 8 to 20, as many as fill the fraction if none overlapped; slab by slab, so that memory stays small."""
    import zarr

    random = np.random.default_rng(seed)
    radii = []
    while sum(4.19 * radius**3 for radius in radii) < -np.log(1 - fraction) * size**3:
        radii += random.integers(8, 21, 64).tolist()
    centers = random.integers(0, size, (len(radii), 3))
    array = zarr.create_array(path, shape=(size,) * 3, chunks=(CHUNK,) * 3, dtype="u1")
    for begin in range(0, size, CHUNK):
        slab = np.zeros((min(CHUNK, size - begin), size, size), np.uint8)
        for radius, (z, y, x) in zip(radii, centers):
            if not begin - radius <= z < begin + len(slab) + radius:
                continue
            low = [max(0, at - radius) for at in (z - begin, y, x)]
            high = [min(end, at + radius + 1) for at, end in zip((z - begin, y, x), slab.shape)]
            if any(a >= b for a, b in zip(low, high)):
                continue
            axes = np.ogrid[tuple(slice(a - at, b - at) for a, b, at in zip(low, high, (z - begin, y, x)))]
            slab[tuple(map(slice, low, high))] |= sum(axis * axis for axis in axes) <= radius * radius
        array[begin : begin + len(slab)] = slab


def run_ours(arguments):
    from brickccl import big

    begin = time.perf_counter()
    found = big.label(
        arguments.source,
        arguments.target,
        connectivity=arguments.connectivity,
        brick=arguments.brick,
        dtype="uint32",
        overwrite=True,
        table=arguments.table,
    )
    return {"seconds": time.perf_counter() - begin, "count": found.count}


def run_peer(arguments):
    import dask
    import dask.array
    import dask_image.ndmeasure
    import scipy.ndimage

    begin = time.perf_counter()
    image = dask.array.from_zarr(arguments.source)
    structure = scipy.ndimage.generate_binary_structure(3, {6: 1, 26: 3}[arguments.connectivity])
    labels, _ = dask_image.ndmeasure.label(image, structure)
    built = time.perf_counter() - begin
    with dask.config.set(scheduler="threads"):
        labels.rechunk((CHUNK,) * 3).to_zarr(arguments.target, overwrite=True)
    return {"seconds": time.perf_counter() - begin, "build": built, "versions": [dask.__version__]}


def run_plan(arguments):
    import zarr
    from brickccl import big

    shape = (25600, 25600, 20480)
    zarr.create_array(arguments.source, shape=shape, chunks=(512,) * 3, dtype="u1", overwrite=True)
    begin = time.perf_counter()
    count = big.plan(arguments.source, arguments.target, state=arguments.target + ".state", brick=512, dtype="uint64")
    return {"seconds": time.perf_counter() - begin, "count": count}


def in_a_process(step, **given):
    """Runs a step in a process of its own."""
    text = json.dumps({"step": step, **given})
    done = subprocess.run([sys.executable, __file__, "--step", text], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def do_step(text):
    given = argparse.Namespace(**json.loads(text))
    found = {"ours": run_ours, "peer": run_peer, "plan": run_plan}[given.step](given)
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(json.dumps(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--brick", type=int, default=256)
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--plan", action="store_true")
    parser.add_argument("--folder", help="keeps the array of balls for the next run")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.step:
        do_step(chosen.step)
        return
    folder = chosen.folder or tempfile.mkdtemp(prefix="brickccl-")
    source = os.path.join(folder, f"balls-{chosen.size}.zarr")
    target = os.path.join(folder, "labels.zarr")
    if not os.path.isdir(source):
        make_balls(source, chosen.size)
    print("| run | neighbors | s | MB at most | components |\n| --- | --- | --- | --- | --- |")
    runs = [("brickccl.big", "ours", neighbors, None) for neighbors in (6, 26)]
    runs.append(("brickccl.big, table", "ours", 6, os.path.join(folder, "table.csv")))
    runs += [("dask-image", "peer", neighbors, None) for neighbors in ((6, 26) if chosen.peer else ())]
    for name, step, neighbors, table in runs:
        given = {"source": source, "target": target, "brick": chosen.brick, "connectivity": neighbors, "table": table}
        found = in_a_process(step, **given)
        load = os.getloadavg()[0]
        row = (name, neighbors, f"{found['seconds']:.2f} (load {load:.1f})", f"{found['megabytes']:.0f}", found.get("count", ""))
        print("|", " | ".join(map(str, row)), "|", flush=True)
    if chosen.plan:
        found = in_a_process("plan", source=os.path.join(folder, "virtual.zarr"), target=os.path.join(folder, "virtual"))
        print(f"| plan of {found['count']} bricks | | {found['seconds']:.2f} | {found['megabytes']:.0f} | |")
    if not chosen.folder:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
