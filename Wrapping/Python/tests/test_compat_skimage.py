# SPDX-License-Identifier: Apache-2.0
"""brickccl.compat.skimage beside scikit-image, on random inputs."""

import warnings

import numpy as np
import pytest

from brickccl.compat import skimage as ours
from conftest import in_some_layout, random_mask, random_of, random_shape
from test_compat_scipy import assert_same, outcome, random_labels

measure = pytest.importorskip("skimage.measure")
morphology = pytest.importorskip("skimage.morphology")


def random_image(random):
    dimension = int(random.integers(1, 4))
    shape = random_shape(random, dimension, 9)
    if random.random() < 0.02:
        shape = shape[:-1] + (0,)
    dtype = random.choice(["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "f4", "f8"])
    if dtype == "?":
        return in_some_layout(random, random_mask(random, shape))
    values = random.integers(0, random.integers(1, 6), shape)
    if np.dtype(dtype).kind != "u":
        values = values - random.integers(0, 3)
    image = values.astype(dtype) + (random.choice([0, 0.5]) if np.dtype(dtype).kind == "f" else 0)
    return in_some_layout(random, image.astype(dtype))


def test_label(cases):
    for seed in range(cases):
        random = random_of(seed)
        image = random_image(random)
        arguments = {
            "background": [None, None, 0, 1, -1, 2, 1.5, True][random.integers(0, 8)],
            "return_num": bool(random.integers(0, 2)),
            "connectivity": random.choice([None, 1, 2, 3, 0]),
        }
        if image.dtype.kind == "u" and arguments["background"] == -1:
            arguments["background"] = None
        expected, found = outcome(measure.label, image, **arguments), outcome(ours.label, image, **arguments)
        assert_same(expected, found, f"seed {seed} {arguments}")


@pytest.mark.parametrize(
    "image", [np.zeros((1, 2, 2, 2), int), np.zeros((1, 2, 2, 2), bool), np.array(1), np.array(True), np.zeros((0, 2), int)]
)
def test_label_of_unusual_arguments_gives_the_same_or_an_error(image):
    assert_same(outcome(measure.label, image), outcome(ours.label, image))


def test_remove_small_objects(cases):
    for seed in range(cases // 3):
        random = random_of(seed)
        if random.random() < 0.5:
            image = in_some_layout(random, random_mask(random, random_shape(random, int(random.integers(1, 5)), 7)))
        else:
            image = random_labels(random)
        arguments = {
            "max_size": random.choice([-1, 0, 1, 2, 3, 5, 8, 1.5, 2.0]),
            "connectivity": int(random.integers(0, image.ndim + 2)),
        }
        if random.random() < 0.3:
            arguments["out"] = np.empty(image.shape, image.dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = morphology.remove_small_objects(image, **arguments).copy()
            found = ours.remove_small_objects(image, **arguments)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected, f"seed {seed} {arguments}")
        assert "out" not in arguments or found is arguments["out"]


def test_remove_small_objects_warns_and_raises_as_there():
    labels = np.array([1, 1, 0, 1])
    for function in (morphology.remove_small_objects, ours.remove_small_objects):
        with pytest.warns(UserWarning, match="nly one label"):
            function(labels, max_size=1)
        with pytest.raises(TypeError):
            function(labels * 1.5)
        with pytest.raises(ValueError):
            function(-labels)
        with pytest.warns(FutureWarning):
            function(labels > 0, min_size=2)


@pytest.mark.parametrize("out_type", [bool, np.uint8, np.int64])
@pytest.mark.parametrize("in_type", [bool, np.uint8, np.int64])
def test_the_type_of_out_says_whether_small_objects_are_found_first(in_type, out_type):
    image = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]]).astype(in_type)
    for size in (0, 1, 2, 9):
        results = []
        for function in (morphology.remove_small_objects, ours.remove_small_objects):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                result = function(image, max_size=size, out=np.empty(image.shape, out_type))
            results.append((result.tolist(), result.dtype, [one.category for one in told]))
        assert results[0] == results[1], size


def test_the_old_min_size_is_exclusive_again():
    image = np.array([1, 1, 1, 0, 1, 1], bool)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ours.remove_small_objects(image, min_size=3).tolist() == [True, True, True, False, False, False]


def test_euler_number(cases):
    for seed in range(cases // 3):
        random = random_of(seed)
        dimension = int(random.integers(2, 4))
        image = random_mask(random, random_shape(random, dimension, 8)) * random.choice([1, 3, -1])
        for connectivity in (None, 1, dimension):
            expected, found = measure.euler_number(image, connectivity), ours.euler_number(image, connectivity)
            assert found == expected and type(found) is type(expected), f"seed {seed} {connectivity}"
    with pytest.raises(NotImplementedError):
        ours.euler_number(np.ones((3, 3, 3)), 2)


PROPERTIES = (
    "label area area_bbox bbox centroid centroid_local equivalent_diameter_area euler_number extent intensity_max "
    "intensity_mean intensity_median intensity_min intensity_std num_pixels"
).split()


def test_regionprops_table(cases):
    for seed in range(cases // 10):
        random = random_of(seed)
        dimension = int(random.integers(2, 4))
        labels = random.integers(0, 4, random_shape(random, dimension, 9)).astype(random.choice(["u1", "i4", "i8"]))
        labels = np.where(random.random(labels.shape) < random.random(), labels, 0).astype(labels.dtype)
        gray = (100 * random.random(labels.shape)).astype(random.choice(["?", "u1", "i2", "f4", "f8"]))
        if gray.dtype.kind == "f" and random.random() < 0.3:
            gray[random.random(gray.shape) < 0.1] = np.nan
        names = list(random.permutation(PROPERTIES))
        if dimension == 2:
            names += ["axis_major_length", "axis_minor_length"]
        spacing = [None, None, 2, 0.5, tuple(0.5 + random.random(dimension)), np.arange(1, dimension + 1)][random.integers(0, 6)]
        if np.ndim(spacing):
            # scikit-image counts holes of anisotropic pixels as those of square ones, and so do we; moments are there
            # those of points.
            names = [name for name in names if not name.startswith("axis_")]
        arguments = {"properties": names, "spacing": spacing, "separator": random.choice(["-", "_"])}
        expected = measure.regionprops_table(labels, gray, **arguments)
        found = ours.regionprops_table(labels, gray, **arguments)
        assert list(found) == list(expected), f"seed {seed}"
        for name, values in expected.items():
            context = f"seed {seed} {name}"
            assert found[name].dtype.kind == values.dtype.kind, context
            tolerance = {"rtol": 1e-9, "atol": 1e-9}
            if gray.dtype == np.float32 and name.startswith("int"):
                tolerance = {"rtol": 1e-5, "atol": 1e-5}
            elif name.startswith("axis_"):
                # A short axis is the root of a difference of squares of coordinates, of which only that is rounded.
                longest = max(labels.shape) * (spacing or 1)
                np.testing.assert_allclose(found[name] ** 2, values**2, rtol=1e-9, atol=1e-14 * longest**2, err_msg=context)
                continue
            np.testing.assert_allclose(found[name], values, err_msg=context, **tolerance)


def test_regionprops_table_of_values_that_are_infinite_or_have_such_sums():
    largest = np.finfo(np.float64).max
    gray = np.array([[-np.inf, 1, 1e200, 2e200], [1e308, -1e308, 1e308, np.inf], [largest, 0.5, np.nan, 1.0]])
    labels = np.array([[1, 1, 2, 2], [3, 3, 3, 4], [5, 5, 6, 6]])
    names = ("intensity_mean", "intensity_std", "intensity_median", "intensity_min", "intensity_max")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for chosen in (names, names[:2], names[2:3]):
            found = ours.regionprops_table(labels, gray, chosen)
            for name, values in measure.regionprops_table(labels, gray, chosen).items():
                np.testing.assert_allclose(found[name], values, rtol=1e-12, err_msg=name)


def test_a_separator_is_a_text():
    for function in (measure.regionprops_table, ours.regionprops_table):
        with pytest.raises(AttributeError):
            function(np.eye(3, dtype=int), properties=("bbox",), separator=1)


def test_regionprops_table_of_what_is_not_supported():
    labels = np.eye(3, dtype=int)
    with pytest.raises(NotImplementedError, match="solidity"):
        ours.regionprops_table(labels, properties=("solidity",))
    with pytest.raises(AttributeError):
        ours.regionprops_table(labels, properties=("intensity_mean",))
    with pytest.raises(TypeError):
        ours.regionprops_table(labels > 0)
    with pytest.raises(TypeError):
        ours.regionprops_table(labels * 1.0)
    with pytest.raises(NotImplementedError):
        ours.regionprops_table(labels, extra_properties=(lambda mask: 1,))
    masked = np.ma.masked_array(labels, labels > 0)
    with pytest.raises(NotImplementedError, match="masked arrays"):
        ours.regionprops_table(masked)
    with pytest.raises(NotImplementedError, match="masked arrays"):
        ours.regionprops_table(labels, masked)


@pytest.mark.parametrize("spacing", [(1,), (1, 2, 3), [[1, 2]], "a", (1, 1j)])
def test_a_spacing_of_no_sense_is_an_error(spacing):
    assert outcome(ours.regionprops_table, np.eye(3, dtype=int), spacing=spacing) == "an error"
