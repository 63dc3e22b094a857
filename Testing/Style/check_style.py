#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what a reader may rely on in every source file: the layout of .clang-format, files of at most 500 lines (unit tests:
400; README.md: 90), functions of at most 100 lines (in Python without their texts of help), a line with the license, no
switched-off warnings, and the subjects of commits.

Longer files and functions are listed in exceptions.txt with their length. The list only shrinks: an entry must be longer
than the limit, and no longer than it says. `--update` writes the lengths that got shorter; it adds nothing. `--license`
adds the line with the license.
"""

import ast
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
STOREYS = ("Engine", "Inspection", "Fronts")
EXCEPTIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "exceptions.txt")
FILE_LIMIT = 500
UNIT_TEST_LIMIT = 400
README_LIMIT = 90
FUNCTION_LIMIT = 100
SOURCE = re.compile(r"\.(h|hxx|cxx|cu|cuh)$")
PYTHON = re.compile(r"\.py$")
LICENSED = re.compile(r"(\.(h|hxx|cxx|cu|cuh|py|sh|cmake)|CMakeLists\.txt)$")
LICENSE = "SPDX-License-Identifier: Apache-2.0"
SUBJECT = re.compile(r"^(ENH|BUG|COMP|DOC|PERF|STYLE|TEST)(, (ENH|BUG|COMP|DOC|PERF|STYLE|TEST))*: \S")
SUBJECT_LIMIT = 78
# Subjects of older commits are as they are.
SUBJECTS_SINCE = "8350cc7eb4ae"


def tracked(kind=SOURCE):
    listed = subprocess.run(["git", "ls-files", "Source", "Testing", "Wrapping", "Examples"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split("\n")
    return [path for path in listed if kind.search(path) and os.path.isfile(os.path.join(ROOT, path))]


def functions(lines):
    """Yields (name, lines) of each function: a block whose braces stand alone in columns 0 to 4, as .clang-format sets
    them, after a line that ends a list of parameters."""
    for begin, line in enumerate(lines):
        if line.strip() != "{" or len(line) - len(line.lstrip()) > 4 or begin == 0:
            continue
        head = begin - 1
        indent = line[: len(line) - len(line.lstrip())]
        while head > 0 and re.match(r"\s*(: |, )\w", lines[head]):
            head -= 1  # initializers of members
        if not re.search(r"\)( const)?( override)?( noexcept)?$", lines[head].rstrip()):
            continue
        end = next((i for i in range(begin + 1, len(lines)) if re.match(re.escape(indent) + r"\}", lines[i])), None)
        if end is None:
            continue
        while head > 0 and "(" not in lines[head]:
            head -= 1
        names = re.findall(r"([~\w:]+)\s*\(", lines[head])
        if names and names[0] not in ("if", "for", "while", "switch", "catch"):
            yield names[0], end - begin + 1


def python_functions(text):
    """Yields (name, lines) of each function; its text of help does not count."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            help_lines = node.body[0].end_lineno - node.body[0].lineno + 1 if ast.get_docstring(node) else 0
            yield node.name, node.end_lineno - node.lineno + 1 - help_lines


def limit_of(path):
    return README_LIMIT if path == "README.md" else UNIT_TEST_LIMIT if path.startswith("Testing/Unit/") else FILE_LIMIT


def lengths():
    found = {}
    for path in tracked() + tracked(PYTHON) + ["README.md"]:
        with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
            text = stream.read()
        lines = [line for line in text.split("\n") if LICENSE not in line]
        if len(lines) - 1 > limit_of(path):
            found[path] = len(lines) - 1
        for name, count in python_functions(text) if PYTHON.search(path) else functions(lines):
            if count > FUNCTION_LIMIT:
                key = path + " " + name
                found[key] = max(count, found.get(key, 0))
    return found


def read_exceptions():
    with open(EXCEPTIONS, encoding="utf-8") as stream:
        entries = [line.rsplit(" ", 1) for line in stream.read().split("\n") if line and not line.startswith("#")]
    return {key: int(count) for key, count in entries}


def check_lengths(faults):
    found = lengths()
    allowed = read_exceptions()
    for key, count in sorted(found.items()):
        what = "function" if " " in key else "file"
        limit = FUNCTION_LIMIT if " " in key else limit_of(key)
        if key not in allowed:
            faults.append(f"{key}: this {what} has {count} lines, at most {limit} are allowed; divide it")
        elif count > allowed[key]:
            faults.append(f"{key}: this {what} grew from {allowed[key]} to {count} lines; it may only get shorter")
    for key in sorted(set(allowed) - set(found)):
        faults.append(f"{key}: no longer too long; remove it from exceptions.txt (check_style.py --update does)")


def update():
    found = lengths()
    allowed = read_exceptions()
    with open(EXCEPTIONS, encoding="utf-8") as stream:
        comments = [line for line in stream.read().split("\n") if line.startswith("#")]
    kept = [f"{key} {min(count, found[key])}" for key, count in sorted(allowed.items()) if key in found]
    with open(EXCEPTIONS, "w", encoding="utf-8") as stream:
        stream.write("\n".join(comments + kept) + "\n")


def check_layout(faults):
    if shutil.which("clang-format") is None:
        print("clang-format is not installed: the layout is not checked")
        return
    version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True).stdout
    if " 14." not in version:
        print("clang-format 14 lays sources out; this is " + version.strip() + ": the layout is not checked")
        return
    files = tracked()
    result = subprocess.run(["clang-format", "--dry-run", "-Werror"] + files, cwd=ROOT, capture_output=True, text=True)
    for path in sorted(set(re.findall(r"^([^:\n]+):\d+:\d+: error", result.stderr, re.M))):
        faults.append(f"{path}: not laid out as .clang-format says; run clang-format -i {path}")


def check_licenses(faults, adds=False):
    for path in [*tracked(LICENSED), "CMakeLists.txt", ".ci/run", ".ci/choose.py"]:
        with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
            lines = stream.read().split("\n")
        if not any(LICENSE in line for line in lines[:2]):
            if adds:
                lines.insert(int(lines[0].startswith("#!")), ("// " if SOURCE.search(path) else "# ") + LICENSE)
                with open(os.path.join(ROOT, path), "w", encoding="utf-8") as stream:
                    stream.write("\n".join(lines))
            else:
                faults.append(f"{path}: its first line, or the one after #!, must have \"{LICENSE}\"; --license adds it")


def check_warnings(faults):
    listed = subprocess.run(["git", "ls-files", "*CMakeLists.txt", "*.cmake", "CMakePresets.json"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split()
    for path in listed:
        with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                if re.search(r"(^|[\s;\"'])-w($|[\s;\"')])", line):
                    faults.append(f"{path}:{number}: -w switches all warnings off; name the ones that are meant")


def check_named_files(faults):
    """What Source/README.md names exists: rooms, files and folders in backticks."""
    with open(os.path.join(ROOT, "Source", "README.md"), encoding="utf-8") as stream:
        named = re.findall(r"`([\w./-]+/[\w./-]*|[\w./-]+\.(?:h|cxx|cuh|cu|md))`", stream.read())
    placeholders = {"Source/", "Cli/NameCommand.cxx", "Name.cxx", "Name.cu", "X-simd.cxx", "Algorithms/<Name>/"}
    for name in sorted(set(named) - placeholders):
        if not any(os.path.exists(os.path.join(ROOT, "Source", storey, name)) for storey in ("", *STOREYS)):
            faults.append(f"Source/README.md names `{name}`, which does not exist")
    if len(named) < 30:
        faults.append(f"Source/README.md names only {len(named)} files; they were not found")


def check_subjects(faults):
    log = subprocess.run(["git", "log", "--no-merges", "--format=%h %s", SUBJECTS_SINCE + "..HEAD"], cwd=ROOT,
                         capture_output=True, text=True)
    if log.returncode != 0:
        print("the history is not here: subjects of commits are not checked")
        return
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if not SUBJECT.match(subject):
            faults.append(f"commit {commit}: '{subject}' begins with none of ENH: BUG: COMP: DOC: PERF: STYLE: TEST:")
        elif len(subject) > SUBJECT_LIMIT:
            faults.append(f"commit {commit}: its subject has {len(subject)} characters, at most {SUBJECT_LIMIT}")


def main():
    if sys.argv[1:] == ["--update"]:
        update()
        return 0
    if sys.argv[1:] == ["--license"]:
        check_licenses([], adds=True)
        return 0
    if sys.argv[1:] == ["--list"]:
        print("\n".join(f"{key} {count}" for key, count in sorted(lengths().items())))
        return 0
    faults = []
    for check in (check_lengths, check_layout, check_licenses, check_warnings, check_named_files, check_subjects):
        check(faults)
    print("\n".join(faults) if faults else "no fault of style")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
