#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times other programs for labeling on the GPU on the inputs that brickccl-gpu-benchmark was timed on, and prints a table.

    python3 peers.py benchmark.csv BRICKCCL [FILE NX NY NZ ...]      (run.sh calls it)

CuPy's and cuCIM's `label`, and NPP's label markers (2-D; they number no labels consecutively, which is its own step).
Those that are absent are named and left out. Data on the device, CUDA events, median of 20 after a warm-up; a number of
components that is not BrickCCL's is shown with it."""

import csv
import ctypes
import glob
import subprocess
import sys
import tempfile
import zlib

import cupy
import numpy

REPEATS = 20
# Input of the benchmark, arguments of `brickccl phantom`, side, dimensions.
PHANTOMS = [
    ("balls 0.2", ["balls"], 512, 3),
    ("random 0.20 grain 1", ["random", "--density", "0.2"], 512, 3),
    ("random 0.50 grain 1", ["random", "--density", "0.5"], 512, 3),
    ("random 0.50 grain 4", ["random", "--density", "0.5", "--grain", "4"], 512, 3),
    ("discs 0.2", ["balls"], 8192, 2),
    ("random 0.50 grain 1", ["random", "--density", "0.5"], 8192, 2),
]
NEIGHBORS = {4: (2, 1), 8: (2, 2), 6: (3, 1), 18: (3, 2), 26: (3, 3)}


def structure(neighbors):
    """The neighborhood as array: neighbors differ in as many coordinates as its rank, at most."""
    dimensions, rank = NEIGHBORS[neighbors]
    distance = numpy.abs(numpy.indices((3,) * dimensions) - 1).sum(axis=0)
    return (distance <= rank).astype(numpy.uint8)


def median(function):
    """Milliseconds by CUDA events, and the last result."""
    times = []
    for i in range(REPEATS + 3):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        result = function()
        end.record()
        end.synchronize()
        if i >= 3:
            times.append(cupy.cuda.get_elapsed_time(begin, end))
    return sorted(times)[len(times) // 2], result


class NppStreamContext(ctypes.Structure):
    """As nppdefs.h has it."""

    _fields_ = [
        ("stream", ctypes.c_void_p),
        ("device", ctypes.c_int),
        ("multiprocessors", ctypes.c_int),
        ("threads_per_multiprocessor", ctypes.c_int),
        ("threads_per_block", ctypes.c_int),
        ("shared_memory", ctypes.c_size_t),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("reserved", ctypes.c_int),
    ]


class NppiSize(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class Npp:
    """NPP's labels of pixels of equal value, zero ones too, in 2-D: union-find, without consecutive numbers."""

    def __init__(self):
        paths = sorted(glob.glob("/usr/local/cuda*/lib64/libnppif.so.*"))
        self.library = ctypes.CDLL(paths[0] if paths else "libnppif.so")
        properties = cupy.cuda.runtime.getDeviceProperties(0)
        self.context = NppStreamContext(
            None,
            0,
            properties["multiProcessorCount"],
            properties["maxThreadsPerMultiProcessor"],
            properties["maxThreadsPerBlock"],
            properties["sharedMemPerBlock"],
            properties["major"],
            properties["minor"],
            0,
            0,
        )

    def run(self, image, neighbors):
        """(milliseconds, labels of the foreground)"""
        height, width = image.shape
        size = NppiSize(width, height)
        count = ctypes.c_int(0)
        self.check(self.library.nppiLabelMarkersUFGetBufferSize_32u_C1R(size, ctypes.byref(count)))
        memory = cupy.empty(count.value, cupy.uint8)
        labels = cupy.empty(image.shape, cupy.uint32)
        norm = 0 if neighbors == 8 else 1

        def call():
            self.check(
                self.library.nppiLabelMarkersUF_8u32u_C1R_Ctx(
                    ctypes.c_void_p(image.data.ptr),
                    width,
                    ctypes.c_void_p(labels.data.ptr),
                    4 * width,
                    size,
                    norm,
                    ctypes.c_void_p(memory.data.ptr),
                    self.context,
                )
            )

        milliseconds, _ = median(call)
        return milliseconds, int(cupy.unique(labels[image != 0]).size)

    @staticmethod
    def check(status):
        if status != 0:
            raise RuntimeError(f"NPP reports status {status}")


def peers():
    """(name, dimensions, function of image and neighbors to milliseconds and number of components)"""
    found = []

    def of_label(label, neighborhood):
        def run(image, neighbors):
            milliseconds, result = median(lambda: label(image, **neighborhood(neighbors)))
            return milliseconds, int(result[1])

        return run

    from cupyx.scipy.ndimage import label as cupy_label

    found.append(
        (f"CuPy {cupy.__version__}", (2, 3), of_label(cupy_label, lambda n: {"structure": cupy.asarray(structure(n))}))
    )
    try:
        import cucim
        from cucim.skimage.measure import label as cucim_label

        found.append(
            (
                f"cuCIM {cucim.__version__}",
                (2, 3),
                of_label(
                    lambda image, connectivity: cucim_label(image != 0, connectivity=connectivity, return_num=True),
                    lambda n: {"connectivity": NEIGHBORS[n][1]},
                ),
            )
        )
    except (ImportError, OSError) as error:
        print(f"cuCIM is left out: {error}", file=sys.stderr)
    try:
        found.append(("NPP label markers, not consecutive", (2,), Npp().run))
    except (OSError, AttributeError) as error:
        print(f"NPP is left out: {error}", file=sys.stderr)
    return found


def images(brickccl, masks, timed):
    """(input as in benchmark.csv, extent there, image on the device), of the inputs that were timed"""
    for path, nx, ny, nz in masks:
        name, extent = path.rsplit("/", 1)[-1], f"{nx} x {ny} x {nz}"
        if (name, extent) in timed:
            yield name, extent, cupy.asarray(numpy.fromfile(path, numpy.uint8).reshape(int(nz), int(ny), int(nx)))
    for name, arguments, side, dimensions in PHANTOMS:
        sides = [str(side)] * dimensions
        if (name, " x ".join(sides)) not in timed:
            continue
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [brickccl, "phantom", *arguments, f"{folder}/image.mhd", "--size", *sides, "--quiet"], check=True
            )
            with open(f"{folder}/image.zraw", "rb") as stream:
                pixels = numpy.frombuffer(zlib.decompress(stream.read()), numpy.uint8)
        yield name, " x ".join(sides), cupy.asarray(pixels.reshape((side,) * dimensions))


def main():
    with open(sys.argv[1]) as stream:
        rows = [row for row in csv.reader(stream) if len(row) == 8]
    floors = {tuple(row[:2]): float(row[4]) for row in rows if row[3] == "floor"}
    ours = {tuple(row[:3]): (float(row[4]), int(row[6])) for row in rows if row[3] == "BundleMerging" and row[4]}
    files = sys.argv[3:]
    masks = [files[i : i + 4] for i in range(0, len(files), 4)]
    print("| input | extent | connectivity | program | ms | x floor | x BrickCCL | components |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    programs = peers()
    for name, extent, image in images(sys.argv[2], masks, floors):
        for neighbors in (4, 8) if image.ndim == 2 else (6, 26):
            milliseconds, components = ours[name, extent, str(neighbors)]
            floor = floors[name, extent]
            print(
                f"| {name} | {extent} | {neighbors} | BrickCCL | {milliseconds:.3f} | {milliseconds / floor:.2f} | 1 | "
                f"{components} |"
            )
            for program, dimensions, run in programs:
                if image.ndim not in dimensions:
                    continue
                time, count = run(image, neighbors)
                found = str(count) if count == components else f"{count}, not {components}"
                print(
                    f"| {name} | {extent} | {neighbors} | {program} | {time:.3f} | {time / floor:.1f} | "
                    f"{time / milliseconds:.1f} | {found} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
