# SPDX-License-Identifier: Apache-2.0
"""Folders of states that are used again."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap

import numpy as np
import pytest

import brickccl
from volumes import Stopped, cube, stop_at

zarr = pytest.importorskip("zarr", minversion="3")

from brickccl import big  # noqa: E402


ARGUMENTS = {"chunks": 10, "brick": 10, "state": "state"}


def test_a_folder_whose_plan_is_lost_is_refused(folder):
    big.label(cube(5), "a.zarr", **ARGUMENTS)
    os.unlink("state/plan.json")
    with pytest.raises(FileExistsError, match="has no plan, but .* use an empty folder"):
        big.label(cube(6), "b.zarr", **ARGUMENTS)
    assert not os.path.exists("b.zarr")
    os.mkdir("empty")
    found = big.label(cube(6), "b.zarr", **{**ARGUMENTS, "state": "empty"})
    np.testing.assert_array_equal(found.labels[:], brickccl.label(cube(6)))


def test_a_work_that_was_killed_before_its_plan_was_written_is_begun_again(folder):
    for name in ("records", "runs", "maps", "counts", "written"):
        os.makedirs(f"state/{name}")
    open("state/plan.json.123.part", "w").close()
    found = big.label(cube(), "a.zarr", **ARGUMENTS)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(cube()))


def test_a_damaged_plan_says_what_to_do(folder):
    big.label(cube(), "a.zarr", **ARGUMENTS)
    with open("state/plan.json", "w") as stream:
        stream.write("{")
    with pytest.raises(big.DamagedState, match=r"plan\.json.*remove the whole folder '.*state'"):
        big.label(cube(), "a.zarr", **ARGUMENTS)


def memory_array(**arguments):
    return zarr.create_array({}, shape=(20, 20, 20), chunks=(10,) * 3, dtype="u2", **arguments)


def test_another_target_with_the_same_state_gets_the_labels(folder):
    expected = brickccl.label(cube())
    targets = [memory_array() for _ in range(3)]
    for target in [*targets, targets[0]]:
        big.label(cube(), target, brick=10, state="state")
        np.testing.assert_array_equal(target[:], expected)
    with pytest.raises(ValueError, match="another problem: target"):
        big.label(cube(), "path.zarr", **ARGUMENTS)


@pytest.mark.parametrize("damage", ["zeroed", "recreated", "chunk"])
@pytest.mark.parametrize("kind", ["memory", "disk", "path", "shards"])
def test_targets_that_lost_their_labels_get_them_again(folder, kind, damage):
    def make():
        if kind == "memory":
            return zarr.create_array(store, shape=(20, 20, 20), chunks=(10,) * 3, dtype="u2", overwrite=True)
        if kind == "disk":
            return zarr.create_array("t.zarr", shape=(20, 20, 20), chunks=(10,) * 3, dtype="u2", overwrite=True)
        return "t.zarr"

    store = zarr.storage.MemoryStore()
    target = make()
    arguments = {"brick": 10, "state": "state", "columns": "surface", "table": "t.csv"}
    if kind == "path":
        arguments["chunks"] = 10
    elif kind == "shards":
        arguments.update(chunks=5, shards=10)
    big.label(cube(), target, **arguments)
    array = zarr.open(target) if isinstance(target, str) else target
    if damage == "zeroed":
        array[:] = 0
    elif damage == "recreated":
        if isinstance(target, str):
            zarr.create_array(target, shape=(20, 20, 20), chunks=(10,) * 3, dtype="u2", overwrite=True)
            with pytest.raises(FileExistsError, match="overwrite"):
                big.label(cube(), target, **arguments)
            arguments["overwrite"] = True
        else:
            target = make()
    else:
        array[10:, 10:, 10:] = 0
    found = big.label(cube(), target, **arguments)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(cube()))
    np.testing.assert_array_equal(zarr.open_array(found.labels.store, path=found.labels.path)[:], brickccl.label(cube()))


@pytest.mark.parametrize("layout", [{"chunks": 10}, {"chunks": 5, "shards": 10}])
def test_chunks_that_somebody_else_wrote_get_their_labels_again(folder, layout):
    arguments = {"brick": 10, "state": "state", **layout}
    big.label(cube(), "a.zarr", **arguments)
    array = zarr.open("a.zarr")
    for voxels in ((slice(10, 20),) * 3, (0, 0, slice(3, 5))):
        array[voxels] = 200
        assert (zarr.open("a.zarr")[voxels] == 200).all()
        found = big.label(cube(), "a.zarr", **arguments)
        np.testing.assert_array_equal(found.labels[:], brickccl.label(cube()))


def test_a_finished_work_is_not_done_again(folder):
    target = big.label(cube(), "a.zarr", **ARGUMENTS).labels
    files = [os.path.join(parent, name) for parent, _, names in os.walk("a.zarr") for name in names]
    before = [os.stat(file).st_mtime_ns for file in files]
    big.label(cube(), "a.zarr", **ARGUMENTS)
    assert [os.stat(file).st_mtime_ns for file in files] == before
    np.testing.assert_array_equal(target[:], brickccl.label(cube()))
    empty = np.zeros((20, 20, 20), np.uint8)
    for _ in range(2):
        assert big.label(empty, "none.zarr", **{**ARGUMENTS, "state": "none"}).count == 0


def in_memory(kind):
    """A source in the memory of this process, and what changes it."""
    image = cube()
    if kind == "numpy":
        return image, image
    if kind == "zarr":
        array = zarr.create_array({}, data=image, chunks=(10,) * 3)
        return array, array
    if kind in ("c", "r+"):
        np.save("image.npy", image)
        memmap = np.load("image.npy", mmap_mode=kind)
        return memmap, memmap
    if kind == "xarray":
        array = pytest.importorskip("xarray").DataArray(image)
        return array, array.values
    if kind == "hdf5":
        stream = pytest.importorskip("h5py").File("core.h5", "w", driver="core", backing_store=False)
        return stream.create_dataset("data", data=image), stream["data"]
    if kind == "temporary":
        memmap = np.memmap(tempfile.TemporaryFile(), np.uint8, "w+", 0, image.shape)
        memmap[:] = image
        return memmap, memmap
    array = zarr.create_array({}, data=image, chunks=(10,) * 3)
    return pytest.importorskip("dask.array").from_zarr(array) + 0, array


@pytest.mark.parametrize("kind", ["numpy", "zarr", "c", "r+", "xarray", "hdf5", "temporary", "dask of zarr"])
def test_changed_sources_in_memory_are_noticed(folder, kind):
    source, changed = in_memory(kind)
    expected = brickccl.label(cube())
    for _ in range(2):
        np.testing.assert_array_equal(big.label(source, "a.zarr", **ARGUMENTS).labels[:], expected)
    changed[3, 3, 3] = 1 - cube()[3, 3, 3]
    with pytest.raises(ValueError, match="another problem: source"):
        big.label(source, "a.zarr", **ARGUMENTS)


@pytest.mark.parametrize("kind", ["c", "temporary", "hdf5"])
def test_what_others_cannot_read_is_refused_for_processes(folder, kind):
    source, _ = in_memory(kind)
    with pytest.raises(ValueError, match="only in this process's memory"):
        big.plan(source, "a.zarr", **ARGUMENTS)
    with pytest.raises(ValueError, match="only in this process's memory"):
        big.label(source, "a.zarr", executor="processes", **ARGUMENTS)
    assert not os.path.exists("state")


def test_steps_notice_a_changed_source(folder):
    stored = zarr.create_array("raw.zarr", data=cube(), chunks=(10,) * 3)
    assert big.plan(stored, "a.zarr", **ARGUMENTS) == 8
    for brick in range(4):
        big.label_brick("state", brick)
    stored[:] = 1 - cube()
    program = "import sys\nfrom brickccl import big\nbig.label_brick('state', 5)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "the source has changed since the work was planned: contents" in done.stderr, done.stderr
    try:
        for brick in range(4, 8):
            big.label_brick("state", brick)
    except big.DamagedState:
        pass
    else:
        with pytest.raises(big.DamagedState, match="the source has changed"):
            big.merge("state")
    assert not os.path.exists("a.zarr")


HOLDS = """
    import sys, time
    from brickccl.big._lock import locked
    with locked("state", sys.argv[1], is_alone=sys.argv[1] == "label"):
        print("held", flush=True)
        time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_one_process_at_a_time_works_in_a_folder_but_for_steps(folder):
    zarr.create_array("raw.zarr", data=cube(), chunks=(10,) * 3)
    big.plan("raw.zarr", "a.zarr", **ARGUMENTS)
    for step, is_shared in (("label", False), ("label_brick", True)):
        holder = subprocess.Popen([sys.executable, "-c", textwrap.dedent(HOLDS), step], stdout=subprocess.PIPE)
        assert holder.stdout.readline() == b"held\n"
        try:
            whom = rf"in use by {step} in process {holder.pid} on "
            with pytest.raises(big.FolderInUse, match=whom):
                big.label("raw.zarr", "a.zarr", **ARGUMENTS)
            with pytest.raises(big.FolderInUse, match=whom):
                big.merge("state")
            if is_shared:
                big.label_brick("state", 1)
            else:
                with pytest.raises(big.FolderInUse, match=whom):
                    big.label_brick("state", 1)
        finally:
            holder.send_signal(signal.SIGKILL)
            holder.wait()
            holder.stdout.close()
    assert big.label("raw.zarr", "a.zarr", **ARGUMENTS).count == brickccl.label(cube()).max()


def test_masked_arrays_are_refused(folder):
    image = cube()
    masked = np.ma.masked_where(image == 1, image)
    with pytest.raises(TypeError, match="masked array"):
        big.label(masked, "a.zarr")
    dask = pytest.importorskip("dask.array")
    lazy = dask.ma.masked_where(dask.from_array(image, chunks=10) == 1, dask.from_array(image, chunks=10))
    with pytest.raises(TypeError, match="masked array"):
        big.label(lazy, "a.zarr")
    with pytest.raises(TypeError, match="masked array"):
        brickccl.label(lazy)
    with pytest.raises(TypeError, match="masked array"):
        brickccl.label(image, mask=lazy)


def test_a_finished_work_gives_the_table_that_is_asked_for(folder):
    big.label(cube(5), "other.zarr", table="second.csv")
    for table in ("first.csv", "second.csv", "parts.csv"):
        rows = 100 if table == "parts.csv" else None
        big.label(cube(), "a.zarr", table=table, table_rows=rows, **ARGUMENTS)
    count = int(brickccl.label(cube()).max())
    with open("first.csv") as first, open("second.csv") as second:
        text = first.read()
        assert text == second.read() and text.count("\n") == count + 1
    assert len(os.listdir("parts.csv")) == -(-count // 100)


def test_a_function_that_takes_blocks_is_not_left_out(folder):
    dask = pytest.importorskip("dask.array")
    stored = zarr.create_array("raw.zarr", data=cube(), chunks=(10,) * 3)
    array = dask.from_array(stored, chunks=10, getitem=lambda source, where, **_: 1 - np.asarray(source[where]))
    np.testing.assert_array_equal(big.label(array, "a.zarr").labels[:], brickccl.label(1 - cube()))


def test_records_that_are_lost_after_merging_are_made_again(folder):
    arguments = {**ARGUMENTS, "table": "t.csv", "columns": "surface"}
    with pytest.raises(Stopped):
        big.label(cube(), "a.zarr", progress=stop_at(0.8), **arguments)
    os.unlink("state/records/0-0-0")
    with open("state/records/1-1-1", "r+b") as stream:
        stream.truncate(20)
    big.label(cube(), "a.zarr", **arguments)
    brickccl.find(cube()).table("surface").to_csv("expected.csv")
    with open("t.csv") as found, open("expected.csv") as expected:
        assert found.read() == expected.read()


def test_devices_that_are_not_there_are_told_of(folder):
    if any(device.startswith("cuda:") and "none" not in device for device in brickccl.info()["devices"]):
        pytest.skip("there is a device")
    with pytest.warns(RuntimeWarning) as told:
        brickccl.label(cube(), device="cuda:0")
    with pytest.warns(RuntimeWarning) as told_of_big:
        big.label(cube(), "a.zarr", devices="cuda:0")
    assert [str(one.message) for one in told_of_big] == [str(one.message) for one in told]


def test_runs_that_are_lost_are_made_again_of_what_a_client_computes(folder):
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask.array")
    source = dask.from_zarr(zarr.create_array("raw.zarr", data=cube(), chunks=(10,) * 3)) + 0
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
        arguments = {**ARGUMENTS, "executor": client, "table": "t.csv", "columns": "surface"}
        with pytest.raises(Stopped):
            big.label(source, "a.zarr", progress=stop_at(0.7), **arguments)
        for brick in os.listdir("state/runs"):
            os.unlink(f"state/runs/{brick}")
        found = big.label(source, "a.zarr", **arguments)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(cube()))


def test_arguments_that_are_wrong_get_errors_before_any_work(folder):
    image = cube()
    for error, text, arguments in (
        (ValueError, "properties has the column 'nope'", {"properties": ["nope"], "return_table": True}),
        (ValueError, "properties has the column 'nope'", {"properties": "nope", "return_table": True}),
        (TypeError, "by_slice", {"by_slice": 1.0}),
        (ValueError, "workers=0 must be", {"workers": 0}),
        (TypeError, "algorithm", {"algorithm": None}),
        (ValueError, "periodic=7 is not an axis", {"periodic": 7}),
        (ValueError, "periodic='xx'", {"periodic": "xx"}),
        (ValueError, "neighborhood replaces connectivity", {"neighborhood": np.ones((3, 3, 3)), "connectivity": 6}),
        (ValueError, "neighborhood must be", {"neighborhood": np.ones((3, 3))}),
        (TypeError, "minimum_size", {"minimum_size": 0.0}),
    ):
        with pytest.raises(error, match=text):
            big.label(image, "a.zarr", **arguments)
    dask = pytest.importorskip("dask.array")
    lazy = dask.from_array(image, chunks=10)
    with pytest.raises(ValueError, match="unknown sizes"):
        big.label(lazy[lazy[:, 0, 0] == 1], "a.zarr")
    assert os.listdir() == []
