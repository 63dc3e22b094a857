# SPDX-License-Identifier: Apache-2.0
"""brickccl.compat.scipy beside scipy.ndimage, on random inputs."""

import itertools
import os
import pathlib
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

from brickccl.compat import scipy as ours
from conftest import in_some_layout, random_mask, random_of, random_shape

theirs = pytest.importorskip("scipy.ndimage")

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


def assert_same(expected, found, context=""):
    """The same result, or an error of both."""
    assert type(found) is type(expected), context
    if isinstance(expected, tuple):
        assert len(found) == len(expected), context
        for one, other in zip(expected, found):
            assert_same(one, other, context)
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype, context
        assert found.flags.c_contiguous == expected.flags.c_contiguous, context
        np.testing.assert_array_equal(found, expected, context)
    elif isinstance(expected, dict):
        assert list(found) == list(expected), context
        for key, value in expected.items():
            assert_same(value, found[key], context)
    else:
        assert found == expected, context


def outcome(function, *arguments, **named):
    try:
        return function(*arguments, **named)
    except Exception:
        return "an error"


def random_structure(random, dimension):
    """A generated structure along all or some axes, or any symmetric one."""
    if random.random() < 0.5:
        half = random.random((3**dimension - 1) // 2) < random.random()
        return np.concatenate([half, [True], half[::-1]]).reshape((3,) * dimension)
    structure = theirs.generate_binary_structure(dimension, int(random.integers(1, dimension + 1)))
    if random.random() < 0.3:
        for axis in range(dimension):
            if random.random() < 0.4:
                index = [slice(None)] * dimension
                for side in (0, 2):
                    index[axis] = side
                    structure[tuple(index)] = False
    if random.random() < 0.2:
        # The center is of no meaning.
        structure[(1,) * dimension] = False
    return structure


def random_image(random):
    dimension = int(random.integers(1, 6))
    shape = random_shape(random, dimension, {5: 4, 4: 6}.get(dimension, 10))
    if dimension == 5:
        shape = tuple(1 if axis == random.integers(0, 5) else size for axis, size in enumerate(shape[:4])) + (1,)
    if random.random() < 0.02:
        shape = shape[:-1] + (0,)
    if random.random() < 0.01:
        shape = ()
    image = np.asarray(random_mask(random, shape)).astype(random.choice(TYPES))
    image = np.array(image)
    if not image.ndim:
        return image
    if image.dtype.kind == "f" and image.size:
        image[random.random(shape) < 0.1] = random.choice([np.nan, -0.0, np.inf, 1e-300])
    if image.dtype.kind == "i":
        image = -image
    return in_some_layout(random, image)


def test_label(cases):
    for seed in range(cases):
        random = random_of(seed)
        image = random_image(random)
        structure = None if image.ndim == 0 or random.random() < 0.3 else random_structure(random, image.ndim)
        output = random.choice([None, None, "u1", "i2", "i4", "i8", "f4", "array"])
        if output == "array":
            kind = random.choice(["u1", "i4", "u8", "f8"])
            one, other = (np.full(image.shape, 9, kind) for _ in range(2))
            if random.random() < 0.3:
                one, other = np.asfortranarray(one), np.asfortranarray(other)
            expected = outcome(theirs.label, image, structure, one)
            found = outcome(ours.label, image, structure, other)
            if isinstance(expected, int):
                np.testing.assert_array_equal(other, one, f"seed {seed}")
        else:
            expected = outcome(theirs.label, image, structure, output)
            found = outcome(ours.label, image, structure, output)
        assert_same(expected, found, f"seed {seed}")


def test_label_of_many_components_in_narrow_types():
    image = np.zeros((30, 40), bool)
    image[::2, ::2] = True
    for output in ("u1", "i1", "i2", "f2", "f4", "?"):
        assert_same(outcome(theirs.label, image, None, output), outcome(ours.label, image, None, output), output)


@pytest.mark.parametrize(
    "arguments",
    [
        ([1, 0, 1],),
        (np.array(3),),
        (np.array([1j]),),
        (np.array(["a"]),),
        (np.array([None]),),
        (np.eye(3), np.ones((3,))),
        (np.eye(3), np.ones((3, 5))),
        (np.eye(3), [[1, 0, 0], [0, 1, 0], [0, 0, 0]]),
        (np.eye(3), None, np.zeros((2, 2), int)),
        (np.eye(3), None, complex),
        (np.eye(3), np.zeros((3, 3))),
    ],
)
def test_label_of_unusual_arguments_gives_the_same_or_an_error(arguments):
    assert_same(outcome(theirs.label, *arguments), outcome(ours.label, *arguments))


def test_all_structures_of_2_dimensions():
    image = np.random.default_rng(1).random((12, 13)) < 0.5
    for bits in itertools.product((0, 1), repeat=4):
        structure = np.array(bits + (1,) + bits[::-1]).reshape(3, 3)
        assert_same(theirs.label(image, structure), ours.label(image, structure), str(structure))


def test_more_axes_than_the_engine_has_are_not_supported():
    with pytest.raises(NotImplementedError, match="5 axes"):
        ours.label(np.ones((2,) * 5))


def random_labels(random, most=12):
    dtype = random.choice(["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
    labels = random.integers(0, random.integers(1, most), random_shape(random, int(random.integers(1, 5)), 7))
    return in_some_layout(random, labels.astype(dtype))


def test_more_axes_than_the_engine_has_are_there_if_most_have_one_element(cases):
    for seed in range(cases // 30):
        random = random_of(seed)
        shape = [1, 1, 3, 2, 1, 4] if random.random() < 0.5 else [2, 2, 2, 2, 2]
        labels = random.integers(-2, 4, random.permutation(shape)).astype(random.choice(["i2", "i4"]))
        assert_same(theirs.value_indices(labels), ours.value_indices(labels), f"seed {seed}")
        expected = theirs.sum_labels(labels + 1.5, labels, [0, 1, -2, 9])
        np.testing.assert_allclose(ours.sum_labels(labels + 1.5, labels, [0, 1, -2, 9]), expected, rtol=1e-12)
        if len(shape) == 6:
            assert ours.find_objects(labels) == theirs.find_objects(labels), f"seed {seed}"


@pytest.mark.parametrize("dtype", ["?", "f4", "f8", "f2", "c8", "M8[s]", "O"])
def test_find_objects_up_to_a_label_takes_truth_values_and_floats(dtype):
    labels = np.array([[0, 1, 2], [5, 1, 0]]).astype(dtype)
    samples = [labels] if dtype not in ("f4", "f8") else [labels, labels - labels.dtype.type(0.4), -labels]
    if dtype in ("f4", "f8"):
        samples.append(np.array([np.nan, np.inf, -np.inf, 1e300 if dtype == "f8" else 1e30, 3.99, 0.5], dtype))
    for sample in samples:
        for most in (-1, 0, 1, 4, 2.0, np.float64(2), "1", None):
            expected, found = outcome(theirs.find_objects, sample, most), outcome(ours.find_objects, sample, most)
            assert found == expected, (sample, most)


def test_find_objects(cases):
    for seed in range(cases // 3):
        random = random_of(seed)
        labels = random_labels(random)
        if labels.dtype.kind == "i" and random.random() < 0.2:
            labels = labels - 2
        if random.random() < 0.1:
            labels = labels.astype(labels.dtype.newbyteorder(">"))
        most = int(random.choice([0, 0, 3, 40, -1]))
        expected, found = outcome(theirs.find_objects, labels, most), outcome(ours.find_objects, labels, most)
        assert found == expected, f"seed {seed}"


@pytest.mark.parametrize(
    "labels", [np.array([1.0]), np.array([True]), np.array([1j]), np.zeros((0, 2), int), np.array(2), np.zeros((2, 2), int)]
)
def test_find_objects_of_unusual_arguments_gives_the_same_or_an_error(labels):
    assert outcome(ours.find_objects, labels) == outcome(theirs.find_objects, labels)


def random_index(random):
    """Labels that are asked for: one, all of them, several of any shape, also what is missing, twice there or below 0."""
    wanted = random.integers(random.choice([0, -3]), 14, random_shape(random, int(random.integers(1, 3)), 5))
    wanted = wanted.astype(random.choice(["i1", "i8", "u4"])) if wanted.min() >= 0 else wanted
    return [None, int(wanted.flat[0]), wanted.flat[0], wanted, wanted.tolist(), [], [2, 2, 1, 2, 77]][random.integers(0, 7)]


def test_sum_labels(cases):
    for seed in range(cases // 3):
        random = random_of(seed)
        labels = random_labels(random)
        if random.random() < 0.3:
            labels = labels.astype(random.choice(["i2", "i8", "f2", "f4", "f8"])) - 2
        if labels.dtype.kind == "f" and random.random() < 0.5:
            labels = np.where(random.random(labels.shape) < 0.2, random.choice([np.nan, 0.5, np.inf]), labels)
        values = (100 * random.random(labels.shape)).astype(random.choice(TYPES))
        index = random_index(random)
        expected, found = theirs.sum_labels(values, labels, index), ours.sum_labels(values, labels, index)
        assert type(found) is type(expected), f"seed {seed}"
        assert found.dtype == expected.dtype and found.shape == expected.shape, f"seed {seed}"
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=f"seed {seed}")


def test_sum_labels_broadcasts_and_carries_what_is_not_finite():
    values = np.array([[1.0, np.nan, 2.0], [np.inf, 4.0, -np.inf]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for labels in ([1, 2, 3], np.array([[1], [2]]), np.array([[1, 2, 2], [3, 1, 3]])):
            np.testing.assert_array_equal(
                ours.sum_labels(values, labels, [1, 2, 3, 9]), theirs.sum_labels(values, labels, [1, 2, 3, 9])
            )
    assert ours.sum_labels(values[1:, 1:2]) == 4.0


def test_sum_labels_of_what_is_not_supported():
    for values, labels in (([1j], [1]), ([1.0], [1j]), ([1.0], ["a"])):
        with pytest.raises((TypeError, NotImplementedError)):
            ours.sum_labels(values, labels, [1])


def test_value_indices(cases):
    for seed in range(cases // 3):
        random = random_of(seed)
        values = random_labels(random, 6)
        if values.dtype.kind == "i":
            values = values - 2
        ignored = random.choice([None, 0, 1, 77, 1.5])
        expected, found = theirs.value_indices(values, ignore_value=ignored), ours.value_indices(values, ignore_value=ignored)
        assert set(found) == set(expected), f"seed {seed}"
        assert {type(key) for key in found} == {type(key) for key in expected}
        for key, places in expected.items():
            assert_same(places, found[key], f"seed {seed}")


def test_scipys_own_tests_pass_with_the_stand_ins(tmp_path):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "swapped_scipy", "-p", "no:cacheprovider", "-W", "ignore"]
    options = ["--pyargs", "scipy.ndimage.tests.test_measurements"]
    folder = str(pathlib.Path(__file__).parent)
    paths = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": paths}
    result = subprocess.run([*command, *options], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
    assert int(re.search(r"(\d+) passed", result.stdout)[1]) > 100
