# SPDX-License-Identifier: Apache-2.0
"""`cc3d` functions of components: statistics, dust, largest_k, each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _engine
from ._cc3d_labels import connected_components, in_memory_order, plain
from ._engine import Array


def _integer_labels(labels: Array) -> Array:
    labels = plain(labels)
    if labels.dtype.kind not in "biu" or not labels.dtype.isnative or labels.ndim not in (1, 2, 3):
        raise TypeError(f"labels of {labels.dtype} with {labels.ndim} dimensions; they must be integers of 1 to 3 dimensions")
    return labels


def statistics(out_labels: Array, no_slice_conversion: bool = False) -> dict[str, Any]:
    """Counts, bounding boxes and centroids of labels like `cc3d.statistics`; row 0 is the background.

    Parameters
    ----------
    out_labels : numpy.ndarray of int
        Labels from 0 up to the number of voxels.
    no_slice_conversion : bool
        Bounding boxes as an array of first and last indices instead of slices.

    Returns
    -------
    dict
        `voxel_counts`, `bounding_boxes`, `centroids`; a missing label has the box None and the centroid NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import statistics
    >>> statistics(np.array([[0, 1], [1, 1]]))["voxel_counts"]
    array([1, 3], dtype=uint32)
    """
    labels = _integer_labels(out_labels)
    if labels.size == 0:
        return {"voxel_counts": None, "bounding_boxes": None, "centroids": None}
    if labels.ndim == 1:
        labels = labels[:, np.newaxis]
    largest, smallest = int(labels.max()), int(labels.min())
    if largest > labels.size:
        raise ValueError(f"the largest label, {largest}, is above the number of voxels, {labels.size}")
    if smallest < 0:
        raise ValueError(f"there is a label below 0: {smallest}")
    dimension = labels.ndim
    counts = np.zeros(largest + 1, np.uint32)
    centroids = np.full((largest + 1, dimension), np.nan)
    index = np.dtype("u2" if max(labels.shape) < 2**16 else "u4")
    bounds = np.zeros((largest + 1, 2 * dimension), index)
    bounds[:, 0::2] = 2 ** (8 * index.itemsize) - 1
    axes = "xyz"[:dimension][::-1]
    for image, offset in ((labels, 0), (labels == 0, -1)):
        table = _engine.measure(image)[1].columns()
        rows = table["label"].astype(np.intp) + offset
        counts[rows] = table["voxel_count"]
        low, high = _engine.boxes(table, dimension)
        bounds[rows, 0::2] = low
        bounds[rows, 1::2] = high
        centroids[rows] = np.stack([table[f"centroid_{axis}"] for axis in axes], axis=1)
    found: Any = bounds
    if not no_slice_conversion:
        found = [
            tuple(slice(row[2 * axis], row[2 * axis + 1] + 1) for axis in range(dimension)) if count else None
            for row, count in zip(bounds.tolist(), counts.tolist())
        ]
    return {"voxel_counts": counts, "bounding_boxes": found, "centroids": centroids}


def _sizes(labels: Array, count: int) -> Array:
    """Voxels of the labels 0..count; label 0 is not counted."""
    sizes = np.zeros(count + 1, np.int64)
    table = _engine.measure(_integer_labels(labels))[1].columns()
    sizes[table["label"].astype(np.intp)] = table["voxel_count"]
    return sizes


def _numbers(labels: Array) -> Array:
    """Labels that can index: not truth values."""
    return labels.view(np.uint8) if labels.dtype == bool else labels


def dust(
    img: Array,
    threshold: Any,
    connectivity: int = 26,
    in_place: bool = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
    invert: bool = False,
    return_N: bool = False,
) -> Any:
    """Removes components below a size like `cc3d.dust`; the rest keeps its values.

    Parameters
    ----------
    img : numpy.ndarray
    threshold : number or (low, high)
        Removes components with fewer voxels, or outside low <= size < high.
    connectivity, binary_image
        As for `connected_components`.
    in_place : bool
        Change `img` itself.
    precomputed_ccl : bool
        The image already is a label map.
    invert : bool
        Remove the others.
    return_N : bool
        Also return the number of remaining components.

    Returns
    -------
    image : numpy.ndarray
        The type of `img`.
    N : int
        If `return_N`.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import dust
    >>> dust(np.array([4, 4, 0, 9]), 2)
    array([4, 4, 0, 0])
    """
    values = plain(img)
    if precomputed_ccl:
        labels, count = _numbers(values), int(values.max()) if values.size else 0
    else:
        labels, count = connected_components(values, connectivity=connectivity, return_N=True, binary_image=binary_image)
    result = img if in_place else values.copy(order="K")
    sizes = _sizes(labels, count) if values.size else np.zeros(count + 1, np.int64)
    if isinstance(threshold, (tuple, list)):
        stays = (sizes >= threshold[0]) & (sizes < threshold[1])
    else:
        # Nothing is below what is not a number.
        stays = ~(sizes < threshold)
    if invert:
        stays = ~stays
    stays[0] = True
    if not stays.all():
        result[~stays[labels]] = 0
    return (result, int(stays[1:].sum())) if return_N else result


def largest_k(
    img: Array,
    k: int,
    connectivity: int = 26,
    delta: float = 0,
    return_N: bool = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
) -> Any:
    """The k largest components like `cc3d.largest_k`: a mask for k = 1, else labels that ascend with size.

    Parameters
    ----------
    img : numpy.ndarray
    k : int
        At least 0. If there are at most k components, the labels do not change.
    connectivity, delta, binary_image
        As for `connected_components`.
    return_N : bool
        Also return the number of components.
    precomputed_ccl : bool
        The image already is a label map.

    Returns
    -------
    labels : numpy.ndarray
        Among components of equal size, lower labels come first.
    N : int
        If `return_N`.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import largest_k
    >>> largest_k(np.array([1, 0, 1, 1, 0, 1, 1, 1]), k=2)
    array([0, 0, 1, 1, 0, 2, 2, 2], dtype=uint16)
    """
    if k < 0:
        raise AssertionError(f"k={k} must be at least 0")
    img = plain(img)
    if k == 0:
        nothing = np.zeros(img.shape, np.uint16, order="C" if img.flags.c_contiguous else "F")
        return (nothing, 0) if return_N else nothing
    if precomputed_ccl:
        labels, count = img.copy(), int(img.max()) if img.size else 0
    else:
        labels, count = connected_components(
            img, connectivity=connectivity, return_N=True, delta=delta, binary_image=binary_image
        )
    if count <= k:
        return (labels, count) if return_N else labels
    sizes = _sizes(labels, count)[1:]
    if k == 1:
        mask = labels == np.argmax(sizes) + 1
        return (mask, 1) if return_N else mask
    chosen = np.sort(np.argsort(-sizes, kind="stable")[:k])
    numbers = np.zeros(count + 1, labels.dtype)
    numbers[chosen[np.argsort(sizes[chosen], kind="stable")] + 1] = np.arange(1, k + 1)
    places = _numbers(labels)
    result = numbers[places] if places.flags.c_contiguous else numbers[places.T].T
    return (result, k) if return_N else result


def each(labels: Array, binary: bool = False, in_place: bool = False) -> Iterator[tuple[int, Array]]:
    """Each label with its image like `cc3d.each`, ascending.

    Parameters
    ----------
    labels : numpy.ndarray of bool or unsigned int
    binary : bool
        Masks instead of images of the labels' type.
    in_place : bool
        One read-only image for all, valid until the next one.

    Yields
    ------
    (int, numpy.ndarray)

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import each
    >>> [(label, int(image.sum())) for label, image in each(np.array([2, 2, 5], np.uint8), binary=True)]
    [(2, 2), (5, 1)]
    """
    labels = plain(labels)
    if labels.dtype.kind not in "bu":
        raise TypeError(f"labels of {labels.dtype}; they must be bool or of an unsigned type")
    return _each(_integer_labels(labels), np.dtype(bool) if binary else labels.dtype, in_place)


def _each(labels: Array, dtype: np.dtype[Any], in_place: bool) -> Iterator[tuple[int, Array]]:
    if labels.size == 0:
        return
    values, is_reversed = in_memory_order(labels)
    runs, native = _engine.measure(_numbers(values))
    offsets, indices = runs.voxels()
    image = np.zeros(values.shape, dtype)
    for place, label in enumerate(native.columns()["label"].tolist()):
        own = indices[offsets[place] : offsets[place + 1]]
        if not in_place:
            image = np.zeros(values.shape, dtype)
        image.reshape(-1)[own] = True if dtype == bool else label
        shown = image.T if is_reversed else image[...]
        if in_place:
            shown = shown.view()
            shown.flags.writeable = False
        yield label, shown
        if in_place:
            image.reshape(-1)[own] = 0
