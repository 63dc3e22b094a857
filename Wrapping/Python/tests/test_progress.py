# SPDX-License-Identifier: Apache-2.0
"""What tells how far work is: functions, bars of tqdm and rich."""

import io

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
