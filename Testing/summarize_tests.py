#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the slowest tests, the skipped ones with their reasons, and the end of what failed ones printed, from files that
ctest --output-junit wrote.

    summarize_tests.py [--slowest N] FILE ...
"""

import argparse
import re
import xml.etree.ElementTree

#: How a program says that it skips: GoogleTest, then unittest, pytest (-ra) and the scripts that exit with 77.
REASONS = re.compile(r"^.+:\d+: Skipped\n(.+)|\.\.\. skipped ['\"](.+)['\"]$|^SKIPPED (.+)|^(?:skipped: )(.+)", re.MULTILINE)


def reasons_of(text):
    return list(dict.fromkeys(next(filter(None, found)).strip() for found in REASONS.findall(text)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slowest", type=int, default=10, metavar="N", help="number of tests (default: 10)")
    parser.add_argument("files", nargs="*", metavar="FILE")
    arguments = parser.parse_args()
    times, skipped, failed = [], [], []
    for path in arguments.files:
        suite = xml.etree.ElementTree.parse(path).getroot()
        for case in suite.iter("testcase"):
            name, text = case.get("name"), case.findtext("system-out", "")
            times.append((float(case.get("time", 0)), name))
            if case.find("failure") is not None:
                failed.append(f"{name}:\n" + "\n".join("    " + line for line in text.strip().split("\n")[-30:]))
            reasons = reasons_of(text)
            if case.get("status") in ("notrun", "disabled") or case.find("skipped") is not None:
                reasons = reasons or [text.strip().split("\n")[-1] or "no reason given"]
            if reasons:
                skipped.append(f"{name}: " + "; ".join(reasons))
    times.sort(reverse=True)
    if times and arguments.slowest:
        print(f"slowest of {len(times)} tests, {sum(time for time, _ in times):.0f} s together:")
        print("\n".join(f"{time:8.1f} s  {name}" for time, name in times[: arguments.slowest]))
    if skipped:
        print("skipped:\n" + "\n".join("  " + line for line in skipped))
    if failed:
        print("failed:\n" + "\n".join("  " + text for text in failed))


if __name__ == "__main__":
    main()
