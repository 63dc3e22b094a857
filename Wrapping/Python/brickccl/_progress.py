# SPDX-License-Identifier: Apache-2.0
"""Progress of work, reported to functions and to bars of tqdm and rich."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Union


class Bar(Protocol):
    """A bar of tqdm, or a Progress of rich."""

    def update(self, *arguments: Any, **named: Any) -> Any: ...


#: A function that gets the fraction that is done.
Hook = Callable[[float], Any]
#: What users give.
Progress = Union[Hook, Bar]


def hook_of(progress: Any) -> Hook | None:
    """A function that the engine calls with the fraction done."""
    if progress is None:
        return None
    if isinstance(progress, type) and hasattr(progress, "update"):
        # The class of a bar: one is made.
        progress = progress(total=1.0)
    if hasattr(progress, "add_task"):
        task = progress.add_task("brickccl", total=1.0)
        return lambda fraction: progress.update(task, completed=fraction)
    if hasattr(progress, "update") and hasattr(progress, "n") and hasattr(progress, "total"):
        return _hook_of_tqdm(progress)
    if not callable(progress):
        raise TypeError(
            f"progress must be a function of the fraction done, a tqdm bar or a Progress of rich, not {progress!r}"
        )
    return progress  # type: ignore[no-any-return]


def _hook_of_tqdm(bar: Any) -> Hook:
    if bar.total is None:
        bar.total = bar.n + 1.0
    begin, whole = bar.n, bar.total - bar.n

    def tell(fraction: float) -> None:
        bar.update(begin + whole * fraction - bar.n)
        if fraction >= 1:
            # It waits between two pictures of itself.
            bar.refresh()

    return tell


def part_of(progress: Hook | None, begin: float, end: float) -> Hook | None:
    """Reports the progress of a part of the work."""
    if progress is None:
        return None
    return lambda fraction: progress(begin + (end - begin) * fraction)
