# SPDX-License-Identifier: Apache-2.0
"""Executors of the steps: threads, processes, executors of concurrent.futures, clients of Dask."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from ._job import Job, run_step
from ._sources import DaskSource

#: A step with its numbers: a brick, or a level and a piece.
Arguments = tuple[int, ...]
Done = Callable[[], Any]

#: Tasks that wait for each worker, so that it never waits for one.
AHEAD = 3
#: This many processes may die one after the other, none of them finishing a task.
MOST_DEATHS = 5


def processor_count() -> int:
    """The processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


class Runner:
    """Does one step for many bricks."""

    #: Whether other processes work, too.
    is_remote = True

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, job: Job, step: str, tasks: Iterable[Arguments], done: Done) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Ends its processes."""


class ThreadRunner(Runner):
    """Threads of this process; each uses a free device."""

    is_remote = False

    def run(self, job: Job, step: str, tasks: Iterable[Arguments], done: Done) -> None:
        devices: queue.Queue[str] = queue.Queue()
        names = job.plan["run"]["devices"]
        for number in range(max(self.workers, len(names))):
            devices.put(names[number % len(names)])

        def work(arguments: Arguments) -> None:
            if step == "label_brick":
                device = devices.get()
                try:
                    job.label_brick(arguments[0], None, device)
                finally:
                    devices.put(device)
            else:
                getattr(job, step)(*arguments)

        with concurrent.futures.ThreadPoolExecutor(self.workers, "brickccl") as pool:
            for _ in _drain(pool, work, tasks, self.workers * AHEAD):
                done()


def _drain(
    pool: concurrent.futures.Executor, work: Callable[[Arguments], Any], tasks: Iterable[Arguments], window: int
) -> Iterator[Arguments]:
    """Yields the tasks as they finish. A few are submitted at a time."""
    waiting: dict[concurrent.futures.Future[Any], Arguments] = {}
    left = iter(tasks)
    try:
        while True:
            while len(waiting) < window:
                task = next(left, None)
                if task is None:
                    break
                waiting[pool.submit(work, task)] = task
            if not waiting:
                return
            ready, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in ready:
                task = waiting.pop(future)
                future.result()
                yield task
    finally:
        for future in waiting:
            future.cancel()


class _Step:
    """A step as a function for other processes."""

    def __init__(self, folder: str, step: str) -> None:
        self.folder = folder
        self.step = step

    def __call__(self, arguments: Arguments) -> Sequence[int]:
        return run_step(self.folder, self.step, arguments)


class PoolRunner(Runner):
    """An executor of the user's."""

    def __init__(self, pool: concurrent.futures.Executor, workers: int) -> None:
        super().__init__(workers)
        self._pool = pool

    def run(self, job: Job, step: str, tasks: Iterable[Arguments], done: Done) -> None:
        for _ in _drain(self._pool, _Step(job.state.folder, step), tasks, self.workers * AHEAD):
            done()


def _end_with_parent() -> None:
    """Ends this process as soon as the process that started it has ended, for whatever reason."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


class ProcessRunner(Runner):
    """Processes, which are replaced when one of them dies."""

    _pool: concurrent.futures.ProcessPoolExecutor | None = None

    def run(self, job: Job, step: str, tasks: Iterable[Arguments], done: Done) -> None:
        left = dict.fromkeys(tasks)
        deaths = 0
        while left:
            if self._pool is None:
                context = multiprocessing.get_context("spawn")
                self._pool = concurrent.futures.ProcessPoolExecutor(self.workers, context, _end_with_parent)
            try:
                for task in _drain(self._pool, _Step(job.state.folder, step), list(left), self.workers * AHEAD):
                    del left[task]
                    deaths = 0
                    done()
            except BrokenProcessPool:
                self.close()
                deaths += 1
                if deaths >= MOST_DEATHS:
                    first = next(iter(left))
                    where = job.grid.describe(first[0]) if len(first) == 1 else f"piece {first[1]} of level {first[0]}"
                    raise RuntimeError(
                        f"{where}: {deaths} times in a row a process died before it finished anything, perhaps for lack of "
                        "memory; use smaller bricks or fewer workers"
                    ) from None

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


class DaskRunner(Runner):
    """A client of Dask distributed: plain functions on (folder, brick), no graphs of arrays."""

    def __init__(self, client: Any) -> None:
        super().__init__(max(1, sum(client.nthreads().values())))
        self._client = client

    def run(self, job: Job, step: str, tasks: Iterable[Arguments], done: Done) -> None:
        import distributed

        resources = {"GPU": 1} if job.plan["run"]["devices"] != ["cpu"] and step == "label_brick" else None
        source = job.images["source"]
        waiting = list(tasks)
        if not waiting:
            return
        left = iter(waiting)
        completed = distributed.as_completed()

        def submit() -> bool:
            task = next(left, None)
            if task is None:
                return False
            image = None
            if step == "label_brick" and isinstance(source, DaskSource):
                image = self._client.compute(source.block(job.grid.box(task[0])))
            future = self._client.submit(
                run_step,
                job.state.folder,
                step,
                task,
                image,
                key=f"brickccl-{step}-{job.id}-{'-'.join(map(str, task))}-{id(completed):x}",
                pure=False,
                retries=3,
                resources=resources,
            )
            completed.add(future)
            return True

        for _ in range(self.workers * AHEAD):
            if not submit():
                break
        try:
            for future in completed:
                future.result()
                future.release()
                done()
                submit()
        except distributed.KilledWorker as error:
            raise RuntimeError(f"Dask's workers died at {error}; give them more memory, or use smaller bricks") from error
        finally:
            self._client.cancel(list(completed.futures))


def runner_of(executor: Any, workers: int | None) -> Runner:
    """Converts a user's executor."""
    number = processor_count() if workers is None else workers
    if executor is None or isinstance(executor, str) and executor == "threads":
        return ThreadRunner(number)
    if isinstance(executor, str) and executor == "processes":
        return ProcessRunner(number)
    if isinstance(executor, concurrent.futures.ThreadPoolExecutor):
        raise TypeError("for threads use executor='threads' and workers=")
    if isinstance(executor, concurrent.futures.Executor):
        return PoolRunner(executor, number)
    if type(executor).__module__.partition(".")[0] == "distributed" and hasattr(executor, "submit"):
        if workers is not None:
            raise ValueError("workers= cannot be combined with a client of Dask, which has its own")
        return DaskRunner(executor)
    raise TypeError(
        f"executor={executor!r} is unknown; use 'threads', 'processes', an executor of concurrent.futures, or a client of Dask "
        "distributed"
    )
