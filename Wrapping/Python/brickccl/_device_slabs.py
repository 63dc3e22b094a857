# SPDX-License-Identifier: Apache-2.0
"""Labeling of a volume in slabs on CUDA devices: lists of arrays of CuPy or PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._device import _label_dtype, _library_of, _readable, _unsigned, check_count, is_on_device

#: Labelers that are not at work, by the devices of their slabs; each keeps its memory.
_idle: dict[tuple[int, ...], list[_core.SlabLabels]] = {}


def release_slab_memory() -> None:
    """Releases the memory kept for the next call."""
    _idle.clear()


def are_slabs(image: Any) -> bool:
    """Whether an object is a list of arrays on devices."""
    return isinstance(image, (list, tuple)) and len(image) > 0 and all(is_on_device(slab) for slab in image)


def refuse(options: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    """Raises for options that slabs on devices lack, with an alternative."""
    for name, value in options.items():
        plain = value is None or isinstance(value, (str, bool, int, float, tuple))
        if value is not usual[name] and not (plain and value == usual[name]):
            given = f"{name}={value!r}" if plain else f"{name}="
            raise NotImplementedError(
                f"{given} is not available for slabs on several devices; pass the volume as one array on the host, with "
                'devices=[0, 1, ...] for the same GPUs, or apply it to the labels'
            )


def _of_each(name: str, given: Any, count: int) -> list[Any]:
    """A list with an element for each slab."""
    if not isinstance(given, (list, tuple)) or len(given) != count:
        raise ValueError(f"{name} must be a list with an array for each of the {count} slabs")
    return list(given)


def label_slabs(
    slabs: Sequence[Any],
    rules: _core.Rules,
    masks: Any,
    dtype: Any,
    out: Any,
) -> tuple[list[Any], int]:
    """Labels consecutive slabs along axis 0, each on its device. Returns the label maps and the count."""
    libraries = [_library_of(slab, f"slab {place}") for place, slab in enumerate(slabs)]
    read = [_readable(library, slab, f"slab {place}") for place, (library, slab) in enumerate(zip(libraries, slabs))]
    outs = [None] * len(read) if out is None else _of_each("out", out, len(read))
    masked = []
    if masks is not None:
        for place, mask in enumerate(_of_each("mask", masks, len(read))):
            if not libraries[place].owns(mask):
                raise TypeError(f"mask {place} must be an array of its slab's library, on the slab's device")
            masked.append(_readable(libraries[place], mask, f"mask {place}"))
    targets = []
    for library, (_, source), target in zip(libraries, read, outs):
        shape = tuple(source[2])
        chosen, name = _label_dtype(library, dtype, target, shape)
        targets.append((library.empty(shape, chosen) if target is None else target, name))
    names = {name for _, name in targets}
    if len(names) > 1:
        raise TypeError(f"the label maps have the types {', '.join(sorted(names))}; all must have the same type")
    devices = [library.device for library in libraries]
    idle = _idle.setdefault(tuple(devices), [])
    try:
        engine = idle.pop()
    except IndexError:
        engine = _core.SlabLabels()
    try:
        count = engine.label(
            [source for _, source in read],
            [source for _, source in masked],
            devices,
            [library.stream() for library in libraries],
            rules,
        )
        name = names.pop()
        check_count(count, name)
        engine.write([library.address(target) for library, (target, _) in zip(libraries, targets)], _unsigned(name))
    finally:
        idle.append(engine)
    return [target for target, _ in targets], count
