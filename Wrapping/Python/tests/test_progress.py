# SPDX-License-Identifier: Apache-2.0
"""What tells how far work is: functions, bars of tqdm and rich."""

import io
import time

import numpy as np
import pytest

import brickccl

IMAGE = np.random.default_rng(1).random((40, 50, 60)) < 0.3

CALLS = [
    lambda progress: brickccl.label(IMAGE, return_table=True, progress=progress),
    lambda progress: brickccl.find(IMAGE, progress=progress),
    lambda progress: brickccl.find(IMAGE).labels(progress=progress),
    lambda progress: brickccl.find(IMAGE).table(progress=progress),
    lambda progress: brickccl.statistics(IMAGE, progress=progress),
    lambda progress: brickccl.clean(IMAGE, minimum_size=2, progress=progress),
    lambda progress: brickccl.fill_holes(IMAGE, progress=progress),
    lambda progress: brickccl.sweep(IMAGE.astype("u1"), 0, 1, 2, progress=progress),
    lambda progress: brickccl.label_graph(brickccl.voxel_graph(IMAGE), progress=progress),
]


@pytest.mark.parametrize("call", CALLS)
def test_functions_and_bars_are_told_of_the_whole_work(call):
    heard = []
    call(heard.append)
    assert heard == sorted(heard) and heard[-1] == 1
    tqdm = pytest.importorskip("tqdm")
    with tqdm.tqdm(total=100, initial=20, file=io.StringIO()) as bar:
        call(bar)
        assert bar.n == pytest.approx(100)
    rich = pytest.importorskip("rich.progress")
    console = pytest.importorskip("rich.console").Console(file=io.StringIO())
    with rich.Progress(console=console) as progress:
        call(progress)
        (task,) = progress.tasks
        assert task.finished and task.completed == task.total == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda image, tell: brickccl.find(image).table("shape", progress=tell),
        lambda image, tell: brickccl.label(image, return_table=True, progress=tell),
        lambda image, tell: brickccl.statistics(image.cumsum().reshape(image.shape) * image, progress=tell),
    ],
)
def test_tables_tell_and_can_be_stopped_all_the_time(call):
    image = np.random.default_rng(2).random((100, 200, 200)) < 0.1
    # The processor time of the thread: others may use the processor, too.
    told = []
    call(image, lambda fraction: told.append((time.thread_time(), fraction)))
    begin, end = told[0][0], told[-1][0]
    waits = [later - sooner for (sooner, _), (later, _) in zip(told, told[1:])]
    assert end - begin < 0.1 or max(waits) < min(0.2, 0.7 * (end - begin)), (waits, told)

    class Stopped(Exception):
        pass

    def stop(fraction):
        if fraction > 0.5:
            raise Stopped

    with pytest.raises(Stopped):
        call(image, stop)


def test_a_class_of_bars_and_one_without_a_total():
    tqdm = pytest.importorskip("tqdm")
    made = []

    class Bar(tqdm.tqdm):
        def __init__(self, **arguments):
            super().__init__(**arguments, file=io.StringIO())
            made.append(self)

    brickccl.label(IMAGE, progress=Bar)
    assert len(made) == 1 and made[0].n == made[0].total == 1
    with tqdm.tqdm(file=io.StringIO()) as bar:
        brickccl.label(IMAGE, progress=bar)
        assert bar.n == bar.total == 1


def test_volumes_by_bricks_tell_bars():
    pytest.importorskip("zarr", minversion="3")
    tqdm = pytest.importorskip("tqdm")
    from brickccl import big

    with tqdm.tqdm(total=1, file=io.StringIO()) as bar:
        big.statistics(IMAGE, brick=20, progress=bar)
        assert bar.n == pytest.approx(1)


def test_what_cannot_be_told_is_a_type_error():
    with pytest.raises(TypeError, match="progress must be a function .* not 5"):
        brickccl.label(IMAGE, progress=5)

    class Stopped(Exception):
        pass

    def stop(fraction):
        raise Stopped

    with pytest.raises(Stopped):
        brickccl.label(IMAGE, progress=stop)
