# SPDX-License-Identifier: Apache-2.0
"""Connected components of CT and medical volumes: label them, filter them, measure them.

`label` returns a label map; `find` returns a `Labeling`, which makes label maps, tables and lists on request.
`brickccl.compat` has functions with the arguments and results of scipy, scikit-image and cc3d.
"""

from typing import TYPE_CHECKING

from ._core import version as __version__
from ._clean import CleanedClass, clean, fill_holes, sweep
from ._device import release_device_memory
from ._device_labeling import DeviceLabeling
from ._graph import label_graph, voxel_graph
from ._label import find, label
from ._labeling import Component, Labeling, Runs, VoxelLists
from ._measure import columns, components, contacts, info, relabel, select, statistics
from ._output import release_memory
from ._phantom import phantom
from ._split import SplitObjects, distance, morph, split
from ._table import ColumnDescription, Table, merge_tables

if TYPE_CHECKING:
    from ._run import RunResult, run
    from ._view import Viewer, view
else:

    def __getattr__(name):
        """The modules `big`, `compat` and `io`, and what calls the command, once they are asked for."""
        from importlib import import_module

        if name in ("big", "compat", "io"):
            return import_module(f"{__name__}.{name}")
        modules = {"Viewer": "_view", "view": "_view", "RunResult": "_run", "run": "_run"}
        if name in modules:
            return getattr(import_module(f"{__name__}.{modules[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "CleanedClass",
    "ColumnDescription",
    "Component",
    "DeviceLabeling",
    "Labeling",
    "RunResult",
    "Runs",
    "SplitObjects",
    "Table",
    "Viewer",
    "VoxelLists",
    "__version__",
    "clean",
    "columns",
    "components",
    "contacts",
    "distance",
    "fill_holes",
    "find",
    "info",
    "label",
    "label_graph",
    "merge_tables",
    "morph",
    "phantom",
    "release_device_memory",
    "release_memory",
    "relabel",
    "run",
    "select",
    "split",
    "statistics",
    "sweep",
    "view",
    "voxel_graph",
]
