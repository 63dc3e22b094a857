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


#: Smaller label maps take the memory that numpy gives them.
_SMALLEST_KEPT_BYTES = 1 << 25


def release_memory() -> int:
    """Give the memory of freed label maps and labelings back to the system.

    A new label map of 32 MiB or more takes the memory of one that was freed before, whose pages the system need not
    clear again. On Linux the memory of at most two freed label maps, of at most 4 GiB together, is kept for that. It
    counts as memory of the process, though the system takes it back as soon as it lacks memory. A labeling (`find`), which
    `label` makes on its way, takes the memory of one that was freed before, too: at most 64 MiB are kept for that, and a
    labeling holds no more than two bytes for each voxel because of it.

    Returns
    -------
    int
        The number of bytes that were given back.

    Examples
    --------
    >>> import brickccl
    >>> brickccl.release_memory() >= 0
    True
    """
    return _core.release_label_memory() + _core.release_run_memory()


def new_array(shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """A new array in C order, not initialised, as `numpy.empty` gives it."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    if size < _SMALLEST_KEPT_BYTES or sys.platform != "linux":
        return np.empty(shape, dtype)
    array: np.ndarray[Any, Any] = _core.new_label_memory(size).view(dtype).reshape(shape)
    return array


def smallest_dtype(count: int) -> np.dtype[Any]:
    """The smallest unsigned type that holds the labels 0..count."""
    for dtype, largest in _SMALL_TYPES:
        if count <= largest:
            return dtype
    return np.dtype(np.uint64)


def _is_automatic(dtype: Any) -> bool:
    return dtype is None or isinstance(dtype, str) and dtype == "auto"


def new_labels(
    dtype: Any, out: Any, shape: tuple[int, ...], count: int, is_reversed: bool = False
) -> np.ndarray[Any, Any]:
    """The array for a label map of labels up to `count`. `give_labels` brings it to `out`, whose axes are turned around if
    `is_reversed`."""
    if out is not None:
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out is of type {type(out).__name__}; it must be a numpy array")
        if out.dtype not in _LABEL_TYPES or not out.dtype.isnative:
            raise TypeError(f"out is of type {out.dtype}; it must be an integer type in native byte order")
        wanted = shape[::-1] if is_reversed else shape
        if out.shape != wanted:
            raise ValueError(f"out has the shape {out.shape}; it must have that of the image, {wanted}")
        if not out.flags.writeable or not (is_reversed or out.flags.c_contiguous):
            raise ValueError("out must be writeable and laid out in C order")
        if not _is_automatic(dtype) and np.dtype(dtype) != out.dtype:
            raise TypeError(f"out is of type {out.dtype}, but dtype={dtype!r} was asked for")
        if not is_reversed:
            return out
        return out.T if out.T.flags.c_contiguous else new_array(shape, out.dtype)
    if _is_automatic(dtype):
        return new_array(shape, smallest_dtype(count))
    chosen = np.dtype(dtype)
    if chosen not in _LABEL_TYPES or not chosen.isnative:
        raise TypeError(f"dtype {chosen} is no type for labels; choose 'auto' or an integer type")
    return new_array(shape, chosen)


def give_labels(array: np.ndarray[Any, Any], out: Any, is_reversed: bool, wrap: Any) -> Any:
    """What the user gets of an array from `new_labels`: `out`, or the kind of what came in."""
    if out is None:
        return array if wrap is None else wrap(array)
    if is_reversed and not np.shares_memory(array, out):
        out[...] = array.T
    return out
