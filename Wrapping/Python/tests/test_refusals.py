# SPDX-License-Identifier: Apache-2.0
"""Arguments that would be misunderstood: errors, or what other libraries make of them."""

import mmap
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import brickccl
import brickccl.io

IMAGE = np.eye(5)


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (ValueError, r"values=\[\]", lambda: brickccl.clean(IMAGE, values=[], minimum_size=2)),
        (ValueError, "largest=0", lambda: brickccl.clean(IMAGE, largest=0)),
        (TypeError, "minimum_size", lambda: brickccl.label(IMAGE, minimum_size=0.0)),
        (TypeError, "algorithm", lambda: brickccl.label(IMAGE, algorithm=None)),
        (TypeError, "clear_border", lambda: brickccl.label(IMAGE, clear_border="no")),
        (ValueError, "mask contains NaN", lambda: brickccl.label(IMAGE, mask=np.full((5, 5), np.nan))),
        (ValueError, "touching contains NaN", lambda: brickccl.label(IMAGE, touching=np.full((5, 5), np.nan))),
        (ValueError, "neighborhood contains NaN", lambda: brickccl.label(IMAGE, neighborhood=np.full((3, 3), np.nan))),
        (ValueError, "label image contains NaN", lambda: brickccl.statistics(np.array([np.nan, 2.0, 2.0]))),
        (ValueError, "below 2", lambda: brickccl.find(IMAGE, start=(2**63 - 2, 0))),
        (TypeError, "spacing must be a number or 2 numbers, not '12'", lambda: brickccl.label(IMAGE, spacing="12")),
        (TypeError, "spacing must be a number or 2 numbers", lambda: brickccl.statistics(IMAGE, spacing=(1, "2"))),
        (TypeError, "start, stop must be numbers", lambda: brickccl.sweep(IMAGE, "0", 1)),
        (TypeError, "maximum_volume must be a number, not '3'", lambda: brickccl.fill_holes(IMAGE, maximum_volume="3", spacing=1)),
        (TypeError, "by_slice must be the number of an axis, not True", lambda: brickccl.label(IMAGE, by_slice=True)),
        (TypeError, "holes_by_slice|by_slice", lambda: brickccl.fill_holes(IMAGE, by_slice=False)),
        (TypeError, "periodic must be axes", lambda: brickccl.label(IMAGE, periodic=[True, 0])),
        (ValueError, "background=5 cannot be combined with range", lambda: brickccl.label(IMAGE, range=(0, 1), background=5)),
        (ValueError, "background=nan cannot be combined", lambda: brickccl.find(IMAGE, range=(0, 1), background=np.float32("nan"))),
        (OverflowError, "double precision", lambda: brickccl.label(IMAGE, range=(0, 10**400))),
        (OverflowError, "double precision", lambda: brickccl.label(IMAGE.astype("f4"), background=-(10**400))),
    ],
)
def test_what_has_no_meaning_is_an_error(error, text, call):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize(
    ("error", "text", "arguments"),
    [
        (TypeError, "argument 'structure'; write neighborhood=", {"structure": np.ones((3, 3))}),
        (TypeError, "argument 'return_num'; write return_count=True", {"return_num": True}),
        (TypeError, "argument 'out_dtype'; write dtype=", {"out_dtype": np.uint16}),
        (TypeError, "argument 'nothing'$", {"nothing": 1}),
        (ValueError, "device 'gpu' is unknown; write device='cuda'", {"device": "gpu"}),
        (ValueError, "device 'GPU:1' is unknown; write device='cuda:1'", {"device": "GPU:1"}),
        (ValueError, "threads=-2", {"threads": -2}),
    ],
)
def test_habits_of_other_libraries_are_told_what_to_write(error, text, arguments):
    with pytest.raises(error, match=text):
        brickccl.label(IMAGE, **arguments)
    for name in ("return_count", "return_num"):
        with pytest.raises(TypeError, match="; write brickccl.find.*count$"):
            brickccl.find(IMAGE, **{name: True})


def test_minus_one_thread_is_all_and_connectivity_may_be_that_of_scikit_image():
    for rank, neighbors in ((1, 4), (2, 8)):
        labels = brickccl.label(IMAGE, connectivity=rank, threads=-1)
        np.testing.assert_array_equal(labels, brickccl.label(IMAGE, connectivity=neighbors))
    with pytest.raises(ValueError, match="connectivity"):
        brickccl.label(IMAGE, connectivity=3)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0, 5), (1, 2, 3, 0)])
def test_an_array_without_voxels_has_an_empty_map(shape):
    image = np.zeros(shape, np.int16)
    labels, count, table = brickccl.label(image, mask=image, return_count=True, return_table=True)
    assert (labels.shape, labels.dtype, count, len(table)) == (shape, np.uint32, 0, 0)
    assert len(brickccl.statistics(labels, intensity=image, columns="shape")) == 0
    with pytest.raises(ValueError, match="intensity has the shape"):
        brickccl.statistics(labels, intensity=np.zeros((0,) * (len(shape) + 1)))
    with pytest.raises(ValueError, match="has no voxels"):
        brickccl.relabel(labels)
    labeling = pickle.loads(pickle.dumps(brickccl.find(image)))
    assert labeling.labels("smallest").shape == labeling.shape == shape
    assert labeling.dtype == np.uint32 and not list(labeling.components())
    with pytest.raises(TypeError, match="complex"):
        brickccl.label(image.astype(complex))


def test_a_complex_number_is_none_that_an_equal_one_was():
    assert brickccl.label(IMAGE, background=1).max() == 2
    for _ in range(2):
        with pytest.raises(TypeError):
            brickccl.label(IMAGE, background=1 + 0j)


def test_the_last_possible_start_is_taken():
    table = brickccl.find(np.ones((2, 1)), start=(2**63 - 2, 0)).table()
    assert table["bbox_max_y"].tolist() == [2**63 - 1]


def test_half_floats_of_any_byte_order_stay_half_floats():
    image = np.array([[1, 0, 0], [2, 2, 0]])
    expected = brickccl.clean(image, minimum_size=2)
    for dtype in ("<f2", ">f2"):
        given = image.astype(dtype)
        found = brickccl.clean(given, minimum_size=2)
        assert found.dtype == np.float16
        np.testing.assert_array_equal(found, expected)
        out = np.empty((2, 3), np.float16)
        assert brickccl.clean(given, minimum_size=2, out=out) is out
        np.testing.assert_array_equal(out, expected)
    inside = image.astype("f2")
    brickccl.clean(inside, minimum_size=2, out=inside)
    np.testing.assert_array_equal(inside, expected)
    with pytest.raises(TypeError, match="float16"):
        brickccl.clean(image.astype("f2"), minimum_size=2, out=np.empty((2, 3), np.float32))


def test_pictures_of_volumes_are_refused(tmp_path):
    pytest.importorskip("brickccl._files")
    with pytest.raises(ValueError, match="do not hold 3 dimensions"):
        brickccl.io.write(tmp_path / "x.png", np.zeros((5, 6, 7), np.uint8))
    brickccl.io.write(tmp_path / "x.png", np.ones((6, 7), np.uint8))
    assert [path.name for path in tmp_path.iterdir()] == ["x.png"]


def test_axes_of_one_voxel_are_no_border():
    ring = np.pad(np.zeros((1, 1), bool), 1, constant_values=True)[np.newaxis]
    assert brickccl.fill_holes(ring).all()
    assert brickccl.label(np.pad(np.ones((1, 1)), 1)[np.newaxis], clear_border=True).sum() == 1


def test_values_come_in_the_order_of_scipy():
    scipy = pytest.importorskip("scipy.ndimage")
    from brickccl.compat.scipy import value_indices

    random = np.random.default_rng(1)
    for seed in range(20):
        array = random.integers(-3, 4, (3, 4, 2)).astype("i2")
        for one in (array, np.asfortranarray(array)):
            assert list(value_indices(one)) == list(scipy.value_indices(one))


def test_outputs_with_negative_strides_are_numbered_as_scipy_does():
    scipy = pytest.importorskip("scipy.ndimage")
    from brickccl.compat.scipy import label

    image = np.random.default_rng(1).random((6, 7, 5)) < 0.3
    for turns in np.ndindex(2, 2, 2):
        for order in ("C", "F"):
            found, expected = (
                np.empty(image.shape, np.int32, order)[tuple(slice(None, None, -1 if turn else 1) for turn in turns)]
                for _ in range(2)
            )
            assert label(image, output=found) == scipy.label(image, output=expected)
            np.testing.assert_array_equal(found, expected)


def test_large_unsigned_values_are_negative_for_scikit_image_too():
    measure = pytest.importorskip("skimage.measure")
    from brickccl.compat.skimage import label

    image = np.array([[2**64 - 1, 1], [0, 1]], np.uint64)
    for background in (None, -1, 0, 1):
        np.testing.assert_array_equal(label(image, background=background), measure.label(image, background=background))


def test_too_little_memory_is_a_memory_error_with_a_sentence():
    script = (
        "import resource, numpy as np, brickccl\n"
        "image = np.zeros((64, 512, 512), np.uint8)\n"
        "image[::2, ::2, ::2] = 1\n"
        "brickccl.label(image[:4], threads=1)\n"
        "space = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize() + (1 << 20)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (space, space))\n"
        "try:\n    brickccl.find(image, threads=1)\nexcept MemoryError as error:\n    print(error)\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "not enough memory for this volume; brickccl.big" in found.stdout, found.stderr


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("no voxel has the value 7 of values=", lambda: brickccl.clean(IMAGE, values=[1, 7], minimum_size=2)),
        ("no voxel has the value 7.5 of values=", lambda: brickccl.fill_holes(IMAGE.astype(int), values=[7.5])),
        ("minimum_size=9 is above maximum_size=8: no component", lambda: brickccl.label(IMAGE, minimum_size=9, maximum_size=8)),
        ("minimum_size=9 is above maximum_size=8: no component", lambda: brickccl.relabel(IMAGE, minimum_size=9, maximum_size=8)),
    ],
)
def test_what_does_nothing_is_told_where_it_was_asked_for(text, call):
    with pytest.warns(UserWarning, match=text) as caught:
        call()
    assert [warning.filename for warning in caught] == [__file__]


def test_whole_numbers_beyond_those_of_doubles_are_exact(tmp_path):
    image = 2**53 + np.arange(4)
    expected = [0, 1, 0, 0]
    assert brickccl.label(image, range=(2**53 + 1, 2**53 + 1)).tolist() == expected


def test_mapped_files_that_were_cut_are_refused_before_they_are_read(tmp_path):
    path = tmp_path / "image.npy"
    np.save(path, np.ones((64, 64, 64), np.uint8))
    whole = path.read_bytes()
    raw = tmp_path / "image.raw"
    raw.write_bytes(bytes(5000) + whole)
    # Arrays, parts of them, plain views, and what begins behind the file's first page.
    mapped = np.load(path, mmap_mode="r")
    later = np.memmap(raw, np.uint8, "r", 5000, (64, 64, 64))
    images = [mapped, mapped[:8, ::2], np.asarray(mapped), np.asarray(mapped)[60:], later, later[3:4]]
    assert [int(brickccl.label(image).max()) for image in images] == [1] * 5 + [int(later[3:4].any())]
    for cut, kept in ((path, len(whole) - 5), (raw, 5000 + 64**3 - 1), (path, 100)):
        os.truncate(cut, kept)
    for image in images:
        with pytest.raises(ValueError, match="the image is in a file that was truncated after mapping: it has [0-9]+ bytes of [0-9]+"):
            brickccl.label(image)
    with pytest.raises(ValueError, match="mask is in a file that was truncated"):
        brickccl.label(np.ones((64, 64, 64)), mask=mapped)
    with pytest.raises(ValueError, match="the label image is in a file that was truncated"):
        brickccl.statistics(mapped)
    # A missing file is not reported as a cut one.
    memory = np.frombuffer(mmap.mmap(-1, 4096), np.uint8)
    assert brickccl.label(memory).max() == 0
