# SPDX-License-Identifier: Apache-2.0
"""The page for images in memory."""

import pathlib
import urllib.error
import urllib.request

import numpy as np
import pytest

import brickccl


def test_page_of_an_array(command):
    image = np.arange(4 * 5 * 6, dtype=np.uint16).reshape(4, 5, 6)
    viewer = brickccl.view(image, spacing=0.5, browser=False, threads=1)
    try:
        with urllib.request.urlopen(viewer.address, timeout=60) as answer:
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
            assert b"<html" in answer.read().lower()
        assert viewer._repr_html_().startswith("<a ") and viewer.address in repr(viewer)
        folder = pathlib.Path(viewer._folder.name)
        assert (folder / "image.npy").exists()
    finally:
        viewer.close()
    assert not folder.exists()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(viewer.address, timeout=5)


def test_frame_of_a_notebook(command):
    viewer = brickccl.view(np.eye(9, dtype=np.uint8), np.eye(9, dtype=np.uint8), notebook="http://localhost:8888")
    try:
        with urllib.request.urlopen(viewer.address, timeout=60) as answer:
            assert "frame-ancestors http://localhost:8888" in answer.headers["Content-Security-Policy"]
        assert viewer._repr_html_().startswith(f'<iframe src="{viewer.address}"')
    finally:
        viewer.close()


def test_what_the_command_refuses(command):
    with pytest.raises(RuntimeError, match="there is no such file"):
        brickccl.view("nowhere.nrrd", browser=False)
    with pytest.raises(RuntimeError, match="is not an origin"):
        brickccl.view(np.eye(9, dtype=np.uint8), notebook="no origin")
