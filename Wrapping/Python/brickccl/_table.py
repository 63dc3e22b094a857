# SPDX-License-Identifier: Apache-2.0
"""The component table: a dict of numpy columns."""

from __future__ import annotations

import csv
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from copy import deepcopy
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from . import _core
from ._progress import Hook
from ._volume import count_of

if TYPE_CHECKING:
    import pandas
    import pyarrow

Column = np.ndarray[Any, Any]


def plain(values: Column) -> Column:
    """The same array as numpy's int64 instead of its twin `long long`, which prints its type."""
    return values.view(np.int64) if values.dtype == np.int64 else values


def shown_name(name: str, in_voxels: bool) -> str:
    """The name of a column: without a spacing, volume_mm3 is volume_voxels."""
    return re.sub(r"_mm[234]?$", "_voxels", name) if in_voxels else name


@lru_cache(maxsize=1)
def _names_in_voxels() -> dict[str, str]:
    rows = (row[0] for dimension in range(1, 5) for row in _core.all_columns(dimension))
    return {shown_name(name, True): name for name in rows if shown_name(name, True) != name}


def engine_names(text: str, in_voxels: bool) -> str:
    """A condition or a list of columns with the engine's names, which are in mm."""
    if not in_voxels:
        return text
    names = _names_in_voxels()

    def name_of(word: re.Match[str]) -> str:
        if word[0] in names.values():
            raise ValueError(
                f"'{word[0]}' needs the size of a voxel: give spacing=; without it the column is '{shown_name(word[0], True)}'"
            )
        return names.get(word[0], word[0])

    return re.sub(r"[A-Za-z_]\w*", name_of, text)


class ColumnDescription(NamedTuple):
    """The description of a column of the table."""

    name: str
    #: "mm", "mm^2", "mm^3", "index", "voxels", "intensity" or nothing; without a spacing "voxels^2" and "voxels^3", too.
    unit: str
    description: str
    #: The names of the same measure in ITK's LabelMap filters and in skimage.measure.regionprops; may be empty.
    itk_name: str
    skimage_name: str
    #: How :func:`merge_tables` comes by it.
    merged: str
    #: The group that it belongs to; empty for columns that are always there.
    group: str


class _Columns(NamedTuple):
    """The part of the engine's table that a table of the first rows keeps."""

    shape: tuple[int, ...]
    spacing: list[float]
    rows: list[tuple[str, ...]]
    #: None in a table from a file.
    pairs: dict[str, Column] | None

    def describe(self) -> list[tuple[str, ...]]:
        return self.rows

    def contacts(self) -> dict[str, Column]:
        if self.pairs is None:
            raise ValueError("the table is from a file and has no contacts; write them with contacts=")
        return self.pairs

    def evaluate(self, condition: str) -> Column:
        raise ValueError(
            f"the condition {condition!r} needs the whole table, not its first rows or a file; compare columns instead, for example "
            "table['voxel_count'] > 100"
        )

    def json(self) -> str:
        raise ValueError("to_json needs the whole table, not its first rows or a file; use to_csv")


def counted(count: int, what: str) -> str:
    """A number of things: "1 component", "2 components"."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def _text_of(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


class Table(dict[str, Column]):
    """The measures of components: one numpy array for each column, one row for each component, ascending labels.

    Whole numbers are int64 (uint64 if a label needs it), all others float64. Names end in their unit. In names, x is the last
    axis of the array, y the one before, as in images; bounding boxes include their last index. `where`, `contacts` and
    `merge_tables` use the engine's table; changes of the dict do not affect them. `len` is the number of rows.

    Lengths, areas and volumes are in mm if the spacing is known: from `spacing=` or from an image. Otherwise they count voxels,
    and their columns end in `_voxels` instead of `_mm`, `_mm2` or `_mm3`.

    Tables can be pickled; the same version of the package reads them. A table from `head` has its columns, descriptions and
    contacts, but refuses `where`, `to_json` and `merge_tables`.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> table = brickccl.find(np.array([[1, 1, 0], [0, 0, 1]])).table()
    >>> table["voxel_count"]
    array([2, 1])
    >>> table.where("voxel_count > 1")
    array([ True, False])
    >>> table.columns[:2]
    ['label', 'voxel_count']
    """

    def __init__(
        self,
        native: _core.Table,
        is_reversed: bool = False,
        threads: int = 1,
        in_voxels: bool = False,
        progress: Hook | None = None,
    ) -> None:
        columns = native.columns(threads, progress)
        super().__init__((shown_name(name, in_voxels), plain(values)) for name, values in columns.items())
        self._in_voxels = in_voxels
        self._native: Any = native
        # Whether the axes of the image that was given are x, y, z, not z, y, x.
        self._is_reversed = is_reversed

    @property
    def row_count(self) -> int:
        """The number of components."""
        return len(next(iter(self.values()), ()))

    def __len__(self) -> int:
        return self.row_count

    def __bool__(self) -> bool:
        return True

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self)

    def head(self, rows: int = 5) -> Table:
        """A table of the first rows."""
        table = self.copy()
        number = count_of("rows", rows)
        table.update({name: values[:number] for name, values in self.items()})
        table._native = self._without_engine()
        return table

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the labeled array (of a nibabel image: in its order of axes)."""
        shape = tuple(self._native.shape)
        return shape[::-1] if self._is_reversed else shape

    def describe(self) -> list[ColumnDescription]:
        """The columns with units, formulas and their names in other libraries."""
        described = (ColumnDescription(*row) for row in self._native.describe())
        if not self._in_voxels:
            return list(described)
        return [one._replace(name=shown_name(one.name, True), unit=one.unit.replace("mm", "voxels")) for one in described]

    def where(self, condition: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """A truth value for each component: whether it fulfills a condition on its columns.

        Parameters
        ----------
        condition : str
            For example ``"volume_mm3 > 2 and sphericity < 0.6"``: numbers, columns, ``+ - * /``, comparisons, ``and``,
            ``or``, ``not``, parentheses, ``abs``, ``sqrt``, ``min``, ``max``. It is never executed as Python.

        Raises
        ------
        ValueError
            For an invalid condition, or an unknown column.
        """
        holds: np.ndarray[Any, Any] = self._native.evaluate(engine_names(condition, self._in_voxels))
        return holds.view(np.bool_)

    def contacts(self) -> dict[str, Column]:
        """All pairs of components that share voxel faces: `label_1` < `label_2`, `faces`, `area` (mm^2; in 2-D mm; without a
        spacing in voxels).

        Available if the table was made with the columns `neighbors`.
        """
        if not any(column.group == "neighbors" for column in self.describe()):
            raise ValueError("the table has no contacts; make it with columns='neighbors'")
        return {name: plain(values) for name, values in self._native.contacts().items()}

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas.DataFrame. The labels are a column and the index, which has no name."""
        import pandas

        return pandas.DataFrame(dict(self), index=self["label"])

    def to_arrow(self, rows: slice = slice(None)) -> pyarrow.Table:
        """The table, or some of its rows, as a pyarrow.Table; units and meanings are in the fields' metadata."""
        import pyarrow

        check_rows(rows)

        known = {column.name: column for column in self.describe()}
        fields = []
        for name, values in self.items():
            metadata = None
            if name in known:
                metadata = {"unit": known[name].unit, "description": known[name].description}
            fields.append(pyarrow.field(name, pyarrow.from_numpy_dtype(values.dtype), metadata=metadata))
        return pyarrow.Table.from_arrays([pyarrow.array(values[rows]) for values in self.values()], schema=pyarrow.schema(fields))

    def to_csv(self, path: str | os.PathLike[str], delimiter: str = ",", rows: slice = slice(None)) -> None:
        """Writes the columns to a file: a header line, then a line for each component, or only some rows.

        Numbers are the shortest text that reads back exactly; NaN is ``nan``. The file is replaced completely or not at all.
        """
        check_rows(rows)
        lines = zip(*(values[rows].tolist() for values in self.values()))
        write_whole(path, lambda stream: _write_rows(stream, self, lines, delimiter))

    def to_json(self) -> str:
        """The table as JSON, as in the command: descriptions, totals and components, with the names of the columns here."""
        text = str(self._native.json())
        if self._in_voxels:
            text = re.sub(r"_mm[234]?\b", "_voxels", text).replace(', in mm"', ', in voxels"')
        return text

    def to_skimage(self) -> dict[str, Column]:
        """The columns of `skimage.measure.regionprops_table`, with its names and in the order of the array's axes.

        Values are the same as there for the same `spacing`: `area` is the size in mm^3 (or mm^2), `centroid-*` are indices
        times the spacing; `bbox-*` are half-open indices. Columns without a counterpart or with another definition are
        missing (`intensity_std` divides by n there).
        """
        dimension = len(self.shape)
        spacing = dict(zip("xyzt", self._native.spacing))
        axes = list(spacing) if self._is_reversed else list(spacing)[::-1]
        # Components within slices have a size of one dimension less.
        shown = {name: shown_name(name, self._in_voxels) for name in ("length_mm", "area_mm2", "volume_mm3", "hypervolume_mm4")}
        size = next(name for name in shown.values() if name in self)
        named: dict[str, Column] = {"label": self["label"], "num_pixels": self["voxel_count"], "area": self[size]}
        for end, offset in (("min", 0), ("max", 1)):
            for axis in axes:
                named[f"bbox-{len([name for name in named if name.startswith('bbox')])}"] = self[f"bbox_{end}_{axis}"] + offset
        for number, axis in enumerate(axes):
            named[f"centroid-{number}"] = self[f"centroid_{axis}"] * spacing[axis]
        for ours in ("intensity_min", "intensity_max", "intensity_mean", "intensity_median"):
            if ours in self:
                named[ours] = self[ours]
        first, last = (shown_name(f"axis_length_{number}_mm", self._in_voxels) for number in (1, dimension))
        if last in self and dimension in (2, 3):
            named["axis_major_length"] = self[last]
            named["axis_minor_length"] = self[first]
        return named

    def _shown(self) -> tuple[str, dict[str, list[str]], str]:
        """A title, the texts of the first rows of each column, and what else there is."""
        shown = {name: [_text_of(value) for value in values[:10].tolist()] for name, values in self.items()}
        left = self.row_count - 10
        return (
            f"brickccl.Table of {counted(self.row_count, 'component')}, {len(shown)} columns",
            shown,
            f"... and {counted(left, 'more row')}" if left > 0 else "",
        )

    def __repr__(self) -> str:
        title, shown, more = self._shown()
        lines = [""] * (1 + min(10, self.row_count))
        hidden: list[str] = []
        for name, texts in shown.items():
            width = max(map(len, [name, *texts])) + 2
            if len(lines[0]) + width > 118 or hidden:
                hidden.append(name)
            else:
                lines = [line + text.rjust(width) for line, text in zip(lines, [name, *texts])]
        rest = [f"more columns: {', '.join(hidden)}"] if hidden else []
        return "\n".join([f"<{title}>", *lines, *([more] if more else []), *rest])

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""
        title, shown, more = self._shown()
        names = "".join(f"<th>{escape(name)}</th>" for name in shown)
        rows = "".join("<tr>" + "".join(f"<td>{text}</td>" for text in row) + "</tr>" for row in zip(*shown.values()))
        return f"<p>{title}</p><table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table><p>{more}</p>"

    def copy(self) -> Table:
        """A new table with the same columns, which share their memory like a copied dict."""
        table = Table.__new__(Table)
        table.update(self)
        table._native = self._native
        table._is_reversed = self._is_reversed
        table._in_voxels = self._in_voxels
        return table

    def __copy__(self) -> Table:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Table:
        table = self.copy()
        table.update({name: deepcopy(values, memo) for name, values in self.items()})
        return table

    def _without_engine(self) -> Any:
        native = self._native
        if isinstance(native, _Columns):
            return native
        pairs = {name: plain(values) for name, values in native.contacts().items()}
        return _Columns(tuple(native.shape), list(native.spacing), [tuple(row) for row in native.describe()], pairs)

    def __reduce__(self) -> Any:
        is_cut = isinstance(self._native, _Columns)
        native = tuple(self._native) if is_cut else self._native.state()
        return _unpickled, (_core.version, dict(self), is_cut, native, self._is_reversed, self._in_voxels)


def of_columns(
    columns: dict[str, Column], shape: Sequence[int], spacing: Sequence[float], described: list[tuple[str, ...]]
) -> Table:
    """A table of columns from a file, without the engine's table."""
    table = Table.__new__(Table)
    table.update(columns)
    table._native = _Columns(tuple(shape), list(spacing), described, None)
    table._is_reversed = table._in_voxels = False
    return table


def _unpickled(
    version: str, columns: dict[str, Column], is_cut: bool, native: tuple[Any, ...], is_reversed: bool, in_voxels: bool
) -> Table:
    if version != _core.version:
        raise ValueError(f"the table was pickled by brickccl {version}, not {_core.version}; files keep tables longer (to_csv)")
    table = Table.__new__(Table)
    table.update(columns)
    table._native = _Columns(*native) if is_cut else _core.Table.of_state(*native)
    table._is_reversed = is_reversed
    table._in_voxels = in_voxels
    return table


def check_rows(rows: Any) -> None:
    """Raises if rows of a table are not given as a slice."""
    if not isinstance(rows, slice):
        raise TypeError(f"rows must be a slice, for example slice(0, 100), not {rows!r}")


def _write_rows(stream: Any, names: Iterable[str], rows: Iterable[Sequence[Any]], delimiter: str) -> None:
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)


def write_whole(path: str | os.PathLike[str], write: Any) -> None:
    """Writes a text file completely or not at all."""
    target = os.path.realpath(os.fspath(path))
    if os.path.exists(target) and not os.path.isfile(target):
        raise OSError(f"cannot write '{os.fspath(path)}': it is not a regular file")
    if not os.path.isdir(os.path.dirname(target)):
        raise FileNotFoundError(f"cannot write '{os.fspath(path)}': its folder does not exist")
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".brickccl-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            write(stream)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def group_names(
    columns: str | Iterable[str] | None, dimension: int, has_intensity: bool, in_voxels: bool = False
) -> str:
    """Names of groups or columns in the form of the engine."""
    if columns is None:
        return ""
    if isinstance(columns, str) and columns == "all":
        known = [ColumnDescription(*row) for row in _core.all_columns(dimension)]
        groups = {row.group for row in known if row.group and (has_intensity or row.group != "intensity")}
        return ",".join(sorted(groups))
    try:
        names = engine_names(columns if isinstance(columns, str) else ",".join(columns), in_voxels)
    except TypeError:
        raise TypeError(f"columns must be one or more names of groups and columns, not {columns!r}") from None
    if not has_intensity and _needs_intensity(names, dimension):
        raise ValueError(f"the columns '{names}' need an intensity image: intensity=")
    return names


def _needs_intensity(names: str, dimension: int) -> bool:
    asked = {name.strip() for name in names.split(",")}
    known = (ColumnDescription(*row) for row in _core.all_columns(dimension))
    return "intensity" in asked or any(row.group == "intensity" and row.name in asked for row in known)


def _pairs_of_labels(pairs: Iterable[Iterable[int]]) -> list[tuple[int, int]]:
    try:
        listed = [tuple(pair) for pair in pairs]
        if all(len(pair) == 2 for pair in listed):
            return [(count_of("a label of pairs", pair[0]), count_of("a label of pairs", pair[1])) for pair in listed]
    except TypeError:
        pass
    raise TypeError("pairs must be pairs of labels, whole numbers")


@overload
def merge_tables(
    first: Table, second: Table, pairs: Iterable[tuple[int, int]], *, return_labels: Literal[False] = ...
) -> Table: ...
@overload
def merge_tables(
    first: Table, second: Table, pairs: Iterable[tuple[int, int]], *, return_labels: Literal[True]
) -> tuple[Table, Column, Column]: ...
def merge_tables(
    first: Table, second: Table, pairs: Iterable[tuple[int, int]], *, return_labels: bool = False
) -> Table | tuple[Table, Column, Column]:
    """The table of an image from the tables of two parts of it: boxes that do not overlap (slabs, bricks).

    Parameters
    ----------
    first, second : Table
        Made with `start`, the index of each part's first voxel in the whole image, and the same columns.
    pairs : iterable of (int, int)
        The labels of the first and the second that touch across the border.
    return_labels : bool, default False
        Also return the labels of the parts' components in the merged table.

    Returns
    -------
    Table, or (Table, labels of `first`, labels of `second`)
        Components are numbered by their first voxels in C order. Columns that need the voxels again are missing (see `merged`
        of `describe`).

    Raises
    ------
    ValueError
        If the tables have different spacings or columns, or a label is in neither.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> image = np.array([[1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 1]])
    >>> left = brickccl.find(image[:, :2], start=(0, 0)).table()
    >>> right = brickccl.find(image[:, 2:], start=(0, 2)).table()
    >>> brickccl.merge_tables(left, right, [(1, 1)])["voxel_count"]
    array([4, 1, 1])
    """
    for name, part in (("first", first), ("second", second)):
        if not isinstance(part, Table):
            raise TypeError(f"{name} is of type {type(part).__name__}; it must be a Table")
        if isinstance(part._native, _Columns):
            raise ValueError(f"{name} has only the first rows of a table, or is from a file; merge_tables needs a whole table")
    labels = _pairs_of_labels(pairs)
    native, of_first, of_second = _core.merge_tables(first._native, second._native, labels)
    table = Table(native, first._is_reversed, in_voxels=first._in_voxels and second._in_voxels)
    if return_labels:
        return table, of_first.astype(np.int64), of_second.astype(np.int64)
    return table
