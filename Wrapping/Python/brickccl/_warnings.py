# SPDX-License-Identifier: Apache-2.0
"""Warnings that point at the user's line, however deep in the package they are found."""

from __future__ import annotations

import os
import sys
import warnings

_FOLDER = os.path.dirname(__file__) + os.sep


def warn(text: str) -> None:
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_FOLDER):
        frame = frame.f_back
        level += 1
    warnings.warn(text, UserWarning, stacklevel=level)
