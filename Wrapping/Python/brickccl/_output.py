# SPDX-License-Identifier: Apache-2.0
"""Arrays for label maps."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from . import _core

_LABEL_TYPES = tuple(np.dtype(name) for name in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"))

#: Unsigned types and the largest labels that they hold, the narrow ones first.
_SMALL_TYPES = tuple((np.dtype(name), int(np.iinfo(name).max)) for name in ("u1", "u2", "u4"))


_LARGE_PAGE = 1 << 21


def release_memory() -> int:
    """Return the memory of freed label maps and labelings to the system.

    A new label map of about 2 MiB or more reuses the memory of a freed one, so the system need not clear its pages again. For
    this, Linux keeps the memory of at most two freed label maps, of at most 4 GiB together. It counts as memory of the
    process, but the system takes it back when memory is short. Labelings (from `find`, and inside `label`) also reuse memory:
    at most 64 MiB are kept, and a labeling holds at most two bytes per voxel.

    Returns
    -------
    int
        The number of bytes returned.

    Examples
    --------
    >>> import brickccl
    >>> brickccl.release_memory() >= 0
    True
    """
    return _core.release_label_memory() + _core.release_run_memory()


def new_array(shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """A new array in C order, not initialized, like `numpy.empty`."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    # Whole large pages, which the system clears sooner, unless much of the last one would be empty.
    if -size % _LARGE_PAGE > size // 4 or size == 0 or sys.platform != "linux":
        return np.empty(shape, dtype)
    array: np.ndarray[Any, Any] = _core.new_label_memory(size).view(dtype).reshape(shape)
    return array


def smallest_dtype(count: int) -> np.dtype[Any]:
    """The smallest unsigned type that holds the labels 0..count."""
    for dtype, largest in _SMALL_TYPES:
        if count <= largest:
            return dtype
    return np.dtype(np.uint64)


def usual_dtype(count: int, usual: str = "u4") -> np.dtype[Any]:
    """The type of label maps unless another one is requested: `usual`, of 32 bits, or 64 bits for more labels."""
    dtype = np.dtype(usual)
    return dtype if count <= np.iinfo(dtype).max else np.dtype(f"{dtype.kind}8")


def is_automatic(dtype: Any) -> bool:
    return dtype is None or isinstance(dtype, str) and dtype == "auto"


def new_labels(
    dtype: Any, out: Any, shape: tuple[int, ...], count: int, is_reversed: bool = False, usual: str = "u4"
) -> np.ndarray[Any, Any]:
    """The array for a label map of labels up to `count`. `give_labels` copies it to `out`, whose axes are reversed if
    `is_reversed`."""
    if isinstance(dtype, str) and dtype == "smallest":
        dtype = smallest_dtype(count)
    if out is not None:
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out is of type {type(out).__name__}; it must be a numpy array")
        if out.dtype not in _LABEL_TYPES or not out.dtype.isnative:
            raise TypeError(f"out is of type {out.dtype}; it must be an integer type in native byte order")
        wanted = shape[::-1] if is_reversed else shape
        if out.shape != wanted:
            raise ValueError(f"out has the shape {out.shape}; it must have the image's shape, {wanted}")
        if not out.flags.writeable or not (is_reversed or out.flags.c_contiguous):
            raise ValueError("out must be writeable and laid out in C order")
        if not is_automatic(dtype) and np.dtype(dtype) != out.dtype:
            raise TypeError(f"out is of type {out.dtype}, but dtype={dtype!r} was requested")
        if not is_reversed:
            return out
        return out.T if out.T.flags.c_contiguous else new_array(shape, out.dtype)
    if is_automatic(dtype):
        return new_array(shape, usual_dtype(count, usual))
    refusal = "is not a type for labels; choose 'auto', 'smallest' or an integer type"
    try:
        chosen = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"dtype={dtype!r} {refusal}") from None
    if chosen not in _LABEL_TYPES or not chosen.isnative:
        raise TypeError(f"dtype {chosen} {refusal}")
    return new_array(shape, chosen)


def give_labels(array: np.ndarray[Any, Any], out: Any, is_reversed: bool, wrap: Any) -> Any:
    """The result for the user of an array from `new_labels`: `out`, or the kind of the input."""
    if out is None:
        return array if wrap is None else wrap(array)
    if is_reversed and not np.shares_memory(array, out):
        out[...] = array.T
    return out
