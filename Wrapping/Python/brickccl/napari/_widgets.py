# SPDX-License-Identifier: Apache-2.0
"""The widgets. Work runs in a separate thread; the window stays responsive, and Cancel ends the work."""

from __future__ import annotations

import functools
import math
import weakref
from collections.abc import Callable
from typing import Any

import napari.layers
import napari.viewer
import numpy as np
from magicgui.widgets import CheckBox, ComboBox, Container, FloatSpinBox, Label, LineEdit, ProgressBar, PushButton, SpinBox
from napari.qt.threading import create_worker
from napari.utils.colormaps import DirectLabelColormap
from napari.utils.notifications import show_error
from qtpy.QtCore import QObject, QTimer, Signal  # type: ignore[attr-defined]

import brickccl

from ._histogram import HistogramWidget, Legend, histogram_of, otsu_of, robust_limits
from ._reader import names_of

_EQUAL = "equal values"
_CRITERIA = {"not background": "foreground", "range of values": "range", _EQUAL: "equal-value", "similar values": "tolerance"}
_NEIGHBORS = {"faces": 1, "faces and edges": 2, "all": 3}
_PLAIN = "label"
_COLORS = "viridis"
#: The key of this plugin in the metadata of layers.
_MADE_BY = "brickccl"
_PREVIEW = "preview"
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


def spacing_of(layer: Any) -> tuple[float, ...] | None:
    """The size of the layer's voxels in mm, also if its scale has no unit. None for a layer with neither a scale nor a unit."""
    are_lengths = [unit.dimensionality == {"[length]": 1.0} for unit in layer.units]
    units = [float((1 * unit).to("mm").magnitude) if is_length else 1.0 for unit, is_length in zip(layer.units, are_lengths)]
    spacing = tuple(abs(float(step)) * unit for step, unit in zip(layer.scale, units))
    return spacing if any(are_lengths) or any(step != 1 for step in spacing) else None


def rank_of(text: str, dimension: int) -> int:
    """The number of axes along which neighbors may differ."""
    return min(_NEIGHBORS[text], dimension)


def _cuts_obliquely(layer: Any, hidden: list[int]) -> bool:
    """Whether a slice across these axes of the viewer cuts the layer's array obliquely."""
    dimension = layer.ndim
    origin = np.asarray(layer.data_to_world(np.zeros(dimension)))
    steps = [np.asarray(layer.data_to_world(along)) - origin for along in np.eye(dimension)]
    shares = np.array([[abs(steps[axis][at]) for at in hidden] for axis in range(dimension) if axis not in hidden])
    return bool(shares.size and shares.max() > 1e-9 * max(map(np.max, np.abs(steps))))


def colormap_by(
    values: np.ndarray[Any, Any], labels: np.ndarray[Any, Any], limits: tuple[float, float]
) -> DirectLabelColormap:
    """Colors of labels by a column, between two limits; NaN is gray."""
    import matplotlib

    finite = np.isfinite(values)
    low, high = limits
    shares = np.clip((values - low) / (high - low), 0, 1) if high > low else np.zeros(len(values))
    colors = matplotlib.colormaps[_COLORS](np.where(finite, shares, 0.0))
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
        self.smallest = FloatSpinBox(
            label="smallest (mm³)", value=0, min=0, max=1e12, step=0.1, tooltip="smaller components become background"
        )
        self.start = PushButton(text=start)
        self.cancel = PushButton(text="Cancel", enabled=False)
        self.bar = ProgressBar(label="", min=0, max=1000, value=0, visible=False)
        self.told = Label(value="")
        self.told.native.setWordWrap(True)
        self.worker: Any = None
        #: The result of each layer, which the next result replaces.
        self._results: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        self._wants_to_stop = False
        self._steps = _Steps()
        self._steps.fraction.connect(lambda fraction: setattr(self.bar, "value", round(1000 * fraction)))
        self.layer.changed.connect(self._take_layer)
        self.start.changed.connect(self._begin)
        self.cancel.changed.connect(self.stop)
        for event in (viewer.layers.events.inserted, viewer.layers.events.removed, viewer.layers.events.reordered):
            event.connect(self._reset)

    def _layers(self, _: Any = None) -> list[Any]:
        shown = [layer for layer in self.viewer.layers if layer.metadata.get(_MADE_BY) != _PREVIEW]
        return [layer for layer in shown if isinstance(layer, self._kinds)]

    def _reset(self, _: Any = None) -> None:
        self.layer.reset_choices()

    def add(self, *widgets: Any) -> None:
        self.extend([self.layer, *widgets, self.start, self.cancel, self.bar, self.told])
        self._take_layer()

    def _take_layer(self, _: Any = None) -> None:
        """Follows the chosen layer."""
        layer = self.layer.value
        if layer is not None:
            for changed in (layer.events.scale, layer.events.units):
                changed.connect(self._show_unit)
        self._show_unit()

    def _show_unit(self, _: Any = None) -> None:
        layer = self.layer.value
        self.smallest.label = f"smallest ({'mm³' if layer is None or spacing_of(layer) else 'voxels'})"

    def _limits(self, spacing: Any) -> dict[str, Any]:
        """The smallest component that stays."""
        smallest = self.smallest.value
        return {"minimum_volume": smallest or None} if spacing else {"minimum_size": math.ceil(smallest)}

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

    def show_labels(self, layer: Any, labels: Any, ending: str, features: Any = None, made: Any = None) -> Any:
        """Shows labels in the layer of the last result for this layer, or in a new one."""
        place = {name: getattr(layer, name) for name in ("scale", "translate", "rotate", "shear", "affine", "units")}
        known = self._results.get(layer)
        if known is None or known not in self.viewer.layers or known.data.shape != labels.shape:
            known = self.viewer.add_labels(labels, name=f"{layer.name} {ending}", features=features, metadata=made, **place)
            self._results[layer] = known
            return known
        known.metadata = made or {}
        known.data = labels
        known.features = features
        for name, value in place.items():
            setattr(known, name, value)
        return known

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
        self.largest = SpinBox(label="only the largest", value=0, max=10**9, tooltip="number of components to keep; 0 for all")
        self.slices = CheckBox(label="first axis separately", tooltip="label each slice or time point separately")
        self.device = ComboBox(label="device", choices=["auto", "cpu", "cuda"])
        self.otsu = PushButton(text="Otsu", tooltip="the threshold between dark and bright values")
        self.preview = CheckBox(label="preview", value=True, tooltip="show the foreground of the visible slice")
        self.color = ComboBox(label="color by", choices=[_PLAIN], tooltip="a column of the table")
        self.histogram = HistogramWidget()
        self.legend = Legend(_COLORS)
        self.result: Any = None
        self._names: dict[int, str] = {}
        self._preview: Any = None
        self._previews = False
        self.add(
            self.criterion,
            self.low,
            self.high,
            self.otsu,
            self.tolerance,
            self.preview,
            self.neighbors,
            self.smallest,
            self.largest,
            self.slices,
            self.device,
            self.color,
        )
        layout = self.native.layout()
        layout.insertWidget(self.index(self.low), self.histogram)
        layout.insertWidget(self.index(self.color) + 2, self.legend)
        # Several changes at once make one preview.
        self._timer = QTimer(self.native)
        self._timer.setSingleShot(True)
        self._timer.setInterval(30)
        self._timer.timeout.connect(self._show_preview)
        self.criterion.changed.connect(self._show_choices)
        self.color.changed.connect(self._paint)
        self.layer.changed.connect(self._show_layer)
        self.otsu.changed.connect(self._take_otsu)
        self.histogram.changed.connect(self._take_handles)
        for changed in (self.low.changed, self.high.changed):
            changed.connect(self._show_handles)
        for changed in (self.tolerance.changed, self.preview.changed, self.neighbors.changed):
            changed.connect(self._begin_preview)
        viewer.dims.events.current_step.connect(self._timer_start)
        viewer.dims.events.order.connect(self._timer_start)
        viewer.dims.events.ndisplay.connect(self._timer_start)
        self._show_choices()
        self._show_layer()

    def _show_choices(self, _: Any = None) -> None:
        criterion = _CRITERIA[self.criterion.value]
        for widget in (self.low, self.high, self.otsu):
            widget.visible = criterion == "range"
        self.histogram.setVisible(criterion == "range")
        self.tolerance.visible = criterion == "tolerance"
        self._begin_preview()

    def _show_layer(self, _: Any = None) -> None:
        """A gray image begins with Otsu's threshold; a segmentation has a background."""
        layer, counts = self.layer.value, None
        if isinstance(layer, napari.layers.Image) and not layer.rgb:
            counts = histogram_of(layer.data[-1] if layer.multiscale else layer.data)
        self.histogram.show_counts(counts)
        named = _EQUAL if names_of(layer) else next(iter(_CRITERIA))
        self.criterion.value = named if counts is None else "range of values"
        if counts is not None:
            self._take_otsu()

    def _take_otsu(self, _: Any = None) -> None:
        if self.histogram.histogram is not None:
            self._take_handles(otsu_of(self.histogram.histogram), float("inf"))

    def _take_handles(self, low: float, high: float) -> None:
        for widget, value in ((self.low, low), (self.high, high)):
            widget.value = f"{value:.0f}" if value.is_integer() else f"{value:.6g}"

    def _show_handles(self, _: Any = None) -> None:
        try:
            self.histogram.show_limits(self._number(self.low), self._number(self.high))
        except ValueError:
            return
        self._begin_preview()

    def _begin_preview(self, _: Any = None) -> None:
        self._previews = bool(self.preview.value)
        self._timer.start()

    def _timer_start(self, _: Any = None) -> None:
        if self._previews:
            self._timer.start()

    def _end_preview(self) -> None:
        if self._preview is not None and self._preview in self.viewer.layers:
            self.viewer.layers.remove(self._preview)
        self._preview = None

    def _show_preview(self) -> None:
        """The foreground of the visible slice; components of the slice if values decide which voxels are joined."""
        layer = self.layer.value
        if not self._previews or layer is None or self.viewer.dims.ndisplay != 2 or getattr(layer, "rgb", False):
            self._end_preview()
            return
        data = layer.data[0] if layer.multiscale else layer.data
        shown = [axis - (self.viewer.dims.ndim - data.ndim) for axis in self.viewer.dims.displayed]
        place = np.round(np.asarray(layer.world_to_data(self.viewer.dims.point))).astype(int)[-data.ndim :]
        hidden = [axis for axis in range(data.ndim) if axis not in shown]
        if min(shown) < 0 or any(not 0 <= place[axis] < data.shape[axis] for axis in hidden) or _cuts_obliquely(layer, hidden):
            self._end_preview()
            return
        box = tuple(slice(None) if axis in shown else slice(at, at + 1) for axis, at in enumerate(place))
        try:
            image = np.asarray(data[box])
            options = self._joining()
            labels = brickccl.label(
                image.reshape([image.shape[axis] for axis in sorted(shown)]),
                connectivity=rank_of(self.neighbors.value, len(shown)),
                **options,
            ).reshape(image.shape)
        except (ValueError, TypeError):
            self._end_preview()
            return
        if options.get("criterion") not in ("equal-value", "tolerance"):
            labels = np.minimum(labels, 1)
        first = np.where(np.isin(range(data.ndim), hidden), place, 0)
        inverse = np.linalg.inv(layer.affine.affine_matrix)
        translate = inverse[:-1, :-1] @ np.asarray(layer.data_to_world(first))[-data.ndim :] + inverse[:-1, -1]
        at = {name: getattr(layer, name) for name in ("scale", "rotate", "shear", "affine", "units")}
        if self._preview is None or self._preview not in self.viewer.layers or self._preview.ndim != data.ndim:
            self._end_preview()
            active = self.viewer.layers.selection.active
            self._preview = self.viewer.add_labels(
                labels, name=_PREVIEW, opacity=0.5, translate=translate, metadata={_MADE_BY: _PREVIEW}, **at
            )
            self.viewer.layers.selection.active = active
            return
        self._preview.data = labels
        self._preview.translate = translate
        for name, value in at.items():
            setattr(self._preview, name, value)

    def _joining(self) -> dict[str, Any]:
        """The options that say which voxels are joined."""
        criterion = _CRITERIA[self.criterion.value]
        if criterion == "range":
            return {"range": (self._number(self.low), self._number(self.high))}
        if criterion == "tolerance":
            return {"criterion": criterion, "tolerance": self._number(self.tolerance)}
        return {"criterion": criterion}

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
        options = self._joining()
        if self.slices.value:
            options["by_slice"] = 0
        options["connectivity"] = rank_of(self.neighbors.value, image.ndim - int(self.slices.value))
        options |= self._limits(spacing)
        options["largest"] = self.largest.value or None
        options["device"] = self.device.value
        self._previews = False
        self._end_preview()
        self._names = names_of(layer) if options.get("criterion") == "equal-value" else {}
        return functools.partial(self._work, layer, image, spacing, options, {_MADE_BY: {"neighbors": self.neighbors.value}})

    def _work(self, layer: Any, image: Any, spacing: Any, options: dict[str, Any], made: dict[str, Any]) -> Any:
        import pandas

        labels, table = brickccl.label(image, spacing=spacing, return_table=True, progress=self._progress, **options)
        # Row 0 is the background.
        background = {name: np.zeros(1, values.dtype) if name == "label" else [np.nan] for name, values in table.items()}
        rows = {name: np.concatenate([background[name], values]) for name, values in table.items()}
        features = pandas.DataFrame({"index": rows.pop("label"), **rows})
        if self._names:
            # Components have the name of the label that they are of.
            values = brickccl.statistics(labels, intensity=image, spacing=spacing)["intensity_min"]
            features.insert(1, "name", [self._names.get(int(value), "") for value in (0, *values)])
        return layer, labels, table, features, made

    def show_result(self, result: Any) -> None:
        layer, labels, table, features, made = result
        self.result = self.show_labels(layer, labels, "components", features, made)
        count = table.row_count
        self.told.value = f"{count} component{'' if count == 1 else 's'}"
        names = [name for name in table if name != "label"]
        chosen = self.color.value
        self.color.choices = [_PLAIN, *names] if count <= _MOST_COLORED else [_PLAIN]
        self.color.value = chosen if chosen in self.color.choices else _PLAIN
        self._paint(self.color.value)

    def _paint(self, column: str) -> None:
        if self.result is None or self.result not in self.viewer.layers:
            return
        if column == _PLAIN or column is None:
            self.result.colormap = napari.utils.colormaps.label_colormap(49)
            self.legend.setVisible(False)
            return
        rows = self.result.features.iloc[1:]
        values = rows[column].to_numpy(dtype=float)
        limits = robust_limits(values)
        self.result.colormap = colormap_by(values, rows["index"].to_numpy(), limits)
        self.legend.show_limits(*limits)


class CleanSegmentation(_Task):
    """Removes small components of every class of a Labels layer and fills its holes: a new Labels layer."""

    def __init__(self, viewer: napari.viewer.Viewer) -> None:
        super().__init__(viewer, (napari.layers.Labels,), "Clean")
        self.values = LineEdit(label="classes", value="", tooltip="numbers or names, as 1, 3, liver; empty for all")
        self.largest = SpinBox(label="only the largest", value=0, max=10**9, tooltip="number of components to keep per class; 0 for all")
        self.fill_holes = CheckBox(label="fill holes", value=True)
        self.neighbors = ComboBox(label="neighbors", choices=list(_NEIGHBORS), tooltip="neighbors of a voxel")
        self.add(self.values, self.smallest, self.largest, self.fill_holes, self.neighbors)
        self.layer.changed.connect(self._take_neighbors)
        self._take_neighbors()

    def _take_neighbors(self, _: Any = None) -> None:
        """Components that this plugin labeled keep the neighbors that they were labeled with."""
        layer = self.layer.value
        if layer is not None:
            # The other widget labels it again.
            layer.events.data.connect(self._take_neighbors)
        made = None if layer is None else layer.metadata.get(_MADE_BY)
        if isinstance(made, dict):
            self.neighbors.value = made["neighbors"]

    def prepare(self, layer: Any) -> Callable[[], Any]:
        segmentation, spacing = voxels_of(layer), spacing_of(layer)
        options = {
            "values": self._classes(names_of(layer)),
            **self._limits(spacing),
            "largest": self.largest.value or None,
            "fill_holes": self.fill_holes.value,
            "connectivity": rank_of(self.neighbors.value, segmentation.ndim),
            "spacing": spacing,
        }
        return functools.partial(self._work, layer, segmentation, options)

    def _classes(self, names: dict[int, str]) -> list[int] | None:
        """The labels with the numbers and names that are asked for; None for all."""
        asked = self.values.value.strip()
        values: list[int] = []
        for text in [asked] if asked in names.values() else asked.split(","):
            labels = [label for label, name in names.items() if name == text.strip()]
            try:
                values += labels or [int(number) for number in text.split()]
            except ValueError:
                known = f" or names of '{self.layer.value.name}'" if names else ""
                raise ValueError(f"classes are '{asked}'; they must be whole numbers such as 1, 3, 5{known}") from None
        return values or None

    def _work(self, layer: Any, segmentation: Any, options: dict[str, Any]) -> Any:
        cleaned, report = brickccl.clean(segmentation, return_report=True, progress=self._progress, **options)
        return layer, cleaned, report

    def show_result(self, result: Any) -> None:
        layer, cleaned, report = result
        shown = self.show_labels(layer, cleaned, "cleaned")
        if names_of(layer):
            shown.features, shown.colormap = layer.features[["index", "name"]], layer.colormap
        removed = sum(row.removed_components for row in report)
        filled = sum(row.filled_holes for row in report)
        told = f"{removed} of {sum(row.components for row in report)} components removed"
        self.told.value = f"{told}, {filled} hole{'' if filled == 1 else 's'} filled"
