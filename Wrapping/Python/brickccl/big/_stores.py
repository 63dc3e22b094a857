# SPDX-License-Identifier: Apache-2.0
"""The contents of an array's zarr store."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

#: Names of an array's files besides its shards or chunks.
METADATA = ("zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata")
#: What file systems of fsspec call something that changes with the contents of a file, the best first.
STAMPS = ("ETag", "etag", "md5Hash", "content_md5", "Content-MD5", "mtime", "LastModified", "last_modified", "Last-Modified", "updated", "created")
#: Of arrays whose store does not list its files so many are looked at.
SAMPLES = 64


def import_zarr() -> Any:
    try:
        import zarr
    except ImportError:
        raise ImportError("arrays of zarr need the package zarr; pip install 'brickccl[zarr]' brings it") from None
    if int(zarr.__version__.partition(".")[0]) < 3:
        raise ImportError(f"arrays of zarr need zarr 3 or later, this is {zarr.__version__} (Python 3.11 or later has it)")
    return zarr


def reopened(array: Any) -> Any:
    """An array of zarr as it is in its store now."""
    zarr = import_zarr()
    try:
        return zarr.open_array(array.store_path.store, path=array.store_path.path, mode="r")
    except (FileNotFoundError, zarr.errors.NodeNotFoundError):
        raise FileNotFoundError(f"the array '{array.store_path}' is no longer in its store") from None


def stored_keys(array: Any) -> set[str]:
    """The keys of an array's shards or chunks that its store has, relative to the array."""
    from zarr.core.sync import sync

    store, path = array.store_path.store, array.store_path.path
    prefix = f"{path}/" if path else ""

    async def collect() -> set[str]:
        return {key[len(prefix) :] async for key in store.list_prefix(prefix)}

    return sync(collect()) if store.supports_listing else {*_all_keys(array)}


def holds_chunks(array: Any) -> bool:
    """Whether the store of an array has any of its shards or chunks."""
    from zarr.core.sync import sync

    store, path = array.store_path.store, array.store_path.path
    prefix = f"{path}/" if path else ""

    async def look() -> bool:
        async for key in store.list_prefix(prefix):
            if key.rpartition("/")[2] not in METADATA:
                return True
        return False

    if store.supports_listing:
        return bool(sync(look()))
    return any(has_keys(array, [key]) for key in _all_keys(array))


def digest_of_store(array: Any) -> dict[str, Any]:
    """A mark to detect changed shards or chunks behind a URL: their sizes, and their ETag or MD5 or else their times from
    the server. If a server does not list these, some files are checked."""
    from zarr.core.sync import sync

    fs = array.store_path.store.fs
    root = f"{array.store_path.store.path}/{array.store_path.path}".rstrip("/")
    fs.invalidate_cache()
    try:
        found = sync(fs._find(root, detail=True))
    except Exception:
        # It cannot be listed; each file system has errors of its own for that.
        found = {}
    files = {name[len(root) :].lstrip("/"): info for name, info in found.items() if name.startswith(root)}
    files = {name: info for name, info in files.items() if name.rpartition("/")[2] not in METADATA}
    count: int | str = len(files)
    if not any(map(_stamp, files.values())):
        files, count = _sampled(array, root), f"{SAMPLES} at most"
    lines = [f"{name} {info.get('size')} {_stamp(info)}" for name, info in sorted(files.items())]
    return {"files": count, "contents": hashlib.sha256("\n".join(lines).encode()).hexdigest()}


def _stamp(info: dict[str, Any]) -> str:
    return next((f"{name} {info[name]}" for name in STAMPS if info.get(name) is not None), "")


def _sampled(array: Any, root: str) -> dict[str, dict[str, Any]]:
    """The server's information on some shards or chunks."""
    from zarr.core.sync import sync

    fs = array.store_path.store.fs
    unit = array.shards or array.chunks
    grid = [-(-size // own) for size, own in zip(array.shape, unit)]
    count = math.prod(grid)
    found = {}
    for number in sorted({at * count // SAMPLES for at in range(SAMPLES)}):
        place = tuple(int(at) for at in np.unravel_index(number, grid))
        key = array.metadata.encode_chunk_key(place)
        try:
            found[key] = sync(fs._info(f"{root}/{key}"))
        except FileNotFoundError:
            # A chunk of nothing but the fill value is not there.
            continue
    return found


def _all_keys(array: Any) -> Iterable[str]:
    """The possible keys of an array, for a store that does not list its keys."""
    import itertools

    unit = array.shards or array.chunks
    for place in itertools.product(*(range(-(-size // own)) for size, own in zip(array.shape, unit))):
        yield array.metadata.encode_chunk_key(place)


def has_keys(array: Any, keys: Iterable[str]) -> bool:
    """Whether the store of an array has all of some keys."""
    from zarr.core.sync import sync

    store, path = array.store_path.store, array.store_path.path

    async def look() -> bool:
        for key in keys:
            if not await store.exists(f"{path}/{key}" if path else key):
                return False
        return True

    return sync(look())
