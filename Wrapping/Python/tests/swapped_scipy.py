# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that puts the stand-ins in scipy's place, once its tests have been collected. It counts the tests that call
them."""

import functools
import os

reached = set()


def counted(function):
    """The function; it notes the tests that call it."""

    @functools.wraps(function)
    def call(*values, **named):
        reached.add(os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0])
        return function(*values, **named)

    return call


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"{len(reached)} tests call the stand-ins")


def pytest_collection_finish(session):
    import scipy.ndimage

    from brickccl.compat import scipy as ours

    for name in ours.__all__:
        setattr(scipy.ndimage, name, counted(getattr(ours, name)))
