# SPDX-License-Identifier: Apache-2.0
"""Cleaning of segmentations, holes, and what decides which components stay, beside scipy and loops over classes."""

import numpy as np
import pytest
from scipy import ndimage

import brickccl


def structure(ndim, rank):
    return ndimage.generate_binary_structure(ndim, rank)


def classes(shape, seed, values=(0, 0, 1, 2, 3), dtype=np.uint8):
    """Grains along the last axis."""
    random = np.random.default_rng(seed)
    image = random.choice(np.array(values, dtype), size=shape)
    repeats = random.random(shape) < 0.5
    for place in range(1, shape[-1]):
        image[..., place] = np.where(repeats[..., place], image[..., place - 1], image[..., place])
    return image


def clean_by_loops(image, rank, largest=None, minimum_size=0, fill=None, values=None):
    image = image.copy()
    ndim = image.ndim
    every = [value for value in np.unique(image) if value != 0]
    asked = every if values is None else values
    for value in every:
        if value not in asked:
            continue
        labels, count = ndimage.label(image == value, structure(ndim, rank))
        sizes = np.bincount(labels.ravel(), minlength=count + 1)
        order = sorted(range(1, count + 1), key=lambda label: -sizes[label])
        for place, label in enumerate(order):
            if sizes[label] < minimum_size or (largest is not None and place >= largest):
                image[labels == label] = 0
    if fill is not None:
        before = np.pad(image, 1)
        # Outside of the image there is background, joined to it only by faces.
        labels, count = ndimage.label(image == 0, structure(ndim, ndim if rank == 1 else 1))
        inner = np.pad(np.zeros(tuple(size - 2 for size in image.shape), bool), 1, constant_values=True)
        for label in range(1, count + 1):
            hole = labels == label
            if (hole & inner).any() or hole.sum() > fill:
                continue
            faces = set()
            for axis in range(ndim):
                for step in (-1, 1):
                    around = np.roll(before, step, axis)[(slice(1, -1),) * ndim][hole]
                    faces |= set(around[around != 0])
            if len(faces) == 1 and min(faces) in asked:
                image[hole] = min(faces)
    return image


@pytest.mark.parametrize("shape", [(17, 19), (8, 9, 10), (4, 5, 6, 6)])
@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "f4", "f2", ">u2"])
def test_clean_is_what_loops_over_classes_give(shape, dtype):
    for rank in range(1, len(shape) + 1):
        image = classes(shape, rank, dtype=np.dtype(dtype))
        for options, arguments in (
            ({"fill": np.inf}, {"fill_holes": True}),
            ({"largest": 1, "fill": 3}, {"largest": 1, "fill_holes": True, "maximum_hole_size": 3}),
            ({"minimum_size": 4, "fill": 2}, {"minimum_volume": 2.0, "fill_holes": 1.0, "spacing": 0.5 ** (1 / len(shape))}),
            ({"largest": 2, "values": [1, 3], "fill": np.inf}, {"largest": 2, "values": [1, 3], "fill_holes": True}),
        ):
            result = brickccl.clean(image, connectivity=rank, **arguments)
            assert result.dtype == image.dtype.newbyteorder("=")
            np.testing.assert_array_equal(result, clean_by_loops(image, rank, **options))


@pytest.mark.parametrize("seed", range(20))
def test_fill_holes_is_scipys_with_full_connectivity(seed):
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(5, 15, random.integers(1, 4)))
    mask = random.random(shape) < random.uniform(0.3, 0.8)
    filled, count = brickccl.fill_holes(mask, connectivity=mask.ndim, return_count=True)
    assert filled.dtype == bool
    np.testing.assert_array_equal(filled, ndimage.binary_fill_holes(mask))
    assert count == ndimage.label(filled & ~mask)[1]
    # The background of face-connected objects has all neighbors.
    everywhere = np.ones((3,) * mask.ndim)
    np.testing.assert_array_equal(brickccl.fill_holes(mask), ndimage.binary_fill_holes(mask, everywhere))


def test_fill_holes_by_slice_and_up_to_a_volume():
    mask = np.random.default_rng(3).random((6, 30, 31)) < 0.55
    by_slice = np.stack([ndimage.binary_fill_holes(plane) for plane in mask])
    np.testing.assert_array_equal(brickccl.fill_holes(mask, connectivity=26, by_slice=0), by_slice)
    holes = ndimage.binary_fill_holes(mask) & ~mask
    labels, count = ndimage.label(holes)
    sizes = np.bincount(labels.ravel())
    small = mask | (holes & (sizes[labels] <= 2))
    np.testing.assert_array_equal(brickccl.fill_holes(mask, connectivity=26, maximum_size=2), small)
    np.testing.assert_array_equal(brickccl.fill_holes(mask, connectivity=26, maximum_volume=6.0, spacing=(3, 1, 1)), small)


def test_report_says_what_was_done():
    image = np.array([[-3, -3, -3, 0, 5], [-3, 0, -3, 0, 0], [-3, -3, -3, 0, 5]], np.int16)
    result, report = brickccl.clean(image, largest=1, fill_holes=True, return_report=True)
    assert report == [brickccl.CleanedClass(-3, 1, 8, 0, 0, 1, 1), brickccl.CleanedClass(5, 2, 2, 1, 1, 0, 0)]
    assert result[1, 1] == -3 and result[2, 4] == 0
    big = np.array([2**63 + 1, 0, 2**64 - 1], np.uint64)
    assert [one.value for one in brickccl.clean(big, return_report=True)[1]] == [2**63 + 1, 2**64 - 1]


def test_out_may_be_the_segmentation():
    image = classes((9, 10, 11), 5)
    expected = brickccl.clean(image, largest=1, fill_holes=True)
    other = np.empty_like(image)
    assert brickccl.clean(image, largest=1, fill_holes=True, out=other) is other
    np.testing.assert_array_equal(other, expected)
    assert brickccl.clean(image, largest=1, fill_holes=True, out=image) is image
    np.testing.assert_array_equal(image, expected)
    with pytest.raises(TypeError, match="must be the image's type"):
        brickccl.clean(image, out=np.empty(image.shape, np.int64))
    with pytest.raises(ValueError, match="shape"):
        brickccl.clean(image, out=np.empty((3, 3), np.uint8))
    whole = np.zeros(2 * image.size - 1, np.uint8)
    with pytest.raises(ValueError, match="overlaps"):
        brickccl.clean(whole[:100], out=whole[1:101])


def test_images_come_back_with_their_geometry():
    nibabel = pytest.importorskip("nibabel")
    array = classes((7, 8, 9), 2)
    image = nibabel.Nifti1Image(array, np.diag([-2.0, -3.0, 4.0, 1.0]))
    cleaned = brickccl.clean(image, minimum_volume=48.0, fill_holes=True)
    np.testing.assert_array_equal(np.asarray(cleaned.dataobj), clean_by_loops(array, 1, minimum_size=2, fill=np.inf))
    np.testing.assert_array_equal(cleaned.affine, image.affine)
    labels, count = brickccl.label(image, seeds=[(1, 2, 3)], return_count=True)
    expected = ndimage.label(array)[0]
    np.testing.assert_array_equal(np.asarray(labels.dataobj) != 0, (expected == expected[1, 2, 3]) & (expected != 0))
    assert count == int(expected[1, 2, 3] != 0)


def test_seeds_border_and_mask_keep_components():
    image = np.random.default_rng(8).random((12, 13, 14)) < 0.25
    labels, count = ndimage.label(image)
    seeds = [(3, 4, 5), (0, 0, 0), (11, 12, 13), (6, 6, 6)]
    stays = np.unique(labels[tuple(np.transpose(seeds))])
    np.testing.assert_array_equal(brickccl.label(image, seeds=seeds) != 0, np.isin(labels, stays[stays != 0]))
    inner = labels[1:-1, 1:-1, 1:-1]
    edge = np.unique(np.pad(np.zeros_like(inner, bool), 1, constant_values=True) * labels)
    np.testing.assert_array_equal(brickccl.label(image, clear_border=True) != 0, image & ~np.isin(labels, edge[edge != 0]))
    mask = np.random.default_rng(9).random(image.shape) < 0.02
    near = np.unique(labels[mask])
    np.testing.assert_array_equal(brickccl.label(image, touching=mask) != 0, np.isin(labels, near[near != 0]))
    labeling = brickccl.find(image, touching=mask, clear_border=True, minimum_size=2, order="size")
    assert labeling.count < (near != 0).sum()
    assert (np.diff(labeling.table()["voxel_count"]) <= 0).all()
    assert brickccl.label(image, seeds=[]).max() == 0


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_label_fills_holes_before_labeling(rank):
    image = np.random.default_rng(rank).random((15, 16, 17)) < 0.6
    everywhere = structure(3, 3 if rank == 1 else 1)
    filled = ndimage.binary_fill_holes(image, everywhere)
    expected = ndimage.label(filled, structure(3, rank))[0]
    np.testing.assert_array_equal(brickccl.label(image, fill_holes=True, connectivity=rank), expected)


@pytest.mark.parametrize(
    "arguments, error, saying",
    [
        ({"seeds": [(1, 2)]}, ValueError, "3 numbers"),
        ({"seeds": [(1, 2, 4)]}, ValueError, "outside"),
        ({"seeds": [(-1, 2, 3)]}, ValueError, "outside"),
        ({"seeds": [(1.0, 2.0, 3.0)]}, TypeError, "whole numbers"),
        ({"touching": np.ones((2, 2))}, ValueError, "touching"),
        ({"fill_holes": 2.0}, ValueError, "spacing"),
        ({"fill_holes": "yes"}, TypeError, "truth value"),
    ],
)
def test_label_refuses_what_has_no_meaning(arguments, error, saying):
    with pytest.raises(error, match=saying):
        brickccl.label(np.ones((4, 4, 4), np.uint8), **arguments)


@pytest.mark.parametrize(
    "arguments, error, saying",
    [
        ({"values": [0]}, ValueError, "background"),
        ({"background": 256}, ValueError, "does not fit the type"),
        ({"minimum_volume": 2.0}, ValueError, "spacing"),
        ({"largest": -1}, ValueError, "largest"),
        ({"holes_by_slice": 0}, ValueError, "need fill_holes"),
        ({"fill_holes": True, "holes_by_slice": 3}, ValueError, "holes_by_slice=3 is not an axis"),
        ({"connectivity": 5}, ValueError, "5"),
    ],
)
def test_clean_refuses_what_has_no_meaning(arguments, error, saying):
    with pytest.raises(error, match=saying):
        brickccl.clean(np.ones((4, 4, 4), np.uint8), **arguments)


def test_sweep_is_a_labeling_for_each_threshold():
    image = np.random.default_rng(4).normal(0, 10, (9, 10, 11)).astype(np.float32)
    for below in (False, True):
        curve = brickccl.sweep(image, -8, 8, 5, below=below, connectivity=18)
        np.testing.assert_array_equal(curve["threshold"], [-8, -4, 0, 4, 8])
        for place, threshold in enumerate(curve["threshold"]):
            mask = image < threshold if below else image >= threshold
            labels, count = ndimage.label(mask, structure(3, 2))
            assert curve["components"][place] == count
            assert curve["largest_voxel_count"][place] == np.bincount(labels.ravel())[1:].max()
            assert curve["voxel_count"][place] == mask.sum()
            assert curve["fraction"][place] == mask.mean()
    with pytest.raises(ValueError, match="must be below the last"):
        brickccl.sweep(image, 1, 1)
    with pytest.raises(ValueError, match="steps"):
        brickccl.sweep(image, 0, 1, 1)
