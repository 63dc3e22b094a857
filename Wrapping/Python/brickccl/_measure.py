# SPDX-License-Identifier: Apache-2.0
"""Measures, selects and numbers the labels of label images."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

import numpy as np

from . import _core
from ._labeling import Component, Labeling, condition_columns, numbers_of, with_voxels
from ._output import give_labels, new_labels, smallest_dtype
from ._progress import Progress, hook_of, part_of
from ._rules import largest_of, sizes_of
from ._table import Column, ColumnDescription, Table, group_names
from ._volume import AXES, Volume, as_volume, check_numbers, count_of, threads_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _measure(
    labels: Any, intensity: Any, part: Any, columns: Any, spacing: Any, start: Any, threads: Any, progress: Any
) -> tuple[_core.LabeledRuns, Table, Volume]:
    volume = as_volume(labels, "the label image")
    check_numbers(volume.array, "the label image")
    gray = volume.companion("intensity", intensity)
    mask = volume.companion("part", part)
    in_voxels = volume.in_voxels(spacing)
    groups = group_names(columns, volume.array.ndim, gray is not None, in_voxels)
    hook = hook_of(progress)
    runs, table = _core.measure_labels(
        volume.array, gray, mask, groups, threads_of(threads), volume.geometry(spacing, start), part_of(hook, 0, 0.6)
    )
    return runs, Table(table, volume.is_reversed, runs.threads, in_voxels, part_of(hook, 0.6, 1)), volume


class _StatisticsArguments(TypedDict, total=False):
    """Options of `statistics`."""

    intensity: Any
    part: Any
    columns: str | Iterable[str] | None
    spacing: float | Sequence[float] | None
    start: Sequence[int] | None
    threads: int | None
    progress: Progress | None


@overload
def statistics(
    labels: Any,
    *,
    names: Literal["brickccl"] = ...,
    **arguments: Unpack[_StatisticsArguments],
) -> Table: ...
@overload
def statistics(
    labels: Any,
    *,
    names: Literal["skimage"],
    **arguments: Unpack[_StatisticsArguments],
) -> dict[str, Column]: ...
def statistics(
    labels: Any,
    *,
    intensity: Any = None,
    part: Any = None,
    columns: str | Iterable[str] | None = None,
    names: Literal["brickccl", "skimage"] = "brickccl",
    spacing: float | Sequence[float] | None = None,
    start: Sequence[int] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Measures an existing label image: every nonzero value is the label of one component, connected or not.

    Parameters
    ----------
    labels : array or image
        Whole numbers of at least 0, of any type that `label` accepts.
    intensity, part, columns
        As for `Labeling.table`.
    names : {"brickccl", "skimage"}
        "skimage": a dict with the names of `skimage.measure.regionprops_table` (see `Table.to_skimage`).
    spacing, threads, progress
        As for `label`.
    start : sequence of int, optional
        The index of the first voxel in a larger image, for `merge_tables`.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If a label is negative or not a whole number, or if labels or `part` have NaN.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> table = brickccl.statistics(np.array([[7, 7, 0], [0, 0, 9]]), spacing=0.5)
    >>> table["label"], table["area_mm2"]
    (array([7, 9]), array([0.5 , 0.25]))
    """
    if names not in ("brickccl", "skimage"):
        raise ValueError(f"names={names!r} is unknown; choose brickccl or skimage")
    if isinstance(labels, np.ndarray) and labels.size == 0:
        for name, other in (("intensity", intensity), ("part", part)):
            if other is not None and np.shape(other) != labels.shape:
                raise ValueError(f"{name} has the shape {np.shape(other)}; it must have the image's shape, {labels.shape}")
        labels, intensity, part = (None if one is None else with_voxels(np.asarray(one)) for one in (labels, intensity, part))
    table = _measure(labels, intensity, part, columns, spacing, start, threads, progress)[1]
    return table.to_skimage() if names == "skimage" else table


class _SelectArguments(TypedDict, total=False):
    """Options of `select`."""

    keep: bool
    keep_labels: bool
    intensity: Any
    part: Any
    dtype: Any
    spacing: float | Sequence[float] | None
    out: np.ndarray[Any, Any] | None
    threads: int | None
    progress: Progress | None


@overload
def select(
    labels: Column,
    where: str | Sequence[bool] | np.ndarray[Any, Any],
    **arguments: Unpack[_SelectArguments],
) -> Column: ...
@overload
def select(
    labels: Any,
    where: str | Sequence[bool] | np.ndarray[Any, Any],
    **arguments: Unpack[_SelectArguments],
) -> Any: ...
def select(
    labels: Any,
    where: str | Sequence[bool] | np.ndarray[Any, Any],
    *,
    keep: bool = True,
    keep_labels: bool = False,
    intensity: Any = None,
    part: Any = None,
    dtype: Any = "auto",
    spacing: float | Sequence[float] | None = None,
    out: np.ndarray[Any, Any] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Keeps or removes components of a label image by their measures.

    Parameters
    ----------
    labels : array or image
        As for `statistics`.
    where : str or sequence of bool
        A condition on columns (see `Table.where`), or a truth value for each label, ascending.
    keep : bool, default True
        Whether to keep or remove the components that fulfill the condition.
    keep_labels : bool, default False
        Keep the labels instead of renumbering from 1.
    intensity, part
        Images for columns that need them.
    dtype, spacing, out, threads, progress
        As for `label`.

    Returns
    -------
    The same kind as the label image.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> brickccl.select(np.array([5, 5, 0, 8, 0, 9, 9]), "voxel_count > 1")
    array([1, 1, 0, 0, 0, 2, 2], dtype=uint32)
    """
    columns = None
    if isinstance(where, str):
        given = as_volume(labels, "the label image")
        columns = condition_columns(where, given.array.ndim, given.in_voxels(spacing))
    runs, table, volume = _measure(labels, intensity, part, columns, spacing, None, threads, progress)
    holds = table.where(where) if isinstance(where, str) else where
    numbers = numbers_of(holds, keep, table.row_count)
    if keep_labels:
        numbers = np.where(numbers > 0, table["label"].astype(np.uint64), np.uint64(0))
    return _write_numbers(runs, numbers, volume, dtype, out, keep_labels)


class _RelabelArguments(TypedDict, total=False):
    """Options of `relabel`."""

    order: Literal["label", "raster", "size"]
    minimum_size: int
    maximum_size: int | None
    largest: int | None
    dtype: Any
    out: np.ndarray[Any, Any] | None
    threads: int | None


@overload
def relabel(
    labels: Column,
    *,
    return_mapping: Literal[False] = ...,
    **arguments: Unpack[_RelabelArguments],
) -> Column: ...
@overload
def relabel(
    labels: Column,
    *,
    return_mapping: Literal[True],
    **arguments: Unpack[_RelabelArguments],
) -> tuple[Column, dict[int, int]]: ...
@overload
def relabel(
    labels: Any,
    *,
    return_mapping: Literal[True],
    **arguments: Unpack[_RelabelArguments],
) -> tuple[Any, dict[int, int]]: ...
@overload
def relabel(
    labels: Any,
    *,
    return_mapping: bool = ...,
    **arguments: Unpack[_RelabelArguments],
) -> Any: ...
def relabel(
    labels: Any,
    *,
    order: Literal["label", "raster", "size"] = "label",
    minimum_size: int = 0,
    maximum_size: int | None = None,
    largest: int | None = None,
    dtype: Any = "auto",
    out: np.ndarray[Any, Any] | None = None,
    return_mapping: bool = False,
    threads: int | None = None,
) -> Any:
    """Renumbers the labels of a label image from 1, without gaps.

    Parameters
    ----------
    labels : array or image
        As for `statistics`.
    order : {"label", "raster", "size"}
        By old label, by first voxel in C order, or the largest first (equal sizes by old label).
    minimum_size, maximum_size, largest : int, optional
        As for `label`; dropped labels become 0.
    dtype, out, threads
        As for `label`.
    return_mapping : bool, default False
        Also return a dict from old to new labels; dropped labels are missing.

    Returns
    -------
    The same kind as the label image.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> brickccl.relabel(np.array([9, 9, 0, 4]), order="size")
    array([1, 1, 0, 2], dtype=uint32)
    """
    if order not in ("label", "raster", "size"):
        raise ValueError(f"the order {order!r} is unknown; choose label, raster or size")
    runs, table, volume = _measure(labels, None, None, "place" if order == "raster" else None, None, None, threads, None)
    sizes = table["voxel_count"]
    minimum, maximum = sizes_of(minimum_size, maximum_size)
    stays = sizes >= minimum
    if maximum is not None:
        stays &= sizes <= maximum
    chosen = np.flatnonzero(stays)
    by_size = chosen
    if order == "size" or largest is not None:
        by_size = chosen[np.argsort(-sizes[chosen], kind="stable")]
    if largest is not None:
        by_size = by_size[: largest_of(largest)]
        chosen = np.sort(by_size)
    if order == "size":
        chosen = by_size
    elif order == "raster":
        first = [table[f"first_voxel_{axis}"][chosen] for axis in AXES[: volume.array.ndim]]
        chosen = chosen[np.lexsort(first)]
    numbers = np.zeros(table.row_count, np.uint64)
    numbers[chosen] = np.arange(1, len(chosen) + 1, dtype=np.uint64)
    result = _write_numbers(runs, numbers, volume, dtype, out)
    if return_mapping:
        return result, {int(table["label"][place]): int(numbers[place]) for place in np.sort(chosen)}
    return result


def _write_numbers(
    runs: _core.LabeledRuns, numbers: Column, volume: Volume, dtype: Any, out: Any, are_kept: bool = False
) -> Any:
    """The label map with these numbers; `are_kept` if the labels may have gaps."""
    runs.renumber(numbers)
    array = new_labels(dtype, out, volume.array.shape, runs.count, volume.is_reversed, volume.label_type)
    limit = np.iinfo(array.dtype).max
    if are_kept and runs.count > limit:
        raise OverflowError(
            f"the label {runs.count} does not fit labels of type {array.dtype}, the largest of which is {limit}; use "
            f"{smallest_dtype(runs.count)} or wider, or renumber the labels (keep_labels=False)"
        )
    runs.write(array)
    return give_labels(array, out, volume.is_reversed, volume.wrap)


def contacts(
    labels: Any, *, spacing: float | Sequence[float] | None = None, threads: int | None = None
) -> dict[str, Column]:
    """All pairs of labels that share voxel faces.

    Returns
    -------
    dict
        `label_1` < `label_2`, the number of `faces`, and their `area` (mm^2; in 2-D the length of edges in mm;
        without a spacing in voxels).

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> brickccl.contacts(np.array([[1, 1], [2, 0]]))["faces"]
    array([1])
    """
    return _measure(labels, None, None, "neighbors", spacing, None, threads, None)[1].contacts()


def components(labels: Any) -> Iterator[Component]:
    """Each label of a label image, ascending, with its bounding box and the mask inside it.

    Parameters
    ----------
    labels : array, image or Labeling
        As for `statistics`; a `Labeling` needs no label map.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> for component in brickccl.components(np.array([[0, 3], [3, 3]])):
    ...     print(component.label, component.slices, component.mask.sum())
    3 (slice(0, 2, None), slice(0, 2, None)) 3
    """
    if isinstance(labels, Labeling):
        yield from labels.components()
        return
    _, table, volume = _measure(labels, None, None, None, None, None, None, None)
    axes = AXES[: volume.array.ndim][::-1]
    low = [table[f"bbox_min_{axis}"].tolist() for axis in axes]
    high = [table[f"bbox_max_{axis}"].tolist() for axis in axes]
    for place, number in enumerate(table["label"].tolist()):
        slices = tuple(slice(begin[place], end[place] + 1) for begin, end in zip(low, high))
        mask = volume.array[slices] == number
        yield Component(number, slices[::-1], mask.T) if volume.is_reversed else Component(number, slices, mask)


def columns(dimension: int = 3) -> list[ColumnDescription]:
    """All columns of tables for images of a dimension (1 to 4).

    Examples
    --------
    >>> import brickccl
    >>> [column.name for column in brickccl.columns(2) if column.group == "topology"][:2]
    ['euler_number_8', 'holes_8']
    """
    described = (ColumnDescription(*row) for row in _core.all_columns(count_of("dimension", dimension)))
    # Only tables of `brickccl label` have them. Here the image as `intensity` gives `intensity_minimum`.
    return [column for column in described if column.name not in ("value", "parent", "part", "zone")]


def info() -> dict[str, Any]:
    """Version, build options, devices and algorithms. Searches for CUDA devices if the package was built with CUDA.

    Examples
    --------
    >>> import brickccl
    >>> sorted(brickccl.info())
    ['algorithms', 'build', 'devices', 'version']
    """
    return _core.info()
