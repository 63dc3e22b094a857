# SPDX-License-Identifier: Apache-2.0
"""Calls of the readers and writers of the `brickccl` command."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._progress import Hook
    from ._orthogonal import Accepted

#: Options of the command, of which its sentences speak, and what they are here.
_OPTIONS = {
    "--accept-irregular-slices": "accept_irregular_slices=True",
    "--accept-sheared": "accept_sheared=True",
    "--by-slice": "by_slice=",
    "--raw": "raw=",
    "--series": "series=",
    "--spacing": "spacing=",
}
#: A note of the reader, where the command assumes mm.
_NO_UNIT = "its OME scale has no unit; mm is assumed"
_IN_VOXELS = "its OME scale has no unit, so sizes are in voxels; set the size of a voxel with spacing="
_NO_SPACING = "no voxel size in the file, so sizes are in voxels; set it with spacing="


def _import_files() -> Any:
    """The module `_files`. A module that cannot be loaded is an error."""
    if importlib.util.find_spec("brickccl._files") is None:
        raise ImportError("this package of brickccl was built without readers of image files; install a wheel of brickccl")
    return importlib.import_module("brickccl._files")


def _raw_in_python(options: re.Match[str]) -> str:
    """Raw voxels as arguments; the spacing in the order of the array's axes."""
    spacing = ", ".join((options[2] or "").split()[:0:-1])
    return f'raw="{options[1]}"' + (f", spacing=({spacing})" if spacing else "")


def _in_python(text: str) -> str:
    text = re.sub(r"--raw (\w+:[^\s,;]+)( --spacing [ .0-9e-]+)?", _raw_in_python, text)
    for option, argument in _OPTIONS.items():
        text = text.replace(option, argument)
    return text


def read(
    name: str,
    accepted: Accepted,
    *,
    series: str,
    spacing: Sequence[float] | None,
    raw: str,
    as_labels: bool,
    threads: int,
    progress: Hook | None,
) -> tuple[np.ndarray[Any, Any], list[float], list[float], list[float], list[tuple[int, str, list[float]]], bool]:
    """Voxels, spacing in the order of the array's axes, origin, direction, segments, and whether the spacing is known; notes go to
    `accepted`."""
    along = [] if spacing is None else [float(value) for value in spacing][::-1]
    path, uid = os.fsencode(name), os.fsencode(series)
    try:
        image = _import_files().read(path, accepted.irregular_slices, accepted.sheared, uid, along, raw, as_labels, threads, progress)
    except (ValueError, MemoryError) as error:
        start = f"cannot read '{name}': "
        text = str(error)
        text = start + _in_python(text[len(start):]) if text.startswith(start) else text
        if isinstance(error, ValueError) and not os.path.lexists(name):
            raise FileNotFoundError(text) from None
        raise type(error)(text) from None
    notes = [_IN_VOXELS if note == _NO_UNIT else _in_python(note) for note in image.notes]
    notes += [] if image.has_spacing else [_NO_SPACING]
    accepted.notes += [f"'{name}': {note}" for note in notes]
    has_spacing = spacing is not None or image.has_spacing and _NO_UNIT not in image.notes
    return image.array, image.spacing[::-1], image.origin, image.direction, image.segments, has_spacing


def write(
    name: str,
    array: np.ndarray[Any, Any],
    spacing: Sequence[float],
    origin: Sequence[float],
    direction: Sequence[float],
    progress: Hook | None,
) -> list[str]:
    """Notes on data that the format cannot store."""
    # Slicer's segmentations list their segments.
    is_segmentation = name.lower().endswith(".seg.nrrd") and array.dtype.kind in "ui"
    largest = max(int(array.max()), 0) if is_segmentation else 0
    lost = _import_files().write(os.fsencode(name), array, list(spacing), list(origin), list(direction), largest, 0, progress)
    return [f"'{name}': {note}" for note in lost]
