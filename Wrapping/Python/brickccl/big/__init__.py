# SPDX-License-Identifier: Apache-2.0
"""Volumes larger than memory, or shared by many machines: labeled brick by brick, with the same result as at once.

`label` runs everything. Its steps work on a folder, for job arrays of a cluster: `plan`, `label_brick`, `merge`,
`write_brick`, `finish`; they are also commands of ``python -m brickccl big``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import _core
from .._arguments import Criterion, Order
from .._progress import Progress, hook_of, part_of
from .._split import is_split
from .._table import Table
from .._volume import threads_of, workers_of
from ._executors import ProcessRunner, Runner, runner_of
from ._grid import Grid, check_brick, choose_brick, shape_of
from ._job import Job, make_plan, working
from ._lock import FolderInUse, locked
from ._options import check_options, devices_of, options_of
from ._places import check_arrays, check_places
from ._sources import DaskSource, Source, open_source
from ._split import OF_COMPONENTS, check_split, chunks_of, split_slabs
from ._state import DamagedState, State
from ._statistics import statistics
from ._tables import check_old_table, check_properties, check_rows, check_table
from ._targets import Target, plan_target

__all__ = ["Labels", "DamagedState", "FolderInUse", "finish", "label", "label_brick", "merge", "plan", "statistics", "write_brick"]

@dataclasses.dataclass(frozen=True)
class Labels:
    """The result of `label`."""

    #: The array of zarr.
    labels: Any
    #: The number of components.
    count: int
    #: The component table, if it was asked for.
    table: Table | None


def _make_job(
    source: Any,
    target: Any,
    state: Any,
    runner: Runner | None,
    given: Mapping[str, Any],
    holding: contextlib.ExitStack,
    objects: tuple[Source, dict[str, Any]] | None = None,
) -> Job:
    """Plans the work, or resumes the work in the folder, which `holding` locks from then on. `objects` come
    from a split: they are labeled instead of the source, and the plan keeps the second value."""
    options = given["storage_options"]
    images: dict[str, Source | None] = {
        "source": open_source(source, select=given["select"], level=given["level"], storage_options=options)
    }
    volume = images["source"]
    assert volume is not None
    for name in ("mask", "intensity"):
        other = None if given[name] is None else open_source(given[name], storage_options=options)
        if other is not None and other.shape != volume.shape:
            raise ValueError(f"{name} has the shape {other.shape}; it must have the source's shape, {volume.shape}")
        images[name] = other
    wanted = None if given["brick"] is None else shape_of("brick", given["brick"], len(volume.shape))
    goal = plan_target(
        target,
        volume,
        brick=wanted,
        chunks=given["chunks"],
        shards=given["shards"],
        dtype=given["dtype"],
        zarr_format=given["zarr_format"],
        storage_options=options,
    )
    unit, what = goal.unit
    brick = wanted or choose_brick(volume.shape, unit)
    brick = tuple(min(size, whole) for size, whole in zip(brick, volume.shape))
    check_brick(volume.shape, brick, unit, what)
    table = check_table(given["table"])
    check_places(images, goal.spec["url"], table, os.fspath(state))
    check_old_table(table)
    if not isinstance(target, (str, os.PathLike)):
        check_arrays(images, target)
    properties = check_properties(given["properties"])
    if given["algorithm"] is None:
        raise TypeError("algorithm must be a name, for example 'auto', not None")
    measures = bool(table or given["return_table"] or goal.spec["kind"] == "ome" and (properties is None or len(properties)))
    chosen = options_of(volume, images["intensity"] is not None, {**given, "measures": measures})
    split = None
    if objects is not None:
        volume, split = objects
        images.update(source=volume, mask=None)
        chosen |= {"criterion": "equal-value", "background": 0, "low": None, "high": None, "tolerance": None}
    devices = devices_of(given["devices"])
    algorithm = "Auto" if given["algorithm"] == "auto" else given["algorithm"]
    check_options(volume.shape, chosen, devices, algorithm, properties)
    addresses = {name: None if image is None else _address_of(name, image, runner) for name, image in images.items()}
    if runner is not None and runner.is_remote and not goal.is_shared:
        raise ValueError("the target is only in this process's memory; use a path or URL")
    # A folder that goes when all is done is not compared with anything later.
    deep = given["state"] is not None or runner is None
    problem = {
        "version": _core.version,
        "shape": list(volume.shape),
        "brick": list(brick),
        "source": volume.fingerprint(deep),
        **{name: None if image is None else image.fingerprint(deep) for name, image in images.items() if name != "source"},
        "options": chosen,
        "target": goal.spec,
        **({} if split is None else {"split": split}),
    }
    if not isinstance(given["overwrite"], bool):
        raise TypeError(f"overwrite must be True or False, not {given['overwrite']!r}")
    run = {
        "addresses": addresses,
        "devices": devices,
        "threads": _threads_of(given["threads"], len(Grid(volume.shape, brick)), runner),
        "algorithm": algorithm,
        "table": table,
        "table_rows": check_rows(given["table_rows"], table),
        "properties": properties,
        "overwrite": given["overwrite"],
    }
    folder = State(state)
    plan_there = folder.read_json("plan.json") if folder.has("plan.json") else None
    goal.check_new(None if plan_there is None else plan_there["id"], given["overwrite"])
    holding.enter_context(locked(folder.folder, "plan" if runner is None else "label", is_alone=True))
    made = make_plan(folder, problem, run)
    return Job(folder, made, images, goal)


def _threads_of(threads: Any, bricks: int, runner: Runner | None) -> int:
    """The threads for one brick: one if bricks keep all workers busy."""
    if threads is not None:
        return threads_of(threads)
    return max(1, runner.workers // bricks) if runner is not None and not runner.is_remote else 1


def _address_of(name: str, image: Source, runner: Runner | None) -> Any:
    address = image.address
    if address is not None or runner is not None and not runner.is_remote:
        return address or "memory"
    if isinstance(image, DaskSource) and name == "source" and runner is not None and not isinstance(runner, ProcessRunner):
        return "blocks"
    raise ValueError(
        f"the {name} ({type(image.array).__name__}) is only in this process's memory; store it as zarr, HDF5 or .npy"
    )


class _Shares:
    """Reports progress as the fraction of the whole work."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = hook_of(progress)

    def tell(self, fraction: float) -> None:
        if self._progress is not None:
            self._progress(min(1.0, fraction))

    def counter(self, begin: float, end: float, count: int) -> Any:
        """A function that is called once for each of `count` tasks."""
        done = 0

        def count_one() -> None:
            nonlocal done
            done += 1
            self.tell(begin + (end - begin) * done / count)

        return count_one


def _run(job: Job, runner: Runner, progress: Progress | None) -> int:
    """Does the remaining work. Returns the number of components."""
    shares = _Shares(progress)
    if job.merged() is None:
        bricks = job.missing("records", job.is_labeled)
        runner.run(job, "label_brick", [(index,) for index in bricks], shares.counter(0.0, 0.45, len(bricks)))
    found = job.merge(lambda fraction: shares.tell(0.45 + 0.1 * fraction))
    bricks = job.missing_written()
    if job.plan["run"]["addresses"]["source"] == "blocks":
        # A process that writes a brick cannot label it again.
        runner.run(job, "label_brick", [(index,) for index in bricks if not job.is_labeled(index)], lambda: None)
    runner.run(job, "write_brick", [(index,) for index in bricks], shares.counter(0.55, 0.9, len(bricks)))
    _finish(job, runner, shares)
    return int(found["count"])


def _finish(job: Job, runner: Runner, shares: _Shares) -> None:
    job.check_written()
    if not job.target.is_complete(job.made):
        for level in range(1, job.target.level_count):
            pieces = [(level, index) for index in range(len(job.target.pieces(level)))]
            runner.run(job, "write_piece", pieces, lambda: None)
            shares.tell(0.9 + 0.1 * level / job.target.level_count)
    if not job.is_complete():
        job.complete()
    shares.tell(1.0)


def _split_components(given: dict[str, Any], folder: str, runner: Runner, holding: contextlib.ExitStack, hook: Any) -> Any:
    """Labels the components by bricks and splits them slab by slab. Returns what `_make_job` needs."""
    check_split(given, folder)
    own = {**given, **OF_COMPONENTS, "chunks": chunks_of(given["brick"])}
    if not os.path.exists(os.path.join(folder, "objects", "plan.json")):
        # What is certain to fail does so before the long work.
        with contextlib.ExitStack() as trial, tempfile.TemporaryDirectory(prefix="brickccl-") as place:
            _make_job(given["source"], given["target"], place, runner, {**given, "state": None}, trial)
    os.makedirs(folder, exist_ok=True)
    holding.enter_context(locked(folder, "label", is_alone=True))
    with contextlib.ExitStack() as trial:
        parts = os.path.join(folder, "components")
        job = _make_job(given["source"], parts + ".zarr", parts, runner, own, trial)
        _run(job, runner, part_of(hook, 0, 0.3))
        return split_slabs(job, given, folder, part_of(hook, 0.3, 0.7) or (lambda fraction: None))


def label(
    source: Any,
    target: Any,
    *,
    brick: int | Sequence[int] | None = None,
    state: str | os.PathLike[str] | None = None,
    executor: Any = None,
    workers: int | None = None,
    devices: Any = None,
    connectivity: int | None = None,
    criterion: Criterion = "foreground",
    range: tuple[float, float] | None = None,
    background: float | None = 0,
    tolerance: float | None = None,
    mask: Any = None,
    by_slice: int | None = None,
    neighborhood: Any = None,
    periodic: Any = (),
    order: Order = "raster",
    minimum_size: int = 0,
    maximum_size: int | None = None,
    minimum_volume: float | None = None,
    largest: int | None = None,
    split: bool | float | str | None = None,
    spacing: float | Sequence[float] | None = None,
    dtype: Any = "auto",
    table: str | os.PathLike[str] | None = None,
    table_rows: int | None = None,
    return_table: bool = False,
    columns: str | Iterable[str] | None = None,
    intensity: Any = None,
    properties: Sequence[str] | None = None,
    chunks: int | Sequence[int] | None = None,
    shards: int | Sequence[int] | None = None,
    zarr_format: int | None = None,
    overwrite: bool = False,
    select: Mapping[str, int] | None = None,
    level: int = 0,
    storage_options: Mapping[str, Any] | None = None,
    algorithm: str = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Labels:
    """Labels the connected components of a volume brick by brick, bit for bit as `brickccl.label` does at once.

    Parameters
    ----------
    source : path, URL or array
        An array of zarr (2 and 3, with shards or without), an OME-Zarr image (0.4 and 0.5), a dataset of HDF5, a
        numpy.memmap or array, a dask or xarray array. Paths: an array or image of zarr, an .npy file,
        ``"scan.h5::/dataset"``; URLs of fsspec. If a dask or xarray array only cuts an array into blocks, that array is read;
        others are computed brick by brick.
    target : path, URL or zarr.Array
        A new array of zarr with the format of the source (a path with the extension of another format, such as .npy, is
        refused); an empty array of zarr with the shape of the source; or ``IMAGE/labels/NAME`` in an OME-Zarr image: a label
        image with the levels, axes and units of that image, colors and properties. Its metadata is written last.
    brick : int or sequence of int, optional
        The shape of a brick; about 256^3 voxels if not given. It consists of whole shards (or chunks) of the target; a new
        target gets chunks that fit.
    state : path, optional
        An empty folder for the work, which all workers can access; a temporary folder if not given. Pass the same folder to
        resume, whatever stopped the work. It is not deleted at the end.
    executor : {"threads", "processes"}, concurrent.futures.Executor or distributed.Client, optional
        The workers; threads if not given. Processes that die are replaced.
    workers : int, optional
        The number of threads or processes; one per processor if not given. Each holds a brick and its labels.
    devices : str, int or list, optional
        "cpu" (if not given), "cuda:N", N, or several, which threads use in turns.
    connectivity, criterion, range, background, tolerance, by_slice, neighborhood, periodic, order, minimum_size, \
maximum_size, minimum_volume, largest
        As for `brickccl.label`, for the whole volume.
    mask : as `source`, optional
        Same shape; voxels where it is 0 are ignored.
    split : bool, float or str, optional
        Split touching objects, as `brickccl label --split`: the height in mm, "10%", or True for 0.75 of the smallest spacing. Limits
        of size, `order` and `largest` apply to objects, and tables have the column ``parent``. Components are labeled by bricks,
        then split slab by slab in this process, and the objects are labeled by bricks. `state` then also holds two label maps.
    spacing : float or sequence of float, optional
        Size of a voxel in mm. An OME-Zarr image has its own if its axes have units; otherwise lengths are in voxels.
    dtype : dtype, default "auto"
        uint8, uint16, uint32 or uint64. "auto" is uint32, or uint64 if there are more labels; "smallest" is the smallest
        type that holds them.
    table : path, optional
        File for the component table: .parquet, .csv, .tsv, or .zarr, a group with an array for each column. An old table is
        replaced, anything else refused.
    table_rows : int, optional
        Write the table as a folder of files with this many rows, by labels: ``part-00000.parquet`` and so on. Readers of
        datasets (pyarrow, pandas, Dask, polars) accept the folder.
    return_table : bool, default False
        Also return the table.
    columns, intensity
        As for `brickccl.Labeling.table`; columns that need whole components are refused. `intensity` is given like `source`.
    properties : sequence of str, optional
        Columns for the properties of an OME-Zarr label image; voxels and volumes if not given. More than 10,000 components
        get no properties or colors, because these are in its metadata.
    chunks, shards, zarr_format : optional
        Layout of a new target: like the source (the image) if not given, without shards if the source is not an image. With
        `brick`, the chunks and shards are parts of a brick.
    overwrite : bool, default False
        Replace existing data at the target, or in the given array, once the labels are known.
    select : dict, optional
        One index to read on some axes of an OME-Zarr image, for example ``{"c": 1}``; required if there are several channels.
    level : int, default 0
        The level of an OME-Zarr image to label.
    storage_options : dict, optional
        For fsspec. It is stored in the state's plan: put secrets into the environment instead.
    algorithm, threads
        As for `brickccl.label`, for each brick; one thread if there are bricks for all workers.
    progress : callable or bar, optional
        As for `brickccl.label`. Called with the fraction done after each brick; an exception stops the work.

    Returns
    -------
    Labels
        The array, the number of components, the table (None unless `return_table`).

    Raises
    ------
    ValueError
        For invalid arguments, for bricks that cut through shards or chunks of the target, and for a `state` of other work,
        with the differences.
    FileExistsError
        If the target exists, or the given array holds values; if the table's path exists and is not a component table; if
        `state` is a nonempty folder without a plan.
    DamagedState
        If files of the state are lost or damaged beyond repair.
    FolderInUse
        If another process works in the folder `state`.
    OSError
        With the brick at which reading or writing failed.

    Notes
    -----
    Seeds, filled holes, clear borders and masks to touch are not available: they need whole components. Files of the state
    are written completely or not at all and have checksums; results of a brick are written before it counts as done.
    Processes are spawned: a script that uses them needs ``if __name__ == "__main__":``.

    Examples
    --------
    >>> import numpy as np, brickccl.big
    >>> image = np.zeros((4, 6), np.uint8)
    >>> image[1, 1:5] = image[3, 3] = 1
    >>> import zarr
    >>> target = zarr.create_array({}, shape=image.shape, chunks=(2, 2), dtype="uint8")
    >>> found = brickccl.big.label(image, target, brick=2)
    >>> found.count, found.labels[1].tolist()
    (2, [0, 1, 1, 1, 1, 0])
    """
    given = {**locals()}
    runner = runner_of(executor, workers_of(workers))
    if state is None and runner.is_remote and not isinstance(runner, ProcessRunner):
        raise ValueError("this executor needs state=, a folder that all its workers can access")
    folder = tempfile.mkdtemp(prefix="brickccl-") if state is None else os.fspath(state)
    try:
        with contextlib.ExitStack() as holding:
            place, objects = folder, None
            if is_split(split):
                hook = hook_of(progress)
                objects = _split_components(given, folder, runner, holding, hook)
                place, progress = os.path.join(folder, "objects"), part_of(hook, 0.7, 1)
            job = _make_job(source, target, place, runner, given, holding, objects)
            count = _run(job, runner, progress)
            return Labels(job.target.array(), count, job.table() if return_table else None)
    finally:
        runner.close()
        if state is None:
            shutil.rmtree(folder, ignore_errors=True)


def plan(source: Any, target: Any, *, state: str | os.PathLike[str], **arguments: Any) -> int:
    """Plans the work in a folder, for `label_brick`, `merge`, `write_brick` and `finish` in any processes.

    Parameters
    ----------
    source, target, state
        As for `label`; arrays in the memory of one process are refused.
    **arguments
        Arguments of `label`, without `executor`, `workers`, `progress` and `return_table`.

    Returns
    -------
    int
        The number of bricks, which are numbered from 0.
    """
    given = {**_arguments_of_plan(arguments), "state": state}
    with contextlib.ExitStack() as holding:
        return len(_make_job(source, target, state, None, given, holding).grid)


def _arguments_of_plan(arguments: Mapping[str, Any]) -> dict[str, Any]:
    defaults = dict(label.__kwdefaults__ or {})
    for name in ("executor", "workers", "progress", "return_table", "state"):
        del defaults[name]
    if is_split(arguments.get("split")):
        raise ValueError("split= is one process's work between two labelings by bricks; use brickccl.big.label")
    unknown = [name for name in arguments if name not in defaults]
    if unknown:
        raise TypeError(f"plan has no argument {unknown[0]!r}")
    return {**defaults, **arguments, "return_table": False}


def label_brick(state: str | os.PathLike[str], brick: int) -> None:
    """Labels one brick of a plan, unless it is done; see `plan`."""
    with working("label_brick", state) as job:
        job.label_brick(brick)


def merge(state: str | os.PathLike[str]) -> int:
    """Merges the bricks of a plan, once all are labeled, and makes the target. Returns the number of components."""
    with working("merge", state) as job:
        return int(job.merge()["count"])


def write_brick(state: str | os.PathLike[str], brick: int) -> None:
    """Writes the labels of one brick of a plan, once they are merged."""
    with working("write_brick", state) as job:
        job.write_brick(brick)


def finish(
    state: str | os.PathLike[str], *, executor: Any = None, workers: int | None = None, progress: Progress | None = None
) -> None:
    """Writes lower resolutions and metadata once all bricks are written. See `plan`."""
    runner = runner_of(executor, workers_of(workers))
    try:
        with working("finish", state) as job:
            _finish(job, runner, _Shares(progress))
    finally:
        runner.close()
