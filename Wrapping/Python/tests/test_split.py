# SPDX-License-Identifier: Apache-2.0
"""Splits of touching objects, distance maps and morphology beside scipy's."""

import numpy as np
import pytest
from scipy import ndimage

import brickccl

BALLS = ((14, 14, 14, 9), (14, 14, 30, 10), (14, 28, 21, 8), (31, 20, 21, 11))


def balls(dtype=np.uint8):
    """Balls that touch and overlap, as known objects."""
    z, y, x = np.ogrid[:50, :44, :42]
    depths = np.stack([radius - np.sqrt((z - c) ** 2 + (y - b) ** 2 + (x - a) ** 2) for c, b, a, radius in BALLS])
    return np.where(depths.max(0) >= 0, depths.argmax(0) + 1, 0).astype(dtype)


def random_labels(shape, seed, dtype=np.uint8):
    random = np.random.default_rng(seed)
    coarse = random.choice(np.array([0, 1, 1, 2, 3]), size=[-(-size // 4) for size in shape])
    return np.kron(coarse, np.ones([4] * len(shape), int))[tuple(slice(0, size) for size in shape)].astype(dtype)


@pytest.mark.parametrize("shape", [(90,), (31, 47), (17, 19, 23), (5, 6, 7, 8)])
@pytest.mark.parametrize("dtype", ["?", "u1", "i2", ">u4", "i8", "f4", "f2"])
@pytest.mark.parametrize("spacing", [None, (0.5, 0.25, 0.75, 1), (0.7, 1.1, 0.31, 0.9)])
def test_distances_are_scipys(shape, dtype, spacing):
    labels = random_labels(shape, len(shape), dtype)
    steps = None if spacing is None else spacing[: len(shape)]
    expected = np.zeros(shape)
    for label in np.unique(labels[labels != 0]):
        expected += ndimage.distance_transform_edt(labels == label, sampling=steps)
    found = brickccl.distance(labels, spacing=steps)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    if spacing is None:
        np.testing.assert_array_equal(found, expected.astype(np.float32))


def test_distances_within_slices():
    labels = random_labels((9, 20, 21), 7) != 0
    for axis in range(3):
        found = np.moveaxis(brickccl.distance(labels, by_slice=axis), axis, 0)
        for plane, mask in zip(found, np.moveaxis(labels, axis, 0)):
            if not mask.all():
                np.testing.assert_array_equal(plane, ndimage.distance_transform_edt(mask).astype(np.float32))


def test_known_balls_are_found():
    truth = balls()
    objects, found = brickccl.split(truth != 0, return_objects=True)
    assert ndimage.label(truth != 0, np.ones((3, 3, 3)))[1] == 1
    assert objects.max() == len(BALLS) and objects.dtype == np.uint32
    assert list(found.parents) == [1] * len(BALLS)
    # Each object is one ball, but for voxels at its border.
    for label in range(1, len(BALLS) + 1):
        values, counts = np.unique(truth[objects == label], return_counts=True)
        assert counts.max() >= 0.97 * counts.sum()
        assert abs(found.peaks[label - 1] - BALLS[values[counts.argmax()] - 1][3]) < 1.5


def test_seeds_keep_their_numbers():
    truth = balls()
    seeds = np.zeros(truth.shape, np.int32)
    for number, (z, y, x, _) in zip((40, 3, 17, 5), BALLS):
        seeds[z, y, x] = number
    objects, found = brickccl.split(truth != 0, seeds=seeds, return_objects=True)
    assert sorted(set(objects[objects != 0])) == [3, 5, 17, 40]
    assert np.array_equal(objects != 0, truth != 0)
    for number, label in zip((40, 3, 17, 5), range(1, 5)):
        assert (objects[truth == label] == number).mean() > 0.97
    # In the order of the numbers.
    np.testing.assert_allclose(found.peaks, [10, 11, 8, 9], atol=1.5)
    assert not brickccl.split(truth != 0, seeds=np.zeros_like(seeds)).any()
    with pytest.raises(ValueError, match="a seed is -1"):
        brickccl.split(truth, seeds=-seeds // 40)
    with pytest.raises(ValueError, match="seeds has the shape"):
        brickccl.split(truth, seeds=seeds[1:])
    with pytest.raises(ValueError, match="no height"):
        brickccl.split(truth, 1, seeds=seeds)


def test_options():
    truth = balls()
    mask = truth != 0
    objects = brickccl.split(mask, threads=1)
    for options in ({"threads": 3}, {"connectivity": 26}, {"connectivity": 3}, {"height": 0.75}, {"spacing": 0.2},
                    {"spacing": 0.2, "height": 0.15}):
        np.testing.assert_array_equal(brickccl.split(mask, **options), objects)
    assert brickccl.split(mask, 100).max() == 1
    # Labels are split separately, and an object that is known is not split again.
    again, found = brickccl.split(truth, return_objects=True)
    assert again.max() == len(BALLS)
    np.testing.assert_array_equal(found.parents[again[truth != 0] - 1], truth[truth != 0])
    planes = brickccl.split(mask, by_slice=0)
    np.testing.assert_array_equal(planes[14] != 0, brickccl.split(mask[14]) != 0)
    # By values: the valley of the distance map is the same as that of the distances themselves.
    depth = brickccl.distance(mask)
    np.testing.assert_array_equal(brickccl.split(mask, 0.75, values=depth), objects)
    assert brickccl.split(mask, values=np.ones_like(truth)).max() == 1


def test_order_of_axes_and_images():
    nibabel = pytest.importorskip("nibabel")
    mask = balls() != 0
    image = nibabel.Nifti1Image(mask.T.astype(np.uint8), np.diag([0.5, 0.5, 0.5, 1]))
    found = brickccl.split(image)
    np.testing.assert_array_equal(np.asarray(found.dataobj).T, brickccl.split(mask))
    depth = brickccl.distance(image)
    np.testing.assert_allclose(np.asarray(depth.dataobj).T, 0.5 * brickccl.distance(mask))


def test_wrong_arguments():
    mask = balls() != 0
    with pytest.raises(ValueError, match="at least 0"):
        brickccl.split(mask, -1)
    with pytest.raises(TypeError):
        brickccl.split(mask, "wide")
    with pytest.raises(ValueError, match="shape"):
        brickccl.split(mask, values=mask[1:])
    with pytest.raises(ValueError, match="a label is -1"):
        brickccl.split(-mask.astype(np.int8))
    with pytest.raises(ValueError, match="a label is 0.5"):
        brickccl.distance(mask * 0.5)
    with pytest.raises(ValueError):
        brickccl.distance(mask, by_slice=3)


@pytest.mark.parametrize("shape", [(40,), (23, 31), (15, 17, 19)])
@pytest.mark.parametrize("spacing", [None, (0.5, 1, 0.75)])
@pytest.mark.parametrize("radius", [1, 1.5, 2.3])
def test_morphology_is_scipys(shape, spacing, radius):
    dimension = len(shape)
    steps = np.array(spacing[:dimension] if spacing else [1] * dimension)
    reach = np.ceil(radius / steps).astype(int)
    grids = np.meshgrid(*[np.arange(-r, r + 1) * s for r, s in zip(reach, steps)], indexing="ij")
    ball = sum(grid**2 for grid in grids) <= radius**2 * (1 + 1e-9)
    mask = np.random.default_rng(dimension).random(shape) < 0.4
    mask |= ndimage.binary_dilation(np.random.default_rng(9).random(shape) < 0.01, ball)
    pad = int(2 * reach.max())
    closed = ndimage.binary_closing(np.pad(mask, pad), ball)[(slice(pad, -pad),) * dimension]
    eroded = ndimage.binary_erosion(mask, ball, border_value=1)
    expected = {
        "dilate": ndimage.binary_dilation(mask, ball), "erode": eroded, "open": ndimage.binary_dilation(eroded, ball), "close": closed
    }
    for operation, result in expected.items():
        found = brickccl.morph(mask, operation, radius, spacing=None if spacing is None else tuple(steps))
        assert found.dtype == bool
        np.testing.assert_array_equal(found, result, operation)


def test_labels_grow_like_expand_labels():
    labels = (random_labels((40, 44), 3, np.int32) * (np.random.default_rng(1).random((40, 44)) < 0.05)).astype(np.int32)
    distances, places = ndimage.distance_transform_edt(labels == 0, return_indices=True)
    grown = brickccl.morph(labels, "dilate", 4)
    assert grown.dtype == np.int32
    np.testing.assert_array_equal(grown != 0, distances <= 4)
    # Of equally near labels scipy takes any, morph the smallest.
    nearest = labels[tuple(places)]
    assert (grown[grown != 0] <= nearest[grown != 0]).all()
    assert (grown[grown != 0] == nearest[grown != 0]).mean() > 0.8
    np.testing.assert_array_equal(brickccl.morph(grown, "erode", 1, by_slice=0)[7], brickccl.morph(grown[7], "erode", 1))


def test_wrong_arguments_of_morph():
    with pytest.raises(ValueError, match="operation is 'shrink'; it must be one of 'dilate', 'erode', 'open', 'close'"):
        brickccl.morph(np.ones((3, 3), bool), "shrink", 1)
    with pytest.raises(ValueError, match="the radius is -1"):
        brickccl.morph(np.ones((3, 3), bool), "open", -1)
    with pytest.raises(ValueError, match="a label is 0.5"):
        brickccl.morph(np.full((3, 3), 0.5), "open", 1)
