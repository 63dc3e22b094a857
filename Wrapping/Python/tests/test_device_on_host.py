# SPDX-License-Identifier: Apache-2.0
"""What is done with arrays on CUDA devices, seen without one: CuPy's arrays and the engine for them lie on the host here."""

import contextlib
import ctypes
import sys
import types

import brickccl
import numpy as np
import pytest
from brickccl import _core, _device, _device_slabs


class HostCuPy(types.ModuleType):
    """A CuPy whose arrays lie on the host."""

    class ndarray:
        def __init__(self, array):
            self.array = array
            self.dtype, self.shape, self.ndim, self.flags = array.dtype, array.shape, array.ndim, array.flags
            self.device = types.SimpleNamespace(id=0)
            self.data = types.SimpleNamespace(ptr=array.ctypes.data)

    ndarray.__module__ = "cupy"

    def __init__(self):
        super().__init__("cupy")
        self.copies = []
        self.cuda = types.SimpleNamespace(
            Device=lambda number: contextlib.nullcontext(),
            get_current_stream=lambda number: types.SimpleNamespace(ptr=0),
        )

    def asnumpy(self, array):
        self.copies.append(array)
        return array.array

    def asarray(self, array):
        return self.ndarray(array)

    def empty(self, shape, dtype):
        return self.ndarray(np.empty(shape, dtype))

    def from_dlpack(self, other):
        return self.ndarray(other.array)


class Other:
    """An array of a library of which nothing is known but that it exchanges arrays, as those of JAX on a GPU."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **arguments):
        raise AssertionError("the library that labels takes it")

    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=lambda labels: Other(labels.array))


class HostEngine:
    """Does what `DeviceLabels` does, by the engine for the host."""

    algorithm = "Auto"

    def __init__(self, device):
        assert device == 0

    def label(self, image, mask, labels, label_type, rules, stream):
        assert isinstance(rules, _core.Rules) and stream == 0
        self.image, self.mask = self.array(*image), None if mask is None else self.array(*mask)
        return self.find(rules, _core.Geometry.make([1.0] * self.image.ndim), labels, label_type)

    def relabel(self, rules, geometry, labels, label_type, stream):
        return self.find(rules, geometry, labels, label_type)

    def find(self, rules, geometry, labels, label_type):
        self.runs = _core.find(self.image, self.mask, rules, geometry)
        if labels:
            self.write(labels, label_type, 0)
        return self.runs.count

    def write(self, labels, label_type, stream):
        self.runs.write(self.array(labels, label_type, self.image.shape))

    def table(self, geometry, stream):
        return self.runs.measure()

    @staticmethod
    def array(address, dtype, shape):
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)


class HostSlabEngine:
    """Does what `SlabLabels` does, in the same way."""

    def label(self, images, masks, devices, streams, rules):
        assert devices == streams == [0] * len(images)
        self.slabs = [HostEngine.array(*image) for image in images]
        image = np.concatenate(self.slabs)
        mask = np.concatenate([HostEngine.array(*mask) for mask in masks]) if masks else None
        self.runs = _core.find(image, mask, rules, _core.Geometry.make([1.0] * image.ndim))
        return self.runs.count

    def write(self, labels, label_type):
        whole = np.empty(self.runs.shape, label_type)
        self.runs.write(whole)
        begin = 0
        for slab, address in zip(self.slabs, labels):
            HostEngine.array(address, label_type, slab.shape)[...] = whole[begin : begin + len(slab)]
            begin += len(slab)


@pytest.fixture
def library(monkeypatch):
    library = HostCuPy()
    monkeypatch.setitem(sys.modules, "cupy", library)
    monkeypatch.setattr(_core, "DeviceLabels", HostEngine)
    monkeypatch.setattr(_core, "SlabLabels", HostSlabEngine)
    monkeypatch.setattr(_device, "_idle", {})
    monkeypatch.setattr(_device_slabs, "_idle", {})
    return library


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": "size"},
        {"minimum_size": 3},
        {"maximum_size": 3, "largest": 2},
        {"connectivity": 8, "by_slice": 0},
        {"by_slice": -1},
        {"mask": np.indices((6, 7, 8)).sum(axis=0) % 5 > 0},
        {"minimum_volume": 2.0, "spacing": (1, 1, 0.5)},
        {"criterion": "equal-value", "background": 2},
        {"tolerance": 1},
        {"range": (1, 2), "dtype": "int16"},
        {"minimum_size": 40, "dtype": "int8"},
    ],
    ids=str,
)
def test_arguments_reach_the_engine_for_devices(library, options):
    image = np.random.default_rng(1).integers(0, 4, (6, 7, 8)).astype(np.uint8)
    given = {name: library.asarray(value) if name == "mask" else value for name, value in options.items()}
    labels, count, table = brickccl.label(library.asarray(image), return_count=True, return_table=True, **given)
    expected, table_there = brickccl.label(image, return_table=True, **options)
    assert labels.dtype == options.get("dtype", "uint32") and count == table_there.row_count == table.row_count
    np.testing.assert_array_equal(labels.array, expected)
    given.pop("dtype", None)
    labeling = brickccl.find(library.asarray(image), **given)
    assert labeling.count == count
    np.testing.assert_array_equal(labeling.labels().array, expected)
    assert labeling.table().columns == table.columns == table_there.columns
    assert library.copies == []
    for call in (labeling.labels, lambda dtype: brickccl.label(library.asarray(image), dtype=dtype)):
        with pytest.raises(NotImplementedError, match="dtype='smallest' is not available for arrays on a GPU"):
            call(dtype="smallest")


@pytest.mark.parametrize(
    "options",
    [{}, {"connectivity": 26}, {"by_slice": 0}, {"by_slice": -1, "connectivity": 8}, {"criterion": "equal-value"}, {"dtype":
    "int16"}], ids=str,
)
def test_arguments_reach_the_engine_for_slabs(library, options):
    random = np.random.default_rng(2)
    image, mask = random.integers(0, 3, (6, 7, 8)).astype(np.uint8), random.random((6, 7, 8)) < 0.8
    slabs, masks = ([library.asarray(part.copy()) for part in np.split(array, [1, 4])] for array in (image, mask))
    labels, count = brickccl.label(slabs, mask=masks, return_count=True, **options)
    expected = brickccl.label(image, mask=mask, **options)
    assert count == expected.max() and len(labels) == 3
    np.testing.assert_array_equal(np.concatenate([part.array for part in labels]), expected)
    with pytest.raises(ValueError, match="by_slice=3 is not an axis"):
        brickccl.label(slabs, by_slice=3)


def test_arrays_on_devices_go_through_the_host_if_that_is_asked_for(library):
    random = np.random.default_rng(1)
    array, mask = random.random((6, 7, 8)) < 0.4, random.random((6, 7, 8)) < 0.7
    image, on = library.asarray(array), library.asarray(mask)
    structure = np.ones((3, 3, 3))
    for options in ({"neighborhood": structure}, {"periodic": (0, 1)}, {"fill_holes": True}, {"clear_border": True}, {"split": 0}, {}):
        given = {name: value for name, value in options.items()}
        labels, count = brickccl.label(image, mask=on, device="cpu", return_count=True, **given)
        expected = brickccl.label(array, mask=mask, **given)
        assert isinstance(labels, library.ndarray) and count == expected.max() > 0
        np.testing.assert_array_equal(labels.array, expected)
        assert brickccl.find(image, mask=on, device="cpu", **given).count == count
    touching = library.asarray(random.random((6, 7, 8)) < 0.02)
    labels = brickccl.label(image, touching=touching, device="cpu").array
    np.testing.assert_array_equal(labels, brickccl.label(array, touching=touching.array))
    copied = len(library.copies)
    # Without that nothing is copied, and what cannot be had is said by its name.
    for name, value in {"neighborhood": structure, "periodic": "z", "seeds": [0, 0, 0], "touching": on}.items():
        for function in (brickccl.label, brickccl.find):
            with pytest.raises(NotImplementedError, match=f"{name}= is not available for arrays on a GPU; use device='cpu'"):
                function(image, **{name: value})
    for name in ("fill_holes", "clear_border", "split"):
        with pytest.raises(NotImplementedError, match=f"{name}= is not available"):
            brickccl.label(image, **{name: True})
    with pytest.raises(NotImplementedError, match="start= is not available"):
        brickccl.find(image, start=(0, 0, 0))
    assert len(library.copies) == copied


def test_arrays_of_other_libraries_are_exchanged_and_come_back(library):
    random = np.random.default_rng(3)
    image, mask = random.random((6, 7, 8)) < 0.4, random.random((6, 7, 8)) < 0.7
    for options in ({}, {"order": "size", "dtype": "int16"}, {"connectivity": 26, "minimum_size": 2}):
        labels, count = brickccl.label(Other(image), mask=Other(mask), return_count=True, **options)
        expected = brickccl.label(image, mask=mask, **options)
        assert type(labels) is Other and count == expected.max()
        assert labels.dtype == options.get("dtype", "uint32")
        np.testing.assert_array_equal(labels.array, expected)
    with pytest.raises(TypeError, match="out= is not available for arrays of"):
        brickccl.label(Other(image), out=Other(np.zeros((6, 7, 8), np.uint32)))
    with pytest.raises(NotImplementedError, match="is on a GPU"):
        brickccl.find(Other(image))
    assert library.copies == []
