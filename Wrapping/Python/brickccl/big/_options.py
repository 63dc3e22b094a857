# SPDX-License-Identifier: Apache-2.0
"""The arguments of `label` in a plan."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import _core
from .._label import remark_on
from .._rules import criterion_of, limits_of, narrow_float
from .._table import Table, group_names
from .._volume import as_volume, count_of
from ._sources import Source, spacing_of
from ._tables import check_names

#: Groups of columns that are sums over neighboring voxels, also of different bricks.
COUNTED_GROUPS = ("surface", "topology")
#: The options that the engine takes as they are in a plan.
RULES = (
    "criterion",
    "background",
    "low",
    "high",
    "tolerance",
    "connectivity",
    "neighborhood",
    "periodic",
    "order",
    "minimum_size",
    "maximum_size",
    "minimum_volume",
    "largest",
)


def counts_more(options: Mapping[str, Any], dimension: int) -> bool:
    """Whether the table has columns of `COUNTED_GROUPS`."""
    asked = {name.strip() for name in options["columns"].split(",")} if options["measures"] else set()
    groups = {row[0]: row[6] for row in _core.all_columns(dimension)}
    return any(groups.get(name, name) in COUNTED_GROUPS for name in asked)


def make_rules(problem: dict[str, Any], algorithm: str, device: str, threads: int) -> tuple[_core.Rules, _core.Geometry]:
    """Rules of joining, and the size and place of voxels."""
    options = problem["options"]
    dimension = len(problem["shape"])
    along = [float(value) for value in (options["spacing"] or [1.0] * dimension)][::-1]
    origin = [float(value) for value in (options["origin"] or [])][::-1]
    rules = _core.Rules.make(
        **{name: options[name] for name in RULES},
        slice_axes=[] if options["by_slice"] is None else [dimension - 1 - options["by_slice"]],
        algorithm=algorithm,
        device=device,
        threads=threads,
    )
    return rules, _core.Geometry.make(along, origin)


def make_labeler(problem: dict[str, Any], algorithm: str, device: str, threads: int) -> _core.BrickLabeler:
    options = problem["options"]
    rules, geometry = make_rules(problem, algorithm, device, threads)
    has_classes = problem.get("split") is not None
    return _core.BrickLabeler(problem["shape"], rules, geometry, options["measures"], options["columns"], has_classes)


def _number(value: Any) -> Any:
    """A number as exact JSON."""
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, (np.generic, np.ndarray)) and np.ndim(value) == 0:
        return value.item()
    raise TypeError(f"a criterion's values must be numbers, not {value!r}")


def devices_of(devices: Any) -> list[str]:
    """Names of devices, from a name, a number or several."""
    if devices is None:
        return ["cpu"]
    given = [devices] if isinstance(devices, (str, int)) else list(devices)
    if not given:
        raise ValueError("devices=[] is empty; give at least one device")
    names: list[str] = []
    for one in given:
        name = f"cuda:{one}" if isinstance(one, int) else str(one)
        # Bricks go to the devices one by one.
        several = name.partition(":")[2].split(",") if name.startswith("cuda:") and "," in name else []
        names += [f"cuda:{number}" for number in several] or [name]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"devices={devices!r} names {name} twice; name each device once")
    return names


def options_of(source: Source, has_intensity: bool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `brickccl.label` for the plan."""
    dimension = len(source.shape)
    spacing = spacing_of(given["spacing"], source)
    if given["minimum_volume"] is not None and spacing is None:
        raise ValueError("minimum_volume is in mm^3 and needs spacing=")
    criterion, background, low, high, tolerance = criterion_of(
        given["criterion"], given["range"], given["background"], given["tolerance"], narrow_float(source.dtype)
    )
    order, minimum_size, maximum_size, minimum_volume, largest = limits_of(
        given["order"], given["minimum_size"], given["maximum_size"], given["minimum_volume"], given["largest"]
    )
    by_slice = given["by_slice"]
    if by_slice is not None and (isinstance(by_slice, bool) or not hasattr(by_slice, "__index__")):
        raise TypeError(f"by_slice must be an axis, a whole number, not {by_slice!r}")
    if by_slice is not None and not -dimension <= by_slice < dimension:
        raise ValueError(f"by_slice={by_slice} is not an axis of an array of {dimension} dimensions")
    if given["neighborhood"] is not None and not (given["connectivity"] is None and by_slice is None):
        raise ValueError("a neighborhood replaces connectivity and by_slice; omit them")
    # What is said of axes is that of the array's.
    voxel = as_volume(np.zeros((1,) * dimension, np.uint8))
    return {
        "criterion": criterion,
        "background": _number(background),
        "low": _number(low),
        "high": _number(high),
        "tolerance": _number(tolerance),
        "connectivity": None if given["connectivity"] is None else count_of("connectivity", given["connectivity"]),
        "by_slice": None if by_slice is None else operator.index(by_slice) % dimension,
        "neighborhood": [] if given["neighborhood"] is None else voxel.neighborhood(given["neighborhood"]),
        "periodic": voxel.axes("periodic", given["periodic"]),
        "order": order,
        "minimum_size": int(minimum_size),
        "maximum_size": maximum_size,
        "minimum_volume": minimum_volume,
        "largest": largest,
        "spacing": spacing,
        "origin": source.origin,
        "columns": group_names(given["columns"], dimension, has_intensity, spacing is None),
        "measures": given["measures"],
    }


def check_options(
    shape: Sequence[int], options: Mapping[str, Any], devices: Sequence[str], algorithm: str, properties: Any
) -> None:
    """Labels one voxel, so unsupported options raise before anything is read."""
    for device in devices:
        make_labeler({"shape": list(shape), "options": options}, algorithm, device, 1)
    for remark in dict.fromkeys(remark_on(device) for device in devices if device != "cpu"):
        if remark:
            warnings.warn(remark, RuntimeWarning, stacklevel=4)
    voxel = np.zeros((1,) * len(shape), np.uint8)
    intensity = None
    if any(name for name in str(options["columns"]).split(",") if name):
        intensity = voxel
    record, runs = make_labeler({"shape": [1] * len(shape), "options": options}, algorithm, "cpu", 1).label(
        voxel, [0] * len(shape), None, intensity
    )
    if properties and options["measures"]:
        merge = _core.BrickMerge()
        merge.add(record)
        merge.finish()
        labels_map = merge.map(0)
        counts = _core.count_brick(record, labels_map, runs, [], 1) if counts_more(options, len(shape)) else b""
        native = _core.merge_brick_tables(1, lambda _: record, lambda _: labels_map, (lambda _: counts) if counts else None)
        check_names(properties, Table(native, in_voxels=options["spacing"] is None))
