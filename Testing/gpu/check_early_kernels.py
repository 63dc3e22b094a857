#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the machine code of kernels that are launched early (Launch.cuh): none may read or write global memory before it
waits for the kernels ahead of it, wherever the compiler has put the instructions.

    Testing/gpu/check_early_kernels.py FILE ...

FILE is a program, library or cubin with code for compute capability 9.0 or above; `cuobjdump` of the CUDA toolkit must be on
PATH. Ends with an error if a kernel touches memory early, if one that the sources launch early never waits, or if one
of those is in none of the files."""

import pathlib
import re
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "Source"
#: Code that touches memory that other kernels may have written or may read. Shared and constant memory are a block's own, local
#: memory (LDL, STL: registers that did not fit) a thread's own.
MEMORY = re.compile(r"\b(LD|LDG|LDGSTS|ST|STG|ATOM|ATOMG|RED|REDG|CCTL|UBLKCP|UBLKRED|UTMALDG|UTMASTG|UTMAREDG)\b")
#: The instruction that griddepcontrol.wait becomes.
WAIT = "ACQBULK"


def kernels_launched_early():
    """The kernels' names that stand in BRICKCCL_LAUNCH_EARLY and BRICKCCL_LAUNCH_BLOCKS_EARLY."""
    names = set()
    for source in [*SOURCES.rglob("*.cu"), *SOURCES.rglob("*.cuh")]:
        text = source.read_text(encoding="utf-8")
        for call in re.finditer(r"BRICKCCL_LAUNCH(?:_BLOCKS)?_EARLY\(", text):
            found = re.match(r"[\s(]*(?:[\w:]+::)?(\w+Kernel)\b", text[call.end():])
            if found:
                names.add(found.group(1))
            elif not text[: call.start()].endswith("#  define "):
                sys.exit("%s: which kernel is launched early cannot be seen: %s"
                         % (source, text[call.start():call.start() + 80].split("\n")[0]))
    return names


def functions_in(path):
    """Yields the mangled name and the instructions of each function of a file."""
    try:
        dump = subprocess.run(["cuobjdump", "-sass", path], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit("there is no cuobjdump on PATH; it comes with the CUDA toolkit (and from PyPI as nvidia-cuda-cuobjdump)")
    if dump.returncode != 0:
        sys.exit("cuobjdump cannot read '%s': %s" % (path, dump.stderr.strip()))
    for part in dump.stdout.split("Function : ")[1:]:
        yield part.split(None, 1)[0], re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?);", part, re.MULTILINE)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    early = kernels_launched_early()
    waiting, faults, count = set(), [], 0
    for path in sys.argv[1:]:
        for mangled, code in functions_in(path):
            names = {name for name in early if "%d%s" % (len(name), name) in mangled}
            waits = [place for place, instruction in enumerate(code) if WAIT in instruction]
            if not waits:
                faults += ["%s is launched early and never waits: %s" % (name, mangled) for name in names]
                continue
            count += 1
            waiting |= names
            faults += ["before it waits, %s does: %s" % (mangled, instruction)
                       for instruction in code[: waits[0]] if MEMORY.search(instruction)]
    faults += ["%s is launched early and is in none of the files, or not for compute capability 9.0" % name
               for name in sorted(early - waiting)]
    for fault in faults:
        print(fault, file=sys.stderr)
    print("%d kernels wait for earlier ones, of %d names; %d faults" % (count, len(waiting), len(faults)))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
