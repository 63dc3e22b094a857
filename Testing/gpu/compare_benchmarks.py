#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the speed of two builds on one GPU: runs both programs in turns and prints how many times the old one's time the
new one takes.

    Testing/gpu/compare_benchmarks.py OLD NEW [--turns N] [--limit RATIO] [-- OPTION ...]

OLD and NEW are two brickccl-gpu-benchmark programs, or two files with what such programs have printed; OPTION ... are what
both programs get (`--size 512 --kinds 512` by default). The better time of all turns counts for each input. The floor's
ratio is printed too: it says what a difference can mean. Ends with an error if numbers of components differ, if one
program times something that the other one does not, or if labeling by BundleMerging takes more than RATIO times as long
in the mean (1.01 by default)."""

import argparse
import collections
import csv
import io
import math
import subprocess
import sys


def printed_by(program, options):
    """What a program prints, or what a file holds that it printed."""
    try:
        if program.endswith(".csv"):
            with open(program, encoding="utf-8") as stream:
                return stream.read()
        run = subprocess.run([program, *options], stdout=subprocess.PIPE, check=False, text=True)
    except OSError as error:
        sys.exit("'%s' cannot be used: %s" % (program, error.strerror))
    if run.returncode != 0:
        sys.exit("'%s' ended with code %d" % (" ".join([program, *options]), run.returncode))
    return run.stdout


def add_times(text, name, times):
    """Keeps the better time of each row, with its number of components. Rows without a time are means over others."""
    for row in csv.reader(io.StringIO(text)):
        if len(row) < 5 or row[0] == "input":
            continue
        # Rows of slices have the algorithm's name in other columns, and no components.
        is_slices = row[0].startswith("slices;")
        key, milliseconds = (tuple(row[:-2]), row[-2]) if is_slices else (tuple(row[:4]), row[4])
        if not milliseconds:
            continue
        try:
            found = (float(milliseconds), None if is_slices else row[6])
        except (ValueError, IndexError):
            sys.exit("'%s' printed a line that is none of a benchmark: %s" % (name, ",".join(row)))
        if not found[0] > 0:
            sys.exit("'%s' printed a time that is none: %s" % (name, ",".join(row)))
        before = times.setdefault(key, found)
        if before[1] != found[1]:
            sys.exit("'%s' found %s components and then %s: %s" % (name, before[1], found[1], ", ".join(key)))
        times[key] = min(before, found)


def kind_of(key):
    """What rows are put together: the algorithm, and slices by what they are."""
    if key[0].startswith("slices;"):
        return "slices, " + ", ".join(key[2:])
    return "the floor" if key[3] in ("floor", "bus") else key[3]


def mean_of(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def compare(old, new):
    """Prints the table; returns the mean of labeling by BundleMerging, or None where it was not timed."""
    for one, other, name in ((old, new, "NEW"), (new, old, "OLD")):
        for key in one:
            if key not in other:
                sys.exit("%s has no time of: %s" % (name, ", ".join(key)))
    if not old:
        sys.exit("there are no times to compare")
    ratios = collections.defaultdict(list)
    for key, (milliseconds, components) in new.items():
        if old[key][1] != components:
            sys.exit("%s components became %s: %s" % (old[key][1], components, ", ".join(key)))
        ratios[kind_of(key)].append((milliseconds / old[key][0], key))
    print("| what | timings | times the old time, mean | least | most | most of |")
    print("| --- | --: | --: | --: | --: | --- |")
    for kind, found in ratios.items():
        worst = max(found)
        print("| %s | %d | %.3f | %.3f | %.3f | %s |" % (kind, len(found), mean_of([ratio for ratio, _ in found]),
                                                        min(found)[0], worst[0], ", ".join(worst[1][:3])))
    labeling = [ratio for ratio, _ in ratios.get("BundleMerging", [])]
    return mean_of(labeling) if labeling else None


def main():
    arguments = sys.argv[1:]
    options = ["--size", "512", "--kinds", "512"]
    if "--" in arguments:
        place = arguments.index("--")
        arguments, options = arguments[:place], arguments[place + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--limit", type=float, default=1.01)
    parsed = parser.parse_args(arguments)
    if parsed.turns < 1:
        parser.error("--turns must be at least 1")
    if not parsed.limit > 0:
        parser.error("--limit must be above 0")
    old, new = {}, {}
    for _ in range(parsed.turns):
        add_times(printed_by(parsed.old, options), parsed.old, old)
        add_times(printed_by(parsed.new, options), parsed.new, new)
    mean = compare(old, new)
    if mean is not None and mean > parsed.limit:
        sys.exit("labeling takes %.3f times the old time in the mean; the limit is %g" % (mean, parsed.limit))


if __name__ == "__main__":
    main()
