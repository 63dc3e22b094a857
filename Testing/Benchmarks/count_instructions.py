#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of small fixed workloads by callgrind and compares them with instructions.json: repeatable,
unlike times. Fails where a workload takes more than 1 % more than recorded. Counts depend on compiler and instruction set,
so that only those of the same ones are compared. Environments, paths and what the C library chooses for a processor move
them by a millionth. A workload that takes more than 1 % less is named, so that it is recorded anew: later changes are
compared with what is recorded.

    Testing/Benchmarks/count_instructions.py PROGRAM COMPILER [--record]"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.json")
SKIPPED = 77
LIMIT = 1.01


def count(program, workload):
    """Instructions in Workload() and all that it calls."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=Workload",
                                 "--callgrind-out-file=" + os.path.join(folder, "out"), program, workload],
                                capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


def target_of(program):
    """The instruction set that the program chooses under valgrind, which has not all of the machine's."""
    result = subprocess.run(["valgrind", "--tool=none", program, "--target"], capture_output=True, text=True, check=True)
    return result.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("compiler", help="name and version, for example 'GNU 12.2.0'")
    parser.add_argument("--record", action="store_true", help="write the counts to instructions.json")
    arguments = parser.parse_args()
    key = arguments.compiler + ", " + target_of(arguments.program)
    workloads = subprocess.run([arguments.program, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    recorded = json.load(open(RECORD)) if os.path.exists(RECORD) else {}
    if not arguments.record and key not in recorded:
        print("nothing was recorded for %s (only for %s): not compared" % (key, "; ".join(recorded) or "nothing"))
        return SKIPPED
    counts = {workload: count(arguments.program, workload) for workload in workloads}
    if arguments.record:
        recorded[key] = counts
        with open(RECORD, "w") as stream:
            json.dump(recorded, stream, indent=2)
            stream.write("\n")
    failed = False
    for workload, instructions in counts.items():
        before = recorded[key].get(workload)
        if before is None:
            print("%-26s %12d, not recorded: run with --record" % (workload, instructions))
            failed = True
            continue
        ratio = instructions / before
        failed |= ratio > LIMIT
        remark = " TOO MANY" if ratio > LIMIT else " FEWER: record them (--record)" if ratio < 1 / LIMIT else ""
        print("%-26s %12d, %.3f of %d%s" % (workload, instructions, ratio, before, remark))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
