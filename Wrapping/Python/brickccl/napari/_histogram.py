# SPDX-License-Identifier: Apache-2.0
"""A histogram with two handles, Otsu's threshold, and a legend of colors."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from qtpy.QtCore import QPointF, QRectF, Qt, Signal  # type: ignore[attr-defined]
from qtpy.QtGui import QColor, QLinearGradient, QPainter, QPen, QPolygonF
from qtpy.QtWidgets import QSizePolicy, QWidget

Column = np.ndarray[Any, Any]

#: Larger layers are sampled.
_MOST_VOXELS = 4_000_000
#: Shares of the values beyond the ends of the histogram and of the legend.
_OUTLIERS_OF_HISTOGRAM = 0.02
_OUTLIERS_OF_LEGEND = 2.0
_BINS = 256


class Counts(NamedTuple):
    """A histogram: the numbers of values, and the limits of bins. Values beyond the ends count at the ends."""

    counts: Column
    edges: Column
    is_whole: bool


def sample_of(array: Any) -> Column:
    """Every n-th voxel along each axis, so that there are not too many; NaN and infinite values are left out."""
    size = math.prod(array.shape)
    step = max(1, math.ceil((size / _MOST_VOXELS) ** (1 / max(1, len(array.shape)))))
    values = np.asarray(array[(slice(None, None, step),) * len(array.shape)]).ravel()
    if values.dtype.kind == "b":
        return values.astype(np.uint8)
    return values[np.isfinite(values)] if values.dtype.kind == "f" else values


def robust_limits(values: Column, outliers: float = _OUTLIERS_OF_LEGEND) -> tuple[float, float]:
    """The limits of all values but the lowest and highest percents."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = np.percentile(finite, (outliers, 100 - outliers))
    return (float(low), float(high)) if high > low else (float(finite.min()), float(finite.max()))


def histogram_of(array: Any) -> Counts | None:
    """The histogram of a layer's array; None if it has no values."""
    values = sample_of(array)
    if not values.size:
        return None
    low, high = robust_limits(values, _OUTLIERS_OF_HISTOGRAM)
    is_whole = values.dtype.kind in "iub"
    if is_whole:
        low, high = math.floor(low), math.ceil(high)
        bins = min(_BINS, int(high - low) + 1)
        edges = np.linspace(low - 0.5, high + 0.5, bins + 1)
    else:
        edges = np.linspace(low, high if high > low else low + 1, _BINS + 1)
    counts = np.histogram(np.clip(values.astype(np.float64), edges[0], edges[-1]), edges)[0]
    return Counts(counts, edges, is_whole)


def otsu_of(histogram: Counts) -> float:
    """The limit between bins with the largest variance between the values below and above it."""
    counts, edges, is_whole = histogram
    centers = (edges[:-1] + edges[1:]) / 2
    below = np.cumsum(counts)[:-1].astype(np.float64)
    above = counts.sum() - below
    sums = np.cumsum(counts * centers)
    means = sums[:-1] / np.maximum(below, 1), (sums[-1] - sums[:-1]) / np.maximum(above, 1)
    between = below * above * (means[0] - means[1]) ** 2
    if not between.size:
        return float(edges[0])
    # The middle of a gap between two groups of values.
    best = np.flatnonzero(between >= between.max() * (1 - 1e-12))
    threshold = float(edges[1 + best[len(best) // 2]])
    return float(math.ceil(threshold)) if is_whole else threshold


class HistogramWidget(QWidget):
    """The histogram of a layer with handles at both ends of a range. A handle at the edge means that the range has no end."""

    changed = Signal(float, float)

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumHeight(90)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip("drag the two lines; the range between them is the foreground")
        self.histogram: Counts | None = None
        self.limits = [-math.inf, math.inf]
        self._dragged: int | None = None

    def show_counts(self, histogram: Counts | None) -> None:
        self.histogram = histogram
        self.update()

    def show_limits(self, low: float, high: float) -> None:
        self.limits = [low, high]
        self.update()

    def place_of(self, value: float) -> float:
        """The distance of a value from the left side in pixels."""
        if self.histogram is None:
            return 0.0
        low, high = float(self.histogram.edges[0]), float(self.histogram.edges[-1])
        return min(1.0, max(0.0, (value - low) / (high - low))) * (self.width() - 1)

    def value_at(self, place: float) -> float:
        """The value at this distance."""
        assert self.histogram is not None
        share = place / max(1, self.width() - 1)
        if share <= 0 or share >= 1:
            return -math.inf if share <= 0 else math.inf
        low, high = float(self.histogram.edges[0]), float(self.histogram.edges[-1])
        value = low + share * (high - low)
        return float(round(value)) if self.histogram.is_whole else value

    def mousePressEvent(self, event: Any) -> None:  # noqa: N802 (Qt's name)
        if self.histogram is None:
            return
        places = [self.place_of(limit) for limit in self.limits]
        x = event.position().x()
        # Of handles at one place, the one that can be moved there.
        self._dragged = 0 if abs(x - places[0]) < abs(x - places[1]) or (places[0] == places[1] and x < places[0]) else 1
        self.mouseMoveEvent(event)

    def mouseMoveEvent(self, event: Any) -> None:  # noqa: N802
        if self._dragged is None or self.histogram is None:
            return
        value = self.value_at(event.position().x())
        if self._dragged == 0:
            self.limits[0] = min(-math.inf if math.isinf(value) and value > 0 else value, self.limits[1])
        else:
            self.limits[1] = max(math.inf if math.isinf(value) and value < 0 else value, self.limits[0])
        self.update()
        self.changed.emit(*self.limits)

    def mouseReleaseEvent(self, _: Any) -> None:  # noqa: N802
        self._dragged = None

    def paintEvent(self, _: Any) -> None:  # noqa: N802
        painter = QPainter(self)
        width, height = self.width(), self.height()
        painter.fillRect(0, 0, width, height, QColor(38, 41, 48))
        if self.histogram is None:
            return
        left, right = (self.place_of(limit) for limit in self.limits)
        painter.fillRect(QRectF(left, 0, right - left, height), QColor(70, 110, 160))
        # Logarithms, so that few voxels are seen beside many.
        shares = np.log1p(self.histogram.counts) / max(1.0, float(np.log1p(self.histogram.counts.max())))
        corners = [QPointF(0, height)]
        for number, share in enumerate(shares):
            for edge in (number, number + 1):
                corners.append(QPointF(edge / len(shares) * (width - 1), height - share * (height - 4)))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(190, 195, 205))
        painter.drawPolygon(QPolygonF([*corners, QPointF(width - 1, height)]))
        for place in (left, right):
            painter.setPen(QPen(QColor(255, 190, 60), 2))
            painter.drawLine(QPointF(place, 0), QPointF(place, height))
            painter.setBrush(QColor(255, 190, 60))
            painter.drawEllipse(QPointF(min(max(place, 4.0), width - 5.0), 6), 4, 4)


class Legend(QWidget):
    """The colors of a column, from its low to its high limit."""

    def __init__(self, colormap: str) -> None:
        super().__init__()
        self.setFixedHeight(34)
        self.text = ("", "")
        self._colormap = colormap
        self.setVisible(False)

    def show_limits(self, low: float, high: float) -> None:
        self.text = (f"≤ {low:.4g}", f"≥ {high:.4g}")
        self.setVisible(True)
        self.update()

    def paintEvent(self, _: Any) -> None:  # noqa: N802
        import matplotlib

        painter = QPainter(self)
        gradient = QLinearGradient(0, 0, self.width(), 0)
        for share in np.linspace(0, 1, 17):
            gradient.setColorAt(float(share), QColor.fromRgbF(*map(float, matplotlib.colormaps[self._colormap](share))))
        painter.fillRect(QRectF(0, 0, self.width(), 14), gradient)
        painter.setPen(self.palette().windowText().color())
        below = QRectF(0, 16, self.width(), 18)
        painter.drawText(below, int(Qt.AlignmentFlag.AlignLeft), self.text[0])
        painter.drawText(below, int(Qt.AlignmentFlag.AlignRight), self.text[1])
