# SPDX-License-Identifier: Apache-2.0
"""Image files through SimpleITK, nibabel and tifffile, and the package's command."""

import csv
import os
import subprocess
import sys

import numpy as np
import pytest

import brickccl
from brickccl import _own_files, io
from brickccl.__main__ import main

sitk = pytest.importorskip("SimpleITK")
nibabel = pytest.importorskip("nibabel")
pytest.importorskip("tifffile")


@pytest.fixture(autouse=True)
def without_own_files():
    """As in a package that was built without the command's readers, which test_own_files.py tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_own_files, "import_files", lambda: None)
        yield

DIRECTION = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def scan():
    array = np.zeros((9, 10, 11), np.int16)
    array[1:4, 1:4, 1:4] = 300
    array[6, 7, 2:9] = 400
    return io.Image(array, (2.0, 0.5, 0.25), (1.0, 2.0, 3.0), DIRECTION)


@pytest.mark.parametrize("ending", [".nrrd", ".mha", ".nii", ".nii.gz"])
def test_files_keep_voxels_and_geometry(tmp_path, ending):
    path = tmp_path / f"scan{ending}"
    io.write(path, scan())
    image = io.read(path)
    assert image.dtype == np.int16
    np.testing.assert_array_equal(image.array, scan().array)
    np.testing.assert_allclose(image.spacing, scan().spacing)
    np.testing.assert_allclose(image.origin, scan().origin, atol=1e-6)
    np.testing.assert_allclose(image.direction, scan().direction, atol=1e-6)
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_nifti_through_nibabel_is_that_through_simpleitk(tmp_path, monkeypatch, dimension):
    array = np.random.default_rng(1).integers(0, 99, (3, 4, 5, 6)[-dimension:]).astype(np.int16)
    image = io.Image(array, (4.0, 3.0, 2.0, 0.5)[-dimension:], (1.0, 2.0, 3.0, 0.0)[:dimension])
    paths = [tmp_path / name for name in ("theirs.nii.gz", "ours.nii.gz")]
    io.write(paths[0], image)
    monkeypatch.setattr(io, "_import_simpleitk", lambda: None)
    io.write(paths[1], image)
    for path in paths:
        by_nibabel = io.read(path)
        monkeypatch.undo()
        by_simpleitk = io.read(path)
        monkeypatch.setattr(io, "_import_simpleitk", lambda: None)
        for read in (by_nibabel, by_simpleitk):
            np.testing.assert_array_equal(read.array, array)
            np.testing.assert_allclose(read.spacing, image.spacing)
            np.testing.assert_allclose(read.origin, image.origin)
    with pytest.raises(ImportError, match="SimpleITK.*brickccl\\[io\\]"):
        io.write(tmp_path / "scan.nrrd", image)


def test_tiff_holds_voxels_alone(tmp_path):
    path = tmp_path / "scan.tif"
    with pytest.warns(UserWarning, match="spacing"):
        io.write(path, scan())
    np.testing.assert_array_equal(io.read(path).array, scan().array)
    assert io.read(path).spacing == (1.0, 1.0, 1.0)
    io.write(tmp_path / "mask.png", np.eye(4, dtype=bool))
    np.testing.assert_array_equal(io.read(tmp_path / "mask.png").array, np.eye(4))


def test_a_folder_of_dicom_slices(tmp_path):
    writer = sitk.ImageFileWriter()
    writer.KeepOriginalImageUIDOn()
    for z in range(4):
        image = sitk.GetImageFromArray(np.full((1, 5, 6), z, np.int16))
        image.SetSpacing((0.5, 0.5, 2.0))
        for tag, value in (
            ("0008|0060", "CT"), ("0020|000e", "1.2.3"), ("0020|000d", "1.2"), ("0008|0018", f"1.2.3.{z + 1}"),
            ("0020|0032", f"0\\0\\{2 * z}"), ("0020|0037", "1\\0\\0\\0\\1\\0"), ("0020|0013", str(z)),
        ):
            image.SetMetaData(tag, value)
        writer.SetFileName(str(tmp_path / f"{9 - z}.dcm"))
        writer.Execute(image)
    read = io.read(tmp_path)
    assert read.array[:, 0, 0].tolist() == [0, 1, 2, 3]
    assert read.spacing == (2.0, 0.5, 0.5)


@pytest.mark.parametrize(
    "error, text, path",
    [
        (FileNotFoundError, "there is no file", "missing.nrrd"),
        (ValueError, "cannot be read", "cut.nrrd"),
        (ValueError, "cannot be read", "text.tif"),
        (ValueError, "0 DICOM series and no slice images", "empty"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path, error, text, path):
    io.write(tmp_path / "whole.nrrd", scan())
    (tmp_path / "cut.nrrd").write_bytes((tmp_path / "whole.nrrd").read_bytes()[:300])
    (tmp_path / "text.tif").write_text("no image")
    (tmp_path / "empty").mkdir()
    with pytest.raises(error, match=text):
        io.read(tmp_path / path)


@pytest.mark.parametrize(
    "error, text, name",
    [(ValueError, "two files; write .mha", "a.mhd"), (ValueError, "are not written", "a.jpg"), (OSError, "No such file",
    "no/a.nrrd")],
)
def test_what_cannot_be_written_leaves_nothing(tmp_path, error, text, name):
    with pytest.raises(error, match=text):
        io.write(tmp_path / name, scan())
    with pytest.raises(ValueError, match="cannot be written"):
        io.write(tmp_path / "volume.png", scan())
    assert os.listdir(tmp_path) == []


def test_the_command_labels_and_measures(tmp_path, capsys):
    io.write(tmp_path / "scan.nrrd", scan())
    paths = {name: str(tmp_path / name) for name in ("scan.nrrd", "labels.nrrd", "table.csv", "again.csv")}
    command = ["label", paths["scan.nrrd"], paths["labels.nrrd"], "--range", "200", "inf", "--statistics", paths["table.csv"]]
    assert main(command + ["--intensity", paths["scan.nrrd"], "--minimum-volume", "0.5"]) == 0
    assert "2 components" in capsys.readouterr().out
    labels = io.read(paths["labels.nrrd"])
    np.testing.assert_array_equal(labels.array, brickccl.label(scan(), range=(200, np.inf)).array)
    assert labels.spacing == scan().spacing
    assert main(["stats", paths["labels.nrrd"], "-o", paths["again.csv"], "--intensity", paths["scan.nrrd"]]) == 0
    assert open(paths["again.csv"]).read() == open(paths["table.csv"]).read()
    rows = list(csv.DictReader(open(paths["table.csv"])))
    assert [row["volume_mm3"] for row in rows] == ["6.75", "1.75"]


@pytest.mark.parametrize(
    "text, arguments",
    [
        ("there is no file", ["label", "missing.nrrd", "out.nrrd"]),
        ("connectivity 5", ["label", "scan.nrrd", "out.nrrd", "--connectivity", "5"]),
        ("is also", ["label", "scan.nrrd", "scan.nrrd"]),
        ("no folder", ["label", "scan.nrrd", "no/out.nrrd"]),
        ("are not written", ["label", "scan.nrrd", "out.jpg"]),
        ("needs --statistics", ["label", "scan.nrrd", "out.nrrd", "--intensity", "scan.nrrd"]),
        ("'dark' is not a number", ["label", "scan.nrrd", "out.nrrd", "--background", "dark"]),
        ("shapes", ["stats", "scan.nrrd", "-o", "out.csv", "--columns", "shapes"]),
    ],
)
def test_the_command_fails_with_a_sentence_and_writes_nothing(tmp_path, monkeypatch, capsys, text, arguments):
    io.write(tmp_path / "scan.nrrd", scan())
    monkeypatch.chdir(tmp_path)
    before = (tmp_path / "scan.nrrd").read_bytes()
    assert main(arguments) == 1
    assert text in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["scan.nrrd"]
    assert (tmp_path / "scan.nrrd").read_bytes() == before


def test_the_command_runs_as_a_module():
    result = subprocess.run([sys.executable, "-m", "brickccl", "info"], capture_output=True, text=True, check=True)
    assert result.stdout.startswith(f"BrickCCL {brickccl.__version__}")
    assert "RunMerging" in result.stdout


def test_tiff_files_of_several_samples_are_refused_and_narrow_volumes_are_not(tmp_path):
    tifffile = pytest.importorskip("tifffile")
    path = tmp_path / "image.tif"
    for shape in ((2, 5, 3), (3, 5, 4), (7, 3)):
        labels = np.arange(np.prod(shape), dtype=np.uint16).reshape(shape)
        io.write(path, labels)
        np.testing.assert_array_equal(io.read(path).array, labels)
    for shape, layout in (((5, 6, 3), "contig"), ((3, 5, 6), "separate")):
        tifffile.imwrite(path, np.zeros(shape, np.uint8), photometric="rgb", planarconfig=layout)
        with pytest.raises(ValueError, match="has 3 values in each pixel"):
            io.read(path)


def test_a_tiff_file_without_pictures_is_refused(tmp_path):
    path = tmp_path / "image.tif"
    path.write_bytes(b"II*\0aaaa")
    with pytest.raises(ValueError, match="no images, or is damaged"):
        io.read(path)


@pytest.mark.parametrize(
    ("error", "text", "given"),
    [
        (ValueError, "is invalid", {"spacing": (0, 1, 1)}),
        (ValueError, "infinite or not a number", {"spacing": (1, np.nan, 1)}),
        (ValueError, "infinite or not a number", {"origin": (1, np.inf, 1)}),
        (TypeError, "the spacing must be numbers, one for each axis, not 0.5", {"spacing": 0.5}),
        (TypeError, "the spacing must be numbers", {"spacing": ("1", "2", "3")}),
        (TypeError, "the origin must be numbers", {"origin": 5}),
    ],
)
def test_the_place_of_an_image_must_be_one(error, text, given):
    with pytest.raises(error, match=text):
        io.Image(np.ones((2, 3, 4)), **given)


def test_what_files_do_not_hold_is_a_value_error(tmp_path):
    flat = io.Image(np.ones((2, 3, 4), np.uint8), direction=np.ones((3, 3)))
    with pytest.raises(ValueError, match="cannot be written"):
        io.write(tmp_path / "x.mha", flat)
    with pytest.raises(ValueError, match="2 to 4 dimensions, not 1"):
        io.write(tmp_path / "x.nrrd", np.ones(5))
    for spacing, error in ((np.nan, ValueError), ((1, 0, 1), ValueError), ("123", TypeError), ((1, 2), ValueError)):
        with pytest.raises(error, match="spacing"):
            io.write(tmp_path / "x.nrrd", np.ones((2, 3, 4)), spacing=spacing)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", [["--columns", "shape"], ["--intensity", "scan.nrrd"]])
def test_the_command_refuses_columns_without_a_table(folder, capsys, option):
    io.write("scan.nrrd", scan())
    assert main(["label", "scan.nrrd", "labels.nrrd", *option]) == 1
    assert f"{option[0]} needs --statistics" in capsys.readouterr().err
    assert not os.path.exists("labels.nrrd")
