"""What is read brick by brick: arrays of zarr, OME-Zarr, HDF5, numpy, dask and xarray."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._volume import voxels
from . import _ome
from ._grid import Box

HDF5_ENDINGS = (".h5", ".hdf5", ".hdf", ".nxs")
#: Of an array with more files than this not every one is looked at to see whether it changed.
MOST_FILES = 100_000


class Source:
    """A volume that is read in boxes. The axes that are fixed (a channel) are not among its own."""

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
        """The shape of what is read at once best; None if there is no such."""
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
        """What another process opens it with; None if it is in this one's memory alone."""
        return None

    def fingerprint(self) -> dict[str, Any]:
        """What tells whether it is the same source, with the same voxels, later on."""
        return {"kind": self.kind, "shape": list(self.shape), "dtype": self.dtype.str, "index": self.index}


class MemorySource(Source):
    """A numpy array."""

    def fingerprint(self) -> dict[str, Any]:
        checksum = 0
        for part in self.array if self.array.ndim > 1 else [self.array]:
            checksum = zlib.crc32(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data, checksum)
        return {**super().fingerprint(), "contents": checksum}


class FileSource(Source):
    """A file, whose size and time tell whether it changed."""

    path: str

    def fingerprint(self) -> dict[str, Any]:
        status = os.stat(self.path)
        return {**super().fingerprint(), "path": self.path, "bytes": status.st_size, "changed": status.st_mtime_ns}


class MemmapSource(FileSource):
    """A numpy.memmap, in any layout that its file has voxels for."""

    kind = "memmap"

    def __init__(self, array: Any) -> None:
        super().__init__(array)
        root: Any = array
        while isinstance(root.base, np.memmap):
            root = root.base
        self.path = os.path.abspath(root.filename)
        self._offset = int(root.offset + (array.ctypes.data - root.ctypes.data))

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

    def fingerprint(self) -> dict[str, Any]:
        return {**super().fingerprint(), "offset": self._offset, "strides": list(self.array.strides)}

    @classmethod
    def at(cls, address: Mapping[str, Any]) -> MemmapSource:
        dtype = np.dtype(address["dtype"])
        bytes_of_file = np.memmap(address["path"], np.uint8, mode="r")
        # The base keeps the file open, and tells its name.
        array = np.lib.stride_tricks.as_strided(
            bytes_of_file[address["offset"] :][: dtype.itemsize].view(dtype),
            address["shape"],
            address["strides"],
            subok=True,
            writeable=False,
        )
        source = cls.__new__(cls)
        Source.__init__(source, array)
        source.path, source._offset = address["path"], address["offset"]
        return source


class Hdf5Source(FileSource):
    """A dataset of h5py."""

    kind = "hdf5"

    def __init__(self, array: Any) -> None:
        super().__init__(array)
        self.path = os.path.abspath(array.file.filename)
        self._lock = threading.Lock()

    @property
    def chunks(self) -> tuple[int, ...] | None:
        return None if self.array.chunks is None else tuple(self.array.chunks)

    def _slice(self, where: tuple[Any, ...]) -> Any:
        with self._lock:
            return self.array[where]

    @property
    def address(self) -> dict[str, Any]:
        return {"kind": self.kind, "path": self.path, "name": self.array.name}

    def fingerprint(self) -> dict[str, Any]:
        return {**super().fingerprint(), "name": self.array.name}


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

    def fingerprint(self) -> dict[str, Any]:
        metadata = {name: value for name, value in self.array.metadata.to_dict().items() if name != "attributes"}
        digest = hashlib.sha256(json.dumps(metadata, sort_keys=True, default=str).encode()).hexdigest()
        found = {**super().fingerprint(), "url": self.url, "metadata": digest}
        if self.url is not None and os.path.isdir(self.url):
            found.update(_digest_of_files(self.url))
        elif self.url is None:
            found["contents"] = id(self.array.store_path.store)
        return found


def _digest_of_files(folder: str) -> dict[str, Any]:
    """Sizes and times of a folder's files; metadata files are left out."""
    digest = hashlib.sha256()
    files = 0
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.startswith((".z", "zarr.json")):
                continue
            files += 1
            if files > MOST_FILES:
                return {"files": f"more than {MOST_FILES}"}
            status = os.stat(os.path.join(parent, name))
            digest.update(f"{os.path.relpath(parent, folder)}/{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return {"files": files, "contents": digest.hexdigest()}


class DaskSource(Source):
    """A dask array: each brick is computed when it is read."""

    kind = "dask"

    @property
    def chunks(self) -> tuple[int, ...]:
        return tuple(max(sizes) for sizes in self.array.chunks)

    def _slice(self, where: tuple[Any, ...]) -> Any:
        return self.array[where].compute(scheduler="synchronous")

    def block(self, box: Box) -> Any:
        """A box as a dask array of its own."""
        return self.array[box]

    def fingerprint(self) -> dict[str, Any]:
        return {**super().fingerprint(), "name": self.array.name}


class XarraySource(Source):
    """A DataArray that is read lazily."""

    kind = "xarray"

    def _slice(self, where: tuple[Any, ...]) -> Any:
        return self.array[where].values

    def fingerprint(self) -> dict[str, Any]:
        encoding = self.array.encoding
        origin = str(encoding.get("source", ""))
        found = {**super().fingerprint(), "path": origin, "name": str(self.array.name)}
        if os.path.isfile(origin):
            status = os.stat(origin)
            found.update({"bytes": status.st_size, "changed": status.st_mtime_ns})
        elif os.path.isdir(origin):
            found.update(_digest_of_files(origin))
        return found


def import_zarr() -> Any:
    try:
        import zarr
    except ImportError:
        raise ImportError("arrays of zarr need the package zarr; pip install 'brickccl[zarr]' brings it") from None
    if int(zarr.__version__.partition(".")[0]) < 3:
        raise ImportError(f"arrays of zarr need zarr 3 or later, this is {zarr.__version__} (Python 3.11 or later has it)")
    return zarr


def url_of(array: Any) -> str | None:
    """Where an array of zarr is; None if it is in memory."""
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
    """A path as an absolute one; URLs as they are, but that files of this machine are paths."""
    if text.startswith("file://"):
        text = text[len("file://") :]
    return text.rstrip("/") if "://" in text else os.path.abspath(text)


def open_zarr(url: str, mode: str, storage_options: Mapping[str, Any] | None) -> Any:
    """An array or a group of zarr."""
    options = dict(storage_options) if storage_options else None
    zarr = import_zarr()
    is_local = "://" not in url
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
            raise ValueError("select= names axes, which the images of OME-Zarr have; slice a plain array instead")
        return ZarrSource(node, None, url, options)
    multiscale = _ome.read_multiscale(node)
    if multiscale is None:
        raise ValueError(f"the group '{url or node.name}' is no OME-Zarr image; give the path of one of its arrays")
    if not 0 <= level < len(multiscale.levels):
        raise ValueError(f"level={level} is not there; the image has {len(multiscale.levels)} levels, from 0 on")
    chosen = multiscale.levels[level]
    array = node[chosen.path]
    index = _ome.select_axes(multiscale.axes, array.shape, select)
    image = url_of(node) if url is None else url
    source = ZarrSource(array, index, None if image is None else f"{image.rstrip('/')}/{chosen.path}", options)
    try:
        units = [_ome.millimeters(axis) for axis in multiscale.axes]
        source.spacing = source._kept([abs(a * b) for a, b in zip(chosen.scale, units)])
        source.origin = source._kept([a * b for a, b in zip(chosen.translation, units)])
    except ValueError as error:
        source.unit_error = str(error)
    source.multiscale, source.image = multiscale, image
    return source


def _wrapped_by_dask(array: Any) -> Any:
    """The array that a dask array only cuts into blocks; None if it does more."""
    layers = array.dask.layers
    key = next((name for name in layers if name.startswith("original-") and name[len("original-") :] == array.name), None)
    if key is None or len(layers) != 2:
        return None
    original = layers[key].get(key)
    original = getattr(original, "value", original)
    same = getattr(original, "shape", None) == array.shape and getattr(original, "dtype", None) == array.dtype
    return original if same and type(original).__module__.partition(".")[0] in ("zarr", "h5py", "numpy") else None


def _from_text(
    text: str, select: Mapping[str, int] | None, level: int, options: Mapping[str, Any] | None
) -> Source:
    path, _, name = text.partition("::")
    if name and path.endswith(HDF5_ENDINGS):
        return Hdf5Source(_open_hdf5(path, name))
    if text.endswith(HDF5_ENDINGS):
        raise ValueError(f"'{text}' has many datasets; name one of them: '{text}::/NAME'")
    if text.endswith(".npy"):
        return MemmapSource(np.load(text, mmap_mode="r"))
    url = absolute(text)
    return _from_zarr(open_zarr(url, "r", options), url, select, level, options)


def _open_hdf5(path: str, name: str) -> Any:
    try:
        import h5py
    except ImportError:
        raise ImportError("datasets of HDF5 need the package h5py") from None
    stream = h5py.File(path, "r")
    if name not in stream or not isinstance(stream[name], h5py.Dataset):
        raise ValueError(f"'{path}' has no dataset '{name}'")
    return stream[name]


def open_source(
    source: Any,
    *,
    select: Mapping[str, int] | None = None,
    level: int = 0,
    storage_options: Mapping[str, Any] | None = None,
) -> Source:
    """Takes what a user gives as a volume."""
    if isinstance(source, Source):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _from_text(os.fspath(source), select, level, storage_options)
    library = type(source).__module__.partition(".")[0]
    if library == "zarr":
        return _from_zarr(source, None, select, level, storage_options)
    if select or level:
        raise ValueError("select= and level= are for the images of OME-Zarr; slice the array instead")
    if library == "h5py" and hasattr(source, "file") and hasattr(source, "dtype"):
        return Hdf5Source(source)
    if library == "dask" and hasattr(source, "dask") and hasattr(source, "chunks"):
        wrapped = _wrapped_by_dask(source)
        return DaskSource(source) if wrapped is None else open_source(wrapped)
    if library == "xarray" and hasattr(source, "variable"):
        return XarraySource(source) if source.chunks is None else open_source(source.data)
    if isinstance(source, np.memmap) and getattr(source, "_mmap", None) is not None:
        return MemmapSource(source)
    if isinstance(source, np.ndarray) and not isinstance(source, np.ma.MaskedArray):
        return MemorySource(source)
    raise TypeError(
        f"the source is of type {type(source).__name__}; it must be a path or URL, or an array of zarr, h5py, numpy, dask or "
        "xarray"
    )


def spacing_of(spacing: Any, source: Source) -> list[float] | None:
    """The size of a voxel in mm: what the user gives, or the source's own."""
    if spacing is None:
        if source.unit_error is not None:
            raise ValueError(source.unit_error)
        return source.spacing
    dimension = len(source.shape)
    values = [float(spacing)] * dimension if np.ndim(spacing) == 0 else [float(one) for one in spacing]
    if len(values) != dimension:
        raise ValueError(f"spacing has {len(values)} values; the source has {dimension} axes")
    return values


def reopen(address: Mapping[str, Any]) -> Source:
    """Opens a source by its address."""
    if address["kind"] == "memmap":
        return MemmapSource.at(address)
    if address["kind"] == "hdf5":
        return Hdf5Source(_open_hdf5(address["path"], address["name"]))
    options = address["storage_options"]
    return ZarrSource(open_zarr(address["url"], "r", options), address["index"], address["url"], options)
