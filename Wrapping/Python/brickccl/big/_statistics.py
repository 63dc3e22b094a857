# SPDX-License-Identifier: Apache-2.0
"""The component table of a label map larger than memory."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _core
from .._progress import Hook, Progress, hook_of
from .._table import Table, group_names
from .._volume import check_numbers, workers_of
from ._executors import _drain, processor_count
from ._grid import Grid, choose_brick, shape_of
from ._sources import Source, open_source, spacing_of
from ._state import naming
from ._targets import CHUNK_EDGE


def _geometry(spacing: Sequence[float], origin: Sequence[float], start: Sequence[int]) -> _core.Geometry:
    return _core.Geometry.make(list(spacing)[::-1], list(origin)[::-1], [], list(start)[::-1])


def _check_columns(groups: str, dimension: int, has_intensity: bool) -> None:
    """Raises for columns that cannot be merged from bricks."""
    voxel = np.ones((1,) * dimension, np.uint8)
    geometry = _geometry([1.0] * dimension, [0.0] * dimension, [0] * dimension)
    part = _core.measure_labels(voxel, voxel if has_intensity else None, None, groups, 1, geometry, None)[1]
    merged = _core.merge_label_tables([part], list(voxel.shape), geometry)
    kept = {row[0] for row in merged.describe()}
    lost = [row[0] for row in part.describe() if row[0] not in kept]
    if lost:
        raise NotImplementedError(f"the column '{lost[0]}' cannot be measured by bricks: it needs whole components")


def statistics(
    labels: Any,
    *,
    intensity: Any = None,
    columns: str | Iterable[str] | None = None,
    spacing: float | Sequence[float] | None = None,
    brick: int | Sequence[int] | None = None,
    workers: int | None = None,
    select: Mapping[str, int] | None = None,
    level: int = 0,
    storage_options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Table:
    """Measures an existing label map brick by brick; the result is the same as from `brickccl.statistics`.

    Parameters
    ----------
    labels : path, URL or array
        As the `source` of `label`, with whole numbers of at least 0.
    intensity : the same, optional
        Same shape; adds the intensity columns.
    columns : str or list of str, optional
        Groups of columns as for `brickccl.Labeling.table`. Columns that need whole components are refused.
    spacing, brick, workers, select, level, storage_options, progress
        As for `label`. Bricks may have any shape.

    Returns
    -------
    Table

    Raises
    ------
    NotImplementedError
        For columns that cannot be measured by bricks.
    ValueError
        If a label is negative or not a whole number; it names the brick.

    Notes
    -----
    Sums of bricks are added: `intensity_std`, variances and columns computed from them may differ in the last digits from a
    table of the whole label map.

    Examples
    --------
    >>> import numpy as np, brickccl.big
    >>> brickccl.big.statistics(np.array([[7, 7, 0], [0, 7, 9]]), brick=2)["voxel_count"]
    array([3, 1])
    """
    volume = open_source(labels, select=select, level=level, storage_options=storage_options)
    gray = None if intensity is None else open_source(intensity, storage_options=storage_options)
    dimension = len(volume.shape)
    if gray is not None and gray.shape != volume.shape:
        raise ValueError(f"intensity has the shape {gray.shape}; it must have the labels' shape, {volume.shape}")
    known = spacing_of(spacing, volume)
    groups = group_names(columns, dimension, gray is not None, known is None)
    _check_columns(groups, dimension, gray is not None)
    unit = volume.chunks or tuple(min(CHUNK_EDGE, size) for size in volume.shape)
    grid = Grid(volume.shape, choose_brick(volume.shape, unit) if brick is None else shape_of("brick", brick, dimension))
    along = known or [1.0] * dimension
    origin = volume.origin or [0.0] * dimension
    native = _measure(volume, gray, grid, groups, (along, origin), workers, hook_of(progress))
    return Table(native, in_voxels=known is None)


def _measure(
    volume: Source,
    gray: Source | None,
    grid: Grid,
    groups: str,
    place: tuple[Sequence[float], Sequence[float]],
    workers: int | None,
    progress: Hook | None,
) -> _core.Table:
    tables: dict[int, _core.Table] = {}

    def measure(task: tuple[int, ...]) -> None:
        box = grid.box(task[0])
        with naming(grid.describe(task[0])):
            part = volume.read(box)
            check_numbers(part, "the label image")
            table = _core.measure_labels(
                part,
                None if gray is None else gray.read(box),
                None,
                groups,
                1,
                _geometry(*place, [part.start for part in box]),
                None,
            )[1]
        if len(table) or task[0] == 0:
            tables[task[0]] = table

    number = workers_of(workers) or processor_count()
    with concurrent.futures.ThreadPoolExecutor(number, "brickccl") as pool:
        for done, _ in enumerate(_drain(pool, measure, ((index,) for index in range(len(grid))), 2 * number), 1):
            if progress is not None:
                progress(0.95 * done / len(grid))
    merged: _core.Table = _core.merge_label_tables(
        [tables[index] for index in sorted(tables)], list(volume.shape), _geometry(*place, [0] * len(volume.shape))
    )
    if progress is not None:
        progress(1.0)
    return merged
