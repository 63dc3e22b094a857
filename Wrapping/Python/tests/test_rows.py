# SPDX-License-Identifier: Apache-2.0
"""Arguments of functions that are options of the command: they agree with the rows of parameters, which `brickccl recipe schema`
prints. A new row with the name of an argument is compared here, or named in OTHER with the reason why it is not."""

import inspect
import json
import os
import re
import subprocess
import typing

import numpy as np
import pytest

import brickccl
from brickccl import _arguments, _view, io

FUNCTIONS = (brickccl.label, brickccl.find, brickccl.clean, brickccl.fill_holes, brickccl.split, brickccl.distance, brickccl.morph,
             brickccl.sweep, brickccl.statistics, brickccl.select, brickccl.view, io.read)
IMAGE = np.eye(9, dtype=np.uint8)
#: Python's default for each default of a row: None for "none", "no limit" and "all"; a number of axes for "faces".
DEFAULTS = {
    "connectivity": (None, 1), "minimum_volume": (None,), "largest": (None,), "threads": (None,), "algorithm": ("auto",),
    "background": (0,),
}
#: Arguments with the name of an option that are something else in Python.
OTHER = {
    "box": "slices of the array",
    "by_slice": "an axis of the array, not a letter",
    "columns": "a list",
    "holes_by_slice": "an axis of the array",
    "intensity": "an image",
    "mask": "an image",
    "names": "whose names the columns have",
    "neighborhood": "an array",
    "part": "an image",
    "periodic": "axes of the array",
    "range": "a pair",
    "seeds": "a list of indices",
    "spacing": "in the order of the array's axes",
    "touching": "an image",
}


@pytest.fixture(scope="module")
def schemas():
    """The options and the keys of recipes."""
    command = os.environ.get("BRICKCCL")
    try:
        command = command or _view.command_path()
    except RuntimeError:
        pytest.skip("the command is not installed")
    both = [subprocess.run([command, "recipe", "schema", *more], check=True, capture_output=True).stdout for more in (["--options"], [])]
    options, keys = (json.loads(text)["properties"] for text in both)
    return {name.replace("-", "_"): row for name, row in options.items()}, keys


def arguments_of(function, options):
    """The arguments of a function that have a row: pairs of names and parameters."""
    for name, parameter in inspect.signature(function).parameters.items():
        if name in options and name not in OTHER:
            yield name, parameter


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_defaults_are_those_of_the_rows(schemas, function):
    for name, parameter in arguments_of(function, schemas[0]):
        if parameter.default is inspect.Parameter.empty:
            continue
        default = schemas[0][name]["default"]
        allowed = (*DEFAULTS.get(name, ()), False if name in ("fill_holes",) else default)
        assert any(parameter.default is one or parameter.default == one for one in allowed), (name, parameter.default, default)


def test_every_argument_that_is_something_else_is_one():
    known = {name for function in FUNCTIONS for name in inspect.signature(function).parameters}
    assert set(OTHER) <= known


def test_names_of_choices_are_those_of_the_rows(schemas):
    options, keys = schemas
    assert set(typing.get_args(_arguments.Order)) == set(options["order"]["enum"])
    assert set(typing.get_args(_arguments.Criterion)) == set(keys["labeling"]["properties"]["criterion"]["enum"])
    for name, choices in (("order", _arguments.Order), ("criterion", _arguments.Criterion)):
        listed = re.search(rf"^    {name} : {{(.*)}}", brickccl.label.__doc__, re.MULTILINE)[1]
        assert listed == ", ".join(f'"{one}"' for one in typing.get_args(choices))
    assert set(options["label_type"]["enum"]) == {"auto", "uint8", "uint16", "uint32", "uint64"}
    for kind in options["label_type"]["enum"]:
        assert brickccl.label(IMAGE, dtype=kind).dtype == ("uint32" if kind == "auto" else kind)


@pytest.mark.parametrize("name", ["threads", "minimum_size", "maximum_size", "largest", "minimum_volume", "tolerance", "maximum_hole_size"])
def test_ranges_are_those_of_the_rows(schemas, name):
    row = schemas[0][name]
    function = brickccl.clean if name == "maximum_hole_size" else brickccl.label
    more = {"spacing": 1} if name == "minimum_volume" else {"fill_holes": True} if name == "maximum_hole_size" else {}
    # 0 means all in the command; Python has None.
    least = max(row["minimum"], 1) if name in ("threads", "largest") else row["minimum"]
    function(IMAGE, **{name: least}, **more)
    for wrong in [least - 1] + ([row["maximum"] + 1] if "maximum" in row else []):
        with pytest.raises(ValueError, match=name):
            function(IMAGE, **{name: wrong}, **more)
    if "maximum" in row:
        function(IMAGE, **{name: row["maximum"]}, **more)
    # A text, even of digits, is not a number.
    with pytest.raises(TypeError, match=name):
        function(IMAGE, **{name: "2"}, **more)
    if row["type"] == "integer":
        with pytest.raises(TypeError, match=name):
            function(IMAGE, **{name: 2.5}, **more)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_pages_state_the_defaults_of_signatures(function):
    """`name : type, default VALUE` and `optional` in the documentation."""
    parameters = inspect.signature(function).parameters
    for names, default in re.findall(r"^    (\w+(?:, \w+)*) : [^\n]*?default ([^\s,]+)$", function.__doc__, re.MULTILINE):
        for name in names.split(", "):
            assert repr(parameters[name].default).replace("'", '"') == default, name
    for names in re.findall(r"^    (\w+(?:, \w+)*) : [^\n]*optional$", function.__doc__, re.MULTILINE):
        for name in names.split(", "):
            assert parameters[name].default in (None, (), 0), name
