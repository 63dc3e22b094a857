#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chooses what .ci/run runs, by the files that changed since the commit in .ci/passed.

    .ci/choose.py          prints a line for each step: its name, then options for it
    .ci/choose.py --all    the same for every step

Everything is chosen if .ci/passed is missing, if its commit is not an ancestor of HEAD, or if more than MOST_COMMITS commits
followed it. Standard error says which file asked for which step.
"""

import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST_COMMITS = 30

#: In the order in which they run. `cuda` makes `release` compile the CUDA sources; `corpus` runs the fuzzers' inputs once.
STEPS = "cuda release docs core-only asan-ubsan tsan aarch64 mingw corpus fuzz clang".split()

#: Tests that run whatever changed, and tests of everything that the command is made of.
ALWAYS = "Style Layering"
COMMAND = "Batch Cli Pictures Report Slicer SlicerModule Examples Python.wheel Python.package Python.rows Python.run"
EVERY = "*"


ENGINE = "Source/Engine/* Source/Inspection/Segmenting/* Source/Inspection/Phantoms/*"


def rooms(names, folder="Source"):
    return " ".join(f"{folder}/*/{name}/*" for name in names.split())


#: Paths (`*` matches any text), the steps and the tests that they need. A file needs what all its rows name together; a file
#: that no row names needs everything.
RULES = (
    # The engine: the rooms of the preset core-only.
    (ENGINE, "core-only asan-ubsan clang", EVERY),
    (ENGINE.replace("Source", "Testing/Unit"), "asan-ubsan tsan", ""),
    # Rooms that work on threads, and the rooms that these include.
    (rooms("Core Criteria Forest Host Runs Geometry Algorithms Tables Labels Measuring Dispatch Bricks Clean Splitting Segmenting"),
     "tsan", ""),
    # Rooms that CUDA sources include.
    (rooms("Core Criteria Forest Cuda Host Runs Geometry Voxels Algorithms Tables Labels Measuring Dispatch Splitting") +
     " *.cu *.cuh Testing/gpu/*", "cuda", ""),
    ("*-simd* */Core/* Source/Engine/Runs/*-inl.h", "aarch64", ""),
    ("*/Host/* Source/Files/Disk/* Source/Files/Isolation/* Testing/Unit/Files/* *_windows.cxx Source/Fronts/Cli/Windows.*"
     " Source/Inspection/View/Sockets.*", "mingw", ""),
    (rooms("Core Host"), "corpus", ""),
    # What is built on the engine.
    ("Source/Files/*", "fuzz clang", "FileParts Files Python " + COMMAND),
    (rooms("Job Streaming Batch Report View Cli Pictures"), "clang", COMMAND),
    (rooms("Slicer"), "clang", "Slicer SlicerModule"),
    ("Source/copy-*.sh Source/make-*.sh Source/make_*.py Source/Files/Bundled/*", "", "Slicer.bundle Python.wheel"),
    (rooms("Itk"), "asan-ubsan clang", "Itk Consumer Examples Slicer " + COMMAND),
    (rooms("Vtk"), "clang", "Vtk Consumer " + COMMAND),
    ("Wrapping/Python/*", "clang", "Python"),
    ("Wrapping/Python/docs/*", "docs", ""),
    ("Wrapping/ITKModule/*", "docs", "Itk"),
    # Tests.
    ("Testing/Unit/*", "clang", "Unit Bricks Segmenting FileParts Pictures Batch"),
    ("Testing/Conformance/*", "asan-ubsan tsan aarch64 mingw clang", "Conformance"),
    ("Testing/CudaOnHost/* Testing/Outside/*", "asan-ubsan", ""),
    ("Testing/tsan-suppressions.txt", "tsan", ""),
    ("Testing/Itk/*", "asan-ubsan clang", "Itk"),
    ("Testing/Vtk/*", "clang", "Vtk"),
    ("Testing/Cli/*", "", "Cli Report Files"),
    ("Testing/Report/*", "", "Report"),
    ("Testing/Files/*", "clang", "Files"),
    ("Testing/Slicer/*", "clang", "Slicer SlicerModule"),
    ("Testing/Examples/*", "", "Examples"),
    ("Testing/Consumer/*", "core-only", "Consumer"),
    ("Testing/Install/*", "", ""),
    ("Testing/Fuzz/*", "fuzz clang", ""),
    ("Testing/Style/*", "clang", ""),
    ("Testing/Benchmarks/*", "clang", "Benchmarks"),
    ("Testing/gpu/*", "clang", ""),
    # Pages and data.
    ("Examples/* Data/* Testing/make_forearm.py", "docs", "Examples Python"),
    ("*.md", "docs", "Examples"),
    ("Source/*.h Source/*.hxx", "docs", ""),
    (".ci/passed .github/* CITATION.cff LICENSE CHANGELOG.md .gitignore .pre-commit-config.yaml *.svg", "", ""),
    (".clang-tidy .clang-format", "clang", ""),
    # What all builds share.
    (".ci/run .ci/choose.py CMakeLists.txt CMakePresets.json Source/CMakeLists.txt Source/Engine/CMakeLists.txt"
     " Source/Inspection/CMakeLists.txt Source/Fronts/CMakeLists.txt *.cmake *.cmake.in Testing/CMakeLists.txt"
     " Testing/Support/* Testing/run.sh Testing/install-*.sh Testing/summarize_tests.py Testing/Benchmarks/install-peers.sh", " ".join(STEPS), EVERY),
)


def rows_of(path):
    return [row for row in RULES if any(fnmatch.fnmatchcase(path, pattern) for pattern in row[0].split())]


def choose(paths):
    """The steps with the first file that asked for each, and the set of tests."""
    steps, tests = {"release": None}, set(ALWAYS.split())
    for path in paths:
        for _, its_steps, its_tests in rows_of(path) or [(path, " ".join(STEPS), EVERY)]:
            tests.update(its_tests.split())
            for step in its_steps.split():
                steps.setdefault(step, path)
    if "fuzz" in steps:
        steps.pop("corpus", None)
    return {step: steps[step] for step in STEPS if step in steps}, tests


def filter_of(tests):
    """The option of ctest that runs these tests."""
    if EVERY in tests:
        return ""
    names = (re.escape(name) + ("" if "." in name else r"\.") for name in sorted(tests))
    return "-R ^(" + "|".join(names) + ")"


def git(*arguments, root=ROOT):
    """What git prints, or None if it fails."""
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def changes(root=ROOT):
    """The commit that passed and the files that changed since, or None and the reason to run everything."""
    record = root / ".ci" / "passed"
    if not record.exists():
        return None, ".ci/passed is missing"
    passed = record.read_text(encoding="utf-8").strip()
    if not re.fullmatch("[0-9a-f]{40}", passed) or git("merge-base", "--is-ancestor", passed, "HEAD", root=root) is None:
        return None, f"'{passed}' in .ci/passed is not an ancestor of HEAD, or the history does not reach back to it"
    count = int(git("rev-list", "--count", passed + "..HEAD", root=root))
    if count > MOST_COMMITS:
        return None, f"{count} commits followed the one in .ci/passed, more than {MOST_COMMITS}"
    changed = git("diff", "--name-only", "--no-renames", "-z", passed, root=root)
    untracked = git("ls-files", "--others", "--exclude-standard", "-z", root=root)
    if changed is None or untracked is None:
        return None, "git cannot list the changes"
    return passed, sorted(name for name in set((changed + untracked).split("\0")) if name)


def main(arguments):
    if arguments not in ([], ["--all"]):
        sys.exit("usage: choose.py [--all]")
    passed, found = (None, "--all") if arguments else changes()
    if passed is None:
        print(f"everything runs: {found}", file=sys.stderr)
        steps, tests = choose(["everything"])
    else:
        steps, tests = choose(found)
        print(f"{len(found)} files changed since {passed[:12]}", file=sys.stderr)
        for step, path in steps.items():
            print(f"  {step}: {path or 'always'}", file=sys.stderr)
        print("  not needed: " + " ".join(step for step in STEPS if step not in steps), file=sys.stderr)
    options = {"release": filter_of(tests), "clang": "" if passed is None else "--since " + passed}
    for step in steps:
        print(step, options.get(step, ""))


if __name__ == "__main__":
    main(sys.argv[1:])
