#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times BrickCCL beside its peers (ITK, cc3d, scipy, scikit-image, OpenCV) and the memory floor, in one run on the same
voxels; prints tables in Markdown and writes results.csv.

    Testing/Benchmarks/install-peers.sh
    build/peers/bin/python Testing/Benchmarks/run_benchmarks.py [--groups masks,noise,...] [--size N]
        [--segments FILE.nrrd] [-o FOLDER] [MASK.nhdr ...]

Peers come from install-peers.sh; one that is absent is left out with a message. Every program must find the same number
of components, or the run stops. Times are medians after a warm-up; peers get buffers that were touched before where
they take any."""

import argparse
import csv
import gzip
import importlib.metadata
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DENSITIES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.95)
GRAINS = (1, 2, 4, 8, 16)
NAMES = {6: 1, 18: 2, 26: 3, 4: 1, 8: 2}


def timed(work, repeats):
    """Median seconds of several runs after a warm-up, of the first one alone where it takes long; and the result."""
    begin = time.perf_counter()
    result = work()
    first = time.perf_counter() - begin
    if first > 2:
        return first, result
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds), result


def cc3d_peer(voxels, connectivity, criterion, repeats, _):
    import cc3d
    import numpy
    options = {"delta": criterion[1]} if criterion[0] == "tolerance" else {}
    if criterion[0] == "range":
        return None
    binary = {"binary_image": True} if criterion[0] == "foreground" else {}
    return timed(lambda: int(cc3d.connected_components(voxels, connectivity=connectivity, out_dtype=numpy.uint32,
                                                       return_N=True, **options, **binary)[1]), repeats)


def scipy_peer(voxels, connectivity, criterion, repeats, _):
    import numpy
    import scipy.ndimage
    if criterion[0] != "foreground":
        return None
    structure = scipy.ndimage.generate_binary_structure(voxels.ndim, NAMES[connectivity])
    labels = numpy.ones(voxels.shape, numpy.int32)
    return timed(lambda: int(scipy.ndimage.label(voxels, structure, output=labels)), repeats)


def skimage_peer(voxels, connectivity, criterion, repeats, _):
    import skimage.measure
    if criterion[0] not in ("foreground", "equal"):
        return None
    return timed(lambda: int(skimage.measure.label(voxels, connectivity=NAMES[connectivity], return_num=True)[1]), repeats)


def opencv_peer(voxels, connectivity, criterion, repeats, threads):
    import cv2
    import numpy
    if criterion[0] != "foreground" or voxels.ndim != 2:
        return None
    labels = numpy.ones(voxels.shape, numpy.int32)
    cv2.setNumThreads(threads)
    return timed(lambda: int(cv2.connectedComponents(voxels, labels, connectivity, cv2.CV_32S)[0]) - 1, repeats)


PEERS = {"cc3d": ("connected-components-3d", "cc3d", cc3d_peer), "scipy": ("scipy", "scipy", scipy_peer),
         "scikit-image": ("scikit-image", "skimage", skimage_peer),
         "OpenCV": ("opencv-python-headless", "cv2", opencv_peer)}


def found_peers():
    found = {}
    for name, (package, module, function) in PEERS.items():
        try:
            __import__(module)
            found[name] = (function, importlib.metadata.version(package))
        except ImportError:
            print(name, "is not installed and left out; see Testing/Benchmarks/install-peers.sh", file=sys.stderr)
    return found


def read_header(path):
    """The fields of a NRRD header, keys in small letters."""
    fields = {}
    with open(path, errors="replace") as stream:
        for line in stream:
            if not line.strip():
                break  # voxels follow
            if ": " in line:
                key, value = line.strip().split(": ", 1)
                fields[key.lower()] = value
    return fields


def read_mask(path):
    """The voxels of a detached, gzipped NRRD mask as an array indexed [z, y, x]."""
    import numpy
    fields = read_header(path)
    with gzip.open(os.path.join(os.path.dirname(path), fields["data file"])) as stream:
        data = stream.read()
    return numpy.frombuffer(data, numpy.uint8).reshape([int(size) for size in fields["sizes"].split()][::-1]).copy()


class Run:
    """Collects rows: group, input, connectivity, program, threads, seconds, components."""

    def __init__(self, arguments, peers):
        self.arguments = arguments
        self.peers = peers
        self.rows = []

    def case(self, group, name, connectivities, peers, shape=None, dtype=None, criterion=("foreground",), itk=False,
             repeats=None, brief=False, threads=(1, 2)):
        """Times a case of the benchmark program, or a file, and the peers named."""
        repeats = repeats or self.arguments.repeat
        with tempfile.TemporaryDirectory() as folder:
            raw = os.path.join(folder, "voxels.raw")
            for connectivity in connectivities:
                command = [self.arguments.benchmark, "--repeat", str(repeats), "--connectivity", str(connectivity),
                           "--threads", ",".join(map(str, threads))]
                command += ["--brief"] if brief else []
                command += ["--criterion", "equal"] if criterion[0] == "equal" and os.path.exists(name) else []
                command += [] if itk else ["--no-itk"]
                command += ["--save", raw] if peers and shape and not os.path.exists(raw) else []
                output = subprocess.run(command + [name], check=True, capture_output=True, text=True).stdout
                for line in output.splitlines():
                    fields = line.rsplit(",", 5)
                    self.add(group, fields[0], int(fields[1]), fields[2], int(fields[3]), float(fields[4]), int(fields[5]))
            if not peers:
                return
            import numpy
            voxels = numpy.fromfile(raw, dtype).reshape(shape) if shape else read_mask(name)
            for connectivity in connectivities:
                for peer in peers:
                    for threads in (1, 2) if peer == "OpenCV" else (1,):
                        result = peer in self.peers and self.peers[peer][0](voxels, connectivity, criterion,
                                                                            min(repeats, 3), threads)
                        if result:
                            self.add(group, self.rows[-1][1], connectivity, peer, threads, *result)
        counts = {}
        for row in self.rows:
            if row[0] == group and row[1] == self.rows[-1][1] and row[3] not in ("floor", "itk scalar"):
                counts.setdefault(row[2], set()).add(row[6])
        for connectivity, found in counts.items():
            if len(found) != 1:
                raise SystemExit("%s, %d: the programs disagree on the number of components: %s" % (name, connectivity, found))

    def measures(self, name, shape):
        """Times the component table beside ITK's shape label map and skimage.measure.regionprops_table."""
        import numpy
        with tempfile.TemporaryDirectory() as folder:
            raw = os.path.join(folder, "labels.raw")
            output = subprocess.run([self.arguments.benchmark, "--measures", "--repeat", str(self.arguments.repeat), "--save",
                                     raw, name], check=True, capture_output=True, text=True).stdout
            labels = numpy.fromfile(raw, numpy.uint32).reshape(shape)
        for line in output.splitlines():
            fields = line.rsplit(",", 5)
            self.add("measures", fields[0], int(fields[1]), fields[2], int(fields[3]), float(fields[4]), int(fields[5]))
        if "scikit-image" not in self.peers:
            return
        import skimage.measure
        default = ("label", "num_pixels", "bbox", "centroid", "equivalent_diameter_area")
        shape = default + ("inertia_tensor", "inertia_tensor_eigvals", "axis_major_length", "axis_minor_length")
        for columns, properties in (("", default), ("shape", shape), ("topology", ("label", "euler_number"))):
            seconds, found = timed(lambda: len(skimage.measure.regionprops_table(labels.astype(numpy.int32),
                                                                                 properties=properties)["label"]), 3)
            self.add("measures", name, 26, "scikit-image " + columns, 1, seconds, found)

    def add(self, *row):
        if row not in self.rows:
            self.rows.append(row)
            print(*row, sep=",", file=sys.stderr, flush=True)

    def seconds(self, group, name, connectivity, program, threads=1):
        for row in self.rows:
            if row[:5] == (group, name, connectivity, program, threads):
                return row[5]
        return float("nan")

    def inputs(self, group):
        """Name, connectivity and number of components of everything timed in a group, in order."""
        return list(dict.fromkeys((row[1], row[2], row[6]) for row in self.rows if row[0] == group and row[3] == "brickccl"))


def number(value):
    return "" if value != value else "%.4f" % value if value < 0.1 else "%.3f" % value if value < 10 else "%.1f" % value


def ratio(value):
    return "" if value != value else "%.2f" % value


def table(header, lines):
    print("| " + " | ".join(header) + " |")
    print("| " + " | ".join("---" for _ in header) + " |")
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def print_tables(run, groups):
    for group, title in (("masks", "Masks, 3-D"), ("values", "Values"), ("sizes", "Size")):
        if group not in groups:
            continue
        timed_here = {row[3] for row in run.rows if row[0] == group}
        peers = [peer for peer in ("itk", "itk scalar") + tuple(PEERS) if peer in timed_here]
        print("## %s\n\nSeconds; x floor in brackets.\n" % title)
        lines = []
        for name, connectivity, components in run.inputs(group):
            line = [name.replace(".nhdr", ""), str(connectivity), str(components)]
            line += [" / ".join(number(run.seconds(group, name, connectivity, "floor", t)) for t in (1, 2))]
            for program in ("brickccl", "brickccl with table", "brickccl fresh"):
                line += [" / ".join("%s (%s)" % (number(run.seconds(group, name, connectivity, program, t)),
                                                 ratio(run.seconds(group, name, connectivity, program, t)
                                                       / run.seconds(group, name, connectivity, "floor", t))) for t in (1, 2))]
            line += [number(run.seconds(group, name, connectivity, peer)) for peer in peers]
            lines.append(line)
        table(["input", "connectivity", "components", "floor, 1 / 2 threads", "BrickCCL, 1 / 2", "with component table, 1 / 2",
               "into new memory, 1 / 2"] + [peer.replace("itk", "ITK") + ", 1 thread" for peer in peers], lines)
    if "threads" in groups:
        print("## Threads\n\nSeconds, 26 neighbors; x floor in brackets.\n")
        for name, connectivity, components in run.inputs("threads"):
            lines = []
            for threads in sorted({row[4] for row in run.rows if row[0] == "threads" and row[1] == name}):
                of = {program: run.seconds("threads", name, connectivity, program, threads)
                      for program in ("floor", "brickccl", "brickccl with table", "brickccl fresh")}
                floor = of.pop("floor")
                lines.append([str(threads), number(floor)]
                             + ["%s (%s)" % (number(value), ratio(value / floor)) for value in of.values()]
                             + [ratio(run.seconds("threads", name, connectivity, "brickccl", 1) / of["brickccl"])])
            print("`%s`, %d components:\n" % (name, components))
            table(["threads", "floor", "BrickCCL", "with component table", "into new memory", "times as fast as one"], lines)
    if "measures" in groups:
        print("## Measures\n\nSeconds, 1 / 2 threads, by groups of columns beside the default ones; ITK: "
              "LabelImageToShapeLabelMapFilter (its perimeter: surface), scikit-image: regionprops_table, 1 thread. From a label "
              "image, as they; from runs: of what was just labeled.\n")
        for name in dict.fromkeys(row[1] for row in run.rows if row[0] == "measures"):
            programs = list(dict.fromkeys(row[3] for row in run.rows if row[0] == "measures" and row[1] == name))
            of = {program: [run.seconds("measures", name, 26, program, t) for t in (1, 2)] for program in programs}
            components = [row[6] for row in run.rows if row[0] == "measures" and row[1] == name][0]
            groups_of = [program[len("measure "):] for program in programs if program.startswith("measure ")
                         and "runs" not in program]
            lines = []
            for columns in groups_of:
                key = " ".join(("runs", columns)).strip()
                lines.append([columns or "default"] + [" / ".join(filter(None, map(number, of.get(program, ()))))
                             for program in ("measure " + columns, "measure " + key, "itk " + columns,
                                             "scikit-image " + columns)])
            print("`%s`, %d components:\n" % (name, components))
            table(["columns", "BrickCCL, label image", "BrickCCL, runs", "ITK", "scikit-image"], lines)
    for group, title, peer in (("noise", "Noise, 3-D", "cc3d"), ("flat", "Noise, 2-D", "OpenCV")):
        if group not in groups:
            continue
        print("## %s: means over the densities %s\n\nSeconds. How many times as fast: the mean of all times over the mean of ours.\n"
              % (title, ", ".join(map(str, DENSITIES))))
        lines = []
        for connectivity in sorted({row[2] for row in run.rows if row[0] == group and row[2]}):
            sums = {}
            for grain in GRAINS + ("all",):
                inputs = [entry for entry in run.inputs(group) if entry[1] == connectivity
                          and (grain == "all" or entry[0].endswith(" %d" % grain))]
                mean = {key: statistics.mean(run.seconds(group, name, connectivity, *key) for name, _, _ in inputs)
                        for key in (("brickccl", 1), ("brickccl", 2), (peer, 1), (peer, 2))}
                worst = max(run.seconds(group, name, connectivity, "brickccl") / run.seconds(group, name, connectivity, "floor")
                            for name, _, _ in inputs)
                times = [run.seconds(group, name, connectivity, "brickccl") for name, _, _ in inputs]
                cliff = max(times) / statistics.median(times)
                lines.append([str(connectivity), str(grain)] + [number(value) for value in mean.values()]
                             + [ratio(mean[peer, 1] / mean["brickccl", 1]), ratio(mean[peer, 2] / mean["brickccl", 2]),
                                ratio(mean["brickccl", 1] / mean["brickccl", 2]), ratio(worst),
                                "" if grain == "all" else ratio(cliff)])
        table(["connectivity", "grain", "BrickCCL, 1 thread", "BrickCCL, 2 threads", peer + ", 1 thread", peer + ", 2 threads",
               "times as fast, 1 thread", "2 threads", "2 threads against 1", "worst x floor", "worst / median density"], lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--size", type=int, default=512, help="side of the generated volumes")
    parser.add_argument("--flat-size", type=int, default=4096, help="side of the generated images")
    parser.add_argument("--groups", default="masks,values,noise,flat,sizes,threads,measures")
    parser.add_argument("--benchmark", default=os.path.join(ROOT, "build", "release", "bin", "brickccl-benchmark"))
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "build", "benchmarks"))
    parser.add_argument("--segments", action="append", default=[], help="a NRRD file of segments, for equal values")
    parser.add_argument("masks", nargs="*", help="detached, gzipped NRRD masks of one byte per voxel")
    arguments = parser.parse_args()
    groups = arguments.groups.split(",")
    size, flat = arguments.size, arguments.flat_size
    cube = (size, size, size)
    os.makedirs(arguments.output, exist_ok=True)
    run = Run(arguments, found_peers())

    if "masks" in groups:
        for kind in ("balls", "full", "empty"):
            run.case("masks", "%s %d" % (kind, size), (26, 18, 6), PEERS, cube, "uint8", itk=True)
        for kind in ("spiral", "hilbert"):
            run.case("masks", "%s %d" % (kind, size), (26, 6), ("cc3d",), cube, "uint8")
        for path in arguments.masks:
            is_flat = len(read_header(path)["sizes"].split()) == 2
            run.case("masks", path, (8, 4) if is_flat else (26, 18, 6), PEERS, itk=True)
    if "values" in groups:
        run.case("values", "voronoi %d" % size, (26, 18, 6), ("cc3d", "scikit-image"), cube, "uint32", ("equal",))
        for path in arguments.segments:
            fields = read_header(path)
            shape = tuple(int(length) for length in fields["sizes"].split()[::-1])
            run.case("values", path, (26, 18, 6), ("cc3d",), shape, fields["type"], ("equal",))
        run.case("values", "ct-range %d" % size, (26, 6), ())
        run.case("values", "ct-tolerance %d 130" % size, (26, 6), ("cc3d",), cube, "int16", ("tolerance", 130), itk=True)
        run.case("values", "ct-float %d 130" % size, (26, 6), ("cc3d",), cube, "float32", ("tolerance", 130))
    if "measures" in groups:
        run.measures("noise %d 0.02 3" % (size // 2), (size // 2,) * 3)
        run.measures("noise %d 0.02 6" % size, cube)
    if "noise" in groups:
        for grain in GRAINS:
            for density in DENSITIES:
                run.case("noise", "noise %d %s %d" % (size, density, grain), (26, 6), ("cc3d",), cube, "uint8", repeats=3,
                         brief=True)
    if "flat" in groups:
        for grain in GRAINS:
            for density in DENSITIES:
                run.case("flat", "flat-noise %d %s %d" % (flat, density, grain), (8, 4), ("OpenCV",), (flat, flat), "uint8",
                         brief=True)
    if "sizes" in groups:
        for side in (64, 128, 256, 512, 1024):
            run.case("sizes", "balls %d" % side, (26, 6), (), repeats=3 if side > 512 else None)

    if "threads" in groups:
        counts = [1 << i for i in range(os.cpu_count().bit_length())]
        run.case("threads", "balls %d" % size, (26,), (), threads=counts)
        run.case("threads", "noise %d 0.5 4" % size, (26,), (), threads=counts)

    with open(os.path.join(arguments.output, "results.csv"), "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("group", "input", "connectivity", "program", "threads", "seconds", "components"))
        writer.writerows(run.rows)
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                     platform.processor())
    print("# Speed beside the peers\n")
    print("Made by `Testing/Benchmarks/run_benchmarks.py`%s.\n" % ("" if groups == parser.get_default("groups").split(",")
                                                                 else " --groups " + arguments.groups))
    print("- date:", time.strftime("%Y-%m-%d"))
    print("- machine: %s, %d processors" % (processor, os.cpu_count()))
    print("- peers:", ", ".join("%s %s" % (name, version) for name, (_, version) in run.peers.items()) or "none", "\n")
    print_tables(run, groups)


if __name__ == "__main__":
    main()
