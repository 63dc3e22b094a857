# SPDX-License-Identifier: Apache-2.0
"""Options and helpers of all tests."""

import itertools
import os
import signal

import numpy as np
import pytest


def pytest_addoption(parser):
    parser.addoption("--cases", type=int, default=3000, help="random inputs for each stand-in (20000 before a release)")
    parser.addoption("--first-seed", type=int, default=0, help="of the random inputs; another one brings fresh ones")


def pytest_configure(config):
    # Shells start background jobs with SIGINT ignored, and programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random_of.first_seed = config.getoption("--first-seed")


def random_of(seed):
    """Random numbers of a seed that is counted from --first-seed."""
    return np.random.default_rng(random_of.first_seed + seed)


@pytest.fixture
def cases(request):
    return request.config.getoption("--cases")


@pytest.fixture
def command(monkeypatch):
    """The path of the command. BRICKCCL names it, if the package was built without it."""
    from brickccl import _view

    if program := os.environ.get("BRICKCCL"):
        monkeypatch.setenv("PATH", os.path.dirname(program), prepend=os.pathsep)
    try:
        return _view.command_path()
    except RuntimeError:
        pytest.skip("the command is not installed")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of its own as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def all_steps(dimension):
    return [step for step in itertools.product((-1, 0, 1), repeat=dimension) if any(step)]


def random_neighborhood(random, dimension):
    """Any symmetric structuring element."""
    half = random.random((3**dimension - 1) // 2) < random.random()
    return np.concatenate([half, [random.random() < 0.5], half[::-1]]).reshape((3,) * dimension)


def flood_fill(foreground, rank, joined=lambda a, b: True, periodic=()):
    """The oracle: labels 1.. in C order; `joined` takes the indices of two foreground neighbors. `rank` may be a
    structuring element instead; `periodic` are axes."""
    steps = all_steps(foreground.ndim)
    if np.ndim(rank):
        steps = [step for step in steps if rank[tuple(along + 1 for along in step)]]
    else:
        steps = [step for step in steps if sum(map(abs, step)) <= rank]
    labels = np.zeros(foreground.shape, np.int64)
    count = 0
    for start in np.ndindex(foreground.shape):
        if not foreground[start] or labels[start]:
            continue
        count += 1
        labels[start] = count
        waiting = [start]
        while waiting:
            here = waiting.pop()
            for step in steps:
                there = tuple(
                    (at + along) % size if axis in periodic else at + along
                    for axis, (at, along, size) in enumerate(zip(here, step, foreground.shape))
                )
                inside = all(0 <= at < size for at, size in zip(there, foreground.shape))
                if inside and foreground[there] and not labels[there] and joined(here, there):
                    labels[there] = count
                    waiting.append(there)
    return labels, count


def random_shape(random, dimension, most=9):
    return tuple(int(size) for size in random.integers(1, most, dimension))


def random_mask(random, shape):
    """Grains of all densities, and now and then what is full, empty, or a checkerboard."""
    kind = random.integers(0, 12)
    if kind == 0:
        return np.ones(shape, bool)
    if kind == 1:
        return np.zeros(shape, bool)
    if kind == 2:
        return np.indices(shape).sum(axis=0) % 2 == 0
    return random.random(shape) < random.random()


def in_some_layout(random, array):
    """The same values in C or Fortran order, read-only, backwards, or as every second element of a larger array."""
    kind = random.integers(0, 5)
    if kind == 1:
        return np.asfortranarray(array)
    if kind == 2:
        return array[::-1].copy()[::-1] if array.ndim else array
    if kind == 3 and array.ndim:
        larger = np.zeros(array.shape[:-1] + (2 * array.shape[-1],), array.dtype)
        larger[..., ::2] = array
        return larger[..., ::2]
    array = array.copy()
    array.flags.writeable = kind != 4
    return array
