"""Volumes that are larger than memory, or that many machines share: labeled brick by brick, as if at once.

`label` does all of it. What it consists of are plain steps on a folder, for job arrays of a cluster: `plan`, `label_brick`,
`merge`, `write_brick`, `finish`; ``python -m brickccl big`` has them as commands.
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
from .._progress import Progress, hook_of
from .._table import Table
from .._volume import threads_of, workers_of
from ._executors import ProcessRunner, Runner, runner_of
from ._grid import Grid, check_brick, choose_brick, shape_of
from ._job import Job, make_plan, working
from ._lock import FolderInUse, locked
from ._options import check_options, devices_of, options_of
from ._places import check_arrays, check_places
from ._sources import DaskSource, Source, open_source
from ._state import DamagedState, State
from ._statistics import statistics
from ._tables import check_old_table, check_properties, check_rows, check_table
from ._targets import Target, plan_target

__all__ = ["Labels", "DamagedState", "FolderInUse", "finish", "label", "label_brick", "merge", "plan", "statistics", "write_brick"]

@dataclasses.dataclass(frozen=True)
class Labels:
    """What `label` gives."""

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
) -> Job:
    """Plans the work, or takes up what was begun in the folder, which `holding` has locked from then on."""
    options = given["storage_options"]
    images: dict[str, Source | None] = {
        "source": open_source(source, select=given["select"], level=given["level"], storage_options=options)
    }
    volume = images["source"]
    assert volume is not None
    for name in ("mask", "intensity"):
        other = None if given[name] is None else open_source(given[name], storage_options=options)
        if other is not None and other.shape != volume.shape:
            raise ValueError(f"{name} has the shape {other.shape}; it must have that of the source, {volume.shape}")
        images[name] = other
    goal = plan_target(
        target,
        volume,
        chunks=given["chunks"],
        shards=given["shards"],
        dtype=given["dtype"],
        zarr_format=given["zarr_format"],
        storage_options=options,
    )
    unit, what = goal.unit
    brick = choose_brick(volume.shape, unit)
    if given["brick"] is not None:
        brick = shape_of("brick", given["brick"], len(volume.shape))
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
    devices = devices_of(given["devices"])
    algorithm = "Auto" if given["algorithm"] == "auto" else given["algorithm"]
    check_options(volume.shape, chosen, devices, algorithm, properties)
    addresses = {name: None if image is None else _address_of(name, image, runner) for name, image in images.items()}
    if runner is not None and runner.is_remote and not goal.is_shared:
        raise ValueError("the target is in the memory of this process alone; give a path or URL, to which others can write")
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
    """The threads for one brick: one, where bricks keep all workers busy."""
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
        f"the {name} ({type(image.array).__name__}) is in the memory of this process alone; store it as zarr, HDF5 or .npy, "
        "which others can read"
    )


class _Shares:
    """Tells progress as the fraction of the whole work."""

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
    """Does what is left of the work. Returns the number of components."""
    shares = _Shares(progress)
    if job.merged() is None:
        bricks = job.missing("records", job.is_labeled)
        runner.run(job, "label_brick", [(index,) for index in bricks], shares.counter(0.0, 0.45, len(bricks)))
    found = job.merge(lambda fraction: shares.tell(0.45 + 0.1 * fraction))
    bricks = job.missing_written()
    if job.plan["run"]["addresses"]["source"] == "blocks":
        # Who writes a brick cannot label it again.
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
    criterion: str = "foreground",
    range: tuple[float, float] | None = None,
    background: float | None = 0,
    tolerance: float | None = None,
    mask: Any = None,
    by_slice: int | None = None,
    neighbourhood: Any = None,
    periodic: Any = (),
    order: str = "raster",
    minimum_size: int = 0,
    maximum_size: int | None = None,
    minimum_volume: float | None = None,
    largest: int | None = None,
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
    """Labels the connected components of a volume brick by brick: bit for bit as `brickccl.label` labels it at once.

    Parameters
    ----------
    source : path, URL or array
        An array of zarr (2 and 3, with shards or without), an OME-Zarr image (0.4 and 0.5), a dataset of HDF5, a
        numpy.memmap or array, a dask or xarray array. Paths: of an array or image of zarr, of an .npy file,
        ``"scan.h5::/dataset"``; URLs are those of fsspec. Of dask and xarray arrays that only cut an array into blocks that
        one is read; others are computed one brick at a time.
    target : path, URL or zarr.Array
        A new array of zarr (a path with the ending of another format, such as .npy, is refused), with the format of the
        source; an empty array of zarr with the shape of the source; or
        ``IMAGE/labels/NAME`` in an OME-Zarr image: a label image with the levels, axes and units of that image, colours and
        properties. Readers find its metadata when all is written.
    brick : int or sequence of int, optional
        The shape of a brick, which consists of whole shards (or chunks) of the target; about 256^3 voxels if not given.
    state : path, optional
        An empty folder for the work, which all workers see. Who gives it again goes on where the work ended, however that
        was. It stays when all is done. A temporary folder if not given.
    executor : {"threads", "processes"}, concurrent.futures.Executor or distributed.Client, optional
        Who labels bricks; threads if not given. Processes are replaced when they die.
    workers : int, optional
        The number of threads or processes; as many as processors if not given. Each of them holds a brick and its labels.
    devices : str, int or list, optional
        "cpu" (if not given), "cuda:N", N, or several, which threads take in turns.
    connectivity, criterion, range, background, tolerance, by_slice, neighbourhood, periodic, order, minimum_size, \
maximum_size, minimum_volume, largest
        As for `brickccl.label`, for the whole volume.
    mask : as `source`, optional
        Of the same shape; voxels where it is 0 take no part.
    spacing : float or sequence of float, optional
        Size of a voxel in mm. An OME-Zarr image brings its own; its lengths without a unit count as mm.
    dtype : dtype, default "auto"
        uint8, uint16, uint32 or uint64; "auto" is the smallest that holds the labels.
    table : path, optional
        Where the component table goes: .parquet, .csv, .tsv, or .zarr, a group with an array for each column. An old table
        in its place is replaced, anything else refused.
    table_rows : int, optional
        The table becomes a folder with this name, with files of so many rows: ``part-00000.parquet`` and so on, by labels.
        Readers of datasets (pyarrow, pandas, Dask, polars) take the folder.
    return_table : bool, default False
        Also return the table.
    columns, intensity
        As for `brickccl.Labeling.table`; columns that need components as a whole are refused. `intensity` is given as
        `source` is.
    properties : sequence of str, optional
        Columns for the properties of an OME-Zarr label image; voxels and volumes if not given. More than 10,000 components
        get none, nor colours, since they stand in its metadata.
    chunks, shards, zarr_format : optional
        How a new target is laid out: as the source (the image) if not given, without shards if it is no image.
    overwrite : bool, default False
        Whether what is in the target's place, or in the array that was given, goes, once the labels are known.
    select : dict, optional
        Axes of an OME-Zarr image at which one index is read, for example ``{"c": 1}``; of several channels one must be chosen.
    level : int, default 0
        Which level of an OME-Zarr image is labeled.
    storage_options : dict, optional
        For fsspec. It is kept in the state's plan: leave secrets to the environment.
    algorithm, threads
        As for `brickccl.label`, for each brick; one thread if there are bricks for all workers.
    progress : callable or bar, optional
        As for `brickccl.label`. Called with the fraction that is done, after each brick; an exception of it ends the work.

    Returns
    -------
    Labels
        The array, the number of components, the table (None unless `return_table`).

    Raises
    ------
    ValueError
        For arguments without meaning, for bricks that cut through shards or chunks of the target, and for a `state` of other
        work: it says in what that differs.
    FileExistsError
        If there is something in the target's place, or values in the array that was given; if there is something else than a
        component table in the table's place; if `state` is a folder without a plan that is not empty.
    DamagedState
        If files of the state are lost or damaged in a way that cannot be made good.
    FolderInUse
        If another process works in the folder `state`.
    OSError
        With the brick at which reading or writing failed.

    Notes
    -----
    Seeds, filled holes, clear borders and masks to touch are not there: they need components as a whole. Files of the
    state are written as a whole or not at all and carry checksums; results of a brick are there before it counts as done.
    Processes start anew (spawn): a script that uses them needs ``if __name__ == "__main__":``.

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
        raise ValueError("state= is needed with this executor: a folder that all of its workers see")
    folder = tempfile.mkdtemp(prefix="brickccl-") if state is None else os.fspath(state)
    try:
        with contextlib.ExitStack() as holding:
            job = _make_job(source, target, folder, runner, given, holding)
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
        As for `label`; what is in the memory of one process alone is refused.
    **arguments
        Those of `label`, without `executor`, `workers`, `progress` and `return_table`.

    Returns
    -------
    int
        The number of bricks: those are 0 up to, without it, this number.
    """
    given = {**_arguments_of_plan(arguments), "state": state}
    with contextlib.ExitStack() as holding:
        return len(_make_job(source, target, state, None, given, holding).grid)


def _arguments_of_plan(arguments: Mapping[str, Any]) -> dict[str, Any]:
    defaults = dict(label.__kwdefaults__ or {})
    for name in ("executor", "workers", "progress", "return_table", "state"):
        del defaults[name]
    unknown = [name for name in arguments if name not in defaults]
    if unknown:
        raise TypeError(f"plan has no argument {unknown[0]!r}")
    return {**defaults, **arguments, "return_table": False}


def label_brick(state: str | os.PathLike[str], brick: int) -> None:
    """Labels one brick of a plan, unless its result is there; see `plan`."""
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
    """Writes what readers look for once all bricks are written: lower resolutions and metadata. See `plan`."""
    runner = runner_of(executor, workers_of(workers))
    try:
        with working("finish", state) as job:
            _finish(job, runner, _Shares(progress))
    finally:
        runner.close()
