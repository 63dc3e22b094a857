# SPDX-License-Identifier: Apache-2.0
"""``python -m brickccl big``: volumes larger than memory, at once or as steps of a job array."""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import brickccl.big

from .._table import counted
from ._job import Job, bricks_of, open_job, working


def _number_of(text: str) -> float:
    """A number from the command line; whole numbers stay exact integers."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
    if (value == 0 or math.isinf(value)) and set("123456789") & set(text.lower().partition("e")[0]):
        raise argparse.ArgumentTypeError(f"'{text}' is too {'close to 0' if value == 0 else 'large'} for double precision")
    return value


def _height_of(text: str) -> float | str:
    return text if text.endswith("%") else _number_of(text)


def _background_of(text: str) -> float | None:
    """The background value from the command line; None for "none"."""
    try:
        return None if text == "none" else _number_of(text)
    except argparse.ArgumentTypeError as error:
        raise ValueError(f"--background: {error}; give a number or none") from None


def parser() -> argparse.ArgumentParser:
    """The command line."""
    big = argparse.ArgumentParser(
        prog="python -m brickccl big",
        description="Labels volumes of zarr, OME-Zarr, HDF5 and .npy brick by brick. `label` runs everything; plan, brick, merge, write "
        "and finish are its steps, on a shared folder. Bricks can be processed in any order, at the same time, and repeatedly.",
    )
    steps = big.add_subparsers(dest="step", required=True, metavar="STEP")
    for name, text in (("label", "run everything"), ("plan", "make the plan in a folder")):
        _add_problem(steps.add_parser(name, help=text), name)
    for name, text in (("brick", "label bricks"), ("write", "write the labels of bricks")):
        step = steps.add_parser(name, help=text)
        step.add_argument("state", metavar="STATE")
        chosen = step.add_mutually_exclusive_group()
        chosen.add_argument("--bricks", default=":", metavar="LIST", help="numbers and ranges: 0:100,250 (all)")
        chosen.add_argument("--part", metavar="I/N", help="every N-th brick from the I-th, for task I of 0..N-1")
    for name, text in (("merge", "merge the labeled bricks"), ("finish", "write lower resolutions and metadata")):
        steps.add_parser(name, help=text).add_argument("state", metavar="STATE")
    steps.add_parser("status", help="report progress").add_argument("state", metavar="STATE")
    stats = steps.add_parser("stats", help="measure an existing label map")
    stats.add_argument("source", metavar="LABELS")
    stats.add_argument("-o", "--output", required=True, metavar="TABLE", help=".parquet, .csv, .tsv or .zarr")
    stats.add_argument("--intensity", metavar="IMAGE")
    stats.add_argument("--columns", metavar="GROUPS")
    stats.add_argument("--spacing", type=_number_of, nargs="+", metavar="MM", help="size of a voxel, x first")
    stats.add_argument("--brick", type=int, nargs="+", metavar="N", help="voxels of a brick along the array's axes")
    stats.add_argument("--workers", type=int, metavar="N")
    return big


def _add_problem(parser: argparse.ArgumentParser, name: str) -> None:
    parser.add_argument("source", metavar="SOURCE", help="path or URL; FILE.h5::/DATASET")
    parser.add_argument("target", metavar="TARGET", help="a new array of zarr, or IMAGE/labels/NAME in an OME-Zarr image")
    parser.add_argument("--state", required=name == "plan", metavar="FOLDER", help="folder of the work, to resume it")
    parser.add_argument("--brick", type=int, nargs="+", metavar="N", help="voxels of a brick along the array's axes")
    parser.add_argument("--chunks", type=int, nargs="+", metavar="N")
    parser.add_argument("--shards", type=int, nargs="+", metavar="N")
    parser.add_argument("--connectivity", type=int, metavar="N", help="4, 8, 6, 18, 26, or a rank; by faces if not given")
    parser.add_argument("--range", nargs=2, type=_number_of, metavar=("LOW", "HIGH"), help="foreground is LOW..HIGH")
    parser.add_argument("--equal-value", action="store_true", help="join neighbors of equal value")
    parser.add_argument("--tolerance", type=_number_of, metavar="D", help="join neighbors that differ by at most D")
    parser.add_argument("--background", default="0", metavar="V", help="background value, or none (default: 0)")
    parser.add_argument("--mask", metavar="ARRAY", help="voxels where it is 0 are ignored")
    parser.add_argument("--by-slice", type=int, metavar="AXIS", help="label each slice across this axis of the array separately")
    parser.add_argument(
        "--neighborhood",
        metavar="8+z|FILE",
        help="8 in the slice and the two along z; or 3 x 3 x 3 zeros and ones: .npy, .json (nested lists), .txt (x fastest) or an image",
    )
    parser.add_argument("--periodic", default="", metavar="x,y,z", help="axes along which opposite ends of the volume are neighbors")
    parser.add_argument("--minimum-size", type=int, default=0, metavar="VOXELS")
    parser.add_argument("--maximum-size", type=int, metavar="VOXELS")
    parser.add_argument("--minimum-volume", type=_number_of, metavar="MM3")
    parser.add_argument("--largest", type=int, metavar="K", help="keep only the K largest")
    parser.add_argument("--order", choices=("raster", "size"), default="raster")
    parser.add_argument("--type", default="auto", metavar="TYPE", help="uint8, uint16, uint32, uint64, smallest or auto")
    parser.add_argument("--table", metavar="FILE", help=".parquet, .csv, .tsv or .zarr")
    parser.add_argument("--table-rows", type=int, metavar="N", help="write the table as a folder of files with this many rows")
    parser.add_argument("--columns", metavar="GROUPS", help="groups of columns: shape,feret ...")
    parser.add_argument("--intensity", metavar="ARRAY", help="image for the table's intensity columns")
    parser.add_argument("--spacing", type=_number_of, nargs="+", metavar="MM", help="size of a voxel, x first")
    parser.add_argument("--select", nargs="+", default=[], metavar="AXIS=INDEX", help="for example c=1")
    parser.add_argument("--level", type=int, default=0, metavar="N")
    parser.add_argument("--storage-options", type=json.loads, metavar="JSON", help="for URLs; stored in the plan")
    parser.add_argument("--device", action="append", metavar="NAME", help="cpu, cuda:0 ...; can be repeated")
    parser.add_argument("--threads", type=int, metavar="N", help="threads for each brick (1 if there are bricks for all)")
    parser.add_argument("--overwrite", action="store_true")
    if name == "label":
        parser.add_argument("--split", nargs="?", const=True, type=_height_of, metavar="H", help="split touching objects; H in mm, or 10%%")
        parser.add_argument("--executor", choices=("threads", "processes"), default="threads")
        parser.add_argument("--workers", type=int, metavar="N")


def _sizes(values: list[int] | None) -> Any:
    return values[0] if values is not None and len(values) == 1 else values


def _spacing(values: list[float] | None) -> Any:
    return None if values is None else values[0] if len(values) == 1 else values[::-1]


_ELEMENT = "it must hold zeros and ones, 3 along each axis: 3 x 3 x 3 for a volume"


def _digits_of(text: str) -> np.ndarray[Any, Any]:
    """The zeros and ones of a text, x fastest; # begins a comment."""
    digits = "".join("".join(line.partition("#")[0].split()) for line in text.splitlines())
    sizes = {3**dimension: dimension for dimension in range(1, 5)}
    if len(digits) not in sizes or not set(digits) <= {"0", "1"}:
        raise ValueError(f"{len(digits)} other characters than spaces and comments")
    return np.array([digit == "1" for digit in digits]).reshape((3,) * sizes[len(digits)])


def _element_of_image(path: str) -> Any:
    """The nonzero voxels of an image, in the array's order of axes."""
    from brickccl import io

    if not os.path.isfile(path):
        raise ValueError("it is neither a file nor a text such as 8+z")
    return np.asarray(io.read(path, as_labels=True)) != 0


def _neighborhood(path: str | None) -> Any:
    """A text such as 8+z, or a structuring element from a file; .npy and .json have the array's order of axes."""
    if path is None:
        return None
    readers: dict[str, Callable[[bytes], Any]] = {
        ".npy": lambda content: np.load(io.BytesIO(content), allow_pickle=False),
        ".json": lambda content: np.array(json.loads(content)),
        ".txt": lambda content: _digits_of(content.decode()),
    }
    if re.fullmatch("[0-9]{1,3}[+][xyzt]+", path):
        return path
    ending = os.path.splitext(path)[1].lower()
    reader = readers.get(ending)
    if reader is None:
        try:
            return _element_of_image(path)
        except (ValueError, OSError) as error:
            raise ValueError(f"--neighborhood {path}: {error}") from None
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError as error:
        raise ValueError(f"--neighborhood {path} cannot be read: {error.strerror or error}") from None
    try:
        structure = np.asarray(reader(content))
    except (ValueError, RecursionError, EOFError) as error:
        # numpy takes what is not its own for objects of Python, and says how to load them.
        fault = "it is not .npy, or contains Python objects" if "pickle" in str(error) else str(error)
        raise ValueError(f"--neighborhood {path} is not a {ending} file of zeros and ones ({fault}); {_ELEMENT}") from None
    if structure.dtype.kind not in "biuf" or not np.isin(structure, (0, 1)).all():
        raise ValueError(f"--neighborhood {path} holds other values than 0 and 1; {_ELEMENT}")
    return structure


def _problem(chosen: argparse.Namespace) -> dict[str, Any]:
    select = {}
    for text in chosen.select:
        axis, equals, index = text.partition("=")
        if not equals or not index.isdigit():
            raise ValueError(f"--select {text} must be AXIS=INDEX, for example c=1")
        select[axis] = int(index)
    same = ("mask", "by_slice", "periodic", "minimum_size", "maximum_size", "minimum_volume", "largest", "order", "table", "table_rows", "columns")
    return {
        **{name: getattr(chosen, name) for name in (*same, "intensity", "level", "storage_options", "overwrite", "tolerance",
        "threads")}, "state": chosen.state, "brick": _sizes(chosen.brick), "chunks": _sizes(chosen.chunks), "shards":
        _sizes(chosen.shards), "connectivity": chosen.connectivity, "neighborhood": _neighborhood(chosen.neighborhood),
        "criterion": "equal-value" if chosen.equal_value else "foreground", "range": tuple(chosen.range) if chosen.range else None,
        "background": _background_of(chosen.background), "dtype": chosen.type, "spacing": _spacing(chosen.spacing), "select":
        select or None, "devices": chosen.device,
    }


def _chosen_bricks(chosen: argparse.Namespace, job: Job) -> Iterable[int]:
    count = len(job.grid)
    if chosen.part is None:
        return bricks_of(chosen.bricks, count)
    task, slash, tasks = chosen.part.partition("/")
    if not slash or not task.isdigit() or not tasks.isdigit() or int(task) >= int(tasks):
        raise ValueError(f"--part {chosen.part} must be I/N with I of 0..N-1, for example 0/16")
    return range(int(task), count, int(tasks))


def _do_bricks(chosen: argparse.Namespace) -> None:
    done = 0
    with working("label_brick" if chosen.step == "brick" else "write_brick", chosen.state) as job:
        for index in _chosen_bricks(chosen, job):
            job.label_brick(index) if chosen.step == "brick" else job.write_brick(index)
            done += 1
    print(f"{counted(done, 'brick')} {'labeled' if chosen.step == 'brick' else 'written'}")


def _tell_status(chosen: argparse.Namespace) -> None:
    job = open_job(chosen.state)
    count = len(job.grid)
    labeled = count - len(job.missing("records"))
    print(f"{labeled} of {count} bricks labeled")
    merged = job.state.has("merge.json")
    print("merged" if merged else "not merged")
    if merged:
        print(f"{count - len(job.missing_written())} of {count} bricks written")
        print("complete" if job.target.is_complete(job.made) else "not complete")


def run(chosen: argparse.Namespace) -> None:
    """Runs the command line."""
    big = brickccl.big
    if chosen.step == "label":
        result = big.label(
            chosen.source, chosen.target, executor=chosen.executor, workers=chosen.workers, split=chosen.split, **_problem(chosen)
        )
        print(f"{counted(result.count, 'component')}: {chosen.target}")
    elif chosen.step == "plan":
        count = big.plan(chosen.source, chosen.target, **_problem(chosen))
        print(f"{counted(count, 'brick')}: {chosen.state}")
    elif chosen.step in ("brick", "write"):
        _do_bricks(chosen)
    elif chosen.step == "merge":
        print(counted(big.merge(chosen.state), "component"))
    elif chosen.step == "finish":
        big.finish(chosen.state)
        print("complete")
    elif chosen.step == "status":
        _tell_status(chosen)
    else:
        _measure(chosen)


def _measure(chosen: argparse.Namespace) -> None:
    from ._tables import check_old_table, check_table, write_table

    path = check_table(chosen.output)
    check_old_table(path)
    assert path is not None
    table = brickccl.big.statistics(
        chosen.source,
        intensity=chosen.intensity,
        columns=chosen.columns,
        spacing=_spacing(chosen.spacing),
        brick=_sizes(chosen.brick),
        workers=chosen.workers,
    )
    write_table(path, table)
    print(f"{table.row_count} labels measured: {chosen.output}")
