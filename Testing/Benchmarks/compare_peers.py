#!/usr/bin/env python3
"""Times BrickCCL, itk::ConnectedComponentImageFilter, scipy.ndimage.label and cc3d on the same masks in one run and
prints a table in Markdown. The peers come from Testing/Benchmarks/install-peers.sh; one that is absent is left out with a
message.

    Testing/Benchmarks/compare_peers.py [--repeat N] [--benchmark PROGRAM] MASK.nhdr ..."""

import argparse
import gzip
import importlib.metadata
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read_mask(path):
    """The voxels of a detached, gzipped NRRD mask as an array indexed [z, y, x]."""
    import numpy
    fields = {}
    with open(path) as stream:
        for line in stream:
            if ": " in line:
                key, value = line.strip().split(": ", 1)
                fields[key.lower()] = value
    with gzip.open(os.path.join(os.path.dirname(path), fields["data file"])) as stream:
        data = stream.read()
    return numpy.frombuffer(data, numpy.uint8).reshape([int(size) for size in fields["sizes"].split()][::-1])


def time_scipy(path, repeats):
    """Median seconds and component count of scipy.ndimage.label, for 6- and 26-connectivity."""
    import numpy
    import scipy.ndimage
    mask = read_mask(path)
    results = {}
    for connectivity, rank in ((6, 1), (26, 3)):
        structure = scipy.ndimage.generate_binary_structure(3, rank)
        labels = numpy.ones(mask.shape, numpy.int32)  # touched before the clock starts
        seconds = []
        for _ in range(repeats + 1):
            begin = time.perf_counter()
            count = scipy.ndimage.label(mask, structure, output=labels)
            seconds.append(time.perf_counter() - begin)
        results[connectivity] = (statistics.median(seconds[1:]), count)
    return results


def time_cc3d(path, repeats):
    """Median seconds and component count of cc3d.connected_components, for 6- and 26-connectivity."""
    import cc3d
    import numpy
    mask = read_mask(path).copy()  # cc3d asks for a writable array
    results = {}
    for connectivity in (6, 26):
        seconds = []
        for _ in range(repeats + 1):
            begin = time.perf_counter()
            _, count = cc3d.connected_components(mask, connectivity=connectivity, out_dtype=numpy.uint32, return_N=True)
            seconds.append(time.perf_counter() - begin)
        results[connectivity] = (statistics.median(seconds[1:]), count)
    return results


def found(module):
    """Whether a peer is installed; says so."""
    try:
        __import__(module)
        package = {"cc3d": "connected-components-3d"}.get(module, module)
        print(package, importlib.metadata.version(package), file=sys.stderr)
        return True
    except ImportError:
        print(module, "is not installed and left out; see Testing/Benchmarks/install-peers.sh", file=sys.stderr)
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--benchmark", default=os.path.join(ROOT, "build", "release", "bin", "brickccl-benchmark"))
    parser.add_argument("masks", nargs="+")
    arguments = parser.parse_args()

    peers = {name: function for name, function in (("scipy", time_scipy), ("cc3d", time_cc3d)) if found(name)}

    print("| mask | connectivity | components | floor, 1 / 2 threads | BrickCCL, 1 / 2 threads | ITK, 1 / 2 threads "
          "| scipy | cc3d | BrickCCL / floor, 1 / 2 threads | ITK / BrickCCL, 2 threads | cc3d / BrickCCL, 1 thread |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for path in arguments.masks:
        output = subprocess.run([arguments.benchmark, "--repeat", str(arguments.repeat), path], check=True,
                                capture_output=True, text=True).stdout
        seconds = {}
        components = {}
        for line in output.splitlines():
            name, connectivity, program, threads, time_taken, count = line.split(",")
            seconds[program, int(connectivity), int(threads)] = float(time_taken)
            components[program, int(connectivity)] = int(count)
        times = {peer: function(path, arguments.repeat) for peer, function in peers.items()}
        for connectivity in (6, 26):
            ours = [seconds["brickccl", connectivity, threads] for threads in (1, 2)]
            itk = [seconds["itk", connectivity, threads] for threads in (1, 2)]
            floor = [seconds["floor", 0, threads] for threads in (1, 2)]
            counts = {components["brickccl", connectivity], components["itk", connectivity]}
            taken = {}
            for peer in ("scipy", "cc3d"):
                taken[peer] = times[peer][connectivity][0] if peer in times else float("nan")
                counts |= {int(times[peer][connectivity][1])} if peer in times else set()
            if len(counts) != 1:
                raise SystemExit("%s: the programs disagree on the number of components: %s" % (name, counts))
            print("| %s | %d | %d | %.3f / %.3f | %.3f / %.3f | %.3f / %.3f | %.3f | %.3f | %.2f / %.2f | %.1f | %.1f |" % (
                name.replace(".nhdr", ""), connectivity, counts.pop(), *floor, *ours, *itk, taken["scipy"], taken["cc3d"],
                ours[0] / floor[0], ours[1] / floor[1], itk[1] / ours[1], taken["cc3d"] / ours[0]), flush=True)


if __name__ == "__main__":
    main()
