# SPDX-License-Identifier: Apache-2.0
"""The whole job of the command, called from Python."""

import json
import os
import pickle
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import brickccl
from brickccl import io

from conftest import random_of


@pytest.fixture
def scan(command):
    """A part with pores."""
    return brickccl.phantom()


def printed(command, *arguments):
    """What the command prints as JSON."""
    return json.loads(subprocess.run([command, *map(str, arguments), "--json"], check=True, capture_output=True).stdout)


def test_the_result_is_that_of_the_command(command, scan, folder):
    io.write("scan.nrrd", scan, spacing=0.1)
    findings = printed(
        command, "label", "scan.nrrd", "labels.nrrd", "--pores", "--minimum-volume", "0.05", "--statistics", "table.csv",
        "--columns", "shape", "--connectivity", "26",
    )
    result = brickccl.run("scan.nrrd", pores=True, minimum_volume=0.05, columns=["shape"], connectivity=26)
    for name in ("components", "pores", "totals", "threshold"):
        assert result.findings[name] == findings[name], name
    assert np.array_equal(result.labels.array, io.read("labels.nrrd").array) and result.labels.spacing == (0.1, 0.1, 0.1)
    assert result.labels.array.max() == len(result.table) == findings["components"] > 3
    result.table.to_csv("again.csv")
    assert np.array_equal(np.genfromtxt("again.csv", delimiter=","), np.genfromtxt("table.csv", delimiter=","), equal_nan=True)
    assert sorted(os.listdir()) == ["again.csv", "labels.nrrd", "scan.nrrd", "table.csv"]


@pytest.mark.parametrize("kind", ["array", "SimpleITK", "nibabel", "Image"])
def test_labels_are_of_the_kind_of_the_scan(scan, kind):
    expected = brickccl.run(scan, range=(-np.inf, 500), connectivity=26, clear_border=True, spacing=0.1)
    assert expected.labels.shape == scan.shape and expected.labels.max() == 12
    image, array_of = scan, np.asarray
    if kind == "SimpleITK":
        library = pytest.importorskip("SimpleITK")
        image = library.GetImageFromArray(scan)
        image.SetSpacing((0.1, 0.1, 0.1))
        image.SetOrigin((5, 6, 7))
        array_of = library.GetArrayFromImage
    elif kind == "nibabel":
        library = pytest.importorskip("nibabel")
        image = library.Nifti1Image(scan.T, np.diag([-0.1, -0.1, 0.1, 1]))
        array_of = lambda labels: np.asarray(labels.dataobj).T
    elif kind == "Image":
        image, array_of = io.Image(scan, spacing=(0.1, 0.1, 0.1)), lambda labels: labels.array
    result = brickccl.run(image, range=(-np.inf, 500), connectivity=26, clear_border=True, spacing=0.1 if kind == "array" else None)
    assert type(result.labels) is type(image)
    assert np.array_equal(array_of(result.labels), expected.labels)
    assert result.table["volume_mm3"].tolist() == expected.table["volume_mm3"].tolist()
    if kind == "SimpleITK":
        assert result.labels.GetOrigin() == (5, 6, 7)
        assert result.table["centroid_x_mm"] == pytest.approx(expected.table["centroid_x_mm"] + 5)


def test_files_are_kept_where_they_are_named(scan, folder):
    io.write("scan.nrrd", scan, spacing=(0.3, 0.2, 0.1))
    options = {"range": (0, 500), "connectivity": 26, "clear_border": True}
    plain = brickccl.run("scan.nrrd", **options)
    for name, more in (("t.csv", {}), ("t.tsv", {}), ("c.csv", {"decimal": "comma"}), ("c.tsv", {"decimal": "comma"}),
                       ("s.csv", {"csv_separator": "semicolon"})):
        result = brickccl.run("scan.nrrd", output="labels.nrrd", statistics=name, **options, **more)
        assert result.labels == "labels.nrrd" and os.path.getsize(name) > 100
        assert result.table.columns == plain.table.columns
        assert all(np.array_equal(result.table[column], plain.table[column]) for column in plain.table), name
    result = brickccl.run("scan.nrrd", output=False, statistics="t.json", **options)
    assert (result.labels, result.table) == (None, None) and os.path.getsize("t.json") > 100
    assert brickccl.run("scan.nrrd", output=False, statistics=False, **options).findings["components"] == len(plain.table)
    # In the order of the array's axes, unlike --spacing.
    other = brickccl.run("scan.nrrd", spacing=(3, 2, 1), **options)
    assert other.findings["spacing"] == [1, 2, 3]


def test_images_and_parts_as_options(scan):
    two = np.concatenate([scan, scan], axis=2)
    two[:, :, scan.shape[2] - 2 : scan.shape[2] + 2] = scan.min()
    result = brickccl.run(two, pores=True, parts="all", connectivity=26, spacing=1)
    assert sorted(set(result.table["part"].tolist())) == [1, 2] and len(result.findings["parts"]) == 2
    assert sum(part["pores"] for part in result.findings["parts"]) == result.findings["components"]
    mask = np.zeros(scan.shape, bool)
    mask[:, :, :48] = True
    for region in ({"mask": mask}, {"box": "0,0,0,47,79,63"}, {"box": ["0,0,0,47,79,30", "0,0,31,47,79,63"]}):
        result = brickccl.run(scan, range=(0, 500), spacing=0.5, **region)
        assert np.array_equal(result.labels, brickccl.label(scan, range=(0, 500), box=np.s_[:, :, :48])), region


def test_shapes_are_those_of_numpy(scan):
    """Boxes, cylinders and spheres, in voxels and mm, several and outside of them; also with `memory`."""
    z, y, x = np.ogrid[tuple(slice(size) for size in scan.shape)]
    ball = (x - 20) ** 2 + (y - 31) ** 2 + (z - 25) ** 2 <= 11**2
    tube = (y - 40) ** 2 + (z - 30) ** 2 + 0 * x <= 9**2
    for region, mask in (
        ({"sphere": "20,31,25,11"}, ball),
        ({"sphere": "10mm,15.5mm,12.5mm,5.5mm"}, ball),
        ({"sphere": "not:20,31,25,11"}, ~ball),
        ({"cylinder": "x:40,30,9"}, tube),
        ({"cylinder": "x:40,30,9,5,30"}, tube & (x >= 5) & (x <= 30)),
        ({"cylinder": "x:40,30,9", "sphere": "not:20,31,25,11"}, tube & ~ball),
        ({"box": ["2,3,4,20,50,40", "not:8,0,0,12,79,63"]}, (abs(x - 11) <= 9) & (y >= 3) & (y <= 50) & (z >= 4) & (z <= 40) & (abs(x - 10) > 2)),
        ({"box": "-0.1mm,1.5mm,2mm,10.1mm,25.2mm,20mm"}, (x <= 20) & (y >= 3) & (y <= 50) & (z >= 4) & (z <= 40)),
    ):
        expected = brickccl.label(scan, range=(0, 500), mask=mask)
        for memory in ({}, {"memory": "80MiB", "threads": 1}):
            result = brickccl.run(scan, range=(0, 500), spacing=0.5, **region, **memory)
            assert np.array_equal(result.labels, expected), (region, memory)
            assert result.findings["region"]["voxels"] == mask.sum()
        assert 0 < expected.max()


def test_a_table_from_a_file(scan, tmp_path):
    table = brickccl.run(scan, pores=True, spacing=0.1).table
    assert table.shape == scan.shape and table.describe()[0].name == "label"
    for one in (table, pickle.loads(pickle.dumps(table)), table.head(3), table.copy()):
        assert "brickccl.Table of" in repr(one) and one["volume_mm3"].dtype == float and one["voxel_count"].dtype == np.int64
        for call in (lambda: one.where("voxel_count > 1"), one.to_json, one.contacts):
            with pytest.raises(ValueError, match="file|columns='neighbors'"):
                call()
    with pytest.warns(UserWarning, match="no voxel is in the range"):
        empty = brickccl.run(scan, range=(9000, 9001), spacing=1)
    assert len(empty.table) == 0 and empty.labels.max() == 0 and "volume_mm3" in empty.table


def test_a_recipe(command, scan, folder):
    io.write("scan.nrrd", scan, spacing=0.1)
    result = brickccl.run("scan.nrrd", "casting-porosity")
    assert result.findings["verdict"] in ("pass", "fail") and result.findings["rules"]
    assert len(result.table) == result.labels.array.max() == result.findings["defects"]
    kept = brickccl.run(scan, "casting-porosity", output="results", spacing=0.1)
    assert kept.findings["rules"] == result.findings["rules"]
    assert os.path.exists(os.path.join("results", "items.csv")) and np.array_equal(io.read(kept.labels).array, result.labels.array)
    with pytest.raises(ValueError, match="minimum_size="):
        brickccl.run("scan.nrrd", "casting-porosity", minimum_size=3)
    with pytest.raises(ValueError, match="defects.csv"):
        brickccl.run("scan.nrrd", "casting-porosity", statistics="table.csv")
    (folder / "cut.nrrd").write_bytes((folder / "scan.nrrd").read_bytes()[:9999])
    with pytest.raises(ValueError, match="cannot read 'cut.nrrd'"):
        brickccl.run("cut.nrrd", "casting-porosity")
    with pytest.raises(ValueError, match="there is no input 'none.nrrd'"):
        brickccl.run("none.nrrd", "casting-porosity")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("'minimum_sise=' is not an option of `brickccl label` .did you mean 'minimum_size='", {"minimum_sise": 3}),
        ("threads=: '5000' is not a whole number from 0 to 4096", {"threads": 5000}),
        ("equal_value= excludes tolerance=", {"equal_value": True, "tolerance": 3}),
        ("minimum_volume=: '-1' is not a number of at least 0", {"minimum_volume": -1}),
        ("json= is not an option of brickccl.run", {"json": True}),
        (r"mask has the shape \(2, 3, 4\); it must have the image's shape", {"mask": np.ones((2, 3, 4))}),
    ],
)
def test_what_the_command_refuses(scan, folder, text, options):
    with pytest.raises(ValueError, match=text) as refused:
        brickccl.run(scan, output="labels.nrrd", statistics="table.csv", spacing=1, **options)
    assert "--" not in str(refused.value) and "brickccl-run-" not in str(refused.value)
    assert os.listdir() == []


def test_notes_are_warnings(scan):
    with pytest.warns(UserWarning, match="^the scan: no voxel size: 1 mm assumed; set it with spacing=$") as found:
        result = brickccl.run(scan, pores=True)
    # The file of the command has the smallest type.
    assert result.labels.dtype == np.uint32
    assert brickccl.run(scan, spacing=1, label_type="uint8").labels.dtype == np.uint8
    # An image without a spacing keeps its place.
    placed = io.Image(scan, origin=(10, 20, 30))
    table = brickccl.run(placed, pores=True).table
    np.testing.assert_allclose(table["centroid_x_mm"], result.table["centroid_x_mm"] + 10)
    assert found[0].filename == __file__


def test_an_interrupt_ends_the_command(command, folder):
    noise = random_of(3).integers(0, 2, (256, 256, 256), np.uint8)
    io.write("noise.nrrd", noise, spacing=1)
    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        brickccl.run("noise.nrrd", output="labels.nrrd", columns="thickness,neighbors,surface", connectivity=6)
    assert time.monotonic() - begin < 20
    running = subprocess.run(["ps", "-o", "args=", "--ppid", str(os.getpid())], capture_output=True, text=True).stdout
    assert "noise.nrrd" not in running and os.listdir() == ["noise.nrrd"]
