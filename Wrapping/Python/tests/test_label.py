# SPDX-License-Identifier: Apache-2.0
"""Labels and arguments of the native interface beside the oracle."""

import numpy as np
import pytest

import brickccl
from brickccl._output import usual_dtype
from conftest import flood_fill, in_some_layout, random_mask, random_shape

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]


@pytest.mark.parametrize("seed", range(40))
def test_labels_are_those_of_a_flood_fill_for_every_type_layout_and_byte_order(seed):
    random = np.random.default_rng(seed)
    for dtype in TYPES:
        dimension = int(random.integers(1, 5))
        mask = random_mask(random, random_shape(random, dimension, 6))
        image = (mask * random.choice([1, 3])).astype(dtype)
        if random.random() < 0.3:
            image = image.astype(image.dtype.newbyteorder(">"))
        rank = int(random.integers(1, dimension + 1))
        expected, count = flood_fill(mask, rank)
        labels, found = brickccl.label(in_some_layout(random, image), connectivity=rank, return_count=True)
        assert found == count
        assert labels.dtype == np.uint32
        assert labels.flags.c_contiguous
        np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize("neighbors, dimension, rank", [(4, 2, 1), (8, 2, 2), (6, 3, 1), (18, 3, 2), (26, 3, 3), (80, 4, 4)])
def test_a_connectivity_is_a_number_of_neighbors_or_a_rank(neighbors, dimension, rank):
    image = random_mask(np.random.default_rng(1), (5,) * dimension)
    np.testing.assert_array_equal(
        brickccl.label(image, connectivity=neighbors), brickccl.label(image, connectivity=rank)
    )


@pytest.mark.parametrize("seed", range(30))
def test_criteria_are_those_of_the_oracle(seed):
    random = np.random.default_rng(seed)
    dtype = random.choice(["i1", "u1", "i2", "i4", "i8", "f4", "f8"])
    image = random.integers(0, 5, random_shape(random, 3, 6)).astype(dtype)
    cases = [
        ({"criterion": "equal-value"}, image != 0, lambda a, b: image[a] == image[b]),
        ({"criterion": "equal-value", "background": 2}, image != 2, lambda a, b: image[a] == image[b]),
        ({"criterion": "equal-value", "background": None}, image == image, lambda a, b: image[a] == image[b]),
        ({"tolerance": 1}, image != 0, lambda a, b: abs(float(image[a]) - float(image[b])) <= 1),
        ({"range": (2, 3)}, (image >= 2) & (image <= 3), lambda a, b: True),
        ({"range": (2, np.inf)}, image >= 2, lambda a, b: True),
        ({"range": (1, 3), "criterion": "equal-value"}, (image >= 1) & (image <= 3), lambda a, b: image[a] == image[b]),
        ({"background": 1}, image != 1, lambda a, b: True),
    ]
    for arguments, foreground, joined in cases:
        labels, count = brickccl.label(image, connectivity=18, return_count=True, **arguments)
        expected, number = flood_fill(foreground, 2, joined)
        assert count == number, arguments
        np.testing.assert_array_equal(labels, expected, str(arguments))


def test_64_bit_values_are_told_apart():
    image = np.array([2**63 - 1, 2**63 - 2, 0, 2**63 - 2], np.int64)
    assert brickccl.label(image, criterion="equal-value").tolist() == [1, 2, 0, 3]
    assert brickccl.label(image, range=(2**63 - 1, 2**63 - 1)).tolist() == [1, 0, 0, 0]
    assert brickccl.label(np.array([2**64 - 1, 2**64 - 2], np.uint64), background=2**64 - 1).tolist() == [0, 1]


def test_what_is_not_a_number_is_background():
    assert brickccl.label(np.array([1.0, np.nan, 2.0])).tolist() == [1, 0, 2]


def test_slices_are_labeled_each_on_its_own():
    image = np.ones((2, 3, 4), bool)
    for axis in (0, 1, 2, -1):
        labels = brickccl.label(image, by_slice=axis)
        moved = np.moveaxis(labels, axis, 0)
        assert [np.unique(part).tolist() for part in moved] == [[k + 1] for k in range(len(moved))]


def test_a_mask_takes_voxels_out():
    image = np.ones((4, 5), np.uint8)
    mask = np.zeros((4, 5), bool)
    mask[:, :2] = mask[:, 3:] = True
    labels = brickccl.label(image, mask=mask)
    np.testing.assert_array_equal(labels, [[1, 1, 0, 2, 2]] * 4)


def test_size_filters_and_orders():
    image = np.array([1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1])
    assert brickccl.label(image, minimum_size=2).tolist() == [0, 0, 1, 1, 0, 2, 2, 2, 0, 3, 3]
    assert brickccl.label(image, maximum_size=2).tolist() == [1, 0, 2, 2, 0, 0, 0, 0, 0, 3, 3]
    assert brickccl.label(image, largest=2).tolist() == [0, 0, 1, 1, 0, 2, 2, 2, 0, 0, 0]
    assert brickccl.label(image, order="size").tolist() == [4, 0, 2, 2, 0, 1, 1, 1, 0, 3, 3]
    assert brickccl.label(image, minimum_volume=1.0, spacing=0.5).tolist() == [0, 0, 1, 1, 0, 2, 2, 2, 0, 3, 3]


def test_labels_are_uint32_or_of_the_smallest_type_on_request():
    for count, dtype in ((0, np.uint8), (255, np.uint8), (256, np.uint16), (65535, np.uint16), (65536, np.uint32)):
        image = np.zeros(2 * count + 1, np.uint8)
        image[1::2] = 1
        labels = brickccl.label(image)
        assert labels.dtype == brickccl.find(image).dtype == np.uint32
        assert (labels * 60).max() == 60 * count
        assert brickccl.label(image, dtype="smallest").dtype == brickccl.find(image).labels("smallest").dtype == dtype
        if count:
            assert brickccl.select(labels, "voxel_count > 0").dtype == brickccl.relabel(labels).dtype == np.uint32
            assert brickccl.relabel(labels, dtype="smallest").dtype == dtype
    assert [usual_dtype(2**32 - 1), usual_dtype(2**32), usual_dtype(2**31, "i4")] == [np.uint32, np.uint64, np.int64]
    kept = brickccl.select(np.array([0, 2**40]), "voxel_count > 0", keep_labels=True)
    assert kept.dtype == np.uint64 and kept.tolist() == [0, 2**40]


def test_the_smallest_type_must_be_that_of_out():
    out = np.zeros(3, np.uint16)
    with pytest.raises(TypeError, match="out is of type uint16"):
        brickccl.label(np.ones(3), dtype="smallest", out=out)
    assert brickccl.label(np.ones(3), dtype="smallest", out=out.view(np.uint8)[:3]).tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_labels_of_every_integer_type_and_into_an_array(dtype):
    image = np.array([[1, 0, 1], [0, 0, 1]])
    labels = brickccl.label(image, dtype=dtype)
    assert labels.dtype == dtype
    assert labels.tolist() == [[1, 0, 2], [0, 0, 2]]
    out = np.full((2, 3), 7, dtype)
    assert brickccl.label(image, out=out) is out
    assert out.tolist() == labels.tolist()


def test_an_array_can_be_labeled_into_itself():
    image = np.array([5, 0, 5, 5], np.int32)
    brickccl.label(image, out=image)
    assert image.tolist() == [1, 0, 2, 2]


def test_nothing_is_written_where_labels_do_not_fit():
    image = np.zeros(600, np.uint8)
    image[::2] = 1
    out = np.full(600, 9, np.uint8)
    with pytest.raises(OverflowError, match="300 components do not fit.*uint16"):
        brickccl.label(image, out=out)
    assert (out == 9).all()
    with pytest.raises(OverflowError, match="largest label is 127"):
        brickccl.label(image, dtype=np.int8)


def test_the_number_of_threads_does_not_change_labels():
    image = np.random.default_rng(3).random((70, 90, 110)) < 0.3
    first = brickccl.label(image, threads=1, connectivity=26)
    for threads in (2, 3, None):
        np.testing.assert_array_equal(brickccl.label(image, threads=threads, connectivity=26), first)


def test_every_algorithm_gives_the_same_labels():
    image = np.random.default_rng(4).random((20, 21, 70)) < 0.4
    names = {row["name"] for row in brickccl.info()["algorithms"] if "cpu" in row["runs_on"]}
    used = set()
    for connectivity in (6, 26):
        expected = brickccl.label(image, connectivity=connectivity)
        for name in names:
            try:
                labeling = brickccl.find(image, connectivity=connectivity, algorithm=name)
            except NotImplementedError:
                continue
            used.add(labeling.algorithm)
            np.testing.assert_array_equal(labeling.labels(), expected)
    assert used == names and len(used) > 1


IMAGE = np.ones((2, 3, 4), np.uint8)


@pytest.mark.parametrize(
    "error, text, arguments",
    [
        (ValueError, "connectivity 5 does not fit 3 dimensions; use 6, 18 or 26", {"connectivity": 5}),
        (ValueError, "connectivity=-1 must be at least 0", {"connectivity": -1}),
        (TypeError, "connectivity must be a whole number", {"connectivity": "6"}),
        (ValueError, "criterion 'like' is unknown", {"criterion": "like"}),
        (ValueError, "needs a tolerance", {"criterion": "tolerance"}),
        (ValueError, "cannot be combined", {"criterion": "equal-value", "tolerance": 1}),
        (ValueError, "tolerance -1 is invalid", {"tolerance": -1}),
        (ValueError, r"range \[3, 2\] is empty", {"range": (3, 2)}),
        (ValueError, r"range \[18446744073709551615, -0\.5\] is empty", {"range": (2**64 - 1, -0.5)}),
        (ValueError, r"range \[nan, inf\] is empty", {"range": (float("nan"), float("inf"))}),
        (ValueError, "tolerance -9223372036854775808 is invalid", {"tolerance": -(2**63)}),
        (TypeError, "pair", {"range": 3}),
        (TypeError, "range must be a number", {"range": ("a", "b")}),
        (ValueError, "is NaN", {"background": float("nan")}),
        (ValueError, "order 'area' is unknown", {"order": "area"}),
        (ValueError, "minimum_size=-1", {"minimum_size": -1}),
        (TypeError, "minimum_size must be a whole number", {"minimum_size": 1.5}),
        (ValueError, "largest=0", {"largest": 0}),
        (ValueError, "needs spacing=", {"minimum_volume": 2}),
        (ValueError, "minimum_volume=-2 must be", {"minimum_volume": -2, "spacing": 1}),
        (ValueError, "spacing has 2 values; the image has 3 axes", {"spacing": (1, 2)}),
        (ValueError, "above 0", {"spacing": 0}),
        (TypeError, "spacing must be a number", {"spacing": "thin"}),
        (ValueError, "by_slice=3 is not an axis", {"by_slice": 3}),
        (ValueError, r"mask has the shape \(2, 3\)", {"mask": np.ones((2, 3))}),
        (TypeError, "mask is of type complex128", {"mask": IMAGE * 1j}),
        (ValueError, "device 'tpu' is unknown", {"device": "tpu"}),
        (ValueError, "algorithm", {"algorithm": "Magic"}),
        (ValueError, "threads=0 must be 1 to", {"threads": 0}),
        (TypeError, "dtype float32 is not a type for labels", {"dtype": np.float32}),
        (TypeError, "out is of type list", {"out": [1]}),
        (TypeError, "out is of type float64", {"out": np.zeros((2, 3, 4))}),
        (ValueError, "out has the shape", {"out": np.zeros((2, 3), int)}),
        (ValueError, "laid out in C order", {"out": np.zeros((2, 3, 4), int, order="F")}),
        (TypeError, "dtype='uint8' was requested", {"out": np.zeros((2, 3, 4), int), "dtype": "uint8"}),
    ],
)
def test_an_argument_without_meaning_says_what_would_be_right(error, text, arguments):
    with pytest.raises(error, match=text):
        brickccl.label(IMAGE, **arguments)


@pytest.mark.parametrize(
    "error, text, image",
    [
        (TypeError, "complex128", IMAGE * 1j),
        (TypeError, "object", np.array([None, 1])),
        (TypeError, "datetime64", np.zeros(3, "M8[s]")),
        (TypeError, "float128", np.zeros(3, np.longdouble)),
        (TypeError, "of type str", "image.nrrd"),
        (TypeError, "of type NoneType", None),
        (TypeError, "masked array", np.ma.masked_array([1, 2], [True, False])),
        (ValueError, "0 dimensions", np.array(1)),
        (ValueError, "5 dimensions", np.zeros((1, 1, 1, 1, 1))),
    ],
)
def test_an_image_that_is_none_is_refused(error, text, image):
    with pytest.raises(error, match=text):
        brickccl.label(image)


def test_a_device_that_is_not_there_is_told():
    if any(device.startswith("cuda") and "none" not in device for device in brickccl.info()["devices"]):
        pytest.skip("this machine has a CUDA device")
    with pytest.warns(RuntimeWarning, match="CPU"):
        labels = brickccl.label(IMAGE, device="cuda")
    assert labels.max() == 1


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"criterion": None}, "criterion must be a name, for example 'foreground', not None"),
        ({"order": None}, "order must be a name, for example 'raster', not None"),
        ({"device": 0}, "device must be a name, for example 'cpu', not 0"),
        ({"algorithm": None}, "algorithm must be a name, for example 'auto', not None"),
        ({"range": (None, 1)}, "range must be a pair of numbers, not .None, 1.; use infinity for an open end"),
        ({"range": (1, None)}, "range must be a pair of numbers"),
        ({"by_slice": "z"}, "by_slice must be the number of an axis, not 'z'"),
        ({"minimum_volume": "a", "spacing": 1}, "minimum_volume must be a number, not 'a'"),
        ({"minimum_volume": [1, 2], "spacing": 1}, r"minimum_volume must be a number, not \[1, 2\]"),
    ],
)
def test_a_type_error_names_the_argument_and_what_it_must_be(arguments, message):
    for function in (brickccl.label, brickccl.find):
        with pytest.raises(TypeError, match=f"^{message}"):
            function(np.eye(3), **arguments)


def test_other_functions_name_what_is_wrong_too():
    with pytest.raises(ValueError, match="seeds must be indices of 2 numbers each, not"):
        brickccl.label(np.eye(3), seeds=[(0, 0), (1,)])
    with pytest.raises(TypeError, match="columns must be one or more names .* not 5"):
        brickccl.find(np.eye(3)).table(5)
    assert list(brickccl.find(np.eye(3)).table(np.array(["shape", "place"]))) == list(brickccl.find(np.eye(3)).table("shape,place"))
    for arguments in ((0, 1, 0.1), ("a", 1), (0, None)):
        with pytest.raises(TypeError, match="start, stop must be numbers and steps a whole number"):
            brickccl.sweep(np.eye(3), *arguments)


def test_no_periodic_axis_is_none_or_nothing():
    image = np.array([1, 0, 1])
    for nothing in (None, (), [], "", [False]):
        assert brickccl.label(image, periodic=nothing).tolist() == [1, 0, 2]
