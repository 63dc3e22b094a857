# SPDX-License-Identifier: Apache-2.0
"""Touching objects split between two labelings by bricks: slab by slab, in this process."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import _core
from .._split import split_height
from .._volume import threads_of
from ._job import Job
from ._lock import LOCK
from ._options import make_rules
from ._sources import Source, ZarrSource
from ._stores import import_zarr
from ._targets import MARK

#: A slab has about this many voxels, and at least one slice.
VOXELS_OF_SLAB = 2**24
#: The edge of chunks along the other axes.
EDGE = 256

#: What is in a state's folder.
NAMES = ("components", "components.zarr", "objects", "objects.zarr", "parents.npy", LOCK)
#: The arguments of the components: what concerns objects is left out.
OF_COMPONENTS: dict[str, Any] = {
    "order": "raster",
    "minimum_size": 0,
    "maximum_size": None,
    "minimum_volume": None,
    "largest": None,
    "dtype": "uint32",
    "table": None,
    "table_rows": None,
    "return_table": False,
    "columns": None,
    "intensity": None,
    "properties": None,
    "chunks": None,
    "shards": None,
    "zarr_format": 3,
    "overwrite": False,
    "split": None,
}


def check_split(given: Mapping[str, Any], folder: str) -> None:
    """Raises for arguments that do not fit."""
    split_height(given["split"])
    axes = given["periodic"]
    if not hasattr(axes, "__len__") or len(axes) > 0:
        raise ValueError("split= does not follow objects through periodic ends; omit periodic= or split=")
    if os.path.exists(os.path.join(folder, "plan.json")):
        raise ValueError(f"the folder '{folder}' holds work without split=; give another one")
    strange = set(os.listdir(folder) if os.path.isdir(folder) else ()) - set(NAMES)
    if strange:
        raise FileExistsError(f"the folder '{folder}' is not of a split: '{min(strange)}' is in it; use an empty folder as state=")


def chunks_of(brick: Any) -> Any:
    """Chunks of the components that such bricks consist of, and of few slices if possible."""

    def piece(size: int) -> int:
        largest = max(part for part in range(1, 65) if size % part == 0)
        return largest if largest >= 8 else size

    return None if brick is None else [piece(int(size)) for size in brick] if hasattr(brick, "__len__") else piece(int(brick))


def split_slabs(job: Job, given: Mapping[str, Any], folder: str, report: Callable[[float], Any]) -> tuple[Source, dict[str, Any]]:
    """Splits the components of a finished job. Returns the objects, numbered in no special order, and what a plan keeps."""
    source = job.images["source"]
    assert source is not None
    place, parents = os.path.join(folder, "objects.zarr"), os.path.join(folder, "parents.npy")
    height = split_height(given["split"])
    shown = height and (f"{height[0]}%" if height[1] else height[0])
    mark = {"components": job.made, "height": shown}
    made = _open(place)
    if made is None or made.attrs.get(MARK) != mark:
        if made is not None and dict(made.attrs.get(MARK, {})).get("components") == job.made:
            before = made.attrs[MARK]["height"]
            before = "the default height" if before is None else f"the height {before}" + ("" if isinstance(before, str) else " mm")
            raise ValueError(f"the folder '{folder}' holds objects that were split with {before}; give another one")
        made = _make_objects(job, place, parents, height, given, report)
        made.attrs[MARK] = mark
    report(1.0)
    objects = ZarrSource(made, url=place)
    objects.spacing, objects.origin = source.spacing, source.origin
    return objects, {"height": shown, "parents": parents}


def _open(place: str) -> Any:
    zarr = import_zarr()
    try:
        return zarr.open_array(place, mode="r+")
    except (FileNotFoundError, zarr.errors.NodeNotFoundError, zarr.errors.ArrayNotFoundError):
        return None


def _make_objects(
    job: Job, place: str, parents: str, height: tuple[float, bool] | None, given: Mapping[str, Any], report: Callable[[float], Any]
) -> Any:
    components = job.target.array()
    shape = tuple(components.shape)
    problem = job.plan["problem"]
    threads = 0 if given["threads"] is None else threads_of(given["threads"])
    splitter = _core.SlabSplitter(list(shape), *make_rules(problem, "Auto", "cpu", threads))
    axis = len(shape) - 1 - splitter.axis
    count = shape[axis]
    # A row is not cut.
    step = count if axis == len(shape) - 1 else max(1, min(count, VOXELS_OF_SLAB * count // math.prod(shape)))
    slabs = [(begin, min(begin + step, count)) for begin in range(0, count, step)]
    chunks = tuple(step if other == axis else min(size, EDGE) for other, size in enumerate(shape))
    objects = import_zarr().create_array(place, shape=shape, chunks=chunks, dtype="uint32", overwrite=True)

    def box(begin: int, end: int) -> tuple[slice, ...]:
        return (*(slice(None),) * axis, slice(begin, end))

    for number, (begin, end) in enumerate(slabs):
        regions = np.empty([end - begin if other == axis else size for other, size in enumerate(shape)], np.uint32)
        while True:
            first, last = max(0, begin - splitter.around), min(count, end + splitter.around)
            labels = np.ascontiguousarray(components[box(first, last)], np.uint32)
            if splitter.find_regions(labels, regions, (first, begin), threads):
                break
        objects[box(begin, end)] = regions
        report(0.8 * (number + 1) / len(slabs))
    np.save(parents, splitter.merge(height))
    for number, (begin, end) in enumerate(slabs):
        regions = np.ascontiguousarray(objects[box(begin, end)])
        splitter.make_objects(regions, threads)
        objects[box(begin, end)] = regions
        report(0.8 + 0.2 * (number + 1) / len(slabs))
    return objects
