#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `brickccl render --style surface` on the 10,000 largest pores of a synthetic rock of 512^3 voxels.

    Testing/Benchmarks/render_rock.py [--command build/release/bin/brickccl] [--runs 3] [--threads 2] [--keep PICTURE]

Prints a table in Markdown: the median of the seconds from the command's start to its end, the processor's seconds of the
same run, which other work on the machine changes less, those that its summary tells for making and drawing the surfaces,
triangles and peak memory. The pores are clusters of cubes whose side is `--grain` voxels."""

import argparse
import json
import os
import resource
import subprocess
import tempfile
import time


def spent():
    """The processor's seconds of all commands that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default="build/release/bin/brickccl")
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--grain", type=int, default=10)
    parser.add_argument("--density", type=float, default=0.16, help="the share of pores")
    parser.add_argument("--components", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keep", help="where the last picture goes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="brickccl-") as folder:
        rock, labels = os.path.join(folder, "rock.nrrd"), os.path.join(folder, "labels.nrrd")
        picture = arguments.keep or os.path.join(folder, "rock.png")
        size = [str(arguments.size)] * 3
        subprocess.run([arguments.command, "phantom", "random", rock, "--size", *size, "--grain", str(arguments.grain),
                        "--density", str(arguments.density), "--quiet"], check=True)
        subprocess.run([arguments.command, "label", rock, labels, "--largest", str(arguments.components), "--quiet"],
                       check=True)
        runs = []
        for _ in range(arguments.runs):
            begin, processor = time.perf_counter(), spent()
            done = subprocess.run([arguments.command, "render", labels, "--style", "surface", "--color-by", "volume_mm3",
                                   "-o", picture, "--threads", str(arguments.threads), "--json"], check=True,
                                  stdout=subprocess.PIPE, text=True)
            runs.append((time.perf_counter() - begin, spent() - processor, json.loads(done.stdout)))
    runs.sort(key=lambda run: run[0])
    wall, processor, summary = runs[len(runs) // 2]
    print("| rock | components | triangles | s | processor s | make s | draw s | peak MB |")
    print("| --- | --: | --: | --: | --: | --: | --: | --: |")
    print("| %d^3 | %d | %d | %.2f | %.2f | %.2f | %.2f | %d |" % (
        arguments.size, summary["components"], summary["triangles"], wall, processor, summary["seconds"]["make"],
        summary["seconds"]["draw"], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024))


if __name__ == "__main__":
    main()
