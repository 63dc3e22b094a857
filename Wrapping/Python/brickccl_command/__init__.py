# SPDX-License-Identifier: Apache-2.0
"""The command ``brickccl``, a program in this folder. It is not in `brickccl`, since numpy takes longer to import than to label."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn


#: Where the program is, if the package was built with it.
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "brickccl")


def main() -> NoReturn:
    if not os.path.exists(PROGRAM):
        sys.exit(
            "brickccl: this Python package was built without the command; install its wheel, or build the package with "
            "--config-settings cmake.define.BRICKCCL_PYTHON_COMMAND=ON"
        )
    # Python ignores these two, and programs inherit that.
    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    os.execv(PROGRAM, ["brickccl", *sys.argv[1:]])
