# SPDX-License-Identifier: Apache-2.0
"""Sheared axes: refused, or accepted on request."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

#: Two axes are at right angles if the cosine of their angle is smaller.
RIGHT_ANGLE = 1e-4


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
