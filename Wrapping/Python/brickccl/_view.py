# SPDX-License-Identifier: Apache-2.0
"""The page of `brickccl view` for images in memory."""

from __future__ import annotations

import atexit
import html
import os
import shutil
import subprocess
import tempfile
import webbrowser
from collections.abc import Sequence
from typing import Any

import numpy as np

from brickccl_command import PROGRAM

from ._volume import as_volume, float_of


def command_path() -> str:
    """The program that the wheel brings, or the one that is installed."""
    command = PROGRAM if os.path.exists(PROGRAM) else shutil.which("brickccl")
    if command is None:
        raise RuntimeError("the command brickccl is not installed; install the wheel of brickccl, or a package of the command")
    return command


class Viewer:
    """A running page. It ends with `close()`, when the page has been closed for a minute, and with Python."""

    def __init__(self, process: subprocess.Popen[str], folder: tempfile.TemporaryDirectory[str], address: str, in_frame: bool) -> None:
        #: Where the page is, with its secret.
        self.address: str = address
        self._process = process
        self._folder = folder
        self._in_frame = in_frame
        atexit.register(self.close)

    def close(self) -> None:
        """Ends the page and deletes the copy of the image."""
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()
        atexit.unregister(self.close)

    def __repr__(self) -> str:
        return f"Viewer({self.address!r})"

    def _repr_html_(self) -> str:
        address = html.escape(self.address, quote=True)
        link = f'<a href="{address}" target="_blank">brickccl view</a>'
        return f'<iframe src="{address}" width="100%" height="800"></iframe><br>{link}' if self._in_frame else link


def view(
    image: Any,
    labels: Any = None,
    *,
    spacing: float | Sequence[float] | None = None,
    browser: bool = True,
    notebook: str | None = None,
    threads: int | None = None,
) -> Viewer:
    """Opens the page of `brickccl view`: choose thresholds, and see at once what is labeled.

    Parameters
    ----------
    image : array, image or path
        The scan. A path is read by the command; anything else is written to a temporary file first.
    labels : array, image or path, optional
        A label map to show at first.
    spacing : float or sequence of float, optional
        Size of a voxel in mm, in the order of the array's axes; the image's spacing if not given.
    browser : bool, default True
        Open the page in the browser of this computer.
    notebook : str, optional
        The origin of the notebook, such as `"http://localhost:8888"`: the page is then shown in a frame below the cell, and not
        in a window of its own.
    threads : int, optional
        The number of threads; all if not given.

    Returns
    -------
    A `Viewer` with the address. The page saves files in the current folder. Other computers cannot open it.

    Raises
    ------
    RuntimeError
        If the command is not installed, or ends with an error.

    Examples
    --------
    >>> import brickccl
    >>> viewer = brickccl.view("scan.nrrd", notebook="http://localhost:8888")  # doctest: +SKIP
    """
    folder = tempfile.TemporaryDirectory(prefix="brickccl-view-")
    arguments = [command_path(), "view"]
    steps: list[float] = []
    for name, one in (("image", image), ("labels", labels)):
        if isinstance(one, (str, os.PathLike)):
            arguments.append(os.fspath(one))
        elif one is not None:
            volume = as_volume(one, name)
            path = os.path.join(folder.name, f"{name}.npy")
            np.save(path, volume.array.view(np.uint8) if volume.array.dtype == bool else volume.array)
            arguments.append(path)
            if spacing is not None:
                steps = volume.along_axes("spacing", spacing, float_of)
            elif name == "image" and volume.spacing is not None and volume.has_spacing:
                steps = list(volume.spacing)
    arguments += ["--no-browser", "--quiet"]
    arguments += ["--spacing", *map(str, steps)] if steps else []
    arguments += ["--embed-in", notebook] if notebook is not None else []
    arguments += ["--threads", str(threads)] if threads is not None else []
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    if not address:
        _, message = process.communicate()
        folder.cleanup()
        raise RuntimeError(message.strip().removeprefix("brickccl: error: ") or "brickccl view ended without an address")
    if browser and notebook is None:
        webbrowser.open(address)
    return Viewer(process, folder, address, notebook is not None)
