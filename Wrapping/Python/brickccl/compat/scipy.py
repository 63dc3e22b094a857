# SPDX-License-Identifier: Apache-2.0
"""`scipy.ndimage` functions by BrickCCL: label, find_objects, sum_labels, value_indices (scipy 1.17)."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import _engine
from ._engine import Array

__all__ = ["find_objects", "label", "sum_labels", "value_indices"]


def label(input: Any, structure: Any = None, output: Any = None) -> Any:
    """Labels features like `scipy.ndimage.label`: all nonzero elements, including NaN, in C order.

    Parameters
    ----------
    input : array_like
        Up to 4 axes of more than one element.
    structure : array_like, optional
        The neighbors of an element: symmetric, 3 along each axis. By faces if not given.
    output : dtype or numpy.ndarray, optional
        The type of the labels (default int32), or an array for them.

    Returns
    -------
    labels : numpy.ndarray
    count : int
        Only `count` if `output` is an array.

    Raises
    ------
    NotImplementedError
        For more axes.
    RuntimeError
        If `output` cannot hold the labels, or the structure has another number of axes.

    Examples
    --------
    >>> from brickccl.compat.scipy import label
    >>> label([1, 0, 1])
    (array([1, 0, 2], dtype=int32), 2)
    """
    image = np.asarray(input)
    if image.dtype.kind not in "biuf":
        raise TypeError(f"arrays of {image.dtype} cannot be labeled; the type must be bool, an integer or a float type")
    neighbors = _engine.neighbors_of(structure, image.ndim)

    given = output if isinstance(output, np.ndarray) else None
    if given is not None and given.shape != image.shape:
        raise ValueError("output shape not correct")
    plain = np.dtype(np.intp if image.size >= 2**31 - 2 else np.int32)
    dtype = given.dtype if given is not None else plain if output is None else np.dtype(output)
    if dtype.kind not in "biuf" or (dtype.kind == "f" and dtype.itemsize not in (4, 8)):
        raise TypeError(f"labels cannot be of {dtype}; the type must be bool, an integer type, float32 or float64")
    if image.ndim == 0 or image.size == 0:
        count = int(image.ndim == 0 and bool(image != 0))
        labels = np.empty(image.shape, dtype) if given is None else given
        labels[...] = count
        return (labels, count) if given is None else count

    # NaN is foreground here, and background in the engine.
    foreground = image != 0 if image.dtype.kind == "f" else image
    if not foreground.dtype.isnative:
        foreground = foreground.astype(foreground.dtype.newbyteorder("="))
    last = image.ndim - 1 if given is None else _axis_of_lines(given)
    if given is not None and last != image.ndim - 1:
        labels, count = _label_along(foreground, neighbors, last, plain)
        return _give_labels(labels, count, given)
    runs = _engine.find(foreground, neighbors)
    count = runs.count
    direct = dtype.kind in "iu" and dtype.isnative and count <= np.iinfo(dtype).max
    if direct and given is None:
        return _engine.write(runs, image.shape, dtype), count
    if direct and given is not None and given.flags.c_contiguous and given.flags.writeable:
        runs.write(given.reshape(runs.shape))
        return count
    labels = np.empty(image.shape, dtype) if given is None else given
    _give_labels(_engine.write(runs, image.shape, plain), count, labels)
    return (labels, count) if given is None else count


def _axis_of_lines(output: Array) -> int:
    """The fastest axis when scipy numbers labels for this array: the axis with the smallest stride above 0 that is below the
    first one, otherwise the first axis."""
    chosen, smallest = 0, next((stride for stride in output.strides if stride), 0)
    for axis, stride in enumerate(output.strides):
        if axis and 0 < stride < smallest:
            chosen, smallest = axis, stride
    return chosen


def _label_along(foreground: Array, neighbors: int | Array, last: int, dtype: Any) -> tuple[Array, int]:
    """Labels numbered in C order of the array with the last axis `last`."""
    order = [axis for axis in range(foreground.ndim) if axis != last] + [last]
    turned = neighbors.transpose(order) if isinstance(neighbors, np.ndarray) else neighbors
    runs = _engine.find(np.ascontiguousarray(foreground.transpose(order)), turned)
    labels = _engine.write(runs, [foreground.shape[axis] for axis in order], dtype)
    return labels.transpose(np.argsort(order)), runs.count


def _give_labels(labels: Array, count: int, output: Array) -> int:
    """Copies labels to an array of another type or layout. Raises RuntimeError if it cannot hold them."""
    if output.dtype.kind == "b":
        fits = count < 256
    elif output.dtype.kind == "f":
        fits = bool(np.array_equal(labels.astype(output.dtype), labels))
    else:
        fits = count <= np.iinfo(output.dtype).max
    if not fits:
        raise RuntimeError("insufficient bit-depth in requested output type")
    output[...] = labels
    return count


def _native(array: Array) -> Array:
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _integers(array: Any, most: int) -> Array:
    """A label image in native byte order; as in scipy, with the largest label given (`most`), also of truth values and of
    floats, which scipy truncates after subtracting 1. Raises TypeError for others."""
    labels = _native(np.asarray(array))
    if most >= 1 and labels.dtype == bool:
        return labels.view(np.uint8)
    if most >= 1 and labels.dtype.kind == "f" and labels.dtype.itemsize in (4, 8):
        below = np.trunc(labels - labels.dtype.type(1))
        return np.where((below >= 0) & (below < most), below, -1).astype(np.intp) + 1
    if labels.dtype.kind not in "iu":
        raise TypeError(f"labels must be integers, not {labels.dtype}")
    return labels


def _without_negatives(labels: Array) -> Array:
    return np.maximum(labels, 0) if labels.dtype.kind == "i" and labels.size and labels.min() < 0 else labels


def find_objects(input: Any, max_label: int = 0) -> list[tuple[slice, ...] | None]:
    """Finds the bounding boxes of labels like `scipy.ndimage.find_objects`.

    Parameters
    ----------
    input : array_like of int
        Labels; values up to 0 are background. With `max_label` also bool, float32 or float64.
    max_label : int, optional
        The last label; the largest one if not given.

    Returns
    -------
    list of (tuple of slice or None)
        Item k - 1 is the box of label k, None if there is no such label.

    Examples
    --------
    >>> from brickccl.compat.scipy import find_objects
    >>> find_objects([0, 1, 1, 3])
    [(slice(1, 3, None),), None, (slice(3, 4, None),)]
    """
    most = 0 if max_label < 1 else operator.index(max_label)
    labels = _integers(input, most)
    if labels.size == 0 and most < 1:
        raise ValueError("zero-size array has no largest label")
    last = int(labels.max()) if most < 1 else most
    found: list[tuple[slice, ...] | None] = [None] * max(0, last)
    if labels.ndim == 0 or labels.size == 0:
        if labels.size and 1 <= int(labels) <= last:
            found[int(labels) - 1] = ()
        return found
    squeezed = _engine.without_single_axes(labels)
    table = _engine.measure(_without_negatives(squeezed))[1].columns()
    low, high = _engine.boxes(table, squeezed.ndim)
    for number, first, end in zip(table["label"].tolist(), low.tolist(), (high + 1).tolist()):
        if number <= last:
            box = map(slice, first, end)
            found[number - 1] = tuple(box) if squeezed.ndim == labels.ndim else tuple(
                slice(0, 1) if size == 1 else next(box) for size in labels.shape
            )
    return found


def sum_labels(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Sums values under labels like `scipy.ndimage.sum_labels`.

    Parameters
    ----------
    input : array_like
        bool, integers or floats.
    labels : array_like, optional
        Integers or floats, broadcast to the shape of `input`.
    index : int or array_like of int, optional
        The labels; if not given, all above 0 as one.

    Returns
    -------
    scalar, or numpy.ndarray of float64 in the shape of `index`
        0 for labels that do not exist.

    Notes
    -----
    Sums of integers are exact before they are rounded once; sums of floats can differ from scipy's in the last digits.

    Examples
    --------
    >>> from brickccl.compat.scipy import sum_labels
    >>> sum_labels([1.0, 2.0, 4.0], [1, 1, 3], [1, 2, 3])
    array([3., 0., 4.])
    """
    values = np.asarray(input)
    if labels is None:
        return values.sum()
    values, marks = np.broadcast_arrays(values, np.asarray(labels))
    if index is None:
        return values[marks > 0].sum()
    if np.isscalar(index):
        return values[marks == index].sum()
    if values.dtype.kind not in "biuf":
        raise TypeError(f"values of {values.dtype} cannot be summed; the type must be bool, an integer or a float type")
    if marks.dtype.kind not in "biuf":
        raise NotImplementedError(f"labels of {marks.dtype} are not supported; they must be integers or floats")
    wanted = np.asarray(index)
    sums = np.zeros(wanted.shape)
    if values.size == 0:
        return sums
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float32 if values.dtype.itemsize == 2 else np.float64)
    if not 1 <= marks.ndim <= _engine.MOST_DIMENSIONS:
        values, marks = values.reshape(-1), marks.reshape(-1)
    values, marks = _native(values), _native(marks)
    known: Array | None = None
    if marks.dtype.kind == "f" or (marks.dtype.kind == "i" and marks.min() < 0):
        # Labels that the engine does not have become numbers 1.. of the same order.
        known, numbers = np.unique(marks, return_inverse=True)
        marks = numbers.reshape(marks.shape) + 1
    table = _engine.measure(marks, intensity=values)[1].columns()
    has_zero = known is None
    known = table["label"] if known is None else known
    if len(known):
        places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        sums = np.where(known[places] == wanted, table["intensity_sum"][places], 0.0)
    # The engine's labels are those that are not 0.
    if has_zero and np.any(wanted == 0):
        sums = np.where(wanted == 0, np.float64(values[marks == 0].sum(dtype=np.float64)), sums)
    return sums


def value_indices(arr: Any, *, ignore_value: int | None = None) -> dict[Any, tuple[Array, ...]]:
    """Finds the places of each value like `scipy.ndimage.value_indices`.

    Parameters
    ----------
    arr : array_like of int
    ignore_value : int, optional
        A value to ignore.

    Returns
    -------
    dict
        From each value, a numpy scalar, to a tuple of index arrays, one for each axis.

    Examples
    --------
    >>> from brickccl.compat.scipy import value_indices
    >>> value_indices([5, 0, 5])[5]
    (array([0, 2]),)
    """
    array = np.asarray(arr)
    if array.dtype.kind not in "iu":
        raise ValueError("Parameter 'arr' must be an integer array")
    values = _native(array)
    ignored = None if ignore_value is None else values.dtype.type(ignore_value)
    found: dict[Any, tuple[Array, ...]] = {}
    if values.ndim == 0:
        if ignored is None or values != ignored:
            found[values.flat[0]] = ()
        return found
    if values.size == 0:
        return found
    # Negative values as the large ones that have their bits.
    bits = np.ascontiguousarray(values).view(values.dtype.str.replace("i", "u"))
    bits = bits if bits.ndim <= _engine.MOST_DIMENSIONS else bits.reshape(-1)
    runs, table = _engine.measure(bits)
    offsets, indices = runs.voxels()
    flat = values.reshape(-1)
    for first, end in zip(offsets[:-1].tolist(), offsets[1:].tolist()):
        places = np.unravel_index(indices[first:end], values.shape)
        found[flat[indices[first]]] = tuple(map(np.ascontiguousarray, places))
    zeros = tuple(map(np.ascontiguousarray, np.nonzero(values == 0)))
    if len(zeros[0]):
        found[values.dtype.type(0)] = zeros
    if ignored is not None:
        found.pop(ignored, None)
    return {value: found[value] for value in sorted(found)}
