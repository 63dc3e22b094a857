# SPDX-License-Identifier: Apache-2.0
"""The folder that keeps the work from step to step."""

from __future__ import annotations

import json
import os
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._lock import LOCK

#: The version of the folder's layout.
FORMAT = 2
#: Contents of the folder: folders with a file for each brick.
FOLDERS = ("records", "runs", "maps", "counts", "written")


class DamagedState(ValueError):
    """A file of the state is damaged or missing."""


class State:
    """Files that are complete or missing, even if a writer is killed."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.path.abspath(os.fspath(folder))

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def make(self) -> None:
        for name in FOLDERS:
            os.makedirs(self.path(name), exist_ok=True)

    def check_empty(self) -> None:
        """Raises if the folder has lost its plan, or belongs to something else."""
        for parent, folders, files in os.walk(self.folder) if os.path.isdir(self.folder) else ():
            is_top = parent == self.folder
            strange = [name for name in folders if not is_top or name not in FOLDERS]
            strange += [name for name in files if not is_top or name != LOCK and not name.endswith(".part")]
            if strange:
                raise FileExistsError(
                    f"the folder '{self.folder}' has no plan, but '{os.path.join(parent, strange[0])}' is in it; use an "
                    "empty folder as state=, and never remove single files of it"
                )

    def has(self, name: str) -> bool:
        return os.path.exists(self.path(name))

    def names(self, folder: str) -> set[str]:
        """The names of the files in a folder."""
        with os.scandir(self.path(folder)) as entries:
            return {entry.name for entry in entries}

    def read(self, name: str) -> bytes:
        with open(self.path(name), "rb") as stream:
            return stream.read()

    def write(self, name: str, data: bytes) -> None:
        target = self.path(name)
        temporary = f"{target}.{uuid.uuid4().hex}.part"
        try:
            with open(temporary, "wb") as stream:
                stream.write(data)
            os.replace(temporary, target)
        except BaseException as error:
            with suppressed_os_errors():
                os.unlink(temporary)
            if isinstance(error, OSError) and error.filename is None:
                raise type(error)(error.errno, error.strerror, target) from error
            raise

    def _damaged(self, name: str, why: str) -> DamagedState:
        return DamagedState(
            f"the file '{self.path(name)}' is damaged: {why}; remove the whole folder '{self.folder}' (not only this file) "
            "and start again"
        )

    def remove(self, name: str) -> None:
        with suppressed_os_errors():
            os.unlink(self.path(name))

    def write_json(self, name: str, value: dict[str, Any]) -> None:
        self.write(name, json.dumps({**value, "checksum": _checksum(value)}, indent=1).encode())

    def read_json(self, name: str) -> dict[str, Any]:
        try:
            value: dict[str, Any] = json.loads(self.read(name))
            checksum = value.pop("checksum")
        except (ValueError, KeyError, AttributeError, TypeError):
            raise self._damaged(name, "it is not a JSON object with a checksum") from None
        if checksum != _checksum(value):
            raise self._damaged(name, "its checksum is wrong")
        return value


@contextmanager
def suppressed_os_errors() -> Iterator[None]:
    try:
        yield
    except OSError:
        pass


def _checksum(value: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(value, sort_keys=True).encode())


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Errors name their brick."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise type(error)(f"{what}: {error}") from error
        raise type(error)(error.errno, f"{what}: {error.strerror}", error.filename) from error
    except (DamagedState, ValueError, TypeError, RuntimeError, MemoryError) as error:
        kind = type(error) if type(error).__module__ in ("builtins", __name__) else RuntimeError
        if kind in (UnicodeDecodeError, UnicodeEncodeError):
            kind = ValueError
        raise kind(f"{what}: {error}") from error
