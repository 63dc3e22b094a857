# SPDX-License-Identifier: Apache-2.0
"""Detects changed files by their sizes and times, including times that programs cannot set."""

from __future__ import annotations

import hashlib
import os
from typing import Any


def status_of(path: str) -> dict[str, Any]:
    """The size and time of a file."""
    status = os.stat(path)
    return {"bytes": status.st_size, "changed": status.st_mtime_ns, "moved": _status_change(status)}


def _status_change(status: os.stat_result) -> int:
    """The last change of contents, name or rights of a file. On Windows it is the time of creation."""
    return 0 if os.name == "nt" else status.st_ctime_ns


def digest_of_files(folder: str) -> dict[str, Any]:
    """Sizes and times of a folder's files; except metadata files."""
    digest = hashlib.sha256()
    files = 0
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.startswith((".z", "zarr.json")):
                continue
            files += 1
            status = os.stat(os.path.join(parent, name))
            digest.update(f"{os.path.relpath(parent, folder)}/{name} {status.st_size} {status.st_mtime_ns} {_status_change(status)}\n".encode())
    return {"files": files, "contents": digest.hexdigest()}
