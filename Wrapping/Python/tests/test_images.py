# SPDX-License-Identifier: Apache-2.0
"""Images of other libraries go in and come out with their geometry."""

import gc
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import brickccl
from brickccl.io import Image

SPACING, ORIGIN = (0.5, 0.75, 2.0), (10.0, -20.0, 30.0)
# A turn by 90 degrees about z.
DIRECTION = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def gray(dtype=np.int16):
    return np.random.default_rng(2).integers(-100, 400, (6, 7, 8)).astype(dtype)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_simpleitk_images(dtype):
    sitk = pytest.importorskip("SimpleITK")
    array = gray().clip(0, 100).astype(dtype)
    image = sitk.GetImageFromArray(array)
    image.SetSpacing(SPACING)
    image.SetOrigin(ORIGIN)
    image.SetDirection(DIRECTION)
    labels = brickccl.label(image, range=(50, 90), connectivity=26)
    assert isinstance(labels, sitk.Image)
    assert labels.GetSpacing() == SPACING and labels.GetOrigin() == ORIGIN and labels.GetDirection() == DIRECTION
    np.testing.assert_array_equal(sitk.GetArrayFromImage(labels), brickccl.label(array, range=(50, 90), connectivity=26))

    filter = sitk.LabelShapeStatisticsImageFilter()
    filter.Execute(sitk.Cast(labels, sitk.sitkUInt32))
    table = brickccl.statistics(labels)
    assert table["label"].tolist() == list(filter.GetLabels())
    for place, label in enumerate(filter.GetLabels()):
        assert table["volume_mm3"][place] == pytest.approx(filter.GetPhysicalSize(label))
        centroid = [table[f"centroid_{axis}_mm"][place] for axis in "xyz"]
        assert centroid == pytest.approx(filter.GetCentroid(label))


def test_simpleitk_volumes_need_no_spacing_and_take_masks_of_the_kind():
    sitk = pytest.importorskip("SimpleITK")
    image = sitk.GetImageFromArray(np.ones((2, 3, 4), np.uint8))
    image.SetSpacing((1.0, 1.0, 0.5))
    mask = image > 0
    assert sitk.GetArrayFromImage(brickccl.label(image, minimum_volume=12.0, mask=mask)).max() == 1
    assert sitk.GetArrayFromImage(brickccl.label(image, minimum_volume=12.1)).max() == 0
    color = sitk.Image([4, 4], sitk.sitkVectorUInt8, 3)
    with pytest.raises(TypeError, match="3 values in each voxel"):
        brickccl.label(color)


def test_a_labeling_outlives_its_simpleitk_image():
    pytest.importorskip("SimpleITK")
    # In a process of its own: a view into an image that is gone would crash it.
    script = (
        "import gc, numpy as np, SimpleITK as sitk, brickccl\n"
        "image = sitk.GetImageFromArray((np.arange(90 ** 3) % 3 == 0).astype(np.uint8).reshape((90,) * 3))\n"
        "labeling = brickccl.find(image)\n"
        "del image; gc.collect()\n"
        "labels, table = labeling.labels(), labeling.table()\n"
        "labeling = None; gc.collect()\n"
        "assert sitk.GetArrayFromImage(labels).max() == table.row_count\n"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


@pytest.mark.parametrize("kind", ["Nifti1Image", "Nifti2Image", "MGHImage"])
def test_nibabel_images(kind):
    nibabel = pytest.importorskip("nibabel")
    array = np.asfortranarray(gray().transpose(2, 1, 0))
    # Right, front, up; turned about z.
    affine = np.array([[0.0, 0.75, 0.0, -10.0], [-0.5, 0.0, 0.0, 20.0], [0.0, 0.0, 2.0, 30.0], [0.0, 0.0, 0.0, 1.0]])
    image = getattr(nibabel, kind)(array, affine)
    labels = brickccl.label(image, range=(200, 400), dtype="int16")
    assert type(labels) is type(image)
    assert labels.shape == image.shape
    np.testing.assert_array_equal(labels.affine, affine)
    assert labels.get_data_dtype().newbyteorder("=") == np.int16
    np.testing.assert_array_equal(np.asarray(labels.dataobj).T, brickccl.label(array.T, range=(200, 400)))
    np.testing.assert_array_equal(
        np.asarray(labels.dataobj), np.asarray(brickccl.find(image, range=(200, 400)).labels("int16").dataobj)
    )

    table = brickccl.statistics(labels, columns="place")
    np.testing.assert_allclose(table["volume_mm3"], table["voxel_count"] * 0.75)
    index = np.array([[table[f"centroid_{axis}"][0] for axis in "xyz"] + [1.0]])
    point = (affine @ index.T).ravel()[:3] * [-1, -1, 1]
    np.testing.assert_allclose([table[f"centroid_{axis}_mm"][0] for axis in "xyz"], point)


def test_nibabel_axes_are_the_users():
    nibabel = pytest.importorskip("nibabel")
    array = np.asfortranarray(np.ones((2, 3, 4), np.uint8))
    image = nibabel.Nifti1Image(array, np.diag([1.0, 2.0, 3.0, 1.0]))
    labels = np.asarray(brickccl.label(image, by_slice=0).dataobj)
    assert [np.unique(part).tolist() for part in labels] == [[1], [2]]
    mask = np.zeros((2, 3, 4), bool)
    mask[1] = True
    np.testing.assert_array_equal(np.asarray(brickccl.label(image, mask=mask).dataobj), mask)
    component = next(brickccl.components(brickccl.label(image, mask=mask)))
    assert component.slices == (slice(1, 2), slice(0, 3), slice(0, 4)) and component.mask.shape == (1, 3, 4)
    assert brickccl.statistics(image, spacing=(1, 1, 0.5))["volume_mm3"][0] == 12.0
    sheared = nibabel.Nifti1Image(array, np.array([[1, 0.2, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]))
    with pytest.raises(ValueError, match="instead of 90"):
        brickccl.label(sheared)


def test_nibabel_and_simpleitk_agree_about_space(tmp_path):
    nibabel, sitk = pytest.importorskip("nibabel"), pytest.importorskip("SimpleITK")
    image = sitk.GetImageFromArray(gray())
    image.SetSpacing(SPACING)
    image.SetOrigin(ORIGIN)
    image.SetDirection(DIRECTION)
    sitk.WriteImage(image, str(tmp_path / "image.nii.gz"))
    tables = [
        brickccl.find(source, range=(300, 400)).table("shape")
        for source in (image, nibabel.load(tmp_path / "image.nii.gz"))
    ]
    for name in tables[0]:
        np.testing.assert_allclose(tables[1][name], tables[0][name], rtol=1e-5, atol=1e-4, err_msg=name)


def test_itk_images():
    itk = pytest.importorskip("itk")
    array = gray()
    image = itk.image_from_array(array)
    image.SetSpacing(SPACING)
    image.SetOrigin(ORIGIN)
    image.SetDirection(np.array(DIRECTION).reshape(3, 3))
    labels = brickccl.label(image, range=(200, 400), dtype="uint16")
    assert type(labels) is type(itk.image_from_array(array.astype(np.uint16)))
    assert tuple(labels.GetSpacing()) == SPACING and tuple(labels.GetOrigin()) == ORIGIN
    np.testing.assert_array_equal(itk.array_from_matrix(labels.GetDirection()).ravel(), DIRECTION)
    np.testing.assert_array_equal(itk.array_from_image(labels), brickccl.label(array, range=(200, 400)))
    expected = brickccl.find(Image(array, SPACING[::-1], ORIGIN, DIRECTION), range=(200, 400)).table()
    found = brickccl.find(image, range=(200, 400)).table()
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name])


def test_arrays_through_dlpack_come_back_as_what_they_were():
    xp = pytest.importorskip("array_api_strict")
    array = gray() > 300
    labels = brickccl.label(xp.asarray(array), dtype="int32")
    assert type(labels) is type(xp.asarray(array))
    np.testing.assert_array_equal(np.from_dlpack(labels), brickccl.label(array))


JAX_TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "bfloat16", "float32")


@pytest.mark.parametrize("name", JAX_TYPES)
def test_jax_arrays_of_all_types_come_back_as_what_they_were(name):
    jnp = pytest.importorskip("jax.numpy")
    array = np.random.default_rng(1).integers(0, 3, (5, 6, 7))
    for image in (jnp.asarray(array).astype(name), jnp.transpose(jnp.asarray(array).astype(name))):
        on_host = np.asarray(image.astype("float32"))
        for options in ({}, {"criterion": "equal-value", "connectivity": 26}, {"neighborhood": jnp.ones((3, 3, 3)), "periodic": "z"}):
            labels = brickccl.label(image, dtype="int32", **options)
            assert type(labels) is type(image) and labels.dtype == jnp.int32
            np.testing.assert_array_equal(np.asarray(labels), brickccl.label(on_host, **options))


def test_jax_arrays_go_beside_each_other():
    jnp = pytest.importorskip("jax.numpy")
    array = gray()
    image, mask = jnp.asarray(array), jnp.asarray(array > 350)
    labels, table = brickccl.label(image, range=(300, 400), mask=mask, return_table=True)
    expected = brickccl.label(array, range=(300, 400), mask=array > 350)
    np.testing.assert_array_equal(np.asarray(labels), expected)
    assert labels.dtype == expected.dtype
    measured = brickccl.statistics(labels, intensity=image)
    np.testing.assert_array_equal(measured["voxel_count"], table["voxel_count"])
    np.testing.assert_array_equal(measured["intensity_max"], brickccl.statistics(expected, intensity=array)["intensity_max"])
    filled = brickccl.fill_holes(mask)
    assert type(filled) is type(mask)
    np.testing.assert_array_equal(np.asarray(filled), brickccl.fill_holes(array > 350))


def test_labels_that_jax_would_cut_are_refused():
    jax = pytest.importorskip("jax")
    image = jax.numpy.asarray([1, 0, 1])
    if jax.config.jax_enable_x64:
        pytest.skip("JAX has types of 64 bits here")
    with pytest.raises(TypeError, match="labels of uint64 became uint32 in an array of jax"):
        brickccl.label(image, dtype="uint64")


def test_pytorch_has_a_type_that_numpy_lacks():
    torch = pytest.importorskip("torch")
    labels = brickccl.label(torch.tensor([1.5, 0, 2], dtype=torch.bfloat16))
    assert labels.tolist() == [1, 0, 2]


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    array = gray()
    labels = brickccl.label(torch.from_numpy(array), range=(300, 400), dtype="int32")
    assert isinstance(labels, torch.Tensor) and labels.dtype == torch.int32
    np.testing.assert_array_equal(labels.numpy(), brickccl.label(array, range=(300, 400)))


def test_arrays_of_pytorch_get_signed_labels():
    class Tensor:
        __module__ = "torch"
        dtype, device = "torch.uint8", "cpu"

        def __dlpack_device__(self):
            return np.eye(3).__dlpack_device__()

        def __dlpack__(self, **options):
            return np.eye(3, dtype=np.uint8).__dlpack__(**options)

    assert brickccl.label(Tensor()).dtype == brickccl.find(Tensor()).dtype == np.int32
    assert brickccl.label(Tensor(), dtype="smallest").dtype == np.uint8


class OnDevice:
    """An array that says that it lies on a CUDA device."""

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **arguments):
        raise AssertionError("nothing may be asked of it")


def test_arrays_on_a_gpu_are_not_supported():
    with pytest.raises(NotImplementedError, match="GPU"):
        brickccl.label(OnDevice())


def test_images_of_the_package_keep_their_geometry():
    image = Image(gray(), SPACING[::-1], ORIGIN, DIRECTION)
    labels = brickccl.label(image, range=(300, 400))
    assert isinstance(labels, Image)
    assert (labels.spacing, labels.origin, labels.direction) == (SPACING[::-1], ORIGIN, DIRECTION)
    with pytest.raises(ValueError, match="spacing has 2 values"):
        Image(gray(), (1, 2))


def peak_of(function):
    gc.collect()
    tracemalloc.start()
    function()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_arrays_in_c_order_are_not_copied():
    array = np.zeros((100, 200, 300), np.uint8)
    array[10:20, 10:20, 10:20] = 1
    out = np.empty(array.shape, np.uint8)
    for image in (array, array.astype(np.int16), array.view(bool), memoryview(array)):
        assert peak_of(lambda: brickccl.label(image, out=out)) < 200_000
    # Others are, once: the measure above sees copies.
    assert peak_of(lambda: brickccl.label(np.asfortranarray(array), out=out)) > array.nbytes


def test_the_engine_copies_nothing_either():
    # In a process of its own, which has nothing but the image and the labels.
    script = (
        "import numpy as np, resource, brickccl\n"
        "array = np.ones((400, 400, 400), np.uint8); out = np.ones(array.shape, np.uint8)\n"
        "brickccl.label(array[:1], out=out[:1])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "brickccl.label(array, out=out)\n"
        "print(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / array.size)\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(result.stdout) < 0.4


@pytest.mark.parametrize("order", ["C", "F"])
def test_out_and_companions_of_a_nibabel_image_have_its_axes(order):
    nibabel = pytest.importorskip("nibabel")
    random = np.random.default_rng(5)
    voxels = (random.random((4, 5, 6)) < 0.4).astype(np.uint8)
    mask = random.random(voxels.shape) < 0.7
    weights = random.random(voxels.shape)
    image = nibabel.Nifti1Image(voxels, np.eye(4))
    expected = np.asanyarray(brickccl.label(image).dataobj)
    out = np.zeros(voxels.shape, np.uint8, order=order)
    assert brickccl.label(image, out=out) is out
    np.testing.assert_array_equal(out, expected)
    masked = np.asanyarray(brickccl.label(image, mask=mask).dataobj)
    np.testing.assert_array_equal(masked, np.asanyarray(brickccl.label(image, mask=mask.astype("u1").tolist()).dataobj))
    np.testing.assert_array_equal((masked != 0), (voxels != 0) & mask)
    np.testing.assert_array_equal(
        brickccl.label(voxels, mask=nibabel.Nifti1Image(mask.astype("u1"), np.eye(4))) != 0, (voxels != 0) & mask
    )
    means = brickccl.statistics(brickccl.label(image), intensity=weights)["intensity_mean"]
    np.testing.assert_array_equal(
        means, brickccl.statistics(brickccl.label(image), intensity=weights.tolist())["intensity_mean"]
    )
    with pytest.raises(ValueError, match="must have the image's"):
        brickccl.label(image, out=np.zeros(voxels.shape[::-1], np.uint8))


def test_images_of_simpleitk_that_hold_label_objects_are_refused():
    SimpleITK = pytest.importorskip("SimpleITK")
    with pytest.raises(TypeError, match="label map"):
        brickccl.label(SimpleITK.BinaryImageToLabelMap(SimpleITK.Image([4, 4], SimpleITK.sitkUInt8) + 1))


def test_four_dimensions_of_simpleitk():
    SimpleITK = pytest.importorskip("SimpleITK")
    image = SimpleITK.GetImageFromArray(np.ones((2, 5, 4, 3), np.uint8), isVector=False)
    assert brickccl.label(image).GetSize() == (3, 4, 5, 2)


def test_overlapping_parts_and_dimensions_that_are_none():
    table = brickccl.statistics(np.ones((3, 3), np.uint8))
    with pytest.raises(ValueError, match="overlap"):
        brickccl.merge_tables(table, table, [])
    for dimension in (0, 5, 6, 99):
        with pytest.raises(ValueError, match="1 to 4 dimensions"):
            brickccl.columns(dimension)


def test_a_companion_that_lies_elsewhere_is_refused():
    sitk = pytest.importorskip("SimpleITK")
    array = np.eye(4, dtype=np.uint8)
    image = sitk.GetImageFromArray(array)
    image.SetSpacing((0.5, 2.0))
    moved, turned, near = sitk.Image(image), sitk.Image(image), sitk.Image(image)
    moved.SetOrigin((0.01, 0.0))
    turned.SetDirection((0.0, 1.0, 1.0, 0.0))
    near.SetOrigin((0.0004, 0.0))
    near.SetSpacing((0.50004, 2.0))
    for other, what in ((sitk.GetImageFromArray(array), "spacing"), (moved, "origin"), (turned, "direction")):
        message = f"is elsewhere in space than the image: its {what} is .* resample it"
        with pytest.raises(ValueError, match="mask " + message):
            brickccl.label(image, mask=other)
        with pytest.raises(ValueError, match="touching " + message):
            brickccl.label(image, touching=other)
        with pytest.raises(ValueError, match="intensity " + message):
            brickccl.find(image).table(intensity=other)
        with pytest.raises(ValueError, match="part " + message):
            brickccl.statistics(image, part=other)
        # An array has no position.
        assert brickccl.label(array, mask=other).any() and brickccl.label(other, mask=array)
    assert brickccl.find(image, mask=near).table(intensity=near)["label"].tolist() == [1, 2, 3, 4]


def test_an_image_of_itk_keeps_the_index_of_its_first_voxel():
    itk = pytest.importorskip("itk")
    region = itk.ImageRegion[2]()
    region.SetIndex([5, 7])
    region.SetSize([3, 4])
    image = itk.Image[itk.UC, 2].New()
    image.SetRegions(region)
    image.SetSpacing([2.0, 3.0])
    image.SetOrigin([100.0, 200.0])
    image.Allocate()
    image.FillBuffer(1)
    labels = brickccl.label(image)
    found = labels.GetLargestPossibleRegion()
    assert list(found.GetIndex()) == [5, 7] and list(found.GetSize()) == [3, 4]
    assert list(labels.GetOrigin()) == [100.0, 200.0]
    assert np.asarray(labels).tolist() == [[1] * 3] * 4
    table = brickccl.statistics(image)
    assert (table["centroid_x_mm"][0], table["centroid_y_mm"][0]) == (100.0 + 2 * 6, 200.0 + 3 * 8.5)
    with pytest.raises(ValueError, match="the image has no voxels; call Update"):
        brickccl.label(itk.Image[itk.UC, 2].New())


def test_labels_that_a_format_of_nibabel_does_not_have_are_a_type_error():
    nibabel = pytest.importorskip("nibabel")
    many = np.zeros((40, 40, 2), np.uint8)
    many[::2, ::2, 0] = 1
    image = nibabel.AnalyzeImage(many, np.eye(4))
    with pytest.raises(TypeError, match="AnalyzeImage have no voxels of uint32; choose another dtype"):
        brickccl.label(image)
    assert brickccl.label(image, dtype="int16").get_data_dtype() == np.int16
