# SPDX-License-Identifier: Apache-2.0
"""Real scans whose answers are known, where the folder of BRICKCCL_REFERENCE_DATA is present."""

import hashlib
import json
import os
import pathlib

import numpy as np
import pytest

import brickccl
from brickccl import io

FOLDER = pathlib.Path(os.environ.get("BRICKCCL_REFERENCE_DATA", "/nonexistent"))


def arguments_of(rule):
    low = -np.inf if rule.get("lo") is None else rule["lo"]
    high = np.inf if rule.get("hi") is None else rule["hi"]
    if rule["type"] == "threshold":
        return {"range": (low, high)}
    if rule["type"] == "gradient":
        bounds = {"background": None} if (low, high) == (-np.inf, np.inf) else {"range": (low, high)}
        return {"tolerance": rule["T"], **bounds}
    return {"criterion": "equal-value", "background": 0 if rule["type"] == "value" else None}


def sources_of(item, segmentation):
    """The files of a segmentation with their rules: the scan, if it is there, and a mask of it."""
    rule = segmentation["rule"]
    if not item["file"].startswith("("):
        yield item["file"], rule
    if "mask_file" in rule:
        yield rule["mask_file"].replace(".raw.gz", ".nhdr"), {"type": "threshold", "lo": 1}


@pytest.mark.skipif(not (FOLDER / "reference.json").exists(), reason="BRICKCCL_REFERENCE_DATA names no such folder")
def test_labels_have_the_known_hashes():
    pytest.importorskip("brickccl._files")
    checked = 0
    for item in json.loads((FOLDER / "reference.json").read_text())["items"]:
        for segmentation in item["segmentations"]:
            for file, rule in sources_of(item, segmentation):
                image = io.read(FOLDER / file)
                for connectivity, expected in segmentation["connectivity"].items():
                    labels, count = brickccl.label(
                        image, connectivity=int(connectivity), dtype="uint32", return_count=True, **arguments_of(rule)
                    )
                    context = f"{file} {rule} {connectivity}"
                    assert count == expected["components"], context
                    found = hashlib.sha256(labels.array.astype("<u4")).hexdigest()
                    assert found == expected["sha256_canonical_u32"], context
                    checked += 1
    assert checked > 50
