# SPDX-License-Identifier: Apache-2.0
"""`skimage.measure` and `skimage.morphology` functions by BrickCCL: label, regionprops_table, euler_number and
remove_small_objects (scikit-image 0.26)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _engine
from . import scipy as _scipy
from ._engine import Array

__all__ = ["euler_number", "label", "regionprops_table", "remove_small_objects"]


def _check_rank(connectivity: Any, dimension: int) -> int:
    rank = dimension if connectivity is None else connectivity
    if not 1 <= rank <= dimension:
        raise ValueError(f"connectivity={connectivity} of an image of {dimension} dimensions; it must be 1 to {dimension}")
    return int(rank)


def label(label_image: Array, background: Any = None, return_num: bool = False, connectivity: int | None = None) -> Any:
    """Labels regions of equal value like `skimage.measure.label`; full connectivity if none is given.

    Parameters
    ----------
    label_image : numpy.ndarray
        1 to 3 dimensions (bool: up to 4 axes of more than one element). Floats are truncated to integers.
    background : int, optional
        The value that becomes 0; 0 if not given.
    return_num : bool, default False
        Also return the number of labels.
    connectivity : int, optional
        The number of axes along which neighbors may differ, 1 to the dimension; the dimension if not given.

    Returns
    -------
    labels : numpy.ndarray
        int64 (int32 for a bool array), in C order.
    num : int
        If `return_num`.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.skimage import label
    >>> label(np.array([1, 1, 2, 0, 2]))
    array([1, 1, 2, 0, 3])
    """
    if label_image.dtype == bool:
        foreground = ~label_image if background == 1 else label_image
        rank = _check_rank(connectivity, label_image.ndim)
        if foreground.size == 0:
            labels, count = np.zeros(label_image.shape, np.int32), 0
        else:
            runs = _engine.find(foreground, rank)
            labels, count = _engine.write(runs, label_image.shape, np.int32), runs.count
        return (labels, count) if return_num else labels
    if not 1 <= label_image.ndim <= 3:
        raise NotImplementedError(f"images must have 1 to 3 dimensions; this one has {label_image.ndim}")
    rank = _check_rank(connectivity, label_image.ndim)
    values = label_image
    if values.dtype.kind not in "iu":
        if values.dtype.kind != "f":
            raise TypeError(f"images of {values.dtype} cannot be labeled")
        values = values.astype(np.intp)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if values.dtype == np.uint64:
        # As scikit-image: large values are negative ones, among them the background.
        values = values.view(np.int64)
    if values.size == 0:
        labels, count = np.zeros(values.shape, np.intp), 0
    else:
        # scikit-image brings a last axis of one element to the front, and numbers along the others then.
        swaps = values.ndim == 3 and values.shape[2] == 1
        values = values.swapaxes(0, 2) if swaps else values
        runs = _engine.find(
            values,
            rank,
            criterion="equal-value",
            background=0 if background is None else int(background),
        )
        labels, count = _engine.write(runs, values.shape, np.intp), runs.count
        labels = labels.swapaxes(0, 2) if swaps else labels
    return (labels, count) if return_num else labels


#: The default limit of `remove_small_objects`.
MAX_SIZE = 64


def remove_small_objects(
    ar: Array, min_size: Any = None, connectivity: int = 1, *, max_size: int = MAX_SIZE, out: Array | None = None
) -> Array:
    """Removes objects of up to `max_size` elements like `skimage.morphology.remove_small_objects`.

    Parameters
    ----------
    ar : numpy.ndarray of bool or int
        A bool array is labeled first; in other arrays every value is one object.
    min_size : int, optional
        The old name: removes objects of fewer elements. (scikit-image 0.26.0 treats it like `max_size`.)
    connectivity : int, default 1
        For bool arrays: the number of axes along which neighbors may differ.
    max_size : int, default 64
        Removes objects of this many elements or fewer.
    out : numpy.ndarray, optional
        Array for the result; may be `ar` itself. If its type is bool, objects are labeled first.

    Returns
    -------
    numpy.ndarray
        The type of `ar`.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.skimage import remove_small_objects
    >>> remove_small_objects(np.array([True, True, False, True]), max_size=1)
    array([ True,  True, False, False])
    """
    if ar.dtype.kind not in "biu":
        raise TypeError(f"the image is of type {ar.dtype}; it must be bool or an integer type")
    if min_size is not None:
        warnings.warn("Parameter `min_size` is deprecated: use `max_size`, which is inclusive", FutureWarning, stacklevel=2)
        if max_size != MAX_SIZE:
            raise ValueError("both min_size and max_size were given; use only max_size")
    if out is None:
        out = ar.copy()
    else:
        out[:] = ar
    limit = max_size if min_size is None else min_size
    if max_size == 0 or limit == 0:
        return out

    if ar.size == 0:
        return out

    def is_small(sizes: Array) -> Array:
        small: Array = sizes <= limit if min_size is None else sizes < limit
        return small

    if out.dtype == bool:
        rank = min(max(1, int(connectivity)), max(1, out.ndim))
        runs = _engine.find(np.atleast_1d(out), rank)
        _, lengths, marks = runs.runs()
        sizes = np.bincount(marks, weights=lengths, minlength=runs.count + 1)[1:]
        runs.renumber((~is_small(sizes)).astype(np.uint64))
        out[...] = _engine.write(runs, ar.shape, np.uint8).view(bool) if runs.count else False
        return out
    if out.dtype.kind not in "iu":
        raise TypeError(f"out is of type {out.dtype}; it must be bool or an integer type")
    if out.dtype.kind == "i" and out.min() < 0:
        raise ValueError("there are labels below 0; label the image first")
    native = out if out.dtype.isnative else out.astype(out.dtype.newbyteorder("="))
    runs, native_table = _engine.measure(np.atleast_1d(native))
    table = native_table.columns()
    if len(native_table) == 1 and int(table["label"][0]) == 1:
        warnings.warn(
            "there is only one label; did you mean a bool array?",
            stacklevel=2,
        )
    keeps = ~is_small(table["voxel_count"].view(np.int64))
    runs.renumber(np.where(keeps, table["label"].astype(np.uint64), np.uint64(0)))
    out[...] = _engine.write(runs, ar.shape, native.dtype)
    return out


def euler_number(image: Array, connectivity: int | None = None) -> int:
    """The Euler number of positive elements like `skimage.measure.euler_number`, for 2-D and 3-D images.

    Parameters
    ----------
    image : numpy.ndarray
    connectivity : int, optional
        1 or the dimension; the dimension if not given.

    Returns
    -------
    int

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.skimage import euler_number
    >>> ring = np.ones((3, 3)); ring[1, 1] = 0
    >>> int(euler_number(ring))
    0
    """
    if image.ndim not in (2, 3):
        raise NotImplementedError(f"Euler numbers need 2-D or 3-D images, not {image.ndim}-D ones")
    rank = image.ndim if connectivity is None else connectivity
    if image.ndim == 3 and rank == 2:
        raise NotImplementedError("the Euler number of a volume needs connectivity 1 or 3")
    mask = np.ascontiguousarray(image > 0)
    if mask.size == 0 or not mask.any():
        number = 0
    else:
        columns = _engine.measure(mask, groups="topology")[1].columns()
        faces = {2: "euler_number_4", 3: "euler_number_6"}[image.ndim]
        full = {2: "euler_number_8", 3: "euler_number_26"}[image.ndim]
        number = int(columns[faces if rank == 1 else full][0])
    # As there: of a plane a number of numpy's, of a volume one of Python's.
    return np.int64(number) if image.ndim == 2 else number  # type: ignore[return-value]


#: The properties that are offered, and the columns that they come from; {} stands for an axis.
_PROPERTIES = {
    "area": None,
    "area_bbox": None,
    "axis_major_length": "shape",
    "axis_minor_length": "shape",
    "bbox": None,
    "centroid": None,
    "centroid_local": None,
    "equivalent_diameter_area": None,
    "euler_number": "topology",
    "extent": None,
    "intensity_max": None,
    "intensity_mean": None,
    "intensity_median": "intensity",
    "intensity_min": None,
    "intensity_std": None,
    "label": None,
    "num_pixels": None,
}

_OLD_NAMES = {
    "bbox_area": "area_bbox",
    "equivalent_diameter": "equivalent_diameter_area",
    "local_centroid": "centroid_local",
    "major_axis_length": "axis_major_length",
    "minor_axis_length": "axis_minor_length",
    "max_intensity": "intensity_max",
    "mean_intensity": "intensity_mean",
    "min_intensity": "intensity_min",
    "std_intensity": "intensity_std",
}


def regionprops_table(
    label_image: Array,
    intensity_image: Array | None = None,
    properties: Any = ("label", "bbox"),
    *,
    cache: bool = True,
    separator: str = "-",
    extra_properties: Any = None,
    spacing: Any = None,
) -> dict[str, Array]:
    """Measures labels like `skimage.measure.regionprops_table`, for 2-D and 3-D images.

    Parameters
    ----------
    label_image : numpy.ndarray of int
    intensity_image : numpy.ndarray, optional
        Same shape and one channel.
    properties : tuple of str
        From area, area_bbox, axis_major_length, axis_minor_length (2-D), bbox, centroid, centroid_local,
        equivalent_diameter_area, euler_number, extent, intensity_max, intensity_mean, intensity_median, intensity_min,
        intensity_std, label, num_pixels.
    cache : bool
        Ignored.
    separator : str, default "-"
        Text between a name and the number of an axis.
    extra_properties
        Not supported.
    spacing : float or sequence of float, optional
        Size of an element, in the order of axes.

    Returns
    -------
    dict of numpy.ndarray
        Columns of the same names, types and order as scikit-image's; values to 1e-12 or better.

    Raises
    ------
    NotImplementedError
        For other properties, and `extra_properties`.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.skimage import regionprops_table
    >>> regionprops_table(np.array([[1, 1], [0, 2]]), properties=("label", "area"))
    {'label': array([1, 2]), 'area': array([2., 1.])}
    """
    if extra_properties is not None:
        raise NotImplementedError("extra_properties are not supported")
    if label_image.dtype.kind == "b":
        raise TypeError("label_image is of type bool; label it first")
    if label_image.dtype.kind not in "iu":
        raise TypeError(f"label_image is of type {label_image.dtype}; it must be of an integer type")
    dimension = label_image.ndim
    if dimension not in (2, 3):
        raise TypeError(f"label_image has {dimension} dimensions; it must have 2 or 3")
    if isinstance(label_image, np.ma.MaskedArray) or isinstance(intensity_image, np.ma.MaskedArray):
        raise NotImplementedError("masked arrays are not supported; pass their data, with label 0 at masked elements")
    size = _spacing_of(spacing, dimension)
    names: list[str] = [_OLD_NAMES[name] if name in _OLD_NAMES else name for name in properties]
    for name in names:
        if name not in _PROPERTIES or (name.startswith("axis_") and dimension == 3):
            raise NotImplementedError(f"the property '{name}' is not supported; choose from: {', '.join(_PROPERTIES)}")
        if name.startswith("intensity") and intensity_image is None:
            raise AttributeError(f"the property '{name}' needs an intensity_image")
    if intensity_image is not None and intensity_image.shape != label_image.shape:
        raise NotImplementedError("intensity images must have the shape of the label image, and one channel")
    table = _columns(label_image, intensity_image, names, size)
    result: dict[str, Array] = {}
    for given, name in zip(properties, names):
        values = table[name]
        if isinstance(values, list):
            result.update((separator.join((given, str(number))), column) for number, column in enumerate(values))
        else:
            result[given] = values
    return result


def _spacing_of(spacing: Any, dimension: int) -> list[float]:
    """One length for each axis."""
    given = np.asarray(1.0 if spacing is None else spacing)
    if given.shape not in ((), (dimension,)) or given.dtype.kind not in "iuf":
        raise ValueError(f"spacing={spacing}; it must be a number, or one for each of the {dimension} axes")
    return [float(length) for length in np.broadcast_to(given, (dimension,))]


def _columns(labels: Array, intensity: Array | None, names: list[str], spacing: list[float]) -> dict[str, Any]:
    """All properties as columns; a list if there is one per axis."""
    dimension = labels.ndim
    native = labels if labels.dtype.isnative else labels.astype(labels.dtype.newbyteorder("="))
    # Labels below 0 are left out, as there.
    native = _scipy._without_negatives(native)
    groups = ",".join(sorted({group for name in names if (group := _PROPERTIES[name])}))
    gray = None
    if intensity is not None and any(name.startswith("intensity") for name in names):
        gray = intensity.astype(np.float32) if intensity.dtype == np.float16 else intensity
        gray = gray.astype(gray.dtype.newbyteorder("="), copy=False)
    if labels.size == 0:
        native, gray = np.zeros((1,) * dimension, np.uint8), None if gray is None else np.zeros((1,) * dimension)
    table = _engine.measure(native, intensity=gray, groups=groups, spacing=spacing)[1].columns()
    low, high = _engine.boxes(table, dimension)
    axes = "xyz"[:dimension][::-1]
    voxel = float(np.prod(spacing))
    count = table["voxel_count"].view(np.int64)
    indices = [table[f"centroid_{axis}"] for axis in axes]
    area = count * voxel
    box = (high - low + 1).prod(axis=1).astype(float) * voxel
    columns: dict[str, Any] = {
        "label": table["label"].view(np.int64),
        "num_pixels": count,
        "area": area,
        "area_bbox": box,
        "bbox": [*low.T, *(high + 1).T],
        "centroid": [index * step for index, step in zip(indices, spacing)],
        "centroid_local": [(index - first) * step for index, first, step in zip(indices, low.T, spacing)],
        "equivalent_diameter_area": (2 * dimension * area / np.pi) ** (1 / dimension),
        "extent": area / box,
    }
    if "euler_number" in names:
        columns["euler_number"] = table["euler_number_8" if dimension == 2 else "euler_number_26"].view(np.int64)
    if "shape" in groups:
        # There, a pixel is a point; here, too: second moments of centers.
        columns["axis_major_length"] = table[f"axis_length_{dimension}_mm"]
        columns["axis_minor_length"] = table["axis_length_1_mm"]
    if gray is not None:
        for name in ("intensity_min", "intensity_max", "intensity_mean"):
            columns[name] = table[name]
        without = np.zeros(len(count), bool)
        if gray.dtype.kind == "f" and labels.size and np.isnan(gray.min()):
            # There, what has a value that is not a number has no least and largest one.
            without = np.isin(table["label"], native[np.isnan(gray)])
            for name in ("intensity_min", "intensity_max"):
                columns[name] = np.where(without, np.nan, columns[name])
        spread = table["intensity_std"] * np.sqrt((count - 1) / count)
        columns["intensity_std"] = np.where(np.isfinite(columns["intensity_mean"]), spread, np.nan)
        if "intensity_median" in table:
            columns["intensity_median"] = table["intensity_median"]
        if gray.dtype.kind == "f" and labels.size:
            _measure_the_infinite(columns, without, native, gray)
    return columns


def _measure_the_infinite(columns: dict[str, Array], without: Array, labels: Array, gray: Array) -> None:
    """Fills in measures of infinite values or sums that the engine leaves open, as in numpy."""
    ways: dict[str, Callable[[Array], Any]] = {"intensity_mean": np.mean, "intensity_std": np.std, "intensity_median": np.median}
    names = [name for name in ways if name in columns]
    rows = np.flatnonzero(np.any([np.isnan(columns[name]) for name in names], axis=0) & ~without)
    if len(rows) == 0:
        return
    chosen = np.isin(labels, columns["label"][rows])
    order = np.argsort(labels[chosen], kind="stable")
    parts = np.split(gray[chosen][order], np.cumsum(columns["num_pixels"][rows])[:-1])
    for name in names:
        columns[name] = columns[name].copy()
        columns[name][rows] = [ways[name](part) for part in parts]
