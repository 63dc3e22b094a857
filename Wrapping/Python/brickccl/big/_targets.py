# SPDX-License-Identifier: Apache-2.0
"""Targets of labels: arrays of zarr, and label images of OME-Zarr."""

from __future__ import annotations

import os
import re
import shutil
import uuid
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._output import is_automatic, smallest_dtype, usual_dtype
from . import _ome
from ._grid import Box, Grid, choose_brick, piece_of, shape_of
from ._sources import Source, ZarrSource, absolute, open_zarr, url_of
from ._stores import has_keys, holds_chunks, import_zarr, reopened, stored_keys

#: The edge of chunks of a target whose source has none.
CHUNK_EDGE = 128
#: The attribute that says which work an array is of.
MARK = "brickccl"
#: The ending of folders that are about to be removed.
REMOVED = ".removed"
#: How zarr names a file that it has not written to its end.
HALF_WRITTEN = re.compile(r"\.[0-9a-f]{32}\.partial$")
#: Endings of files that are nothing of zarr.
OTHER_ENDINGS = (
    ".npy", ".npz", ".tif", ".tiff", ".nii", ".nii.gz", ".img", ".img.gz", ".hdr", ".hdr.gz", ".nrrd", ".nhdr", ".mha", ".mhd",
    ".h5", ".hdf5", ".hdf", ".nxs", ".dcm", ".png", ".jpg", ".jpeg", ".bmp", ".raw", ".csv", ".tsv", ".parquet",
)  # fmt: skip
LABEL_TYPES = ("uint8", "uint16", "uint32", "uint64")


def label_type(dtype: Any) -> str:
    """The name of a type for labels, "auto" or "smallest"."""
    if is_automatic(dtype):
        return "auto"
    if isinstance(dtype, str) and dtype == "smallest":
        return dtype
    name = str(np.dtype(dtype).name)
    if name not in LABEL_TYPES:
        known = ", ".join(LABEL_TYPES)
        raise TypeError(f"dtype {name} is not a type for labels by bricks; choose 'auto', 'smallest' or one of {known}")
    return name


class Target:
    """An array of labels, created when their number is known."""

    def __init__(self, spec: dict[str, Any], array: Any = None) -> None:
        #: Its description for another process; goes into the plan.
        self.spec = spec
        self._arrays: dict[int, Any] = {} if array is None else {0: array}
        self._is_given = array is not None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.spec["levels"][0]["shape"])

    @property
    def level_count(self) -> int:
        return len(self.spec["levels"])

    @property
    def is_shared(self) -> bool:
        """Whether other processes can write to it."""
        return self.spec["url"] is not None

    @property
    def is_existing(self) -> bool:
        """Whether the user created the array."""
        return self._is_given or self.spec["kind"] == "existing"

    @property
    def unit(self) -> tuple[tuple[int, ...], str]:
        """The unit that one writer must write completely, and its name."""
        return self._unit(0)

    def _unit(self, level: int) -> tuple[tuple[int, ...], str]:
        own = self.spec["levels"][level]
        return (tuple(own["shards"]), "shard") if own["shards"] else (tuple(own["chunks"]), "chunk")

    def check_new(self, plan: str | None, overwrites: bool) -> None:
        """Raises if the path exists and does not belong to this plan."""
        if self.is_existing:
            array = reopened(self.array())
            is_own = plan is not None and dict(array.attrs.get(MARK, {})).get("plan") == plan
            if not overwrites and not is_own and holds_chunks(array):
                raise FileExistsError("the target already holds values; use an empty array, or overwrite=True")
            return
        url = self.spec["url"]
        if "://" not in url and (not os.path.exists(url) or os.path.isdir(url) and not _names_in(url)):
            parent = os.path.dirname(url)
            while not os.path.exists(parent):
                parent = os.path.dirname(parent)
            if not os.access(parent, os.W_OK):
                raise PermissionError(13, "the target cannot be written: no permission", parent)
            return
        try:
            found = open_zarr(url, "r", self.spec["storage_options"])
        except FileNotFoundError:
            if "://" in url:
                return
            raise FileExistsError(f"'{url}' exists already and is not zarr; choose another target") from None
        if not overwrites and (plan is None or dict(found.attrs.get(MARK, {})).get("plan") != plan):
            raise FileExistsError(f"'{url}' exists already; choose another target, or use overwrite=True")

    def check_type(self, count: int) -> str:
        """The type of the labels 1..count."""
        dtype = self.spec["dtype"]
        if dtype in ("auto", "smallest"):
            return str((usual_dtype if dtype == "auto" else smallest_dtype)(count).name)
        if count > np.iinfo(dtype).max:
            raise OverflowError(
                f"{count} components do not fit the label type {dtype}; use {np.min_scalar_type(count).name} or dtype='auto'"
            )
        return str(dtype)

    def create(self, dtype: str, plan: str) -> str:
        """Creates empty arrays, replacing arrays of an earlier try. Returns a mark that identifies them. A given array gets
        only a mark.
        """
        made = uuid.uuid4().hex
        mark = {MARK: {"plan": plan, "made": made, "complete": False}}
        if self.is_existing:
            self.array().attrs.update(mark)
            return made
        zarr = import_zarr()
        options = self.spec["storage_options"]
        self._remove()
        self._arrays = {}
        is_image = self.spec["kind"] == "ome"
        if is_image:
            parent = zarr.open_group(os.path.dirname(self.spec["url"]), mode="a", **self._store_options())
            parent.create_group(os.path.basename(self.spec["url"]), attributes=mark)
        for number, level in enumerate(self.spec["levels"]):
            is_first_format = self.spec["zarr_format"] == 2
            self._arrays[number] = zarr.create_array(
                self._url_of_level(number),
                shape=level["shape"],
                chunks=level["chunks"],
                shards=level["shards"],
                dtype=dtype,
                fill_value=0,
                zarr_format=self.spec["zarr_format"],
                chunk_key_encoding={"name": "v2", "separator": "/"} if is_first_format else None,
                dimension_names=None if is_first_format else self.spec["names"],
                attributes={} if is_image else mark,
                storage_options=options or None,
                overwrite=True,
            )
        return made

    def _store_options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"zarr_format": self.spec["zarr_format"]}
        if self.spec["storage_options"]:
            options["storage_options"] = self.spec["storage_options"]
        return options

    def _remove(self) -> None:
        url = self.spec["url"]
        if "://" not in url:
            _remove_folder(url)
        elif "://" in url and self.spec["kind"] == "ome":
            parent = import_zarr().open_group(os.path.dirname(url), mode="a", **self._store_options())
            if os.path.basename(url) in parent:
                del parent[os.path.basename(url)]

    def _url_of_level(self, level: int) -> str:
        path = self.spec["levels"][level]["path"]
        return f"{self.spec['url']}/{path}" if path else str(self.spec["url"])

    def array(self, level: int = 0, mode: str = "r+") -> Any:
        """The array of a level."""
        if level not in self._arrays:
            self._arrays[level] = open_zarr(self._url_of_level(level), mode, self.spec["storage_options"])
        return self._arrays[level]

    def _mark(self) -> dict[str, Any]:
        """The mark of the work in the target."""
        if self._is_given:
            node = reopened(self.array())
        else:
            node = open_zarr(self.spec["url"], "r", self.spec["storage_options"])
        return dict(node.attrs.get(MARK, {}))

    def is_made(self, made: str) -> bool:
        """Whether the arrays of a call of `create` still exist."""
        try:
            mark = self._mark()
            for level in range(self.level_count):
                self.array(level)
        except FileNotFoundError:
            if not self._is_given:
                self._arrays = {}
            return False
        return mark.get("made") == made

    def is_complete(self, made: str) -> bool:
        """Whether the metadata is complete, and no chunks of lower resolutions are missing."""
        mark = self._mark()
        if mark.get("made") != made or not mark.get("complete"):
            return False
        return all(now >= then for now, then in zip(self._stored_counts(), mark.get("stored", [])))

    def _stored_counts(self) -> list[int]:
        """The number of chunks of each lower resolution in the store."""
        return [len(stored_keys(self.array(level))) for level in range(1, self.level_count)]

    def filled_units(self, labels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The shards or chunks of a brick in the store: all except those that hold only the fill value."""
        filled: np.ndarray[Any, Any] = labels != (self.array().fill_value or 0)
        for axis, size in enumerate(self.unit[0]):
            filled = np.logical_or.reduceat(filled, np.arange(0, filled.shape[axis], size), axis=axis)
        return filled

    def has_units(self, box: Box, filled: np.ndarray[Any, Any], stored: set[str] | None) -> bool:
        """Whether the store has these shards or chunks of a box. `stored` are its keys, if known."""
        keys = self._keys_of(box, filled)
        return all(key in stored for key in keys) if stored is not None else has_keys(self.array(), keys)

    def _keys_of(self, box: Box, filled: np.ndarray[Any, Any]) -> list[str]:
        """The keys of these shards or chunks of a box."""
        encode = self.array().metadata.encode_chunk_key
        return [
            str(encode(tuple(part.start // size + int(at) for part, size, at in zip(box, self.unit[0], place))))
            for place in np.argwhere(filled)
        ]

    def stamp_units(self, box: Box, filled: np.ndarray[Any, Any]) -> str:
        """A checksum of the sizes and times of these shards or chunks, to detect later writes; only for files on a disk."""
        place = self.array().store_path
        root = getattr(place.store, "root", None)
        checksum = 0
        for key in [] if root is None else self._keys_of(box, filled):
            status = os.stat(os.path.join(str(root), place.path, key))
            checksum = zlib.crc32(f"{key} {status.st_size} {status.st_mtime_ns}\n".encode(), checksum)
        return f"{checksum:08x}"

    def stored(self) -> set[str]:
        """The keys of all shards or chunks that the store has."""
        return stored_keys(self.array())

    def write(self, box: Box, labels: np.ndarray[Any, Any]) -> None:
        """Writes the labels of a box; no other writer may share its chunks."""
        array = self.array()
        array[box] = labels if labels.dtype == array.dtype else labels.astype(array.dtype)

    def pieces(self, level: int) -> Grid:
        """The pieces that tasks of a pyramid level write."""
        shape = self.spec["levels"][level]["shape"]
        return Grid(shape, choose_brick(shape, self._unit(level)[0]))

    def write_piece(self, level: int, index: int) -> None:
        """Writes a piece of a level: nearest voxels of the level before."""
        fine, coarse = (self.array(number) for number in (level - 1, level))
        box = self.pieces(level).box(index)
        places = [self._nearest(axis, part, level) for axis, part in enumerate(box)]
        begins = [int(along[0]) for along in places]
        block = np.asarray(fine[tuple(slice(begin, int(along[-1]) + 1) for begin, along in zip(begins, places))])
        coarse[box] = block[np.ix_(*(along - begin for begin, along in zip(begins, places)))]

    def _nearest(self, axis: int, part: slice, level: int) -> np.ndarray[Any, Any]:
        """The nearest indices in the level before, in space."""
        fine, coarse = self.spec["levels"][level - 1], self.spec["levels"][level]
        at = np.arange(part.start, part.stop) * coarse["scale"][axis] + coarse["translation"][axis]
        exact: np.ndarray[Any, Any] = (at - fine["translation"][axis]) / fine["scale"][axis]
        nearest: np.ndarray[Any, Any] = np.clip(np.floor(exact + 0.5 + 1e-9), 0, fine["shape"][axis] - 1).astype(np.int64)
        return nearest

    def complete(self, plan: str, made: str, count: int, properties: list[dict[str, Any]]) -> None:
        """Writes the metadata for readers, when all labels are written."""
        url: Any = self.spec["url"]
        if url is not None:
            _remove_halves(url)
        done = {MARK: {"plan": plan, "made": made, "complete": True, "count": count, "stored": self._stored_counts()}}
        if self.spec["kind"] != "ome":
            self.array().attrs.update(done)
            return
        zarr = import_zarr()
        parent = zarr.open_group(os.path.dirname(self.spec["url"]), mode="r+", **self._store_options())
        name = os.path.basename(self.spec["url"])
        levels = [_ome.Level(level["path"], level["scale"], level["translation"]) for level in self.spec["levels"]]
        version = self.spec["version"]
        attributes = _ome.label_attributes(version, name, self.spec["axes"], levels, count, properties)
        parent[name].attrs.update({**attributes, **done})
        listed = dict(parent.attrs.get("ome", {"version": version})) if version != "0.4" else dict(parent.attrs)
        names = [*listed.get("labels", []), name] if name not in listed.get("labels", []) else listed["labels"]
        parent.attrs.update({"labels": names} if version == "0.4" else {"ome": {**listed, "labels": names}})


def _names_in(folder: str) -> list[str]:
    """The contents of a folder, without leftovers of killed zarr writers."""
    return [name for name in os.listdir(folder) if not name.endswith((".partial", ".part"))]


def _remove_halves(folder: str) -> None:
    """Removes half-written files of killed zarr writers from a folder on a disk."""
    for where, _, names in os.walk(folder):
        for name in names:
            if HALF_WRITTEN.search(name):
                os.remove(os.path.join(where, name))


def _remove_folder(path: str) -> None:
    """Removes a folder: it is complete or missing, even if the process is killed."""
    parent, name = os.path.split(path)
    if os.path.isdir(path):
        os.rename(path, os.path.join(parent, f".{name}.{uuid.uuid4().hex}{REMOVED}"))
    if os.path.isdir(parent):
        for entry in os.listdir(parent):
            # Also what earlier tries left.
            if entry.startswith(f".{name}.") and entry.endswith(REMOVED):
                shutil.rmtree(os.path.join(parent, entry))


def _check_existing(target: Any) -> None:
    """Raises for an array of zarr that labels cannot be written to."""
    if target.read_only or target.store_path.read_only:
        raise PermissionError("the target is read-only; open it with mode='r+'")
    if not target.dtype.isnative:
        raise TypeError(f"the target is of type {target.dtype}; it must be in native byte order")
    now = reopened(target)
    if any(getattr(now, name) != getattr(target, name) for name in ("shape", "dtype", "chunks", "shards")):
        raise ValueError("the target was replaced since this object was opened; open it again")
    url = url_of(target)
    if url is not None and "://" not in url and not os.access(url, os.W_OK):
        raise PermissionError(13, "the target cannot be written: no permission", url)


def _image_of(url: str, options: Mapping[str, Any] | None) -> tuple[Any, _ome.Multiscale] | None:
    """The OME-Zarr image that a path IMAGE/labels/NAME belongs to."""
    parent, name = os.path.split(url.rstrip("/"))
    image = os.path.dirname(parent)
    if os.path.basename(parent) != "labels" or not name or not image:
        return None
    try:
        group = open_zarr(image, "r", options)
    except FileNotFoundError:
        return None
    multiscale = _ome.read_multiscale(group) if isinstance(group, import_zarr().Group) else None
    return None if multiscale is None else (group, multiscale)


def _ome_spec(group: Any, multiscale: _ome.Multiscale, source: Source, chunks: Any, shards: Any) -> dict[str, Any]:
    """A label image for the levels of an image, without the fixed axes of the source."""
    arrays = [group[level.path] for level in multiscale.levels]
    dimension = len(multiscale.axes)
    if isinstance(source, ZarrSource) and len(source.index) == dimension:
        kept = [axis for axis in range(dimension) if source.index[axis] is None]
    else:
        kept = [axis for axis in range(dimension) if multiscale.axes[axis].get("type") != "channel"][-len(source.shape) :]
    shape = tuple(arrays[0].shape[axis] for axis in kept)
    if shape != source.shape:
        raise ValueError(
            f"the source has the shape {source.shape}, and the image of the labels {shape}; they must be "
            "the same, at level 0"
        )
    levels = []
    for level, array in zip(multiscale.levels, arrays):
        own_chunks = [array.chunks[axis] for axis in kept]
        own_shards = None if array.shards is None else [array.shards[axis] for axis in kept]
        if chunks is not None:
            own_chunks, own_shards = list(shape_of("chunks", chunks, len(kept))), None
        if shards is not None:
            own_shards = list(shape_of("shards", shards, len(kept)))
        levels.append(
            {
                "path": level.path,
                "shape": [array.shape[axis] for axis in kept],
                "chunks": own_chunks,
                "shards": own_shards,
                "scale": [level.scale[axis] for axis in kept],
                "translation": [level.translation[axis] for axis in kept],
            }
        )
    axes = [multiscale.axes[axis] for axis in kept]
    version = "0.4" if arrays[0].metadata.zarr_format == 2 else multiscale.version
    return {"kind": "ome", "version": version, "axes": axes, "names": [str(axis["name"]) for axis in axes], "levels": levels}


def _plain_spec(source: Source, chunks: Any, shards: Any, names: Any) -> dict[str, Any]:
    dimension = len(source.shape)
    own = source.chunks or tuple(min(CHUNK_EDGE, size) for size in source.shape)
    if chunks is not None:
        own = shape_of("chunks", chunks, dimension)
    level = {"path": "", "shape": list(source.shape), "chunks": list(own), "shards": None}
    if shards is not None:
        level["shards"] = list(shape_of("shards", shards, dimension))
    return {"kind": "zarr", "names": names, "levels": [level]}


def _fit_to_brick(level: dict[str, Any], brick: Sequence[int]) -> None:
    """Makes the chunks and shards of a new array parts of the bricks."""
    chunks, shards = level["chunks"], level["shards"]
    if shards is None:
        level["chunks"] = [piece_of(*sizes) for sizes in zip(brick, level["shape"], chunks)]
        return
    level["shards"] = [piece_of(*sizes) for sizes in zip(brick, level["shape"], shards)]
    level["chunks"] = [piece_of(size, size + 1, usual) for size, usual in zip(level["shards"], chunks)]


def _check_shards(levels: Sequence[Mapping[str, Any]], zarr_format: int) -> None:
    for level in levels:
        if level["shards"] is None:
            continue
        if zarr_format == 2:
            raise ValueError("shards= need zarr_format=3; Zarr 2 has none")
        if any(shard % chunk for shard, chunk in zip(level["shards"], level["chunks"])):
            raise ValueError(
                f"shards of {tuple(level['shards'])} voxels do not consist of whole chunks of {tuple(level['chunks'])}"
            )


def _check_ending(url: str) -> None:
    """Raises for the name of a file of another format, which would become a folder."""
    name = url.rstrip("/").rpartition("/")[2].lower()
    for ending in OTHER_ENDINGS:
        if name.endswith(ending):
            right = url.rstrip("/")[: -len(ending)] + ".zarr"
            raise ValueError(
                f"the target '{url}' ends with {ending}, but bricks are written to an array of zarr, a folder: use "
                f"'{right}'; `brickccl label --memory` writes files of other formats"
            )


def plan_target(
    target: Any,
    source: Source,
    *,
    brick: Sequence[int] | None = None,
    chunks: Any = None,
    shards: Any = None,
    dtype: Any = "auto",
    zarr_format: int | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> Target:
    """Converts a user's target. Nothing is created yet. A new array gets chunks that whole bricks consist of."""
    zarr = import_zarr()
    wanted = label_type(dtype)
    if isinstance(target, (str, os.PathLike)):
        url = absolute(os.fspath(target))
        image = _image_of(url, storage_options)
        if image is None:
            _check_ending(url)
            multiscale = getattr(source, "multiscale", None)
            names = None
            if multiscale is not None and isinstance(source, ZarrSource):
                names = [str(axis["name"]) for axis in source._kept(multiscale.axes)]
            spec = _plain_spec(source, chunks, shards, names)
            if isinstance(source, ZarrSource) and zarr_format is None:
                zarr_format = source.array.metadata.zarr_format if shards is None else 3
        else:
            spec = _ome_spec(*image, source, chunks, shards)
            own = image[0].metadata.zarr_format
            if zarr_format not in (None, own):
                raise ValueError(f"zarr_format={zarr_format}: the image of the labels is Zarr {own}")
            zarr_format = own
        zarr_format = 3 if zarr_format is None else zarr_format
        if zarr_format not in (2, 3):
            raise ValueError(f"zarr_format={zarr_format} must be 2 or 3")
        if brick is not None and chunks is None and shards is None:
            _fit_to_brick(spec["levels"][0], brick)
        _check_shards(spec["levels"], zarr_format)
        options = dict(storage_options or {}) if "://" in url else {}
        return Target({**spec, "url": url, "dtype": wanted, "zarr_format": zarr_format, "storage_options": options})
    if not isinstance(target, zarr.Array):
        raise TypeError(f"the target is of type {type(target).__name__}; it must be a path or URL, or an array of zarr")
    type_by_count = wanted if wanted == "smallest" else None
    for name, value in (("chunks", chunks), ("shards", shards), ("zarr_format", zarr_format), ("dtype", type_by_count)):
        if value is not None:
            raise ValueError(f"{name}= needs a new target; the given array has its own")
    _check_existing(target)
    own_type = target.dtype.name
    if wanted not in ("auto", own_type) or own_type not in LABEL_TYPES:
        right = wanted if wanted != "auto" else " or ".join(LABEL_TYPES)
        raise TypeError(f"the target is of type {target.dtype}; it must be {right}")
    if target.shape != source.shape:
        raise ValueError(f"the target has the shape {target.shape}; it must have the source's shape, {source.shape}")
    level = {
        "path": "",
        "shape": list(target.shape),
        "chunks": list(target.chunks),
        "shards": None if target.shards is None else list(target.shards),
    }
    spec = {"kind": "existing", "names": None, "levels": [level], "url": url_of(target), "dtype": own_type}
    return Target({**spec, "zarr_format": target.metadata.zarr_format, "storage_options": {}}, target)
