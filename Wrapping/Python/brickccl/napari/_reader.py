# SPDX-License-Identifier: Apache-2.0
"""Opens image files as layers. Segmentations become Labels layers with the names and colors of their segments."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

import brickccl.io

#: A label that no segment names.
_NAMELESS = (0.5, 0.5, 0.5, 1.0)


def reader_of(path: Any) -> Callable[[Any], list[tuple[Any, dict[str, Any], str]]] | None:
    """The function that opens a file; None for several files, which other readers may stack."""
    return read_layers if isinstance(path, str) else None


def read_layers(path: str) -> list[tuple[Any, dict[str, Any], str]]:
    """The layer of a file: voxels, what else napari needs, and the kind of layer."""
    image = brickccl.io.read(path)
    # The world has the directions of the image, because napari cannot slice others well. Images with the same ones fit.
    directions = np.reshape(image.direction, (image.array.ndim, image.array.ndim))
    place: dict[str, Any] = {"scale": image.spacing, "translate": (directions.T @ image.origin)[::-1]}
    if image.has_spacing and image.array.ndim <= 3:
        place["units"] = "mm"
    options: dict[str, Any] = {"name": os.path.basename(path), **place}
    if not image.names or image.dtype.kind not in "ui":
        return [(image.array, options, "image")]
    return [(image.array, {**options, **looks_of(image.names, image.colors)}, "labels")]


def looks_of(names: dict[int, str], colors: dict[int, tuple[float, float, float]]) -> dict[str, Any]:
    """The features and colors of labels. The status bar of napari shows the features of the label under the mouse."""
    import pandas
    from napari.utils.colormaps import DirectLabelColormap

    table: dict[Any, Any] = {label: (*colors.get(label, _NAMELESS[:3]), 1.0) for label in names}
    table |= {None: _NAMELESS, 0: (0.0, 0.0, 0.0, 0.0)}
    features = pandas.DataFrame({"index": [0, *names], "name": ["background", *names.values()]})
    return {"features": features, "colormap": DirectLabelColormap(color_dict=table)}


def names_of(layer: Any) -> dict[int, str]:
    """The names of labels in the features of a layer."""
    features = getattr(layer, "features", {})
    if "index" not in features or "name" not in features:
        return {}
    return {int(label): str(name) for label, name in zip(features["index"], features["name"])}
