# SPDX-License-Identifier: Apache-2.0
"""Labeling, tables and operations on label images."""

import csv
import json
import pickle
import re

import numpy as np
import pytest

import brickccl
from conftest import random_mask


def grains(seed=5, shape=(12, 13, 14), density=0.25):
    return np.random.default_rng(seed).random(shape) < density


def test_one_labeling_gives_map_table_lists_and_runs_that_agree():
    image = grains()
    labeling = brickccl.find(image, connectivity=18)
    labels = labeling.labels()
    table = labeling.table()
    assert len(labeling) == labeling.count == labels.max() == table.row_count
    assert labeling.foreground_count == image.sum()
    assert labeling.shape == image.shape
    assert labeling.dtype == labels.dtype
    np.testing.assert_array_equal(table["label"], np.arange(1, labeling.count + 1))
    np.testing.assert_array_equal(table["voxel_count"], np.bincount(labels.ravel())[1:])

    lists = labeling.voxels()
    for label in (1, labeling.count):
        own = lists.indices[lists.offsets[label - 1] : lists.offsets[label]]
        np.testing.assert_array_equal(own, np.flatnonzero(labels == label))

    painted = np.zeros(image.size, int)
    for start, length, label in zip(*labeling.runs()):
        painted[start : start + length] = label
    np.testing.assert_array_equal(painted.reshape(image.shape), labels)


def test_columns_are_named_after_axes_with_x_last():
    image = np.zeros((4, 5, 6), bool)
    image[1, 2, 3:5] = True
    table = brickccl.find(image, spacing=(3.0, 2.0, 0.5)).table("place,shape")
    assert [int(table[f"bbox_min_{axis}"][0]) for axis in "xyz"] == [3, 2, 1]
    assert [int(table[f"bbox_max_{axis}"][0]) for axis in "xyz"] == [4, 2, 1]
    assert [float(table[f"centroid_{axis}_mm"][0]) for axis in "xyz"] == [1.75, 4.0, 3.0]
    assert table["volume_mm3"][0] == 6.0
    assert {values.dtype.str for values in table.values()} == {"<i8", "<f8"}


def test_components_are_kept_and_removed_in_place():
    image = grains()
    labeling = brickccl.find(image)
    sizes = labeling.table()["voxel_count"]
    labels = labeling.labels(np.int64)
    assert labeling.keep("voxel_count >= 3") is labeling
    assert labeling.count == (sizes >= 3).sum()
    numbers = np.concatenate([[0], np.where(sizes >= 3, np.cumsum(sizes >= 3), 0)])
    np.testing.assert_array_equal(labeling.labels(), numbers[labels])
    again = brickccl.find(image).remove(sizes < 3)
    np.testing.assert_array_equal(again.labels(), labeling.labels())
    empty = brickccl.find(image).remove("voxel_count > 0")
    assert empty.count == 0
    assert empty.labels().max() == 0
    assert empty.table()["label"].dtype == np.int64


def test_a_condition_takes_the_columns_that_it_names():
    image = np.zeros((9, 9, 9), bool)
    image[1:4, 1:4, 1:4] = True
    image[6, 6, 1:8] = True
    labeling = brickccl.find(image).keep("sphericity > 0.7 and feret_diameter_voxels < 4")
    assert labeling.count == 1
    assert labeling.labels()[2, 2, 2] == 1
    gray = image * 7.0
    assert brickccl.find(image).keep("intensity_max > 8", intensity=gray).count == 0


@pytest.mark.parametrize(
    "text, which", [("place", "volume_mm9 > 1"), ("voxel_count >", "voxel_count >"), ("truth value", [True])]
)
def test_a_condition_without_meaning_is_refused(text, which):
    labeling = brickccl.find(grains())
    with pytest.raises(ValueError):
        labeling.keep(which)
    assert labeling.count == brickccl.find(grains()).count


def test_columns_that_do_not_exist_or_need_an_image_are_refused():
    labeling = brickccl.find(grains())
    with pytest.raises(ValueError, match="shapes"):
        labeling.table("shapes")
    with pytest.raises(ValueError, match="intensity="):
        labeling.table("intensity_median")
    with pytest.raises(ValueError, match="intensity has the shape"):
        labeling.table(intensity=np.zeros((2, 2)))
    with pytest.raises(NotImplementedError):
        brickccl.find(np.ones((2, 2, 2, 2))).table("feret")


def test_every_column_comes_with_values_and_a_description():
    image = grains(shape=(8, 8, 8))
    gray = np.random.default_rng(1).random(image.shape).astype(np.float32)
    table = brickccl.find(image).table("all", intensity=gray, part=np.ones(image.shape, bool))
    described = table.describe()
    assert [column.name for column in described] == list(table)
    expected = {column.name for column in brickccl.columns(3)}
    assert {column.name for column in described} == {re.sub("_mm[234]?$", "_voxels", name) for name in expected}
    assert set(brickccl.find(image, spacing=1).table("all", intensity=gray, part=np.ones(image.shape, bool))) == expected
    assert all(column.description for column in described)
    assert all(len(values) == table.row_count for values in table.values())


@pytest.mark.parametrize("dimension", [1, 2, 3, 4])
def test_a_table_without_rows_has_typed_columns(dimension):
    full, empty = np.ones((3,) * dimension, bool), np.zeros((3,) * dimension, bool)
    kinds = [
        {name: values.dtype for name, values in brickccl.find(image, by_slice=0 if dimension > 1 else None).table().items()}
        for image in (full, empty)
    ]
    assert kinds[0] == kinds[1]


def test_a_table_goes_to_pandas_arrow_and_files(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = brickccl.find(grains(), spacing=0.1).table("shape")
    frame = table.to_pandas()
    assert list(frame.columns) == list(table)
    assert frame.index.tolist() == frame.sort_values("label")["label"].tolist() == table["label"].tolist()
    arrow = table.to_arrow()
    assert arrow.column_names == list(table)
    assert arrow.schema.field("volume_mm3").metadata[b"unit"] == b"mm^3"
    path = tmp_path / "table.csv"
    table.to_csv(path)
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == table.row_count
    for name, values in table.items():
        read = np.array([float(row[name]) for row in rows])
        np.testing.assert_array_equal(read, values.astype(float))
    assert pandas.read_csv(path)["label"].dtype == np.int64
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]


def test_a_table_that_cannot_be_written_leaves_nothing(tmp_path):
    table = brickccl.find(grains()).table()
    with pytest.raises(FileNotFoundError):
        table.to_csv(tmp_path / "missing" / "table.csv")
    with pytest.raises(OSError, match="not a regular file"):
        table.to_csv("/dev/full")
    (tmp_path / "table.csv").mkdir()
    with pytest.raises(OSError):
        table.to_csv(tmp_path / "table.csv")
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]


def test_a_link_to_a_table_stays_a_link(tmp_path):
    (tmp_path / "table.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("table.csv")
    brickccl.find(grains()).table().to_csv(tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "table.csv").read_text().startswith("label,")


@pytest.mark.parametrize("seed", range(10))
def test_tables_of_parts_become_that_of_the_whole(seed):
    random = np.random.default_rng(seed)
    image = random_mask(random, (6, 7, 16))
    whole = brickccl.find(image, connectivity=26).table("place,shape")
    parts = [(image[..., :9], (0, 0, 0)), (image[..., 9:], (0, 0, 9))]
    found = [brickccl.find(part, connectivity=26, start=start) for part, start in parts]
    maps = [labeling.labels() for labeling in found]
    pairs = set()
    last, first = np.pad(maps[0][..., -1], 1), np.pad(maps[1][..., 0], 1)
    for dz in (-1, 0, 1):
        for dy in (-1, 0, 1):
            moved = np.roll(first, (dz, dy), (0, 1))
            both = (last > 0) & (moved > 0)
            pairs |= set(zip(last[both].tolist(), moved[both].tolist()))
    merged, of_first, of_second = brickccl.merge_tables(
        found[0].table("place,shape"), found[1].table("place,shape"), pairs, return_labels=True
    )
    assert list(merged) == list(whole)
    for name in whole:
        np.testing.assert_array_equal(merged[name], whole[name], name)
    joined = np.concatenate(
        [np.concatenate([[0], of_first])[maps[0]], np.concatenate([[0], of_second])[maps[1]]], axis=2
    )
    np.testing.assert_array_equal(joined, brickccl.label(image, connectivity=26))


def test_tables_that_do_not_fit_are_not_merged():
    image = grains()
    one, other = (brickccl.find(image, spacing=spacing).table() for spacing in (1.0, 2.0))
    with pytest.raises(ValueError, match="spacing"):
        brickccl.merge_tables(one, other, [])
    with pytest.raises(ValueError, match="overlap"):
        brickccl.merge_tables(one, one, [])
    next_to_it = brickccl.find(image, start=(image.shape[0], 0, 0)).table()
    with pytest.raises(ValueError, match="label 99999"):
        brickccl.merge_tables(one, next_to_it, [(99999, 1)])


def test_statistics_measures_any_labels():
    labels = np.array([[7, 7, 0], [2**40, 0, 7]])
    table = brickccl.statistics(labels, intensity=np.arange(6.0).reshape(2, 3), spacing=(2.0, 0.5))
    assert table["label"].tolist() == [7, 2**40]
    assert table["voxel_count"].tolist() == [3, 1]
    assert table["area_mm2"].tolist() == [3.0, 1.0]
    assert table["intensity_mean"].tolist() == [2.0, 3.0]
    large = brickccl.statistics(np.array([2**63 + 5], np.uint64))
    assert large["label"].dtype == np.uint64 and large["label"][0] == 2**63 + 5
    assert brickccl.statistics(labels.astype(float))["label"].tolist() == [7, 2**40]
    for wrong in (-labels, labels + 0.5):
        with pytest.raises(ValueError, match="labels must be whole numbers"):
            brickccl.statistics(wrong)


def test_statistics_has_names_of_scikit_image():
    measure = pytest.importorskip("skimage.measure")
    labels = brickccl.label(grains())
    ours = brickccl.statistics(labels, names="skimage")
    names = ("label", "num_pixels", "area", "bbox", "centroid")
    theirs = measure.regionprops_table(labels, properties=names)
    assert list(ours) == list(theirs)
    for name, values in theirs.items():
        np.testing.assert_allclose(ours[name], values, rtol=1e-13, err_msg=name)


def test_without_a_spacing_columns_are_in_voxels():
    image = grains()
    in_voxels, in_mm = brickccl.find(image), brickccl.find(image, spacing=1)
    table, known = in_voxels.table("shape"), in_mm.table("shape")
    assert (table["volume_voxels"] == table["voxel_count"]).all()
    assert not any("_mm" in name or "mm" in column.unit for name, column in zip(table, table.describe()))
    for (name, values), (other, expected) in zip(table.items(), known.items()):
        assert re.sub("_mm[234]?$", "_voxels", other) == name
        np.testing.assert_array_equal(values, expected)
    for one in (table, brickccl.statistics(in_voxels.labels(), columns="feret_diameter_voxels"), table.copy()):
        assert (one.where("volume_voxels > 2") == known.where("volume_mm3 > 2")).all()
        with pytest.raises(ValueError, match="'volume_mm3' needs the size of a voxel: give spacing=; .* 'volume_voxels'"):
            one.where("volume_mm3 > 2")
    for one in (table, pickle.loads(pickle.dumps(table)), table.head(10**6)):
        assert one.columns == table.columns and one.describe() == table.describe()
        assert list(one.to_skimage()) == list(known.to_skimage())
    condition = "feret_diameter_voxels > 2 and sphericity > 0.1"
    kept = pickle.loads(pickle.dumps(in_voxels)).keep(condition).labels()
    np.testing.assert_array_equal(kept, in_mm.keep(condition.replace("voxels", "mm")).labels())
    np.testing.assert_array_equal(kept, brickccl.select(brickccl.label(image), condition))
    with pytest.raises(ValueError, match="give spacing="):
        in_voxels.table("feret_diameter_mm")
    parts = [brickccl.find(image[part], start=(begin, 0, 0)).table() for part, begin in ((slice(6), 0), (slice(6, None), 6))]
    assert "volume_voxels" in brickccl.merge_tables(*parts, [])


def test_boxes_with_names_of_scikit_image_are_half_open():
    labels = np.array([[0, 1, 1], [0, 1, 0]])
    box = brickccl.statistics(labels, names="skimage")
    assert [int(box[f"bbox-{number}"][0]) for number in range(4)] == [0, 1, 2, 3]


def test_a_table_shows_its_values():
    table = brickccl.find(grains(), spacing=0.1).table("shape")
    assert len(table) == table.row_count == len(table["label"]) and table.columns == list(table)
    lines = repr(table).splitlines()
    assert lines[0] == f"<brickccl.Table of {len(table)} components, {len(table.columns)} columns>"
    assert lines[1].split()[:2] == table.columns[:2]
    assert [line.split()[:2] for line in lines[2:12]] == [
        [str(label), str(count)] for label, count in zip(range(1, 11), table["voxel_count"])
    ]
    assert lines[12] == f"... and {len(table) - 10} more rows" and table.columns[-1] in lines[13]
    assert max(map(len, lines[:13])) < 120
    html = table._repr_html_()
    assert html.count("<tr>") == 11 and html.count("<th>") == len(table.columns)
    empty = brickccl.find(np.zeros((3, 3))).table()
    assert len(empty) == 0 and empty and repr(empty).splitlines()[1].split()[0] == "label"


def test_tables_and_the_head_of_them_go_through_pickle():
    table = brickccl.find(grains(), spacing=0.1).table("shape,neighbors")
    again = pickle.loads(pickle.dumps(table))
    head = table.head(3)
    assert len(head) == 3 and head["label"].tolist() == [1, 2, 3] and len(table.head(10**6)) == len(table)
    for one in (again, pickle.loads(pickle.dumps(again)), head):
        assert one.shape == table.shape and one.describe() == table.describe() and one.columns == table.columns
        for name, values in one.items():
            np.testing.assert_array_equal(values, table[name][: len(one)])
        assert all((values == table.contacts()[name]).all() for name, values in one.contacts().items())
        assert list(one.to_skimage()) == list(table.to_skimage())
    with pytest.raises(ValueError, match="compare columns instead"):
        head.where("label > 1")
    with pytest.raises(ValueError, match="only the first rows"):
        brickccl.merge_tables(table, head, [])
    with pytest.raises(ValueError, match="to_csv"):
        pickle.loads(pickle.dumps(head)).to_json()


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ({}, "all"),
        ({"spacing": (3, 2, 1), "start": (5, 6, 7), "connectivity": 26}, "shape"),
        ({"by_slice": 0}, "place,shape"),
        ({"periodic": "xz"}, "shape"),
    ],
)
def test_a_pickled_table_works_as_before(options, columns):
    image = grains()
    values = np.random.default_rng(5).random(image.shape)
    for intensity in (None, values):
        table = brickccl.find(image, **options).table(columns, intensity=intensity)
        again = pickle.loads(pickle.dumps(table))
        assert again.to_json() == table.to_json()
        np.testing.assert_array_equal(again.where("voxel_count > 2"), table.where("voxel_count > 2"))
        described = json.loads(table.to_json())
        assert list(described["columns"]) == table.columns
        assert described["coordinates"] == ("LPS, in mm" if "spacing" in options else "LPS, in voxels")
        assert [row["voxel_count"] for row in described["components"]] == table["voxel_count"].tolist()


def test_pickled_tables_merge():
    image = np.random.default_rng(6).random((8, 20, 20)) < 0.2
    halves = [
        brickccl.find(image[part], start=(part.start, 0, 0)).table("shape,feret", intensity=image[part].astype("u1"))
        for part in (slice(0, 4), slice(4, 8))
    ]
    merged = brickccl.merge_tables(*halves, [(1, 1)])
    again = brickccl.merge_tables(*pickle.loads(pickle.dumps(halves)), [(1, 1)])
    assert again.to_json() == merged.to_json() == pickle.loads(pickle.dumps(again)).to_json()
    # Labels with gaps, and no component at all.
    for table in (brickccl.statistics(np.array([[7, 7, 0], [0, 9, 9]]), columns="neighbors"), brickccl.find(np.zeros((3, 3))).table()):
        assert pickle.loads(pickle.dumps(table)).to_json() == table.to_json()


def test_a_table_of_another_version_or_damaged_is_refused():
    function, state = brickccl.find(grains()).table().__reduce__()
    with pytest.raises(ValueError, match="pickled by brickccl 0.0.1"):
        function("0.0.1", *state[1:])
    version, columns, is_cut, native, *rest = state
    for place in (0, 2, 4):
        damaged = [*native]
        damaged[place] = b"1234567"
        with pytest.raises(ValueError, match="damaged"):
            function(version, columns, is_cut, tuple(damaged), *rest)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"connectivity": 26, "order": "size", "spacing": (3, 2, 1), "start": (5, 6, 7)},
        {"by_slice": 0, "minimum_size": 3},
        {"periodic": "xz", "criterion": "equal-value"},
        {"neighborhood": "8+z", "largest": 4},
        {"fill_holes": True},
    ],
)
def test_a_labeling_goes_through_pickle(options):
    image = np.random.default_rng(4).integers(0, 3, (9, 10, 11)).astype(np.uint8) * grains(shape=(9, 10, 11), density=0.4)
    labeling = brickccl.find(image, **options)
    for one in (labeling, brickccl.find(image, **options).keep("voxel_count > 2")):
        again = pickle.loads(pickle.dumps(one))
        assert (again.count, again.shape, again.dtype) == (one.count, one.shape, one.dtype)
        assert again.foreground_count == one.foreground_count
        np.testing.assert_array_equal(again.labels(), one.labels())
        groups = "shape,place" if "periodic" in options or "by_slice" in options else "shape,place,surface,topology"
        measured, expected = again.table(groups), one.table(groups)
        assert measured.columns == expected.columns and measured.to_json() == expected.to_json()
    assert pickle.loads(pickle.dumps(brickccl.find(image * 0))).count == 0
    with pytest.raises(TypeError, match="pickle its labels"):
        pickle.dumps(brickccl.find(image, neighborhood="8+z", fill_holes=True))


def test_a_labeling_of_an_image_keeps_its_place_through_pickle():
    nibabel = pytest.importorskip("nibabel")
    image = nibabel.Nifti1Image(grains(shape=(5, 6, 7)).astype(np.uint8), np.diag([2.0, 3.0, 4.0, 1.0]))
    labeling = brickccl.find(image)
    again = pickle.loads(pickle.dumps(labeling))
    assert again.shape == labeling.shape == (5, 6, 7)
    np.testing.assert_array_equal(again.labels(), np.asarray(labeling.labels().dataobj))
    assert again.table().to_json() == labeling.table().to_json()


def test_select_keeps_and_removes_by_condition():
    labels = np.array([5, 5, 0, 8, 0, 9, 9, 9])
    assert brickccl.select(labels, "voxel_count > 1").tolist() == [1, 1, 0, 0, 0, 2, 2, 2]
    assert brickccl.select(labels, "voxel_count > 1", keep=False).tolist() == [0, 0, 0, 1, 0, 0, 0, 0]
    kept = brickccl.select(labels, "voxel_count > 1", keep_labels=True, dtype=np.int16)
    assert kept.tolist() == [5, 5, 0, 0, 0, 9, 9, 9] and kept.dtype == np.int16
    assert brickccl.select(labels, [False, True, False]).tolist() == [0, 0, 0, 1, 0, 0, 0, 0]
    assert brickccl.select(labels * 2**40, "label > 0", keep_labels=True).dtype == np.uint64
    for given in ({"dtype": "u4"}, {"out": np.zeros(labels.shape, np.uint32)}):
        with pytest.raises(OverflowError, match=r"the label \d{13,} does not fit labels of type uint32, the largest of which is 4294967295; use uint64"):
            brickccl.select(labels * 2**40, "label > 0", keep_labels=True, **given)
        assert not given.get("out", np.zeros(1)).any()


def test_relabel_closes_gaps_in_three_orders():
    labels = np.array([9, 9, 0, 4, 0, 7, 7, 7])
    assert brickccl.relabel(labels).tolist() == [3, 3, 0, 1, 0, 2, 2, 2]
    assert brickccl.relabel(labels, order="raster").tolist() == [1, 1, 0, 2, 0, 3, 3, 3]
    assert brickccl.relabel(labels, order="size").tolist() == [2, 2, 0, 3, 0, 1, 1, 1]
    assert brickccl.relabel(labels, largest=2).tolist() == [2, 2, 0, 0, 0, 1, 1, 1]
    result, mapping = brickccl.relabel(labels, minimum_size=2, return_mapping=True)
    assert result.tolist() == [2, 2, 0, 0, 0, 1, 1, 1]
    assert mapping == {7: 1, 9: 2}
    with pytest.raises(ValueError, match="order"):
        brickccl.relabel(labels, order="area")


def test_relabel_in_raster_order_is_that_of_the_array():
    labels = np.array([[[0, 2]], [[1, 0]], [[3, 3]]])
    assert brickccl.relabel(labels, order="raster").tolist() == [[[0, 1]], [[2, 0]], [[3, 3]]]


def test_components_are_masks_within_their_boxes():
    image = grains()
    labeling = brickccl.find(image)
    labels = labeling.labels()
    for source in (labeling, labels):
        painted = np.zeros(image.shape, int)
        for component in brickccl.components(source):
            crop = painted[component.slices]
            assert component.mask.shape == crop.shape
            for axis in range(3):
                along = component.mask.any(axis=tuple(other for other in range(3) if other != axis))
                assert along[0] and along[-1]
            crop[component.mask] = component.label
        np.testing.assert_array_equal(painted, labels)


def test_contacts_are_pairs_that_share_faces():
    labels = np.array([[1, 1, 2], [3, 0, 2]])
    found = brickccl.contacts(labels, spacing=(2.0, 1.0))
    pairs = list(zip(found["label_1"].tolist(), found["label_2"].tolist(), found["faces"].tolist(), found["area"].tolist()))
    assert pairs == [(1, 2, 1, 2.0), (1, 3, 1, 1.0)]
    table = brickccl.statistics(labels)
    with pytest.raises(ValueError, match="neighbors"):
        table.contacts()
    # In four dimensions, also across only the first axis.
    labels = np.zeros((2, 2, 1, 1), np.uint8)
    labels[0, 0], labels[1, 0] = 1, 2
    assert brickccl.contacts(labels)["faces"].tolist() == [1]
