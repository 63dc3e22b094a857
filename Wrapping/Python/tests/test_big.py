# SPDX-License-Identifier: Apache-2.0
"""Volumes labeled brick by brick, beside the same volumes labeled at once."""

import csv
import json
import os

import numpy as np
import pytest

import brickccl
from brickccl.__main__ import main
from volumes import check_table, grains

zarr = pytest.importorskip("zarr", minversion="3")

from brickccl import big  # noqa: E402


def random_options(random, image):
    """Arguments of `label`, of all kinds."""
    dimension = image.ndim
    options = {"connectivity": int(random.integers(1, dimension + 1)), "order": str(random.choice(["raster", "size"]))}
    kind = random.integers(0, 5)
    if kind == 1:
        options["criterion"] = "equal-value"
    elif kind == 2:
        options["tolerance"] = 1
    elif kind == 3:
        options["range"] = (1, 2)
    elif kind == 4:
        options["background"] = None
        options["criterion"] = "equal-value"
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


@pytest.mark.parametrize("seed", range(12))
def test_periodic_volumes_and_neighborhoods(tmp_path, seed):
    random = np.random.default_rng(seed)
    dimension = int(random.choice([2, 3]))
    shape = tuple(int(size) for size in random.integers(2, 14, dimension))
    image = random.integers(0, 3, shape).astype(np.uint8)
    options = {"periodic": [bool(random.integers(0, 2)) for _ in shape], "order": str(random.choice(["raster", "size"]))}
    if seed % 3 == 0:
        element = random.random((3,) * dimension) < 0.5
        element[(slice(1, 2),) * (dimension - 1)] = True
        element[(1,) * dimension] = True
        # Every axis has neighbors along it, as periodic axes need them.
        for axis in range(dimension):
            element[tuple(2 if other == axis else 1 for other in range(dimension))] = True
        options["neighborhood"] = element | np.flip(element)
    else:
        options["connectivity"] = int(random.integers(1, dimension + 1))
    if seed % 4 == 1:
        options["criterion"] = "equal-value"
    brick = tuple(int(size) for size in random.integers(1, 8, dimension))
    found = big.label(image, tmp_path / "labels", brick=brick, chunks=brick, columns="shape,place", return_table=True, **options)
    labeling = brickccl.find(image, **options)
    np.testing.assert_array_equal(found.labels[...], labeling.labels())
    check_table(found.table, labeling.table("shape,place"))
    if any(options["periodic"]):
        with pytest.raises(NotImplementedError, match="'surface'.*periodic"):
            big.label(image, tmp_path / "other", columns="surface", return_table=True, periodic=options["periodic"])


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


def test_what_cannot_be_is_refused_before_anything_is_written(tmp_path):
    image = grains((8, 8, 8))
    target = tmp_path / "a"
    for error, text, arguments in (
        (NotImplementedError, "thickness", {"columns": "thickness", "return_table": True}),
        (ValueError, "connectivity|neighbors", {"connectivity": 7}),
        (ValueError, "order", {"order": "color"}),
        (ValueError, "mask has the shape", {"mask": image[1:]}),
        (ValueError, "minimum_volume", {"minimum_volume": 2}),
        (TypeError, "int8", {"dtype": "int8"}),
        (ValueError, "table=", {"table": tmp_path / "table.xlsx"}),
        (ValueError, "table_rows must be at least 1", {"table": tmp_path / "table.csv", "table_rows": 0}),
        (ValueError, "table_rows cuts", {"table": tmp_path / "table.zarr", "table_rows": 5}),
        (ValueError, "table_rows cuts", {"table_rows": 5}),
        (FileNotFoundError, "table", {"table": tmp_path / "nowhere" / "table.csv"}),
        (ValueError, "zarr_format", {"zarr_format": 2, "shards": 8}),
        (ValueError, "whole chunks", {"chunks": 3, "shards": 8}),
        (ValueError, "brick=", {"brick": (8, 8)}),
        (TypeError, "executor", {"executor": "clouds"}),
        (ValueError, "this process's memory", {"executor": "processes"}),
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


def test_the_command_takes_neighborhoods(tmp_path, capsys):
    image = grains((14, 15, 16))
    zarr.create_array(tmp_path / "image.zarr", data=image, chunks=(8, 8, 8))
    # Eight in the slice and one on each side along the array's first axis: other labels than along its last.
    element = np.zeros((3, 3, 3), np.uint8)
    element[1] = 1
    element[:, 1, 1] = 1
    np.save(tmp_path / "element.npy", element)
    (tmp_path / "element.json").write_text(json.dumps(element.tolist()))
    rows = "\n".join(" ".join(str(value) for value in row) for row in element.reshape(9, 3))
    (tmp_path / "element.txt").write_text("# 8+z\n" + rows)
    expected = brickccl.label(image, neighborhood=element)
    assert (expected != brickccl.label(image, neighborhood=element.T)).any()
    command = ["big", "label", str(tmp_path / "image.zarr"), str(tmp_path / "labels.zarr"), "--brick", "8", "--overwrite"]
    files = [str(tmp_path / f"element.{kind}") for kind in ("npy", "json", "txt")]
    try:
        brickccl.io.write(tmp_path / "element.nrrd", 5 * element)
        files.append(str(tmp_path / "element.nrrd"))
    except ImportError:
        pass
    for given in ("8+z", *files):
        assert main([*command, "--neighborhood", given]) == 0
        np.testing.assert_array_equal(zarr.open(tmp_path / "labels.zarr")[:], expected)
    (tmp_path / "wrong.txt").write_text("0 1 0 1")
    (tmp_path / "wrong.json").write_text("[[1, 1], [1]]")
    (tmp_path / "element.csv").write_text("1")
    for name, message in (
        ("wrong.txt", "zeros and ones"),
        ("wrong.json", "wrong.json"),
        ("element.csv", "element.csv" if len(files) == 4 else "without readers"),
        ("none.nrrd", "neither a file nor a text such as 8+z"),
        ("none.npy", "none.npy"),
    ):
        assert main([*command, "--neighborhood", str(tmp_path / name)]) == 1
        assert message in capsys.readouterr().err
    for content in ("[" * 100000, json.dumps(np.full((3, 3, 3), 0.5).tolist()), '"no numbers"'):
        (tmp_path / "no.json").write_text(content)
        assert main([*command, "--neighborhood", str(tmp_path / "no.json")]) == 1
        answer = capsys.readouterr().err
        assert "no.json " in answer and "it must hold zeros and ones, 3 along each axis: 3 x 3 x 3 for a volume" in answer
    whole = (tmp_path / "element.npy").read_bytes()
    np.save(tmp_path / "objects.npy", np.full((3, 3, 3), None), allow_pickle=True)
    for content in (b"", b"0 1 0", whole[:40], whole[:-3], (tmp_path / "objects.npy").read_bytes()):
        (tmp_path / "no.npy").write_bytes(content)
        assert main([*command, "--neighborhood", str(tmp_path / "no.npy")]) == 1
        answer = capsys.readouterr().err
        assert "no.npy is not a .npy file" in answer and "pickle" not in answer
        assert "it must hold zeros and ones, 3 along each axis: 3 x 3 x 3 for a volume" in answer
    np.save(tmp_path / "no.npy", 2 * element)
    assert main([*command, "--neighborhood", str(tmp_path / "no.npy")]) == 1
    assert "holds other values than 0 and 1; it must" in capsys.readouterr().err
    np.save(tmp_path / "zero.npy", np.zeros_like(element))
    with pytest.warns(UserWarning, match="neighborhood has no neighbor, so every voxel would be a component"):
        assert main([*command, "--neighborhood", str(tmp_path / "zero.npy")]) == 0
    assert f"{np.count_nonzero(image)} components" in capsys.readouterr().out
    assert main([*command, "--neighborhood", str(tmp_path / "missing.json")]) == 1
    assert "missing.json cannot be read" in capsys.readouterr().err
    for text in ("7+z", "8+t", "6+zz"):
        assert main([*command, "--neighborhood", text]) == 1
        assert text in capsys.readouterr().err
    assert main([*command, "--neighborhood", str(tmp_path / "element.npy"), "--connectivity", "26"]) == 1
    assert "neighborhood replaces connectivity" in capsys.readouterr().err


def test_the_command_refuses_numbers_that_no_double_stands_for(tmp_path, capsys):
    np.save(tmp_path / "image.npy", np.ones((3, 3, 3), np.float32))
    command = ["big", "label", str(tmp_path / "image.npy"), str(tmp_path / "labels.zarr")]
    for number, hint in (("1e400", "too large"), ("2e-400", "too close to 0"), ("five", "not a number")):
        for option in (["--range", "0", number], ["--tolerance=" + number], ["--minimum-volume=" + number]):
            with pytest.raises(SystemExit):
                main([*command, *option])
            assert f"'{number}' is {hint}" in capsys.readouterr().err
        assert main([*command, "--background", number]) == 1
        assert f"'{number}' is {hint}" in capsys.readouterr().err
    assert main([*command, "--range", "0e-400", "inf", "--background", "none"]) == 0


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
    with pytest.raises(ValueError, match="label image contains NaN"):
        big.statistics(np.full((5, 5), np.nan))
    with pytest.raises(ValueError, match="mask contains NaN"):
        big.label(gray, tmp_path / "a", mask=np.full(gray.shape, np.nan))


def test_a_plan_of_very_many_bricks_is_small(tmp_path):
    zarr.create_array(tmp_path / "image.zarr", shape=(51200, 51200, 10240), chunks=(512, 512, 512), dtype="u1")
    count = big.plan(tmp_path / "image.zarr", tmp_path / "labels.zarr", state=tmp_path / "state", brick=512, dtype="uint64")
    assert count == 200_000
    assert (tmp_path / "state" / "plan.json").stat().st_size < 10_000
    assert not (tmp_path / "labels.zarr").exists()
