# SPDX-License-Identifier: Apache-2.0
"""The example scripts run and find what is there."""

import csv
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import brickccl

ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_the_first_script_of_the_start_page_prints_what_the_page_says(folder):
    page = (ROOT / "Wrapping/Python/README.md").read_text(encoding="utf-8")
    script, printed = (re.search(rf"^```{kind}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1] for kind in ("python", "text"))
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == printed and result.stderr == ""
    assert len(list(csv.DictReader(open("pores.csv")))) == 12
    assert len(page.splitlines()) <= 120


def test_the_sample_has_the_pores_that_it_says():
    for seed in range(5):
        for shape, pores in (((64, 80, 96), 12), ((64, 70), 3), ((32, 40, 33), 0)):
            scan = brickccl.phantom(shape, pores, seed=seed)
            assert scan.shape == shape and scan.dtype == np.uint16 and (scan == brickccl.phantom(shape, pores, seed=seed)).all()
            assert brickccl.find(scan, range=(0, 500), clear_border=True).count == pores
    for arguments in ({"shape": (9, 9, 9)}, {"shape": (40, 40), "pores": 100}):
        with pytest.raises(ValueError, match="shape"):
            brickccl.phantom(**arguments)


def test_the_tasks_of_the_documentation_run(folder):
    sitk = pytest.importorskip("SimpleITK")
    pytest.importorskip("pandas")
    pytest.importorskip("brickccl._files")
    shutil.copy(ROOT / "Data/log.nrrd", "scan.nrrd")
    page = (ROOT / "Wrapping/Python/docs/tasks.md").read_text(encoding="utf-8")
    names = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    for block in blocks:
        exec(compile(block, "tasks.md", "exec"), names)
    assert len(blocks) == page.count("\n## ")
    scan, labels = (sitk.GetArrayFromImage(sitk.ReadImage(name)) for name in ("scan.nrrd", "pores.nrrd"))
    assert names["curve"]["voxel_count"][-1] == (scan <= 200).sum()
    assert (labels > 0).any() and (scan[labels > 0] <= -750).all()
    # One voxel has 2 x 2 x 4 mm.
    sizes = np.bincount(labels.ravel())[1:]
    assert len(list(csv.DictReader(open("pores.csv")))) == len(sizes) and min(sizes) * 16 >= 500
    np.testing.assert_allclose(names["table"]["volume_mm3"], sizes * 16.0)
    assert 0 < len(np.unique(names["numbered"].array)) - 1 <= len(sizes)
    assert names["report"][0].filled_holes > 0 and names["solid"].array.sum() > 0.5 * names["wood"].array.sum()
    assert names["rings"].array.shape == scan.shape and names["closed"].sum() >= names["grains"].sum()


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
