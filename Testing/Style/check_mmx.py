#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the machine code of libraries and programs uses no MMX registers. Compilers use them now and then and leave
out EMMS, which gives them back to the x87 instructions that long double is computed by: its results are NaN then.

    check_mmx.py OBJDUMP FILE..."""

import re
import subprocess
import sys

# An instruction that names one of the registers, as AT&T writes them.
USE = re.compile(r"^\s*[0-9a-f]+:\t.*%mm[0-7]\b")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")


def uses(objdump, path):
    """The functions that use MMX registers, each with its first such instruction, and the number of all functions."""
    found = {}
    functions = 0
    name = ""
    with subprocess.Popen([objdump, "--disassemble", "--no-show-raw-insn", "--demangle", path], stdout=subprocess.PIPE,
                          text=True, errors="replace") as process:
        for line in process.stdout:
            head = FUNCTION.match(line)
            if head:
                name = head.group(1)
                functions += 1
            elif USE.match(line):
                found.setdefault(name, line.split("\t", 1)[1].strip())
    if process.returncode != 0:
        sys.exit(f"{objdump} could not read {path}")
    return found, functions


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    faults = 0
    for path in sys.argv[2:]:
        found, functions = uses(sys.argv[1], path)
        for name, instruction in found.items():
            print(f"{path}: {name} uses an MMX register: {instruction}")
        if functions == 0:
            print(f"{path}: no machine code was found")
        faults += len(found) + (1 if functions == 0 else 0)
        print(f"{path}: {functions} functions, {len(found)} with MMX registers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
