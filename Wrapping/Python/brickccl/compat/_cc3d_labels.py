# SPDX-License-Identifier: Apache-2.0
"""`cc3d.connected_components`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _engine
from ._engine import Array


class DimensionError(Exception):
    """The array has the wrong number of dimensions."""


def plain(array: Any) -> Array:
    """The memory of a subclass (a matrix, a masked array), as in cc3d."""
    values: Array = array if type(array) is np.ndarray else np.asarray(array)
    return values


def rank_of(dimension: int, connectivity: Any) -> int:
    if connectivity is None or isinstance(connectivity, (str, bytes)):
        raise TypeError(f"connectivity must be an integer, not {connectivity!r}")
    if dimension not in (1, 2, 3):
        raise DimensionError(f"the array has {dimension} dimensions; it must have 1 to 3")
    known = {2: {4: 1, 6: 1, 8: 2, 18: 2, 26: 2}}.get(dimension, {6: 1, 18: 2, 26: 3})
    if connectivity not in known:
        raise ValueError(f"connectivity={connectivity}; an image of {dimension} dimensions has {', '.join(map(str, known))}")
    return min(known[connectivity], dimension)


def in_memory_order(array: Array) -> tuple[Array, bool]:
    """The array in memory order, and whether its axes were reversed."""
    if array.flags.f_contiguous and array.ndim > 1:
        return array.T, True
    return np.ascontiguousarray(array), False


def _count_runs(array: Array) -> int:
    """Runs of equal values other than 0 along the rows of an array in C order: the estimate of labels."""
    runs = np.count_nonzero(array[..., :1])
    for part in array.reshape(-1, array.shape[-1]):
        runs += np.count_nonzero((part[1:] != part[:-1]) & (part[1:] != 0))
    return int(runs)


def _maximum_of_binary(shape: tuple[int, ...], connectivity: int) -> int:
    """The highest possible number of components of a mask, as in cc3d: from blocks of 2 x 2 x 2 voxels."""
    blocks = int(np.prod([size + size % 2 for size in (shape + (1, 1))[:3]]))
    return min(int(np.prod(shape)), blocks // {4: 2, 6: 2, 8: 4, 18: 4, 26: 8}[connectivity] + 1)


def _number_by_blocks(runs: Any, length: int) -> None:
    """Numbers the components of a 2-D mask like cc3d with 8 neighbors: by their first blocks of 2 x 2 pixels."""
    starts, _, labels = runs.runs()
    blocks = (starts // length // 2) * ((length + 1) // 2) + starts % length // 2
    first = np.full(runs.count + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, labels, blocks)
    numbers = np.empty(runs.count, np.uint64)
    numbers[np.argsort(first[1:], kind="stable")] = np.arange(1, runs.count + 1, dtype=np.uint64)
    runs.renumber(numbers)


def _label_type(out_dtype: Any, maximum: int) -> np.dtype[Any]:
    if out_dtype is not None:
        chosen: np.dtype[Any] = np.dtype(out_dtype)
        if chosen not in (np.uint16, np.uint32, np.uint64):
            raise ValueError(f"out_dtype is {chosen}; it must be uint16, uint32 or uint64")
        if np.iinfo(chosen).max < maximum:
            raise ValueError(f"out_dtype {chosen} is too small for the estimated number of labels, {maximum}")
        return chosen
    if maximum < np.iinfo(np.uint16).max:
        return np.dtype(np.uint16)
    return np.dtype(np.uint32 if maximum < np.iinfo(np.uint32).max else np.uint64)


def _difference_limit(delta: float, dtype: np.dtype[Any]) -> float:
    """The largest float64 difference that, rounded to the floating-point type as in cc3d, is at most `delta`. The engine
    computes differences in float64."""
    if dtype.itemsize > 4 or not 0 < delta < np.finfo(dtype).max:
        return delta
    above = delta / 2 + float(np.nextafter(dtype.type(delta), dtype.type(np.inf))) / 2
    return above if float(dtype.type(above)) <= delta else float(np.nextafter(above, 0.0))


def _difference(delta: Any, dtype: np.dtype[Any]) -> tuple[Any, bool]:
    """The tolerance in the image's own type, and whether it joins all nonzero voxels."""
    if dtype.kind == "f":
        # As cc3d, in the type of the image: 0.1 is the nearest float32.
        value, largest = float(dtype.type(delta)), float(np.finfo(dtype).max)
        maximum: float = np.inf
    else:
        value, largest = int(delta), int(np.iinfo(dtype).max)
        maximum = np.iinfo(np.dtype(f"u{dtype.itemsize}")).max
    if value < 0 or value > maximum:
        raise OverflowError(f"delta={delta} does not fit {dtype}; it must be at least 0")
    if dtype.kind == "f":
        return _difference_limit(value, dtype), value == largest
    return value, value == largest


def connected_components(
    data: Any,
    max_labels: int = -1,
    connectivity: int = 26,
    return_N: bool = False,
    delta: float = 0,
    out_dtype: Any = None,
    out_file: Any = None,
    periodic_boundary: bool = False,
    binary_image: bool = False,
) -> Any:
    """Labels regions of equal value like `cc3d.connected_components`, numbered in memory order.

    Parameters
    ----------
    data : numpy.ndarray
        1 to 3 dimensions; 0 is background.
    max_labels : int
        Only affects the type of the labels.
    connectivity : int, default 26
        6, 18 or 26; in 2-D also 4 and 8.
    return_N : bool
        Also return the number of components.
    delta : number, default 0
        Joins neighbors that differ by at most this much. Differences of integers are exact.
    out_dtype : dtype, optional
        uint16, uint32 or uint64; if not given, from the number of runs, as in cc3d.
    out_file : str or file object, optional
        Write the labels to this file, mapped to memory.
    periodic_boundary : bool
        All axes are periodic; for connectivity 4, 8 and 6.
    binary_image : bool
        All nonzero values count as one.

    Returns
    -------
    labels : numpy.ndarray
        In the layout of `data`.
    N : int
        If `return_N`.

    Raises
    ------
    NotImplementedError
        For NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import connected_components
    >>> connected_components(np.array([5, 5, 7, 0, 7]))
    array([1, 1, 2, 0, 3], dtype=uint16)
    """
    if hasattr(data, "cpu"):
        data = data.cpu().numpy()
    data = plain(data)
    rank = rank_of(data.ndim, connectivity)
    if periodic_boundary:
        if connectivity not in (4, 8, 6):
            raise ValueError(f"periodic_boundary needs connectivity 4, 8 or 6, not {connectivity}")
    if data.size == 0:
        empty = np.zeros(data.shape, data.dtype if out_dtype is None else out_dtype)
        return (empty, 0) if return_N else empty
    dtype = data.dtype.newbyteorder("=")
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise TypeError(f"Type {dtype} is not supported; it must be bool, an integer type, float16, float32 or float64")
    tolerance, is_all = _difference(delta, np.dtype(np.uint8) if dtype == bool else dtype)
    if dtype == np.float16 and tolerance != 0:
        raise TypeError("delta does not support float16 images; convert them to float32")
    is_binary = bool(binary_image) or dtype == bool or is_all

    values, is_reversed = in_memory_order(data)
    values = values.astype(np.float32 if dtype == np.float16 else dtype, copy=False)
    if dtype.kind == "f" and not is_binary and np.isnan(values.min()):
        raise NotImplementedError("NaN is not supported, except with binary_image=True")
    if is_binary:
        image = values != 0 if dtype.kind == "f" else values
        runs = _engine.find(image, rank, periodic=periodic_boundary)
        if image.ndim == 2 and connectivity == 8:
            _number_by_blocks(runs, image.shape[1])
    elif tolerance == 0:
        runs = _engine.find(values, rank, criterion="equal-value", periodic=periodic_boundary)
    else:
        runs = _engine.find(values, rank, criterion="tolerance", tolerance=tolerance, periodic=periodic_boundary)

    maximum = values.size if max_labels <= 0 else min(max_labels, values.size)
    if is_binary:
        maximum = min(maximum, _maximum_of_binary(data.shape, connectivity))
    elif maximum >= np.iinfo(np.uint16).max or out_dtype is not None:
        maximum = min(maximum, runs.run_count if tolerance == 0 else _count_runs(values))
    # Some bounds of cc3d are too low, and it fails then.
    label_type = _label_type(out_dtype, max(maximum, runs.count))
    if out_file is None:
        labels = _engine.write(runs, values.shape, label_type)
    else:
        labels = _map_file(out_file, label_type, values.shape)
        runs.write(labels)
    result = labels.T if is_reversed else labels
    return (result, runs.count) if return_N else result


def _map_file(out_file: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    if isinstance(out_file, str):
        return np.memmap(out_file, dtype=dtype, mode="w+", shape=shape)
    out_file.truncate(int(np.prod(shape)) * dtype.itemsize)
    return np.memmap(out_file, dtype=dtype, mode="r+", shape=shape)
