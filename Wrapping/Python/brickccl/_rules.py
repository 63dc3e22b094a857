# SPDX-License-Identifier: Apache-2.0
"""The arguments of `label` for joining, filtering and the device, in the form of the engine."""

from __future__ import annotations

import atexit
from functools import lru_cache
from typing import Any

import numpy as np

from . import _core
from ._volume import Volume, count_of, float_of, threads_of
from ._warnings import warn

#: Floating types that do not hold what Python's numbers do.
_NARROW_FLOATS = ("float32", "float16", "bfloat16")


def narrow_float_of(volume: Volume) -> str | None:
    """The floating-point type of an image's voxels, if Python numbers are rounded to it."""
    dtype = getattr(volume.array, "dtype", None)
    # Arguments without a type are refused later, with advice.
    if dtype is None or getattr(dtype, "kind", "f") != "f":
        return None
    return narrow_float(getattr(volume.source, "dtype", dtype))


@lru_cache(maxsize=64)
def narrow_float(dtype: Any) -> str | None:
    """The name of a floating-point type of numpy, PyTorch or another library, if Python numbers are rounded to it."""
    name = getattr(dtype, "name", None) or str(dtype).rpartition(".")[2]
    return name if name in _NARROW_FLOATS else None


def as_voxel_value(value: Any, float_type: str | None) -> Any:
    """A number for comparison with voxels of this type, as in numpy (NEP 50): Python numbers get the type of the image, so
    0.1 is the nearest float32 in a float32 image; numpy scalars keep their type."""
    if float_type is None or not isinstance(value, (int, float)) or isinstance(value, np.generic) or value == 0:
        return value
    return _nearest(value, float_type)


@lru_cache(maxsize=256)
def _nearest(value: float, float_type: str) -> float:
    wide = np.float32 if float_type == "bfloat16" else np.dtype(float_type).type
    # A finite number beyond the type is left as it is: no voxel has it.
    if abs(value) > np.finfo(wide).max:
        return value
    nearest = wide(value)
    if float_type == "bfloat16":
        bits = int(nearest.view(np.uint32))
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        nearest = np.uint32(bits).view(np.float32)
    return float(nearest)


def criterion_of(
    criterion: Any, limits: Any, background: Any, tolerance: Any, float_type: str | None
) -> tuple[str, Any, Any, Any, Any]:
    """Criterion, background, low, high and tolerance, for voxels of a type (`narrow_float_of`)."""
    if not isinstance(criterion, str):
        raise TypeError(f"criterion must be a name, for example 'foreground', not {criterion!r}")
    if tolerance is not None and criterion == "foreground":
        criterion = "tolerance"
    if tolerance is not None and criterion != "tolerance":
        raise ValueError(f"a tolerance cannot be combined with criterion={criterion!r}")
    low = high = None
    if limits is not None:
        try:
            low, high = limits
        except (TypeError, ValueError):
            raise TypeError(f"range must be a pair (low, high), not {limits!r}") from None
        if low is None or high is None:
            raise TypeError(f"range must be a pair of numbers, not {limits!r}; use infinity for an open end")
        if isinstance(background, (int, float, np.number)) and background != 0:
            raise ValueError(f"background={background} cannot be combined with range={limits!r}, which defines the foreground")
    for value in (background, low, high, tolerance):
        if type(value) is int and value.bit_length() > 1023:
            raise OverflowError("a criterion's value exceeds double precision; use infinity for an open range")
    if float_type is not None and not (limits is None and tolerance is None and type(background) is int and background == 0):
        background, low, high, tolerance = (as_voxel_value(value, float_type) for value in (background, low, high, tolerance))
    return criterion, background, low, high, tolerance


def limits_of(
    order: Any, minimum_size: Any, maximum_size: Any, minimum_volume: Any, largest: Any
) -> tuple[str, int, int | None, float, int]:
    """The components to keep, and their order."""
    minimum, maximum = sizes_of(minimum_size, maximum_size)
    return (
        order,
        minimum,
        maximum,
        0.0 if minimum_volume is None else volume_of(minimum_volume),
        0 if largest is None else largest_of(largest),
    )


def volume_of(minimum_volume: Any) -> float:
    try:
        volume = float_of(minimum_volume)
    except TypeError:
        raise TypeError(f"minimum_volume must be a number, not {minimum_volume!r}") from None
    if not volume >= 0:
        raise ValueError(f"minimum_volume={minimum_volume} must be a number of at least 0")
    return volume


def sizes_of(minimum_size: Any, maximum_size: Any) -> tuple[int, int | None]:
    """The limits on the voxels of components to keep."""
    minimum = 0 if type(minimum_size) is int and minimum_size == 0 else count_of("minimum_size", minimum_size)
    if maximum_size is None:
        return minimum, None
    maximum = count_of("maximum_size", maximum_size)
    if minimum > maximum:
        warn(f"minimum_size={minimum} is above maximum_size={maximum}: no component is kept")
    return minimum, maximum


def largest_of(largest: Any) -> int:
    number = count_of("largest", largest)
    if number == 0:
        raise ValueError("largest=0 leaves no component; give at least 1, or None for all")
    return number


def rules_of(
    volume: Volume,
    criterion: tuple[str, Any, Any, Any, Any] = ("foreground", 0, None, None, None),
    connectivity: Any = None,
    by_slice: Any = None,
    neighborhood: Any = None,
    periodic: Any = (),
    limits: tuple[str, int, int | None, float, int] = ("raster", 0, None, 0.0, 0),
    algorithm: Any = "auto",
    device: Any = "auto",
    threads: Any = None,
) -> _core.Rules:
    """The arguments for a volume; axes refer to the volume. `criterion` and `limits` come from `criterion_of` and
    `limits_of`."""
    if neighborhood is not None and not (connectivity is None and by_slice is None):
        raise ValueError("a neighborhood replaces connectivity and by_slice; omit them")
    for name, value, example in (("algorithm", algorithm, "auto"), ("device", device, "cpu"), ("order", limits[0], "raster")):
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a name, for example '{example}', not {value!r}")
    if device.partition(":")[0].lower() in ("gpu", "nvidia"):
        _, colon, number = device.partition(":")
        raise ValueError(f"the device {device!r} is unknown; write device='cuda{colon}{number}'")
    arguments = (
        *criterion,
        None if connectivity is None else count_of("connectivity", connectivity),
        () if by_slice is None else (volume.axis("by_slice", by_slice),),
        () if neighborhood is None else tuple(volume.neighborhood(neighborhood)),
        () if periodic is None or isinstance(periodic, tuple) and not periodic else tuple(volume.axes("periodic", periodic)),
        *limits,
        "Auto" if algorithm == "auto" else algorithm,
        device,
        threads_of(threads),
    )
    try:
        return _make_once(*arguments)
    except TypeError:
        # Numbers that cannot be looked up, for example arrays of one; and what is wrong is said again.
        return make_rules(*arguments)


def make_rules(
    criterion: Any,
    background: Any,
    low: Any,
    high: Any,
    tolerance: Any,
    connectivity: int | None,
    slice_axes: tuple[int, ...],
    neighborhood: tuple[int, ...],
    periodic: tuple[int, ...],
    order: Any,
    minimum_size: int,
    maximum_size: int | None,
    minimum_volume: float,
    largest: int,
    algorithm: Any,
    device: Any,
    threads: int,
) -> _core.Rules:
    """For the engine."""
    return _core.Rules.make(
        criterion=criterion,
        background=background,
        low=low,
        high=high,
        tolerance=tolerance,
        connectivity=connectivity,
        slice_axes=slice_axes,
        neighborhood=neighborhood,
        periodic=periodic,
        order=order,
        minimum_size=minimum_size,
        maximum_size=maximum_size,
        minimum_volume=minimum_volume,
        largest=largest,
        algorithm=algorithm,
        device=device,
        threads=threads,
    )


#: Calls for many small arrays repeat their arguments; making rules of them takes as long as labeling 1,000 voxels.
_make_once = lru_cache(maxsize=64, typed=True)(make_rules)
# A reference to the function that lives until Python ends must not keep the cache.
atexit.register(_make_once.cache_clear)
