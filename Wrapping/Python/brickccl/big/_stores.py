"""What a store of zarr holds of an array."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._sources import import_zarr


def reopened(array: Any) -> Any:
    """An array of zarr as it is in its store now."""
    zarr = import_zarr()
    try:
        return zarr.open_array(array.store_path.store, path=array.store_path.path, mode="r")
    except (FileNotFoundError, zarr.errors.NodeNotFoundError):
        raise FileNotFoundError(f"the array '{array.store_path}' is not in its store any more") from None


def stored_keys(array: Any) -> set[str]:
    """The keys of an array's shards or chunks that its store has, relative to the array."""
    from zarr.core.sync import sync

    store, path = array.store_path.store, array.store_path.path
    prefix = f"{path}/" if path else ""

    async def collect() -> set[str]:
        return {key[len(prefix) :] async for key in store.list_prefix(prefix)}

    return sync(collect()) if store.supports_listing else {*_all_keys(array)}


def _all_keys(array: Any) -> Iterable[str]:
    """The keys that an array may have, of a store that does not tell which it has."""
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
