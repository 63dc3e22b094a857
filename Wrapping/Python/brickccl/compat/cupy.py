# SPDX-License-Identifier: Apache-2.0
"""`cupyx.scipy.ndimage.label` by BrickCCL: arrays stay on the device (CuPy 14)."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from .. import _core, _device
from ._engine import rank_and_axes

__all__ = ["label"]


def label(input: Any, structure: Any = None, output: Any = None) -> Any:
    """Labels features like `cupyx.scipy.ndimage.label`: all nonzero elements, including NaN, in C order.

    Parameters
    ----------
    input : cupy.ndarray
        Up to 4 axes.
    structure : array_like, optional
        A result of `scipy.ndimage.generate_binary_structure`, along all or some axes.
    output : dtype or cupy.ndarray, optional
        The type of the labels (default int32), or an array for them.

    Returns
    -------
    labels : cupy.ndarray
    count : int
        Only `count` if `output` is an array.

    Raises
    ------
    TypeError
        If `input` is not a CuPy array, or is complex.
    RuntimeError, ValueError, AssertionError
        For a structure of another rank or another size than 3, or an asymmetric one.
    OverflowError
        If the type of the labels is too small; CuPy wraps around.
    NotImplementedError
        For other structures, and for more axes.
    """
    cupy: Any = importlib.import_module("cupy")

    if not isinstance(input, cupy.ndarray):
        raise TypeError("input must be cupy.ndarray")
    if input.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    on_host = cupy.asnumpy(structure) if isinstance(structure, cupy.ndarray) else structure
    rank, axes = rank_and_axes(on_host, input.ndim)
    is_given = isinstance(output, cupy.ndarray)
    if is_given and output.shape != input.shape:
        raise ValueError("output shape not correct")
    with cupy.cuda.Device(input.device.id):
        labels = output if is_given else cupy.empty(input.shape, np.int32 if output is None else output)
        if input.size == 0:
            count = 0
        elif input.ndim == 0 or not axes:
            # Every element for itself.
            image = (input != 0).reshape(-1)
            count = int(image.sum())
            labels[...] = (cupy.cumsum(image) * image).reshape(input.shape)
        else:
            count = _label(input, rank, axes, labels)
    return count if is_given else (labels, count)


def _label(input: Any, rank: int, axes: list[int], labels: Any) -> int:
    cupy: Any = importlib.import_module("cupy")

    # NaN is not 0; the engine knows it as background.
    image = input != 0 if input.dtype.kind == "f" else input
    is_direct = labels.dtype.kind in "iu" and labels.flags.c_contiguous
    slices = tuple(input.ndim - 1 - axis for axis in range(input.ndim)[::-1] if axis not in axes)
    rules = _core.Rules.make(connectivity=min(rank, len(axes)), slice_axes=slices)
    task = _device.Task(image, rules, None, None, "auto")
    result, count, _ = _device.label(task, None if is_direct else np.int32, labels if is_direct else None, False)
    if not is_direct:
        labels[...] = cupy.asarray(result)
    return count
