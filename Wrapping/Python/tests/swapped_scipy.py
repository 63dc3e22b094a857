# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that puts the stand-ins in scipy's place, once its tests have been collected."""


def pytest_collection_finish(session):
    import scipy.ndimage

    from brickccl.compat import scipy as ours

    for name in ours.__all__:
        setattr(scipy.ndimage, name, getattr(ours, name))
