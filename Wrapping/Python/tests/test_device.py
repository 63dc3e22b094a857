# SPDX-License-Identifier: Apache-2.0
"""Arrays on CUDA devices. What needs a device, CuPy or PyTorch is skipped where these are missing."""

import threading

import brickccl
import numpy as np
import pytest
from brickccl import _core

TYPES = ("bool", "uint8", "int8", "uint16", "int16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")


def test_a_build_without_cuda_says_so():
    if "CUDA ON" in brickccl.info()["build"]:
        pytest.skip("this build has CUDA")
    with pytest.raises(NotImplementedError, match="built without CUDA"):
        _core.DeviceLabels(0)


def test_other_arrays_on_devices_name_those_that_are_taken():
    class Interface:
        __cuda_array_interface__ = {}

    class Exchange:
        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self):
            raise AssertionError("nothing is read")

    for image in (Interface(), Exchange()):
        with pytest.raises(NotImplementedError, match="cupy.from_dlpack or torch.from_dlpack"):
            brickccl.label(image)
        with pytest.raises(NotImplementedError, match="is on a GPU"):
            brickccl.find(image)
        with pytest.raises(NotImplementedError, match="is on a GPU"):
            brickccl.statistics(image)


class CuPyArrays:
    def __init__(self):
        self.library = pytest.importorskip("cupy")
        if self.library.cuda.runtime.getDeviceCount() == 0:
            pytest.skip("there is no CUDA device")

    def put(self, array):
        return self.library.asarray(array)

    def get(self, array):
        assert isinstance(array, self.library.ndarray)
        return self.library.asnumpy(array)

    def stream(self):
        return self.library.cuda.Stream(non_blocking=True)


class TorchArrays:
    def __init__(self):
        self.library = pytest.importorskip("torch")
        if not self.library.cuda.is_available():
            pytest.skip("there is no CUDA device")

    def put(self, array):
        return self.library.from_numpy(array).cuda()

    def get(self, array):
        assert isinstance(array, self.library.Tensor) and array.is_cuda
        return array.cpu().numpy()

    def stream(self):
        return self.library.cuda.stream(self.library.cuda.Stream())


@pytest.fixture(params=[CuPyArrays, TorchArrays])
def arrays(request):
    if "CUDA ON" not in brickccl.info()["build"]:
        pytest.skip("brickccl was built without CUDA")
    return request.param()


def random_image(seed, shape, dtype="uint8", density=0.4, values=2):
    random = np.random.default_rng(seed)
    image = random.integers(1, values, shape, endpoint=True) * (random.random(shape) < density)
    return image.astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(13,), (9, 33), (6, 17, 40), (2, 5, 7, 11)])
def test_labels_are_those_of_the_host(arrays, dtype, shape):
    for seed, options in enumerate(({}, {"connectivity": len(shape)}, {"criterion": "equal-value"}, {"range": (1, 1)})):
        image = random_image(seed, shape, dtype, values=3)
        expected, count = brickccl.label(image, return_count=True, **options)
        labels, found = brickccl.label(arrays.put(image), return_count=True, **options)
        assert found == count
        np.testing.assert_array_equal(arrays.get(labels), expected)


def test_masks_tolerances_slices_and_layouts(arrays):
    image = random_image(3, (12, 31, 45), "int16", density=0.9, values=40)
    mask = random_image(4, image.shape, "bool", density=0.8)
    on_device, mask_there = arrays.put(image), arrays.put(mask)
    for options in ({"tolerance": 4}, {"by_slice": 0}, {"by_slice": 2, "connectivity": 8}, {"background": None, "tolerance": 9}):
        np.testing.assert_array_equal(
            arrays.get(brickccl.label(on_device, mask=mask_there, **options)), brickccl.label(image, mask=mask, **options)
        )
    turned = on_device.transpose(2, 0) if hasattr(on_device, "is_cuda") else on_device.transpose(2, 1, 0)
    np.testing.assert_array_equal(arrays.get(brickccl.label(turned)), brickccl.label(image.transpose(2, 1, 0)))
    np.testing.assert_array_equal(arrays.get(brickccl.label(on_device[1::2, 3:, :-1])), brickccl.label(image[1::2, 3:, :-1]))
    with pytest.raises(TypeError, match="mask must be an array"):
        brickccl.label(on_device, mask=mask)


@pytest.mark.parametrize(
    "filters",
    [
        {"order": "size"},
        {"minimum_size": 3},
        {"maximum_size": 9},
        {"largest": 4},
        {"largest": 5, "order": "size", "minimum_size": 2},
        {"minimum_volume": 0.7, "spacing": (0.5, 0.5, 1.2)},
        {"minimum_size": 10**6},
    ],
)
@pytest.mark.parametrize("dtype", ["auto", "uint8", "int16", "int64"])
def test_filters_orders_and_tables_are_those_of_the_host(arrays, filters, dtype):
    image = random_image(7, (14, 20, 25), density=0.2)
    kept, count, table = brickccl.label(image, return_count=True, return_table=True, **filters)
    if dtype == "uint8" and count > 255:
        with pytest.raises(OverflowError):
            brickccl.label(arrays.put(image), dtype=dtype, **filters)
        return
    labels, found, measured = brickccl.label(arrays.put(image), dtype=dtype, return_count=True, return_table=True, **filters)
    assert found == count and measured.row_count == count
    np.testing.assert_array_equal(arrays.get(labels), kept)
    for name in measured:
        np.testing.assert_array_equal(measured[name], table[name], name)


@pytest.mark.parametrize("options", [{}, {"connectivity": 3, "order": "size"}, {"criterion": "equal-value", "minimum_size": 2}, {"by_slice": 0}])
@pytest.mark.parametrize("shape", [(13, 20, 66), (70, 90), (20, 19, 18)])
def test_what_is_found_stays_on_the_device(arrays, shape, options):
    if len(shape) == 2 and ("by_slice" in options or "connectivity" in options):
        pytest.skip("for volumes")
    image = random_image(11, shape, density=0.3, values=3)
    on_device = arrays.put(image)
    expected, labeling = brickccl.find(image, **options), brickccl.find(on_device, **options)
    assert isinstance(labeling, brickccl.DeviceLabeling) and labeling.device == "cuda:0"

    def check():
        assert labeling.count == len(labeling) == expected.count
        np.testing.assert_array_equal(arrays.get(labeling.labels()), expected.labels())
        sizes = expected.table()["voxel_count"]
        np.testing.assert_array_equal(arrays.get(labeling.sizes()), sizes)
        offsets, indices = expected.voxels()
        found = labeling.voxels()
        np.testing.assert_array_equal(arrays.get(found.offsets), offsets)
        np.testing.assert_array_equal(arrays.get(found.indices), indices)
        table = labeling.table()
        for name in table:
            np.testing.assert_array_equal(table[name], expected.table()[name], name)

    check()
    assert labeling.keep(labeling.sizes() > 2) is labeling
    expected.keep("voxel_count > 2")
    check()
    labeling.remove("voxel_count == 4")
    expected.remove("voxel_count == 4")
    check()
    labeling.keep(np.arange(labeling.count) % 2 == 0)
    expected.keep(np.arange(expected.count) % 2 == 0)
    check()
    with pytest.raises(ValueError, match="truth value for each"):
        labeling.keep(labeling.sizes())
    with pytest.raises(ValueError, match="truth value for each"):
        labeling.keep(np.ones(labeling.count + 1, bool))
    with pytest.raises(NotImplementedError, match="to the host"):
        labeling.table("feret")
    with pytest.raises(NotImplementedError, match="host"):
        labeling.keep("feret_diameter_voxels > 2")
    with pytest.raises(NotImplementedError, match="host"):
        labeling.runs()
    labeling.keep(labeling.sizes() < 0)
    expected.keep("voxel_count < 0")
    check()


def test_a_labeling_serves_its_stream_and_several_live_at_once(arrays):
    images = [random_image(seed, (10, 30, 40)) for seed in range(4)]
    labelings = [brickccl.find(arrays.put(image)) for image in images]
    for image, labeling in zip(images, labelings, strict=True):
        np.testing.assert_array_equal(arrays.get(labeling.labels("int64")), brickccl.label(image))
    with arrays.stream(), pytest.raises(ValueError, match="another stream"):
        labelings[0].labels()
    with pytest.raises(OverflowError, match="do not fit"):
        labelings[0].labels("int8")
    with pytest.raises(NotImplementedError, match="host"):
        brickccl.find(arrays.put(images[0]), clear_border=True)
    with pytest.raises(NotImplementedError, match="host"):
        brickccl.find(arrays.put(images[0]), start=(1, 2, 3))


def test_filters_of_images_of_four_dimensions(arrays):
    image = random_image(5, (3, 6, 9, 20))
    for filters in ({"order": "size"}, {"largest": 3}, {"minimum_size": 4}):
        np.testing.assert_array_equal(arrays.get(brickccl.label(arrays.put(image), **filters)), brickccl.label(image, **filters))


def test_out_is_written_and_checked(arrays):
    image = random_image(8, (10, 20, 30))
    on_device = arrays.put(image)
    out = arrays.put(np.zeros(image.shape, np.int32))
    assert brickccl.label(on_device, out=out) is out
    np.testing.assert_array_equal(arrays.get(out), brickccl.label(image))
    assert brickccl.label(on_device, out=out, order="size") is out
    np.testing.assert_array_equal(arrays.get(out), brickccl.label(image, order="size"))
    with pytest.raises(ValueError, match="shape"):
        brickccl.label(on_device, out=out[:5])
    with pytest.raises(TypeError, match="out must be an array"):
        brickccl.label(on_device, out=np.zeros(image.shape, np.int32))
    with pytest.raises(TypeError, match="integer type"):
        brickccl.label(on_device, dtype="float32")
    with pytest.raises(ValueError, match="labeled in place"):
        brickccl.label(on_device, device="cuda:77")
    np.testing.assert_array_equal(arrays.get(brickccl.label(on_device, device="cpu")), brickccl.label(image))
    narrow = arrays.put(np.full((30, 30), 7, np.int8))
    with pytest.raises(OverflowError, match="do not fit"):
        brickccl.label(arrays.put((np.indices((30, 30)).sum(0) % 2).astype("uint8")), out=narrow)
    assert (arrays.get(narrow) == 7).all(), "nothing is written then"


def test_arrays_go_between_libraries_by_dlpack():
    """Images of one library labeled as another's, and labels as a third party reads them: the same memory."""
    if "CUDA ON" not in brickccl.info()["build"]:
        pytest.skip("brickccl was built without CUDA")
    one, other = CuPyArrays(), TorchArrays()
    image = random_image(9, (12, 30, 40))
    expected = brickccl.label(image, connectivity=26)
    for here, there in ((one, other), (other, one)):
        given = here.put(image)
        taken = there.library.from_dlpack(given)
        labels = brickccl.label(taken, connectivity=26, dtype="int32")
        back = here.library.from_dlpack(labels)
        np.testing.assert_array_equal(there.get(labels), expected)
        np.testing.assert_array_equal(here.get(back), expected)
        addresses = [x.data_ptr() if hasattr(x, "data_ptr") else x.data.ptr for x in (given, taken, labels, back)]
        assert addresses[0] == addresses[1] and addresses[2] == addresses[3]
        # Their readers wait for the stream on which they were made.
        with here.stream():
            again = here.library.from_dlpack(brickccl.label(taken, connectivity=26, dtype="int32"))
            np.testing.assert_array_equal(here.get(again), expected)


def test_arrays_of_jax_come_back_as_such():
    jax = pytest.importorskip("jax")
    if "CUDA ON" not in brickccl.info()["build"]:
        pytest.skip("brickccl was built without CUDA")
    if not [device for device in jax.devices() if device.platform == "gpu"]:
        pytest.skip("JAX finds no GPU")
    image, mask = random_image(10, (12, 30, 40)), random_image(12, (12, 30, 40), density=0.9)
    for options in ({}, {"connectivity": 26, "order": "size"}, {"minimum_size": 3, "dtype": "int32"}):
        labels = brickccl.label(jax.numpy.asarray(image), mask=jax.numpy.asarray(mask), **options)
        assert isinstance(labels, jax.Array) and {device.platform for device in labels.devices()} == {"gpu"}
        np.testing.assert_array_equal(np.asarray(labels), brickccl.label(image, mask=mask, **options))


def test_streams_threads_and_memory(arrays):
    images = [random_image(seed, (20, 64, 64), density=0.3) for seed in range(6)]
    expected = [brickccl.label(image, connectivity=26) for image in images]
    results = [None] * len(images)

    def work(place):
        with arrays.stream():
            for _ in range(10):
                results[place] = arrays.get(brickccl.label(arrays.put(images[place]), connectivity=26))

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(images))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for labels, right in zip(results, expected, strict=True):
        np.testing.assert_array_equal(labels, right)
    brickccl.release_device_memory()


def test_the_stand_in_for_cupyx():
    arrays = CuPyArrays()
    if "CUDA ON" not in brickccl.info()["build"]:
        pytest.skip("brickccl was built without CUDA")
    import cupyx.scipy.ndimage
    from brickccl.compat.cupy import label

    cupy = arrays.library
    for seed in range(300):
        random = np.random.default_rng(seed)
        shape = tuple(random.integers(1, 12, random.integers(0, 5)))
        image = cupy.asarray(random_image(seed, shape, random.choice(TYPES), random.random()))
        if image.dtype.kind == "f" and image.size > 3:
            image.reshape(-1)[0] = float("nan")
        structure = None
        if random.random() < 0.6:
            import scipy.ndimage

            structure = scipy.ndimage.generate_binary_structure(len(shape), int(random.integers(0, 4)))
        output = random.choice([None, "int64", "uint16", "float32"])
        expected, count = cupyx.scipy.ndimage.label(image, structure, output)
        labels, found = label(image, structure, output)
        assert found == count and labels.dtype == expected.dtype, seed
        np.testing.assert_array_equal(cupy.asnumpy(labels), cupy.asnumpy(expected), str(seed))
        given = cupy.zeros_like(expected)
        assert label(image, structure, given) == cupyx.scipy.ndimage.label(image, structure, cupy.zeros_like(expected))
        np.testing.assert_array_equal(cupy.asnumpy(given), cupy.asnumpy(expected))
    for wrong, error in (((np.ones((3, 3)), None), TypeError), ((cupy.ones((3, 3)), np.ones(3)), RuntimeError)):
        with pytest.raises(error):
            label(*wrong)
