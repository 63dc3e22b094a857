# SPDX-License-Identifier: Apache-2.0
"""What the page says of ITK's filters: the calls that take their place give the same."""

import numpy as np
import pytest

import brickccl

sitk = pytest.importorskip("SimpleITK")


def images():
    for seed in range(12):
        random = np.random.default_rng(seed)
        shape = tuple(int(size) for size in random.integers(4, 12, 2 + seed % 2))
        yield sitk.GetImageFromArray((random.random(shape) < 0.25 + 0.04 * seed).astype(np.uint8)), random


def assert_same(found, expected):
    np.testing.assert_array_equal(sitk.GetArrayFromImage(found), sitk.GetArrayFromImage(expected))


def test_connected_components_and_their_order():
    for image, _ in images():
        assert_same(brickccl.label(image), sitk.ConnectedComponent(image))
        assert_same(brickccl.label(image, connectivity=image.GetDimension()), sitk.ConnectedComponent(image, True))


def test_thresholds():
    for image, random in images():
        gray = sitk.GetImageFromArray(random.integers(0, 100, image.GetSize()[::-1]).astype(np.int16))
        assert_same(brickccl.label(gray, range=(20, 60)), sitk.ConnectedComponent(sitk.BinaryThreshold(gray, 20, 60, 1, 0)))


def test_components_of_similar_values():
    for image, random in images():
        gray = sitk.GetImageFromArray(random.integers(0, 9, image.GetSize()[::-1]).astype(np.int16))
        expected = sitk.ScalarConnectedComponent(gray, 1)
        # ITK numbers them in another order.
        assert_same(brickccl.label(gray, tolerance=1, background=None), brickccl.relabel(expected, order="raster"))


def test_labels_by_size():
    for image, _ in images():
        labels = sitk.ConnectedComponent(image)
        for least in (0, 3):
            expected = sitk.RelabelComponent(labels, least)
            assert_same(brickccl.relabel(labels, order="size", minimum_size=least), expected)
            assert_same(brickccl.label(image, order="size", minimum_size=least), expected)


def test_filled_holes():
    for image, _ in images():
        assert_same(brickccl.fill_holes(image, connectivity=image.GetDimension()), sitk.BinaryFillhole(image))
        assert_same(brickccl.fill_holes(image), sitk.BinaryFillhole(image, True))


def test_attributes_of_label_maps():
    for image, random in images():
        labels = sitk.ConnectedComponent(image)
        gray = sitk.GetImageFromArray(random.integers(0, 99, image.GetSize()[::-1]).astype(np.int16))
        measured = sitk.LabelIntensityStatisticsImageFilter()
        measured.Execute(labels, gray)
        for table in (brickccl.statistics(labels, intensity=gray), brickccl.find(image).table(intensity=gray)):
            assert table["label"].tolist() == list(measured.GetLabels())
            assert table["voxel_count"].tolist() == [measured.GetNumberOfPixels(label) for label in measured.GetLabels()]
            np.testing.assert_allclose(table["intensity_mean"], [measured.GetMean(label) for label in measured.GetLabels()])
            np.testing.assert_allclose(table["centroid_x_mm"], [measured.GetCentroid(label)[0] for label in measured.GetLabels()])
