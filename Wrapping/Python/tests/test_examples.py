"""The example scripts run and find what is there."""

import csv
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_cracks(tmp_path):
    sitk, image = pytest.importorskip("SimpleITK"), pytest.importorskip("matplotlib.image")
    script = ROOT / "Wrapping/Python/examples/cracks.py"
    result = subprocess.run(
        [sys.executable, script, ROOT / "Data/log.nrrd", tmp_path], capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith("crack 1: ")
    rows = list(csv.DictReader(open(tmp_path / "cracks.csv")))
    labels = sitk.ReadImage(str(tmp_path / "cracks.nrrd"))
    assert labels.GetSpacing() == sitk.ReadImage(str(ROOT / "Data/log.nrrd")).GetSpacing()
    array = sitk.GetArrayFromImage(labels)
    # One voxel has 2 x 2 x 4 mm.
    sizes = np.bincount(array.ravel())[1:]
    assert [float(row["volume_mm3"]) for row in rows] == [16.0 * size for size in sizes]
    assert min(sizes) * 16 >= 500
    truth = sitk.GetArrayFromImage(sitk.ReadImage(str(ROOT / "Data/log_truth.nrrd")))
    largest = array == 1
    assert (truth[largest] > 0).mean() > 0.9
    picture = image.imread(tmp_path / "cracks.png")
    assert picture.shape[:2] == (500, 1100) and picture.std() > 0.1
