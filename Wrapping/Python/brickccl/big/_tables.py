"""Component tables as files: Parquet, CSV, columns of zarr."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._table import Table
from .._volume import count_of
from ._sources import import_zarr
from ._state import suppressed_os_errors

ENDINGS = (".parquet", ".csv", ".tsv", ".zarr")
#: Rows of a group of rows in Parquet, and of a chunk in zarr.
ROWS_AT_ONCE = 1 << 20


def check_table(path: Any) -> str | None:
    """The path of a table that is to be written; raises before any work if it cannot be."""
    if path is None:
        return None
    text: str = os.path.abspath(os.fspath(path))
    if not text.endswith(ENDINGS):
        raise ValueError(f"table='{path}' must end in {', '.join(ENDINGS)}, which says how it is written")
    if not os.path.isdir(os.path.dirname(text)):
        raise FileNotFoundError(f"there is no folder for the table '{path}'")
    if text.endswith(".parquet"):
        _import_parquet()
    return text


def _import_parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise ImportError("a table as Parquet needs the package pyarrow; 'brickccl[arrow]' brings it") from None
    return pyarrow.parquet


def check_rows(rows: Any, path: str | None) -> int | None:
    """The rows of each part of a table; None if it is one file."""
    if rows is None:
        return None
    number = count_of("table_rows", rows)
    if path is None or path.endswith(".zarr"):
        raise ValueError("table_rows cuts a table= of .parquet, .csv or .tsv into parts; columns of zarr have chunks")
    if number == 0:
        raise ValueError("table_rows=0 leaves no rows for a part; give at least 1, or None for one file")
    return number


def write_table(path: str, table: Table, rows: int | None = None) -> None:
    """Writes a table, or a folder of parts of so many rows, which is there as a whole or not at all."""
    temporary = f"{path}.{uuid.uuid4().hex}.part"
    try:
        if rows is not None:
            os.mkdir(temporary)
            ending = os.path.splitext(path)[1]
            for part, begin in enumerate(range(0, max(1, table.row_count), rows)):
                _write_rows(os.path.join(temporary, f"part-{part:05d}{ending}"), table, slice(begin, begin + rows))
        elif path.endswith(".zarr"):
            _write_columns(temporary, table)
        else:
            _write_rows(path, table, slice(None), temporary)
        if os.path.isdir(path):
            _check_own(path)
            shutil.rmtree(path)
        os.replace(temporary, path)
    except BaseException:
        with suppressed_os_errors():
            os.unlink(temporary)
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _check_own(folder: str) -> None:
    """Raises if a folder in a table's place is no table."""
    if folder.endswith(".zarr") or all(name.startswith("part-") for name in os.listdir(folder)):
        return
    raise FileExistsError(f"the folder '{folder}' is in the table's place and holds something else")


def _write_rows(path: str, table: Table, rows: slice, temporary: str | None = None) -> None:
    """Writes some rows as one file. The ending of `path` says how."""
    place = path if temporary is None else temporary
    if path.endswith(".parquet"):
        _import_parquet().write_table(table.to_arrow(rows), place, row_group_size=ROWS_AT_ONCE)
    else:
        table.to_csv(place, "\t" if path.endswith(".tsv") else ",", rows)


def _write_columns(path: str, table: Table) -> None:
    """A group with an array for each column; its attribute `columns` says in which order."""
    known = {column.name: column for column in table.describe()}
    group = import_zarr().create_group(path, attributes={"columns": list(table)})
    for name, values in table.items():
        attributes = {"unit": known[name].unit, "description": known[name].description} if name in known else {}
        array = group.create_array(
            name,
            shape=values.shape,
            dtype=values.dtype,
            chunks=(max(1, min(ROWS_AT_ONCE, len(values))),),
            dimension_names=["component"],
            attributes=attributes,
        )
        if len(values):
            array[:] = values


def properties_of(table: Mapping[str, np.ndarray[Any, Any]], columns: Any) -> list[dict[str, Any]]:
    """Rows for the properties of an OME-Zarr label image."""
    missing = [name for name in columns if name not in table]
    if missing:
        raise ValueError(f"properties names the column '{missing[0]}', which the table does not have; see columns=")
    lists = [table[name].tolist() for name in columns]
    labels = table["label"].tolist()
    return [
        {"label-value": label, **{name: _json(value) for name, value in zip(columns, row)}}
        for label, row in zip(labels, zip(*lists) if lists else [()] * len(labels))
    ]


def _json(value: Any) -> Any:
    """JSON has no numbers that are none."""
    return None if value != value or value in (float("inf"), float("-inf")) else value
