# SPDX-License-Identifier: Apache-2.0
"""The whole job of the command on a scan: `brickccl label`, or a recipe."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core, _own_files
from ._table import Table, of_columns
from ._view import command_path
from ._volume import Volume, as_volume, float_of

#: Options that this module gives itself.
_OWN = ("json", "quiet", "print", "output")
#: Options whose lists are written with semicolons; all others have commas.
_SHAPES = ("box", "cylinder", "sphere", "seeds")


class RunResult(NamedTuple):
    """The result of `run`."""

    #: The label map: a path if `output` names one, else an image of the scan's kind; None without one.
    labels: Any
    #: A row for each component; None without a table, or if its file is not .csv or .tsv.
    table: Table | None
    #: The summary of the command, as `--json` prints it; with a recipe, summary.json of the item with its verdict.
    findings: dict[str, Any]


def run(
    scan: Any,
    recipe: str | os.PathLike[str] | None = None,
    *,
    output: str | os.PathLike[str] | bool | None = None,
    statistics: str | os.PathLike[str] | bool | None = None,
    spacing: float | Sequence[float] | None = None,
    **options: Any,
) -> RunResult:
    """Runs the whole job of the command `brickccl label` on a scan, or the job of a recipe.

    Parameters
    ----------
    scan : path, array or image
        A file, folder or pattern that the command reads; anything else is written to a temporary file first.
    recipe : path or str, optional
        A recipe, or the name of a ready one. It has all settings; only `device` and options of the report may be added.
    output : path or bool, optional
        Write the label map here (with a recipe, the folder of the results). Without it, the label map is returned as an image of
        the scan's kind, or as `brickccl.io.Image` for a path. False: make none.
    statistics : path or bool, optional
        Also keep the table as this file. False: make none.
    spacing : float or sequence of float, optional
        Size of a voxel in mm, in the order of the array's axes, as everywhere in this package; overrides the file.
    **options
        The options of `brickccl label`, with ``_`` for ``-`` and values as on the command line: ``pores=True``,
        ``threshold="iso50"``, ``range=(0, 400)``, ``minimum_volume="0.02 mm3"``, ``box="10,10,0,90,90,50"``. Axes are letters, x
        the last axis of an array. Images (`mask`, `zones`, `part`, ...) are paths, arrays or images.

    Returns
    -------
    RunResult
        With `labels`, `table` and `findings`. Notes of the command are warnings.

    Raises
    ------
    ValueError
        With the command's sentence if it refuses an option or a file. Nothing is written then.
    RuntimeError
        If the command is not installed, or is killed.

    Examples
    --------
    >>> import brickccl
    >>> result = brickccl.run(brickccl.phantom(), pores=True, minimum_size=5)  # doctest: +SKIP
    >>> result.findings["pores"]["porosity_percent"]  # doctest: +SKIP
    0.59
    >>> brickccl.run("part.nrrd", "casting-porosity").findings["verdict"]  # doctest: +SKIP
    'pass'
    """
    for name in _OWN:
        if name in options:
            raise ValueError(f"{name}= is not an option of brickccl.run, which always returns the summary")
    with tempfile.TemporaryDirectory(prefix="brickccl-run-") as folder:
        file = _Scan(folder, scan, spacing)
        if file.volume is None and spacing is not None:
            options["spacing"] = [float_of(step) for step in np.atleast_1d(spacing)][::-1]
        if recipe is not None:
            return _run_recipe(file, os.fspath(recipe), output, statistics, options)
        labels = _place(output, os.path.join(folder, "labels.nrrd"))
        table = _place(statistics, os.path.join(folder, "table.csv"))
        arguments = ["label", file.path, *([labels] if labels else []), *(["--statistics", table] if table else [])]
        findings = _run_command(file, arguments, options)
        _warn(findings["notes"], folder, 3)
        return RunResult(
            labels
            if isinstance(output, (str, os.PathLike))
            else _read_labels(labels, file.volume, "label_type" in options)
            if labels
            else None,
            _read_table(table, options, findings["extent"], findings["spacing"]) if table else None,
            findings,
        )


def _run_recipe(file: _Scan, recipe: str, output: Any, statistics: Any, options: Mapping[str, Any]) -> RunResult:
    if statistics not in (None, True, False):
        raise ValueError("with a recipe, statistics= is the file defects.csv in the folder output=")
    results = _place(output, "") or os.path.join(file.folder, "results")
    _run_command(file, ["batch", recipe, file.path, "-o", results], options)
    with open(os.path.join(results, "items.csv"), encoding="utf-8", newline="") as stream:
        items = list(csv.DictReader(stream))
    if len(items) != 1:
        raise ValueError(f"'{file.path}' has {len(items)} scans; brickccl.run takes one, and `brickccl batch` takes many")
    if items[0]["error"]:
        raise ValueError(_in_python(items[0]["error"], file.folder))
    item = os.path.join(results, items[0]["folder"])
    with open(os.path.join(item, "summary.json"), encoding="utf-8") as stream:
        findings = json.load(stream)
    _warn(findings["notes"], file.folder, 4)
    names = [one["path"] for one in findings["outputs"]]
    maps = [os.path.join(item, name) for name in names if name.startswith("labels.")] if output is not False else []
    table = None
    if statistics is not False:
        table = _read_table(os.path.join(item, "defects.csv"), {}, findings["input"]["extent"], findings["input"]["spacing_mm"])
    is_kept = isinstance(output, (str, os.PathLike))
    return RunResult((maps[0] if is_kept else _read_labels(maps[0], file.volume)) if maps else None, table, findings)


def _place(given: str | os.PathLike[str] | bool | None, usual: str) -> str:
    """The path of an output; empty if it is not wanted."""
    if given is False:
        return ""
    return usual if given is None or given is True else os.fspath(given)


class _Scan:
    """A scan as a file for the command."""

    def __init__(self, folder: str, image: Any, spacing: Any, name: str = "scan") -> None:
        self.folder = folder
        #: None for a path.
        self.volume: Volume | None = None
        self._steps: Sequence[float] | None = None
        if isinstance(image, (str, os.PathLike)):
            self.path = os.fspath(image)
            return
        self.volume = volume = as_volume(image, name)
        self._steps = volume.along_axes("spacing", spacing, float_of) if spacing is not None else volume.spacing
        # A .npy file has no spacing, and no place either.
        usual = ((0.0,) * volume.array.ndim, tuple(np.eye(volume.array.ndim).ravel()))
        if volume.in_voxels(spacing) and (tuple(volume.origin), tuple(volume.direction)) == usual:
            self._steps = None
        self.path = self._write(name, volume, volume.array)

    def _write(self, name: str, volume: Volume, array: np.ndarray[Any, Any]) -> str:
        path = os.path.join(self.folder, name + (".npy" if self._steps is None else ".nrrd"))
        array = array.view(np.uint8) if array.dtype == bool else array
        if self._steps is None:
            np.save(path, array)
        else:
            _own_files.write(path, array, self._steps, volume.origin, volume.direction, None)
        return path

    def companion(self, name: str, image: Any) -> str:
        """The path of another image. An array is on the grid of the scan."""
        if self.volume is None:
            return _Scan(self.folder, image, None, name).path
        array = self.volume.companion(name, image)
        assert array is not None
        return self._write(name, self.volume, array)


def _words(file: _Scan, name: str, value: Any) -> list[str]:
    """An option and its values on the command line."""
    option = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if isinstance(value, (str, os.PathLike, int, float, np.number)):
        return [option, str(value)]
    if isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value):
        return [option, (";" if name in _SHAPES else ",").join(value)]
    if isinstance(value, (list, tuple)) and all(isinstance(one, (int, float, np.number)) for one in value):
        return [option, *map(str, value)]
    return [option, file.companion(name, value)]


def _in_python(message: str, folder: str) -> str:
    """A sentence of the command with arguments instead of options, and without the temporary folder."""
    scan = re.escape(os.path.join(folder, "scan"))
    text = re.sub(f"'{scan}.(npy|nrrd)'(: no voxel size)? in the file", r"the scan\2", message)
    text = re.sub(f"'{scan}.(npy|nrrd)'", "the scan", text)
    text = re.sub(r"; see `brickccl [a-z ]+--help`", "", text.replace(folder + os.sep, ""))
    return re.sub(
        r"(`[^`]*`)|--([a-z][a-z-]*)((?: [A-Z]+\b)*)", lambda word: word[1] or word[2].replace("-", "_") + "=", text
    )


def _warn(notes: Sequence[str], folder: str, level: int) -> None:
    for note in notes:
        warnings.warn(_in_python(note, folder), UserWarning, stacklevel=level)


def _run_command(file: _Scan, arguments: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a command; returns its JSON."""
    words = [word for name, value in options.items() for word in _words(file, name, value)]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, "encoding": "utf-8"}
    process = subprocess.Popen([command_path(), *arguments, *words, "--json"], **pipes)
    try:
        printed, message = process.communicate()
    except BaseException:
        # The command removes what it has not finished.
        process.terminate()
        process.communicate()
        raise
    # 3: a batch whose item has an error.
    if process.returncode in (0, 3):
        return json.loads(printed)  # type: ignore[no-any-return]
    if process.returncode < 0:
        raise RuntimeError(f"the command brickccl was ended by signal {-process.returncode}")
    lines = message.strip().splitlines()
    raise ValueError(_in_python((lines or ["the command brickccl failed"])[-1].removeprefix("brickccl: error: "), file.folder))


def _read_labels(path: str, volume: Volume | None, keeps_type: bool = False) -> Any:
    """The label map as the kind of the image."""
    from .io import read

    image = read(path, as_labels=True)
    if not keeps_type:
        # Files have the smallest type.
        usual = "u4" if volume is None else volume.label_type
        image.array = image.array.astype(np.promote_types(image.dtype, usual), copy=False)
    return image if volume is None else volume.labels(image.array)


def _read_table(path: str, options: Mapping[str, Any], extent: Sequence[int], spacing: Sequence[float]) -> Table | None:
    extension = os.path.splitext(path)[1].lower()
    if extension not in (".csv", ".tsv"):
        return None
    has_comma = options.get("decimal") == "comma"
    given = {"semicolon": ";", "tab": "\t", "comma": ","}.get(str(options.get("csv_separator")), ";" if has_comma else ",")
    with open(path, encoding="utf-8-sig", newline="") as stream:
        names, *rows = csv.reader(stream, delimiter="\t" if extension == ".tsv" else given)
    texts = list(zip(*rows)) or [()] * len(names)
    columns = {name: _column(one, has_comma) for name, one in zip(names, texts)}
    known = {row[0]: row for row in _core.all_columns(len(extent))}
    return of_columns(columns, extent[::-1], spacing, [known[name] for name in names if name in known])


def _column(texts: Sequence[str], has_comma: bool) -> np.ndarray[Any, Any]:
    """Numbers: whole ones if all are, else real ones; or texts."""
    for convert in (int, lambda text: float((text.replace(",", ".") if has_comma else text) or "nan")):
        try:
            return np.array([convert(text) for text in texts])
        except ValueError:
            continue
    return np.array(texts, dtype=object)
