#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times a batch of many volumes on one core and on two, beside reading and compressing alone, and a log of many slices by
stage.

    Testing/Benchmarks/batch_benchmark.py [--build build/release] [--count 40] [--side 256] [--runs 3] [--folder FOLDER]

The volumes are castings of 16 bits, compressed. The recipes are casting-porosity, and a plain range without pictures. Runs
take turns; figures are medians, with the page cache warm. Load of the machine before and after is printed, since others
may use it: then CPU seconds tell more."""

import argparse
import csv
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time


def seconds_of(command, cores=None):
    """The seconds of a command, on some cores alone, and its CPU seconds."""
    def processor():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    begin, before = time.perf_counter(), processor()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   preexec_fn=(lambda: os.sched_setaffinity(0, cores)) if cores else None)
    return time.perf_counter() - begin, processor() - before


def load():
    return "load %.2f, %d processors" % (os.getloadavg()[0], os.cpu_count())


def stages_of(folder):
    """The seconds of each stage, over all items."""
    with open(os.path.join(folder, "timings.csv"), newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    return {stage: sum(float(row[stage + "_seconds"]) for row in rows) for stage in ("read", "label", "measure", "write", "total")}


def time_recipe(program, recipe, source, arguments, folder):
    """A batch on one core, on two, and its floor, in turns."""
    output = os.path.join(folder, "out")
    cores = sorted(os.sched_getaffinity(0))
    times = {"one core": [], "two cores": [], "floor": []}
    for _ in range(arguments.runs):
        for name, own in (("one core", cores[:1]), ("two cores", cores[:2])):
            shutil.rmtree(output, ignore_errors=True)
            times[name].append(seconds_of([program, "batch", recipe, source, "-o", output], own))
            print("%-10s %.2f s, CPU %.2f s; sums of stages: %s" % (
                (name,) + times[name][-1] + (", ".join("%s %.2f" % item for item in stages_of(output).items()),)), flush=True)
        floor = subprocess.run([os.path.join(arguments.build, "bin", "brickccl-batch-floor"), output, "2"], check=True,
                               capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cores[:2]))
        times["floor"].append(tuple(map(float, floor.stdout.split())))
        print("floor      %.2f s, CPU %.2f s" % times["floor"][-1], flush=True)
    medians = {name: [statistics.median(column) for column in zip(*values)] for name, values in times.items()}
    print("%d volumes of %d^3, %s: %s" % (arguments.count, arguments.side, os.path.basename(recipe), ", ".join(
        "%s %.2f s, CPU %.2f s" % (name, *values) for name, values in medians.items())))
    print("two cores are %.2f times as fast as one; %.2f times the floor, in CPU seconds %.2f times" % (
        medians["one core"][0] / medians["two cores"][0], medians["two cores"][0] / medians["floor"][0],
        medians["two cores"][1] / medians["floor"][1]), flush=True)


def time_batch(program, arguments, folder):
    source = os.path.join(folder, "scans")
    os.makedirs(source, exist_ok=True)
    for seed in range(arguments.count):
        path = os.path.join(source, "c%02d.nrrd" % seed)
        if not os.path.exists(path):
            subprocess.run([program, "phantom", "casting", path, "--seed", str(seed + 1), "--quiet", "--size",
                            *[str(arguments.side)] * 3], check=True)
    plain = os.path.join(folder, "range.toml")
    with open(plain, "w", encoding="utf-8") as stream:
        stream.write("[threshold]\nrange = [-inf, 400]\n[labeling]\nconnectivity = 26\nminimum_size = 8\n"
                     "[outputs]\npictures = false\n")
    for recipe in ("casting-porosity", plain):
        time_recipe(program, recipe, source, arguments, folder)


def time_log(program, arguments, folder):
    path, output = os.path.join(folder, "log.nrrd"), os.path.join(folder, "log-out")
    if not os.path.exists(path):
        subprocess.run([program, "phantom", "log", path, "--quiet", "--spacing", "0.5", "0.5", "1", "--size", "512", "512",
                        str(arguments.slices)], check=True)
    recipes = {"the recipe log-defects": None,
               "each slice on its own": "[threshold]\nrange = [-inf, -800]\n[part]\nmethod = \"largest\"\nrange = [-750, inf]\n"
                                        "fill_holes = \"slices\"\n[labeling]\nconnectivity = 8\nby_slice = \"z\"\nminimum_size = 8\n"}
    for name, text in recipes.items():
        recipe = "log-defects"
        if text:
            recipe = os.path.join(folder, "slices.toml")
            with open(recipe, "w", encoding="utf-8") as stream:
                stream.write(text)
        found = []
        for _ in range(arguments.runs):
            shutil.rmtree(output, ignore_errors=True)
            seconds_of([program, "batch", recipe, path, "-o", output])
            found.append(stages_of(output))
        print("%d slices of 512^2, %s: ms per slice: %s" % (
            arguments.slices, name,
            ", ".join("%s %.3f" % (stage, 1000 * statistics.median(run[stage] for run in found) / arguments.slices)
                      for stage in found[0])), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--side", type=int, default=256)
    parser.add_argument("--slices", type=int, default=500)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", help="where scans are made, and kept; default: a temporary folder")
    arguments = parser.parse_args()
    program = os.path.join(arguments.build, "bin", "brickccl")
    folder = arguments.folder or tempfile.mkdtemp(prefix="brickccl-")
    os.makedirs(folder, exist_ok=True)
    try:
        print(load(), flush=True)
        time_batch(program, arguments, folder)
        time_log(program, arguments, folder)
        print(load())
    finally:
        if not arguments.folder:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
