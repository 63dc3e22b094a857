# SPDX-License-Identifier: Apache-2.0
"""Times a call of brickccl for a small array, compared with the library without Python and with others.

    cmake -S Wrapping/Python -B BUILD && cmake --build BUILD --target overhead
    python benchmarks/overhead.py [--size 16] [--engine BUILD/overhead]

Prints a table in Markdown: microseconds of CPU time for a call, the median and the least of rounds in turns. CPU time, since
other work on the machine changes it least; all of these run on one thread here.
"""

import argparse
import os
import platform
import statistics
import subprocess
import tempfile
import time

import numpy as np

import brickccl


def measure(call, repeat):
    begin = time.process_time()
    for _ in range(repeat):
        call()
    return (time.process_time() - begin) / repeat * 1e6


def peers(image):
    """Calls of packages that are installed."""
    found = {}
    try:
        import cc3d

        found["cc3d"] = lambda: cc3d.connected_components(image, connectivity=6, binary_image=True)
    except ImportError:
        pass
    try:
        import scipy.ndimage

        found["scipy"] = lambda: scipy.ndimage.label(image)
    except ImportError:
        pass
    try:
        import skimage.measure

        found["scikit-image"] = lambda: skimage.measure.label(image, connectivity=1)
    except ImportError:
        pass
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", type=int, default=16)
    parser.add_argument("--engine", help="the program that the target `overhead` builds")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--repeat", type=int, default=100)
    arguments = parser.parse_args()
    image = (np.random.default_rng(1).random((arguments.size,) * 3) < 0.2).astype(np.uint8)
    core, geometry, rules = brickccl._core, brickccl._core.Geometry.make([1.0] * 3), brickccl._core.Rules.make()
    out = np.empty(image.shape, brickccl.find(image).dtype)
    calls = {
        "brickccl.label": lambda: brickccl.label(image),
        "brickccl.label, out=": lambda: brickccl.label(image, out=out),
        "brickccl.find": lambda: brickccl.find(image),
        "only the bindings": lambda: core.find(image, None, rules, geometry).write(out),
        **peers(image),
    }
    times = {name: [] for name in calls}
    with tempfile.NamedTemporaryFile() as file:
        image.tofile(file.name)
        for _ in range(arguments.rounds):
            for name, call in calls.items():
                times[name].append(measure(call, arguments.repeat))
            if arguments.engine:
                command = [arguments.engine, file.name, str(arguments.repeat)]
                answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
                for name, value in zip(("C++, a new Labeling", "C++, one Labeling"), answer):
                    times.setdefault(name, []).append(float(value))
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, "
          f"Python {platform.python_version()}, numpy {np.__version__}\n")
    print(f"| a call on {arguments.size}^3 voxels | median | least |\n| --- | --- | --- |")
    for name, values in times.items():
        print(f"| {name} | {statistics.median(values):.1f} | {min(values):.1f} |")


if __name__ == "__main__":
    main()
