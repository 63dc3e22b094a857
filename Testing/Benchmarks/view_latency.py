#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `brickccl view`: from a request with another threshold to the numbers, and to the labels of three slices.

  BRICKCCL=build/release/bin/brickccl Testing/Benchmarks/view_latency.py [VOXELS ALONG AN AXIS] [THREADS]"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 512
THREADS = sys.argv[2] if len(sys.argv) > 2 else "2"
COMMAND = os.path.abspath(os.environ["BRICKCCL"])


def seconds(address, path, data=None):
    begin = time.perf_counter()
    body = None if data is None else json.dumps(data).encode()
    with urllib.request.urlopen(urllib.request.Request(address + path, body)) as answer:
        answer.read()
    return time.perf_counter() - begin


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([COMMAND, "phantom", "casting", "scan.nrrd", "--size", *[str(SIZE)] * 3, "--quiet"], cwd=folder, check=True)
        view = subprocess.Popen([COMMAND, "view", "scan.nrrd", "--no-browser", "--threads", THREADS], cwd=folder,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = view.stdout.readline().strip()
            seconds(address, "scan")
            print("%d x %d x %d voxels of int16, %s threads, median of 15" % (SIZE, SIZE, SIZE, THREADS))
            generation = 0
            for name, settings in (("pores of a part", {"pores": []}), ("threshold", {})):
                numbers, slices = [], []
                for i in range(16):
                    generation += 1
                    numbers.append(seconds(address, "label", {"generation": generation, "settings": {
                        **settings, "threshold": [str(400 + i)], "connectivity": ["26"]}}))
                    slices.append(sum(seconds(address, "labels?axis=%d&index=%d" % (axis, SIZE // 2)) for axis in range(3)))
                print("%-16s numbers %4.0f ms, labels of three slices %4.0f ms more"
                      % (name, 1000 * statistics.median(numbers[1:]), 1000 * statistics.median(slices[1:])))
        finally:
            view.kill()
            view.communicate()


if __name__ == "__main__":
    main()
