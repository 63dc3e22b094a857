# SPDX-License-Identifier: Apache-2.0
"""Tables whose values depend on the image: its axes, its spacing, and labels that only unsigned numbers hold."""

import copy

import numpy as np
import pytest

import brickccl

LARGE = 2**63 + 5


@pytest.mark.parametrize("spacing", [None, 0.5, (1.5, 0.75, 2.0)])
def test_names_of_scikit_image_have_its_values_for_the_same_spacing(spacing):
    measure = pytest.importorskip("skimage.measure")
    random = np.random.default_rng(3)
    labels = random.integers(0, 4, (5, 6, 7))
    gray = random.random(labels.shape)
    ours = brickccl.statistics(labels, intensity=gray, columns="all", spacing=spacing, names="skimage")
    # There, the axes of anisotropic voxels are axes of points.
    names = sorted({name.partition("-")[0] for name in ours if np.ndim(spacing) == 0 or not name.startswith("axis_")})
    theirs = measure.regionprops_table(labels, gray, names, spacing=spacing)
    assert {name for name in ours if not name.startswith("axis_")} <= set(theirs)
    for name, values in theirs.items():
        np.testing.assert_allclose(ours[name], values, rtol=1e-12, err_msg=name)


def test_tables_of_nibabel_images_have_their_axes():
    nibabel = pytest.importorskip("nibabel")
    measure = pytest.importorskip("skimage.measure")
    voxels = np.zeros((5, 6, 7), np.uint8)
    voxels[1:4, 2, 3:] = 1
    image = nibabel.Nifti1Image(voxels, np.diag([1.0, 2.0, 3.0, 1.0]))
    expected = measure.regionprops_table(voxels, properties=("bbox", "centroid"), spacing=(1.0, 2.0, 3.0))
    for table in (brickccl.find(image).table(), brickccl.statistics(image), brickccl.label(image, return_table=True)[1]):
        assert table.shape == voxels.shape
        named = table.to_skimage()
        assert {name: named[name].tolist() for name in expected} == {name: one.tolist() for name, one in expected.items()}
    parts = [nibabel.Nifti1Image(voxels[..., part], image.affine) for part in (slice(0, 4), slice(4, 7))]
    first, second = (brickccl.find(part, start=(0, 0, begin)).table() for part, begin in zip(parts, (0, 4)))
    merged = brickccl.merge_tables(first, second, [(1, 1)])
    assert merged.shape == voxels.shape and merged.to_skimage()["bbox-2"].tolist() == [3]


def test_graphs_and_runs_of_nibabel_images_have_x_first():
    nibabel = pytest.importorskip("nibabel")
    voxels = (np.random.default_rng(1).random((5, 6, 7)) < 0.4).astype(np.uint8)
    image = nibabel.Nifti1Image(voxels, np.eye(4))
    labels = np.asarray(brickccl.label(image).dataobj)
    graph = brickccl.voxel_graph(image)
    np.testing.assert_array_equal(brickccl.label_graph(graph.T, mask=voxels.T).T, labels)
    painted = np.zeros(voxels.size, int)
    for start, length, label in zip(*brickccl.find(image).runs()):
        painted[start : start + length] = label
    np.testing.assert_array_equal(painted.reshape(voxels.shape, order="F"), labels)


def test_contacts_of_labels_beyond_63_bits():
    labels = np.array([[3, LARGE], [3, 2**64 - 1]], np.uint64)
    found = brickccl.contacts(labels)
    assert list(zip(found["label_1"].tolist(), found["label_2"].tolist())) == [(3, LARGE), (3, 2**64 - 1), (LARGE, 2**64 - 1)]
    assert found["label_1"].dtype == found["label_2"].dtype == np.uint64
    assert brickccl.contacts(np.array([[3, 4]], np.uint64))["label_2"].dtype == np.int64
    cc3d = pytest.importorskip("cc3d")
    from brickccl.compat.cc3d import contacts, region_graph

    assert contacts(labels, connectivity=4) == cc3d.contacts(labels, connectivity=4)
    assert region_graph(labels, connectivity=4) == cc3d.region_graph(labels, connectivity=4)


def test_what_is_merged_must_be_tables_and_pairs_of_labels():
    image = np.ones((2, 2))
    first, second = brickccl.find(image).table(), brickccl.find(image, start=(2, 0)).table()
    assert len(brickccl.merge_tables(first, second, [(np.int64(1), 1)])["label"]) == 1
    for pairs in ([(1.7, 1)], [("1", 1)], [(1, 1, 1)], [(1,)], "ab", [1], 1, None):
        with pytest.raises(TypeError, match="pairs must be pairs of labels, whole numbers"):
            brickccl.merge_tables(first, second, pairs)
    with pytest.raises(ValueError, match="a label of pairs=-1 must be at least 0"):
        brickccl.merge_tables(first, second, [(-1, 1)])
    with pytest.raises(TypeError, match="second is of type dict; it must be a Table"):
        brickccl.merge_tables(first, dict(second), [])


def test_copies_are_tables():
    table = brickccl.find(np.array([[1, 0, 1], [1, 0, 0]])).table()
    for copied in (table.copy(), copy.copy(table), copy.deepcopy(table)):
        assert type(copied) is brickccl.Table and list(copied) == list(table) and copied.shape == (2, 3)
        np.testing.assert_array_equal(copied.where("voxel_count > 1"), [True, False])
        copied["mine"] = copied.pop("voxel_count")
        assert "mine" not in table and "voxel_count" in table
    deep = copy.deepcopy(table)
    deep["voxel_count"][0] = 7
    assert table["voxel_count"][0] == 2


@pytest.mark.parametrize("rows", [None, 1, [0], "1"])
def test_rows_of_a_table_are_a_slice(tmp_path, rows):
    table = brickccl.find(np.eye(3)).table()
    table.to_csv(tmp_path / "table.csv", rows=slice(1, 2))
    before = (tmp_path / "table.csv").read_text()
    assert before.count("\n") == 2
    for write in (lambda: table.to_csv(tmp_path / "table.csv", rows=rows), lambda: table.to_arrow(rows)):
        with pytest.raises(TypeError, match="rows must be a slice"):
            write()
    assert (tmp_path / "table.csv").read_text() == before
