# SPDX-License-Identifier: Apache-2.0
"""Touching objects split; distances to the border of objects; morphology."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from . import _core
from ._output import new_array
from ._progress import Progress, hook_of
from ._rules import rules_of
from ._volume import as_volume, float_of, threads_of


def is_split(split: Any) -> bool:
    """Whether an argument `split` asks for one."""
    return split is not None and not (isinstance(split, (bool, np.bool_)) and not split)


def split_height(split: Any) -> tuple[float, bool] | None:
    """The height of an argument `split` and whether it is in per cent, or None for the default."""
    return None if isinstance(split, (bool, np.bool_)) else _height_of("split", split, "True or ")


def _height_of(name: str, value: Any, other: str) -> tuple[float, bool]:
    right = f"{other}a finite height of at least 0, or a share of the smaller peak above 0 and below 100 %: '10%'"
    percent = isinstance(value, str) and value.endswith("%")
    try:
        height = float(value[:-1]) if percent else float_of(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be {right}, not {value!r}") from None
    except OverflowError:
        height = math.inf
    if not (0 < height < 100 if percent else 0 <= height < math.inf):
        raise ValueError(f"{name}={height:g}{'%' if percent else ''} must be {right}")
    return height, percent


class SplitObjects(NamedTuple):
    """The objects of a split in the order of their numbers; without seeds, object `i + 1` is at place `i`."""

    #: The label that each object is a part of.
    parents: np.ndarray[Any, Any]
    #: The greatest distance to the border (mm) in each object, or its greatest value.
    peaks: np.ndarray[Any, Any]


def split(
    labels: Any,
    height: float | str | None = None,
    *,
    values: Any = None,
    seeds: Any = None,
    connectivity: int | None = None,
    by_slice: int | None = None,
    neighborhood: Any = None,
    periodic: Any = (),
    spacing: float | Sequence[float] | None = None,
    return_objects: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Splits touching objects of a mask or label map, each label separately.

    Every voxel climbs to its neighbor with the greatest distance to the border of its label, of equal ones to the first in C
    order. Voxels that reach the same peak are one object. Two objects merge if the lower of their peaks is less than `height`
    above the highest pass between them; of equally high peaks the first in C order stays. The result does not depend on the
    number of threads, but a flipped or transposed array may have other borders between objects.

    Parameters
    ----------
    labels : array or image
        A mask or label map of any type that `label` accepts; 0 is the background, every other whole number a label.
    height : float or str, optional
        In mm, by default 0.75 times the smallest spacing, or a share of the lower peak such as "10%"; with `values` in their
        unit, by default 0. More merges more objects; less splits rough ones. With 0, only plateaus are one object.
    values : array or image, optional
        Split along the dark valleys of these values instead of along necks.
    seeds : array or image, optional
        Markers of the same shape: whole numbers, 0 outside all seeds. Each seed becomes one object with its number; there is
        then no height. Seeds flood their label downwards from the highest pass, until they meet another seed. Voxels that no seed
        reaches become 0.
    connectivity, by_slice, neighborhood : optional
        The neighbors of a voxel, as for `label`; all if not given. With `by_slice`, each slice is split separately.
    periodic, spacing, threads, progress
        As for `label`. Along periodic axes, distances and steps go through the ends.
    return_objects : bool, default False
        Also return the parents and peaks of the objects as `SplitObjects`.

    Returns
    -------
    Objects 1, 2, ... of 32 bits in C order of their first voxels, or with the numbers of their seeds, as the same kind as the labels; with `return_objects` also
    their parents and peaks.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> brickccl.split(np.array([[1, 1, 1, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 1, 1, 1]]))
    array([[1, 1, 1, 0, 2, 2, 2],
           [1, 1, 1, 1, 2, 2, 2],
           [1, 1, 1, 0, 2, 2, 2]], dtype=uint32)
    """
    volume = as_volume(labels, "labels")
    if neighborhood is None and connectivity is None:
        connectivity = volume.array.ndim - (0 if by_slice is None else 1)
    objects = new_array(volume.array.shape, np.uint32)
    parents, peaks = _core.split(
        volume.array,
        objects,
        rules_of(volume, connectivity=connectivity, by_slice=by_slice, neighborhood=neighborhood, periodic=periodic, threads=threads),
        None if height is None else _height_of("height", height, ""),
        volume.companion("values", values),
        volume.companion("seeds", seeds),
        volume.geometry(spacing, None),
        hook_of(progress),
    )
    result = volume.labels(objects)
    return (result, SplitObjects(parents, peaks)) if return_objects else result


def distance(
    labels: Any,
    *,
    by_slice: int | None = None,
    spacing: float | Sequence[float] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """The exact Euclidean distance of every voxel to the border of its label, for all labels at once.

    It is the distance between the voxel's center and the nearest center of another label or of the background: for masks the
    same as `scipy.ndimage.distance_transform_edt`. The border of the image is not a border of labels. Where nothing but one
    label is, distances are infinite.

    Parameters
    ----------
    labels : array or image
        A mask or label map of any type that `label` accepts; 0 is the background, every other whole number a label.
    by_slice : int, optional
        An axis; distances are within the slices across it.
    spacing, threads, progress
        As for `label`.

    Returns
    -------
    Distances in mm of type float32, as the same kind as the labels.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> brickccl.distance(np.array([0, 1, 1, 1, 2, 2]), spacing=0.5)
    array([0. , 0.5, 1. , 0.5, 0.5, 1. ], dtype=float32)
    """
    volume = as_volume(labels, "labels")
    distances = new_array(volume.array.shape, np.float32)
    _core.distances(
        volume.array,
        distances,
        None if by_slice is None else volume.axis("by_slice", by_slice),
        volume.geometry(spacing, None),
        threads_of(threads),
        hook_of(progress),
    )
    return volume.labels(distances)



#: As the numbers of MorphOperation.
_OPERATIONS = ("dilate", "erode", "open", "close")


def morph(
    labels: Any,
    operation: Literal["dilate", "erode", "open", "close"],
    radius: float,
    *,
    by_slice: int | None = None,
    spacing: float | Sequence[float] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Morphology with exact Euclidean balls, of a mask or of all labels at once. Labels keep their numbers.

    - `"dilate"`: background voxels get the nearest label within the radius, the smallest of equally near ones.
    - `"erode"`: voxels become background that have another label or the background within the radius.
    - `"open"`: a voxel stays if a ball of its own label covers it. For these two, only voxels inside the image count.
    - `"close"`: background voxels get a label if every ball that covers them has a voxel of it; the smallest of several.

    Parameters
    ----------
    labels : array or image
        A mask or label map of any type that `label` accepts; 0 is the background, every other whole number below 2**32 a label.
    operation : str
        One of the four above.
    radius : float
        In mm, or in voxels without a spacing. A ball holds the voxels whose centers are at most this far from its center.
    by_slice : int, optional
        An axis; the balls are disks in the slices across it.
    spacing, threads, progress
        As for `label`.

    Returns
    -------
    Labels of the same type (float32 for float16), as the same kind as the labels.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> brickccl.morph(np.array([0, 0, 3, 0, 0, 0, 2, 2, 0], np.uint8), "dilate", 2)
    array([3, 3, 3, 3, 2, 2, 2, 2, 2], dtype=uint8)
    """
    if operation not in _OPERATIONS:
        raise ValueError(f"operation is {operation!r}; it must be one of {', '.join(map(repr, _OPERATIONS))}")
    volume = as_volume(labels, "labels")
    kind = volume.array.dtype
    result = new_array(volume.array.shape, np.uint8 if kind == bool else kind)
    _core.morph(
        volume.array,
        result,
        _OPERATIONS.index(operation),
        float_of(radius),
        None if by_slice is None else volume.axis("by_slice", by_slice),
        volume.geometry(spacing, None),
        threads_of(threads),
        hook_of(progress),
    )
    return volume.labels(result.view(kind))
