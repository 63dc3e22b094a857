# SPDX-License-Identifier: Apache-2.0
"""The arguments of the stand-ins: their names, order, kinds and defaults are those of the originals."""

import importlib
import inspect

import pytest

MODULES = {
    "scipy": ["scipy.ndimage"],
    "skimage": ["skimage.measure", "skimage.morphology"],
    "cc3d": ["cc3d"],
}
#: scikit-image marks it by an object of its own that a caller cannot give.
DEPRECATED = {("skimage", "remove_small_objects", "min_size")}


def functions():
    for name in MODULES:
        module = importlib.import_module(f"brickccl.compat.{name}")
        yield from ((name, function) for function in module.__all__ if inspect.isfunction(getattr(module, function)))


@pytest.mark.parametrize("name, function", functions())
def test_arguments_are_those_of_the_original(name, function):
    theirs = None
    for module in MODULES[name]:
        theirs = theirs or getattr(pytest.importorskip(module), function, None)
    expected = inspect.signature(theirs).parameters
    found = inspect.signature(getattr(importlib.import_module(f"brickccl.compat.{name}"), function)).parameters
    assert list(found) == list(expected)
    for parameter, one in expected.items():
        assert found[parameter].kind == one.kind, parameter
        if (name, function, parameter) in DEPRECATED:
            assert found[parameter].default is None
        else:
            assert found[parameter].default == one.default, parameter


def test_the_functions_that_the_page_promises_are_there():
    there = {(name, function) for name, function in functions()}
    promised = {
        "scipy": "label find_objects sum_labels value_indices",
        "skimage": "label regionprops_table remove_small_objects euler_number",
        "cc3d": "connected_components statistics dust largest_k each contacts region_graph voxel_connectivity_graph "
        "color_connectivity_graph",
    }
    assert {(name, function) for name, names in promised.items() for function in names.split()} <= there
