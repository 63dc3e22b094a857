#!/usr/bin/env python3
"""Has clang read every source that a build folder knows and has not built, with its warnings as errors; nothing is compiled.

  check_clang.py BUILD_FOLDER [JOBS]       BUILD_FOLDER is configured for clang, as the preset fuzz is

A second compiler sees other mistakes than the one that builds all presets. Reading takes a second for each source, a
tenth of what a build with sanitizers takes.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import time

# What this check is not about, and what makes it slow.
LEFT_OUT = re.compile(r"-fsanitize=.*|-fno-sanitize.*|-O\d|-g\d?")


def read(entry):
    words = shlex.split(entry["command"])
    if os.path.basename(words[0]) == "ccache":
        words = words[1:]
    words = [word for word in words if not LEFT_OUT.fullmatch(word)]
    place = words.index("-o")
    output = os.path.join(entry["directory"], words[place + 1])
    # Headers alone are compiled by the test Consumer.FindPackage.
    if os.path.exists(output) or "verify_interface_header_sets" in output:
        return None
    del words[place : place + 2]
    result = subprocess.run(words + ["-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True)
    return result.returncode, result.stderr


def main(folder, jobs):
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as stream:
        entries = json.load(stream)
    others = [entry["file"] for entry in entries if "clang" not in shlex.split(entry["command"].replace("ccache ", ""))[0]]
    if others or not entries:
        sys.exit(f"'{folder}' is not configured for clang")
    begin = time.monotonic()
    read_here = faults = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(read, entries):
            if result is not None:
                read_here += 1
                if result[0] != 0:
                    faults += 1
                    print(result[1], flush=True)
    print(f"clang read {read_here} sources in {time.monotonic() - begin:.0f} s: {faults} with faults")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else os.cpu_count()))
