# SPDX-License-Identifier: Apache-2.0
"""Datasets of HDF5 that are read by h5py."""

from __future__ import annotations

import math
import os
from typing import Any


def _import_h5py() -> Any:
    try:
        import h5py
    except ImportError:
        raise ImportError("datasets of HDF5 need the package h5py") from None
    return h5py


def only_dataset(path: str) -> str:
    """The name of the only dataset of numbers with 2 to 4 dimensions in a file."""
    h5py, names = _import_h5py(), []

    def note(name: str, found: Any) -> None:
        if isinstance(found, h5py.Dataset) and 2 <= found.ndim <= 4 and found.dtype.kind in "biuf" and found.size:
            names.append(name)

    with h5py.File(path, "r") as stream:
        stream.visititems(note)
    if len(names) != 1:
        shown = [f"'{path}::/{name}'" for name in names[:10]] + [f"{len(names) - 10} more"] * (len(names) > 10)
        told = f"choose one: {', '.join(shown)}" if names else f"name the one to label, as in '{path}::/NAME'"
        raise ValueError(f"'{path}' has {len(names)} datasets of numbers with 2 to 4 dimensions; {told}")
    return names[0]


def open_hdf5(path: str, name: str) -> Any:
    h5py = _import_h5py()
    stream = h5py.File(path, "r")
    if name not in stream or not isinstance(stream[name], h5py.Dataset):
        raise ValueError(f"'{path}' has no dataset '{name}'")
    return stream[name]


def check_virtual(dataset: Any) -> None:
    """Raises unless each source of a virtual dataset exists, is large enough and can be opened with all others. HDF5 returns
    fill values if it cannot open a source.
    """
    files: set[str] = set()
    _check_sources(dataset, files, ())
    limit = _file_limit()
    # Some files are open already.
    if files and limit is not None and len(files) + 64 > limit:
        raise ValueError(
            f"the dataset '{dataset.name}' takes its values from {len(files)} files, and this process can open only {limit} "
            "at once; raise the limit (ulimit -n)"
        )


def _check_sources(dataset: Any, files: set[str], way: tuple[tuple[str, str], ...]) -> None:
    import h5py

    if not getattr(dataset, "is_virtual", False):
        return
    own = (os.path.abspath(dataset.file.filename), dataset.name)
    if own in way:
        raise ValueError(f"the virtual dataset '{dataset.name}' uses itself as a source")
    for source in dataset.virtual_sources():
        what = f"the source '{source.file_name}::{source.dset_name}' of the virtual dataset '{dataset.name}'"
        beside = os.path.join(os.path.dirname(own[0]), source.file_name)
        # HDF5 looks in the file's folder first.
        place = own[0] if source.file_name == "." else beside if os.path.exists(beside) else source.file_name
        try:
            points = source.vspace.get_select_npoints()
        except RuntimeError:
            # An unlimited selection has no number of values.
            raise ValueError(f"{what} may grow, which is not supported; copy the values into another dataset") from None
        try:
            with h5py.File(place, "r") as stream:
                found = stream[source.dset_name]
                if not isinstance(found, h5py.Dataset):
                    raise ValueError(f"{what} is not a dataset")
                if not _holds(found.shape, source.src_space, points):
                    raise ValueError(f"{what} has the shape {found.shape}, which does not fit the selection")
                files.add(place)
                _check_sources(found, files, (*way, own))
        except (OSError, KeyError) as error:
            raise ValueError(f"{what} cannot be opened: {error}") from None


def _holds(shape: tuple[int, ...], selection: Any, points: int) -> bool:
    """Whether a source of this shape contains the selection of `points` values."""
    from h5py import h5s

    if selection.get_select_type() == h5s.SEL_ALL:
        return math.prod(shape) == points
    last = selection.get_select_bounds()[1]
    return len(last) == len(shape) and all(end < size for end, size in zip(last, shape))


def _file_limit() -> int | None:
    """The number of files that this process may open, after raising its limit as far as possible."""
    try:
        import resource
    except ImportError:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError):
        return soft
    return None if hard == resource.RLIM_INFINITY else hard
