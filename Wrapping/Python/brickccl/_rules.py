"""The arguments of `label` that say what is joined, which components stay and who labels, as the engine takes them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from . import _core
from ._volume import Volume, count_of, threads_of


def criterion_of(criterion: Any, limits: Any, background: Any, tolerance: Any) -> tuple[str, Any, Any, Any, Any]:
    """Criterion, background, low, high and tolerance."""
    if tolerance is not None and criterion == "foreground":
        criterion = "tolerance"
    if tolerance is not None and criterion != "tolerance":
        raise ValueError(f"a tolerance is of no use with criterion={criterion!r}")
    low = high = None
    if limits is not None:
        try:
            low, high = limits
        except (TypeError, ValueError):
            raise TypeError(f"range must be a pair (low, high), not {limits!r}") from None
    return criterion, background, low, high, tolerance


def limits_of(
    order: Any, minimum_size: Any, maximum_size: Any, minimum_volume: Any, largest: Any
) -> tuple[str, int, int | None, float, int]:
    """Which components stay, and their order."""
    return (
        order,
        minimum_size if minimum_size == 0 else count_of("minimum_size", minimum_size),
        None if maximum_size is None else count_of("maximum_size", maximum_size),
        0.0 if minimum_volume is None else float(minimum_volume),
        0 if largest is None else largest_of(largest),
    )


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
    neighbourhood: Any = None,
    periodic: Any = (),
    limits: tuple[str, int, int | None, float, int] = ("raster", 0, None, 0.0, 0),
    algorithm: Any = "auto",
    device: Any = "auto",
    threads: Any = None,
) -> _core.Rules:
    """The arguments for a volume, whose axes those of them are that are about axes. `criterion` and `limits` are from
    `criterion_of` and `limits_of`."""
    if neighbourhood is not None and not (connectivity is None and by_slice is None):
        raise ValueError("a neighbourhood takes the place of connectivity and by_slice; give it alone")
    arguments = (
        *criterion,
        None if connectivity is None else count_of("connectivity", connectivity),
        () if by_slice is None else (volume.axis("by_slice", by_slice),),
        () if neighbourhood is None else tuple(volume.neighbourhood(neighbourhood)),
        () if isinstance(periodic, tuple) and not periodic else tuple(volume.axes("periodic", periodic)),
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
    neighbourhood: tuple[int, ...],
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
    """Of what the engine takes."""
    return _core.Rules.make(
        criterion=criterion,
        background=background,
        low=low,
        high=high,
        tolerance=tolerance,
        connectivity=connectivity,
        slice_axes=slice_axes,
        neighbourhood=neighbourhood,
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


#: Who labels many small arrays gives the same arguments again; making rules of them takes as long as labeling 1,000 voxels.
_make_once = lru_cache(maxsize=64)(make_rules)
