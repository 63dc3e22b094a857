# SPDX-License-Identifier: Apache-2.0
"""Image files through the command's own readers and writers, in packages that were built with them (BRICKCCL_PYTHON_IO), and
the command itself, in those that have it (BRICKCCL_PYTHON_COMMAND)."""

import csv
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import brickccl
from brickccl import io

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("brickccl._files") is None, reason="the package was built without BRICKCCL_PYTHON_IO"
)
sitk = pytest.importorskip("SimpleITK")

COMMAND = shutil.which("brickccl", path=str(pathlib.Path(sys.executable).parent))
PROGRAM = pathlib.Path(brickccl.__file__).parents[1] / "brickccl_command" / "brickccl"
needs_command = pytest.mark.skipif(not PROGRAM.exists(), reason="the package was built without BRICKCCL_PYTHON_COMMAND")
#: The sample of a DICOM series, where the source tree is there.
FOREARM = pathlib.Path(__file__).parents[3] / "Data" / "forearm"


def write_series(folder, positions, orientation=(1, 0, 0, 0, 1, 0), numbers=None, names=None, planes=None):
    """Slices of the values 0, 1, 2 ..., or others; a position of None is left out."""
    writer = sitk.ImageFileWriter()
    writer.KeepOriginalImageUIDOn()
    folder.mkdir(exist_ok=True)
    for place, position in enumerate(positions):
        image = sitk.GetImageFromArray(np.full((5, 6), place, np.int16) if planes is None else planes[place])
        image.SetSpacing((0.5, 0.5))
        tags = {"0008|0060": "CT", "0020|000e": "1.2.3", "0020|000d": "1.2", "0008|0018": f"1.2.3.{place + 1}"}
        tags["0020|0013"] = str(place if numbers is None else numbers[place])
        tags["0008|0016"] = "1.2.840.10008.5.1.4.1.1.2" if position is not None else "1.2.840.10008.5.1.4.1.1.7"
        if position is not None:
            tags["0020|0032"] = "\\".join(map(str, position))
            tags["0020|0037"] = "\\".join(map(str, orientation))
        for tag, value in tags.items():
            image.SetMetaData(tag, value)
        writer.SetFileName(str(folder / (f"{place:03d}.dcm" if names is None else names[place])))
        writer.Execute(image)
    return folder


def volume():
    random = np.random.default_rng(1)
    array = random.integers(-500, 500, (5, 6, 7)).astype(np.int16)
    direction = np.linalg.qr(random.random((3, 3)))[0]
    return io.Image(array, (2.0, 0.5, 0.25), np.array((-7.0, 2.5, 3.0)), direction)


def run(*arguments, **options):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, **options)


@pytest.mark.parametrize("name", ["a.nrrd", "a.nhdr", "a.mha", "a.mhd", "a.nii", "a.nii.gz", "a.hdr"])
def test_files_keep_voxels_and_geometry_and_simpleitk_reads_the_same(tmp_path, name):
    image = volume()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        io.write(tmp_path / name, image)
        found = io.read(tmp_path / name)
    theirs = sitk.ReadImage(str(tmp_path / name))
    for array in (found.array, sitk.GetArrayFromImage(theirs)):
        np.testing.assert_array_equal(array, image.array)
    assert found.dtype == image.dtype
    for spacing, origin, direction in (
        (found.spacing, found.origin, found.direction),
        (theirs.GetSpacing()[::-1], theirs.GetOrigin(), theirs.GetDirection()),
    ):
        np.testing.assert_allclose(spacing, image.spacing, rtol=1e-6)
        np.testing.assert_allclose(origin, image.origin, atol=1e-5)
        np.testing.assert_allclose(direction, image.direction, atol=1e-6)


@pytest.mark.parametrize("dtype", ["bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">i2", ">f8"])
def test_all_types_go_through_files(tmp_path, dtype):
    array = (np.arange(60).reshape(3, 4, 5) % 2).astype(dtype)
    io.write(tmp_path / "a.nrrd", array)
    found = io.read(tmp_path / "a.nrrd").array
    np.testing.assert_array_equal(found, array)
    widened = {"bool": "u1", "f2": "f4"}.get(dtype, dtype)
    assert found.dtype == np.dtype(widened).newbyteorder("=")


def test_arrays_outlive_their_image_and_are_no_window_to_the_file(tmp_path):
    path = tmp_path / "a.mhd"
    io.write(path, volume())
    # Uncompressed voxels are in the file as they are in memory.
    sitk.WriteImage(sitk.ReadImage(str(path)), str(path), useCompression=False)
    array = io.read(path).array
    array[0, 0, 0] += 1
    (tmp_path / "a.raw").write_bytes(bytes((tmp_path / "a.raw").stat().st_size))
    expected = volume().array
    expected[0, 0, 0] += 1
    np.testing.assert_array_equal(array, expected)


def test_what_is_unusual_or_lost_is_warned_of(tmp_path):
    with pytest.warns(UserWarning) as caught:
        io.write(tmp_path / "a.tif", volume())
    assert {str(warning.message).rpartition(": ")[2] for warning in caught} == {
        "TIFF files cannot store the origin; it is lost", "TIFF files cannot store the direction; it is lost"
    }
    assert {warning.filename for warning in caught} == {__file__}
    pytest.importorskip("PIL.Image").fromarray(np.eye(4, dtype=np.uint8)).save(tmp_path / "a.png")
    with pytest.warns(UserWarning, match="no voxel size in the file, so sizes are in voxels; set it with spacing="):
        image = io.read(tmp_path / "a.png")
    assert image.spacing == (1.0, 1.0) and not image.has_spacing
    labels = brickccl.label(image)
    assert "area_voxels" in brickccl.statistics(labels) and "area_mm2" in brickccl.statistics(labels, spacing=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert io.read(tmp_path / "a.png", spacing=(2.0, 0.5)).spacing == (2.0, 0.5)


def test_series_are_chosen_and_gaps_are_refused_in_the_words_of_python(tmp_path):
    series = write_series(tmp_path / "gap", [(0, 0, 2.0 * z) for z in (0, 1, 2, 5, 6)])
    with pytest.raises(ValueError, match="accept_irregular_slices=True") as caught:
        io.read(series)
    assert "--" not in str(caught.value)
    with pytest.warns(UserWarning, match="mean distance"):
        assert io.read(series, accept_irregular_slices=True).spacing == (3.0, 0.5, 0.5)
    both = write_series(tmp_path / "both", [(0, 0, z) for z in range(3)])
    other = write_series(tmp_path / "other", [(0, 0, z) for z in range(4)])
    for path in other.iterdir():
        image = sitk.ReadImage(str(path))
        image.SetMetaData("0020|000e", "9.8.7")
        image.SetMetaData("0008|0018", f"9.8.7.{path.stem}")
        writer = sitk.ImageFileWriter()
        writer.KeepOriginalImageUIDOn()
        writer.SetFileName(str(both / f"other{path.name}"))
        writer.Execute(image)
    with pytest.raises(ValueError, match="2 DICOM series; choose one by series= and its number or UID"):
        io.read(both)
    assert io.read(both, series="9.8.7").shape == (4, 5, 6)
    assert sorted(io.read(both, series=number).shape[0] for number in (1, 2)) == [3, 4]


@pytest.mark.parametrize("kind", ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"])
@pytest.mark.parametrize("order", ["<", ">"])
def test_raw_voxels(tmp_path, kind, order):
    array = np.random.default_rng(3).integers(0, 100, (4, 5, 6)).astype(order + kind)
    (tmp_path / "scan.vol").write_bytes(b"header!" + array.tobytes())
    raw = f"6x5x4:{np.dtype(kind).name}" + (":big" if order == ">" else "") + ":skip=7"
    image = io.read(tmp_path / "scan.vol", raw=raw, spacing=(2.0, 0.5, 0.5))
    np.testing.assert_array_equal(image.array, array)
    assert (image.dtype, image.spacing) == (np.dtype(kind), (2.0, 0.5, 0.5))


def test_raw_voxels_are_refused_in_the_words_of_python(tmp_path):
    name = tmp_path / "part_6x5x4_uint16_0.1mm.raw"
    name.write_bytes(bytes(240))
    with pytest.raises(ValueError, match=r'read it with raw="6x5x4:uint16", spacing=\(0.1, 0.1, 0.1\)$'):
        io.read(name)
    for raw, text in (
        ("6x5x4:uint8", 'raw="6x5x4:uint8" needs 120 bytes, but the file has 240'),
        ("6x5x4", "must be a size and a type"),
        ("6x5x4:half", "the voxel type 'half' is unknown"),
    ):
        with pytest.raises(ValueError, match=text):
            io.read(name, raw=raw)


@pytest.mark.parametrize(
    ("error", "text", "name"),
    [
        (FileNotFoundError, "cannot read '.*missing.nrrd': there is no such file", "missing.nrrd"),
        (FileNotFoundError, "pattern", "none_*.tif"),
        (ValueError, "cannot read '.*cut.nrrd'", "cut.nrrd"),
        (ValueError, "no DICOM files and no slice images", "empty"),
        (ValueError, "3 values in each voxel", "color.png"),
        (ValueError, "its format is not supported; these are", "text.txt"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path, error, text, name):
    io.write(tmp_path / "whole.nrrd", volume())
    (tmp_path / "cut.nrrd").write_bytes((tmp_path / "whole.nrrd").read_bytes()[:-40])
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.txt").write_text("no image")
    sitk.WriteImage(sitk.GetImageFromArray(np.zeros((4, 5, 3), np.uint8), isVector=True), str(tmp_path / "color.png"))
    with pytest.raises(error, match=text):
        io.read(tmp_path / name)


@pytest.mark.parametrize(
    ("error", "text", "name", "image"),
    [
        (ValueError, "not a format for label maps", "a.xyz", np.ones((2, 3), np.uint8)),
        (ValueError, "not a format for label maps", "a.jpg", np.ones((2, 3), np.uint8)),
        (ValueError, "do not hold 3 dimensions", "a.png", np.ones((2, 3, 4), np.uint8)),
        (ValueError, "do not hold voxels of type int32", "a.png", np.ones((2, 3), np.int32)),
        (OSError, r"^cannot write '[^']+': the folder '[^']+' does not exist", "no/a.nrrd", np.ones((2, 3), np.uint8)),
    ],
)
def test_what_cannot_be_written_is_told_and_leaves_nothing(tmp_path, error, text, name, image):
    with pytest.raises(error, match=text):
        io.write(tmp_path / name, image)
    assert list(tmp_path.iterdir()) == []


def test_names_of_files_need_not_be_utf_8(tmp_path):
    name = os.fsdecode(os.fsencode(tmp_path) + b"/na\xefve.nrrd")
    io.write(name, volume())
    np.testing.assert_array_equal(io.read(name).array, volume().array)
    os.unlink(name)
    with pytest.raises(FileNotFoundError, match="cannot read") as caught:
        io.read(name)
    assert str(tmp_path) + "/na\\xefve.nrrd" in str(caught.value)


def test_segmentations_of_slicer_list_their_segments(tmp_path):
    io.write(tmp_path / "a.seg.nrrd", brickccl.label(np.array([[[1, 0, 1], [0, 0, 0], [1, 0, 1]]])))
    header = (tmp_path / "a.seg.nrrd").read_bytes().partition(b"\n\n")[0].decode()
    assert [f"Segment{number}_LabelValue:={number + 1}" in header for number in range(5)] == [True] * 4 + [False]


def write_segmentation(path, labels, names, colors):
    """A segmentation as 3D Slicer writes it, with an origin and axes that are swapped."""
    header = f"NRRD0004\ntype: uint8\ndimension: 3\nspace: left-posterior-superior\nsizes: {' '.join(map(str, labels.shape[::-1]))}\n"
    header += "space directions: (0,0.5,0) (2,0,0) (0,0,3)\nspace origin: (10,20,30)\nencoding: raw\n"
    for number, (label, name) in enumerate(names.items()):
        fields = {"ID": f"Segment_{number}", "Name": name, "Color": " ".join(map(str, colors[label])), "LabelValue": label, "Layer": 0}
        header += "".join(f"Segment{number}_{key}:={value}\n" for key, value in fields.items())
    path.write_bytes(header.encode() + b"\n" + labels.tobytes())


ORGANS = {5: "left kidney", 12: "Leber \u00e4, rechts"}
COLORS = {5: (0.9, 0.1, 0.2), 12: (0.0, 0.5, 1.0)}


def organs():
    labels = np.zeros((4, 5, 6), np.uint8)
    labels[0], labels[2, 1:], labels[3, 0, 0] = 5, 12, 7
    return labels


def test_names_and_colors_of_segments_are_read(tmp_path):
    write_segmentation(tmp_path / "a.seg.nrrd", organs(), ORGANS, COLORS)
    table = "".join(
        f'<Label Key="{label}" Red="{red}" Green="{green}" Blue="{blue}" Alpha="1">{ORGANS[label]}</Label>'
        for label, (red, green, blue) in COLORS.items()
    )
    nibabel = pytest.importorskip("nibabel")
    nifti = nibabel.Nifti1Image(organs().T, np.eye(4))
    table = f"<CaretExtension><LabelTable>{table}</LabelTable></CaretExtension>"
    nifti.header.extensions.append(nibabel.nifti1.Nifti1Extension(30, table.encode()))
    nibabel.save(nifti, tmp_path / "a.nii.gz")
    for name in ("a.seg.nrrd", "a.nii.gz"):
        image = io.read(tmp_path / name)
        np.testing.assert_array_equal(image.array, organs())
        assert (image.names, image.colors) == (ORGANS, COLORS)
    io.write(tmp_path / "b.nrrd", organs())
    image = io.read(tmp_path / "b.nrrd")
    assert (image.names, image.colors) == ({}, {})


def test_napari_shows_names(tmp_path):
    """What its status bar and its tooltip say; they need no window."""
    layers = pytest.importorskip("napari.layers")
    from napari.components import ViewerModel
    from brickccl.napari._reader import reader_of

    write_segmentation(tmp_path / "a.seg.nrrd", organs(), ORGANS, COLORS)
    ((data, options, kind),) = reader_of(str(tmp_path / "a.seg.nrrd"))(str(tmp_path / "a.seg.nrrd"))
    layer = layers.Layer.create(data, options, kind)
    assert isinstance(layer, layers.Labels) and layer.name == "a.seg.nrrd"
    viewer = ViewerModel()
    viewer.add_layer(layer)
    reference = sitk.ReadImage(str(tmp_path / "a.seg.nrrd"))
    directions = np.reshape(reference.GetDirection(), (3, 3))
    for index, shown in (((0, 1, 2), "5; name: left kidney"), ((2, 1, 0), "12; name: Leber \u00e4, rechts"), ((1, 1, 1), "0; name: background")):
        place = layer.data_to_world(index)
        np.testing.assert_allclose(directions @ place[::-1], reference.TransformIndexToPhysicalPoint(index[::-1]))
        viewer.dims.set_point(range(3), place)
        assert layer.get_status(place, world=True)["value"] == shown
    for label, color in COLORS.items():
        np.testing.assert_allclose(layer.get_color(label), (*color, 1), atol=1e-6)
    # Labels without a name are visible.
    assert layer.get_color(7)[3] == 1
    viewer.dims.set_point(range(3), layer.data_to_world((3, 0, 0)))
    assert layer.get_status(layer.data_to_world((3, 0, 0)), world=True)["value"].startswith("7")
    io.write(tmp_path / "b.nrrd", organs(), spacing=(3, 2, 1))
    ((data, options, kind),) = reader_of(str(tmp_path / "b.nrrd"))(str(tmp_path / "b.nrrd"))
    assert kind == "image" and options["scale"] == (3, 2, 1)
    assert reader_of([str(tmp_path / "b.nrrd")]) is None


def test_palettes_are_read_as_labels_where_that_is_asked_for(tmp_path):
    image = pytest.importorskip("PIL.Image")
    numbers = np.arange(12, dtype=np.uint8).reshape(3, 4) % 5
    picture = image.fromarray(numbers, mode="P")
    picture.putpalette([value for number in range(256) for value in (number, 255 - number, 7)])
    picture.save(tmp_path / "a.png")
    with pytest.warns(UserWarning):
        np.testing.assert_array_equal(io.read(tmp_path / "a.png", as_labels=True).array, numbers)
    with pytest.raises(ValueError, match="palette of colors"):
        io.read(tmp_path / "a.png")


def test_images_larger_than_memory_are_a_memory_error(tmp_path):
    io.write(tmp_path / "large.nrrd", np.zeros((256, 1024, 1024), np.uint8))
    script = (
        "import resource\nfrom brickccl import _files, io\n"
        "space = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize() + (100 << 20)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (space, space))\n"
        f"try:\n    io.read('{tmp_path}/large.nrrd')\nexcept MemoryError as error:\n    print(error)\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "large.nrrd': it does not fit into memory" in found.stdout, found.stderr


@needs_command
def test_the_command_is_that_of_the_package(tmp_path):
    assert brickccl.__version__ in run("info").stdout
    io.write(tmp_path / "scan.nrrd", volume())
    table = tmp_path / "table.csv"
    found = run("label", tmp_path / "scan.nrrd", tmp_path / "labels.nrrd", "--range", 0, 400, "--statistics", table)
    assert found.returncode == 0, found.stderr
    labels = brickccl.label(io.read(tmp_path / "scan.nrrd"), range=(0, 400))
    np.testing.assert_array_equal(io.read(tmp_path / "labels.nrrd").array, labels.array)
    ours = brickccl.find(io.read(tmp_path / "scan.nrrd"), range=(0, 400)).table()
    rows = list(csv.DictReader(table.open()))
    assert list(ours) == list(rows[0]) and len(rows) == ours.row_count
    for name, values in ours.items():
        np.testing.assert_array_equal(values, [float(row[name]) for row in rows], name)
    found = run("mesh", tmp_path / "labels.nrrd", tmp_path / "a.stl")
    assert found.returncode != 0
    assert "this build has no 'mesh', which needs VTK; install the archive" in found.stderr


@needs_command
def test_notes_and_errors_are_those_of_the_command(tmp_path):
    """But for the names of options."""
    gap = write_series(tmp_path / "gap", [(0, 0, 2.0 * z) for z in (0, 1, 2, 5)])
    io.write(tmp_path / "whole.nrrd", volume())
    (tmp_path / "cut.nrrd").write_bytes((tmp_path / "whole.nrrd").read_bytes()[:-40])
    (tmp_path / "more.nrrd").write_bytes((tmp_path / "whole.nrrd").read_bytes() + b"more")
    for name, options in ((gap, ()), ("cut.nrrd", ()), ("nothing.nrrd", ()), (gap, ("--accept-irregular-slices",)), ("more.nrrd", ())):
        path = tmp_path / name
        found = run("info", path, "--json", *options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if found.returncode:
                with pytest.raises((ValueError, OSError)) as error:
                    io.read(path)
                text = str(error.value).replace("accept_irregular_slices=True", "--accept-irregular-slices")
                assert text in found.stderr
            else:
                image = io.read(path, accept_irregular_slices=True)
                info = json.loads(found.stdout)
                assert [str(warning.message) for warning in caught] == info["notes"]
                assert info["notes"] or name != gap
                np.testing.assert_allclose(info["spacing"], image.spacing[::-1])


@pytest.mark.skipif(not FOREARM.exists(), reason="the source tree is not there")
def test_a_series_is_read_as_by_simpleitk():
    reader = sitk.ImageSeriesReader()
    reader.SetFileNames(reader.GetGDCMSeriesFileNames(str(FOREARM)))
    theirs = reader.Execute()
    found = io.read(FOREARM)
    np.testing.assert_array_equal(found.array, sitk.GetArrayFromImage(theirs))
    np.testing.assert_allclose(found.spacing, theirs.GetSpacing()[::-1], rtol=1e-6)
    np.testing.assert_allclose(found.origin, theirs.GetOrigin(), atol=1e-4)


def blocky(shape=(320, 200, 200)):
    """What compresses a little, so that reading and writing take a while."""
    return np.random.default_rng(2).integers(0, 50, shape).astype(np.uint16)


def write_as(path, array):
    """Files of each way to read, by others where this package does not write them."""
    kind = path.name
    if kind == "slices":
        path.mkdir()
        for number, plane in enumerate(array):
            io.write(path / f"{number:03}.png", plane)
    elif kind == "series":
        write_series(path, [(0, 0, float(z)) for z in range(len(array))], planes=array)
    elif kind.endswith(".h5"):
        h5py = pytest.importorskip("h5py")
        with h5py.File(path, "w") as stream:
            stream.create_dataset("a", data=array, chunks=(16, 100, 100), compression=1)
    else:
        io.write(path, array)


@pytest.mark.parametrize("name", ["a.nrrd", "a.nii.gz", "a.mha", "a.tif", "a.h5", "slices", "series"])
def test_reading_tells_how_far_it_is_and_ends_at_ctrl_c(tmp_path, name):
    path = tmp_path / name
    write_as(path, blocky())
    heard = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = io.read(path, progress=heard.append)
    assert heard == sorted(heard) and 0 <= heard[0] and heard[-1] == 1
    calls = []

    def press(fraction):
        calls.append(fraction)
        if len(calls) == 1:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        io.read(path, threads=1, progress=press)
    # A fast machine may be at the end before the first report, 20 ms after the start.
    assert calls[0] == 1 or calls[-1] < 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(io.read(path).array, expected.array)


@pytest.mark.parametrize("name", ["a.nrrd", "a.nii.gz", "a.mha", "a.tif", "a.nii"])
def test_writing_tells_how_far_it_is_and_ends_at_ctrl_c(tmp_path, name):
    heard, array = [], blocky()
    io.write(tmp_path / name, array, progress=heard.append)
    assert heard == sorted(heard) and 0 <= heard[0] and heard[-1] == 1
    (tmp_path / name).unlink()

    calls = []

    def press(fraction):
        calls.append(fraction)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        io.write(tmp_path / name, array, progress=press)
    # Nothing half-written is left behind, unless all was written before the first report.
    assert calls[0] == 1 or list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.nrrd", "a.h5"])
def test_a_signal_while_a_file_is_read_is_heard_soon(tmp_path, name):
    path = tmp_path / name
    write_as(path, blocky((400, 300, 300)))
    at = []

    def hear(number, frame):
        at.append(time.perf_counter())
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, hear)
    try:
        sent = []

        def send():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGUSR1)

        timer = threading.Timer(0.05, send)
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            io.read(path, threads=1)
    finally:
        signal.signal(signal.SIGUSR1, before)
        timer.join()
    assert at[0] - sent[0] < 0.2
