# SPDX-License-Identifier: Apache-2.0
"""Paths on a disk that must differ: outputs must not replace inputs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ._sources import Source


def _resolved(place: str) -> str:
    return place.rstrip("/") if "://" in place else os.path.realpath(place)


def _lies_in(inner: str, outer: str) -> bool:
    return inner == outer or inner.startswith(outer.rstrip("/") + "/")


def _overlap(first: str, second: str) -> bool:
    return _lies_in(first, second) or _lies_in(second, first)


def check_places(images: Mapping[str, Source | None], target: str | None, table: str | None, state: str) -> None:
    """Raises if the target, the table or the state is inside the source, the reverse, or inside one another. Links are
    followed.
    """
    read = {
        place: name for name, image in images.items() if image is not None for place in map(_resolved, image.places())
    }
    written: dict[str, str] = {}
    for name, given in (("target", target), ("table", table), ("state", state)):
        if given is None:
            continue
        place = _resolved(given)
        for other, what in {**read, **written}.items():
            if _overlap(place, other):
                how = "is" if place == other else "lies in" if _lies_in(place, other) else "contains"
                raise ValueError(f"the {name} '{given}' {how} the {what} '{other}'; choose another path for the {name}")
        written[place] = name


def check_arrays(images: Mapping[str, Source | None], target: Any) -> None:
    """Raises if an array of zarr that is written is also read."""
    for name, image in images.items():
        for array in [] if image is None else image.arrays():
            path = getattr(array, "store_path", None)
            if path is None:
                continue
            is_same = path.store is target.store_path.store or path.store == target.store_path.store
            if is_same and path.path == target.store_path.path:
                raise ValueError(f"the target is the {name}; use another array for the labels")
