# SPDX-License-Identifier: Apache-2.0
"""Places that must not be one another, and what is never replaced."""

import os
import shutil

import numpy as np
import pytest

import brickccl
from volumes import Stopped, cube

zarr = pytest.importorskip("zarr", minversion="3")

from brickccl import big  # noqa: E402


@pytest.mark.parametrize("name", ["source", "mask", "intensity"])
def test_what_is_read_is_never_replaced(folder, name):
    images = {key: zarr.create_array(f"{key}/raw.zarr", data=cube(), chunks=(10,) * 3) for key in ("source", "mask", "intensity")}
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
        np.testing.assert_array_equal(zarr.open(str(image.store.root))[:], cube())
    assert not os.path.exists("labels.zarr")


def test_an_array_in_memory_is_never_labeled_in_its_own_place(folder):
    array = zarr.create_array({}, data=cube(), chunks=(10,) * 3)
    again = zarr.open_array(array.store, mode="r+")
    for source, target in ((array, array), (array, again)):
        with pytest.raises(ValueError, match="the target is the source"):
            big.label(source, target)
    np.testing.assert_array_equal(array[:], cube())


def test_the_origin_of_a_dask_array_is_never_replaced(folder):
    dask = pytest.importorskip("dask.array")
    stored = zarr.create_array("raw.zarr", data=cube(), chunks=(10,) * 3)
    for array in (dask.from_zarr(stored), dask.from_zarr(stored) + 1):
        with pytest.raises(ValueError, match="is the source"):
            big.label(array, "raw.zarr", overwrite=True)
    np.testing.assert_array_equal(stored[:], cube())


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".zarr"])
def test_only_tables_are_replaced_by_tables(folder, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    table = f"table{ending}"
    shutil.rmtree(table, ignore_errors=True)
    for seed in (1, 2):
        big.label(cube(seed), "a.zarr", table=table, overwrite=True)
    shutil.move(table, "ours")
    others = ["folder", "zarr"] if ending == ".zarr" else ["folder", "text"]
    for kind in others:
        if kind == "text":
            with open(table, "w") as stream:
                stream.write("mine\n")
        elif kind == "zarr":
            zarr.create_array(table, data=cube())
        else:
            os.mkdir(table)
            open(f"{table}/mine", "w").close()
        with pytest.raises(FileExistsError, match="is not a table"):
            big.label(cube(), "b.zarr", table=table, overwrite=True)
        assert not os.path.exists("b.zarr")
        assert os.path.exists(table)
        shutil.rmtree(table) if os.path.isdir(table) else os.unlink(table)


def test_an_old_target_is_there_as_a_whole_or_gone(folder, monkeypatch):
    big.label(cube(5), "a.zarr")

    def killed(path):
        assert not os.path.exists("a.zarr")
        raise Stopped

    with monkeypatch.context() as patched:
        patched.setattr("brickccl.big._targets.shutil.rmtree", killed)
        with pytest.raises(Stopped):
            big.label(cube(), "a.zarr", overwrite=True, state="state", brick=20)
    assert [name for name in os.listdir() if name.endswith(".removed")]
    found = big.label(cube(), "a.zarr", state="state", brick=20)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(cube()))
    assert sorted(os.listdir()) == ["a.zarr", "state"]


def test_targets_that_cannot_be_written_are_refused_before_labeling(folder):
    def progress(fraction):
        raise AssertionError("it has begun")

    with pytest.raises(TypeError, match="byte order"):
        big.label(cube(), zarr.create_array({}, shape=(20,) * 3, chunks=(10,) * 3, dtype=">u2"), progress=progress)
    zarr.create_array("a.zarr", shape=(20,) * 3, chunks=(10,) * 3, dtype="u2")
    with pytest.raises(PermissionError, match="r\\+"):
        big.label(cube(), zarr.open_array("a.zarr", mode="r"), progress=progress)
    stale = zarr.open_array("a.zarr", mode="r+")
    zarr.create_array("a.zarr", shape=(20,) * 3, chunks=(5,) * 3, dtype="u2", overwrite=True)
    with pytest.raises(ValueError, match="open it again"):
        big.label(cube(), stale, progress=progress)
