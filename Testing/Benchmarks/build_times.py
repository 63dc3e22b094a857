#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the slowest jobs of a build and the sum for each room, from ninja's log, and fails above the bars below.

    Testing/Benchmarks/build_times.py [BUILD_FOLDER] [--slowest N] [--no-bars]

The seconds are the wall times of jobs: build in a fresh folder, without a compiler cache (CCACHE_DISABLE=1) and with nothing
else on the machine, on at most as many cores as there are.
"""

import argparse
import os
import re
import sys

#: Seconds of all jobs together (`release` with CUDA and all tests, on two cores of an AMD EPYC), and of the longest job.
MOST_TOGETHER = 28 * 60
MOST_OF_A_JOB = 120


def jobs_of(folder):
    """The seconds of each job that ninja ran last, by its first output."""
    jobs = {}
    with open(os.path.join(folder, ".ninja_log"), encoding="utf-8") as stream:
        for line in stream:
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 5:
                begin, end, _, output, command = fields
                # Outputs of one job have the same times and command.
                jobs[command] = (min(output, jobs.get(command, (output,))[0]), (int(end) - int(begin)) / 1000)
    return dict(jobs.values())


def room_of(output):
    """`Source/Engine/Runs` for Source/Engine/CMakeFiles/brickccl.dir/Runs/FindRuns.cxx.o; `links` for what is not an object."""
    if not output.endswith(".o"):
        return "precompiled headers" if output.endswith(".gch") else "links and others"
    together = re.search(r"Unity/unity_(\w+)_cxx\.cxx\.o$", output)
    if together:
        return together.group(1).replace("_", "/")
    parts = re.sub(r"CMakeFiles/[^/]+\.dir/", "", output).split("/")
    return "/".join(parts[: min(3, len(parts) - 1)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="build/release", metavar="BUILD_FOLDER")
    parser.add_argument("--slowest", type=int, default=20, metavar="N", help="number of jobs (default: 20)")
    parser.add_argument("--no-bars", action="store_true", help="print only")
    arguments = parser.parse_args()
    try:
        jobs = jobs_of(arguments.folder)
    except OSError as error:
        sys.exit(f"'{arguments.folder}' was not built by ninja: {error}")
    rooms = {}
    for output, seconds in jobs.items():
        count, sum_of_room = rooms.get(room_of(output), (0, 0))
        rooms[room_of(output)] = (count + 1, sum_of_room + seconds)
    together, longest = sum(jobs.values()), max(jobs.values(), default=0)
    print("seconds  job")
    for output in sorted(jobs, key=jobs.get, reverse=True)[: arguments.slowest]:
        print(f"{jobs[output]:7.1f}  {output}")
    print("\nseconds  jobs  room")
    for room, (count, seconds) in sorted(rooms.items(), key=lambda item: -item[1][1]):
        print(f"{seconds:7.0f}  {count:4d}  {room}")
    print(f"\n{together:.0f} s in {len(jobs)} jobs, the longest {longest:.0f} s; at most {MOST_TOGETHER} and {MOST_OF_A_JOB}")
    return int(not arguments.no_bars and (together > MOST_TOGETHER or longest > MOST_OF_A_JOB))


if __name__ == "__main__":
    sys.exit(main())
