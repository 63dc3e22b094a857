# SPDX-License-Identifier: Apache-2.0
"""`cc3d` functions of contacts: contacts, region_graph, and graphs of voxels."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._volume import float_of
from . import _engine
from ._cc3d_labels import DimensionError, plain, rank_of
from ._engine import Array


def contacts(
    labels: Array, connectivity: int = 26, surface_area: bool = True, anisotropy: Any = (1, 1, 1)
) -> dict[tuple[int, int], float]:
    """Contact areas of labels like `cc3d.contacts`, only through faces (connectivity 6, in 2-D 4).

    Parameters
    ----------
    labels : numpy.ndarray of int
    connectivity : int
        6, in 2-D also 4. Others (edges and corners) raise NotImplementedError.
    surface_area : bool, default True
        Areas, or the number of faces.
    anisotropy : sequence of float
        Size of a voxel along the array's axes.

    Returns
    -------
    dict
        From (lower label, higher label) to a float.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import contacts
    >>> contacts(np.array([[1, 1], [2, 0]]), connectivity=4)
    {(1, 2): 1.0}
    """
    columns = _contacts(labels, connectivity, anisotropy)
    values = columns["area"] if surface_area else columns["faces"].astype(float)
    return dict(zip(zip(columns["label_1"].tolist(), columns["label_2"].tolist()), values.tolist()))


def region_graph(labels: Array, connectivity: int = 26) -> set[tuple[int, int]]:
    """Pairs of touching labels like `cc3d.region_graph`, only through faces (connectivity 6, in 2-D 4).

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import region_graph
    >>> region_graph(np.array([[1, 1], [2, 0]]), connectivity=4)
    {(1, 2)}
    """
    columns = _contacts(labels, connectivity, (1, 1, 1))
    return set(zip(columns["label_1"].tolist(), columns["label_2"].tolist()))


def _contacts(labels: Array, connectivity: int, anisotropy: Any) -> dict[str, Array]:
    labels = plain(labels)
    if labels.dtype.kind not in "biu" or not labels.dtype.isnative:
        raise TypeError(f"labels of {labels.dtype}; they must be integers")
    if labels.dtype == bool:
        labels = labels.view(np.uint8)
    is_flat = connectivity in (4, 8)
    if labels.ndim == 1 and connectivity == 4:
        connectivity = 6
    if rank_of(labels.ndim, connectivity) != 1 or (labels.ndim != 2 and connectivity != 6):
        raise NotImplementedError(
            f"contacts of connectivity {connectivity} are not supported, only contacts through faces: 6 (in 2-D 4)"
        )
    if labels.size == 0:
        return {name: np.zeros(0, np.int64) for name in ("label_1", "label_2", "faces", "area")}
    # As there, lines and planes are volumes of one voxel, but with 4 neighbors; sizes that are not given are 1.
    weights = ([float_of(weight) for weight in anisotropy] + [1.0, 1.0, 1.0])[: 2 if is_flat else 3] + [1.0] * is_flat
    known: Array | None = None
    if labels.min() < 0:
        # The engine has no labels below 0: numbers of the same order mean all, 0 means itself.
        known, numbers = np.unique(np.append(labels, 0), return_inverse=True)
        numbers = numbers[:-1].reshape(labels.shape) + 1
        labels = np.where(labels == 0, 0, numbers)
    volume = labels.reshape(labels.shape + (1,) * (3 - labels.ndim))
    found = _engine.measure(volume, groups="neighbors", spacing=weights)[1].contacts()
    if known is not None:
        found |= {name: known[found[name] - 1] for name in ("label_1", "label_2")}
    return found


def _as_volume(array: Array, connectivity: int) -> Array:
    """With fewer dimensions, 6, 18 or 26 neighbors mean a volume of one element along the other axes."""
    return array.reshape(array.shape + (1,) * (3 - array.ndim)) if connectivity in (6, 18, 26) else array


def voxel_connectivity_graph(data: Array, connectivity: int = 26) -> Array:
    """The directions in which neighbors have the same value, like `cc3d.voxel_connectivity_graph`.

    Parameters
    ----------
    data : numpy.ndarray of bool or int
        1 to 3 dimensions; 0 is an ordinary value.
    connectivity : int, default 26
        6, 18 or 26; in 2-D also 4 and 8.

    Returns
    -------
    numpy.ndarray
        In Fortran order, with the first axis as x: uint8 for 4, 8 and 6, uint32 for 18 and 26. See `brickccl.voxel_graph` for
        the order of bits. Bits of directions out of the array are set.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import voxel_connectivity_graph
    >>> voxel_connectivity_graph(np.array([[1, 1], [2, 1]]), connectivity=4)
    array([[14, 15],
           [ 9,  7]], dtype=uint8)
    """
    data = plain(data)
    rank_of(data.ndim, connectivity)
    if data.dtype.kind not in "biu":
        raise TypeError(f"the image is of type {data.dtype}; it must be bool or an integer type")
    dtype = np.uint32 if connectivity in (18, 26) else np.uint8
    if data.size == 0:
        return np.zeros(data.shape, dtype)
    values = np.ascontiguousarray(_as_volume(data, connectivity).T)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    graph = np.empty(values.shape, dtype)
    _engine.write_graph(values, graph, connectivity)
    return graph.T.reshape(data.shape, order="F")


def color_connectivity_graph(vcg: Array, connectivity: int = 26, return_N: bool = False) -> Any:
    """Labels the components of a graph of voxels like `cc3d.color_connectivity_graph`; there is no background.

    Parameters
    ----------
    vcg : numpy.ndarray of uint8 or uint32
        The result of `voxel_connectivity_graph`, with 2 or 3 dimensions.
    connectivity : int, default 26
        6 or 26; in 2-D also 4 and 8.
    return_N : bool
        Also return the number of components.

    Returns
    -------
    labels : numpy.ndarray of uint32
        In Fortran order.
    N : int
        If `return_N`.

    Raises
    ------
    ValueError
        If only one of two neighbors has the bit towards the other; cc3d checks only one of the two.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import color_connectivity_graph
    >>> color_connectivity_graph(np.array([[14, 15], [9, 7]], np.uint8), connectivity=4)
    array([[1, 1],
           [2, 1]], dtype=uint32)
    """
    vcg = plain(vcg)
    if vcg.ndim not in (2, 3):
        raise DimensionError(f"Only 2D, and 3D arrays supported. Got: {vcg.ndim}")
    if connectivity not in ((4, 6, 8, 26) if vcg.ndim == 2 else (6, 26)):
        raise ValueError(f"a graph of {vcg.ndim} dimensions cannot be labeled with connectivity {connectivity}")
    if vcg.dtype not in (np.uint8, np.uint32):
        raise ValueError(f"Only uint8 and uint32 are supported. Got: {vcg.dtype}")
    is_plane = vcg.ndim == 2 or (vcg.shape[2] == 1 and vcg.dtype == np.uint8)
    if not is_plane and connectivity == 26 and vcg.dtype == np.uint8:
        raise ValueError(f"Only uint32 is supported for 18 and 26 connected. Got: {vcg.dtype}")
    if vcg.size == 0:
        empty = np.zeros(vcg.shape, np.uint32)
        return (empty, 0) if return_N else empty
    neighbors = connectivity
    graph = vcg
    if is_plane:
        graph = vcg.reshape(vcg.shape[:2])
        # A graph of a volume has bits that one of a plane lacks: of its edges out of the plane.
        is_of_volume = vcg.dtype == np.uint32 and bool((vcg >> np.uint32(8)).any())
        has_diagonals = is_of_volume or bool((vcg & np.array(0xC0, vcg.dtype)).any())
        neighbors = 8 if connectivity in (8, 26) and has_diagonals else 4
        if is_of_volume:
            graph = graph[:, :, np.newaxis]
            neighbors = 26 if neighbors == 8 else 6
    runs = _engine.find_in_graph(np.ascontiguousarray(graph.T), neighbors)
    labels = _engine.write(runs, graph.T.shape, np.uint32).T.reshape(vcg.shape, order="F")
    return (labels, runs.count) if return_N else labels
