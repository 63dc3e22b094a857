# SPDX-License-Identifier: Apache-2.0
"""The lock of a state's folder, for one process, or for many that do single steps."""

from __future__ import annotations

import errno
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

try:
    import fcntl
except ImportError:  # Windows has no such locks: two processes are not told apart there.
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"


class FolderInUse(RuntimeError):
    """Another process is using the folder of the state."""


@contextmanager
def locked(folder: str, what: str, *, is_alone: bool) -> Iterator[None]:
    """Holds the folder while a step runs. Steps of different bricks share it; all other steps lock it exclusively. The
    system frees the lock when its holder ends. The file stays: removing it would let two holders in.
    """
    if fcntl is None:
        yield
        return
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, LOCK), "a+", encoding="utf-8") as stream:
        _take(stream, folder, fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH)
        _write_holder(stream, f"{what} in process {os.getpid()} on {platform.node()}")
        yield


def _take(stream: IO[str], folder: str, kind: int) -> None:
    assert fcntl is not None
    try:
        fcntl.flock(stream, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
            return  # The file system has no locks.
        stream.seek(0)
        holder = stream.read(500).strip() or "another process"
        raise FolderInUse(
            f"the folder '{folder}' is in use by {holder}; wait, or use another folder as state="
        ) from None


def _write_holder(stream: IO[str], text: str) -> None:
    try:
        stream.truncate(0)
        stream.write(text)
        stream.flush()
    except OSError:
        pass  # It only serves the error of another process.
