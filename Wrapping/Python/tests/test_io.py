# SPDX-License-Identifier: Apache-2.0
"""Images with a place in space, and what is said where a file cannot be had. Files are read and written in test_own_files.py."""

import importlib.util

import numpy as np
import pytest

from brickccl import io


@pytest.mark.parametrize(
    ("error", "text", "given"),
    [
        (ValueError, "is invalid", {"spacing": (0, 1, 1)}),
        (ValueError, "infinite or not a number", {"spacing": (1, np.nan, 1)}),
        (ValueError, "infinite or not a number", {"origin": (1, np.inf, 1)}),
        (TypeError, "the spacing must be numbers, one for each axis, not 0.5", {"spacing": 0.5}),
        (TypeError, "the spacing must be numbers", {"spacing": ("1", "2", "3")}),
        (TypeError, "the origin must be numbers", {"origin": 5}),
    ],
)
def test_the_place_of_an_image_must_be_one(error, text, given):
    with pytest.raises(error, match=text):
        io.Image(np.ones((2, 3, 4)), **given)


def test_spacings_must_be_lengths(tmp_path):
    for spacing, error in ((np.nan, ValueError), ((1, 0, 1), ValueError), ("123", TypeError), ((1, 2), ValueError)):
        with pytest.raises(error, match="spacing"):
            io.write(tmp_path / "x.nrrd", np.ones((2, 3, 4)), spacing=spacing)
    assert list(tmp_path.iterdir()) == []


def test_a_package_without_readers_says_so(tmp_path, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "brickccl._files" else find(name, *more))
    for call in (lambda: io.read(tmp_path / "x.nrrd"), lambda: io.write(tmp_path / "x.nrrd", np.ones((2, 3)))):
        with pytest.raises(ImportError, match="built without readers of image files; install a wheel"):
            call()
    assert list(tmp_path.iterdir()) == []
