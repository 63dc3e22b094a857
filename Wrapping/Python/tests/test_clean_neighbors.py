# SPDX-License-Identifier: Apache-2.0
"""Cleaning, holes and sweeps with neighborhoods of one's own and periodic axes, beside a flood fill and scipy."""

import numpy as np
import pytest
from scipy import ndimage

import brickccl
from conftest import all_steps, flood_fill, in_some_layout, random_mask, random_neighborhood, random_shape


def axes_of(structure):
    return sorted({axis for step in all_steps(structure.ndim) if structure[tuple(np.add(step, 1))] for axis in np.flatnonzero(step)})


def dual_of(structure):
    """The neighbors of the background: all along the axes that the objects' neighbors have, or those by faces."""
    used = axes_of(structure)
    has_faces_alone = all(np.abs(step).sum() == 1 for step in all_steps(structure.ndim) if structure[tuple(np.add(step, 1))])
    dual = np.zeros_like(structure)
    for step in all_steps(structure.ndim):
        along = np.flatnonzero(step)
        dual[tuple(np.add(step, 1))] = set(along) <= set(used) and (has_faces_alone or len(along) == 1)
    return dual


def faces_around(image, hole, periodic, axes):
    """The values with which the voxels of a hole share faces."""
    faces = set()
    for axis in axes:
        for step in (-1, 1):
            beside = np.roll(image, step, axis)
            if axis not in periodic:
                beside[(slice(None),) * axis + ((0,) if step == 1 else (-1,))] = 0
            faces |= set(beside[hole]) - {0}
    return faces


def clean_by_flood_fill(image, structure, periodic, largest=None, minimum_size=0, fill=0):
    image = image.copy()
    for value in np.unique(image[image != 0]):
        labels, count = flood_fill(image == value, structure, periodic=periodic)
        sizes = np.bincount(labels.ravel(), minlength=count + 1)
        for place, label in enumerate(sorted(range(1, count + 1), key=lambda label: -sizes[label])):
            if sizes[label] < minimum_size or largest is not None and place >= largest:
                image[labels == label] = 0
    dual, before = dual_of(structure), image.copy()
    within = [axis for axis in periodic if axis in axes_of(dual)]
    labels, count = flood_fill(before == 0, dual, periodic=within)
    edges = [axis for axis in axes_of(dual) if axis not in within and image.shape[axis] > 1]
    filled = 0
    for label in range(1, count + 1):
        hole = labels == label
        places = np.argwhere(hole)
        is_open = any((places[:, axis] % (image.shape[axis] - 1) == 0).any() for axis in edges)
        if is_open or hole.sum() > fill:
            continue
        faces = faces_around(before, hole, within, axes_of(dual))
        if len(faces) == 1:
            image[hole] = min(faces)
            filled += 1
    return image, filled


def random_classes(random, most=8):
    shape = random_shape(random, int(random.integers(1, 4)), most)
    return (random_mask(random, shape) * random.integers(1, 4, shape)).astype(random.choice(["u1", "i2", "f4"]))


@pytest.mark.parametrize("seed", range(120))
def test_clean_is_that_of_the_oracle(seed):
    random = np.random.default_rng(seed)
    image = random_classes(random)
    structure = random_neighborhood(random, image.ndim)
    used = axes_of(structure)
    periodic = [int(axis) for axis in used if random.random() < 0.4]
    arguments = {"minimum_size": int(random.integers(0, 4)), "largest": int(random.integers(1, 4)) if seed % 2 else None}
    # Where no border is left there are no holes, nothing but holes.
    may_fill = any(axis not in periodic and image.shape[axis] > 1 for axis in used)
    most = int(random.integers(1, 9)) if may_fill else 0
    expected, _ = clean_by_flood_fill(image, structure, periodic, fill=most, **arguments)
    holes = {"fill_holes": True, "maximum_hole_size": most} if may_fill else {}
    found = brickccl.clean(
        in_some_layout(random, image), neighborhood=structure, periodic=periodic, **arguments, **holes
    )
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("seed", range(60))
def test_holes_of_periodic_images_are_those_of_the_oracle(seed):
    random = np.random.default_rng(seed)
    image = random.random(random.integers(3, 8, int(random.integers(2, 4)))) < random.uniform(0.4, 0.8)
    rank = int(random.integers(1, image.ndim + 1))
    structure = np.asarray(ndimage.generate_binary_structure(image.ndim, rank))
    periodic = [int(axis) for axis in random.permutation(image.ndim)[: int(random.integers(1, image.ndim))]]
    expected, count = clean_by_flood_fill(image.astype(np.uint8), structure, periodic, fill=np.inf)
    found, number = brickccl.fill_holes(image, connectivity=rank, periodic=periodic, return_count=True)
    np.testing.assert_array_equal(found, expected != 0)
    assert number == count
    # scipy has no periodic axes: three copies side by side have the same holes in the middle.
    everywhere = [(size, size) if axis in periodic else (0, 0) for axis, size in enumerate(image.shape)]
    copies = ndimage.binary_fill_holes(
        np.pad(image, everywhere, mode="wrap"), ndimage.generate_binary_structure(image.ndim, image.ndim if rank == 1 else 1)
    )
    middle = copies[tuple(slice(before, before + size) for (before, _), size in zip(everywhere, image.shape))]
    # A hole that is longer than the image has its ends outside of the copies.
    assert (found >= middle).all()


def test_a_gap_between_walls_is_a_hole_where_it_goes_around():
    walls = np.zeros((5, 4), np.uint8)
    walls[1] = walls[3] = 7
    assert brickccl.fill_holes(walls, periodic="x").sum(axis=1).tolist() == [0, 28, 28, 28, 0]
    assert brickccl.fill_holes(walls)[2].max() == 0
    assert brickccl.clean(walls, periodic=1, fill_holes=True)[2].tolist() == [7] * 4
    # The two ends of a class are one component.
    ends = np.array([[1, 0, 0, 1], [0, 2, 0, 0]], np.uint8)
    assert brickccl.clean(ends, minimum_size=2).max() == 0
    assert brickccl.clean(ends, minimum_size=2, periodic="x").tolist() == [[1, 0, 0, 1], [0, 0, 0, 0]]
    with pytest.raises(NotImplementedError, match="periodic along xy"):
        brickccl.fill_holes(walls, periodic="xy")


def test_holes_by_slice_of_a_neighborhood():
    random = np.random.default_rng(3)
    mask = random.random((5, 12, 13)) < 0.6
    for rank in (1, 2):
        structure = np.zeros((3, 3, 3), bool)
        structure[1] = ndimage.generate_binary_structure(2, rank)
        structure[:, 1, 1] = True
        in_slices = ndimage.generate_binary_structure(2, 2 if rank == 1 else 1)
        expected = np.stack([ndimage.binary_fill_holes(plane, in_slices) for plane in mask])
        np.testing.assert_array_equal(brickccl.fill_holes(mask, neighborhood=structure, by_slice=0), expected)
        assert not np.array_equal(expected, brickccl.fill_holes(mask, neighborhood=structure))
    flat = np.zeros((3, 3, 3))
    flat[:, :, 1] = 1
    with pytest.raises(ValueError, match="holes within slices along z cannot be combined with components of"):
        brickccl.fill_holes(mask, neighborhood=flat, by_slice=0)


@pytest.mark.parametrize("seed", range(40))
def test_sweeps_are_labelings_of_each_threshold(seed):
    random = np.random.default_rng(seed)
    image = random.integers(0, 9, random_shape(random, int(random.integers(1, 4)))).astype(random.choice(["u1", "f4", "i8"]))
    structure = random_neighborhood(random, image.ndim)
    periodic = [int(axis) for axis in axes_of(structure) if random.random() < 0.5]
    below = bool(seed % 2)
    curve = brickccl.sweep(image, 1, 7, 4, below=below, neighborhood=structure, periodic=periodic)
    assert curve["threshold"].tolist() == [1, 3, 5, 7]
    for place, threshold in enumerate(curve["threshold"]):
        labels, count = flood_fill(image < threshold if below else image >= threshold, structure, periodic=periodic)
        assert curve["components"][place] == count
        assert curve["largest_voxel_count"][place] == (np.bincount(labels.ravel())[1:].max() if count else 0)
        assert curve["voxel_count"][place] == (labels != 0).sum()


@pytest.mark.parametrize("function, bounds", [("clean", ()), ("fill_holes", ()), ("sweep", (1, 2))])
@pytest.mark.parametrize(
    "text, arguments",
    [
        ("replaces connectivity", {"neighborhood": np.ones((3, 3)), "connectivity": 4}),
        (r"shape \(3, 3\), as the image", {"neighborhood": np.ones((3, 3, 3))}),
        ("periodic=2 is not an axis", {"periodic": 2}),
        ("cannot be periodic along y", {"periodic": 0, "neighborhood": [[0, 0, 0], [1, 1, 1], [0, 0, 0]]}),
    ],
)
def test_arguments_without_meaning_are_told(function, bounds, text, arguments):
    with pytest.raises(ValueError, match=text):
        getattr(brickccl, function)(np.ones((4, 5)), *bounds, **arguments)
