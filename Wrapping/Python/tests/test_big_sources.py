"""Arrays, files and URLs that `brickccl.big` reads."""

import numpy as np
import pytest

import brickccl
from volumes import check_table, grains

zarr = pytest.importorskip("zarr", minversion="3")

from brickccl import big  # noqa: E402


def sources(folder):
    """The same volume as each kind of source."""
    image = grains((20, 24, 28))
    yield "memory", image
    yield "fortran", np.asfortranarray(image)
    yield "zarr 3", zarr.create_array(folder / "3.zarr", data=image, chunks=(8, 8, 8))
    yield "zarr 2", zarr.create_array(folder / "2.zarr", data=image, chunks=(8, 8, 8), zarr_format=2)
    yield "path", folder / "3.zarr"
    sharded = zarr.create_array(folder / "s.zarr", shape=image.shape, dtype="u1", chunks=(4, 4, 4), shards=(8, 8, 8))
    sharded[:] = image
    yield "shards", sharded
    np.save(folder / "image.npy", image)
    yield "npy", str(folder / "image.npy")
    with open(folder / "image.raw", "wb") as stream:
        stream.write(b"123" + np.pad(image, 2).tobytes(order="F"))
    whole = np.memmap(folder / "image.raw", np.uint8, "r", 3, (24, 28, 32), "F")
    yield "part of a memmap", whole[2:-2, 2:-2, 2:-2]


def test_every_kind_of_source_is_read(tmp_path):
    expected = brickccl.label(grains((20, 24, 28)))
    for name, source in sources(tmp_path):
        found = big.label(source, tmp_path / "labels", brick=8, chunks=8, overwrite=True)
        np.testing.assert_array_equal(found.labels[:], expected, name)


def test_sources_on_a_disk_are_read_by_processes_too(tmp_path):
    from brickccl.big._sources import open_source, reopen

    box = (slice(3, 9), slice(0, 24), slice(5, 28))
    for name, source in sources(tmp_path):
        opened = open_source(source)
        if opened.address is not None:
            np.testing.assert_array_equal(reopen(opened.address).read(box), grains((20, 24, 28))[box], name)
        else:
            assert name in ("memory", "fortran")


def test_urls_are_read_and_written(tmp_path):
    image = grains((10, 12))
    zarr.create_array(tmp_path / "image.zarr", data=image, chunks=(4, 4))
    found = big.label(f"file://{tmp_path}/image.zarr", f"file://{tmp_path}/labels.zarr", brick=8, chunks=4)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image))
    np.testing.assert_array_equal(zarr.open(tmp_path / "labels.zarr")[:], brickccl.label(image))
    pytest.importorskip("fsspec")
    url = f"memory:/{tmp_path}"
    zarr.create_array(f"{url}/image.zarr", data=image, chunks=(4, 4))
    for _ in range(2):
        found = big.label(f"{url}/image.zarr", f"{url}/labels.zarr", brick=4, overwrite=True)
        np.testing.assert_array_equal(zarr.open(f"{url}/labels.zarr")[:], brickccl.label(image))
    for target in (f"{url}/labels.zarr", f"file://{tmp_path}/labels.zarr"):
        with pytest.raises(FileExistsError, match="overwrite"):
            big.label(image, target)


def test_buckets_are_read_and_written(tmp_path):
    moto = pytest.importorskip("moto.server")
    s3fs = pytest.importorskip("s3fs")
    image = grains((10, 12, 14))
    server = moto.ThreadedMotoServer(port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        options = {"key": "key", "secret": "secret", "endpoint_url": f"http://{host}:{port}"}
        s3fs.S3FileSystem(**options).mkdir("bucket")
        zarr.create_array("s3://bucket/image.zarr", data=image, chunks=(4, 4, 4), storage_options=options)
        arguments = {"brick": 8, "chunks": 4, "storage_options": options, "connectivity": 26}
        found = big.label("s3://bucket/image.zarr", "s3://bucket/labels.zarr", state=tmp_path / "state", **arguments)
        labels = brickccl.label(image, connectivity=26)
        np.testing.assert_array_equal(found.labels[:], labels)
        np.testing.assert_array_equal(zarr.open("s3://bucket/labels.zarr", storage_options=options)[:], labels)
        with pytest.raises(FileExistsError, match="overwrite"):
            big.label(image, "s3://bucket/labels.zarr", **arguments)
        measured = big.statistics("s3://bucket/labels.zarr", brick=8, storage_options=options)
        check_table(measured, brickccl.statistics(labels))
        with pytest.raises((FileNotFoundError, ValueError), match="nothing.zarr"):
            big.label("s3://bucket/nothing.zarr", tmp_path / "b", storage_options=options)
    finally:
        server.stop()


def test_hdf5_is_read(tmp_path):
    h5py = pytest.importorskip("h5py")
    image = grains((10, 12, 14))
    with h5py.File(tmp_path / "scan.h5", "w") as stream:
        stream.create_dataset("entry/data", data=image, chunks=(4, 4, 4), compression="gzip")
    found = big.label(f"{tmp_path}/scan.h5::/entry/data", tmp_path / "a", brick=4)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image))
    with h5py.File(tmp_path / "scan.h5") as stream:
        found = big.label(stream["entry/data"], tmp_path / "b", brick=8)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image))
    with pytest.raises(ValueError, match="no dataset"):
        big.label(f"{tmp_path}/scan.h5::/nothing", tmp_path / "c")


def test_dask_and_xarray_arrays_are_read_block_by_block(tmp_path):
    dask = pytest.importorskip("dask.array")
    image = grains((10, 12, 14))
    stored = zarr.create_array(tmp_path / "image.zarr", data=image, chunks=(5, 6, 7))
    from brickccl.big._sources import DaskSource, ZarrSource, open_source

    assert isinstance(open_source(dask.from_zarr(stored)), ZarrSource)
    assert isinstance(open_source(dask.from_array(stored)), ZarrSource)
    computed = dask.from_zarr(stored) * 1 - 0
    assert isinstance(open_source(computed), DaskSource)
    expected = brickccl.label(image)
    np.testing.assert_array_equal(big.label(computed, tmp_path / "a", brick=(5, 12, 7)).labels[:], expected)
    xarray = pytest.importorskip("xarray")
    for number, array in enumerate((xarray.DataArray(image), xarray.DataArray(computed))):
        found = big.label(array, tmp_path / f"x{number}", brick=7, chunks=7)
        np.testing.assert_array_equal(found.labels[:], expected)
