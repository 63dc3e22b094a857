# SPDX-License-Identifier: Apache-2.0
"""Sources that are read brick by brick: arrays of zarr, OME-Zarr, HDF5, numpy, dask and xarray."""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
import zlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .._volume import check_mapped, float_of, voxels
from . import _ome
from ._dask import arrays_in_graph, check_dask, wrapped_by_dask
from ._files import digest_of_files, status_of
from ._grid import Box
from ._hdf5 import check_virtual, only_dataset, open_hdf5
from ._stores import digest_of_store, import_zarr

HDF5_ENDINGS = (".h5", ".hdf5", ".hdf", ".nxs")
#: So many voxels are looked at together where all of them are.
VOXELS_AT_ONCE = 1 << 24


class Source:
    """A volume that is read in boxes. Fixed axes (a channel) are not part of it."""

    kind = "array"

    def __init__(self, array: Any, index: Sequence[int | None] | None = None) -> None:
        self.array = array
        self.index = [None] * len(array.shape) if index is None else list(index)
        self.shape = tuple(int(size) for size in self._kept(array.shape))
        self.dtype = np.dtype(array.dtype)
        #: In mm, and where the first voxel is, in the order of the axes.
        self.spacing: list[float] | None = None
        self.origin: list[float] | None = None
        #: Why an image that has a spacing has none in mm.
        self.unit_error: str | None = None
        # Raises for types that cannot be labeled, and for too many dimensions.
        voxels(np.empty((1,) * len(self.shape), self.dtype), "the source")
        if 0 in self.shape:
            raise ValueError(f"the source has no voxels: its shape is {self.shape}")

    def _kept(self, values: Sequence[Any]) -> list[Any]:
        return [value for value, index in zip(values, self.index) if index is None]

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """The best shape to read at once; None if there is none."""
        return None

    def read(self, box: Box) -> np.ndarray[Any, Any]:
        """The voxels of a box."""
        parts = iter(box)
        where = tuple(next(parts) if index is None else index for index in self.index)
        return voxels(np.asarray(self._slice(where)), "the source")

    def _slice(self, where: tuple[Any, ...]) -> Any:
        return self.array[where]

    @property
    def address(self) -> dict[str, Any] | None:
        """The address for another process; None if it is only in this process's memory."""
        return None

    def fingerprint(self, deep: bool = True) -> dict[str, Any]:
        """A mark of the source and its voxels, to detect changes later. `deep`: also from all voxels, if they are in memory.
        """
        return {"kind": self.kind, "shape": list(self.shape), "dtype": self.dtype.str, "index": self.index}

    def places(self) -> list[str]:
        """Paths and URLs of the source."""
        return []

    def arrays(self) -> list[Any]:
        """The arrays of zarr in the source."""
        return []

    def _contents(self) -> int:
        """A checksum of all voxels."""
        checksum = 0
        rows = max(1, VOXELS_AT_ONCE // max(1, math.prod(self.shape[1:])))
        for begin in range(0, self.shape[0], rows):
            box = (slice(begin, min(begin + rows, self.shape[0])), *(slice(0, size) for size in self.shape[1:]))
            checksum = zlib.crc32(self.read(box).reshape(-1).view(np.uint8).data, checksum)
        return checksum


class MemorySource(Source):
    """A numpy array."""

    def fingerprint(self, deep: bool = True) -> dict[str, Any]:
        return {**super().fingerprint(deep), **({"contents": self._contents()} if deep else {})}


class FileSource(Source):
    """A file; its size and time show whether it changed."""

    path: str

    def fingerprint(self, deep: bool = True) -> dict[str, Any]:
        return {**super().fingerprint(deep), "path": self.path, **status_of(self.path)}

    def places(self) -> list[str]:
        return [self.path]


class MemmapSource(FileSource):
    """A numpy.memmap in any layout."""

    kind = "memmap"

    def __init__(self, array: Any) -> None:
        super().__init__(array)
        root = _root_of(array)
        self.path = os.path.abspath(root.filename)
        # Not every file system updates the time of files written through memory.
        self._is_written = root.mode != "r"
        self._offset = int(root.offset + (array.ctypes.data - root.ctypes.data))

    def _slice(self, where: tuple[Any, ...]) -> Any:
        check_mapped(self.array, self.path)
        return self.array[where]

    @property
    def address(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "path": self.path,
            "dtype": self.dtype.str,
            "offset": self._offset,
            "shape": list(self.shape),
            "strides": list(self.array.strides),
        }

    def fingerprint(self, deep: bool = True) -> dict[str, Any]:
        found = {**super().fingerprint(deep), "offset": self._offset, "strides": list(self.array.strides)}
        if deep and self._is_written:
            # Its time may come from a cache that was emptied later.
            del found["changed"], found["moved"]
            found["contents"] = self._contents()
        return found

    @classmethod
    def at(cls, address: Mapping[str, Any]) -> MemmapSource:
        dtype = np.dtype(address["dtype"])
        bytes_of_file = np.memmap(address["path"], np.uint8, mode="r")
        # The base keeps the file open, and knows its name.
        array = np.lib.stride_tricks.as_strided(
            bytes_of_file[address["offset"] :][: dtype.itemsize].view(dtype),
            address["shape"],
            address["strides"],
            subok=True,
            writeable=False,
        )
        source = cls.__new__(cls)
        Source.__init__(source, array)
        source.path, source._offset, source._is_written = address["path"], address["offset"], False
        return source


class Hdf5Source(FileSource):
    """A dataset of h5py."""

    kind = "hdf5"

    def __init__(self, array: Any) -> None:
        super().__init__(array)
        check_virtual(array)
        self.path = os.path.abspath(array.file.filename)
        self._lock = threading.Lock()
        #: Files in memory, also those that h5py reads through an object of Python, are not there for others.
        self._is_file = array.file.driver not in ("core", "fileobj") and os.path.isfile(self.path)

    @property
    def chunks(self) -> tuple[int, ...] | None:
        return None if self.array.chunks is None else tuple(self.array.chunks)

    def _slice(self, where: tuple[Any, ...]) -> Any:
        with self._lock:
            return self.array[where]

    @property
    def address(self) -> dict[str, Any] | None:
        return {"kind": self.kind, "path": self.path, "name": self.array.name} if self._is_file else None

    def fingerprint(self, deep: bool = True) -> dict[str, Any]:
        if self._is_file:
            return {**super().fingerprint(deep), "name": self.array.name}
        found = {**Source.fingerprint(self, deep), "name": self.array.name}
        return {**found, "contents": self._contents()} if deep else found

    def places(self) -> list[str]:
        return super().places() if self._is_file else []


class ZarrSource(Source):
    """An array of zarr, on a disk, behind a URL, or in memory."""

    kind = "zarr"

    def __init__(
        self,
        array: Any,
        index: Sequence[int | None] | None = None,
        url: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(array, index)
        self.url = url_of(array) if url is None else url
        self._storage_options = dict(storage_options or {})
        self.multiscale: _ome.Multiscale | None = None
        #: The URL of the group of an OME-Zarr image.
        self.image: str | None = None

    @property
    def chunks(self) -> tuple[int, ...]:
        return tuple(self._kept(self.array.chunks))

    @property
    def shards(self) -> tuple[int, ...] | None:
        return None if self.array.shards is None else tuple(self._kept(self.array.shards))

    @property
    def address(self) -> dict[str, Any] | None:
        if self.url is None:
            return None
        return {"kind": self.kind, "url": self.url, "index": self.index, "storage_options": self._storage_options}

    def fingerprint(self, deep: bool = True) -> dict[str, Any]:
        metadata = {name: value for name, value in self.array.metadata.to_dict().items() if name != "attributes"}
        digest = hashlib.sha256(json.dumps(metadata, sort_keys=True, default=str).encode()).hexdigest()
        found = {**super().fingerprint(deep), "url": self.url, "metadata": digest}
        places = self.places()
        if places and os.path.isdir(places[0]):
            found.update(digest_of_files(places[0]))
        elif places and os.path.isfile(places[0]):
            found.update(status_of(places[0]))
        elif hasattr(self.array.store_path.store, "fs"):
            found["url"] = self.url or f"{self.array.store_path.store.path}/{self.array.store_path.path}"
            found.update(digest_of_store(self.array))
        elif self.url is None and deep:
            found["contents"] = self._contents()
        return found

    def places(self) -> list[str]:
        if self.url is not None:
            return [self.url]
        # An archive.
        path = getattr(self.array.store_path.store, "path", None)
        return [os.path.abspath(path)] if isinstance(path, (str, os.PathLike)) and os.path.isfile(path) else []

    def arrays(self) -> list[Any]:
        return [self.array]


class DaskSource(Source):
    """A dask array: each brick is computed when it is read."""

    kind = "dask"

    @property
    def chunks(self) -> tuple[int, ...]:
        return tuple(max(sizes) for sizes in self.array.chunks)

    def _slice(self, where: tuple[Any, ...]) -> Any:
        return self.array[where].compute(scheduler="synchronous")

    def block(self, box: Box) -> Any:
        """A box as a separate dask array."""
        return self.array[box]

    @cached_property
    def _origins(self) -> list[Source]:
        """The source arrays, as far as its graph shows them."""
        return [open_source(array) for array in arrays_in_graph(self.array)]

    def fingerprint(self, deep: bool = True) -> dict[str, Any]:
        origins = [origin.fingerprint(deep) for origin in self._origins]
        digest = hashlib.sha256(json.dumps(origins, sort_keys=True).encode()).hexdigest()
        return {**super().fingerprint(deep), "name": self.array.name, "deep" if deep else "quick": digest}

    def places(self) -> list[str]:
        return [place for origin in self._origins for place in origin.places()]

    def arrays(self) -> list[Any]:
        return [array for origin in self._origins for array in origin.arrays()]


class XarraySource(Source):
    """A DataArray that is read lazily."""

    kind = "xarray"

    def _slice(self, where: tuple[Any, ...]) -> Any:
        return self.array[where].values

    def fingerprint(self, deep: bool = True) -> dict[str, Any]:
        origin = str(self.array.encoding.get("source", ""))
        found = {**super().fingerprint(deep), "path": origin, "name": str(self.array.name)}
        if os.path.isfile(origin):
            found.update(status_of(origin))
        elif os.path.isdir(origin):
            found.update(digest_of_files(origin))
        elif deep:
            found["contents"] = self._contents()
        return found

    def places(self) -> list[str]:
        origin = str(self.array.encoding.get("source", ""))
        return [origin] if origin else []


def url_of(array: Any) -> str | None:
    """The place of an array of zarr; None if it is in memory."""
    store, path = array.store_path.store, array.store_path.path
    root = getattr(store, "root", None)
    if root is not None:
        return os.path.abspath(os.path.join(str(root), path))
    file_system = getattr(store, "fs", None)
    if file_system is None or getattr(file_system, "storage_options", None):
        return None
    whole = f"{store.path}/{path}" if path else str(store.path)
    return absolute(str(file_system.unstrip_protocol(whole)))


def absolute(text: str) -> str:
    """An absolute path; URLs do not change, except that local files become paths."""
    if text.startswith("file://"):
        text = text[len("file://") :]
    return text.rstrip("/") if "://" in text else os.path.abspath(text)


def open_zarr(url: str, mode: str, storage_options: Mapping[str, Any] | None) -> Any:
    """An array or a group of zarr."""
    zarr = import_zarr()
    is_local = "://" not in url
    # zarr refuses options for paths.
    options = dict(storage_options) if storage_options and not is_local else None
    if is_local and not os.path.exists(url):
        raise FileNotFoundError(f"there is no '{url}'")
    try:
        return zarr.open(url, mode=mode, storage_options=options)
    except (FileNotFoundError, zarr.errors.NodeNotFoundError):
        raise FileNotFoundError(f"there is no array or group of zarr at '{url}'") from None


def _from_zarr(
    node: Any, url: str | None, select: Mapping[str, int] | None, level: int, options: Mapping[str, Any] | None
) -> ZarrSource:
    zarr = import_zarr()
    if not isinstance(node, zarr.Group):
        if select:
            raise ValueError("select= needs the named axes of an OME-Zarr image; slice a plain array instead")
        _check_plain(select, level)
        return ZarrSource(node, None, url, options)
    multiscale = _ome.read_multiscale(node)
    if multiscale is None:
        raise ValueError(f"the group '{url or node.name}' is not an OME-Zarr image; give the path of one of its arrays")
    if not 0 <= level < len(multiscale.levels):
        raise ValueError(f"level={level} does not exist; the image has {len(multiscale.levels)} levels, from 0")
    chosen = multiscale.levels[level]
    array = node[chosen.path]
    index = _ome.select_axes(multiscale.axes, array.shape, select)
    image = url_of(node) if url is None else url
    source = ZarrSource(array, index, None if image is None else f"{image.rstrip('/')}/{chosen.path}", options)
    try:
        units = [_ome.millimeters(axis) for axis in multiscale.axes]
        has_unit = any(axis.get("unit") for axis in multiscale.axes if axis.get("type", "space") == "space")
        # A scale without a unit gives no sizes.
        if has_unit:
            source.spacing = source._kept([abs(a * b) for a, b in zip(chosen.scale, units)])
            source.origin = source._kept([a * b for a, b in zip(chosen.translation, units)])
    except ValueError as error:
        source.unit_error = str(error)
    source.multiscale, source.image = multiscale, image
    return source


def _from_text(
    text: str, select: Mapping[str, int] | None, level: int, options: Mapping[str, Any] | None
) -> Source:
    path, _, name = text.partition("::")
    if name and path.endswith(HDF5_ENDINGS):
        _check_plain(select, level)
        return Hdf5Source(open_hdf5(path, name))
    if text.endswith(HDF5_ENDINGS):
        _check_plain(select, level)
        return Hdf5Source(open_hdf5(text, only_dataset(text)))
    if text.endswith(".npy"):
        _check_plain(select, level)
        return MemmapSource(np.load(text, mmap_mode="r"))
    url = absolute(text)
    return _from_zarr(open_zarr(url, "r", options), url, select, level, options)


def _check_plain(select: Mapping[str, int] | None, level: int) -> None:
    """Raises if a part of an OME-Zarr image is requested from another source."""
    if select or level:
        raise ValueError("select= and level= need an OME-Zarr image; slice the array instead")


def open_source(
    source: Any,
    *,
    select: Mapping[str, int] | None = None,
    level: int = 0,
    storage_options: Mapping[str, Any] | None = None,
) -> Source:
    """Converts a user's volume to a source."""
    if isinstance(source, Source):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _from_text(os.fspath(source), select, level, storage_options)
    library = type(source).__module__.partition(".")[0]
    if library == "zarr":
        return _from_zarr(source, None, select, level, storage_options)
    _check_plain(select, level)
    if library == "h5py" and hasattr(source, "file") and hasattr(source, "dtype"):
        return Hdf5Source(source)
    if library == "dask" and hasattr(source, "dask") and hasattr(source, "chunks"):
        check_dask(source)
        wrapped = wrapped_by_dask(source)
        return DaskSource(source) if wrapped is None else open_source(wrapped)
    if library == "xarray" and hasattr(source, "variable"):
        if source.chunks is None and not getattr(source.variable, "_in_memory", False):
            return XarraySource(source)
        return open_source(source.data)
    if isinstance(source, np.ma.MaskedArray):
        raise TypeError("the source is a masked array; pass its data, and mask=~array.mask")
    if isinstance(source, np.memmap) and getattr(source, "_mmap", None) is not None and _is_in_file(source):
        return MemmapSource(source)
    if isinstance(source, np.ndarray):
        return MemorySource(source)
    raise TypeError(
        f"the source is of type {type(source).__name__}; it must be a path or URL, or an array of zarr, h5py, numpy, dask or "
        "xarray"
    )


def _root_of(array: Any) -> Any:
    """The memmap that one is a part of."""
    while isinstance(array.base, np.memmap):
        array = array.base
    return array


def _is_in_file(array: Any) -> bool:
    """Whether the file of a memmap has its voxels: not in a copy (mode "c"), and not without a file name."""
    root = _root_of(array)
    return root.mode != "c" and isinstance(root.filename, (str, os.PathLike)) and os.path.isfile(root.filename)


def spacing_of(spacing: Any, source: Source) -> list[float] | None:
    """The size of a voxel in mm: the user's, or the source's own."""
    if spacing is None:
        if source.unit_error is not None:
            raise ValueError(source.unit_error)
        return source.spacing
    dimension = len(source.shape)
    try:
        values = [float_of(spacing)] * dimension if np.ndim(spacing) == 0 else [float_of(one) for one in spacing]
    except TypeError:
        raise TypeError(f"spacing must be a number or {dimension} numbers, not {spacing!r}") from None
    if len(values) != dimension:
        raise ValueError(f"spacing has {len(values)} values; the source has {dimension} axes")
    return values


def reopen(address: Mapping[str, Any]) -> Source:
    """Opens a source by its address."""
    if address["kind"] == "memmap":
        return MemmapSource.at(address)
    if address["kind"] == "hdf5":
        return Hdf5Source(open_hdf5(address["path"], address["name"]))
    options = address["storage_options"]
    return ZarrSource(open_zarr(address["url"], "r", options), address["index"], address["url"], options)
