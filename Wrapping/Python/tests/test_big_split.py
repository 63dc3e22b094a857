# SPDX-License-Identifier: Apache-2.0
"""big.label(split=) gives the same objects as splitting in memory."""

import os
import pickle

import numpy as np
import pytest
from scipy import ndimage

import brickccl

zarr = pytest.importorskip("zarr", minversion="3")

from brickccl import big  # noqa: E402
from brickccl.__main__ import main  # noqa: E402
from brickccl.big import _split  # noqa: E402


def touching(random, shape):
    """Blobs that touch."""
    smooth = ndimage.gaussian_filter(random.random(shape), random.choice([0.8, 1.5, 3]))
    return (smooth > np.quantile(smooth, random.choice([0.3, 0.5, 0.7]))).astype(np.uint8)


def in_memory(image, split, options, columns=""):
    """The objects, their table and the component of each, by the functions for arrays."""
    names = ("connectivity", "by_slice", "spacing")
    neighbors = {name: options[name] for name in names if name in options}
    parts = brickccl.label(image, mask=options.get("mask"), **{name: value for name, value in neighbors.items() if name != "spacing"})
    objects = brickccl.split(parts, None if split is True else split, **{"connectivity": 1, **neighbors})
    limits = {name: options[name] for name in ("order", "minimum_size", "largest") if name in options}
    labeling = brickccl.find(objects, criterion="equal-value", **{"connectivity": 1, **neighbors}, **limits)
    labels = labeling.labels()
    parents = [int(parts[labels == number][0]) for number in range(1, labeling.count + 1)]
    return labels, labeling.table(columns), parents


def test_the_command_splits(tmp_path):
    image = touching(np.random.default_rng(3), (12, 20, 24))
    zarr.create_array(tmp_path / "mask.zarr", data=image, chunks=(5, 7, 9))
    assert main(["big", "label", str(tmp_path / "mask.zarr"), str(tmp_path / "objects.zarr"), "--split", "30%"]) == 0
    objects = zarr.open_array(str(tmp_path / "objects.zarr"))[...]
    assert np.array_equal(objects, in_memory(image, "30%", {})[0])


@pytest.mark.parametrize("seed", range(24))
def test_objects_and_tables_are_those_in_memory(tmp_path, monkeypatch, seed):
    random = np.random.default_rng(seed)
    dimension = int(random.choice([1, 2, 3, 3, 3, 4]))
    shape = tuple(int(size) for size in random.integers(1, 12 if dimension == 4 else 40, dimension))
    image = touching(random, shape)
    options = {"connectivity": int(random.integers(1, dimension + 1)), "spacing": [float(one) for one in random.choice([1, 0.5, 1.7], dimension)]}
    if random.random() < 0.3:
        options["mask"] = random.random(shape) < 0.97
    if random.random() < 0.3:
        options["minimum_size"] = 5
    if random.random() < 0.3:
        options["order"] = "size"
    if random.random() < 0.2 and dimension > 1:
        options["by_slice"] = int(random.integers(0, dimension))
        options["connectivity"] = min(options["connectivity"], dimension - 1)
    split = [True, 0, "30%", 2][seed % 4]
    # Slabs of few slices, and odd chunks.
    monkeypatch.setattr(_split, "VOXELS_OF_SLAB", int(random.integers(1, image.size + 1)))
    source = zarr.create_array({}, shape=shape, chunks=tuple(int(size) for size in random.integers(1, 9, dimension)), dtype="uint8")
    source[...] = image
    brick = tuple(int(size) for size in random.integers(3, 14, dimension))
    columns = "shape" if dimension in (2, 3) else ""
    found = big.label(source, tmp_path / "objects", split=split, brick=brick, chunks=brick, workers=2, columns=columns, return_table=True, **options)
    labels, table, parents = in_memory(image, split, options, columns)
    np.testing.assert_array_equal(found.labels[...], labels)
    assert found.count == labels.max()
    again = pickle.loads(pickle.dumps(found.table))
    assert found.table["parent"].tolist() == again["parent"].tolist() == parents
    np.testing.assert_array_equal(again.where("parent == 1"), np.array(parents) == 1)
    assert [name for name in found.table if name != "parent"] == list(table)
    for name in table:
        np.testing.assert_array_equal(found.table[name], table[name], name)


def test_resumes_and_refuses(tmp_path):
    image = touching(np.random.default_rng(3), (30, 25, 20))
    np.save(tmp_path / "scan.npy", image)
    state = tmp_path / "state"
    arguments = {"split": 1.0, "brick": 10, "state": state, "table": tmp_path / "table.csv"}

    def stop_at(share):
        def stop(fraction):
            if fraction > share:
                raise KeyboardInterrupt
        return stop

    for share in (0.1, 0.4, 0.6, 0.9):
        with pytest.raises(KeyboardInterrupt):
            big.label(tmp_path / "scan.npy", tmp_path / "objects", progress=stop_at(share), **arguments)
        assert not (tmp_path / "table.csv").exists()
    told = []
    found = big.label(tmp_path / "scan.npy", tmp_path / "objects", progress=told.append, **arguments)
    assert told == sorted(told) and told[-1] == 1.0
    expected = in_memory(image, 1.0, {})[0]
    np.testing.assert_array_equal(found.labels[...], expected)
    # Done work is not done again.
    before = os.stat(state / "objects.zarr" / "zarr.json").st_mtime_ns
    big.label(tmp_path / "scan.npy", tmp_path / "objects", **arguments)
    assert os.stat(state / "objects.zarr" / "zarr.json").st_mtime_ns == before
    with pytest.raises(ValueError, match="split with the height 1.0 mm"):
        big.label(tmp_path / "scan.npy", tmp_path / "objects", **{**arguments, "split": 2.0})
    with pytest.raises(FileExistsError, match="exists already"):
        big.label(tmp_path / "scan.npy", tmp_path / "objects", **{**arguments, "split": None})
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "objects")[...], expected)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"split": -1}, "split=-1 must be True or a finite height of at least 0, or a share of the smaller peak"),
        ({"split": "100%"}, "split=100% must be True"),
        ({"split": float("inf")}, "split=inf must be True"),
        ({"split": "wide"}, "split must be True or .*, not 'wide'"),
        ({"split": [1]}, r"split must be True or .*, not \[1\]"),
        ({"split": 10**400}, "split=inf must be True"),
        ({"split": float("nan")}, "split=nan must be True"),
        ({"split": True, "periodic": "x"}, "omit periodic= or split="),
        ({"split": True, "dtype": "int8"}, "int8"),
        ({"split": True, "table": "table.nrrd"}, "table.nrrd"),
    ],
)
def test_wrong_arguments_are_refused_at_once(tmp_path, monkeypatch, wrong, sentence):
    monkeypatch.setattr(_split, "split_slabs", None)
    state = tmp_path / "state"
    with pytest.raises((TypeError, ValueError), match=sentence):
        big.label(np.ones((9, 9), np.uint8), tmp_path / "objects", state=state, **wrong)
    assert not state.exists() and not (tmp_path / "objects").exists()
    for split in (True, 0):
        with pytest.raises(ValueError, match="brickccl.big.label"):
            big.plan(np.ones((9, 9), np.uint8), tmp_path / "objects", state=state, split=split)
    (state / "other").mkdir(parents=True)
    with pytest.raises(FileExistsError, match="'other' is in it"):
        big.label(np.ones((9, 9), np.uint8), tmp_path / "objects", state=state, split=True)
