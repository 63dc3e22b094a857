# SPDX-License-Identifier: Apache-2.0
"""Splits of touching objects, distance maps and morphology beside scipy's."""

import math
import pickle

import numpy as np
import pytest
from scipy import ndimage

import brickccl
from conftest import random_of

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


def split_by_definition(labels, structure, spacing, height):
    """Objects by sorted flooding: every voxel climbs to its peak, and basins merge over passes from the highest one down."""
    places = [tuple(int(at) for at in place) for place in np.argwhere(labels)]
    steps = [step for step in np.argwhere(structure) - 1 if step.any()]
    used = np.abs(np.array(steps)).any(0)
    everywhere = np.moveaxis(np.indices(labels.shape), 0, -1)
    heights, basin, owner, passes, numbers = {}, {}, {}, {}, {}
    for place in places:
        away = everywhere - place
        other = (labels != labels[place]) & (away[..., ~used] == 0).all(-1)
        heights[place] = min((((away * spacing) ** 2).sum(-1))[other], default=math.inf)

    def neighbors(place):
        there = sorted(tuple(int(at) for at in place + step) for step in steps)
        return [other for other in there if other in heights and labels[other] == labels[place]]

    for place in places:
        peak, higher = None, place
        while peak != higher:
            peak = higher
            higher = max(sorted([peak, *neighbors(peak)]), key=heights.get)
        basin[place] = owner[peak] = peak
    for place in places:
        for other in neighbors(place):
            pair = min(basin[place], basin[other]), max(basin[place], basin[other])
            passes[pair] = max(passes.get(pair, 0), min(heights[place], heights[other]))
    for (one, other), neck in sorted(passes.items(), key=lambda item: (-item[1], item[0])):
        high, low = sorted((owner[one], owner[other]), key=lambda peak: (-heights[peak], peak))
        near = (
            neck * 10**4 > (100 - int(height[:-1])) ** 2 * heights[low]
            if isinstance(height, str)
            else math.sqrt(heights[low]) - math.sqrt(neck) < height
        )
        if heights[low] == neck or near:
            owner = {peak: high if top == low else top for peak, top in owner.items()}
    objects = np.zeros(labels.shape, np.uint32)
    for place in places:
        objects[place] = numbers.setdefault(owner[basin[place]], len(numbers) + 1)
    return objects


@pytest.mark.parametrize("seed", range(24))
def test_label_splits_by_the_definition(seed):
    random = random_of(seed)
    dimension = 2 + seed % 2
    shape = tuple(random.integers(5, 32 if dimension == 2 else 10, dimension))
    smooth = ndimage.gaussian_filter(random.random(shape), random.choice([0.6, 1.0]))
    image = (smooth > np.quantile(smooth, random.choice([0.2, 0.4]))).astype(np.uint8)
    rank, by_slice = int(random.integers(1, dimension + 1)), None
    spacing = [float(one) for one in random.choice([0.5, 1, 0.75], dimension)]
    structure = ndimage.generate_binary_structure(dimension, rank)
    if seed % 3 == 0:
        by_slice = int(random.integers(dimension))
        np.moveaxis(structure, by_slice, 0)[::2] = False
        rank = min(rank, dimension - 1)
    split = [True, 0, 0.61, 1.3, "10%", "50%"][seed // 2 % 6]
    components = ndimage.label(image, structure)[0]
    height = 0.75 * min(spacing[axis] for axis in range(dimension) if axis != by_slice) if split is True else split
    expected = split_by_definition(components, structure, spacing, height)
    options = {"connectivity": rank, "by_slice": by_slice, "spacing": spacing}
    found, table = brickccl.label(image, split=split, return_table=True, **options)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(brickccl.split(components, None if split is True else split, **options), expected)
    first = np.unique(expected, return_index=True)[1][-len(table):]
    assert table["parent"].tolist() == components.ravel()[first].tolist()
    # Limits are for objects.
    sizes = np.bincount(expected.ravel())[1:]
    limit = int(np.median(sizes)) + 1
    volume = (limit - 0.5) * math.prod(step for axis, step in enumerate(spacing) if axis != by_slice)
    stays = sizes >= limit
    numbers = np.concatenate([[0], np.where(stays, np.cumsum(stays), 0)])
    for limits in ({"minimum_size": limit}, {"minimum_volume": volume}):
        labeling = brickccl.find(image, split=split, **options, **limits)
        again = pickle.loads(pickle.dumps(labeling))
        for one in (labeling, again, brickccl.find(image, split=split, **options).keep(stays)):
            np.testing.assert_array_equal(one.labels(), numbers[expected])
            kept = one.table()
            assert kept["parent"].tolist() == table["parent"][stays].tolist()
            assert kept["voxel_count"].tolist() == sizes[stays].tolist()
            assert list(kept) == list(table) and list(pickle.loads(pickle.dumps(kept))) == list(table)
    assert set(again.keep("parent == 1").table()["parent"]) <= {1}


def test_label_splits_with_every_option():
    truth = balls()
    image = truth * 10 + 5.0
    options = {"range": (10, 99), "connectivity": 26}
    objects = brickccl.split(truth != 0)
    for more in ({}, {"threads": 1}, {"mask": truth}, {"algorithm": "RunMerging"}, {"split": np.True_}, {"split": 0.75}):
        np.testing.assert_array_equal(brickccl.label(image, **{"split": True, **options, **more}), objects)
    for off in (None, False, np.False_):
        np.testing.assert_array_equal(brickccl.label(image, split=off, **options), brickccl.label(image, **options))
        assert "parent" not in brickccl.find(image, split=off, **options).table()
    sizes = np.bincount(objects.ravel())[1:]
    largest, count = brickccl.label(image, split=True, order="size", largest=2, return_count=True, **options)
    assert count == 2
    np.testing.assert_array_equal(largest == 1, objects == sizes.argmax() + 1)
    one = BALLS[0][:3]
    np.testing.assert_array_equal(brickccl.label(image, split=True, seeds=[one], **options) == 1, objects == objects[one])
    hollow = np.where(truth == 0, 0.0, image)
    hollow[one] = 0
    np.testing.assert_array_equal(brickccl.label(hollow, split=True, fill_holes=True, **options), objects)
    told = []
    brickccl.label(image, split=True, progress=told.append, return_table=True, **options)
    assert told == sorted(told) and told[-1] == 1
    assert brickccl.label(np.zeros((0, 3)), split=True).shape == (0, 3)
    nibabel = pytest.importorskip("nibabel")
    found = brickccl.label(nibabel.Nifti1Image(image.T, np.diag([0.5, 0.5, 0.5, 1])), split=0.375, **options)
    np.testing.assert_array_equal(np.asarray(found.dataobj).T, objects)


@pytest.mark.parametrize(
    ("error", "wrong", "sentence"),
    [
        (TypeError, [1], r"must be .*, not \[1\]"),
        (TypeError, "wide", "must be .*, not 'wide'"),
        (TypeError, 1j, "must be .*, not 1j"),
        (ValueError, -1, "=-1 must be .* of at least 0"),
        (ValueError, math.nan, "=nan must be .* of at least 0"),
        (TypeError, "10", "must be .*, not '10'"),
        (TypeError, "%", "must be .*, not '%'"),
        (ValueError, "0%", "=0% must be .* above 0 and below 100 %"),
        (ValueError, "100%", "=100% must be .* above 0 and below 100 %"),
        (ValueError, "nan%", "=nan% must be "),
        (ValueError, 10**400, "=inf must be .* of at least 0"),
    ],
)
def test_wrong_heights_are_refused(error, wrong, sentence):
    with pytest.raises(error, match=f"split ?{sentence}"):
        brickccl.label(balls(), split=wrong)
    with pytest.raises(error, match=f"height ?{sentence}"):
        brickccl.split(balls(), wrong)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_objects_go_on_through_periodic_ends(axis):
    mask = np.roll(balls() != 0, 25, axis)
    assert brickccl.split(mask).max() > len(BALLS)
    found = brickccl.split(mask, periodic=axis)
    assert found.max() == len(BALLS)
    for ball, (z, y, x, radius) in enumerate(BALLS):
        center = [z, y, x]
        center[axis] = (center[axis] + 25) % mask.shape[axis]
        assert ndimage.sum(found == found[tuple(center)]) > 3.5 * radius**3, ball
    labeling = brickccl.find(mask, connectivity=26, split=True, periodic=axis)
    np.testing.assert_array_equal(labeling.labels(), found)
    assert set(labeling.table()["parent"]) == {1}


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
