# SPDX-License-Identifier: Apache-2.0
"""Arrays that `brickccl.big` writes, and the tables beside them."""

import csv
import os

import numpy as np
import pytest

import brickccl
from volumes import check_table, grains

zarr = pytest.importorskip("zarr", minversion="3")

from brickccl import big  # noqa: E402


def test_an_array_that_is_given_is_filled(tmp_path):
    image = grains((9, 9), 0.5)
    target = zarr.create_array(tmp_path / "a", shape=(9, 9), chunks=(4, 4), dtype="u8", fill_value=7)
    result = big.label(image, target, brick=4)
    assert result.labels is target
    np.testing.assert_array_equal(target[:], brickccl.label(image))
    in_memory = zarr.create_array({}, shape=(9, 9), chunks=(9, 9), dtype="u1")
    np.testing.assert_array_equal(big.label(image, in_memory).labels[:], brickccl.label(image))
    with pytest.raises(ValueError, match="this process's memory"):
        big.label(tmp_path / "a", in_memory, executor="processes")
    with pytest.raises(ValueError, match="shape"):
        big.label(image[1:], target)
    with pytest.raises(TypeError, match="int64"):
        big.label(image, zarr.create_array({}, shape=(9, 9), chunks=(9, 9), dtype="i8"))


def test_new_labels_are_uint32_or_of_the_smallest_type(tmp_path):
    image = grains((9, 9), 0.5)
    assert big.label(image, tmp_path / "a", brick=4, chunks=4).labels.dtype == np.uint32
    assert big.label(image, tmp_path / "b", brick=4, chunks=4, dtype="smallest").labels.dtype == np.uint8
    with pytest.raises(ValueError, match="dtype= needs a new target"):
        big.label(image, zarr.create_array({}, shape=(9, 9), chunks=(9, 9), dtype="u1"), dtype="smallest")


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
    with pytest.raises(FileExistsError, match="is not a table"):
        big.label(image, tmp_path / "a", table_rows=40, **arguments)
    assert (path / "mine").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["a", "b", f"empty{ending}", path.name]


def test_an_array_that_holds_values_is_refused_unless_it_is_overwritten(folder):
    image = grains((9, 9), 0.5)
    expected = brickccl.label(image)

    def arrays():
        yield zarr.create_array("disk.zarr", shape=(9, 9), chunks=(4, 4), dtype="u2")
        yield zarr.create_array({}, shape=(9, 9), chunks=(4, 4), dtype="u2", zarr_format=2)
        yield zarr.create_group("group.zarr").create_array("inner", shape=(9, 9), chunks=(2, 2), shards=(4, 4), dtype="u2")

    for number, target in enumerate(arrays()):
        # One voxel in one chunk, which the labels would replace.
        target[8, 8] = 77
        before = target[:]
        with pytest.raises(FileExistsError, match="the target already holds values; use an empty array, or overwrite=True"):
            big.label(image, target, brick=4)
        with pytest.raises(FileExistsError, match="holds values"):
            big.label(image, target, brick=4, state=f"refused{number}")
        np.testing.assert_array_equal(target[:], before)
        assert not os.path.exists(f"refused{number}")
        state = f"state{number}"
        np.testing.assert_array_equal(big.label(image, target, brick=4, overwrite=True, state=state).labels[:], expected)
        # Its contents belong to this work, which may continue.
        np.testing.assert_array_equal(big.label(image, target, brick=4, state=state).labels[:], expected)
        with pytest.raises(FileExistsError, match="holds values"):
            big.label(1 - image, target, brick=4)
        np.testing.assert_array_equal(target[:], expected)


def test_a_target_with_the_ending_of_another_format_is_refused(folder, capsys):
    from brickccl.__main__ import main

    image = grains((9, 9), 0.5)
    np.save("image.npy", image)
    before = sorted(os.listdir("."))
    for name in ("o.npy", "o.NII.gz", "o.tif", "o.nrrd", "o.mha", "o.h5", "file:///nowhere/o.npy/"):
        with pytest.raises(ValueError, match=r"an array of zarr, a folder: use '.*o\.zarr'"):
            big.label(image, name)
        assert main(["big", "label", "image.npy", name]) == 1
        assert "o.zarr" in capsys.readouterr().err
        with pytest.raises(ValueError, match="o.zarr"):
            big.plan("image.npy", name, state="state")
    assert sorted(os.listdir(".")) == before
    # Other names have no format.
    for name in ("npy", "labels.v1", "o.npy.zarr"):
        np.testing.assert_array_equal(big.label("image.npy", name).labels[:], brickccl.label(image))


@pytest.mark.parametrize(
    ("source", "options", "chunks", "shards"),
    [
        ({"chunks": (20, 20, 20)}, {"brick": 10}, (10, 10, 10), None),
        ({"chunks": (20, 20, 20)}, {"brick": (30, 20, 60)}, (15, 20, 20), None),
        ({"chunks": (8, 8, 8), "shards": (32, 32, 32)}, {"brick": 12}, (6, 6, 6), None),
        ({"chunks": (20, 20, 20)}, {"brick": 10, "chunks": 5}, (5, 5, 5), None),
        ({"chunks": (20, 20, 20)}, {"brick": 30, "chunks": 15, "shards": 30}, (15, 15, 15), (30, 30, 30)),
    ],
)
def test_a_brick_decides_the_chunks_of_a_new_target(tmp_path, source, options, chunks, shards):
    image = grains((60, 40, 60))
    array = zarr.create_array(tmp_path / "image.zarr", data=image, **source)
    found = big.label(array, tmp_path / "labels.zarr", **options)
    assert (found.labels.chunks, found.labels.shards) == (chunks, shards)
    np.testing.assert_array_equal(found.labels[:], brickccl.label(image))


def test_a_brick_that_fits_no_usual_chunk_is_refused_with_one_that_does(tmp_path):
    array = zarr.create_array(tmp_path / "image.zarr", data=np.ones((60, 60), np.uint8), chunks=(20, 20))
    with pytest.raises(ValueError, match=r"for example \(40, 40\)"):
        big.label(array, tmp_path / "labels.zarr", brick=23)
