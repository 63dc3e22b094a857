# SPDX-License-Identifier: Apache-2.0
"""brickccl.compat.cc3d beside cc3d, on random inputs.

Left out are inputs for which cc3d is wrong or crashes: `delta` between values of both signs (it subtracts them as
unsigned numbers), -0.0 in float16, byte orders that are not the machine's.
"""

import numpy as np
import pytest

from brickccl.compat import cc3d as ours
from conftest import flood_fill, in_some_layout, random_mask, random_of, random_shape

theirs = pytest.importorskip("cc3d")

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]


def outcome(function, *arguments, **named):
    try:
        return function(*arguments, **named)
    except Exception as error:
        return type(error).__name__


def assert_same(expected, found, context=""):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple) and len(found) == len(expected), context
        for one, other in zip(expected, found):
            assert_same(one, other, context)
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype, context
        assert found.flags.c_contiguous == expected.flags.c_contiguous, context
        assert found.flags.f_contiguous == expected.flags.f_contiguous, context
        np.testing.assert_array_equal(found, expected, context)
    elif isinstance(expected, str):
        # The name of an error; ours may be another one.
        assert isinstance(found, str), context
    else:
        assert found == expected, context


def writeable(array):
    """cc3d takes some arrays that cannot be written, but not all."""
    array = array if array.flags.writeable else array.copy()
    return array


def plain(array):
    """cc3d reads beyond the ends of views that go backwards."""
    return array if array.flags.c_contiguous or array.flags.f_contiguous else np.ascontiguousarray(array)


def random_image(random, dtype=None, most=9):
    dimension = int(random.integers(1, 4))
    shape = random_shape(random, dimension, most)
    dtype = dtype or random.choice(TYPES)
    values = random_mask(random, shape) * random.integers(1, random.integers(2, 6), shape)
    if np.dtype(dtype).kind in "if" and random.random() < 0.3:
        values = np.where(values > 0, values - 9, 0)
    return writeable(in_some_layout(random, values.astype(dtype)))


def is_mistaken(outcome, image, connectivity):
    """Whether cc3d is wrong or fails on arguments that it documents: it labels background in some 2-D masks with 8
    neighbors, expects fewer labels than it finds in others, and takes the only row that is not empty in a way of its
    own, which does not know all types. With a `delta`, it does not join all that are near: the oracle decides then."""
    if isinstance(outcome, str):
        return outcome in ("RuntimeError", "IndexError", "OverflowError") and connectivity != 5
    labels = outcome[0] if isinstance(outcome, tuple) else outcome
    return not np.array_equal(labels != 0, image != 0)


def assert_right(found, image, connectivity, delta=0, binary_image=False, **ignored):
    """As the oracle has it."""
    assert not isinstance(found, str), found
    labels = found[0] if isinstance(found, tuple) else found
    # Differences of floating-point values are rounded to their type.
    values = image if image.dtype.kind == "f" else image.astype(float)
    if image.flags.f_contiguous:
        values, labels = values.T, labels.T
    rank = min(image.ndim, {4: 1, 6: 1, 8: 2, 18: 2, 26: 3}[connectivity])
    limit = image.dtype.type(delta) if image.dtype.kind == "f" else delta
    near = lambda a, b: binary_image or abs(values[a] - values[b]) <= limit
    expected, count = flood_fill(values != 0, rank, near)
    np.testing.assert_array_equal(labels, expected)
    assert not isinstance(found, tuple) or found[1] == count


def test_connected_components(cases):
    mistakes = 0
    for seed in range(cases):
        random = random_of(seed)
        image = random_image(random)
        arguments = {"connectivity": int(random.choice([4, 6, 8, 18, 26, 5])), "return_N": bool(random.integers(0, 2))}
        if random.random() < 0.3 and image.dtype.kind in "iuf" and image.dtype.itemsize > 1 and image.dtype != np.float16:
            arguments["delta"] = image.dtype.type(random.integers(0, 4)).item()
            if image.dtype.kind == "f" and random.random() < 0.5:
                # Values at tenths, which the type does not hold.
                image = (image / image.dtype.type(10)).astype(image.dtype)
                arguments["delta"] = float(random.choice([0.1, 0.2, 0.3, 0.7]))
        if random.random() < 0.3:
            arguments["binary_image"] = True
        if random.random() < 0.2:
            arguments["out_dtype"] = random.choice([np.uint8, np.uint16, np.uint32, np.uint64])
        if random.random() < 0.1:
            # Too few make cc3d give wrong labels.
            arguments["max_labels"] = image.size + int(random.integers(0, 9))
        # In 2-D with 4 neighbors, cc3d takes no notice of binary_image within rows.
        known = image != 0 if "binary_image" in arguments and image.ndim == 2 else image
        expected = outcome(theirs.connected_components, plain(known), **arguments)
        found = outcome(ours.connected_components, image, **arguments)
        context = f"seed {seed} {arguments} {image.dtype} {image.shape}"
        differs = arguments.get("delta") and not isinstance(expected, str) and not np.array_equal(
            expected[0] if arguments["return_N"] else expected, found[0] if arguments["return_N"] else found
        )
        if differs or is_mistaken(expected, image, arguments["connectivity"]):
            mistakes += 1
            assert_right(found, image, **arguments)
            continue
        assert_same(expected, found, context)
    assert mistakes < 0.1 * cases


@pytest.mark.parametrize("shape", [(300, 300), (44, 45, 46), (60, 60, 60), (70001,), (3, 200, 200)])
@pytest.mark.parametrize("kind", ["checkerboard", "noise", "full", "segments"])
def test_types_of_labels_of_large_images(shape, kind):
    random = np.random.default_rng(7)
    image = {
        "checkerboard": np.indices(shape).sum(axis=0) % 2,
        "noise": random.random(shape) < 0.5,
        "full": np.ones(shape),
        "segments": random.integers(0, 4, shape),
    }[kind].astype(np.uint8)
    for array in (image, image > 0, np.asfortranarray(image)):
        for connectivity in (6, 18, 26):
            for binary in (False, True):
                arguments = {"connectivity": connectivity, "binary_image": binary}
                expected = outcome(theirs.connected_components, array, **arguments)
                if not is_mistaken(expected, array, connectivity):
                    assert_same(expected, ours.connected_components(array, **arguments), str((arguments, array.dtype)))
        for out_dtype in (np.uint16, np.uint32):
            expected = outcome(theirs.connected_components, array, out_dtype=out_dtype)
            if not is_mistaken(expected, array, 26):
                assert_same(expected, outcome(ours.connected_components, array, out_dtype=out_dtype))


@pytest.mark.parametrize(
    "arguments",
    [
        {"data": np.zeros((2, 2, 2, 2))},
        {"data": np.array(1)},
        {"data": np.zeros((0, 3), np.int16)},
        {"data": np.zeros((0, 3), np.int16), "return_N": True},
        {"data": np.zeros((0, 3), np.int16), "out_dtype": np.uint32},
        {"data": np.array([1j])},
        {"data": np.array([None])},
        {"data": np.array([1, 2]), "delta": -1},
        {"data": np.array([1, 2], np.uint8), "delta": 256},
        {"data": np.array([1, 2], np.float16), "delta": 1},
        {"data": np.array([1, 2]), "periodic_boundary": True},
        {"data": np.array([1, 2, 9], np.int8), "delta": 127},
    ],
)
def test_unusual_arguments_give_the_same_or_an_error(arguments):
    assert_same(outcome(theirs.connected_components, **arguments), outcome(ours.connected_components, **arguments))


def test_what_is_not_supported_is_told():
    with pytest.raises(NotImplementedError, match="NaN"):
        ours.connected_components(np.array([1.0, np.nan]))
    with pytest.raises(NotImplementedError, match="connectivity 26"):
        ours.contacts(np.ones((2, 2, 2), int))


def test_differences_of_both_signs_are_true_ones():
    assert ours.connected_components(np.array([-1, 1, 3]), delta=2).tolist() == [1, 1, 1]


def test_labels_go_to_a_file(tmp_path):
    image = np.asfortranarray(np.random.default_rng(1).random((5, 6, 7)) < 0.3)
    files = [str(tmp_path / name) for name in ("theirs", "ours")]
    expected = theirs.connected_components(image, out_file=files[0])
    found = ours.connected_components(image, out_file=files[1])
    assert isinstance(found, np.memmap) and found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    found.flush()
    expected.flush()
    assert open(files[0], "rb").read() == open(files[1], "rb").read()
    with open(tmp_path / "object", "w+b") as file:
        np.testing.assert_array_equal(ours.connected_components(image, out_file=file), expected)


def random_labels(random):
    labels = random.integers(0, random.integers(1, 8), random_shape(random, int(random.integers(1, 4)), 7))
    labels = np.where(random.random(labels.shape) < 0.8, labels, 0)
    dtype = random.choice(["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"])
    return writeable(in_some_layout(random, np.minimum(labels, labels.size).astype(dtype)))


def test_statistics(cases):
    for seed in range(cases // 3):
        random = random_of(seed)
        labels = random_labels(random)
        for no_slices in (False, True):
            expected, found = theirs.statistics(plain(labels), no_slices), ours.statistics(labels, no_slices)
            assert list(found) == list(expected)
            assert_same(expected["voxel_counts"], found["voxel_counts"], f"seed {seed}")
            np.testing.assert_allclose(found["centroids"], expected["centroids"], rtol=1e-13, err_msg=f"seed {seed}")
            if no_slices:
                assert found["bounding_boxes"].dtype == expected["bounding_boxes"].dtype
                np.testing.assert_array_equal(found["bounding_boxes"], expected["bounding_boxes"], f"seed {seed}")
            else:
                assert found["bounding_boxes"] == expected["bounding_boxes"], f"seed {seed}"


@pytest.mark.parametrize(
    "labels", [np.full((2, 2), 5), np.array([[-1, 1], [1, 1]]), np.ones((2, 2)), np.zeros((0, 2), int), np.ones((1, 1, 1, 1), int)]
)
def test_statistics_of_unusual_arguments_gives_an_error_where_theirs_does(labels):
    assert isinstance(outcome(ours.statistics, labels), str) == isinstance(outcome(theirs.statistics, labels), str)


def test_dust(cases):
    for seed in range(cases // 3):
        random = random_of(seed)
        image = random_image(random, random.choice(["?", "u1", "i2", "u4", "i8", "f4"]))
        threshold = int(random.integers(0, 8)) if random.random() < 0.7 else (2, int(random.integers(2, 9)))
        arguments = {"connectivity": 6, "invert": bool(random.integers(0, 2)), "binary_image": bool(random.integers(0, 2))}
        image = abs(image) if image.dtype != bool else image
        # cc3d fails on values below 0 now and then.
        expected, number = theirs.dust(plain(image), threshold, return_N=True, **arguments)
        found, count = ours.dust(image, threshold, return_N=True, **arguments)
        # cc3d gives an unsigned view of what needs no change.
        assert found.dtype == image.dtype
        np.testing.assert_array_equal(found, expected.view(image.dtype), f"seed {seed} {threshold} {arguments}")
        assert count == number, f"seed {seed} {threshold} {arguments}"


def test_truth_values_are_labels_too():
    image = np.array([True, False, True])
    for function in (theirs.dust, ours.dust):
        assert function(image, 3, precomputed_ccl=True).tolist() == [False] * 3
        assert function(image[:2], 1, precomputed_ccl=True).tolist() == [True, False]
    for function in (theirs.largest_k, ours.largest_k):
        assert function(image[:2], 1, precomputed_ccl=True).tolist() == [True, False]
    assert [(one, mask.dtype, mask.tolist()) for one, mask in ours.each(image)] == [(1, np.dtype(bool), image.tolist())]
    assert ours.contacts(image, connectivity=6) == theirs.contacts(image, connectivity=6) == {}


def test_nothing_is_below_what_is_not_a_number():
    image = np.array([1, 1, 0, 2])
    for invert in (False, True):
        for function in (theirs.dust, ours.dust):
            assert function(image, np.nan, invert=invert).tolist() == ([0] * 4 if invert else image.tolist())


def test_contacts_of_labels_below_0():
    random = np.random.default_rng(2)
    for dtype in ("i1", "i4", "i8"):
        labels = random.integers(-3, 4, (4, 5)).astype(dtype)
        labels[0, 0] = np.iinfo(dtype).min
        assert ours.contacts(labels, connectivity=4) == theirs.contacts(labels, connectivity=4)
        assert ours.region_graph(labels, connectivity=6) == theirs.region_graph(labels, connectivity=6)
    for function in (theirs.contacts, ours.contacts):
        with pytest.raises(TypeError):
            function(np.array([[1, 2]]), connectivity=4, anisotropy=("1", 1, 1))


def test_dust_in_place_and_of_labels():
    image = np.array([1, 1, 0, 2], np.uint8)
    for function in (theirs.dust, ours.dust):
        labels = image.copy()
        assert function(labels, 2, in_place=True).tolist() == [1, 1, 0, 0]
        assert labels.tolist() == [1, 1, 0, 0]
        assert function(image, 2, precomputed_ccl=True).tolist() == [1, 1, 0, 0]


def test_largest_k(cases):
    compared = 0
    for seed in range(cases // 3):
        random = random_of(seed)
        image = random_image(random, random.choice(["?", "u1", "i4"]))
        k = int(random.integers(0, 6))
        whole = outcome(theirs.connected_components, plain(image), connectivity=6)
        if is_mistaken(whole, image, 6):
            continue
        compared += 1
        expected, found = theirs.largest_k(plain(image), k, connectivity=6), ours.largest_k(image, k, connectivity=6)
        assert found.dtype == expected.dtype, f"seed {seed}"
        # Which of several of one size is taken is up to numpy's partition there: sizes are the same.
        sizes = [np.sort(np.bincount(labels.ravel())[1:]).tolist() for labels in (expected, found)]
        assert sizes[0] == sizes[1], f"seed {seed}"
        counts = np.bincount(whole.ravel())[1:]
        if k <= 1 or len(np.unique(counts)) == len(counts):
            np.testing.assert_array_equal(found, expected, f"seed {seed}")
        grown = np.bincount(found.ravel())[1:]
        assert k <= 1 or len(counts) <= k or (np.diff(grown.astype(int)) >= 0).all(), f"seed {seed}"
    assert compared > 0.25 * cases
    assert ours.largest_k(np.ones(3, int), 1, return_N=True)[1] == 1


def test_each(cases):
    for seed in range(cases // 10):
        random = random_of(seed)
        labels = random_labels(random)
        labels = labels.astype(f"u{labels.dtype.itemsize}")
        for binary in (False, True):
            for in_place in (False, True):
                pairs = zip(theirs.each(plain(labels), binary, in_place), ours.each(labels, binary, in_place), strict=True)
                for (one, image), (other, mine) in pairs:
                    assert one == other and type(other) is int
                    assert mine.dtype == image.dtype and mine.shape == image.shape
                    assert mine.flags.writeable == image.flags.writeable
                    np.testing.assert_array_equal(mine, image, f"seed {seed}")
    with pytest.raises(TypeError):
        ours.each(np.array([1, 2]))


def test_contacts_and_region_graph(cases):
    for seed in range(cases // 3):
        random = random_of(seed)
        labels = random_labels(random)
        weights = tuple(float(weight) for weight in random.integers(1, 5, int(random.integers(0, 5))))
        for arguments in ({}, {"anisotropy": weights}, {"surface_area": False}):
            if labels.ndim < 3:
                expected = theirs.contacts(plain(labels), connectivity=4, **arguments)
                assert ours.contacts(labels, connectivity=4, **arguments) == expected, f"seed {seed} {arguments}"
            expected = theirs.contacts(plain(labels), connectivity=6, **arguments)
            assert ours.contacts(labels, connectivity=6, **arguments) == expected, f"seed {seed} {arguments}"
        assert ours.region_graph(labels, connectivity=6) == theirs.region_graph(plain(labels), connectivity=6), f"seed {seed}"
