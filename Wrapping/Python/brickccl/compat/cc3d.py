"""`cc3d` functions by BrickCCL: connected_components, statistics, dust, largest_k, each, contacts, region_graph
(connected-components-3d 4.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _engine
from ._engine import Array

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


class DimensionError(Exception):
    """The array has the wrong number of dimensions."""


def _rank(dimension: int, connectivity: int) -> int:
    if dimension not in (1, 2, 3):
        raise DimensionError(f"Only 1D, 2D, and 3D arrays supported. Got: {dimension}")
    known = {2: {4: 1, 6: 1, 8: 2, 18: 2, 26: 2}}.get(dimension, {6: 1, 18: 2, 26: 3})
    if connectivity not in known:
        raise ValueError(f"a {dimension}D image has the connectivities {', '.join(map(str, known))}. Got: {connectivity}")
    return min(known[connectivity], dimension)


def _in_memory_order(array: Array) -> tuple[Array, bool]:
    """The array as it lies in memory, and whether its axes had to be reversed for that."""
    if array.flags.f_contiguous and array.ndim > 1:
        return array.T, True
    return np.ascontiguousarray(array), False


def _count_runs(array: Array) -> int:
    """Runs of equal values other than 0 along the rows of an array in C order: the estimate of labels."""
    runs = np.count_nonzero(array[..., :1])
    for part in array.reshape(-1, array.shape[-1]):
        runs += np.count_nonzero((part[1:] != part[:-1]) & (part[1:] != 0))
    return int(runs)


def _most_of_binary(shape: tuple[int, ...], connectivity: int) -> int:
    """Components that a mask can have at most, as cc3d counts: in blocks of 2 x 2 x 2 voxels."""
    blocks = int(np.prod([size + size % 2 for size in (shape + (1, 1))[:3]]))
    return min(int(np.prod(shape)), blocks // {4: 2, 6: 2, 8: 4, 18: 4, 26: 8}[connectivity] + 1)


def _number_by_blocks(runs: Any, length: int) -> None:
    """Numbers the components of a 2-D mask as cc3d does with 8 neighbours: by their first blocks of 2 x 2 pixels."""
    starts, _, labels = runs.runs()
    blocks = (starts // length // 2) * ((length + 1) // 2) + starts % length // 2
    first = np.full(runs.count + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, labels, blocks)
    numbers = np.empty(runs.count, np.uint64)
    numbers[np.argsort(first[1:], kind="stable")] = np.arange(1, runs.count + 1, dtype=np.uint64)
    runs.renumber(numbers)


def _label_type(out_dtype: Any, most: int) -> np.dtype[Any]:
    if out_dtype is not None:
        chosen: np.dtype[Any] = np.dtype(out_dtype)
        if chosen not in (np.uint16, np.uint32, np.uint64):
            raise ValueError(f"out_dtype is {chosen}; it must be uint16, uint32 or uint64")
        if np.iinfo(chosen).max < most:
            raise ValueError(f"out_dtype {chosen} is too small for the estimated number of labels, {most}")
        return chosen
    if most < np.iinfo(np.uint16).max:
        return np.dtype(np.uint16)
    return np.dtype(np.uint32 if most < np.iinfo(np.uint32).max else np.uint64)


def _difference(delta: Any, dtype: np.dtype[Any]) -> tuple[Any, bool]:
    """The tolerance in the image's own type, and whether it makes everything that is not 0 one."""
    if dtype.kind == "f":
        value, largest = float(delta), float(np.finfo(dtype).max)
        most: float = np.inf
    else:
        value, largest = int(delta), int(np.iinfo(dtype).max)
        most = np.iinfo(np.dtype(f"u{dtype.itemsize}")).max
    if value < 0 or value > most:
        raise OverflowError(f"delta={delta} does not fit {dtype}; it must be at least 0")
    return value, value == largest


def connected_components(
    data: Any,
    max_labels: int = -1,
    connectivity: int = 26,
    return_N: bool = False,
    delta: float = 0,
    out_dtype: Any = None,
    out_file: Any = None,
    periodic_boundary: bool = False,
    binary_image: bool = False,
) -> Any:
    """Labels regions of equal value as `cc3d.connected_components`, numbered as they lie in memory.

    Parameters
    ----------
    data : numpy.ndarray
        Of 1 to 3 dimensions; 0 is background.
    max_labels : int
        Only has a say in the type of the labels.
    connectivity : int, default 26
        6, 18 or 26; in 2-D also 4 and 8.
    return_N : bool
        Also return the number of components.
    delta : number, default 0
        Neighbours that differ by up to so much belong together. Differences of integers are exact.
    out_dtype : dtype, optional
        uint16, uint32 or uint64; if not given, by the number of runs, as cc3d estimates it.
    out_file : str or file object, optional
        The labels are written to this file, mapped to memory.
    periodic_boundary : bool
        Whether all axes go on with their other ends; for connectivity 4, 8 and 6.
    binary_image : bool
        All that is not 0 is one value.

    Returns
    -------
    labels : numpy.ndarray
        In the layout of `data`.
    N : int
        If `return_N`.

    Raises
    ------
    NotImplementedError
        For values that are not a number.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import connected_components
    >>> connected_components(np.array([5, 5, 7, 0, 7]))
    array([1, 1, 2, 0, 3], dtype=uint16)
    """
    if hasattr(data, "cpu"):
        data = data.cpu().numpy()
    rank = _rank(data.ndim, connectivity)
    if periodic_boundary:
        if connectivity not in (4, 8, 6):
            raise ValueError(f"periodic_boundary is not yet implemented for {connectivity}-connectivity.")
    dtype = data.dtype
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise TypeError(f"Type {dtype} is not supported; it must be bool, an integer type, float16, float32 or float64")
    if data.size == 0:
        empty = np.zeros(data.shape, data.dtype if out_dtype is None else out_dtype)
        return (empty, 0) if return_N else empty
    tolerance, is_all = (0, False) if dtype == bool else _difference(delta, dtype)
    if dtype == np.float16 and tolerance != 0:
        raise TypeError("float16 is not supported for continuous images (delta != 0).")
    is_binary = bool(binary_image) or dtype == bool or is_all

    values, is_reversed = _in_memory_order(data)
    if not dtype.isnative:
        values = values.astype(dtype.newbyteorder("="))
    if dtype == np.float16:
        values = values.astype(np.float32)
    if dtype.kind == "f" and not is_binary and np.isnan(values.min()):
        raise NotImplementedError("values that are not a number (NaN) are not supported, but for binary_image=True")
    if is_binary:
        image = values != 0 if dtype.kind == "f" else values
        runs = _engine.find(image, rank, periodic=periodic_boundary)
        if image.ndim == 2 and connectivity == 8:
            _number_by_blocks(runs, image.shape[1])
    elif tolerance == 0:
        runs = _engine.find(values, rank, criterion="equal", periodic=periodic_boundary)
    else:
        runs = _engine.find(values, rank, criterion="tolerance", tolerance=tolerance, periodic=periodic_boundary)

    most = values.size if max_labels <= 0 else min(max_labels, values.size)
    if is_binary:
        most = min(most, _most_of_binary(data.shape, connectivity))
    elif most >= np.iinfo(np.uint16).max or out_dtype is not None:
        most = min(most, runs.run_count if tolerance == 0 else _count_runs(values))
    # Some bounds of cc3d are too low, and it fails then.
    label_type = _label_type(out_dtype, max(most, runs.count))
    if out_file is None:
        labels = _engine.write(runs, values.shape, label_type)
    else:
        labels = _map_file(out_file, label_type, values.shape)
        runs.write(labels)
    result = labels.T if is_reversed else labels
    return (result, runs.count) if return_N else result


def _map_file(out_file: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    if isinstance(out_file, str):
        return np.memmap(out_file, dtype=dtype, mode="w+", shape=shape)
    out_file.truncate(int(np.prod(shape)) * dtype.itemsize)
    return np.memmap(out_file, dtype=dtype, mode="r+", shape=shape)


def _integer_labels(labels: Array) -> Array:
    if labels.dtype.kind not in "biu" or not labels.dtype.isnative or labels.ndim not in (1, 2, 3):
        raise TypeError(f"labels of {labels.dtype} with {labels.ndim} dimensions; they must be integers of 1 to 3 dimensions")
    return labels


def statistics(out_labels: Array, no_slice_conversion: bool = False) -> dict[str, Any]:
    """Counts, bounding boxes and centroids of labels as `cc3d.statistics`; row 0 is the background.

    Parameters
    ----------
    out_labels : numpy.ndarray of int
        Labels from 0 up to the number of voxels.
    no_slice_conversion : bool
        Bounding boxes as an array of first and last indices instead of slices.

    Returns
    -------
    dict
        `voxel_counts`, `bounding_boxes`, `centroids`; a label that does not exist has no box (None) and no centroid
        (NaN).

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import statistics
    >>> statistics(np.array([[0, 1], [1, 1]]))["voxel_counts"]
    array([1, 3], dtype=uint32)
    """
    labels = _integer_labels(out_labels)
    if labels.size == 0:
        return {"voxel_counts": None, "bounding_boxes": None, "centroids": None}
    if labels.ndim == 1:
        labels = labels[:, np.newaxis]
    largest, smallest = int(labels.max()), int(labels.min())
    if largest > labels.size:
        raise ValueError(f"the largest label, {largest}, is above the number of voxels, {labels.size}")
    if smallest < 0:
        raise ValueError(f"there is a label below 0: {smallest}")
    dimension = labels.ndim
    counts = np.zeros(largest + 1, np.uint32)
    centroids = np.full((largest + 1, dimension), np.nan)
    index = np.dtype("u2" if max(labels.shape) < 2**16 else "u4")
    bounds = np.zeros((largest + 1, 2 * dimension), index)
    bounds[:, 0::2] = 2 ** (8 * index.itemsize) - 1
    axes = "xyz"[:dimension][::-1]
    for image, offset in ((labels, 0), (labels == 0, -1)):
        table = _engine.measure(image)[1].columns()
        rows = table["label"].astype(np.intp) + offset
        counts[rows] = table["voxel_count"]
        low, high = _engine.boxes(table, dimension)
        bounds[rows, 0::2] = low
        bounds[rows, 1::2] = high
        centroids[rows] = np.stack([table[f"centroid_{axis}"] for axis in axes], axis=1)
    found: Any = bounds
    if not no_slice_conversion:
        found = [
            tuple(slice(row[2 * axis], row[2 * axis + 1] + 1) for axis in range(dimension)) if count else None
            for row, count in zip(bounds.tolist(), counts.tolist())
        ]
    return {"voxel_counts": counts, "bounding_boxes": found, "centroids": centroids}


def _sizes(labels: Array, count: int) -> Array:
    """Voxels of the labels 0..count; that of 0 is not counted."""
    sizes = np.zeros(count + 1, np.int64)
    table = _engine.measure(_integer_labels(labels))[1].columns()
    sizes[table["label"].astype(np.intp)] = table["voxel_count"]
    return sizes


def dust(
    img: Array,
    threshold: Any,
    connectivity: int = 26,
    in_place: bool = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
    invert: bool = False,
    return_N: bool = False,
) -> Any:
    """Removes components below a size as `cc3d.dust`; what stays keeps its values.

    Parameters
    ----------
    img : numpy.ndarray
    threshold : number or (low, high)
        Components of fewer voxels go; or those outside low <= size < high.
    connectivity, binary_image
        As for `connected_components`.
    in_place : bool
        Change `img` itself.
    precomputed_ccl : bool
        The image already is a label map.
    invert : bool
        Remove the others.
    return_N : bool
        Also return how many components stay.

    Returns
    -------
    image : numpy.ndarray
        Of the type of `img`.
    N : int
        If `return_N`.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import dust
    >>> dust(np.array([4, 4, 0, 9]), 2)
    array([4, 4, 0, 0])
    """
    if precomputed_ccl:
        labels, count = img, int(img.max()) if img.size else 0
    else:
        labels, count = connected_components(img, connectivity=connectivity, return_N=True, binary_image=binary_image)
    result = img if in_place else img.copy(order="K")
    sizes = _sizes(labels, count) if img.size else np.zeros(count + 1, np.int64)
    if isinstance(threshold, (tuple, list)):
        stays = (sizes >= threshold[0]) & (sizes < threshold[1])
    else:
        stays = sizes >= threshold
    if invert:
        stays = ~stays
    stays[0] = True
    if not stays.all():
        result[~stays[labels]] = 0
    return (result, int(stays[1:].sum())) if return_N else result


def largest_k(
    img: Array,
    k: int,
    connectivity: int = 26,
    delta: float = 0,
    return_N: bool = False,
    binary_image: bool = False,
    precomputed_ccl: bool = False,
) -> Any:
    """The k largest components as `cc3d.largest_k`: a mask for k = 1, else labels that ascend with size.

    Parameters
    ----------
    img : numpy.ndarray
    k : int
        At least 0. If there are no more than that, the labels stay as they are.
    connectivity, delta, binary_image
        As for `connected_components`.
    return_N : bool
        Also return how many there are.
    precomputed_ccl : bool
        The image already is a label map.

    Returns
    -------
    labels : numpy.ndarray
        Of components of equal size, those with the lower labels are taken first.
    N : int
        If `return_N`.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import largest_k
    >>> largest_k(np.array([1, 0, 1, 1, 0, 1, 1, 1]), k=2)
    array([0, 0, 1, 1, 0, 2, 2, 2], dtype=uint16)
    """
    if k < 0:
        raise AssertionError(f"k={k} must be at least 0")
    if k == 0:
        nothing = np.zeros(img.shape, np.uint16, order="C" if img.flags.c_contiguous else "F")
        return (nothing, 0) if return_N else nothing
    if precomputed_ccl:
        labels, count = img.copy(), int(img.max()) if img.size else 0
    else:
        labels, count = connected_components(
            img, connectivity=connectivity, return_N=True, delta=delta, binary_image=binary_image
        )
    if count <= k:
        return (labels, count) if return_N else labels
    sizes = _sizes(labels, count)[1:]
    if k == 1:
        mask = labels == np.argmax(sizes) + 1
        return (mask, 1) if return_N else mask
    chosen = np.sort(np.argsort(-sizes, kind="stable")[:k])
    numbers = np.zeros(count + 1, labels.dtype)
    numbers[chosen[np.argsort(sizes[chosen], kind="stable")] + 1] = np.arange(1, k + 1)
    result = numbers[labels] if labels.flags.c_contiguous else numbers[labels.T].T
    return (result, k) if return_N else result


def each(labels: Array, binary: bool = False, in_place: bool = False) -> Iterator[tuple[int, Array]]:
    """Each label with an image of it as `cc3d.each`, ascending.

    Parameters
    ----------
    labels : numpy.ndarray of unsigned int
    binary : bool
        Masks instead of images of the labels' type.
    in_place : bool
        One image for all, which cannot be written and is good until the next one.

    Yields
    ------
    (int, numpy.ndarray)

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import each
    >>> [(label, int(image.sum())) for label, image in each(np.array([2, 2, 5], np.uint8), binary=True)]
    [(2, 2), (5, 1)]
    """
    if labels.dtype.kind != "u":
        raise TypeError(f"labels of {labels.dtype}; they must be of an unsigned type")
    return _each(_integer_labels(labels), np.dtype(bool) if binary else labels.dtype, in_place)


def _each(labels: Array, dtype: np.dtype[Any], in_place: bool) -> Iterator[tuple[int, Array]]:
    if labels.size == 0:
        return
    values, is_reversed = _in_memory_order(labels)
    runs, native = _engine.measure(values)
    offsets, indices = runs.voxels()
    image = np.zeros(values.shape, dtype)
    for place, label in enumerate(native.columns()["label"].tolist()):
        own = indices[offsets[place] : offsets[place + 1]]
        if not in_place:
            image = np.zeros(values.shape, dtype)
        image.reshape(-1)[own] = True if dtype == bool else label
        shown = image.T if is_reversed else image[...]
        if in_place:
            shown = shown.view()
            shown.flags.writeable = False
        yield label, shown
        if in_place:
            image.reshape(-1)[own] = 0


def contacts(
    labels: Array, connectivity: int = 26, surface_area: bool = True, anisotropy: Any = (1, 1, 1)
) -> dict[tuple[int, int], float]:
    """Areas in which labels touch as `cc3d.contacts`, through faces: of connectivity 6 (in 2-D 4) alone.

    Parameters
    ----------
    labels : numpy.ndarray of int
    connectivity : int
        6, in 2-D also 4. Others, which also tell of edges and corners, raise NotImplementedError.
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
    """Pairs of labels that touch as `cc3d.region_graph`, through faces: of connectivity 6 (in 2-D 4) alone.

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
    if labels.dtype.kind not in "iu" or not labels.dtype.isnative:
        raise TypeError(f"labels of {labels.dtype}; they must be integers")
    if _rank(labels.ndim, connectivity) != 1 or (labels.ndim != 2 and connectivity != 6):
        raise NotImplementedError(f"contacts of connectivity {connectivity} are not supported; those through faces are: 6 (in 2-D 4)")
    if labels.size == 0:
        return {name: np.zeros(0, np.int64) for name in ("label_1", "label_2", "faces", "area")}
    weights = [float(weight) for weight in anisotropy][: labels.ndim]
    return _engine.measure(labels, groups="neighbours", spacing=weights)[1].contacts()


def _as_volume(array: Array, connectivity: int) -> Array:
    """Of fewer dimensions, what is asked for 6, 18 or 26 neighbours is a volume of one element along the other axes."""
    return array.reshape(array.shape + (1,) * (3 - array.ndim)) if connectivity in (6, 18, 26) else array


def voxel_connectivity_graph(data: Array, connectivity: int = 26) -> Array:
    """The directions in which neighbours have the same value as `cc3d.voxel_connectivity_graph`.

    Parameters
    ----------
    data : numpy.ndarray of bool or int
        Of 1 to 3 dimensions; 0 is a value as others are.
    connectivity : int, default 26
        6, 18 or 26; in 2-D also 4 and 8.

    Returns
    -------
    numpy.ndarray
        In Fortran order, with the first axis as x: uint8 for 4, 8 and 6, uint32 for 18 and 26. `brickccl.voxel_graph` tells
        the order of bits. Bits of directions out of the array are set.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import voxel_connectivity_graph
    >>> voxel_connectivity_graph(np.array([[1, 1], [2, 1]]), connectivity=4)
    array([[14, 15],
           [ 9,  7]], dtype=uint8)
    """
    _rank(data.ndim, connectivity)
    if data.dtype.kind not in "biu":
        raise TypeError(f"Type {data.dtype} not currently supported.")
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
    """Labels the components of a graph of voxels as `cc3d.color_connectivity_graph`; there is no background.

    Parameters
    ----------
    vcg : numpy.ndarray of uint8 or uint32
        What `voxel_connectivity_graph` gives, of 2 or 3 dimensions.
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
        If only one of two neighbours has the bit towards the other; cc3d looks at one of the two.

    Examples
    --------
    >>> import numpy as np
    >>> from brickccl.compat.cc3d import color_connectivity_graph
    >>> color_connectivity_graph(np.array([[14, 15], [9, 7]], np.uint8), connectivity=4)
    array([[1, 1],
           [2, 1]], dtype=uint32)
    """
    if vcg.ndim not in (2, 3):
        raise DimensionError(f"Only 2D, and 3D arrays supported. Got: {vcg.ndim}")
    if connectivity not in ((4, 6, 8, 26) if vcg.ndim == 2 else (6, 26)):
        raise ValueError(f"a graph of {vcg.ndim} dimensions is not labeled with connectivity {connectivity}")
    if vcg.dtype not in (np.uint8, np.uint32):
        raise ValueError(f"Only uint8 and uint32 are supported. Got: {vcg.dtype}")
    is_plane = vcg.ndim == 2 or (vcg.shape[2] == 1 and vcg.dtype == np.uint8)
    if not is_plane and connectivity == 26 and vcg.dtype == np.uint8:
        raise ValueError(f"Only uint32 is supported for 18 and 26 connected. Got: {vcg.dtype}")
    if vcg.size == 0:
        empty = np.zeros(vcg.shape, np.uint32)
        return (empty, 0) if return_N else empty
    neighbours = connectivity
    graph = vcg
    if is_plane:
        graph = vcg.reshape(vcg.shape[:2])
        # A graph of a volume has bits that one of a plane lacks: of its edges out of the plane.
        is_of_volume = vcg.dtype == np.uint32 and bool((vcg >> np.uint32(8)).any())
        has_diagonals = is_of_volume or bool((vcg & np.array(0xC0, vcg.dtype)).any())
        neighbours = 8 if connectivity in (8, 26) and has_diagonals else 4
        if is_of_volume:
            graph = graph[:, :, np.newaxis]
            neighbours = 26 if neighbours == 8 else 6
    runs = _engine.find_in_graph(np.ascontiguousarray(graph.T), neighbours)
    labels = _engine.write(runs, graph.T.shape, np.uint32).T.reshape(vcg.shape, order="F")
    return (labels, runs.count) if return_N else labels
