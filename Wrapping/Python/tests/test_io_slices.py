# SPDX-License-Identifier: Apache-2.0
"""Series of slices with gaps, and axes that are not at right angles: refused, or taken if that is asked for."""

import warnings

import numpy as np
import pytest

from brickccl import _own_files, io
from brickccl.__main__ import main

sitk = pytest.importorskip("SimpleITK")
nibabel = pytest.importorskip("nibabel")
tifffile = pytest.importorskip("tifffile")


@pytest.fixture(autouse=True)
def without_own_files():
    """As in a package that was built without the command's readers, which test_own_files.py tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_own_files, "import_files", lambda: None)
        yield


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


def test_missing_slices_are_refused_or_taken_with_the_mean_distance(tmp_path):
    folder = write_series(tmp_path / "gap", [(0, 0, 2.0 * z) for z in (0, 1, 2, 5, 6)])
    with pytest.raises(ValueError, match=r"'002.dcm' and '003.dcm' are 6 mm apart, where 2 mm is usual: 2 slices are missing") as caught:
        io.read(folder)
    assert "accept_irregular_slices=True" in str(caught.value) and "--accept" not in str(caught.value)
    with pytest.warns(UserWarning, match="the mean distance of 3 mm is used"):
        image = io.read(folder, accept_irregular_slices=True)
    assert image.spacing == (3.0, 0.5, 0.5)
    assert image.array[:, 0, 0].tolist() == [0, 1, 2, 3, 4]
    uneven = write_series(tmp_path / "uneven", [(0, 0, z) for z in (0, 1, 2, 3.3)])
    with pytest.raises(ValueError, match="the slices are unevenly spaced"):
        io.read(uneven)


def test_whole_series_are_read_without_a_warning(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Downwards, across, and with positions that are rounded.
        for name, positions, orientation, direction in (
            ("down", [(1, 2, 3 - 1.5 * z) for z in range(4)], (1, 0, 0, 0, 1, 0), [1, 0, 0, 0, 1, 0, 0, 0, 1]),
            ("across", [(1.5 * z, 2, 3) for z in range(4)], (0, 1, 0, 0, 0, 1), [0, 0, 1, 1, 0, 0, 0, 1, 0]),
            ("rounded", [(0, 0.001 * z, round(z / 3, 4)) for z in range(4)], (1, 0, 0, 0, 1, 0), [1, 0, 0, 0, 1, 0, 0, 0, 1]),
        ):
            image = io.read(write_series(tmp_path / name, positions, orientation))
            distance = 1 / 3 if name == "rounded" else 1.5
            np.testing.assert_allclose(image.spacing, (distance, 0.5, 0.5), rtol=1e-4)
            np.testing.assert_allclose(image.direction, direction, atol=1e-9)
            assert image.array[:, 0, 0].tolist() == ([3, 2, 1, 0] if name == "down" else [0, 1, 2, 3])
            np.testing.assert_allclose(image.origin, min(positions) if name != "down" else positions[-1])
        one = io.read(write_series(tmp_path / "one", [(0, 0, 0)]))
        assert one.array.shape == (1, 5, 6)


def test_slices_that_are_no_volume_are_refused(tmp_path):
    doubled = write_series(tmp_path / "doubled", [(0, 0, z) for z in (0, 1, 1, 2)])
    with pytest.raises(ValueError, match="are at the same position"):
        io.read(doubled, accept_irregular_slices=True)
    beside = write_series(tmp_path / "beside", [(0, 4 * (z == 2), z) for z in range(5)])
    with pytest.raises(ValueError, match="'002.dcm' is 4 mm off the line"):
        io.read(beside, accept_irregular_slices=True, accept_sheared=True)


def test_tilted_series_are_refused_or_taken_upright(tmp_path):
    tilt = np.tan(np.radians(10))
    folder = write_series(tmp_path / "tilted", [(0, round(tilt * 2 * z, 6), 2 * z) for z in range(5)])
    with pytest.raises(ValueError, match=r"the axes y and z meet at 80 degrees instead of 90 \(sheared\).* accept_sheared=True"):
        io.read(folder)
    with pytest.warns(UserWarning, match="nearest orthogonal geometry"):
        image = io.read(folder, accept_sheared=True)
    np.testing.assert_allclose(image.spacing, (2, 0.5, 0.5))
    np.testing.assert_allclose(image.direction, np.eye(3).ravel(), atol=1e-6)


@pytest.mark.parametrize("through", ["SimpleITK", "nibabel"])
def test_sheared_nifti_files_are_refused_or_taken_upright(tmp_path, monkeypatch, through):
    affine = np.array([[2, 0, 0, 0], [0, 3, 1, 0], [0, 0, 4, 0], [0, 0, 0, 1]], float)
    data = np.random.default_rng(1).integers(0, 9, (4, 5, 6)).astype(np.int16)
    image = nibabel.Nifti1Image(data, affine)
    image.header.set_sform(affine, code=1)
    image.header.set_qform(None, code=0)
    nibabel.save(image, tmp_path / "sheared.nii.gz")
    if through == "nibabel":
        monkeypatch.setattr(io, "_import_simpleitk", lambda: None)
    with pytest.raises(ValueError, match="meet at .* instead of 90.* accept_sheared=True"):
        io.read(tmp_path / "sheared.nii.gz")
    with pytest.warns(UserWarning, match="nearest orthogonal"):
        read = io.read(tmp_path / "sheared.nii.gz", accept_sheared=True)
    np.testing.assert_array_equal(read.array, data.T)
    np.testing.assert_allclose(np.prod(read.spacing), abs(np.linalg.det(affine)))
    np.testing.assert_allclose(read.spacing, (4, 3, 2), rtol=1e-6)


def test_slice_images_are_one_volume_unless_numbers_have_gaps(tmp_path):
    for number in (8, 9, 10, 11):
        tifffile.imwrite(tmp_path / f"ct_{number}.tif", np.full((3, 4), number, np.uint16))
    for path in (tmp_path, tmp_path / "ct_*.tif"):
        image = io.read(path)
        assert image.array[:, 0, 0].tolist() == [8, 9, 10, 11] and image.dtype == np.uint16
    (tmp_path / "ct_10.tif").unlink()
    with pytest.raises(ValueError, match="a slice is missing between 'ct_9.tif' and 'ct_11.tif'.*accept_irregular_slices=True"):
        io.read(tmp_path)
    with pytest.warns(UserWarning, match="read in order of name"):
        assert io.read(tmp_path, accept_irregular_slices=True).array[:, 0, 0].tolist() == [8, 9, 11]
    tifffile.imwrite(tmp_path / "part_12.tif", np.zeros((3, 4), np.uint16))
    with pytest.raises(ValueError, match="names of different kinds"):
        io.read(tmp_path)
    tifffile.imwrite(tmp_path / "ct_10.tif", np.zeros((3, 5), np.uint16))
    with pytest.raises(ValueError, match=r"ct_10.tif' has the shape \(3, 5\)"):
        io.read(tmp_path / "ct_*.tif")
    with pytest.raises(FileNotFoundError):
        io.read(tmp_path / "nothing_*.tif")


def test_the_command_has_the_options_by_its_own_names(tmp_path, capsys):
    folder = str(write_series(tmp_path / "gap", [(0, 0, z) for z in (0, 1, 3)]))
    command = ["label", folder, str(tmp_path / "labels.nrrd")]
    assert main(command) == 1
    told = capsys.readouterr().err
    assert "--accept-irregular-slices" in told and "accept_irregular" not in told
    with pytest.warns(UserWarning, match="mean distance"):
        assert main([*command, "--accept-irregular-slices"]) == 0
    assert io.read(tmp_path / "labels.nrrd").spacing == (1.5, 0.5, 0.5)


def test_one_of_several_series_is_chosen(tmp_path, capsys):
    folder = write_series(tmp_path / "both", [(0, 0, z) for z in range(3)])
    for path in write_series(tmp_path / "other", [(0, 0, z) for z in range(4)]).iterdir():
        image = sitk.ReadImage(str(path))
        image.SetMetaData("0020|000e", "9.8.7")
        writer = sitk.ImageFileWriter()
        writer.KeepOriginalImageUIDOn()
        writer.SetFileName(str(folder / f"other{path.name}"))
        writer.Execute(image)
    with pytest.raises(ValueError, match=r"2 DICOM series, there must be 1, or choose one with series=:\n  1: "):
        io.read(folder)
    with pytest.raises(ValueError, match="series=5 does not exist"):
        io.read(folder, series=5)
    found = {io.read(folder, series=number).shape[0] for number in (1, 2)}
    assert found == {3, 4}
    assert main(["label", str(folder), str(tmp_path / "a.nrrd"), "--series", "7"]) == 1
    assert "--series 7 does not exist" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="series=1 chooses one"):
        io.read(tmp_path / "empty", series=1)
