# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that puts the stand-ins in scikit-image's place, once its tests have been collected.

The wheel of scikit-image has no tests. Those of its source archive, unpacked, run in their folder `tests/skimage` by

    python -m pytest -p swapped_skimage -W ignore measure/test_ccomp.py measure/test_label.py measure/test_regionprops.py \\
        morphology/test_misc.py

with this folder in PYTHONPATH.
"""

from swapped_scipy import counted, pytest_terminal_summary  # noqa: F401


def pytest_collection_finish(session):
    import skimage.measure
    import skimage.morphology

    from brickccl.compat import skimage as ours

    modules = {skimage.measure, skimage.morphology, *(item.module for item in session.items)}
    for name in ours.__all__:
        theirs = getattr(skimage.measure, name, None) or getattr(skimage.morphology, name)
        for module in modules:
            for own in [own for own, value in vars(module).items() if value is theirs]:
                setattr(module, own, counted(getattr(ours, name)))
