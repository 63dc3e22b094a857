# SPDX-License-Identifier: Apache-2.0
"""Component tables as files: Parquet, CSV, columns of zarr."""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._table import Table
from .._volume import count_of
from ._stores import import_zarr
from ._state import suppressed_os_errors

#: The names of a table's parts.
PART = re.compile(r"part-\d{5,}\.(parquet|csv|tsv)")
ENDINGS = (".parquet", ".csv", ".tsv", ".zarr")
#: Rows of a group of rows in Parquet, and of a chunk in zarr.
ROWS_AT_ONCE = 1 << 20


def check_table(path: Any) -> str | None:
    """The path of the table; raises before any work if it cannot be written."""
    if path is None:
        return None
    if isinstance(path, bool):
        raise TypeError(f"table={path} is not the path of a file; return_table=True returns the table")
    text: str = os.path.abspath(os.fspath(path))
    if not text.endswith(ENDINGS):
        raise ValueError(f"table='{path}' must end in {', '.join(ENDINGS)}, which sets the format")
    if not os.path.isdir(os.path.dirname(text)):
        raise FileNotFoundError(f"there is no folder for the table '{path}'")
    if text.endswith(".parquet"):
        _import_parquet()
    return text


def check_old_table(path: str | None) -> None:
    """Raises if the path exists and is not a table."""
    if path is not None and os.path.lexists(path) and not _is_table(path):
        raise FileExistsError(f"'{path}' exists and is not a table; choose another path")


def _is_table(path: str) -> bool:
    """Whether a path is a table of ours, in parts or not, or an empty file."""
    if os.path.isdir(path) and not path.endswith(".zarr"):
        names = os.listdir(path)
        return all(PART.fullmatch(name) and name.endswith(os.path.splitext(path)[1]) for name in names)
    if os.path.isdir(path):
        return os.path.isfile(os.path.join(path, "zarr.json")) and _is_columns(path)
    if not os.path.isfile(path):
        return False
    if os.path.getsize(path) == 0:
        return True
    if path.endswith(".parquet"):
        try:
            return bool(_import_parquet().read_schema(path).names[:1] == ["label"])
        except (OSError, ValueError):
            return False
    with open(path, "rb") as stream:
        return stream.read(6) in (b"label,", b"label\t")


def _is_columns(path: str) -> bool:
    """Whether a folder is a group of zarr with the columns of a table, and nothing else."""
    zarr = import_zarr()
    try:
        group = zarr.open_group(path, mode="r")
    except (OSError, ValueError, KeyError, TypeError, zarr.errors.NodeNotFoundError):
        return False
    columns = group.attrs.get("columns")
    return isinstance(columns, list) and "label" in columns and set(columns) == set(os.listdir(path)) - {"zarr.json"}


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
        raise ValueError("table_rows must be at least 1, or None for one file")
    return number


def write_table(path: str, table: Table, rows: int | None = None) -> None:
    """Writes a table, or a folder of parts with this many rows, completely or not at all."""
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
        check_old_table(path)
        if os.path.isdir(path):
            shutil.rmtree(path)
        os.replace(temporary, path)
    except BaseException:
        with suppressed_os_errors():
            os.unlink(temporary)
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _write_rows(path: str, table: Table, rows: slice, temporary: str | None = None) -> None:
    """Writes some rows as one file. The extension of `path` sets the format."""
    place = path if temporary is None else temporary
    if path.endswith(".parquet"):
        _import_parquet().write_table(table.to_arrow(rows), place, row_group_size=ROWS_AT_ONCE)
    else:
        table.to_csv(place, "\t" if path.endswith(".tsv") else ",", rows)


def _write_columns(path: str, table: Table) -> None:
    """A group with an array for each column; its attribute `columns` has their order."""
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


def check_properties(properties: Any) -> list[str] | None:
    """The columns for a label image: one name or several."""
    return None if properties is None else [properties] if isinstance(properties, str) else list(properties)


def check_names(properties: Any, table: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Raises for properties that the table lacks."""
    missing = [name for name in properties if name not in table]
    if missing:
        raise ValueError(f"properties has the column {missing[0]!r}, which the table lacks; see columns=")


def properties_of(table: Mapping[str, np.ndarray[Any, Any]], columns: Any) -> list[dict[str, Any]]:
    """Rows for the properties of an OME-Zarr label image."""
    check_names(columns, table)
    lists = [table[name].tolist() for name in columns]
    labels = table["label"].tolist()
    return [
        {"label-value": label, **{name: _json(value) for name, value in zip(columns, row)}}
        for label, row in zip(labels, zip(*lists) if lists else [()] * len(labels))
    ]


def _json(value: Any) -> Any:
    """JSON has no NaN."""
    return None if value != value or value in (float("inf"), float("-inf")) else value
