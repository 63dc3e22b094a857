# SPDX-License-Identifier: Apache-2.0
"""Irregular series of slices and sheared axes: refused, or accepted on request."""

from __future__ import annotations

import dataclasses
import glob
import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

#: Two distances of slices are equal if they differ by less than this part.
EVEN = 1e-3
#: Two axes are at right angles if the cosine of their angle is smaller.
RIGHT_ANGLE = 1e-4
#: The endings of slice images in a folder.
SLICE_ENDINGS = (".tif", ".tiff", ".png", ".bmp", ".jpg", ".jpeg")

POSITION, ORIENTATION, NUMBER, PIXEL_SPACING = "0020|0032", "0020|0037", "0020|0013", "0028|0030"


@dataclasses.dataclass
class Accepted:
    """The irregularities to accept, and notes of accepted ones."""

    irregular_slices: bool = False
    sheared: bool = False
    notes: list[str] = dataclasses.field(default_factory=list)


def orthogonal(vectors: np.ndarray[Any, Any], what: str, accepted: Accepted) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The lengths and directions of axes, which are columns; for sheared axes, of the nearest orthogonal axes, which keep
    the first axis, the plane of the first two and the volume of a voxel."""
    lengths = np.sqrt((vectors**2).sum(axis=0))
    if not np.all(lengths > 0):
        raise ValueError(f"{what} has an axis of length 0")
    unit = vectors / lengths
    cosines = np.abs(unit.T @ unit - np.diag((unit**2).sum(axis=0)))
    if cosines.max() <= RIGHT_ANGLE:
        return lengths, unit
    first, second = sorted(np.unravel_index(cosines.argmax(), cosines.shape))
    angle = np.degrees(np.arccos(np.clip(unit[:, first] @ unit[:, second], -1, 1)))
    sheared = f"{what}: the axes {'xyz'[first]} and {'xyz'[second]} meet at {angle:.4g} degrees instead of 90 (sheared)"
    if not accepted.sheared:
        raise ValueError(
            f"{sheared}; resample it, or use the nearest orthogonal geometry with accept_sheared=True of brickccl.io.read"
        )
    accepted.notes.append(f"{sheared}; the nearest orthogonal geometry of the same voxel volume is used")
    directions, heights = np.linalg.qr(vectors)
    along = np.diag(heights)
    if np.abs(along).min() <= 1e-6 * lengths.max():
        raise ValueError(f"{what} has axes that do not span a volume")
    return np.abs(along), directions * np.sign(along)


def _numbers(image: Any, tag: str, count: int) -> list[float] | None:
    """The numbers of an element of a DICOM file."""
    if not image.HasMetaDataKey(tag):
        return None
    try:
        numbers = [float(text) for text in image.GetMetaData(tag).split("\\")]
    except ValueError:
        return None
    return numbers if len(numbers) == count and np.isfinite(numbers).all() else None


def order_series(simpleitk: Any, files: Sequence[str], accepted: Accepted) -> tuple[list[str], np.ndarray[Any, Any] | None]:
    """The files of a series in order of position, and the vector from one slice to the next, if any."""
    positions, orientations, numbers = [], [], []
    reader = simpleitk.ImageFileReader()
    for file in files:
        reader.SetFileName(file)
        reader.ReadImageInformation()
        positions.append(_numbers(reader, POSITION, 3))
        orientations.append(_numbers(reader, ORIENTATION, 6))
        numbers.append(_numbers(reader, NUMBER, 1))
    names = [os.path.basename(file) for file in files]
    if None in positions or None in orientations:
        if any(one is not None for one in positions):
            missing, other = positions.index(None), next(i for i, one in enumerate(positions) if one is not None)
            raise ValueError(
                f"'{names[missing]}' has no position, but '{names[other]}' has one; put each volume into its own folder"
            )
        return _by_number(files, names, numbers, accepted), None
    first = np.array(orientations[0])
    for name, orientation in zip(names, orientations):
        if np.abs(np.array(orientation) - first).max() > RIGHT_ANGLE:
            raise ValueError(f"'{name}' has another orientation than '{names[0]}': not slices of one volume")
    points = np.array(positions)
    normal = np.cross(first[:3], first[3:])
    places = points @ normal
    order = [int(at) for at in np.argsort(places, kind="stable")]
    ordered, names = [files[at] for at in order], [names[at] for at in order]
    _check_distances(names, places[order], accepted)
    points, places = points[order], places[order]
    whole = points[-1] - points[0]
    part = (places - places[0]) / (places[-1] - places[0])
    beside = np.sqrt(((points - points[0] - part[:, np.newaxis] * whole) ** 2).sum(axis=1))
    spacing = _numbers(reader, PIXEL_SPACING, 2) or [0.0]
    if beside.max() > max(2 * EVEN * (places[-1] - places[0]) / (len(ordered) - 1), 0.02 * min(spacing)):
        raise ValueError(
            f"'{names[int(beside.argmax())]}' is {beside.max():.4g} mm off the line through the other slice positions: not "
            "slices of one volume"
        )
    # Positions are rounded. A shift of less than a fiftieth of a pixel over the whole series is not a tilt.
    upright = (places[-1] - places[0]) * normal
    return ordered, (upright if np.sqrt(((whole - upright) ** 2).sum()) < 0.02 * spacing[-1] else whole) / (len(ordered) - 1)


def _by_number(
    files: Sequence[str], names: Sequence[str], numbers: Sequence[list[float] | None], accepted: Accepted
) -> list[str]:
    """The files in order of instance number, or unchanged if one has none."""
    if None in numbers:
        return list(files)
    order = sorted(range(len(files)), key=lambda at: numbers[at] or [0.0])
    ordered = [(numbers[at] or [0.0])[0] for at in order]
    steps = np.diff(ordered)
    for at in np.flatnonzero(steps != steps[0]):
        what = (
            f"the InstanceNumber goes from {ordered[at]:.0f} ('{names[order[at]]}') to {ordered[at + 1]:.0f} "
            f"('{names[order[at + 1]]}'): slices may be missing"
        )
        if not accepted.irregular_slices:
            raise ValueError(f"{what}; complete the series, or accept it with accept_irregular_slices=True")
        accepted.notes.append(what)
        break
    return [files[at] for at in order]


def _check_distances(names: Sequence[str], places: np.ndarray[Any, Any], accepted: Accepted) -> None:
    """`places` ascend."""
    distances = np.diff(places)
    usual = float(np.sort(distances)[(len(distances) - 1) // 2])
    doubled = int(distances.argmin())
    if distances[doubled] <= max(1e-9, EVEN * (places[-1] - places[0]) / len(places)):
        raise ValueError(
            f"'{names[doubled]}' and '{names[doubled + 1]}' are at the same position: points in time, or duplicate slices; "
            "put each volume into its own folder"
        )
    differ = np.abs(distances - usual) > EVEN * usual * (1 + 1e-6)
    if not differ.any():
        return
    worst = int(np.abs(distances - usual).argmax())
    missing = round(float(distances[worst]) / usual) - 1
    is_multiple = missing >= 1 and abs(distances[worst] - (missing + 1) * usual) < 0.01 * usual
    reason = (
        f"{missing} {'slices are' if missing > 1 else 'slice is'} missing between them"
        if is_multiple
        else "the slices are unevenly spaced"
    )
    what = f"'{names[worst]}' and '{names[worst + 1]}' are {distances[worst]:.6g} mm apart, where {usual:.6g} mm is usual: {reason}"
    if not accepted.irregular_slices:
        raise ValueError(f"{what}; complete the series, or use the mean distance with accept_irregular_slices=True")
    accepted.notes.append(f"{what}; the mean distance of {float(distances.mean()):.6g} mm is used")


def slice_images(path: str) -> list[str]:
    """The slice images of a folder (all with the extension of the first) or a pattern, in order of number."""
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if name.lower().endswith(SLICE_ENDINGS))
        found = [os.path.join(path, name) for name in names]
    else:
        found = glob.glob(path)
    return sorted(found, key=lambda file: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", os.path.basename(file))])


def check_slice_names(files: Sequence[str], accepted: Accepted) -> None:
    """Raises unless the names of slices differ only by one number that rises in equal steps."""
    problem = _problem_of(files)
    if not problem:
        return
    if not accepted.irregular_slices:
        raise ValueError(
            f"the slice images are not a complete volume: {problem}; complete it, or read them in order of name with "
            "accept_irregular_slices=True"
        )
    accepted.notes.append(f"{problem}; the slices are read in order of name")


def _problem_of(files: Sequence[str]) -> str:
    names = [os.path.basename(file) for file in files]
    parts = [re.split(r"(\d+)", name) for name in names]
    for name, part in zip(names, parts):
        if part[::2] != parts[0][::2]:
            return f"'{names[0]}' and '{name}' have names of different kinds"
    if len(files) < 2:
        return ""
    numbers = np.array([[int(digits) for digits in part[1::2]] for part in parts], dtype=object)
    changing = [place for place in range(numbers.shape[1]) if len(set(numbers[:, place])) > 1]
    if len(changing) != 1:
        return f"in '{names[0]}' to '{names[-1]}', {'more than one number' if changing else 'no number'} changes"
    rising = numbers[:, changing[0]]
    steps = [after - before for before, after in zip(rising, rising[1:])]
    least = min(steps)
    for at, step in enumerate(steps):
        if step <= 0:
            return f"'{names[at]}' and '{names[at + 1]}' do not have rising numbers"
        if step != least:
            return f"a slice is missing between '{names[at]}' and '{names[at + 1]}'"
    return ""
