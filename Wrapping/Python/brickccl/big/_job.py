# SPDX-License-Identifier: Apache-2.0
"""The steps of labeling a volume by bricks: each can be repeated and needs only a folder and a number."""

from __future__ import annotations

import json
import math
import os
import threading
import time
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np

from .. import _core
from .._table import Table
from .._volume import check_numbers
from .._volume import voxels as as_voxels
from ._grid import Grid
from ._ome import MOST_ROWS
from ._lock import locked
from ._options import counts_more, make_labeler
from ._sources import Source, reopen
from ._state import FORMAT, DamagedState, State, naming
from ._tables import properties_of, write_table
from ._targets import Target

#: The columns of a component that an OME-Zarr label image gets, of those that its table has.
PROPERTIES = ("voxel_count", "volume_mm3", "volume_voxels", "area_mm2", "area_voxels")
#: Errors name at most this many bricks.
NAMED_BRICKS = 5

PLAN = "plan.json"
MERGE = "merge.json"
FINISHED = "finished.json"
#: So many records are merged at once.
RECORDS_AT_ONCE = 8
#: Looking at the files of a source takes at most this part of the time.
LOOKS = 20


class Job:
    """A plan with its source and target. The result depends only on `plan["problem"]`; `plan["run"]` describes how it is
    computed.
    """

    def __init__(
        self, state: State, plan: dict[str, Any], images: Mapping[str, Source | None], target: Target
    ) -> None:
        self.state = state
        self.plan = plan
        self.images = images
        self.target = target
        self.grid = Grid(plan["problem"]["shape"], plan["problem"]["brick"])
        self._local = threading.local()
        self._looked_at = 0.0
        self._look_took = 0.0

    @property
    def id(self) -> str:
        return str(self.plan["id"])

    @property
    def made(self) -> str:
        """The call of `Target.create` that made the arrays."""
        return str(self.state.read_json(MERGE)["made"])

    @property
    def needs_table(self) -> bool:
        return bool(self.plan["problem"]["options"]["measures"])

    def check_sources(self, is_certain: bool = False) -> None:
        """Raises if the source has changed since it was planned. Checking many files takes time, so checks are `LOOKS` times
        that apart, unless it must be certain.
        """
        begin = time.monotonic()
        if not is_certain and begin - self._looked_at < LOOKS * self._look_took:
            return
        for name, image in self.images.items():
            if image is None:
                continue
            before = self.plan["problem"][name]
            now = json.loads(json.dumps(image.fingerprint(deep=False)))
            # The plan of a source in memory also has what needs a look at all voxels, or at other things instead.
            found = [text for key in now if key in before for text in differences(before[key], now[key], key)]
            if found:
                raise DamagedState(
                    f"the {name} has changed since the work was planned: {'; '.join(found[:NAMED_BRICKS])}; start again in "
                    "an empty folder"
                )
        self._looked_at = time.monotonic()
        self._look_took = self._looked_at - begin

    # Step 1: a brick on its own.

    def label_brick(self, index: int, image: np.ndarray[Any, Any] | None = None, device: str | None = None) -> None:
        """Labels a brick and stores its record and runs, unless they exist. `image` is the brick, if it was read elsewhere.
        """
        if self.is_labeled(index):
            return
        with naming(self.grid.describe(index)):
            record, runs = self._label(index, image, device)
            name = self.grid.name(index)
            # The record last: with it, the brick counts as labeled.
            self.state.write(f"runs/{name}", runs)
            self.state.write(f"records/{name}", record)

    def is_labeled(self, index: int) -> bool:
        """Whether the complete record of a brick exists."""
        name = self.grid.name(index)
        with naming(self.grid.describe(index)):
            try:
                _core.check_bytes("record", self.state.read(f"records/{name}"))
            except (FileNotFoundError, RuntimeError):
                return False
            return self.state.has(f"runs/{name}")

    def _label(self, index: int, image: np.ndarray[Any, Any] | None, device: str | None) -> tuple[bytes, bytes]:
        self.check_sources()
        box = self.grid.box(index)
        voxels = {
            name: None if source is None else source.read(box)
            for name, source in self.images.items()
            if name != "source" or image is None
        }
        whole = voxels.get("source") if image is None else as_voxels(image, "the source")
        mask = voxels.get("mask")
        if mask is not None:
            check_numbers(mask, "mask")
        if whole is None:
            raise DamagedState("the source cannot be read again by this process")
        record, runs = self._labeler(device).label(
            whole, [part.start for part in box], mask, voxels.get("intensity")
        )
        return record, runs

    def _labeler(self, device: str | None) -> _core.BrickLabeler:
        """One per thread and device; it keeps its memory from brick to brick."""
        run = self.plan["run"]
        chosen = run["devices"][0] if device is None else device
        labelers: dict[str, _core.BrickLabeler] = self._local.__dict__.setdefault("labelers", {})
        if chosen not in labelers:
            labelers[chosen] = make_labeler(self.plan["problem"], run["algorithm"], chosen, run["threads"])
        return labelers[chosen]

    @property
    def needs_counts(self) -> bool:
        """Whether the table has columns for which bricks are read again, together with the bricks before them."""
        return counts_more(self.plan["problem"]["options"], len(self.grid.shape))

    # Step 2: all bricks together.

    def missing(self, folder: str, is_there: Callable[[int], bool] | None = None) -> list[int]:
        """The bricks without a file in a folder of the state."""
        names = self.state.names(folder)
        return [
            index
            for index in range(len(self.grid))
            if self.grid.name(index) not in names or is_there is not None and not is_there(index)
        ]

    def merged(self) -> dict[str, Any] | None:
        """The result of merging; None if it is yet to be done, also because a file is lost or damaged."""
        try:
            found = self.state.read_json(MERGE)
            if self.missing("maps") or not self.target.is_made(found["made"]):
                return None
            for index in range(len(self.grid)):
                _core.describe_brick(self._map(index))
        except (FileNotFoundError, DamagedState, RuntimeError):
            return None
        return found

    def merge(self, report: Callable[[float], Any] = lambda fraction: None) -> dict[str, Any]:
        """Joins components across bricks, numbers them, and creates the target."""
        done = self.merged()
        if done is not None:
            return done
        self.check_sources(is_certain=True)
        self.state.remove(MERGE)
        merge = _core.BrickMerge()
        count = len(self.grid)
        for begin in range(0, count, RECORDS_AT_ONCE):
            end = min(begin + RECORDS_AT_ONCE, count)
            self._add(merge, range(begin, end))
            report(0.5 * end / count)
        merge.finish()
        dtype = self.target.check_type(merge.count)
        for index in range(count):
            with naming(self.grid.describe(index)):
                self.state.write(f"maps/{self.grid.name(index)}", merge.map(index))
            report(0.5 + 0.3 * (index + 1) / count)
        found: dict[str, Any] = {"count": merge.count, "foreground": merge.foreground, "dtype": dtype, "memory": merge.memory}
        del merge
        self.target.check_new(self.id, self.plan["run"]["overwrite"])
        found["made"] = self.target.create(dtype, self.id)
        self.state.write_json(MERGE, found)
        report(1.0)
        return found

    def _add(self, merge: _core.BrickMerge, bricks: range) -> None:
        """Adds the records of bricks, reading several at once."""
        records = []
        for index in bricks:
            with naming(self.grid.describe(index)):
                try:
                    records.append(self._record(index))
                except FileNotFoundError:
                    raise DamagedState(self._name_missing(self.missing("records"), "labeled")) from None
        try:
            merge.add_all(records)
        except RuntimeError:
            for index, record in zip(bricks, records):
                with naming(self.grid.describe(index)):
                    try:
                        _core.check_bytes("record", record)
                    except RuntimeError as error:
                        self.state.remove(f"records/{self.grid.name(index)}")
                        raise DamagedState(f"{error}; label it again") from None
            raise

    def _record(self, index: int) -> bytes:
        return self.state.read(f"records/{self.grid.name(index)}")

    def _sure_record(self, index: int) -> bytes:
        """The record of a brick; a lost or damaged one is made again."""
        try:
            record = self._record(index)
            _core.check_bytes("record", record)
            return record
        except (FileNotFoundError, RuntimeError):
            with naming(self.grid.describe(index)):
                record = self._label(index, None, None)[0]
                self.state.write(f"records/{self.grid.name(index)}", record)
                return record

    def _map(self, index: int) -> bytes:
        return self.state.read(f"maps/{self.grid.name(index)}")

    def table(self) -> Table:
        """The component table of the volume."""
        counts = self._counts if self.needs_counts else None
        native = _core.merge_brick_tables(len(self.grid), self._sure_record, self._map, counts)
        split = self.plan["problem"].get("split")
        if split is not None:
            _core.set_parents(native, np.load(split["parents"]))
        return Table(native, in_voxels=self.plan["problem"]["options"]["spacing"] is None)

    def _counts(self, index: int) -> bytes:
        return self.state.read(f"counts/{self.grid.name(index)}")

    def _name_missing(self, bricks: Sequence[int], what: str) -> str:
        named = ", ".join(map(str, bricks[:NAMED_BRICKS])) + (" ..." if len(bricks) > NAMED_BRICKS else "")
        return f"{len(bricks)} of {len(self.grid)} bricks are not {what} yet: {named}"

    # Step 3: labels of the volume for each brick.

    def _mark_of(self, index: int) -> str:
        """The beginning of a written brick's mark: its array and map."""
        return f"{self.made} {zlib.crc32(self._map(index)):08x}"

    def is_written(self, index: int, stored: set[str] | None = None) -> bool:
        """Whether a brick is written and its shards or chunks are in the store (on a disk, unchanged). `stored` are their
        keys, if known."""
        try:
            if self.needs_counts:
                _core.check_bytes("counts", self._counts(index))
            mark = self.state.read(f"written/{self.grid.name(index)}").decode("ascii", "replace").strip()
            begin, filled, stamp = mark.rsplit(" ", 2)
            if begin != self._mark_of(index):
                return False
            box = self.grid.box(index)
            shape = [-(-(part.stop - part.start) // size) for part, size in zip(box, self.target.unit[0])]
            bits = np.unpackbits(np.frombuffer(bytes.fromhex(filled), np.uint8), count=math.prod(shape))
            units = bits.reshape(shape)
            return self.target.has_units(box, units, stored) and self.target.stamp_units(box, units) == stamp
        except (FileNotFoundError, RuntimeError, ValueError):
            return False

    def missing_written(self) -> list[int]:
        """The bricks yet to be written, including bricks that the target lost."""
        stored = self.target.stored()
        return self.missing("written", lambda index: self.is_written(index, stored))

    def write_brick(self, index: int) -> None:
        """Writes the labels of a brick to the target, unless they exist."""
        with naming(self.grid.describe(index)):
            if not self.state.has(MERGE):
                raise DamagedState("the bricks are not merged yet")
            if self.is_written(index):
                return
            if not self.target.is_made(self.made):
                raise DamagedState("the target is gone or was replaced; merge again")
            try:
                labels = self._labels(index)
            except FileNotFoundError:
                raise DamagedState("its map is missing; merge again") from None
            if self.needs_counts:
                self._count(index)
            box, units = self.grid.box(index), self.target.filled_units(labels)
            self.target.write(box, labels)
            mark = f"{self._mark_of(index)} {np.packbits(units).tobytes().hex()} {self.target.stamp_units(box, units)}\n"
            self.state.write(f"written/{self.grid.name(index)}", mark.encode())

    def _labels(self, index: int) -> np.ndarray[Any, Any]:
        box = self.grid.box(index)
        labels = np.empty([part.stop - part.start for part in box], self.target.array().dtype)
        labels_map = self._map(index)
        name = f"runs/{self.grid.name(index)}"
        threads = self.plan["run"]["threads"]
        try:
            _core.write_brick(self.state.read(name), labels_map, labels, threads)
            return labels
        except (FileNotFoundError, RuntimeError):
            # Lost or damaged: the brick is labeled again, which gives the same bytes.
            record, runs = self._label(index, None, None)
        try:
            _core.write_brick(runs, labels_map, labels, threads)
        except ValueError:
            raise DamagedState("the source has changed since the brick was labeled; start again in another folder") from None
        self.state.write(name, runs)
        self.state.write(f"records/{self.grid.name(index)}", record)
        return labels

    def _count(self, index: int) -> None:
        before = [(self._sure_record(other), self._map(other)) for other in self.grid.before(index)]
        runs = self.state.read(f"runs/{self.grid.name(index)}")
        threads = self.plan["run"]["threads"]
        counts = _core.count_brick(self._sure_record(index), self._map(index), runs, before, threads)
        self.state.write(f"counts/{self.grid.name(index)}", counts)

    # Step 4: what readers look for.

    def write_piece(self, level: int, index: int) -> None:
        """Writes a piece of a level of the pyramid."""
        with naming(f"piece {index} of level {level}"):
            self.target.write_piece(level, index)

    def check_written(self) -> None:
        missing = self.missing_written()
        if missing:
            raise DamagedState(self._name_missing(missing, "written"))

    def write_tables(self) -> list[dict[str, Any]]:
        """Writes the table. Returns the properties of the components for an OME-Zarr label image."""
        run = self.plan["run"]
        count = int(self.state.read_json(MERGE)["count"])
        wanted = self.target.spec["kind"] == "ome" and run["properties"] != [] and count <= MOST_ROWS
        if not self.needs_table or not (wanted or run["table"]):
            return []
        table = self.table()
        if run["table"]:
            write_table(run["table"], table, run.get("table_rows"))
        columns = run["properties"] or [name for name in PROPERTIES if name in table]
        return properties_of(table, columns) if wanted else []

    def complete(self) -> None:
        """Writes the table, and the metadata of the target."""
        properties = self.write_tables()
        found = self.state.read_json(MERGE)
        self.target.complete(self.id, str(found["made"]), int(found["count"]), properties)
        self.state.write_json(FINISHED, self._wanted())

    def _wanted(self) -> dict[str, Any]:
        run = self.plan["run"]
        return {name: run.get(name) for name in ("table", "table_rows", "properties")}

    def is_complete(self) -> bool:
        """Whether all results of this run exist. A table is always written again: it may be another's by now."""
        if not self.target.is_complete(self.made) or self.plan["run"]["table"]:
            return False
        try:
            return self.state.read_json(FINISHED) == self._wanted()
        except (FileNotFoundError, DamagedState):
            return False


def differences(before: Any, now: Any, name: str = "") -> list[str]:
    """The differences between two plans."""
    if isinstance(before, dict) and isinstance(now, dict):
        found = []
        for key in dict.fromkeys([*before, *now]):
            found += differences(before.get(key), now.get(key), f"{name}.{key}" if name else str(key))
        return found
    return [] if before == now else [f"{name} was {before!r} and is {now!r}"]


def make_plan(state: State, problem: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    """The plan in a folder: a new one, or the existing one for the same problem."""
    # Its JSON form is compared.
    problem = json.loads(json.dumps(problem))
    if state.has(PLAN):
        plan = state.read_json(PLAN)
        if plan.get("format") != FORMAT:
            raise ValueError(
                f"the folder '{state.folder}' has format {plan.get('format')}, this is {FORMAT}; give another one"
            )
        found = differences(plan["problem"], problem)
        if found:
            raise ValueError(
                f"the folder '{state.folder}' holds work on another problem: {'; '.join(found[:NAMED_BRICKS])}; use the "
                "earlier arguments, or another folder"
            )
        plan["run"] = run
    else:
        state.check_empty()
        plan = {"format": FORMAT, "id": uuid.uuid4().hex, "problem": problem, "run": run}
        state.make()
    state.write_json(PLAN, plan)
    return plan


def open_job(folder: str) -> Job:
    """The work in a folder, for another process."""
    state = State(folder)
    if not state.has(PLAN):
        raise FileNotFoundError(f"the folder '{folder}' has no plan; plan makes one")
    return _open_job(state.folder, state.read(PLAN))


@lru_cache(maxsize=4)
def _open_job(folder: str, plan_bytes: bytes) -> Job:
    state = State(folder)
    plan = state.read_json(PLAN)
    images: dict[str, Source | None] = {}
    for name, address in plan["run"]["addresses"].items():
        if address == "memory":
            raise ValueError(f"the {name} is only in one process's memory; store it as a file that all processes can read")
        images[name] = None if address is None or address == "blocks" else reopen(address)
    spec = plan["problem"]["target"]
    if spec["url"] is None:
        raise ValueError("the target is only in one process's memory; use a path or URL")
    return Job(state, plan, images, Target(spec))


#: The steps that are done for each brick: tasks of different bricks may run at the same time.
BRICK_STEPS = ("label_brick", "write_brick")


@contextmanager
def working(step: str, folder: str | os.PathLike[str]) -> Iterator[Job]:
    """The work in a folder for one step, without disturbance by others."""
    job = open_job(os.fspath(folder))
    with locked(job.state.folder, step, is_alone=step not in BRICK_STEPS):
        yield job


def run_step(folder: str, step: str, arguments: Sequence[int], image: np.ndarray[Any, Any] | None = None) -> Sequence[int]:
    """A step in a separate process: results are in the folder and the target before it returns."""
    job = open_job(folder)
    if step == "label_brick":
        job.label_brick(arguments[0], image)
    elif step == "write_brick":
        job.write_brick(arguments[0])
    else:
        job.write_piece(arguments[0], arguments[1])
    return arguments


def bricks_of(text: str, count: int) -> Iterable[int]:
    """Bricks in the syntax of the command: "3", "1,2,5", "0:100", ":" for all."""
    for part in text.split(","):
        begin, colon, end = part.partition(":")
        try:
            first = int(begin) if begin else 0
            last = (int(end) if end else count) if colon else first + 1
        except ValueError:
            raise ValueError(f"'{text}' is not a list of bricks; write numbers and ranges, for example 0:100,250") from None
        if not 0 <= first < count or (colon and first > last):
            raise ValueError(f"'{text}' names brick {first}; there are {count}, from 0 on")
        yield from range(first, min(last, count))
