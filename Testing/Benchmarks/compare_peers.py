#!/usr/bin/env python3
"""Times BrickCCL, itk::ConnectedComponentImageFilter and scipy.ndimage.label on the same masks in one run and prints
a table in Markdown. The peers come from Testing/Benchmarks/install-peers.sh; one that is absent is left out with a
message.

    Testing/Benchmarks/compare_peers.py [--repeat N] [--benchmark PROGRAM] MASK.nhdr ..."""

import argparse
import gzip
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--benchmark", default=os.path.join(ROOT, "build", "release", "bin", "brickccl-benchmark"))
    parser.add_argument("masks", nargs="+")
    arguments = parser.parse_args()

    try:
        import scipy
        print("scipy", scipy.__version__, file=sys.stderr)
    except ImportError:
        print("scipy is not installed and left out; see Testing/Benchmarks/install-peers.sh", file=sys.stderr)
        scipy = None

    print("| mask | connectivity | components | floor, 1 / 2 threads | BrickCCL, 1 / 2 threads | ITK, 1 / 2 threads "
          "| scipy | ITK / BrickCCL, 2 threads | scipy / BrickCCL, 1 thread |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for path in arguments.masks:
        output = subprocess.run([arguments.benchmark, "--repeat", str(arguments.repeat), path], check=True,
                                capture_output=True, text=True).stdout
        seconds = {}
        components = {}
        for line in output.splitlines():
            name, connectivity, program, threads, time_taken, count = line.split(",")
            seconds[program, int(connectivity), int(threads)] = float(time_taken)
            components[program, int(connectivity)] = int(count)
        peers = time_scipy(path, arguments.repeat) if scipy else {}
        for connectivity in (6, 26):
            ours = [seconds["brickccl", connectivity, threads] for threads in (1, 2)]
            itk = [seconds["itk", connectivity, threads] for threads in (1, 2)]
            floor = [seconds["floor", 0, threads] for threads in (1, 2)]
            scipy_seconds, scipy_count = peers.get(connectivity, (float("nan"), components["brickccl", connectivity]))
            counts = {components["brickccl", connectivity], components["itk", connectivity], scipy_count}
            if len(counts) != 1:
                raise SystemExit("%s: the programs disagree on the number of components: %s" % (name, counts))
            print("| %s | %d | %d | %.3f / %.3f | %.3f / %.3f | %.3f / %.3f | %.3f | %.1f | %.1f |" % (
                name.replace(".nhdr", ""), connectivity, counts.pop(), *floor, *ours, *itk, scipy_seconds,
                itk[1] / ours[1], scipy_seconds / ours[0]), flush=True)


if __name__ == "__main__":
    main()
