# SPDX-License-Identifier: Apache-2.0
"""Filters of components other than by size."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._volume import Volume, count_of


def holes_of(
    volume: Volume,
    volume_limit: bool | float,
    size_limit: int | None,
    spacing: Any,
    name: str,
    by_slice: int | None = None,
    objects: _core.Rules | None = None,
) -> _core.Holes | None:
    """The holes to fill: none if `volume_limit` is False, all if it is True, or holes of at most this many mm^3. `objects`
    is the connectivity of objects, needed with `by_slice`."""
    if volume_limit is False or isinstance(volume_limit, np.bool_) and not volume_limit:
        return None
    limit = None
    if not isinstance(volume_limit, (bool, np.bool_)):
        if not isinstance(volume_limit, numbers.Real):
            raise TypeError(f"{name} must be a truth value or a volume in mm^3, not {volume_limit!r}")
        if volume.in_voxels(spacing):
            raise ValueError(f"{name} as a volume is in mm^3 and needs spacing=")
        limit = float(volume_limit)
    # In clean, these arguments are about holes.
    size_name, slice_name = ("maximum_hole_size", "holes_by_slice") if name == "fill_holes" else ("maximum_size", "by_slice")
    return _core.Holes.make(
        limit,
        None if size_limit is None else count_of(size_name, size_limit),
        None if by_slice is None else volume.axis(slice_name, by_slice),
        objects,
        volume.array.ndim,
    )


def places_of(volume: Volume, seeds: Any) -> list[int]:
    """Indices in the order of the user's axes as flat indices of the array."""
    dimension = volume.array.ndim
    try:
        indices = np.asarray(seeds)
    except ValueError:
        raise ValueError(f"seeds must be indices of {dimension} numbers each, not {seeds!r}") from None
    if indices.size == 0:
        return []
    if indices.dtype.kind not in "iu":
        raise TypeError(f"seeds are of type {indices.dtype}; they must be indices, whole numbers")
    if indices.ndim == 1 and len(indices) == dimension:
        indices = indices[np.newaxis]
    if indices.ndim != 2 or indices.shape[1] != dimension:
        raise ValueError(f"seeds have the shape {indices.shape}; they must be indices of {dimension} numbers each")
    shape = volume.array.shape
    along = indices[:, ::-1] if volume.is_reversed else indices
    for index, row in zip(indices, along):
        if not all(0 <= int(at) < size for at, size in zip(row, shape)):
            wanted = shape[::-1] if volume.is_reversed else shape
            raise ValueError(f"the seed {tuple(index.tolist())} is outside the image of shape {wanted}")
    places = np.ravel_multi_index(tuple(along.astype(np.int64).T), shape)
    return [int(place) for place in np.atleast_1d(places)]


def filter_of(volume: Volume, kept: tuple[Any, Any, Any, Any], spacing: float | Sequence[float] | None) -> _core.Filter | None:
    """The filter of `label`'s arguments seeds, clear_border, touching and fill_holes; None if none is given."""
    seeds, clear_border, touching, fill_holes = kept
    if not isinstance(clear_border, (bool, np.bool_)):
        raise TypeError(f"clear_border must be True or False, not {clear_border!r}")
    if seeds is None and touching is None and clear_border is False and fill_holes is False:
        return None
    return _core.Filter.make(
        holes_of(volume, fill_holes, None, spacing, "fill_holes"),
        None if seeds is None else places_of(volume, seeds),
        bool(clear_border),
        None if touching is None else volume.companion("touching", touching),
    )
