# SPDX-License-Identifier: Apache-2.0
"""Labels every real scan of a reference folder through the command line and compares the number of components, their
sizes and the SHA-256 of the label map with the folder's reference.json.

    BRICKCCL=path/to/brickccl python3 reference_data.py FOLDER [PART/N]

PART/N labels every N-th scan, from the one of the number PART on.
Exits with 77 (skipped) if there is no such folder."""

import csv
import hashlib
import json
import os
import sys
import tempfile

from support import read_nrrd, run


def options_of(rule, connectivity):
    options = ["--connectivity", connectivity]
    if rule["type"] == "threshold" and "file" not in rule:
        options += ["--range", "-inf" if rule["lo"] is None else rule["lo"], "inf" if rule["hi"] is None else rule["hi"]]
    elif rule["type"] == "gradient":
        options += ["--tolerance", rule["T"]]
        if rule["lo"] is None and rule["hi"] is None:
            options += ["--background", "none"]
        else:
            options += ["--range", "-inf" if rule["lo"] is None else rule["lo"],
                        "inf" if rule["hi"] is None else rule["hi"]]
    elif rule["type"] == "value":
        options += ["--equal-value"]
    elif rule["type"] == "value_incl0":
        options += ["--equal-value", "--background", "none"]
    return options


def check(source, rule, connectivity, expected, foreground, folder):
    """Returns what is wrong, or nothing."""
    labels, table = os.path.join(folder, "labels.nrrd"), os.path.join(folder, "table.csv")
    result = run("label", source, labels, "--label-type", "uint32", "--no-compression", "--json", "--statistics",
                 table, *options_of(rule, connectivity))
    if result.returncode != 0:
        return result.stderr
    summary = json.loads(result.stdout)
    with open(table) as stream:
        sizes = sorted((int(row["voxel_count"]) for row in csv.DictReader(stream)), reverse=True)
    found = {
        "components": summary["components"],
        "singletons": sizes.count(1),
        "top5": sizes[:5],
        "sum_of_squares": sum(size * size for size in sizes),
        "sha256_canonical_u32": hashlib.sha256(read_nrrd(labels)[1]).hexdigest(),
    }
    wrong = ["%s is %s instead of %s" % (key, value, expected[key]) for key, value in found.items()
             if value != expected[key]]
    if summary["foreground_voxels"] != foreground:
        wrong.append("foreground_voxels is %d instead of %d" % (summary["foreground_voxels"], foreground))
    return "; ".join(wrong)


def main():
    data = sys.argv[1]
    reference = os.path.join(data, "reference.json")
    if not os.path.exists(reference):
        print("skipped: there is no", reference)
        return 77
    with open(reference) as stream:
        items = json.load(stream)["items"]
    part, count = map(int, (sys.argv[2] if len(sys.argv) > 2 else "1/1").split("/"))
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="brickccl-") as folder:
        for item in items[part - 1::count]:
            for segmentation in item["segmentations"]:
                rule = dict(segmentation["rule"])
                sources = []
                if not item["file"].startswith("("):
                    sources.append((item["file"], rule))
                if "mask_file" in rule:
                    # The mask holds the thresholded voxels as ones.
                    sources.append((rule["mask_file"].replace(".raw.gz", ".nhdr"),
                                    {"type": "threshold", "lo": 1, "hi": None}))
                for connectivity, expected in segmentation["connectivity"].items():
                    for file, its_rule in sources:
                        wrong = check(os.path.join(data, file), its_rule, connectivity, expected,
                                      segmentation["foreground_voxels"], folder)
                        passed += not wrong
                        failed += bool(wrong)
                        print("%s %s %s, connectivity %s%s" % ("FAILED" if wrong else "ok", file, rule["name"],
                                                              connectivity, ": " + wrong if wrong else ""), flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
