#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy with the checks of .clang-tidy over the sources that a build folder compiles.

  run_clang_tidy.py                       every source; a quarter of an hour on two cores
  run_clang_tidy.py FILE|FOLDER ...       these alone
  run_clang_tidy.py --changed             files that changed since CLEAN_SINCE, the newest changes first; faults in
                                          lines that did not change do not count
  --since COMMIT                          with --changed: since this commit instead
  --seconds N                             starts no further source after so long
  --jobs N                                so many at once (default: one per core)
  --build FOLDER                          has a compile_commands.json (default: build/separate, by the preset separate)

A header is checked by a source that includes it. CLEAN_SINCE is set anew where what changed has become too much.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
# Older lines are checked only by a run over every source.
CLEAN_SINCE = "59513f085ae7"
HEADER = re.compile(r"\.(h|hxx)$")
# GCC has warnings that clang does not know, and GoogleTest's macro of typed suites may have no third argument.
CLANG_ARGUMENTS = ["--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-gnu-zero-variadic-macro-arguments"]
# Debian's ITK 5.2 says so to any compiler but GCC; clang reads on behind it.
OF_ITK = "itk_compiler_detection.h:188:6: error: Unsupported compiler"


def compiled_sources(build):
    """The tracked C++ sources that the build folder compiles, by their paths in the repository."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as stream:
        entries = json.load(stream)
    tracked = set(git("ls-files", "Source", "Testing", "Wrapping", "Examples"))
    paths = (os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT) for entry in entries)
    return sorted({path for path in paths if path.endswith(".cxx") and path in tracked})


def git(*arguments):
    result = subprocess.run(["git"] + list(arguments), cwd=ROOT, capture_output=True, text=True)
    return result.stdout.split("\n")[:-1] if result.returncode == 0 else None


def included(path, known={}):
    """The project's headers that a file includes, directly or through others."""
    if path not in known:
        known[path] = set()
        with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
            names = re.findall(r'^#\s*include [<"]([^>"]+)[>"]', stream.read(), re.M)
        for name in names:
            folders = [os.path.dirname(path), "Testing/Support", "Testing/Unit", "Source/Fronts/Itk", "Source/Fronts/Vtk"]
            if name.startswith("BrickCCL/"):
                name, folders = name[len("BrickCCL/"):], ["Source/Engine", "Source/Inspection", "Source/Fronts", "Source"]
            for candidate in (os.path.join(folder, name) for folder in folders):
                candidate = os.path.normpath(candidate)
                if candidate != path and os.path.isfile(os.path.join(ROOT, candidate)):
                    known[path] |= {candidate} | included(candidate)
                    break
    return known[path]


def changed_files(since):
    """The files that changed since a commit, the newest first, or None if the history does not reach back to it."""
    log = git("log", "--name-only", "--format=", since + "..HEAD")
    pending = git("diff", "--name-only", "HEAD")
    return None if log is None else list(dict.fromkeys(name for name in pending + log if name))


def changed_lines(since):
    """The numbers of the lines that changed since a commit, by files."""
    lines = {}
    path = None
    for line in git("diff", "--unified=0", "--no-ext-diff", since):
        if line.startswith("+++ "):
            path = line[6:]
        elif line.startswith("@@"):
            begin, count = re.search(r"\+(\d+)(?:,(\d+))?", line).groups()
            lines.setdefault(path, set()).update(range(int(begin), int(begin) + int(count or 1)))
    return lines


def counts(fault, lines):
    """Whether a fault lies in the project, and in lines that changed or in no line or keeps a source from being read."""
    if OF_ITK in fault:
        return False
    place = re.match(r"([^:\s]+):(\d+):", fault)
    # The analyzer follows calls into headers of libraries, whose counts of references it loses.
    if place is not None and place.group(1).startswith("/") and "[clang-diagnostic-error" not in fault:
        return False
    if lines is None or place is None or "[clang-diagnostic-error" in fault:
        return True
    return int(place.group(2)) in lines.get(place.group(1), ())


def sources_of(files, sources):
    """The sources among the files, and for each header among them the source that has the least to do with others."""
    chosen = []
    for path in files:
        if path in sources:
            chosen.append(path)
        elif HEADER.search(path) and os.path.isfile(os.path.join(ROOT, path)):
            users = [source for source in sources if path in included(source)]
            if users and not set(users) & set(chosen):
                chosen.append(min(users, key=lambda source: len(included(source))))
    return list(dict.fromkeys(chosen))


def check(build, path):
    begin = time.monotonic()
    # The analyzer follows null pointers into the loads of vectors, for minutes, and knows nothing of their lengths.
    without = ["--checks=-clang-analyzer-*"] if path.endswith("-simd.cxx") else []
    result = subprocess.run(["clang-tidy", "--quiet", "--warnings-as-errors=*", "-p", build] + without + CLANG_ARGUMENTS +
                            [path], cwd=ROOT, capture_output=True, text=True)
    # Rooms are links there.
    faults = re.sub(re.escape(os.path.abspath(build)) + r"/include/BrickCCL/[\w.]+", lambda link: os.path.realpath(link[0]), result.stdout)
    faults = faults.replace(ROOT + "/", "").strip()
    if result.returncode != 0 and not faults:
        faults = result.stderr.strip()
    return path, result.returncode, faults, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "separate"))
    parser.add_argument("files", nargs="*")
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--since", default=CLEAN_SINCE)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if shutil.which("clang-tidy") is None:
        sys.exit("clang-tidy is not installed (Testing/install-packages.sh clang-tidy does that)")
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True).stdout
    if "version 14." not in version:
        print("the checks are those of clang-tidy 14; this is " + " ".join(version.split()) + ": nothing is checked")
        return 0
    if os.path.basename(arguments.build) == "separate":
        subprocess.run(["cmake", "--preset", "separate", "-Wno-dev", "--log-level=WARNING"], cwd=ROOT, check=True)
    if not os.path.isfile(os.path.join(arguments.build, "compile_commands.json")):
        sys.exit(f"'{arguments.build}' has no compile_commands.json: configure it first")

    sources = compiled_sources(arguments.build)
    if arguments.files:
        wanted = [os.path.relpath(os.path.abspath(name), ROOT) for name in arguments.files]
        listed = [path for path in git("ls-files") if any(path == name or path.startswith(name + "/") for name in wanted)]
        sources = sources_of(listed, sources)
        if not sources:
            sys.exit("none of these files is compiled in " + arguments.build)
    elif arguments.changed:
        files = changed_files(arguments.since)
        if files is None:
            print("the history does not reach back to " + arguments.since + ": nothing is checked")
            return 0
        sources = sources_of(files, sources)

    lines = changed_lines(arguments.since) if arguments.changed else None
    begin = time.monotonic()
    faults = set()
    left = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        def run(path):
            return None if time.monotonic() - begin > arguments.seconds else check(arguments.build, path)
        for result in pool.map(run, sources):
            if result is None:
                left += 1
            elif result[1] != 0:
                for fault in re.split(r"\n(?=\S+:\d+:\d+: (?:error|warning))", result[2]):
                    if fault not in faults and counts(fault, lines):
                        faults.add(fault)
                        print(fault, flush=True)
    print(f"{len(sources) - left} sources checked in {time.monotonic() - begin:.0f} s: {len(faults)} faults")
    if left:
        print(f"{left} sources with older changes were left out, for the time")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
