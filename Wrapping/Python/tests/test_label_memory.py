# SPDX-License-Identifier: Apache-2.0
"""Memory that label maps leave to the next ones."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

import brickccl
from brickccl import _core, _output

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is kept on Linux alone")

_LARGE = (64, 512, 512)


@pytest.fixture(autouse=True)
def _nothing_kept():
    brickccl.release_memory()
    yield
    brickccl.release_memory()


def _image(seed: int, shape: tuple[int, ...] = _LARGE) -> np.ndarray:
    return (np.random.default_rng(seed).random(shape) < 0.02).astype(np.uint8)


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_a_freed_label_map_serves_the_next_one_and_nobody_sees_its_labels():
    first = brickccl.label(_image(1), dtype=np.uint32)
    expected = brickccl.label(_image(2), dtype=np.uint32, out=np.empty(_LARGE, np.uint32))
    place = _address(first)
    first[...] = 12345
    del first
    second = brickccl.label(_image(2), dtype=np.uint32)
    assert _address(second) == place
    assert np.array_equal(second, expected)


def test_label_maps_that_live_share_nothing():
    maps = [brickccl.label(_image(seed), dtype=np.uint32) for seed in range(4)]
    assert len({_address(labels) for labels in maps}) == 4
    view = maps[0][3:5]
    expected = view.copy()
    del maps
    other = brickccl.label(_image(9), dtype=np.uint32)
    assert not np.shares_memory(view, other)
    assert np.array_equal(view, expected)


def test_two_at_most_are_kept_and_given_back():
    size = 4 * int(np.prod(_LARGE))
    maps = [brickccl.label(_image(seed), dtype=np.uint32) for seed in range(4)]
    assert _core.release_label_memory() == 0
    del maps
    assert _core.release_label_memory() == 2 * size
    assert brickccl.release_memory() > 0, "what the last labeling was made in"
    assert brickccl.release_memory() == 0


def test_small_ones_and_those_of_another_size_are_not_mixed_up():
    small = brickccl.label(_image(1, (32, 32, 32)))
    assert small.flags.owndata
    del small
    assert _core.release_label_memory() == 0
    # A quarter of the map at most is added to fill large pages.
    assert brickccl.label(_image(1, (80, 100, 100))).flags.owndata
    assert not brickccl.label(_image(1, (100, 100, 100))).flags.owndata
    assert _core.release_label_memory() == 2 * _output._LARGE_PAGE
    large = brickccl.label(_image(1), dtype=np.uint64)
    place = _address(large)
    del large
    # Half of the memory that is kept would be enough: the rest would lie idle.
    labels = brickccl.label(_image(2), dtype=np.uint32)
    assert _address(labels) != place
    assert labels.max() == brickccl.label(_image(2), return_count=True)[1]


def test_arrays_of_every_type_and_shape_are_whole():
    for dtype in (np.uint8, np.int16, np.uint32, np.int64):
        array = _output.new_array((3, 5, 7 << 20), dtype)
        assert array.shape == (3, 5, 7 << 20) and array.dtype == dtype
        assert array.flags.c_contiguous and array.flags.writeable
        array[...] = 1
        assert int(array[-1, -1, -1]) == 1


def test_the_memory_of_a_freed_labeling_serves_the_next_one_unless_it_is_far_larger():
    labeling = brickccl.find(_image(1))
    runs = labeling._runs.run_count
    assert _core.release_run_memory() == 0
    del labeling
    kept = _core.release_run_memory()
    assert 1 << 20 <= kept <= 1 << 26
    assert _core.release_run_memory() == 0

    brickccl.find(_image(1))
    again = brickccl.find(_image(1))
    assert again._runs.run_count == runs
    assert _core.release_run_memory() == 0, "it is in use"
    del again
    small = brickccl.find(_image(2, (16, 16, 16)))
    assert _core.release_run_memory() == kept, "a small labeling takes nothing of it"
    del small
    assert _core.release_run_memory() == 0, "nor is it kept itself"


def test_labelings_in_memory_of_other_problems_are_the_same():
    random = np.random.default_rng(5)
    problems = []
    for seed in range(12):
        shape = tuple(int(size) for size in random.permutation([96, 128, 160]))
        image = _image(seed, shape) if seed % 2 else random.integers(0, 3, shape).astype(np.uint8)
        arguments = [{}, {"connectivity": 26}, {"criterion": "equal-value"}, {"periodic": "x"}, {"order": "size", "minimum_size": 3}]
        problems.append((image, arguments[seed % 5]))
    fresh = []
    for image, arguments in problems:
        brickccl.release_memory()
        fresh.append(brickccl.label(image, **arguments))
    for place in random.permutation(2 * len(problems)) % len(problems):
        image, arguments = problems[place]
        assert np.array_equal(brickccl.label(image, **arguments), fresh[place]), (place, arguments)


def test_threads_get_memory_of_their_own():
    faults: list[str] = []

    def label_some(seed: int) -> None:
        image = _image(seed)
        expected = brickccl.label(image, dtype=np.uint32, out=np.empty(_LARGE, np.uint32), threads=1)
        for _ in range(5):
            labels = brickccl.label(image, dtype=np.uint32, threads=1)
            if not np.array_equal(labels, expected):
                faults.append(f"seed {seed}")
            del labels

    threads = [threading.Thread(target=label_some, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_the_stand_ins_take_it_too():
    from brickccl.compat import cc3d

    first = cc3d.connected_components(_image(1), connectivity=26, out_dtype=np.uint32)
    place = _address(first)
    del first
    assert _address(cc3d.connected_components(_image(2), connectivity=26, out_dtype=np.uint32)) == place


def test_what_no_memory_holds_is_an_error():
    with pytest.raises(MemoryError):
        _core.new_label_memory(1 << 60)
