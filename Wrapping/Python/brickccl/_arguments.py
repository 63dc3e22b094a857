# SPDX-License-Identifier: Apache-2.0
"""The common arguments of `label` and `find`: types, defaults, and signatures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypedDict, TypeVar

import numpy as np

from ._progress import Progress, hook_of

#: An array of numpy.
Array = np.ndarray[Any, np.dtype[Any]]
#: Which neighbors are joined, and how components are numbered.
Criterion = Literal["foreground", "equal-value", "tolerance"]
Order = Literal["raster", "size"]
Function = TypeVar("Function", bound=Callable[..., Any])


class LabelArguments(TypedDict, total=False):
    """Options for joining, filtering and the device; see `label`."""

    connectivity: int | None
    range: tuple[float, float] | None
    mask: Any
    order: Order
    minimum_size: int
    minimum_volume: float | None
    largest: int | None
    spacing: float | Sequence[float] | None
    criterion: Criterion
    background: float | None
    tolerance: float | None
    box: Any
    by_slice: int | None
    neighborhood: Any
    periodic: Any
    maximum_size: int | None
    seeds: Any
    clear_border: bool
    touching: Any
    fill_holes: bool | float
    split: bool | float | str | None
    device: str
    algorithm: str
    threads: int | None
    progress: Progress | None


#: Defaults, in the order of signatures: the usual arguments first.
DEFAULTS: LabelArguments = {
    "connectivity": None,
    "range": None,
    "mask": None,
    "order": "raster",
    "minimum_size": 0,
    "minimum_volume": None,
    "largest": None,
    "spacing": None,
    # Voxels and neighbors.
    "criterion": "foreground",
    "background": 0,
    "tolerance": None,
    "box": None,
    "by_slice": None,
    "neighborhood": None,
    "periodic": (),
    # Components.
    "maximum_size": None,
    "seeds": None,
    "clear_border": False,
    "touching": None,
    "fill_holes": False,
    "split": None,
    # Computing.
    "device": "auto",
    "algorithm": "auto",
    "threads": None,
    "progress": None,
}


#: How many of them are usual, and the arguments of single functions that follow these.
_USUAL = 8
_USUAL_RESULTS = ("dtype", "return_count", "return_table")

#: What to write instead of the arguments of scipy, scikit-image and cc3d.
_HABITS = {
    "structure": "write neighborhood=, or connectivity= for the number of neighbors",
    "return_num": "write return_count=True, or brickccl.find(image).count",
    "return_N": "write return_count=True, or brickccl.find(image).count",
    "return_count": "write brickccl.find(image).count",
    "return_table": "write brickccl.find(image).table()",
    "input": "give the image as the first argument",
    "output": "write out= for an array, dtype= for a type",
    "out_dtype": "write dtype=",
    "delta": "write tolerance=",
    "binary_image": "omit it, or write criterion='equal-value' to separate values",
    "n_jobs": "write threads=",
    "min_size": "write minimum_size=",
}


def complete(function: str, given: LabelArguments) -> dict[str, Any]:
    """All arguments of a function, with defaults for those not given."""
    if not given.keys() <= DEFAULTS.keys():
        unknown = next(iter(given.keys() - DEFAULTS.keys()))
        # A labeling always has the count.
        known = "return_count" if function == "find" and unknown in ("return_num", "return_N") else unknown
        hint = f"; {_HABITS[known]}" if known in _HABITS else ""
        raise TypeError(f"{function}() got an unexpected keyword argument '{unknown}'{hint}")
    arguments: dict[str, Any] = {**DEFAULTS, **given}
    if arguments["periodic"] is None:
        arguments["periodic"] = ()
    arguments["progress"] = hook_of(arguments["progress"])
    return arguments


def shows_label_arguments(function: Function) -> Function:
    """Lets the signature of a function that takes ``**arguments: Unpack[LabelArguments]`` list each of them, for `help`,
    notebooks and the documentation."""
    own = inspect.signature(function)
    parameters = list(own.parameters.values())
    types = {name: getattr(hint, "__forward_arg__", hint) for name, hint in LabelArguments.__annotations__.items()}
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=types[name])
        for name, value in DEFAULTS.items()
    ]
    first = [one for one in parameters if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    rest = [one for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY]
    results = [one for one in rest if one.name in _USUAL_RESULTS]
    last = [one for one in rest if one.name not in _USUAL_RESULTS]
    signature = own.replace(parameters=[*first, *shared[:_USUAL], *results, *shared[_USUAL:], *last])
    setattr(function, "__signature__", signature)
    function.__annotations__ = {
        **{name: one.annotation for name, one in signature.parameters.items()}, "return": own.return_annotation
    }
    return function
