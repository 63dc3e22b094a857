# SPDX-License-Identifier: Apache-2.0
"""`cc3d` functions by BrickCCL: connected_components, statistics, dust, largest_k, each, contacts, region_graph
(connected-components-3d 4.1)."""

from ._cc3d_components import dust, each, largest_k, statistics
from ._cc3d_graphs import color_connectivity_graph, contacts, region_graph, voxel_connectivity_graph
from ._cc3d_labels import DimensionError, connected_components

__all__ = [
    "DimensionError",
    "color_connectivity_graph",
    "connected_components",
    "contacts",
    "dust",
    "each",
    "largest_k",
    "region_graph",
    "statistics",
    "voxel_connectivity_graph",
]
