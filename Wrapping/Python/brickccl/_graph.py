# SPDX-License-Identifier: Apache-2.0
"""Graphs of voxels: one bit for each voxel and direction."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np

from . import _core
from ._arguments import Array, Criterion, Order
from ._labeling import Labeling
from ._progress import Progress, hook_of, part_of
from ._rules import criterion_of, limits_of, narrow_float_of, rules_of
from ._volume import as_volume


def voxel_graph(
    image: Any,
    *,
    connectivity: int | None = None,
    neighborhood: Any = None,
    periodic: Any = (),
    criterion: Criterion = "foreground",
    range: tuple[float, float] | None = None,
    background: float | None = 0,
    tolerance: float | None = None,
    mask: Any = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> np.ndarray[Any, Any]:
    """The graph of an image: the pairs of neighboring voxels that are joined.

    Bits 0 to 25 of a voxel are the steps +x -x +y -y +z -z, +x+y -x+y +x-y -x-y, +x+z -x+z +y+z -y+z, +x-z -x-z +y-z
    -y-z, +x+y+z -x+y+z +x-y+z -x-y+z, +x+y-z -x+y-z +x-y-z -x-y-z; in 2-D bits 0 to 7 for +x -x +y -y +x+y -x+y +x-y -x-y.
    x is the last axis of an array. Bits of steps out of the image are set. In a nibabel image x is the first axis, so
    transpose its graph for `label_graph`: ``label_graph(graph.T).T``.

    Parameters
    ----------
    image : array or image
        1 to 3 dimensions, as for `label`.
    connectivity, neighborhood, periodic, criterion, range, background, tolerance, mask, threads, progress
        As for `label`.

    Returns
    -------
    numpy.ndarray
        uint8 if that holds the bits (1-D, 2-D and faces), otherwise uint32.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> brickccl.voxel_graph(np.array([5, 5, 7]), criterion="equal-value")
    array([3, 2, 1], dtype=uint8)
    """
    volume = as_volume(image)
    dimension = volume.array.ndim
    rules = rules_of(
        volume,
        criterion_of(criterion, range, background, tolerance, narrow_float_of(volume)),
        connectivity,
        None,
        neighborhood,
        periodic,
        threads=threads,
    )
    has_faces_alone = neighborhood is None and (connectivity is None or connectivity in (1, 6))
    graph = np.empty(volume.array.shape, np.uint8 if dimension < 3 or has_faces_alone else np.uint32)
    _core.write_graph(
        volume.array, None if mask is None else volume.companion("mask", mask), graph, rules, hook_of(progress)
    )
    return graph.T if volume.is_reversed else graph


@overload
def label_graph(
    graph: Any,
    *,
    connectivity: int | None = ...,
    neighborhood: Any = ...,
    periodic: Any = ...,
    mask: Any = ...,
    order: Order = ...,
    minimum_size: int = ...,
    maximum_size: int | None = ...,
    largest: int | None = ...,
    dtype: Any = ...,
    threads: int | None = ...,
    out: np.ndarray[Any, Any] | None = ...,
    return_count: Literal[False] = ...,
    progress: Progress | None = ...,
) -> Array: ...
@overload
def label_graph(
    graph: Any,
    *,
    connectivity: int | None = ...,
    neighborhood: Any = ...,
    periodic: Any = ...,
    mask: Any = ...,
    order: Order = ...,
    minimum_size: int = ...,
    maximum_size: int | None = ...,
    largest: int | None = ...,
    dtype: Any = ...,
    threads: int | None = ...,
    out: np.ndarray[Any, Any] | None = ...,
    return_count: Literal[True],
    progress: Progress | None = ...,
) -> tuple[Array, int]: ...
def label_graph(
    graph: Any,
    *,
    connectivity: int | None = None,
    neighborhood: Any = None,
    periodic: Any = (),
    mask: Any = None,
    order: Order = "raster",
    minimum_size: int = 0,
    maximum_size: int | None = None,
    largest: int | None = None,
    dtype: Any = "auto",
    threads: int | None = None,
    out: np.ndarray[Any, Any] | None = None,
    return_count: bool = False,
    progress: Progress | None = None,
) -> Any:
    """Labels the components of a graph of voxels as returned by `voxel_graph`.

    Parameters
    ----------
    graph : array
        uint8 or uint32, 1 to 3 dimensions.
    connectivity, neighborhood : optional
        As for `label`; if neither is given, all steps for which the type has bits.
    periodic
        As for `label`; these axes must have 3 voxels or more.
    mask : array, optional
        Voxels where it is 0 are background; without a mask there is no background.
    order, minimum_size, maximum_size, largest, dtype, threads, out, return_count, progress
        As for `label`.

    Returns
    -------
    labels : numpy.ndarray
    count : int
        If `return_count`.

    Raises
    ------
    ValueError
        If only one of two neighbors has the bit towards the other.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> brickccl.label_graph(np.array([3, 2, 1], np.uint8))
    array([1, 1, 2], dtype=uint32)
    """
    volume = as_volume(graph, "the graph")
    hook = hook_of(progress)
    rules = rules_of(
        volume,
        connectivity=connectivity,
        neighborhood=neighborhood,
        periodic=periodic,
        limits=limits_of(order, minimum_size, maximum_size, None, largest),
        threads=threads,
    )
    masked = None if mask is None else volume.companion("mask", mask)
    runs = _core.find_in_graph(volume.array, masked, rules, volume.geometry(None, None), part_of(hook, 0, 0.7))
    labeling = Labeling(runs, volume)
    labels = labeling.labels(dtype, out, progress=part_of(hook, 0.7, 1))
    return (labels, labeling.count) if return_count else labels
