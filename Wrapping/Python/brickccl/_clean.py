# SPDX-License-Identifier: Apache-2.0
"""Operations on segmentations: components removed, holes filled; a sweep over thresholds."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, overload

import numpy as np

from . import _core
from ._arguments import Array
from ._filter import holes_of
from ._output import new_array
from ._progress import Progress, hook_of
from ._rules import as_voxel_value, limits_of, narrow_float_of, rules_of
from ._table import Column
from ._volume import Volume, as_volume, float_of
from ._warnings import warn

if TYPE_CHECKING:
    from typing_extensions import Unpack


class CleanedClass(NamedTuple):
    """The changes that `clean` made to a class."""

    value: Any
    #: The labels before.
    components: int
    voxels: int
    removed_components: int
    removed_voxels: int
    filled_holes: int
    filled_voxels: int


def _output(volume: Volume, out: Any, dtype: np.dtype[Any] | None = None) -> np.ndarray[Any, Any]:
    """Where the result goes: of the type, if it is not another, and the layout of the volume's array."""
    if out is None:
        return new_array(volume.array.shape, volume.array.dtype)
    wanted = volume.array.shape[::-1] if volume.is_reversed else volume.array.shape
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is of type {type(out).__name__}; it must be a numpy array")
    right = volume.array.dtype if dtype is None else dtype
    if out.dtype != right or not out.dtype.isnative:
        raise TypeError(f"out is of type {out.dtype}; it must be the image's type, {right}")
    if out.shape != wanted:
        raise ValueError(f"out has the shape {out.shape}; it must have the image's shape, {wanted}")
    array = out.T if volume.is_reversed else out
    if not array.flags.writeable or not array.flags.c_contiguous:
        raise ValueError("out must be writeable and laid out in C order (of a nibabel image: in Fortran order)")
    if np.shares_memory(array, volume.array) and array.ctypes.data != volume.array.ctypes.data:
        raise ValueError("out overlaps the image; it must be the image itself or separate memory")
    return array


def _run(
    image: Any,
    neighbors: tuple[int | None, Any, Any],
    background: float,
    values: Sequence[float] | None,
    limits: tuple[int, float | None, int | None],
    holes: tuple[bool | float, int | None, int | None, str],
    count_components: bool,
    spacing: Any,
    out: Any,
    threads: int | None,
    progress: Progress | None,
) -> tuple[Any, list[CleanedClass]]:
    volume = as_volume(image, "the segmentation")
    connectivity, neighborhood, periodic = neighbors
    minimum_size, minimum_volume, largest = limits
    if minimum_volume is not None and volume.in_voxels(spacing):
        raise ValueError("minimum_volume is in mm^3 and needs spacing=")
    try:
        if values is not None and len(values) == 0:
            raise ValueError("values=[] leaves no class; give at least one, or None for all")
    except TypeError:
        raise TypeError(f"values must be a list of numbers, not {values!r}") from None
    rules = rules_of(
        volume,
        connectivity=connectivity,
        neighborhood=neighborhood,
        periodic=periodic,
        limits=limits_of("raster", minimum_size, None, minimum_volume, largest),
        threads=threads,
    )
    limit, size, by_slice, name = holes
    float_type = narrow_float_of(volume)
    # The engine takes float16 as float32.
    is_half = isinstance(image, np.ndarray) and image.dtype.kind == "f" and image.dtype.itemsize == 2
    given = _output(volume, out, np.dtype(np.float16)) if is_half and out is not None else None
    array = _output(volume, None if is_half else out)
    rows, missing = _core.clean(
        volume.array,
        array,
        rules,
        as_voxel_value(background, float_type),
        [] if values is None else [as_voxel_value(value, float_type) for value in values],
        holes_of(volume, limit, size, spacing, name, by_slice, rules),
        # Only who looks at components sees that a class has none.
        count_components or values is not None,
        volume.geometry(spacing, None),
        hook_of(progress),
    )
    for value in missing:
        warn(f"no voxel has the value {value} of values=")
    report = [CleanedClass(*row) for row in rows]
    if given is not None:
        given[...] = array
    if out is not None:
        return out, report
    if is_half:
        array = array.astype(np.float16)
    return volume.labels(array), report


class _Arguments(TypedDict, total=False):
    """Options of `clean` and `fill_holes`."""

    values: Sequence[float] | None
    connectivity: int | None
    neighborhood: Any
    periodic: Any
    background: float
    spacing: float | Sequence[float] | None
    out: np.ndarray[Any, Any] | None
    threads: int | None
    progress: Progress | None


class _CleanArguments(_Arguments, total=False):
    largest: int | None
    minimum_size: int
    minimum_volume: float | None
    fill_holes: bool | float
    maximum_hole_size: int | None
    holes_by_slice: int | None


class _FillArguments(_Arguments, total=False):
    maximum_size: int | None
    maximum_volume: float | None
    by_slice: int | None


@overload
def clean(
    segmentation: Array,
    *,
    return_report: Literal[False] = ...,
    **arguments: Unpack[_CleanArguments],
) -> Array: ...
@overload
def clean(
    segmentation: Array,
    *,
    return_report: Literal[True],
    **arguments: Unpack[_CleanArguments],
) -> tuple[Array, list[CleanedClass]]: ...
@overload
def clean(
    segmentation: Any,
    *,
    return_report: Literal[True],
    **arguments: Unpack[_CleanArguments],
) -> tuple[Any, list[CleanedClass]]: ...
@overload
def clean(
    segmentation: Any,
    *,
    return_report: bool = ...,
    **arguments: Unpack[_CleanArguments],
) -> Any: ...
def clean(
    segmentation: Any,
    *,
    values: Sequence[float] | None = None,
    largest: int | None = None,
    minimum_size: int = 0,
    minimum_volume: float | None = None,
    fill_holes: bool | float = False,
    maximum_hole_size: int | None = None,
    holes_by_slice: int | None = None,
    connectivity: int | None = None,
    neighborhood: Any = None,
    periodic: Any = (),
    background: float = 0,
    spacing: float | Sequence[float] | None = None,
    out: np.ndarray[Any, Any] | None = None,
    return_report: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Cleans a segmentation, all classes at once. Every value except the background is a class and keeps its value.

    Parameters
    ----------
    segmentation : array or image
        Any type that `label` accepts. NaN belongs to no class and stays.
    values : sequence of numbers, optional
        The classes to clean; all if not given. A class without voxels causes a warning.
    minimum_size, minimum_volume : optional
        Components of fewer voxels, or of fewer mm^3 (which needs `spacing` for an array), become background.
    largest : int, optional
        Keep only this many of the largest components of each class; of equal ones, the first in C order.
    fill_holes : bool or float, default False
        Fill holes, or only holes of at most this many mm^3. A hole is a component of the background that does not reach the
        image's border. The class around it fills it. Holes between several classes and holes of classes that are not in
        `values` stay.
    maximum_hole_size : int, optional
        Holes of more voxels stay.
    holes_by_slice : int, optional
        An axis; each slice across it has its own holes and border.
    connectivity, neighborhood : optional
        The neighbors of a class, as for `label`; faces if not given. The background has the dual connectivity: all neighbors
        for faces, else faces.
    periodic : optional
        Periodic axes, as for `label`. They have no border: holes must not reach the ends of the other axes.
    background : number, default 0
        The background value.
    spacing, threads, progress
        As for `label`.
    out : numpy.ndarray, optional
        Array for the result; it may be the segmentation itself.
    return_report : bool, default False
        Also return the changes as a list of `CleanedClass`.

    Returns
    -------
    The same kind and type as the segmentation; with `return_report` also the report.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> brickccl.clean(np.array([[1, 1, 1, 0, 2], [1, 0, 1, 0, 0], [1, 1, 1, 0, 1]]), largest=1, fill_holes=True)
    array([[1, 1, 1, 0, 2],
           [1, 1, 1, 0, 0],
           [1, 1, 1, 0, 0]])
    """
    if maximum_hole_size is not None or holes_by_slice is not None:
        if fill_holes is False:
            raise ValueError("maximum_hole_size and holes_by_slice need fill_holes")
    result, report = _run(
        segmentation,
        (connectivity, neighborhood, periodic),
        background,
        values,
        (minimum_size, minimum_volume, largest),
        (fill_holes, maximum_hole_size, holes_by_slice, "fill_holes"),
        return_report,
        spacing,
        out,
        threads,
        progress,
    )
    return (result, report) if return_report else result


@overload
def fill_holes(
    image: Array,
    *,
    return_count: Literal[False] = ...,
    **arguments: Unpack[_FillArguments],
) -> Array: ...
@overload
def fill_holes(
    image: Array,
    *,
    return_count: Literal[True],
    **arguments: Unpack[_FillArguments],
) -> tuple[Array, int]: ...
@overload
def fill_holes(
    image: Any,
    *,
    return_count: Literal[True],
    **arguments: Unpack[_FillArguments],
) -> tuple[Any, int]: ...
@overload
def fill_holes(
    image: Any,
    *,
    return_count: bool = ...,
    **arguments: Unpack[_FillArguments],
) -> Any: ...
def fill_holes(
    image: Any,
    *,
    maximum_size: int | None = None,
    maximum_volume: float | None = None,
    values: Sequence[float] | None = None,
    by_slice: int | None = None,
    connectivity: int | None = None,
    neighborhood: Any = None,
    periodic: Any = (),
    background: float = 0,
    spacing: float | Sequence[float] | None = None,
    out: np.ndarray[Any, Any] | None = None,
    return_count: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Fills the holes of a mask, or of each class of a segmentation or label map separately; see `clean`.

    A hole does not reach the image's border. Axes of one voxel have no border, so holes of a single slice are filled.

    Parameters
    ----------
    image : array or image
        Any type that `label` accepts.
    maximum_size, maximum_volume : optional
        Holes of more voxels, or of more mm^3 (which needs `spacing` for an array), stay.
    connectivity, neighborhood : optional
        The neighbors of objects, as for `label`; faces if not given. The background has the dual connectivity: with full
        connectivity this equals `scipy.ndimage.binary_fill_holes`, except that scipy fills no hole of a single slice in 3-D.
    values, by_slice, periodic, background, spacing, out, threads, progress
        As `values`, `holes_by_slice`, ... of `clean`.
    return_count : bool, default False
        Also return the number of filled holes.

    Returns
    -------
    The same kind and type as the image.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> brickccl.fill_holes(np.array([[0, 3, 3, 3], [0, 3, 0, 3], [0, 3, 3, 3]]))
    array([[0, 3, 3, 3],
           [0, 3, 3, 3],
           [0, 3, 3, 3]])
    """
    try:
        limit: bool | float = True if maximum_volume is None else float_of(maximum_volume)
    except TypeError:
        raise TypeError(f"maximum_volume must be a number, not {maximum_volume!r}") from None
    result, report = _run(
        image,
        (connectivity, neighborhood, periodic),
        background,
        values,
        (0, None, None),
        (limit, maximum_size, by_slice, "maximum_volume"),
        False,
        spacing,
        out,
        threads,
        progress,
    )
    return (result, sum(one.filled_holes for one in report)) if return_count else result


def sweep(
    image: Any,
    start: float,
    stop: float,
    steps: int = 64,
    *,
    below: bool = False,
    connectivity: int | None = None,
    by_slice: int | None = None,
    neighborhood: Any = None,
    periodic: Any = (),
    threads: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Column]:
    """Counts and measures the components at many thresholds, to choose one.

    Parameters
    ----------
    image : array or image
        Any type that `label` accepts.
    start, stop : float
        The lowest and the highest threshold.
    steps : int, default 64
        The number of equally spaced thresholds, including both ends. For float32 images each threshold is rounded to float32.
    below : bool, default False
        Foreground is below a threshold (pores), not at or above it.
    connectivity, by_slice, neighborhood, periodic, threads, progress
        As for `label`.

    Returns
    -------
    dict
        Columns with a value for each `threshold`, ascending: the number of `components`, the voxels of the largest one
        (`largest_voxel_count`) and of the foreground (`voxel_count`), and its share of all voxels (`fraction`).

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> curve = brickccl.sweep(np.array([3, 1, 2, 0, 3]), 1, 3, steps=3)
    >>> curve["components"], curve["largest_voxel_count"]
    (array([2, 3, 2]), array([3, 1, 1]))
    """
    volume = as_volume(image)
    try:
        low, high, steps = float_of(start), float_of(stop), operator.index(steps)
    except (TypeError, ValueError):
        raise TypeError(f"start, stop must be numbers and steps a whole number, not {start!r}, {stop!r}, {steps!r}") from None
    rows = _core.sweep(
        volume.array,
        low,
        high,
        steps,
        bool(below),
        rules_of(
            volume,
            connectivity=connectivity,
            by_slice=by_slice,
            neighborhood=neighborhood,
            periodic=periodic,
            threads=threads,
        ),
        hook_of(progress),
    )
    thresholds, components, largest, voxels = zip(*rows)
    counts = np.array(voxels, np.int64)
    return {
        "threshold": np.array(thresholds, np.float64),
        "components": np.array(components, np.int64),
        "largest_voxel_count": np.array(largest, np.int64),
        "voxel_count": counts,
        "fraction": counts / volume.array.size,
    }
