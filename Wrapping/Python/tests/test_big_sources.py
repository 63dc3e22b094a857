# SPDX-License-Identifier: Apache-2.0
"""Arrays, files and URLs that `brickccl.big` reads."""

import http.server
import os
import threading
import types
import uuid

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


@pytest.fixture
def bucket():
    """The URL of a new bucket on a server, and the options with which zarr finds it."""
    moto = pytest.importorskip("moto.server")
    s3fs = pytest.importorskip("s3fs")
    server = moto.ThreadedMotoServer(port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        options = {"key": "key", "secret": "secret", "endpoint_url": f"http://{host}:{port}"}
        # Servers of one process share what they keep.
        name = f"bucket-{uuid.uuid4()}"
        s3fs.S3FileSystem(**options).mkdir(name)
        yield f"s3://{name}", options
    finally:
        server.stop()


def test_buckets_are_read_and_written(tmp_path, bucket):
    url, options = bucket
    image = grains((10, 12, 14))
    zarr.create_array(f"{url}/image.zarr", data=image, chunks=(4, 4, 4), storage_options=options)
    arguments = {"brick": 8, "chunks": 4, "storage_options": options, "connectivity": 26}
    found = big.label(f"{url}/image.zarr", f"{url}/labels.zarr", state=tmp_path / "state", **arguments)
    labels = brickccl.label(image, connectivity=26)
    np.testing.assert_array_equal(found.labels[:], labels)
    np.testing.assert_array_equal(zarr.open(f"{url}/labels.zarr", storage_options=options)[:], labels)
    with pytest.raises(FileExistsError, match="overwrite"):
        big.label(image, f"{url}/labels.zarr", **arguments)
    measured = big.statistics(f"{url}/labels.zarr", brick=8, storage_options=options)
    check_table(measured, brickccl.statistics(labels))
    with pytest.raises((FileNotFoundError, ValueError), match="nothing.zarr"):
        big.label(f"{url}/nothing.zarr", tmp_path / "b", storage_options=options)


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
    found = big.label(tmp_path / "scan.h5", tmp_path / "only", brick=8)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image))
    with pytest.raises(ValueError, match="no dataset"):
        big.label(f"{tmp_path}/scan.h5::/nothing", tmp_path / "c")
    with h5py.File(tmp_path / "scan.h5", "a") as stream:
        stream["mask"] = image
    with pytest.raises(ValueError, match=r"2 datasets of numbers with 2 to 4 dimensions; choose one: '.*scan.h5::/entry/data', '.*::/mask'$"):
        big.label(tmp_path / "scan.h5", tmp_path / "c")


def test_virtual_datasets_have_all_their_sources(tmp_path, monkeypatch):
    h5py = pytest.importorskip("h5py")
    resource = pytest.importorskip("resource")
    image = grains((150, 6, 7))
    layout = h5py.VirtualLayout(image.shape, image.dtype)
    for number, plane in enumerate(image):
        with h5py.File(tmp_path / f"{number}.h5", "w") as stream:
            stream["d"] = plane
        layout[number] = h5py.VirtualSource(f"{number}.h5", "d", plane.shape)
    with h5py.File(tmp_path / "all.h5", "w") as stream:
        stream.create_virtual_dataset("d", layout)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        # HDF5 gives fill values for what it cannot open: the limit is raised.
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, limits[1]))
        found = big.label(f"{tmp_path}/all.h5::/d", tmp_path / "a", brick=128)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image))
    with h5py.File(tmp_path / "7.h5", "w") as stream:
        stream["d"] = image[7, :5]
    with pytest.raises(ValueError, match=r"7.h5::d' .* has the shape \(5, 7\)"):
        big.label(f"{tmp_path}/all.h5::/d", tmp_path / "b")
    # A file of the same name in the working folder is not the source.
    (tmp_path / "other").mkdir()
    with h5py.File(tmp_path / "other" / "7.h5", "w") as stream:
        stream["d"] = image[7]
    monkeypatch.chdir(tmp_path / "other")
    with pytest.raises(ValueError, match=r"7.h5::d' .* has the shape \(5, 7\)"):
        big.label(f"{tmp_path}/all.h5::/d", tmp_path / "b")
    (tmp_path / "7.h5").unlink()
    (tmp_path / "other" / "7.h5").unlink()
    with pytest.raises(ValueError, match="7.h5::d' .* cannot be opened"):
        big.label(f"{tmp_path}/all.h5::/d", tmp_path / "b")


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


def check_changes_are_noticed(tmp_path, url, change, **arguments):
    """Plans, labels a brick, changes the source, and sees that nothing goes on."""
    from brickccl.big import _job

    state = tmp_path / "state"
    big.plan(url, tmp_path / "labels.zarr", state=state, brick=4, chunks=4, **arguments)
    assert big.plan(url, tmp_path / "labels.zarr", state=state, brick=4, chunks=4, **arguments) == 27
    big.label_brick(state, 0)
    change()
    _job._open_job.cache_clear()
    with pytest.raises(big.DamagedState, match="the source has changed since the work was planned: contents was"):
        big.label_brick(state, 1)
    with pytest.raises(ValueError, match="another problem: source.contents"):
        big.label(url, tmp_path / "labels.zarr", state=state, brick=4, chunks=4, **arguments)
    assert not (tmp_path / "labels.zarr").exists()


def test_changed_chunks_behind_urls_are_noticed(tmp_path):
    pytest.importorskip("fsspec")
    image = grains((12, 12, 12))
    url = f"memory:/{tmp_path}/image.zarr"
    array = zarr.create_array(url, data=image, chunks=(4, 4, 4))

    def change():
        # As many bytes as before, were it not compressed.
        array[0:4, 0:4, 0:4] = image[8:12, 8:12, 8:12]

    check_changes_are_noticed(tmp_path, url, change)


def test_changed_chunks_in_buckets_are_noticed(tmp_path, bucket):
    url, options = f"{bucket[0]}/image.zarr", bucket[1]
    image = grains((12, 12, 12))
    array = zarr.create_array(url, data=image, chunks=(4, 4, 4), storage_options=options, compressors=None)
    same = zarr.open(url, mode="r+", storage_options=options)
    same[0:4, 0:4, 0:4] = image[0:4, 0:4, 0:4]
    check_changes_are_noticed(tmp_path, url, lambda: array.__setitem__(..., 1 - image), storage_options=options)


def test_the_same_bytes_written_again_in_a_bucket_are_no_change(tmp_path, bucket):
    url, options = f"{bucket[0]}/image.zarr", bucket[1]
    image = grains((12, 12, 12))
    array = zarr.create_array(url, data=image, chunks=(4, 4, 4), storage_options=options)
    arguments = {"state": tmp_path / "state", "brick": 4, "chunks": 4, "storage_options": options}
    big.plan(url, tmp_path / "labels.zarr", **arguments)
    array[:] = image
    # The options are the bucket's; the target is a path.
    found = big.label(url, tmp_path / "labels.zarr", **arguments)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image))


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no time that programs cannot set")
@pytest.mark.parametrize("name", ["image.npy", "image.zarr"])
def test_files_with_the_sizes_and_times_of_before_are_noticed(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    image = np.zeros((8, 8), np.uint8)

    def write(values):
        if name.endswith("npy"):
            np.save(name, values)
            return [name]
        zarr.create_array(name, data=values, chunks=(4, 4), compressors=None, overwrite=True)
        return [os.path.join(parent, file) for parent, _, files in os.walk(name) for file in files]

    image[:] = 1
    before = {path: os.stat(path) for path in write(image)}
    arguments = {"state": "state", "brick": 4, "chunks": 4}
    big.plan(name, "labels.zarr", **arguments)
    image[3] = 0
    image[4] = 2
    assert sorted(write(image)) == sorted(before)
    for path, status in before.items():
        assert os.stat(path).st_size == status.st_size
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(ValueError, match="another problem: source"):
        big.label(name, "labels.zarr", **arguments)


def test_a_changed_file_among_very_many_is_noticed(monkeypatch):
    from brickccl.big import _files

    names = [str(number) for number in range(200_001)]
    times = dict.fromkeys(names, 1)
    monkeypatch.setattr(_files.os, "walk", lambda folder: [(folder, [], names)])
    monkeypatch.setattr(
        _files.os, "stat", lambda path: types.SimpleNamespace(st_size=1, st_mtime_ns=times[os.path.basename(path)],
        st_ctime_ns=1)
    )
    before = _files.digest_of_files("many.zarr")
    assert before["files"] == len(names)
    times["200000"] = 2
    assert _files.digest_of_files("many.zarr")["contents"] != before["contents"]


def test_changed_chunks_of_a_server_without_lists_are_noticed(tmp_path):
    pytest.importorskip("aiohttp")
    image = grains((12, 12, 12))
    array = zarr.create_array(tmp_path / "served" / "image.zarr", data=image, chunks=(4, 4, 4), compressors=None)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(tmp_path / "served"))

        def list_directory(self, path):
            self.send_error(403)

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("localhost", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            url = f"http://localhost:{server.server_port}/image.zarr"
            np.testing.assert_array_equal(big.label(url, tmp_path / "all", brick=4, chunks=4).labels[:],
            brickccl.label(image))

            def change():
                array[8:, 8:, 8:] = 1 - image[8:, 8:, 8:]
                for path in (tmp_path / "served").rglob("2/2/2"):
                    # Servers report times in whole seconds.
                    os.utime(path, (1, 1))

            check_changes_are_noticed(tmp_path, url, change)
        finally:
            server.shutdown()
            thread.join()


def test_a_mapped_file_that_was_cut_is_refused_before_it_is_read(tmp_path):
    image = tmp_path / "image.npy"
    np.save(image, np.ones((16, 16, 16), np.uint8))
    mapped = np.load(image, mmap_mode="r")
    os.truncate(image, 200)
    with pytest.raises(ValueError, match="is in a file that was truncated after mapping: it has 200 bytes"):
        big.label(mapped, tmp_path / "labels.zarr", brick=16)


def test_a_part_of_what_is_no_image_of_ome_zarr_is_refused(tmp_path):
    h5py = pytest.importorskip("h5py")
    image = grains((8, 9, 10))
    zarr.create_array(tmp_path / "3.zarr", data=image)
    np.save(tmp_path / "image.npy", image)
    with h5py.File(tmp_path / "image.h5", "w") as stream:
        stream["scan"] = image
    for source in (tmp_path / "3.zarr", str(tmp_path / "image.npy"), f"{tmp_path / 'image.h5'}::/scan", image):
        for given in ({"level": 1}, {"select": {"c": 0}}):
            with pytest.raises(ValueError, match="select=.*slice"):
                big.label(source, tmp_path / "labels", **given)


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("spacing must be a number or 3 numbers, not '12'", {"spacing": "12"}),
        ("by_slice must be an axis, a whole number, not True", {"by_slice": True}),
        ("overwrite must be True or False, not 'no'", {"overwrite": "no"}),
    ],
)
def test_arguments_that_would_be_misunderstood_are_type_errors(tmp_path, text, given):
    with pytest.raises(TypeError, match=text):
        big.label(grains((4, 5, 6)), tmp_path / "labels", **given)
    assert list(tmp_path.iterdir()) == []
