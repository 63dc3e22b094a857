# SPDX-License-Identifier: Apache-2.0
"""Numbers that are compared with voxels: as numpy 2 compares them (NEP 50)."""

import numpy as np
import pytest
from scipy import ndimage

import brickccl
from brickccl._rules import as_voxel_value

is_numpy_2 = int(np.__version__.partition(".")[0]) >= 2
pytestmark = pytest.mark.skipif(not is_numpy_2, reason="numpy compares in this way from version 2 on")

#: Python's and numpy's numbers; only Python's take the type of the array.
NUMBERS = [0.1, 0.7, 1 / 3, 3, 2**24 + 1, -0.3, 1e-9, np.float64(0.1), np.float64(0.7), np.float32(0.1), np.float16(0.1), np.int64(2**24 + 1)]


def values_near(number, dtype):
    """Voxels of the type at, just below and just above a number."""
    near = np.dtype(dtype).type(float(number))
    infinity = near.dtype.type(np.inf)
    return np.array([np.nextafter(near, -infinity), near, np.nextafter(near, infinity), 0, 1], dtype)


TYPES = ["f2", ">f2", "f4", ">f4", "f8"]


@pytest.mark.parametrize(
    "dtype, number",
    [(dtype, number) for dtype in TYPES for number in NUMBERS if abs(float(number)) < np.finfo(dtype).max],
    ids=lambda value: f"{type(value).__name__} {value}",
)
def test_bounds_and_backgrounds_are_those_of_numpy(tmp_path, dtype, number):
    image = values_near(number, dtype.strip(">")).astype(dtype)
    low = image >= number
    for arguments, expected in (
        ({"range": (number, np.inf)}, low),
        ({"range": (-np.inf, number)}, image <= number),
        ({"range": (number, number)}, image == number),
        ({"background": number}, image != number),
    ):
        np.testing.assert_array_equal(brickccl.label(image, **arguments) != 0, expected)
        assert brickccl.find(image, **arguments).count == ndimage.label(expected)[1]
        joins = brickccl.voxel_graph(image, **arguments)
        assert joins[2] == 3 * expected[2] & (1 * (expected[3] & expected[2]) | 2 * (expected[1] & expected[2]))
    if np.dtype(dtype).itemsize != 2:
        big = pytest.importorskip("brickccl.big")
        pytest.importorskip("zarr")
        found = big.label(image, tmp_path / "labels", range=(number, np.inf), brick=2, chunks=2)
        np.testing.assert_array_equal(found.labels[:] != 0, low)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("tolerance", [0.1, np.float64(0.1), np.float32(0.1), 0.7])
def test_tolerances_are_those_of_numpy(dtype, tolerance):
    image = np.array([0, np.dtype(dtype).type(0.1), 0, np.dtype(dtype).type(0.7)], dtype)
    differ = np.abs(np.diff(image)) > tolerance
    expected = np.concatenate([[1], 1 + np.cumsum(differ)])
    np.testing.assert_array_equal(brickccl.label(image, tolerance=tolerance, background=None), expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_differences_are_taken_in_float64(dtype):
    """As by the command: 0.8f and 0.1f differ by more than 0.7f, though numpy rounds their difference to it."""
    random = np.random.default_rng(3)
    for _ in range(300):
        image = (random.integers(0, 20, 40) / 10).astype(dtype)
        tolerance = float(random.choice([0.1, 0.2, 0.3, 0.7, 1.1]))
        differ = np.abs(np.diff(image.astype(np.float64))) > np.float64(np.dtype(dtype).type(tolerance))
        expected = np.concatenate([[1], 1 + np.cumsum(differ)])
        np.testing.assert_array_equal(brickccl.label(image, tolerance=tolerance, background=None), expected, repr(tolerance))


def test_numbers_of_classes_are_those_of_numpy():
    image = np.array([0.1, 0.1, 0, 0.1, 0.7], np.float32)
    assert brickccl.clean(image, values=[0.1], largest=1).tolist() == np.array([0.1, 0.1, 0, 0, 0.7], np.float32).tolist()
    assert brickccl.clean(image, values=[np.float64(0.1)], largest=1).tolist() == image.tolist()
    assert brickccl.clean(image, background=0.1, minimum_size=2).tolist() == np.array([0.1] * 5, np.float32).tolist()
    holes = np.array([[0.7] * 3, [0.7, 0.1, 0.7], [0.7] * 3], np.float32)
    assert brickccl.fill_holes(holes, background=0.1).tolist() == np.full((3, 3), 0.7, np.float32).tolist()


def test_thresholds_of_a_sweep_are_values_of_the_image():
    image = np.array([0.1, 0, 0.7, 0, 0.4], np.float32)
    curve = brickccl.sweep(image, 0.1, 0.7, 3)
    assert curve["threshold"].tolist() == [float(np.float32(value)) for value in (0.1, 0.4, 0.7)]
    assert curve["voxel_count"].tolist() == [3, 2, 1]
    for threshold, count in zip(curve["threshold"].tolist(), curve["voxel_count"]):
        assert (image >= threshold).sum() == count == (brickccl.label(image, range=(threshold, np.inf)) != 0).sum()
    assert brickccl.sweep(image.astype(float), 0.1, 0.7, 3)["threshold"][0] == 0.1


def test_whole_numbers_of_integers_stay_exact():
    image = np.array([2**53, 2**53 + 1, 2**63 - 1], np.int64)
    assert brickccl.label(image, range=(2**53 + 1, 2**63 - 1)).tolist() == [0, 1, 1]
    assert brickccl.label(image, background=2**53 + 1).tolist() == [1, 0, 2]
    # Beyond the type nothing is rounded, to infinity for example.
    assert brickccl.label(np.array([np.inf, 1, 3e38], np.float32), range=(0, 1e39)).tolist() == [0, 1, 1]


def test_values_of_bfloat16_are_the_nearest():
    for value, nearest in ((0.1, 0.10009765625), (1.00390625, 1.0), (1.01171875, 1.015625), (-0.7, -0.69921875)):
        assert as_voxel_value(value, "bfloat16") == nearest
    torch = pytest.importorskip("torch")
    image = torch.tensor([0.1, 0, 0.7], dtype=torch.bfloat16)
    assert (brickccl.label(image, range=(0.1, 0.1)) != 0).tolist() == (image == 0.1).tolist()
