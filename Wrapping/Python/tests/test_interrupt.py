# SPDX-License-Identifier: Apache-2.0
"""Progress, Ctrl-C and other threads."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import brickccl


@pytest.fixture(scope="module")
def noise():
    return np.random.default_rng(1).random((300, 400, 400)) < 0.4


@pytest.fixture(autouse=True)
def _ctrl_c_is_heard():
    """Programs that a shell starts in the background begin with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_progress_rises_to_1(noise):
    seen = []
    brickccl.label(noise, threads=1, progress=seen.append)
    assert seen[-1] == 1.0
    assert len(seen) > 2
    assert seen == sorted(seen) and 0 <= seen[0]
    for function in (brickccl.find(noise, threads=1).table, brickccl.find(noise, threads=1).voxels):
        seen.clear()
        function(progress=seen.append)
        assert seen[-1] == 1.0 and seen == sorted(seen)


def test_an_exception_of_progress_ends_the_work(noise):
    def fail(fraction):
        raise LookupError(f"at {fraction}")

    out = np.zeros(noise.shape, np.uint32)
    with pytest.raises(LookupError, match="at 0"):
        brickccl.label(noise, threads=1, out=out, progress=fail)
    assert not out.any()
    # Also at the end, where only a small image reports.
    with pytest.raises(LookupError, match="at 0.7"):
        brickccl.label(noise[:1, :4, :4], progress=fail)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_the_work(noise, threads):
    calls = []

    def press(fraction):
        calls.append(fraction)
        if len(calls) == 1:
            signal.raise_signal(signal.SIGINT)

    out = np.zeros(noise.shape, np.uint32)
    with pytest.raises(KeyboardInterrupt):
        brickccl.label(noise, threads=threads, out=out, progress=press)
    assert calls[-1] < 0.7
    assert not out.any()
    # Nothing is left behind.
    assert brickccl.label(noise[0], return_count=True)[1] > 0


def test_ctrl_c_leaves_a_labeling_as_it_was_or_as_it_becomes(noise):
    image = noise[:120]
    labeling = brickccl.find(image)
    before, after = labeling.labels(), brickccl.find(image).keep("voxel_count > 1").labels()
    assert not np.array_equal(before, after)
    # Wherever the signal comes in.
    for delay in (0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1):
        try:
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            signal.setitimer(signal.ITIMER_REAL, delay)
            try:
                labeling.keep("voxel_count > 1")
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            pass
        labels = labeling.labels()
        assert np.array_equal(labels, before) or np.array_equal(labels, after)
        assert labeling.count == labels.max()


def test_a_labeling_does_not_change_while_another_call_reads_it(noise):
    labeling = brickccl.find(noise[:60])
    before = labeling.labels()
    keep = np.arange(labeling.count) % 2 == 0
    said = []

    def change(fraction):
        if fraction >= 0.5:  # The measures are a table of their own then, from which columns are made.
            return
        with pytest.raises(RuntimeError, match="another call is using this labeling") as raised:
            labeling.keep(keep)
        said.append(raised)

    labeling.table("feret", progress=change)
    assert said and np.array_equal(labeling.labels(), before)

    def read():
        for _ in range(10):
            tables.append(labeling.table()["voxel_count"].sum())

    tables = []
    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    while any(reader.is_alive() for reader in readers):
        try:
            labeling.keep(np.ones(labeling.count, bool))
        except RuntimeError as error:
            assert "another call" in str(error)
    assert set(tables) == {int(noise[:60].sum())}
    assert np.array_equal(labeling.keep(keep).labels() > 0, np.isin(before, np.flatnonzero(keep) + 1))


def test_json_of_a_table_hears_ctrl_c(noise):
    table = brickccl.find(noise, connectivity=6).table()
    begin = time.perf_counter()
    table.to_json()
    whole = time.perf_counter() - begin
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, whole / 20)
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        table.to_json()
    # Not only when it is done.
    assert time.perf_counter() - begin < whole / 2


def test_a_handler_of_the_signal_is_called_while_the_engine_works(noise):
    heard = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))
    try:
        timer = threading.Timer(0.05, lambda: signal.raise_signal(signal.SIGUSR1))
        timer.start()
        for _ in range(100):
            brickccl.label(noise, threads=1)
            if heard:
                break
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard


def test_other_threads_run_meanwhile(noise):
    ticks, ready, done = [0], threading.Event(), threading.Event()

    def tick():
        ready.set()
        while not done.is_set():
            ticks[0] += 1

    thread = threading.Thread(target=tick)
    thread.start()
    ready.wait()
    runs = brickccl.find(noise[:1])
    before = ticks[0]
    # One call into the engine, which takes no time slices of the interpreter.
    runs = brickccl.find(noise, threads=1)
    passed = ticks[0] - before
    done.set()
    thread.join()
    assert runs.count > 0
    assert passed > 10000


def test_threads_label_at_once(noise):
    parts = [noise[k : k + 40] for k in range(0, 300, 40)]
    expected = [brickccl.label(part) for part in parts]
    found = [None] * len(parts)

    def work(k):
        found[k] = brickccl.label(parts[k], threads=1)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(len(parts))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for one, other in zip(expected, found):
        np.testing.assert_array_equal(one, other)


def test_a_forked_process_labels_on_threads_of_its_own(noise):
    # As multiprocessing does it on Linux: threads that were kept for the next call are not there after a fork.
    image = noise[:60]
    expected = brickccl.label(image, threads=2, return_count=True)[1]
    child = os.fork()
    if child == 0:
        os._exit(0 if brickccl.label(image, threads=2, return_count=True)[1] == expected else 1)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the forked process hangs")
    assert os.waitstatus_to_exitcode(status) == 0
