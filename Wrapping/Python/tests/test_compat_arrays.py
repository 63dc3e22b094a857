# SPDX-License-Identifier: Apache-2.0
"""The stand-ins on arrays of all forms: each gives what it gives for a plain array of the same values.

That plain arrays are taken as the originals take them is for the tests of each library: several of the originals refuse some of
these forms, or read them wrongly (scipy's `value_indices` other byte orders, cc3d views that go backwards).
"""

import numpy as np
import pytest

from brickccl.compat import cc3d, scipy, skimage
from conftest import random_of


class Child(np.ndarray):
    """A subclass without anything of its own."""


def every_second(array):
    larger = np.zeros([2 * size for size in array.shape], array.dtype)
    larger[(slice(None, None, 2),) * array.ndim] = array
    return larger[(slice(None, None, 2),) * array.ndim]


def unaligned(array):
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    moved = memory.view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def turned(array):
    """The axes lie in memory in another order, which is neither C's nor Fortran's for three of them."""
    order = np.roll(np.arange(array.ndim), 1)
    return np.ascontiguousarray(array.transpose(order)).transpose(np.argsort(order))


def other_byte_order(array):
    return array.astype(array.dtype.newbyteorder())


FORMS = {
    "backwards": lambda array: array[::-1].copy()[::-1],
    "last axis backwards": lambda array: array[..., ::-1].copy()[..., ::-1],
    "every second": every_second,
    "unaligned": unaligned,
    "read-only": read_only,
    "turned": turned,
    "other byte order": other_byte_order,
    "subclass": lambda array: array.view(Child),
    "matrix": lambda array: np.matrix(array) if array.ndim == 2 else array,
    "masked": lambda array: np.ma.masked_array(array, array > 1),
}
TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]


def assert_same(expected, found, context):
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected), context
        for one, other in zip(expected, found):
            assert_same(one, other, context)
    elif isinstance(expected, dict):
        assert list(found) == list(expected), context
        for key in expected:
            assert_same(expected[key], found[key], context)
    elif isinstance(expected, np.ndarray):
        assert type(found) is np.ndarray and found.dtype == expected.dtype, context
        np.testing.assert_array_equal(found, expected, context)
    else:
        assert found == expected or (expected != expected and found != found), context


def values(random, types):
    shape = tuple(int(size) for size in random.integers(1, 7, int(random.integers(1, 4))))
    return np.where(random.random(shape) < random.random(), random.integers(0, 5, shape), 0).astype(random.choice(types))


def check(form, types, functions, seeds):
    for seed in range(seeds):
        random = random_of(seed)
        array = values(random, types)
        for number, function in enumerate(functions):
            shaped = FORMS[form](array)
            assert_same(function(array), function(shaped), f"seed {seed}, function {number}, {shaped.dtype} {shaped.shape}")


WHOLE = [kind for kind in TYPES if np.dtype(kind).kind in "iu"]


@pytest.mark.parametrize("form", FORMS)
def test_scipy(form):
    check(form, TYPES, [scipy.label, lambda a: scipy.sum_labels(a, a, [0, 1, 3]), lambda a: scipy.sum_labels(1.5, a, 1)], 60)
    check(form, WHOLE, [scipy.find_objects, scipy.value_indices, lambda a: scipy.sum_labels(2.5, a, [[1, 2], [9, 0]])], 60)


@pytest.mark.parametrize("form", FORMS)
def test_skimage(form):
    check(form, TYPES, [skimage.label, lambda a: skimage.label(a, background=1, return_num=True)], 60)
    if form not in ("subclass", "matrix", "masked"):
        # These keep their kind.
        check(form, ["?", *WHOLE], [lambda a: skimage.remove_small_objects(a.copy() * a.dtype.type(1), max_size=2)], 60)


@pytest.mark.parametrize("form", FORMS)
def test_cc3d(form):
    components = cc3d.connected_components
    functions = [
        lambda a: components(a, connectivity=6, return_N=True),
        lambda a: components(a, binary_image=True),
        lambda a: components(a, connectivity=6, periodic_boundary=True),
        lambda a: cc3d.dust(a, 2, connectivity=6, return_N=True)[1],
        lambda a: cc3d.largest_k(a, 2, connectivity=6, return_N=True),
    ]
    # Numbers go by the order in memory, where that is Fortran's.
    types = TYPES if form != "turned" else ["?"]
    for seed in range(60):
        array = values(random_of(seed), types)
        shaped = FORMS[form](array)
        plain = np.array(shaped, array.dtype, order="K", subok=False)
        if form != "turned" or not shaped.flags.f_contiguous:
            for function in functions:
                assert_same(function(plain if form != "turned" else array), function(shaped), f"seed {seed} {array.dtype}")
    if form != "other byte order":
        # Those that are labels already must be in the machine's byte order, as for cc3d.
        graph = cc3d.voxel_connectivity_graph
        labels = [lambda a: cc3d.statistics(np.minimum(a, a.size)), lambda a: cc3d.contacts(a, connectivity=6)]
        check(form, WHOLE, [*labels, lambda a: graph(a, connectivity=26), lambda a: cc3d.dust(a, 2, precomputed_ccl=True)], 60)
        check(form, ["u1", "u4"], [lambda a: [(n, mask.copy()) for n, mask in cc3d.each(a)]], 60)


def test_lists_and_series_are_arrays_for_scipy():
    pandas = pytest.importorskip("pandas")
    rows = [[1, 0, 2], [0, 0, 2]]
    expected = scipy.label(np.array(rows))
    for form in (rows, tuple(map(tuple, rows)), pandas.DataFrame(rows), memoryview(np.array(rows))):
        assert_same(expected, scipy.label(form), type(form).__name__)
        assert scipy.find_objects(form) == scipy.find_objects(np.array(rows))
        assert_same(scipy.sum_labels(rows, rows, [1, 2]), scipy.sum_labels(form, form, pandas.Series([1, 2])), "")
