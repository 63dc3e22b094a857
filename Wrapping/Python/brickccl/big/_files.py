"""What tells whether files have changed: their sizes and times."""

from __future__ import annotations

import hashlib
import os
from typing import Any


def status_of(path: str) -> dict[str, Any]:
    """The size and time of a file."""
    status = os.stat(path)
    return {"bytes": status.st_size, "changed": status.st_mtime_ns}


def digest_of_files(folder: str) -> dict[str, Any]:
    """Sizes and times of a folder's files; metadata files are left out."""
    digest = hashlib.sha256()
    files = 0
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.startswith((".z", "zarr.json")):
                continue
            files += 1
            status = os.stat(os.path.join(parent, name))
            digest.update(f"{os.path.relpath(parent, folder)}/{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return {"files": files, "contents": digest.hexdigest()}
