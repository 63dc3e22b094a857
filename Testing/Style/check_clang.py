#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Has clang read every source that a build folder knows and has not built, with its warnings as errors; nothing is compiled.

  check_clang.py BUILD_FOLDER                   BUILD_FOLDER is configured for clang, as the preset fuzz is
  check_clang.py BUILD_FOLDER --since COMMIT    only sources that changed since COMMIT, or that include such a file

A second compiler sees other mistakes than the one that builds all presets. Reading takes a second for each source, a
tenth of what a build with sanitizers takes.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import time

from run_clang_tidy import ROOT, changed_files, included

# Options that do not matter to this check and make it slow.
LEFT_OUT = re.compile(r"-fsanitize=.*|-fno-sanitize.*|-O\d|-g\d?")


def read(entry, is_left_out_if_built):
    words = shlex.split(entry["command"])
    if os.path.basename(words[0]) == "ccache":
        words = words[1:]
    words = [word for word in words if not LEFT_OUT.fullmatch(word)]
    place = words.index("-o")
    output = os.path.join(entry["directory"], words[place + 1])
    # Single headers are compiled by the test Consumer.FindPackage.
    if (is_left_out_if_built and os.path.exists(output)) or "verify_interface_header_sets" in output:
        return None
    del words[place : place + 2]
    result = subprocess.run(words + ["-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True)
    return result.returncode, result.stderr


def is_changed(entry, files):
    path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
    return path in files or (os.path.isfile(entry["file"]) and not files.isdisjoint(included(path)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--since")
    arguments = parser.parse_args()
    with open(os.path.join(arguments.folder, "compile_commands.json"), encoding="utf-8") as stream:
        entries = json.load(stream)
    others = [entry["file"] for entry in entries if "clang" not in shlex.split(entry["command"].replace("ccache ", ""))[0]]
    if others or not entries:
        sys.exit(f"'{arguments.folder}' is not configured for clang")
    files = changed_files(arguments.since) if arguments.since else None
    if files is not None:
        entries = [entry for entry in entries if is_changed(entry, set(files))]
    begin = time.monotonic()
    read_here = faults = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(lambda entry: read(entry, files is None), entries):
            if result is not None:
                read_here += 1
                if result[0] != 0:
                    faults += 1
                    print(result[1], flush=True)
    print(f"clang read {read_here} sources in {time.monotonic() - begin:.0f} s: {faults} with faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
