# SPDX-License-Identifier: Apache-2.0
"""Metadata of OME-Zarr images, versions 0.4 and 0.5."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

#: Units of length in mm, by the names that OME-Zarr takes from UDUNITS-2.
MILLIMETERS = {
    "angstrom": 1e-7,
    "attometer": 1e-15,
    "centimeter": 10.0,
    "decimeter": 100.0,
    "femtometer": 1e-12,
    "foot": 304.8,
    "inch": 25.4,
    "kilometer": 1e6,
    "meter": 1e3,
    "micrometer": 1e-3,
    "micron": 1e-3,
    "millimeter": 1.0,
    "nanometer": 1e-6,
    "picometer": 1e-9,
    "um": 1e-3,
    "µm": 1e-3,
    "nm": 1e-6,
    "mm": 1.0,
}


#: More colors and properties than these do not belong into the JSON of a label image.
MOST_ROWS = 10_000


class Level(NamedTuple):
    """One resolution of an image; scale and translation for each axis."""

    path: str
    scale: tuple[float, ...]
    translation: tuple[float, ...]


class Multiscale(NamedTuple):
    version: str
    axes: list[dict[str, Any]]
    levels: list[Level]


def read_multiscale(group: Any) -> Multiscale | None:
    """The first multiscale image of a group; None if there is none."""
    attributes = dict(group.attrs)
    ome = attributes.get("ome", attributes)
    if not isinstance(ome, Mapping) or not ome.get("multiscales"):
        return None
    multiscale = ome["multiscales"][0]
    version = str(ome.get("version", multiscale.get("version", "0.4")))
    axes = [axis if isinstance(axis, dict) else {"name": axis} for axis in multiscale.get("axes", ())]
    if not axes:
        raise ValueError(f"the OME-Zarr image of version {version} has no axes; images of 0.4 and 0.5 are read")
    whole = _transform(multiscale.get("coordinateTransformations", ()), len(axes))
    levels = []
    for dataset in multiscale["datasets"]:
        own = _transform(dataset.get("coordinateTransformations", ()), len(axes))
        scale = tuple(a * b for a, b in zip(own[0], whole[0]))
        translation = tuple(a * b + c for a, b, c in zip(own[1], whole[0], whole[1]))
        levels.append(Level(str(dataset["path"]), scale, translation))
    return Multiscale(version, axes, levels)


def _transform(transformations: Any, dimension: int) -> tuple[list[float], list[float]]:
    scale, translation = [1.0] * dimension, [0.0] * dimension
    for transformation in transformations:
        kind = transformation.get("type")
        if kind == "scale":
            scale = [a * float(b) for a, b in zip(scale, transformation["scale"])]
            translation = [a * float(b) for a, b in zip(translation, transformation["scale"])]
        elif kind == "translation":
            translation = [a + float(b) for a, b in zip(translation, transformation["translation"])]
        elif kind != "identity":
            raise NotImplementedError(f"an OME-Zarr image with a transformation of type {kind!r}")
    return scale, translation


def select_axes(
    axes: Sequence[dict[str, Any]], shape: Sequence[int], select: Mapping[str, int] | None
) -> list[int | None]:
    """For each axis the index to read, or None for all: a channel, and the time if there is only one."""
    wanted = dict(select or {})
    chosen: list[int | None] = []
    for axis, size in zip(axes, shape):
        name = str(axis["name"])
        index = wanted.pop(name, None)
        if index is None and size == 1 and (axis.get("type") in ("channel", "time") or name in ("c", "t")):
            index = 0
        if index is None and (axis.get("type") == "channel" or name == "c"):
            raise ValueError(f"the image has {size} channels; choose one of them, for example select={{{name!r}: 0}}")
        if index is not None and (not hasattr(index, "__index__") or isinstance(index, bool)):
            raise TypeError(f"select={{{name!r}: {index!r}}} must be an index, a whole number")
        if index is not None and not 0 <= index < size:
            raise ValueError(f"select={{{name!r}: {index}}} is outside the axis, which has {size} places")
        chosen.append(index)
    if wanted:
        names = ", ".join(str(axis["name"]) for axis in axes)
        raise ValueError(f"select names the axis {next(iter(wanted))!r}; the image has {names}")
    return chosen


def millimeters(axis: dict[str, Any]) -> float:
    """The size of an axis unit in mm; axes without a unit and axes other than lengths are not converted."""
    unit = axis.get("unit")
    if unit is None or axis.get("type", "space") != "space":
        return 1.0
    if unit not in MILLIMETERS:
        raise ValueError(f"the axis {axis['name']!r} has the unit {unit!r}, which is unknown; set spacing= in mm")
    return MILLIMETERS[unit]


def colors_of(count: int) -> list[dict[str, Any]]:
    """Colors of all labels; consecutive labels differ."""
    colors = []
    for label in range(1, max(1, count) + 1):
        hue = label * 0.618033988749895 % 1
        saturation = (0.55, 0.75, 0.95)[label % 3]
        rgb = colorsys.hsv_to_rgb(hue, saturation, 0.95)
        colors.append({"label-value": label, "rgba": [round(255 * part) for part in rgb] + [255]})
    return colors


def label_attributes(
    version: str,
    name: str,
    axes: list[dict[str, Any]],
    levels: Sequence[Level],
    count: int,
    properties: list[dict[str, Any]],
) -> dict[str, Any]:
    """The attributes of the group of a label image."""
    datasets = [
        {
            "path": level.path,
            "coordinateTransformations": [
                {"type": "scale", "scale": list(level.scale)},
                {"type": "translation", "translation": list(level.translation)},
            ],
        }
        for level in levels
    ]
    multiscale: dict[str, Any] = {"name": name, "axes": axes, "datasets": datasets, "type": "nearest"}
    image_label: dict[str, Any] = {"source": {"image": "../../"}}
    # Viewers show labels without a color as transparent where others have one: all of them, or none.
    if count <= MOST_ROWS:
        image_label["colors"] = colors_of(count)
    if properties:
        image_label["properties"] = properties
    if version == "0.4":
        return {
            "multiscales": [{"version": version, **multiscale}],
            "image-label": {"version": version, **image_label},
        }
    return {"ome": {"version": version, "multiscales": [multiscale], "image-label": image_label}}
