# SPDX-License-Identifier: Apache-2.0
"""The widgets. Work runs in a separate thread; the window stays responsive, and Cancel ends the work."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import napari.layers
import napari.viewer
import numpy as np
from magicgui.widgets import CheckBox, ComboBox, Container, FloatSpinBox, Label, LineEdit, ProgressBar, PushButton, SpinBox
from napari.qt.threading import create_worker
from napari.utils.colormaps import DirectLabelColormap
from napari.utils.notifications import show_error
from qtpy.QtCore import QObject, Signal  # type: ignore[attr-defined]

import brickccl

_CRITERIA = {"not background": "foreground", "range of values": "range", "equal values": "equal", "similar values": "tolerance"}
_NEIGHBORS = {"faces": 1, "faces and edges": 2, "all": 3}
_PLAIN = "label"
#: Colors by a column are set label by label; the window gets slow with more.
_MOST_COLORED = 100_000


class _Canceled(Exception):
    pass


class _Steps(QObject):
    """Brings progress from the working thread to the window."""

    fraction = Signal(float)


def voxels_of(layer: Any) -> Any:
    """The layer's array: the finest of several scales, without color channels."""
    if getattr(layer, "rgb", False):
        raise ValueError(f"'{layer.name}' has colors; split it into channels (Layers, Split RGB) and choose one")
    data = layer.data[0] if layer.multiscale else layer.data
    return np.asarray(data)


def spacing_of(layer: Any) -> tuple[float, ...]:
    """The size of the layer's voxels in mm; units such as pixel count as mm."""
    spacing = []
    for step, unit in zip(layer.scale, layer.units):
        is_length = unit.dimensionality == {"[length]": 1.0}
        spacing.append(abs(float(step)) * (float((1 * unit).to("mm").magnitude) if is_length else 1.0))
    return tuple(spacing)


def rank_of(text: str, dimension: int) -> int:
    """The number of axes along which neighbors may differ."""
    return min(_NEIGHBORS[text], dimension)


def colormap_by(values: np.ndarray[Any, Any], labels: np.ndarray[Any, Any]) -> DirectLabelColormap:
    """Colors of labels by a column, from the lowest to the highest value; NaN is gray."""
    import matplotlib

    finite = np.isfinite(values)
    low, high = (float(values[finite].min()), float(values[finite].max())) if finite.any() else (0.0, 1.0)
    shares = (values - low) / (high - low) if high > low else np.zeros(len(values))
    colors = matplotlib.colormaps["viridis"](np.where(finite, shares, 0.0))
    colors[~finite] = (0.5, 0.5, 0.5, 1.0)
    table: dict[Any, Any] = {int(label): color for label, color in zip(labels, colors)}
    table[None] = table[0] = (0.0, 0.0, 0.0, 0.0)
    return DirectLabelColormap(color_dict=table)


class _Task(Container[Any]):
    """Options, buttons to start and cancel work on a layer, and progress."""

    def __init__(self, viewer: napari.viewer.Viewer, kinds: tuple[type, ...], start: str) -> None:
        super().__init__()
        self.viewer = viewer
        self._kinds = kinds
        self.layer = ComboBox(label="layer", choices=self._layers, tooltip="layer to work on")
        self.start = PushButton(text=start)
        self.cancel = PushButton(text="Cancel", enabled=False)
        self.bar = ProgressBar(label="", min=0, max=1000, value=0, visible=False)
        self.told = Label(value="")
        self.told.native.setWordWrap(True)
        self.worker: Any = None
        self._wants_to_stop = False
        self._steps = _Steps()
        self._steps.fraction.connect(lambda fraction: setattr(self.bar, "value", round(1000 * fraction)))
        self.start.changed.connect(self._begin)
        self.cancel.changed.connect(self.stop)
        for event in (viewer.layers.events.inserted, viewer.layers.events.removed, viewer.layers.events.reordered):
            event.connect(self._reset)

    def _layers(self, _: Any = None) -> list[Any]:
        return [layer for layer in self.viewer.layers if isinstance(layer, self._kinds)]

    def _reset(self, _: Any = None) -> None:
        self.layer.reset_choices()

    def add(self, *widgets: Any) -> None:
        self.extend([self.layer, *widgets, self.start, self.cancel, self.bar, self.told])

    def stop(self, _: Any = None) -> None:
        """Ends the work as soon as the engine checks."""
        self._wants_to_stop = True

    def _progress(self, fraction: float) -> None:
        if self._wants_to_stop:
            raise _Canceled
        self._steps.fraction.emit(fraction)

    def prepare(self, layer: Any) -> Callable[[], Any]:
        """The task for the thread, from the current options."""
        raise NotImplementedError

    def show_result(self, result: Any) -> None:
        """Brings the result into the viewer."""
        raise NotImplementedError

    def _begin(self, _: Any = None) -> None:
        if self.layer.value is None:
            show_error("There is no layer: open an image first.")
            return
        try:
            work = self.prepare(self.layer.value)
        except (ValueError, TypeError) as error:
            show_error(str(error))
            return
        self._wants_to_stop = False
        self.told.value = ""
        self.start.enabled, self.cancel.enabled = False, True
        self.bar.value, self.bar.visible = 0, True
        self.worker = create_worker(self._catch, work)
        self.worker.returned.connect(self._end)
        self.worker.start()

    def _catch(self, work: Callable[[], Any]) -> tuple[Any, Exception | None]:
        try:
            return work(), None
        except Exception as error:
            return None, error

    def _end(self, outcome: tuple[Any, Exception | None]) -> None:
        result, error = outcome
        self.start.enabled, self.cancel.enabled = True, False
        self.bar.visible = False
        if isinstance(error, _Canceled):
            self.told.value = "canceled"
        elif error is not None:
            show_error(str(error))
        else:
            self.show_result(result)


class LabelComponents(_Task):
    """Labels the connected components of a layer, and measures them: a Labels layer with the table as its features."""

    def __init__(self, viewer: napari.viewer.Viewer) -> None:
        super().__init__(viewer, (napari.layers.Image, napari.layers.Labels), "Label")
        self.criterion = ComboBox(label="joined are", choices=list(_CRITERIA), tooltip="which neighbors are joined")
        self.low = LineEdit(label="from", value="-inf", tooltip="lowest value of the foreground; -inf for none")
        self.high = LineEdit(label="to", value="inf", tooltip="highest value of the foreground; inf for none")
        self.tolerance = LineEdit(label="differ by", value="0", tooltip="largest difference of joined neighbors")
        self.neighbors = ComboBox(label="neighbors", choices=list(_NEIGHBORS), tooltip="neighbors of a voxel")
        self.minimum_volume = FloatSpinBox(
            label="smallest (mm³)", value=0, min=0, max=1e12, step=0.1, tooltip="smaller components become background"
        )
        self.largest = SpinBox(label="only the largest", value=0, max=10**9, tooltip="number of components to keep; 0 for all")
        self.slices = CheckBox(label="first axis separately", tooltip="label each slice or time point separately")
        self.device = ComboBox(label="device", choices=["auto", "cpu", "cuda"])
        self.color = ComboBox(label="color by", choices=[_PLAIN], tooltip="a column of the table")
        self.result: Any = None
        self.add(
            self.criterion,
            self.low,
            self.high,
            self.tolerance,
            self.neighbors,
            self.minimum_volume,
            self.largest,
            self.slices,
            self.device,
            self.color,
        )
        self.criterion.changed.connect(self._show_choices)
        self.color.changed.connect(self._paint)
        self._show_choices()

    def _show_choices(self, _: Any = None) -> None:
        criterion = _CRITERIA[self.criterion.value]
        for widget in (self.low, self.high):
            widget.visible = criterion == "range"
        self.tolerance.visible = criterion == "tolerance"

    def _number(self, widget: Any) -> int | float:
        text = widget.value.strip()
        try:
            return int(text)
        except ValueError:
            pass
        try:
            return float(text)
        except ValueError:
            raise ValueError(f"'{widget.label}' is '{text}'; it must be a number such as 0.5") from None

    def prepare(self, layer: Any) -> Callable[[], Any]:
        image, spacing = voxels_of(layer), spacing_of(layer)
        criterion = _CRITERIA[self.criterion.value]
        options: dict[str, Any] = {"criterion": criterion}
        if criterion == "range":
            options = {"range": (self._number(self.low), self._number(self.high))}
        if criterion == "tolerance":
            options["tolerance"] = self._number(self.tolerance)
        if self.slices.value:
            options["by_slice"] = 0
        options["connectivity"] = rank_of(self.neighbors.value, image.ndim - int(self.slices.value))
        options["minimum_volume"] = self.minimum_volume.value or None
        options["largest"] = self.largest.value or None
        options["device"] = self.device.value
        return functools.partial(self._work, layer, image, spacing, options)

    def _work(self, layer: Any, image: Any, spacing: Any, options: dict[str, Any]) -> Any:
        labels, table = brickccl.label(image, spacing=spacing, return_table=True, progress=self._progress, **options)
        return layer, labels, table

    def show_result(self, result: Any) -> None:
        import pandas

        layer, labels, table = result
        features = pandas.DataFrame({"index": table["label"], **{name: values for name, values in table.items() if name != "label"}})
        # Row 0 is the background.
        features = pandas.concat([pandas.DataFrame({"index": [0]}), features], ignore_index=True)
        self.result = self.viewer.add_labels(
            labels,
            name=f"{layer.name} components",
            features=features,
            scale=layer.scale,
            translate=layer.translate,
            rotate=layer.rotate,
            shear=layer.shear,
            affine=layer.affine,
            units=layer.units,
        )
        count = table.row_count
        self.told.value = f"{count} component{'' if count == 1 else 's'}"
        names = [name for name in table if name != "label"]
        self.color.choices = [_PLAIN, *names] if count <= _MOST_COLORED else [_PLAIN]
        self.color.value = _PLAIN

    def _paint(self, column: str) -> None:
        if self.result is None or self.result not in self.viewer.layers:
            return
        if column == _PLAIN or column is None:
            self.result.colormap = napari.utils.colormaps.label_colormap(49)
            return
        rows = self.result.features.iloc[1:]
        self.result.colormap = colormap_by(rows[column].to_numpy(dtype=float), rows["index"].to_numpy())


class CleanSegmentation(_Task):
    """Removes small components of every class of a Labels layer and fills its holes: a new Labels layer."""

    def __init__(self, viewer: napari.viewer.Viewer) -> None:
        super().__init__(viewer, (napari.layers.Labels,), "Clean")
        self.values = LineEdit(label="classes", value="", tooltip="numbers such as 1, 3, 5; empty for all")
        self.minimum_volume = FloatSpinBox(
            label="smallest (mm³)", value=0, min=0, max=1e12, step=0.1, tooltip="smaller components become background"
        )
        self.largest = SpinBox(label="only the largest", value=0, max=10**9, tooltip="number of components to keep per class; 0 for all")
        self.fill_holes = CheckBox(label="fill holes", value=True)
        self.neighbors = ComboBox(label="neighbors", choices=list(_NEIGHBORS), tooltip="neighbors of a voxel")
        self.add(self.values, self.minimum_volume, self.largest, self.fill_holes, self.neighbors)

    def prepare(self, layer: Any) -> Callable[[], Any]:
        segmentation, spacing = voxels_of(layer), spacing_of(layer)
        values = None
        if self.values.value.strip():
            try:
                values = [int(text) for text in self.values.value.replace(",", " ").split()]
            except ValueError:
                raise ValueError(f"classes are '{self.values.value}'; they must be whole numbers such as 1, 3, 5") from None
        options = {
            "values": values,
            "minimum_volume": self.minimum_volume.value or None,
            "largest": self.largest.value or None,
            "fill_holes": self.fill_holes.value,
            "connectivity": rank_of(self.neighbors.value, segmentation.ndim),
            "spacing": spacing,
        }
        return functools.partial(self._work, layer, segmentation, options)

    def _work(self, layer: Any, segmentation: Any, options: dict[str, Any]) -> Any:
        cleaned, report = brickccl.clean(segmentation, return_report=True, progress=self._progress, **options)
        return layer, cleaned, report

    def show_result(self, result: Any) -> None:
        layer, cleaned, report = result
        self.viewer.add_labels(
            cleaned,
            name=f"{layer.name} cleaned",
            scale=layer.scale,
            translate=layer.translate,
            rotate=layer.rotate,
            shear=layer.shear,
            affine=layer.affine,
            units=layer.units,
        )
        removed = sum(row.removed_components for row in report)
        filled = sum(row.filled_holes for row in report)
        told = f"{removed} of {sum(row.components for row in report)} components removed"
        self.told.value = f"{told}, {filled} hole{'' if filled == 1 else 's'} filled"
