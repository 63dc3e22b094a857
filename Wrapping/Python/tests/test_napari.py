# SPDX-License-Identifier: Apache-2.0
"""The plugin in a window of napari; it needs a display (xvfb-run gives one)."""

import os
import pathlib
import sys

import brickccl
import numpy as np
import pytest

napari = pytest.importorskip("napari")
pytest.importorskip("pytestqt")
if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
    pytest.skip("there is no display; run the tests by xvfb-run", allow_module_level=True)

from brickccl.napari import _widgets

SHOTS = os.environ.get("BRICKCCL_SCREENSHOTS")


def scan(shape=(24, 40, 48)):
    """Balls of different size and gray value in noise."""
    z, y, x = np.indices(shape)
    image = np.random.default_rng(3).normal(20, 4, shape)
    for number, (at, radius) in enumerate((((8, 10, 12), 6), ((14, 28, 30), 8), ((6, 30, 10), 3), ((18, 8, 40), 4))):
        inside = (z - at[0]) ** 2 + (y - at[1]) ** 2 + (x - at[2]) ** 2 <= radius**2
        image[inside] = 100 + 20 * number
    return image.round().astype(np.int16)


@pytest.fixture
def viewer(make_napari_viewer):
    return make_napari_viewer(show=SHOTS is not None)


def dock(viewer, name):
    widget = viewer.window.add_plugin_dock_widget("brickccl", name)[1]
    return widget


def run(qtbot, widget):
    widget.start.changed.emit(True)
    qtbot.waitUntil(lambda: widget.start.enabled, timeout=30000)


def shot(viewer, name):
    if SHOTS:
        from qtpy.QtWidgets import QApplication

        QApplication.processEvents()
        viewer.screenshot(str(pathlib.Path(SHOTS) / name), canvas_only=False)


def test_components_of_a_range_with_their_table(viewer, qtbot):
    image = scan()
    layer = viewer.add_image(image, name="scan", scale=(2, 0.5, 0.5), translate=(5, 6, 7))
    widget = dock(viewer, "Label components")
    assert widget.layer.value is layer
    widget.criterion.value = "range of values"
    widget.low.value = "80"
    widget.smallest.value = 100
    run(qtbot, widget)
    labels = viewer.layers["scan components"]
    expected, table = brickccl.label(
        image, range=(80, float("inf")), spacing=(2, 0.5, 0.5), minimum_volume=100, return_table=True
    )
    np.testing.assert_array_equal(labels.data, expected)
    assert widget.told.value == f"{table.row_count} components"
    np.testing.assert_allclose(labels.scale, layer.scale)
    np.testing.assert_allclose(labels.translate, layer.translate)
    assert labels.features["index"].tolist() == [0, *table["label"].tolist()]
    np.testing.assert_array_equal(labels.features["volume_mm3"][1:], table["volume_mm3"])
    assert "volume_mm3" in labels.get_status(labels.data_to_world(np.argwhere(expected == 1)[0]))["value"]
    widget.color.value = "volume_mm3"
    smallest, largest = table["label"][np.argsort(table["volume_mm3"])[[0, -1]]]
    assert not np.allclose(labels.get_color(int(smallest)), labels.get_color(int(largest)))
    viewer.dims.set_current_step(0, 12)
    shot(viewer, "label.png")
    # Another press changes the same layer, and its colors go on by the same column.
    widget.smallest.value = 0
    run(qtbot, widget)
    assert [layer.name for layer in viewer.layers] == ["scan", "scan components"]
    assert viewer.layers["scan components"] is labels and len(labels.features) > table.row_count + 1
    assert widget.color.value == "volume_mm3" and not widget.legend.isHidden()
    widget.color.value = "label"
    assert widget.legend.isHidden()


def test_thresholds_come_from_otsu_and_from_handles(viewer, qtbot):
    image = scan()
    viewer.add_image(image, name="scan")
    widget = dock(viewer, "Label components")
    assert widget.criterion.value == "range of values" and widget.high.value == "inf"
    threshold = int(widget.low.value)
    foreground = image >= threshold
    assert image[~foreground].max() < 45 and image[foreground].min() >= 100
    bars = widget.histogram
    bars.resize(300, 90)
    click(bars, bars.place_of(threshold), bars.place_of(130))
    assert abs(int(widget.low.value) - 130) <= 1
    click(bars, bars.width() - 1, bars.place_of(150))
    assert abs(int(widget.high.value) - 150) <= 1
    click(bars, bars.place_of(int(widget.low.value)), -5)
    assert widget.low.value == "-inf"
    widget.low.value = "140"
    assert bars.limits[0] == 140
    widget.otsu.changed.emit(True)
    assert (widget.low.value, widget.high.value) == (str(threshold), "inf")
    small = np.array([[0, 0, 5], [5, 5, 0]], np.float32)
    widget.layer.value = viewer.add_image(small, name="two values")
    assert 0 < float(widget.low.value) < 5
    widget.layer.value = viewer.add_labels(np.eye(4, dtype=np.uint8), name="classes")
    assert widget.criterion.value == "not background"


def click(widget, begin, end):
    """Drags from one place to another."""
    from qtpy.QtCore import QEvent, QPointF, Qt
    from qtpy.QtGui import QMouseEvent

    button, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for kind, x in ((QEvent.Type.MouseButtonPress, begin), (QEvent.Type.MouseMove, end), (QEvent.Type.MouseButtonRelease, end)):
        at = QPointF(x, 20)
        event = QMouseEvent(kind, at, at, button, button, none)
        handle = {QEvent.Type.MouseButtonPress: widget.mousePressEvent, QEvent.Type.MouseMove: widget.mouseMoveEvent}
        handle.get(kind, widget.mouseReleaseEvent)(event)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_the_visible_slice_is_shown_before(viewer, qtbot, order):
    image = scan()
    rotate = 20 if order[0] == 0 else 0
    layer = viewer.add_image(image, name="scan", scale=(2, 0.5, 0.5), translate=(5, 6, 7), rotate=rotate)
    widget = dock(viewer, "Label components")
    viewer.dims.order = order
    for place, low in ((8, "100"), (9, "110")):
        viewer.dims.set_current_step(order[0], place)
        widget.low.value = low
        qtbot.wait(100)
        shown = viewer.layers["preview"]
        at = int(np.round(layer.world_to_data(viewer.dims.point))[order[0]])
        expected = np.take(image, [at], axis=order[0]) >= int(low)
        np.testing.assert_array_equal(shown.data > 0, expected)
        first = np.zeros(3)
        first[order[0]] = at
        np.testing.assert_allclose(shown.data_to_world((0, 0, 0)), layer.data_to_world(first), atol=1e-9)
    assert [one.name for one in widget.layer.choices] == ["scan"]
    # What napari shows of it is not empty.
    assert shown._slice.image.view.any()
    shot(viewer, f"preview{order[0]}.png")
    layer.rotate = [30, 30, 30]
    widget.low.value = "111"
    qtbot.wait(100)
    assert "preview" not in viewer.layers
    layer.rotate = [0, 0, 0]
    widget.low.value = "130"
    qtbot.wait(100)
    widget.preview.value = False
    qtbot.wait(100)
    assert [one.name for one in viewer.layers] == ["scan"]
    widget.preview.value = True
    qtbot.wait(100)
    assert "preview" in viewer.layers
    run(qtbot, widget)
    assert [one.name for one in viewer.layers] == ["scan", "scan components"]


def test_colors_ignore_outliers():
    from brickccl.napari._histogram import robust_limits

    values = np.append(np.arange(100.0), [np.nan, 1e9])
    assert robust_limits(values)[1] < 100
    assert robust_limits(np.array([np.nan])) == (0, 1)
    assert robust_limits(np.array([3.0, 3.0])) == (3, 3)


def test_units_of_the_layer_count(viewer, qtbot):
    image = np.zeros((8, 8, 8), np.uint8)
    image[1, 1, 1] = image[4:6, 4:6, 4:6] = 1
    viewer.add_image(image, name="um", scale=(500, 500, 500), units=("um", "um", "um"))
    widget = dock(viewer, "Label components")
    widget.smallest.value = 0.9
    run(qtbot, widget)
    assert viewer.layers["um components"].data.max() == 1
    assert viewer.layers["um components"].features["volume_mm3"][1] == pytest.approx(1)


def test_slices_criteria_and_two_dimensions(viewer, qtbot):
    image = scan() // 20
    viewer.add_image(image, name="image")
    widget = dock(viewer, "Label components")
    widget.criterion.value = "equal values"
    widget.neighbors.value = "all"
    widget.slices.value = True
    run(qtbot, widget)
    np.testing.assert_array_equal(
        viewer.layers["image components"].data, brickccl.label(image, criterion="equal-value", by_slice=0, connectivity=8)
    )
    flat = viewer.add_image(image[10], name="flat")
    widget.layer.value = flat
    widget.slices.value = False
    widget.criterion.value = "similar values"
    widget.tolerance.value = "1"
    run(qtbot, widget)
    np.testing.assert_array_equal(viewer.layers["flat components"].data, brickccl.label(image[10], tolerance=1, connectivity=8))


def test_what_cannot_be_done_is_said(viewer, qtbot, monkeypatch):
    told = []
    monkeypatch.setattr(_widgets, "show_error", told.append)
    widget = dock(viewer, "Label components")
    widget.start.changed.emit(True)
    assert "no layer" in told.pop()
    widget.preview.value = False
    viewer.add_image(np.zeros((8, 8, 3), np.uint8), rgb=True, name="colors")
    widget.start.changed.emit(True)
    assert "colors" in told.pop()
    viewer.add_image(np.zeros((2, 2, 2, 2, 2), np.uint8), name="five")
    widget.layer.value = viewer.layers["five"]
    run(qtbot, widget)
    assert "1 to 4" in told.pop()
    viewer.add_image(np.zeros((8, 8), np.uint8), name="flat")
    widget.layer.value = viewer.layers["flat"]
    widget.criterion.value = "range of values"
    widget.low.value = "0,5"
    widget.start.changed.emit(True)
    assert "must be a number" in told.pop()
    assert [layer.name for layer in viewer.layers] == ["colors", "five", "flat"]


def test_work_is_canceled(viewer, qtbot):
    viewer.add_image(np.random.default_rng(0).random((200, 300, 300)).astype(np.float32), name="noise")
    widget = dock(viewer, "Label components")
    widget.criterion.value = "equal values"
    widget.start.changed.emit(True)
    widget.cancel.changed.emit(True)
    qtbot.waitUntil(lambda: widget.start.enabled, timeout=30000)
    assert widget.told.value == "canceled"
    assert [layer.name for layer in viewer.layers] == ["noise"]


def test_a_segmentation_is_cleaned(viewer, qtbot):
    segmentation = np.zeros((20, 30, 30), np.uint8)
    segmentation[4:12, 4:14, 4:14] = 1
    segmentation[7, 8, 8] = 0
    segmentation[15, 20, 20] = 1
    segmentation[4:10, 18:26, 18:26] = 2
    segmentation[15, 4, 4] = 2
    viewer.add_labels(segmentation, name="organs", scale=(2, 1, 1))
    widget = dock(viewer, "Clean segmentation")
    widget.values.value = "1"
    widget.smallest.value = 2.5
    run(qtbot, widget)
    np.testing.assert_array_equal(
        viewer.layers["organs cleaned"].data,
        brickccl.clean(segmentation, values=[1], minimum_volume=2.5, fill_holes=True, spacing=(2, 1, 1)),
    )
    assert widget.told.value == "1 of 2 components removed, 1 hole filled"
    viewer.dims.set_current_step(0, 7)
    shot(viewer, "clean.png")
    widget.smallest.value = 0
    run(qtbot, widget)
    assert [layer.name for layer in viewer.layers] == ["organs", "organs cleaned"]


def test_cleaning_takes_the_neighbors_of_the_labels(viewer, qtbot):
    image = np.eye(6, dtype=np.uint8)
    viewer.add_image(image, name="diagonal")
    widget = dock(viewer, "Label components")
    widget.neighbors.value = "all"
    run(qtbot, widget)
    labels = viewer.layers["diagonal components"]
    cleaning = dock(viewer, "Clean segmentation")
    assert cleaning.layer.value is labels and cleaning.neighbors.value == "all"
    cleaning.smallest.value = 2
    run(qtbot, cleaning)
    np.testing.assert_array_equal(viewer.layers["diagonal components cleaned"].data, image)
    # A layer without a scale is measured in voxels.
    assert cleaning.smallest.label == widget.smallest.label == "smallest (voxels)" and "volume_mm3" not in widget.color.choices
    widget.neighbors.value = "faces"
    run(qtbot, widget)
    assert cleaning.layer.value is labels and cleaning.neighbors.value == "faces"
    labels.scale = (1, 0.5)
    assert cleaning.smallest.label == "smallest (mm³)"


def test_names_of_segments_are_kept(viewer, qtbot, tmp_path, monkeypatch):
    pytest.importorskip("brickccl._files")
    organs = np.zeros((20, 30, 30), np.uint8)
    organs[4:12, 4:14, 4:14] = organs[15:17, 20:24, 20:24] = organs[1, 1, 1] = 5
    organs[4:10, 14:26, 4:26] = 12
    names = {5: "left kidney", 12: "liver"}
    header = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 30 30 20\nencoding: raw\n"
    for number, (label, name) in enumerate(names.items()):
        header += f"Segment{number}_LabelValue:={label}\nSegment{number}_Name:={name}\nSegment{number}_Color:=0.{number} 0.5 1\n"
    (tmp_path / "organs.seg.nrrd").write_bytes(header.encode() + b"\n" + organs.tobytes())
    (layer,) = viewer.open(str(tmp_path / "organs.seg.nrrd"), plugin="brickccl")
    assert layer.get_status((5, 5, 5), world=True)["value"] == "5; name: left kidney"
    widget = dock(viewer, "Label components")
    assert widget.layer.value is layer and widget.criterion.value == "equal values"
    run(qtbot, widget)
    parts = viewer.layers["organs.seg.nrrd components"]
    for place in np.argwhere(organs)[::50]:
        # Only what the visible slice has is known.
        viewer.dims.set_current_step(0, place[0])
        name = names[organs[tuple(place)]]
        assert f"; name: {name}, " in parts.get_status(parts.data_to_world(place), world=True)["value"]
    assert parts.features["name"].tolist() == ["background", "left kidney", "left kidney", "liver", "left kidney"][: len(parts.features)]
    assert len(parts.features) == 5 and "name" not in widget.color.choices
    widget.color.value = "volume_voxels"
    widget.criterion.value = "not background"
    run(qtbot, widget)
    assert "name" not in parts.features
    viewer.dims.set_current_step(0, 7)
    cleaning = dock(viewer, "Clean segmentation")
    cleaning.layer.value = layer
    told = []
    monkeypatch.setattr(_widgets, "show_error", told.append)
    cleaning.values.value = "left kidny"
    cleaning.start.changed.emit(True)
    assert "'left kidny'" in told[0] and "names of 'organs.seg.nrrd'" in told[0]
    for text, values in (("left kidney", [5]), ("liver, 5", [12, 5]), ("5 12", [5, 12])):
        cleaning.values.value = text
        cleaning.largest.value = 1
        run(qtbot, cleaning)
        cleaned = viewer.layers["organs.seg.nrrd cleaned"]
        np.testing.assert_array_equal(cleaned.data, brickccl.clean(organs, values=values, largest=1, fill_holes=True))
        assert cleaned.get_status((5, 5, 5), world=True)["value"] == "5; name: left kidney"
        np.testing.assert_allclose(cleaned.get_color(12), (0.1, 0.5, 1, 1), atol=1e-6)
    shot(viewer, "names.png")
