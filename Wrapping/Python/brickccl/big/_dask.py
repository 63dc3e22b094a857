# SPDX-License-Identifier: Apache-2.0
"""The source arrays in the graph of a dask array."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

#: The libraries whose arrays are known in a graph.
LIBRARIES = ("zarr", "h5py", "numpy")


def check_dask(array: Any) -> None:
    """Raises for arrays that cannot be labeled, before computing anything."""
    if isinstance(getattr(array, "_meta", None), np.ma.MaskedArray):
        raise TypeError(
            "the source is a dask array of masked arrays; pass dask.array.ma.getdata(source), and "
            "mask=~dask.array.ma.getmaskarray(source)"
        )
    if any(size != size for size in array.shape):
        raise ValueError("the source is a dask array with chunks of unknown sizes; call its compute_chunk_sizes() first")


def wrapped_by_dask(array: Any) -> Any:
    """The array behind a dask array that only cuts it into blocks; None otherwise."""
    layers = array.dask.layers
    key = next((name for name in layers if name.startswith("original-") and name[len("original-") :] == array.name), None)
    if key is None or len(layers) != 2 or not _only_cuts(layers[array.name]):
        return None
    original = layers[key].get(key)
    original = getattr(original, "value", original)
    same = getattr(original, "shape", None) == array.shape and getattr(original, "dtype", None) == array.dtype
    return original if same and type(original).__module__.partition(".")[0] in LIBRARIES else None


def _only_cuts(layer: Any) -> bool:
    """Whether dask's own function takes the blocks, not a user's getitem=."""
    from dask.array.core import getter, getter_inline, getter_nofancy

    return getattr(getattr(layer, "task", None), "func", None) in (getter, getter_inline, getter_nofancy, operator.getitem)


def arrays_in_graph(array: Any) -> list[Any]:
    """The arrays of zarr, HDF5 and numpy in a graph."""
    found: dict[int, Any] = {}
    for layer in array.dask.layers.values():
        task = getattr(layer, "task", None)
        for value in [task] if task is not None else layer.values() if isinstance(layer, Mapping) else []:
            for one in _arrays_in(value):
                found.setdefault(id(one), one)
    return list(found.values())


def _arrays_in(value: Any, depth: int = 4) -> Iterator[Any]:
    if isinstance(value, (list, tuple)) or hasattr(value, "args") and hasattr(value, "kwargs"):
        parts = value if isinstance(value, (list, tuple)) else [*value.args, *(value.kwargs or {}).values()]
        for part in parts if depth else ():
            yield from _arrays_in(part, depth - 1)
        return
    value = getattr(value, "value", value)
    is_known = type(value).__module__.partition(".")[0] in LIBRARIES
    # Small arrays of numpy are not only voxels: all of them count, but those that cannot be labeled.
    if is_known and hasattr(value, "shape") and 1 <= len(value.shape) <= 4 and 0 not in value.shape:
        if np.dtype(value.dtype).kind in "biuf" and not isinstance(value, np.ma.MaskedArray):
            yield value
