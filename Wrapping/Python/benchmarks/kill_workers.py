# SPDX-License-Identifier: Apache-2.0
"""Kills workers of brickccl.big at random moments and looks at what comes out.

    python benchmarks/kill_workers.py [--runs 20] [--size 128] [--brick 32] [--seed 1]

Every run labels the same noise in two processes. A thread kills some of them (SIGKILL) at random moments within the time of
an undisturbed run; in every fourth run it kills the whole run, and another one resumes in its folder. The labels' files, the
table and their number are compared with the undisturbed run. Prints a line for each run and a sum; exits with 1 if
anything differs.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np


def label(folder, image, brick):
    from brickccl import big

    return big.label(
        image,
        folder / "labels.zarr",
        brick=brick,
        chunks=brick,
        executor="processes",
        workers=2,
        state=folder / "state",
        table=folder / "table.csv",
    )


def contents(folder):
    """All files of the result, but what says which work wrote them."""
    found = {}
    for path in (folder / "labels.zarr").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            if path.name == "zarr.json":
                described = json.loads(data)
                described["attributes"].pop("brickccl", None)
                data = json.dumps(described, sort_keys=True)
            found[path.name if path.name == "zarr.json" else str(path.relative_to(folder))] = data
    return found, (folder / "table.csv").read_bytes()


class Killer(threading.Thread):
    """Kills one of this process's workers at each of these moments."""

    def __init__(self, moments, choice):
        super().__init__(daemon=True)
        self.moments, self.choice = sorted(moments), choice
        self.deaths = 0
        self.ends = threading.Event()

    def run(self):
        begin = time.monotonic()
        for moment in self.moments:
            if self.ends.wait(max(0.0, begin + moment - time.monotonic())):
                return
            children = [child.pid for child in multiprocessing.active_children()]
            if children:
                os.kill(self.choice.choice(children), signal.SIGKILL)
                self.deaths += 1


def kill_workers(folder, image, brick, choice, seconds):
    """Returns how many workers died."""
    killer = Killer([choice.uniform(0.0, seconds) for _ in range(choice.randint(1, 4))], choice)
    killer.start()
    label(folder, image, brick)
    killer.ends.set()
    killer.join()
    return killer.deaths


def kill_the_run(folder, image, brick, choice, seconds):
    """Kills a run with all of its workers, then resumes it. Returns whether it was killed before it was done."""
    command = [sys.executable, __file__, "--child", str(folder), "--image", str(image), "--brick", str(brick)]
    child = subprocess.Popen(command, start_new_session=True)
    try:
        child.wait(choice.uniform(0.0, 1.2 * seconds))
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    label(folder, image, brick)
    return int(child.returncode == -signal.SIGKILL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--brick", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--image", type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        label(arguments.child, arguments.image, arguments.brick)
        return 0

    import brickccl
    import zarr

    choice = random.Random(arguments.seed)
    deaths = killed_runs = differences = 0
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder)
        voxels = (np.random.default_rng(arguments.seed).random((arguments.size,) * 3) < 0.3).astype(np.uint8)
        zarr.create_array(top / "image.zarr", data=voxels, chunks=(arguments.brick,) * 3)
        (top / "whole").mkdir()
        begin = time.monotonic()
        found = label(top / "whole", top / "image.zarr", arguments.brick)
        seconds = time.monotonic() - begin
        labels, count = brickccl.label(voxels, return_count=True)
        assert found.count == count and np.array_equal(found.labels[:], labels)
        expected = contents(top / "whole")
        print(f"undisturbed: {seconds:.1f} s, {len(expected[0]) - 1} files of labels, {count} components, load {os.getloadavg()[0]:.1f}")
        for run in range(arguments.runs):
            own = top / f"run{run}"
            own.mkdir()
            ends = run % 4 == 3
            dead = (kill_the_run if ends else kill_workers)(own, top / "image.zarr", arguments.brick, choice, seconds)
            deaths, killed_runs = (deaths, killed_runs + dead) if ends else (deaths + dead, killed_runs)
            same = contents(own) == expected
            differences += not same
            print(f"run {run}: {'whole run killed' if ends else 'workers killed'} {dead}: {'same' if same else 'DIFFERENT'}", flush=True)
    print(f"{arguments.runs} runs, {deaths} workers and {killed_runs} whole runs killed, {differences} results differ")
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main())
