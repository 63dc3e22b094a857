# SPDX-License-Identifier: Apache-2.0
"""Several CUDA devices. What needs a device, CuPy or PyTorch is skipped where these are missing."""

import brickccl
import numpy as np
import pytest
from brickccl import _core
from brickccl.big._options import devices_of
from test_device import arrays, random_image  # noqa: F401


class OnDevice:
    """What looks like an array on a device."""

    __cuda_array_interface__ = {}


class Refuses:
    """Says which options slabs on devices do not have, before anything of them is read."""

    options = (
        ("order", "size"),
        ("minimum_size", 2),
        ("maximum_size", 9),
        ("minimum_volume", 0.5),
        ("largest", 1),
        ("seeds", np.zeros((1, 3), int)),
        ("clear_border", True),
        ("touching", np.zeros((2, 2, 2))),
        ("fill_holes", True),
        ("neighborhood", np.ones((3, 3, 3))),
        ("periodic", (0,)),
        ("return_table", True),
        ("device", "cpu"),
    )


@pytest.mark.parametrize(("name", "value"), Refuses.options)
def test_options_that_slabs_do_not_have_are_refused_by_name(name, value):
    with pytest.raises(NotImplementedError, match=f"^{name}=.*devices="):
        brickccl.label([OnDevice(), OnDevice()], **{name: value})


def test_slabs_of_other_libraries_name_those_that_are_taken():
    with pytest.raises(NotImplementedError, match="slab 0 .*cupy.from_dlpack or torch.from_dlpack"):
        brickccl.label([OnDevice(), OnDevice()])


def test_a_build_without_cuda_says_so():
    if "CUDA ON" in brickccl.info()["build"]:
        pytest.skip("this build has CUDA")
    with pytest.raises(NotImplementedError, match="built without CUDA"):
        _core.SlabLabels()


def test_devices_are_named_once_and_not_beside_a_device():
    image = np.ones((2, 2, 2), np.uint8)
    with pytest.raises(ValueError, match="device 1 twice"):
        brickccl.label(image, devices=[1, 0, 1])
    with pytest.raises(ValueError, match="at least one device"):
        brickccl.label(image, devices=[])
    with pytest.raises(ValueError, match="both device='cpu' and devices="):
        brickccl.label(image, device="cpu", devices=[0])
    with pytest.raises((TypeError, ValueError), match="devices"):
        brickccl.label(image, devices=[-1])


def test_a_device_that_is_missing_is_told_and_the_cpu_labels():
    image = np.ones((2, 2, 2), np.uint8)
    with pytest.warns(RuntimeWarning, match="cuda:0,77 is not available"):
        assert brickccl.label(image, devices=[0, 77]).max() == 1


def test_bricks_go_to_devices_in_turns():
    assert devices_of([0, 1]) == ["cuda:0", "cuda:1"]
    assert devices_of("cuda:0,2") == ["cuda:0", "cuda:2"]
    assert devices_of(["cpu", "cuda:1"]) == ["cpu", "cuda:1"]
    with pytest.raises(ValueError, match="cuda:1 twice"):
        devices_of([1, "cuda:0,1"])


@pytest.mark.parametrize("connectivity", [6, 18, 26])
@pytest.mark.parametrize("heights", [(20,), (7, 13), (1, 1, 9, 9), (1,) * 20])
def test_slabs_have_the_labels_of_the_volume(arrays, heights, connectivity):  # noqa: F811
    image = random_image(3, (20, 33, 70), density=0.25)
    mask = random_image(4, image.shape, density=0.9)
    bounds = np.cumsum((0, *heights))
    slabs = [arrays.put(image[low:high].copy()) for low, high in zip(bounds, bounds[1:])]
    masks = [arrays.put(mask[low:high].copy()) for low, high in zip(bounds, bounds[1:])]
    labels, count = brickccl.label(slabs, connectivity=connectivity, return_count=True)
    expected, found = brickccl.label(image, connectivity=connectivity, device="cpu", return_count=True)
    assert count == found
    assert np.array_equal(np.concatenate([arrays.get(part) for part in labels]), expected)
    labels = brickccl.label(slabs, connectivity=connectivity, mask=masks, out=labels, criterion="equal-value")
    expected = brickccl.label(image, connectivity=connectivity, mask=mask, criterion="equal-value", device="cpu")
    assert np.array_equal(np.concatenate([arrays.get(part) for part in labels]), expected)
    with pytest.raises(ValueError, match="axis 0|last axis"):
        brickccl.label([slabs[0], arrays.put(image[:, :9].copy())], connectivity=connectivity)
    brickccl.release_device_memory()
