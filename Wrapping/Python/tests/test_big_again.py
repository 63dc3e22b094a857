"""Folders of states that are used again, and places that must not be one another."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap

import numpy as np
import pytest

import brickccl

zarr = pytest.importorskip("zarr", minversion="3")

from brickccl import big  # noqa: E402


def grains(seed=1, shape=(20, 20, 20)):
    return (np.random.default_rng(seed).random(shape) < 0.3).astype(np.uint8)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


ARGUMENTS = {"chunks": 10, "brick": 10, "state": "state"}


class Stopped(Exception):
    pass


def stop_at(fraction):
    def progress(now):
        if now >= fraction:
            raise Stopped

    return progress


def test_a_folder_whose_plan_is_lost_is_refused(folder):
    big.label(grains(5), "a.zarr", **ARGUMENTS)
    os.unlink("state/plan.json")
    with pytest.raises(FileExistsError, match="has no plan, but .* give an empty folder"):
        big.label(grains(6), "b.zarr", **ARGUMENTS)
    assert not os.path.exists("b.zarr")
    os.mkdir("empty")
    found = big.label(grains(6), "b.zarr", **{**ARGUMENTS, "state": "empty"})
    np.testing.assert_array_equal(found.labels[:], brickccl.label(grains(6)))


def test_a_work_that_was_killed_before_its_plan_was_written_is_begun_again(folder):
    for name in ("records", "runs", "maps", "counts", "written"):
        os.makedirs(f"state/{name}")
    open("state/plan.json.123.part", "w").close()
    found = big.label(grains(), "a.zarr", **ARGUMENTS)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(grains()))


def test_a_damaged_plan_says_what_to_do(folder):
    big.label(grains(), "a.zarr", **ARGUMENTS)
    with open("state/plan.json", "w") as stream:
        stream.write("{")
    with pytest.raises(big.DamagedState, match=r"plan\.json.*remove the whole folder '.*state'"):
        big.label(grains(), "a.zarr", **ARGUMENTS)


@pytest.mark.parametrize("name", ["source", "mask", "intensity"])
def test_what_is_read_is_never_replaced(folder, name):
    images = {key: zarr.create_array(f"{key}/raw.zarr", data=grains(), chunks=(10,) * 3) for key in ("source", "mask", "intensity")}
    os.symlink(name, "link")
    os.mkdir("there")

    def label(target, **arguments):
        big.label(images["source"], target, mask="mask/raw.zarr", intensity="intensity/raw.zarr", **arguments)

    for place in (f"{name}/raw.zarr", "link/raw.zarr", f"file://{folder}/{name}/raw.zarr"):
        with pytest.raises(ValueError, match=f"the target .* is the {name}"):
            label(place, overwrite=True)
    with pytest.raises(ValueError, match=f"the table .* is the {name}"):
        label("labels.zarr", table=f"{name}/raw.zarr")
    with pytest.raises(ValueError, match=f"the target .* contains the {name}"):
        label(name, overwrite=True)
    with pytest.raises(ValueError, match=f"the target .* lies in the {name}"):
        label(f"{name}/raw.zarr/labels")
    with pytest.raises(ValueError, match=f"the state .* lies in the {name}"):
        label("labels.zarr", state=f"{name}/raw.zarr/state")
    with pytest.raises(ValueError, match="the table .* is the target"):
        label("labels.zarr", table="labels.zarr")
    with pytest.raises(ValueError, match="the state .* lies in the target"):
        label("labels.zarr", state="labels.zarr/state")
    with pytest.raises(ValueError, match=f"the target .* is the {name}"):
        label(images[name])
    for image in images.values():
        np.testing.assert_array_equal(zarr.open(str(image.store.root))[:], grains())
    assert not os.path.exists("labels.zarr")


def test_an_array_in_memory_is_never_labeled_in_its_own_place(folder):
    array = zarr.create_array({}, data=grains(), chunks=(10,) * 3)
    again = zarr.open_array(array.store, mode="r+")
    for source, target in ((array, array), (array, again)):
        with pytest.raises(ValueError, match="the target is the source"):
            big.label(source, target)
    np.testing.assert_array_equal(array[:], grains())


def test_the_origin_of_a_dask_array_is_never_replaced(folder):
    dask = pytest.importorskip("dask.array")
    stored = zarr.create_array("raw.zarr", data=grains(), chunks=(10,) * 3)
    for array in (dask.from_zarr(stored), dask.from_zarr(stored) + 1):
        with pytest.raises(ValueError, match="is the source"):
            big.label(array, "raw.zarr", overwrite=True)
    np.testing.assert_array_equal(stored[:], grains())


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".zarr"])
def test_only_tables_are_replaced_by_tables(folder, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    table = f"table{ending}"
    shutil.rmtree(table, ignore_errors=True)
    for seed in (1, 2):
        big.label(grains(seed), "a.zarr", table=table, overwrite=True)
    shutil.move(table, "ours")
    others = ["folder", "zarr"] if ending == ".zarr" else ["folder", "text"]
    for kind in others:
        if kind == "text":
            with open(table, "w") as stream:
                stream.write("mine\n")
        elif kind == "zarr":
            zarr.create_array(table, data=grains())
        else:
            os.mkdir(table)
            open(f"{table}/mine", "w").close()
        with pytest.raises(FileExistsError, match="something else"):
            big.label(grains(), "b.zarr", table=table, overwrite=True)
        assert not os.path.exists("b.zarr")
        assert os.path.exists(table)
        shutil.rmtree(table) if os.path.isdir(table) else os.unlink(table)


def memory_array(**arguments):
    return zarr.create_array({}, shape=(20, 20, 20), chunks=(10,) * 3, dtype="u2", **arguments)


def test_another_target_with_the_same_state_gets_the_labels(folder):
    expected = brickccl.label(grains())
    targets = [memory_array() for _ in range(3)]
    for target in [*targets, targets[0]]:
        big.label(grains(), target, brick=10, state="state")
        np.testing.assert_array_equal(target[:], expected)
    with pytest.raises(ValueError, match="another problem: target"):
        big.label(grains(), "path.zarr", **ARGUMENTS)


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
    big.label(grains(), target, **arguments)
    array = zarr.open(target) if isinstance(target, str) else target
    if damage == "zeroed":
        array[:] = 0
    elif damage == "recreated":
        if isinstance(target, str):
            zarr.create_array(target, shape=(20, 20, 20), chunks=(10,) * 3, dtype="u2", overwrite=True)
            with pytest.raises(FileExistsError, match="overwrite"):
                big.label(grains(), target, **arguments)
            arguments["overwrite"] = True
        else:
            target = make()
    else:
        array[10:, 10:, 10:] = 0
    found = big.label(grains(), target, **arguments)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(grains()))
    np.testing.assert_array_equal(zarr.open_array(found.labels.store, path=found.labels.path)[:], brickccl.label(grains()))


def test_a_finished_work_is_not_done_again(folder):
    target = big.label(grains(), "a.zarr", **ARGUMENTS).labels
    files = [os.path.join(parent, name) for parent, _, names in os.walk("a.zarr") for name in names]
    before = [os.stat(file).st_mtime_ns for file in files]
    big.label(grains(), "a.zarr", **ARGUMENTS)
    assert [os.stat(file).st_mtime_ns for file in files] == before
    np.testing.assert_array_equal(target[:], brickccl.label(grains()))
    empty = np.zeros((20, 20, 20), np.uint8)
    for _ in range(2):
        assert big.label(empty, "none.zarr", **{**ARGUMENTS, "state": "none"}).count == 0


def in_memory(kind):
    """A source in the memory of this process, and what changes it."""
    image = grains()
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
    expected = brickccl.label(grains())
    for _ in range(2):
        np.testing.assert_array_equal(big.label(source, "a.zarr", **ARGUMENTS).labels[:], expected)
    changed[3, 3, 3] = 1 - grains()[3, 3, 3]
    with pytest.raises(ValueError, match="another problem: source"):
        big.label(source, "a.zarr", **ARGUMENTS)


@pytest.mark.parametrize("kind", ["c", "temporary", "hdf5"])
def test_what_others_cannot_read_is_refused_for_processes(folder, kind):
    source, _ = in_memory(kind)
    with pytest.raises(ValueError, match="in the memory of this process alone"):
        big.plan(source, "a.zarr", **ARGUMENTS)
    with pytest.raises(ValueError, match="in the memory of this process alone"):
        big.label(source, "a.zarr", executor="processes", **ARGUMENTS)
    assert not os.path.exists("state")


def test_steps_notice_a_changed_source(folder):
    stored = zarr.create_array("raw.zarr", data=grains(), chunks=(10,) * 3)
    assert big.plan(stored, "a.zarr", **ARGUMENTS) == 8
    for brick in range(4):
        big.label_brick("state", brick)
    stored[:] = 1 - grains()
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
    zarr.create_array("raw.zarr", data=grains(), chunks=(10,) * 3)
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
    assert big.label("raw.zarr", "a.zarr", **ARGUMENTS).count == brickccl.label(grains()).max()


def test_masked_arrays_are_refused(folder):
    image = grains()
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
    big.label(grains(5), "other.zarr", table="second.csv")
    for table in ("first.csv", "second.csv", "parts.csv"):
        rows = 100 if table == "parts.csv" else None
        big.label(grains(), "a.zarr", table=table, table_rows=rows, **ARGUMENTS)
    count = int(brickccl.label(grains()).max())
    with open("first.csv") as first, open("second.csv") as second:
        text = first.read()
        assert text == second.read() and text.count("\n") == count + 1
    assert len(os.listdir("parts.csv")) == -(-count // 100)


def test_a_function_that_takes_blocks_is_not_left_out(folder):
    dask = pytest.importorskip("dask.array")
    stored = zarr.create_array("raw.zarr", data=grains(), chunks=(10,) * 3)
    array = dask.from_array(stored, chunks=10, getitem=lambda source, where, **_: 1 - np.asarray(source[where]))
    np.testing.assert_array_equal(big.label(array, "a.zarr").labels[:], brickccl.label(1 - grains()))


def test_records_that_are_lost_after_merging_are_made_again(folder):
    arguments = {**ARGUMENTS, "table": "t.csv", "columns": "surface"}
    with pytest.raises(Stopped):
        big.label(grains(), "a.zarr", progress=stop_at(0.8), **arguments)
    os.unlink("state/records/0-0-0")
    with open("state/records/1-1-1", "r+b") as stream:
        stream.truncate(20)
    big.label(grains(), "a.zarr", **arguments)
    brickccl.find(grains()).table("surface").to_csv("expected.csv")
    with open("t.csv") as found, open("expected.csv") as expected:
        assert found.read() == expected.read()


def test_an_old_target_is_there_as_a_whole_or_gone(folder, monkeypatch):
    big.label(grains(5), "a.zarr")

    def killed(path):
        assert not os.path.exists("a.zarr")
        raise Stopped

    with monkeypatch.context() as patched:
        patched.setattr("brickccl.big._targets.shutil.rmtree", killed)
        with pytest.raises(Stopped):
            big.label(grains(), "a.zarr", overwrite=True, state="state", brick=20)
    assert [name for name in os.listdir() if name.endswith(".removed")]
    found = big.label(grains(), "a.zarr", state="state", brick=20)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(grains()))
    assert sorted(os.listdir()) == ["a.zarr", "state"]


def test_targets_that_cannot_be_written_are_refused_before_labeling(folder):
    def progress(fraction):
        raise AssertionError("it has begun")

    with pytest.raises(TypeError, match="byte order"):
        big.label(grains(), zarr.create_array({}, shape=(20,) * 3, chunks=(10,) * 3, dtype=">u2"), progress=progress)
    zarr.create_array("a.zarr", shape=(20,) * 3, chunks=(10,) * 3, dtype="u2")
    with pytest.raises(PermissionError, match="r\\+"):
        big.label(grains(), zarr.open_array("a.zarr", mode="r"), progress=progress)
    stale = zarr.open_array("a.zarr", mode="r+")
    zarr.create_array("a.zarr", shape=(20,) * 3, chunks=(5,) * 3, dtype="u2", overwrite=True)
    with pytest.raises(ValueError, match="open it again"):
        big.label(grains(), stale, progress=progress)


def test_devices_that_are_not_there_are_told_of(folder):
    if any(device.startswith("cuda:") and "none" not in device for device in brickccl.info()["devices"]):
        pytest.skip("there is a device")
    with pytest.warns(RuntimeWarning) as told:
        brickccl.label(grains(), device="cuda:0")
    with pytest.warns(RuntimeWarning) as told_of_big:
        big.label(grains(), "a.zarr", devices="cuda:0")
    assert [str(one.message) for one in told_of_big] == [str(one.message) for one in told]


def test_runs_that_are_lost_are_made_again_of_what_a_client_computes(folder):
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask.array")
    source = dask.from_zarr(zarr.create_array("raw.zarr", data=grains(), chunks=(10,) * 3)) + 0
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
        arguments = {**ARGUMENTS, "executor": client, "table": "t.csv", "columns": "surface"}
        with pytest.raises(Stopped):
            big.label(source, "a.zarr", progress=stop_at(0.7), **arguments)
        for brick in os.listdir("state/runs"):
            os.unlink(f"state/runs/{brick}")
        found = big.label(source, "a.zarr", **arguments)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(grains()))


def test_arguments_that_are_wrong_get_errors_before_any_work(folder):
    image = grains()
    for error, text, arguments in (
        (ValueError, "properties names the column 'nope'", {"properties": ["nope"], "return_table": True}),
        (ValueError, "properties names the column 'nope'", {"properties": "nope", "return_table": True}),
        (TypeError, "by_slice", {"by_slice": 1.0}),
        (ValueError, "workers=0 must be", {"workers": 0}),
        (TypeError, "algorithm", {"algorithm": None}),
        (TypeError, "minimum_size", {"minimum_size": 0.0}),
    ):
        with pytest.raises(error, match=text):
            big.label(image, "a.zarr", **arguments)
    dask = pytest.importorskip("dask.array")
    lazy = dask.from_array(image, chunks=10)
    with pytest.raises(ValueError, match="unknown sizes"):
        big.label(lazy[lazy[:, 0, 0] == 1], "a.zarr")
    assert os.listdir() == []
