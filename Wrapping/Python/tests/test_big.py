"""Volumes labeled brick by brick, beside the same volumes labeled at once."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import brickccl
from brickccl.__main__ import main

zarr = pytest.importorskip("zarr", minversion="3")

from brickccl import big  # noqa: E402


def grains(shape, density=0.3, seed=1, dtype=np.uint8):
    random = np.random.default_rng(seed)
    return (random.random(shape) < density).astype(dtype)


def check_table(table, expected):
    assert list(table) == list(expected)
    for name in expected:
        np.testing.assert_array_equal(table[name], expected[name], name)


def random_options(random, image):
    """Arguments of `label`, of all kinds."""
    dimension = image.ndim
    options = {"connectivity": int(random.integers(1, dimension + 1)), "order": str(random.choice(["raster", "size"]))}
    kind = random.integers(0, 5)
    if kind == 1:
        options["criterion"] = "equal"
    elif kind == 2:
        options["tolerance"] = 1
    elif kind == 3:
        options["range"] = (1, 2)
    elif kind == 4:
        options["background"] = None
        options["criterion"] = "equal"
    if random.random() < 0.3:
        options["minimum_size"] = int(random.integers(2, 6))
    if random.random() < 0.2:
        options["maximum_size"] = int(random.integers(3, 30))
    if random.random() < 0.2:
        options["largest"] = int(random.integers(1, 5))
    if random.random() < 0.2:
        options.update(minimum_volume=1.5, spacing=0.5)
    if random.random() < 0.2 and dimension > 1:
        options["by_slice"] = int(random.integers(0, dimension))
        options["connectivity"] = min(options["connectivity"], dimension - 1)
    return options


@pytest.mark.parametrize("seed", range(30))
def test_labels_and_tables_are_those_of_the_whole_volume(tmp_path, seed):
    random = np.random.default_rng(seed)
    dimension = int(random.choice([1, 2, 3, 3, 3, 4]))
    shape = tuple(int(size) for size in random.integers(1, 14, dimension))
    image = random.integers(0, 4, shape).astype(random.choice([np.uint8, np.int16, np.float32]))
    image[random.random(shape) < 0.4] = 0
    options = random_options(random, image)
    if random.random() < 0.3:
        options["mask"] = random.random(shape) < 0.7
    brick = tuple(int(size) for size in random.integers(1, 8, dimension))
    columns = ["", "shape,feret", "place", "surface", "topology"][seed % 5] if dimension in (2, 3) else ""
    arguments = {"brick": brick, "chunks": brick, "workers": 2, "columns": columns, "return_table": True}
    found = big.label(image, tmp_path / "labels", **arguments, **options)
    labels, count = brickccl.label(image, return_count=True, **options)
    table = brickccl.find(image, **options).table(columns)
    assert found.count == count
    assert found.labels.dtype == labels.dtype
    np.testing.assert_array_equal(found.labels[...], labels)
    check_table(found.table, table)


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


def test_bricks_are_whole_shards(tmp_path):
    image = grains((16, 16, 16))
    for brick, right in (((8, 8, 4), "(8, 8, 8)"), (12, "(16, 16, 16)")):
        with pytest.raises(ValueError, match="shards of") as caught:
            big.label(image, tmp_path / "a", brick=brick, chunks=4, shards=8)
        assert right in str(caught.value)
    with pytest.raises(ValueError, match="chunks of"):
        big.label(image, tmp_path / "a", brick=6, chunks=4)
    assert os.listdir(tmp_path) == []
    found = big.label(image, tmp_path / "a", brick=8, chunks=4, shards=8)
    assert found.labels.shards == (8, 8, 8)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image))
    # The last brick may end with the volume.
    found = big.label(image[:13], tmp_path / "b", brick=(13, 8, 8), chunks=4, shards=8)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image[:13]))


def test_an_array_that_is_given_is_filled(tmp_path):
    image = grains((9, 9), 0.5)
    target = zarr.create_array(tmp_path / "a", shape=(9, 9), chunks=(4, 4), dtype="u8", fill_value=7)
    result = big.label(image, target, brick=4)
    assert result.labels is target
    np.testing.assert_array_equal(target[:], brickccl.label(image))
    in_memory = zarr.create_array({}, shape=(9, 9), chunks=(9, 9), dtype="u1")
    np.testing.assert_array_equal(big.label(image, in_memory).labels[:], brickccl.label(image))
    with pytest.raises(ValueError, match="memory of this process"):
        big.label(tmp_path / "a", in_memory, executor="processes")
    with pytest.raises(ValueError, match="shape"):
        big.label(image[1:], target)
    with pytest.raises(TypeError, match="int64"):
        big.label(image, zarr.create_array({}, shape=(9, 9), chunks=(9, 9), dtype="i8"))


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".zarr"])
def test_tables_are_written(tmp_path, ending):
    image = grains((12, 12, 12))
    path = tmp_path / f"table{ending}"
    intensity = np.random.default_rng(1).integers(0, 99, image.shape).astype(np.int16)
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    big.label(image, tmp_path / "a", brick=5, chunks=5, table=path, columns="shape", intensity=intensity, spacing=(3, 2, 1))
    expected = brickccl.find(image, spacing=(3, 2, 1)).table("shape", intensity=intensity)
    if ending == ".parquet":
        import pyarrow.parquet

        columns = pyarrow.parquet.read_table(path)
        read = {name: columns[name].to_numpy() for name in columns.column_names}
    elif ending == ".csv":
        with open(path, encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        read = {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}
    else:
        group = zarr.open(path)
        read = {name: group[name][:] for name in group.attrs["columns"]}
    check_table(read, expected)
    assert sorted(os.listdir(tmp_path)) == ["a", path.name]


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_tables_are_written_in_parts(tmp_path, ending):
    image = grains((12, 12, 12), 0.1)
    path = tmp_path / f"table{ending}"
    expected = brickccl.find(image).table()
    assert expected.row_count > 100
    arguments = {"brick": 5, "chunks": 5, "table": path, "overwrite": True}
    for rows in (40, expected.row_count, 10**9, 40):
        big.label(image, tmp_path / "a", table_rows=rows, **arguments)
        parts = sorted(os.listdir(path))
        assert parts == [f"part-{part:05d}{ending}" for part in range(max(1, -(-expected.row_count // rows)))]
        if ending == ".parquet":
            arrow = pytest.importorskip("pyarrow.parquet")
            whole = arrow.read_table(path)
            read = {name: whole[name].to_numpy() for name in whole.column_names}
        else:
            lines = [line for part in parts for line in csv.DictReader(open(path / part, encoding="utf-8", newline=""))]
            read = {name: np.array([float(line[name]) for line in lines]) for name in lines[0]}
        check_table(read, expected)
    big.label(np.zeros((5, 5), np.uint8), tmp_path / "b", table=tmp_path / f"empty{ending}", table_rows=7)
    assert os.listdir(tmp_path / f"empty{ending}") == [f"part-00000{ending}"]
    (path / "mine").write_text("mine")
    with pytest.raises(FileExistsError, match="holds something else"):
        big.label(image, tmp_path / "a", table_rows=40, **arguments)
    assert (path / "mine").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["a", "b", f"empty{ending}", path.name]


def test_what_cannot_be_is_refused_before_anything_is_written(tmp_path):
    image = grains((8, 8, 8))
    target = tmp_path / "a"
    for error, text, arguments in (
        (NotImplementedError, "thickness", {"columns": "thickness", "return_table": True}),
        (ValueError, "connectivity|neighbours", {"connectivity": 7}),
        (ValueError, "order", {"order": "colour"}),
        (ValueError, "mask has the shape", {"mask": image[1:]}),
        (ValueError, "minimum_volume", {"minimum_volume": 2}),
        (TypeError, "int8", {"dtype": "int8"}),
        (ValueError, "table=", {"table": tmp_path / "table.xlsx"}),
        (ValueError, "table_rows=0", {"table": tmp_path / "table.csv", "table_rows": 0}),
        (ValueError, "table_rows cuts", {"table": tmp_path / "table.zarr", "table_rows": 5}),
        (ValueError, "table_rows cuts", {"table_rows": 5}),
        (FileNotFoundError, "table", {"table": tmp_path / "nowhere" / "table.csv"}),
        (ValueError, "zarr_format", {"zarr_format": 2, "shards": 8}),
        (ValueError, "whole chunks", {"chunks": 3, "shards": 8}),
        (ValueError, "brick=", {"brick": (8, 8)}),
        (TypeError, "executor", {"executor": "clouds"}),
        (ValueError, "memory of this process", {"executor": "processes"}),
        (ValueError, "select", {"select": {"c": 1}}),
    ):
        with pytest.raises(error, match=text):
            big.label(image, target, **arguments)
    for source in ("nothing.zarr", 7, image.astype(complex), np.zeros((1,) * 5), np.zeros((0, 3))):
        with pytest.raises((ValueError, TypeError, FileNotFoundError)):
            big.label(source, target)
    target.mkdir()
    (target / "mine").write_text("mine")
    with pytest.raises(FileExistsError):
        big.label(image, target, overwrite=True)
    assert (target / "mine").read_text() == "mine"


def test_labels_that_do_not_fit_are_an_error_and_leave_what_was_there(tmp_path):
    image = np.zeros((40, 40), np.uint8)
    image[::2, ::2] = 1
    before = big.label(grains((40, 40)), tmp_path / "a", brick=16, chunks=16).labels[:]
    with pytest.raises(OverflowError, match="400 components"):
        big.label(image, tmp_path / "a", brick=16, chunks=16, dtype="uint8", overwrite=True)
    np.testing.assert_array_equal(zarr.open(tmp_path / "a")[:], before)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        big.label(image, tmp_path / "a")


def test_progress_goes_up_to_one_and_may_end_the_work(tmp_path):
    heard = []
    big.label(grains((16, 16)), tmp_path / "a", brick=4, chunks=4, progress=heard.append)
    assert heard == sorted(heard) and heard[-1] == 1.0 and len(heard) > 16

    def stop(fraction):
        if fraction > 0.2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        big.label(grains((16, 16)), tmp_path / "b", brick=4, chunks=4, progress=stop, state=tmp_path / "state")
    again = big.label(grains((16, 16)), tmp_path / "b", brick=4, chunks=4, state=tmp_path / "state")
    np.testing.assert_array_equal(again.labels[:], brickccl.label(grains((16, 16))))


KILLED = """
    import os, signal, sys
    import brickccl.big

    if __name__ == "__main__":
        folder, stop, executor = sys.argv[1], float(sys.argv[2]), sys.argv[3]

        def progress(fraction):
            if fraction >= stop:
                os.kill(os.getpid(), signal.SIGKILL)

        brickccl.big.label(f"{folder}/image.zarr", f"{folder}/labels.zarr", brick=8, state=f"{folder}/state",
                           executor=executor, workers=2, table=f"{folder}/table.csv", progress=progress)
"""


@pytest.mark.parametrize("stop", [0.2, 0.5, 0.7, 0.95])
def test_a_killed_run_is_gone_on_with(tmp_path, stop):
    image = grains((24, 24, 24))
    zarr.create_array(tmp_path / "image.zarr", data=image, chunks=(8, 8, 8))
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(KILLED))
    done = subprocess.run([sys.executable, program, tmp_path, str(stop), "threads"], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    records = tmp_path / "state" / "records"
    times = {path.name: path.stat().st_mtime_ns for path in records.iterdir() if not path.name.endswith(".part")}
    assert times
    arguments = {"brick": 8, "state": tmp_path / "state", "table": tmp_path / "table.csv", "return_table": True}
    found = big.label(tmp_path / "image.zarr", tmp_path / "labels.zarr", **arguments)
    labels, table = brickccl.label(image, return_table=True)
    np.testing.assert_array_equal(found.labels[:], labels)
    check_table(found.table, table)
    assert zarr.open(tmp_path / "labels.zarr").attrs["brickccl"]["complete"]
    assert all((records / name).stat().st_mtime_ns == time for name, time in times.items())
    assert len(list(records.iterdir())) >= 27


def begun(tmp_path, stop=2.0):
    """A finished work, or one that ended at a fraction."""
    image = grains((12, 12, 12))
    zarr.create_array(tmp_path / "image.zarr", data=image, chunks=(4, 4, 4), overwrite=True)

    def progress(fraction):
        if fraction >= stop:
            raise InterruptedError

    def go_on(progress=None, **arguments):
        arguments = {"brick": 4, "state": tmp_path / "state", "columns": "surface", "return_table": True, **arguments}
        return big.label(tmp_path / "image.zarr", tmp_path / "labels.zarr", progress=progress, **arguments)

    if stop < 1:
        with pytest.raises(InterruptedError):
            go_on(progress)
    else:
        go_on()
    return image, go_on


def test_other_work_in_the_folder_is_refused(tmp_path):
    image, go_on = begun(tmp_path, 0.3)
    for arguments, text in (
        ({"connectivity": 26}, "options.connectivity was None and is 26"),
        ({"minimum_size": 3}, "options.minimum_size was 0 and is 3"),
        ({"brick": 8}, "brick"),
        ({"dtype": "uint32"}, "target.dtype was 'auto' and is 'uint32'"),
        ({"mask": image}, "mask"),
    ):
        with pytest.raises(ValueError, match="another problem") as caught:
            go_on(**arguments)
        assert text in str(caught.value)
    zarr.open(tmp_path / "image.zarr")[0, 0, 0] = 1 - image[0, 0, 0]
    with pytest.raises(ValueError, match="source.contents was"):
        go_on()


@pytest.mark.parametrize("stop", [0.3, 0.7, 2.0])
def test_lost_and_damaged_files_of_the_state_are_made_again(tmp_path, stop):
    image, go_on = begun(tmp_path, stop)
    random = np.random.default_rng(1)
    for name in ("records", "runs", "maps", "counts", "written"):
        files = sorted((tmp_path / "state" / name).iterdir())
        for number, path in enumerate(files):
            if number % 5 == 1:
                path.unlink()
            elif number % 5 == 2:
                path.write_bytes(path.read_bytes()[:-3])
            elif number % 5 == 3:
                data = bytearray(path.read_bytes())
                data[int(random.integers(0, len(data)))] ^= 0x10
                path.write_bytes(data)
    found = go_on()
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image))
    check_table(found.table, brickccl.find(image).table("surface"))


def test_a_lost_target_is_written_again_and_a_damaged_plan_refused(tmp_path):
    import shutil

    image, go_on = begun(tmp_path)
    shutil.rmtree(tmp_path / "labels.zarr")
    np.testing.assert_array_equal(go_on().labels[:], brickccl.label(image))
    plan = tmp_path / "state" / "plan.json"
    plan.write_text(plan.read_text().replace("12", "13", 1))
    with pytest.raises(big.DamagedState, match="plan.json.*checksum"):
        go_on()


def test_errors_of_the_disk_name_the_brick(tmp_path):
    image = grains((12, 12, 12))
    state = tmp_path / "state"
    (state / "records" / "1-0-2").mkdir(parents=True)
    (state / "records" / "1-0-2" / "in the way").write_text("")
    with pytest.raises(OSError, match=r"brick 11 \(voxels \[4:8, 0:4, 8:12\]\)"):
        big.label(image, tmp_path / "labels", brick=4, chunks=4, state=state)
    program = """
        import resource, sys
        import numpy as np, brickccl.big
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
        image = (np.random.default_rng(1).random((60, 60, 60)) < 0.3).astype(np.uint8)
        brickccl.big.label(image, sys.argv[1] + "/full", brick=30, chunks=30, state=sys.argv[1] + "/fullstate")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program), tmp_path], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.search(r"brick \d+ \(voxels .*File too large: '.*/fullstate/runs/", done.stderr), done.stderr
    assert not (tmp_path / "full").exists()
    assert not [name for name in os.listdir(tmp_path / "fullstate" / "runs") if name.endswith(".part")]


def test_processes_that_are_killed_change_nothing(tmp_path):
    import multiprocessing

    image = grains((24, 24, 24))
    zarr.create_array(tmp_path / "image.zarr", data=image, chunks=(8, 8, 8))
    killed = []

    def progress(fraction):
        if fraction > 0.1 + 0.3 * len(killed) and len(killed) < 2:
            children = multiprocessing.active_children()
            if children:
                killed.append(children[0].pid)
                os.kill(children[0].pid, signal.SIGKILL)

    arguments = {"brick": 8, "executor": "processes", "workers": 2, "progress": progress}
    found = big.label(tmp_path / "image.zarr", tmp_path / "labels.zarr", **arguments)
    assert len(killed) == 2
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image))


def test_workers_of_dask_that_are_killed_change_nothing(tmp_path):
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask.array")
    image = grains((24, 24, 24))
    stored = zarr.create_array(tmp_path / "image.zarr", data=image, chunks=(8, 8, 8))
    expected = brickccl.label(image)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        # Workers without a nanny: who is killed stays away.
        command = [sys.executable, "-m", "dask", "worker", cluster.scheduler_address, "--no-nanny", "--nthreads", "1"]
        workers = [subprocess.Popen([*command, "--no-dashboard"], stderr=subprocess.DEVNULL) for _ in range(2)]
        try:
            client.wait_for_workers(2)
            with pytest.raises(ValueError, match="state="):
                big.label(stored, tmp_path / "labels.zarr", executor=client)

            def progress(fraction):
                if fraction > 0.2:
                    workers[0].kill()

            arguments = {"brick": 8, "executor": client, "state": tmp_path / "state"}
            found = big.label(stored, tmp_path / "labels.zarr", progress=progress, **arguments)
            assert workers[0].wait() == -signal.SIGKILL and workers[1].poll() is None
            np.testing.assert_array_equal(found.labels[:], expected)
            assert big.label(stored, tmp_path / "labels.zarr", **arguments).count == found.count
            arguments = {"brick": 8, "executor": client, "state": tmp_path / "another"}
            computed = big.label(dask.from_zarr(stored) + 0, tmp_path / "computed.zarr", **arguments)
            np.testing.assert_array_equal(computed.labels[:], expected)
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()


def make_image(path, version, shape=(2, 16, 20, 24)):
    """An OME-Zarr image of two channels with three levels, z too."""
    zarr_format = 2 if version == "0.4" else 3
    image = np.stack([grains(shape[1:], 0.3, channel) for channel in range(shape[0])])
    axes = [{"name": "c", "type": "channel"}] + [{"name": name, "type": "space", "unit": "micrometer"} for name in "zyx"]
    group = zarr.create_group(path, zarr_format=zarr_format)
    datasets = []
    for level in range(3):
        step = 2**level
        data = image[:, ::step, ::step, ::step]
        array = group.create_array(
            str(level),
            shape=data.shape,
            dtype=data.dtype,
            chunks=(1, 4, 5, 6),
            chunk_key_encoding={"name": "v2", "separator": "/"} if zarr_format == 2 else None,
            dimension_names=None if zarr_format == 2 else list("czyx"),
        )
        array[:] = data
        scale = {"type": "scale", "scale": [1.0, 2.0 * step, 1.5 * step, 1.5 * step]}
        datasets.append({"path": str(level), "coordinateTransformations": [scale]})
    multiscales = [{"axes": axes, "datasets": datasets, "name": "image"}]
    if version == "0.4":
        multiscales[0]["version"] = "0.4"
        group.attrs["multiscales"] = multiscales
    else:
        group.attrs["ome"] = {"version": version, "multiscales": multiscales}
    return image


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_label_images_of_ome_zarr(tmp_path, version):
    image = make_image(tmp_path / "image.zarr", version)
    path = tmp_path / "image.zarr"
    with pytest.raises(ValueError, match="2 channels"):
        big.label(path, path / "labels" / "pores")
    arguments = {"select": {"c": 1}, "brick": (8, 10, 12), "minimum_volume": 1e-8, "return_table": True}
    found = big.label(path, path / "labels" / "pores", **arguments)
    labels, table = brickccl.label(image[1], spacing=(0.002, 0.0015, 0.0015), minimum_volume=1e-8, return_table=True)
    check_table(found.table, table)
    group = zarr.open(path / "labels" / "pores")
    for level in range(3):
        step = 2**level
        np.testing.assert_array_equal(group[str(level)][:], labels[::step, ::step, ::step])
    attributes = group.attrs.asdict() if version == "0.4" else group.attrs["ome"]
    own = attributes["image-label"]
    assert [row["voxel_count"] for row in own["properties"]] == table["voxel_count"].tolist()
    assert [color["label-value"] for color in own["colors"]] == list(range(1, found.count + 1))
    assert own["source"]["image"] == "../../"
    assert [axis["unit"] for axis in attributes["multiscales"][0]["axes"]] == ["micrometer"] * 3
    parent = zarr.open(path / "labels").attrs
    assert (parent["labels"] if version == "0.4" else parent["ome"]["labels"]) == ["pores"]
    big.label(path, path / "labels" / "others", select={"c": 0}, brick=(8, 10, 12))
    parent = zarr.open(path / "labels").attrs
    assert (parent["labels"] if version == "0.4" else parent["ome"]["labels"]) == ["pores", "others"]
    with pytest.raises(FileExistsError):
        big.label(path, path / "labels" / "pores", select={"c": 1})
    with pytest.raises(ValueError, match="at level 0"):
        big.label(path, path / "labels" / "coarse", select={"c": 1}, level=1)


def files_of(folder):
    """The contents of all files, but for the folder's name and what says which work wrote them."""
    contents = {}
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            if path.name in ("zarr.json", ".zattrs"):
                described = json.loads(data)
                (described.get("attributes", described)).pop("brickccl", None)
                data = json.dumps(described, sort_keys=True).replace(f'"{folder.name}"', '"name"')
            contents[str(path.relative_to(folder))] = data
    return contents


def test_four_executors_write_the_same_bytes_beside_one_image(tmp_path):
    distributed = pytest.importorskip("distributed")
    path = tmp_path / "image.zarr"
    image = make_image(path, "0.5")
    arguments = {"select": {"c": 1}, "brick": (8, 10, 12), "minimum_size": 3}

    def label(name, executor):
        table = tmp_path / f"{name}.csv"
        return big.label(path, path / "labels" / name, executor=executor, state=tmp_path / name, table=table, **arguments)

    counts = {name: label(name, name).count for name in ("threads", "processes")}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        counts["dask"] = label("dask", client).count
    # Tasks of a job array: processes of their own that start at once and know of each other only through the folder.
    command = [sys.executable, "-m", "brickccl", "big"]
    state = str(tmp_path / "steps")
    plan = ["plan", str(path), str(path / "labels" / "steps"), "--state", state, "--select", "c=1", "--brick", "8", "10", "12"]
    plan += ["--minimum-size", "3", "--table", str(tmp_path / "steps.csv")]
    subprocess.run([*command, *plan], check=True)
    for step in ("brick", "merge", "write", "finish"):
        parts = [["--part", f"{part}/3"] for part in range(3)] if step in ("brick", "write") else [[]]
        tasks = [subprocess.Popen([*command, step, state, *part]) for part in parts]
        assert [task.wait() for task in tasks] == [0] * len(parts)
    expected, table = brickccl.label(image[1], minimum_size=3, spacing=(0.002, 0.0015, 0.0015), return_table=True)
    assert set(counts.values()) == {table.row_count} and table.row_count > 100
    np.testing.assert_array_equal(zarr.open(path / "labels" / "steps" / "0")[:], expected)
    first = files_of(path / "labels" / "threads")
    assert len(first) > 40
    for name in ("processes", "dask", "steps"):
        assert files_of(path / "labels" / name) == first, name
        assert (tmp_path / f"{name}.csv").read_bytes() == (tmp_path / "threads.csv").read_bytes()
    assert zarr.open(path / "labels").attrs["ome"]["labels"] == ["threads", "processes", "dask", "steps"]


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_ome_zarr_py_reads_the_label_images(tmp_path, version):
    pytest.importorskip("ome_zarr")
    from ome_zarr.io import parse_url
    from ome_zarr.reader import Reader

    image = make_image(tmp_path / "image.zarr", version)
    path = tmp_path / "image.zarr"
    big.label(path, path / "labels" / "pores", select={"c": 1}, brick=(8, 10, 12))
    nodes = list(Reader(parse_url(str(path)))())
    (node,) = [node for node in nodes if node.zarr.basename() == "pores"]
    assert [level.shape for level in node.data] == [(16, 20, 24), (8, 10, 12), (4, 5, 6)]
    np.testing.assert_array_equal(node.data[0].compute(), brickccl.label(image[1]))
    assert node.metadata["axes"][0]["unit"] == "micrometer"
    assert len(node.metadata["color"]) >= 1


def test_the_command_does_the_steps(tmp_path, capsys):
    image = grains((20, 20, 20))
    zarr.create_array(tmp_path / "image.zarr", data=image, chunks=(8, 8, 8))
    state, target = str(tmp_path / "state"), str(tmp_path / "labels.zarr")
    plan = ["big", "plan", str(tmp_path / "image.zarr"), target, "--state", state, "--brick", "8", "--connectivity", "26"]
    assert main([*plan, "--table", str(tmp_path / "table.csv")]) == 0
    assert "27 bricks" in capsys.readouterr().out
    assert main(["big", "merge", state]) == 1
    assert "27 of 27 bricks are not labeled yet" in capsys.readouterr().err
    assert main(["big", "write", state]) == 1
    for part in ("2/3", "0/3", "1/3", "0/1"):
        assert main(["big", "brick", state, "--part", part]) == 0
    assert main(["big", "merge", state]) == 0
    assert main(["big", "finish", state]) == 1
    assert "27 of 27 bricks are not written yet" in capsys.readouterr().err
    assert main(["big", "write", state, "--bricks", "5:,0"]) == 0
    assert main(["big", "write", state, "--bricks", "1:5"]) == 0
    assert main(["big", "finish", state]) == 0
    assert main(["big", "status", state]) == 0
    assert capsys.readouterr().out.endswith("complete\n")
    labels, table = brickccl.label(image, connectivity=26, return_table=True)
    np.testing.assert_array_equal(zarr.open(target)[:], labels)
    with open(tmp_path / "table.csv", encoding="utf-8", newline="") as stream:
        assert [int(row["voxel_count"]) for row in csv.DictReader(stream)] == table["voxel_count"].tolist()
    assert main(["big", "brick", state, "--bricks", "99"]) == 1
    assert main(["big", "label", str(tmp_path / "image.zarr"), str(tmp_path / "b.zarr"), "--connectivity", "26"]) == 0
    np.testing.assert_array_equal(zarr.open(tmp_path / "b.zarr")[:], labels)
    assert main(["big", "stats", target, "-o", str(tmp_path / "stats.csv"), "--brick", "9"]) == 0
    assert (tmp_path / "stats.csv").read_text() == (tmp_path / "table.csv").read_text()


def test_statistics_are_those_of_the_whole_label_map(tmp_path):
    random = np.random.default_rng(5)
    labels = random.choice([0, 3, 7, 10**12], (15, 16, 17)).astype(np.uint64)
    gray = random.integers(-50, 50, labels.shape).astype(np.int16)
    stored = zarr.create_array(tmp_path / "labels.zarr", data=labels, chunks=(4, 4, 4))
    arguments = {"columns": "shape,place", "spacing": (3, 2, 1), "intensity": gray}
    check_table(big.statistics(stored, brick=6, **arguments), brickccl.statistics(labels, **arguments))
    assert big.statistics(np.zeros((5, 5), np.uint8), brick=2).row_count == 0
    with pytest.raises(NotImplementedError, match="column"):
        big.statistics(stored, columns="thickness")
    with pytest.raises(ValueError, match=r"brick \d"):
        big.statistics(-np.ones((5, 5), np.int8), brick=2)


def test_a_plan_of_very_many_bricks_is_small(tmp_path):
    zarr.create_array(tmp_path / "image.zarr", shape=(51200, 51200, 10240), chunks=(512, 512, 512), dtype="u1")
    count = big.plan(tmp_path / "image.zarr", tmp_path / "labels.zarr", state=tmp_path / "state", brick=512, dtype="uint64")
    assert count == 200_000
    assert (tmp_path / "state" / "plan.json").stat().st_size < 10_000
    assert not (tmp_path / "labels.zarr").exists()
