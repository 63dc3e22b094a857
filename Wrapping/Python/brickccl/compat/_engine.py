# SPDX-License-Identifier: Apache-2.0
"""Common code of the stand-ins."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core, compat
from .._output import new_array
from .._volume import _plain_geometry, threads_of

Array = np.ndarray[Any, Any]

#: The engine's own limit.
MOST_DIMENSIONS = 4


def without_single_axes(array: Array) -> Array:
    """Drops axes of length 1 if there are more axes than the engine supports: neighbors never differ along them."""
    if array.ndim <= MOST_DIMENSIONS:
        return array
    kept = [axis for axis in range(array.ndim) if array.shape[axis] != 1] or [0]
    if len(kept) > MOST_DIMENSIONS:
        raise NotImplementedError(
            f"the array has {len(kept)} axes of more than one element; brickccl labels up to {MOST_DIMENSIONS}"
        )
    return array.reshape([array.shape[axis] for axis in kept])


def neighbors_of(structuring_element: Any, dimension: int) -> int | Array:
    """A structuring element as symmetric truth values of the right shape; 1 for face connectivity if there is none."""
    if structuring_element is None:
        return 1
    structure = np.asarray(structuring_element, dtype=bool)
    if structure.ndim != dimension:
        raise RuntimeError(f"the structure has {structure.ndim} axes, but the input {dimension}; both must be the same")
    if any(size != 3 for size in structure.shape):
        raise ValueError("the structure must have 3 elements along each axis")
    if not np.array_equal(structure, structure[(slice(None, None, -1),) * structure.ndim]):
        raise AssertionError("the structure is not symmetric")
    return structure


def rank_and_axes(structuring_element: Any, dimension: int) -> tuple[int, list[int]]:
    """The same as a rank along some axes. Raises NotImplementedError for elements that scipy does not generate."""
    structure = neighbors_of(structuring_element, dimension)
    if isinstance(structure, int):
        return 1, list(range(dimension))
    offsets = [offset for offset in itertools.product((-1, 0, 1), repeat=dimension) if any(offset)]
    chosen = {offset for offset in offsets if structure[tuple(step + 1 for step in offset)]}
    axes = [axis for axis in range(dimension) if any(offset[axis] for offset in chosen)]
    rank = max((sum(map(abs, offset)) for offset in chosen), default=1)
    generated = {
        offset
        for offset in offsets
        if sum(map(abs, offset)) <= rank and all(axis in axes for axis in range(dimension) if offset[axis])
    }
    if axes and chosen != generated:
        raise NotImplementedError(
            "on a device only structures of scipy.ndimage.generate_binary_structure are supported, along all or some axes"
        )
    return rank, axes


def find(
    array: Array, neighbors: int | Array, *, background: Any = 0, periodic: bool = False, **criterion: Any
) -> _core.LabeledRuns:
    """Components of neighbors that differ along at most this many axes, or of a symmetric structuring element. The array is
    not empty; `periodic` covers all its axes; `criterion` has the arguments of `Rules.make` that say which are joined."""
    structure = neighbors if isinstance(neighbors, np.ndarray) else None
    if structure is not None:
        for axis in range(array.ndim if array.ndim > MOST_DIMENSIONS else 0)[::-1]:
            structure = structure.take(1, axis) if array.shape[axis] == 1 and structure.ndim > 1 else structure
    array = without_single_axes(array)
    dimension = array.ndim
    rules = _core.Rules.make(
        **criterion,
        background=background,
        connectivity=None if structure is not None else min(int(neighbors), dimension),
        neighborhood=[] if structure is None else [int(value) for value in structure.ravel()],
        periodic=list(range(dimension)) if periodic else [],
        threads=threads_of(compat.threads),
    )
    return _core.find(np.ascontiguousarray(array), None, rules, _plain_geometry(dimension))


def find_in_graph(graph: Array, connectivity: int) -> _core.LabeledRuns:
    """Components of a graph of voxels whose last axis is x; it is not empty."""
    rules = _core.Rules.make(connectivity=connectivity, threads=threads_of(compat.threads))
    return _core.find_in_graph(graph, None, rules, _plain_geometry(graph.ndim))


def write_graph(array: Array, graph: Array, connectivity: int) -> None:
    """Writes the graph of neighbors of equal value; the last axis is x."""
    threads = threads_of(compat.threads)
    rules = _core.Rules.make(criterion="equal-value", background=None, connectivity=connectivity, threads=threads)
    _core.write_graph(array, None, graph, rules)


def write(runs: _core.LabeledRuns, shape: Sequence[int], dtype: Any) -> Array:
    """A new label map of this shape, in C order."""
    labels = new_array(tuple(shape), dtype)
    runs.write(labels.reshape(runs.shape))
    return labels


def measure(
    labels: Array, *, intensity: Array | None = None, groups: str = "", spacing: Sequence[float] | None = None
) -> tuple[_core.LabeledRuns, _core.Table]:
    """Measures a label image that is not empty."""
    squeezed = without_single_axes(labels)
    gray = None if intensity is None else np.ascontiguousarray(intensity).reshape(squeezed.shape)
    geometry = _plain_geometry(squeezed.ndim) if spacing is None else _core.Geometry.make(list(spacing)[::-1])
    return _core.measure_labels(
        np.ascontiguousarray(squeezed), gray, None, groups, threads_of(compat.threads), geometry, None
    )


def boxes(table: dict[str, Array], dimension: int) -> tuple[Array, Array]:
    """First and last index of the bounding boxes, one row for each component, in the array's order of axes."""
    axes = "xyzt"[:dimension][::-1]
    low = np.stack([table[f"bbox_min_{axis}"] for axis in axes], axis=1)
    high = np.stack([table[f"bbox_max_{axis}"] for axis in axes], axis=1)
    return low, high
