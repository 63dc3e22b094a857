# SPDX-License-Identifier: Apache-2.0
"""Labeling of arrays and images."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from . import _core
from ._arguments import DEFAULTS, Array, LabelArguments, complete, shows_label_arguments
from ._device import Task, exchanged, is_on_device, on_host
from ._device import label as label_on_device
from ._device_slabs import are_slabs, label_slabs, refuse
from ._filter import filter_of
from ._labeling import Labeling, with_voxels
from ._output import new_array
from ._rules import criterion_of, limits_of, narrow_float_of, rules_of
from ._split import is_split, split_height
from ._table import Table
from ._progress import part_of
from ._volume import Volume, as_volume, count_of, voxels

if TYPE_CHECKING:
    from typing_extensions import Unpack


@shows_label_arguments
def find(image: Any, *, start: Sequence[int] | None = None, **arguments: Unpack[LabelArguments]) -> Labeling:
    """Finds connected components and keeps them as runs, without a label map.

    Parameters
    ----------
    start : sequence of int, optional
        The index of the first voxel in a larger image, for `merge_tables`.

    Other Parameters
    ----------------
    connectivity, range, mask, order, minimum_size, minimum_volume, largest, spacing, criterion, background, tolerance, box, \
by_slice, neighborhood, periodic, maximum_size, seeds, clear_border, touching, fill_holes, split, device, algorithm, threads, \
progress
        As for `label`.

    Returns
    -------
    Labeling
        For an array of CuPy or PyTorch on a CUDA device a `DeviceLabeling`, which stays there.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> brickccl.find(np.eye(4), connectivity=8).count
    1
    """
    given = {**complete("find", arguments), "image": image, "start": start}
    progress = given["progress"]
    if type(image) is not np.ndarray and is_on_device(image) and given["device"] != "cpu":
        from ._device_labeling import DeviceLabeling

        task = _task_on_device(given)
        labeling = DeviceLabeling(task)
        if progress is not None:
            progress(1.0)
        return labeling
    return _find(given, start, progress)


#: Arguments that are for images on the host, and how they are when they are not given.
_ON_HOST: dict[str, Any] = {"start": None} | {
    name: value
    for name, value in DEFAULTS.items()
    if name in ("neighborhood", "periodic", "box", "seeds", "clear_border", "touching", "fill_holes", "split")
}


def _find(given: Mapping[str, Any], start: Any, progress: Any) -> Labeling:
    """Labels the image in these arguments of `label` on the host."""
    image, device = given["image"], given["device"]
    if device == "cpu" and type(image) is not np.ndarray and is_on_device(image):
        volume, given = on_host(given)
    elif isinstance(image, np.ndarray) and image.size == 0:
        voxels(with_voxels(image), "the image")
        volume, given = Volume(image, image), {**given, "mask": None, "box": None, "touching": None}
    else:
        volume = as_volume(image)
    spacing = given["spacing"]
    mask, geometry = _mask_of(volume, given["mask"], given["box"]), volume.geometry(spacing, start)
    if is_split(given["split"]):
        runs, parents = _find_objects(volume, given, mask, geometry, progress)
        given = {**given, "parents": parents}
    else:
        kept = (given["seeds"], given["clear_border"], given["touching"], given["fill_holes"])
        array, rules = with_voxels(volume.array), _rules(volume, given)
        runs = _core.find(array, mask, rules, geometry, progress, filter_of(volume, kept, spacing))
    if device != "auto" and runs.remark:
        warnings.warn(runs.remark, RuntimeWarning, stacklevel=3)
    return Labeling(runs, volume, given)


#: Arguments of components that all stay until they are split.
_UNLIMITED: dict[str, Any] = {
    name: value
    for name, value in DEFAULTS.items()
    if name in ("order", "minimum_size", "maximum_size", "minimum_volume", "largest")
}


def _find_objects(
    volume: Volume, given: Mapping[str, Any], mask: Any, geometry: _core.Geometry, progress: Any
) -> tuple[_core.LabeledRuns, np.ndarray[Any, Any]]:
    """The objects of components, and the component that each is a part of."""
    height, spacing = split_height(given["split"]), given["spacing"]
    rules = _rules(volume, {**given, **_UNLIMITED})
    of_objects = _rules(volume, {**given, "criterion": "equal-value", "background": 0, "range": None, "tolerance": None})
    filled = filter_of(volume, (None, False, None, given["fill_holes"]), spacing)
    kept = filter_of(volume, (given["seeds"], given["clear_border"], given["touching"], False), spacing)
    found = _core.find(with_voxels(volume.array), mask, rules, geometry, part_of(progress, 0, 0.3), filled)
    components, objects = (new_array(with_voxels(volume.array).shape, np.uint32) for _ in range(2))
    found.write(components)
    _core.split(components, objects, rules, height, None, None, geometry, part_of(progress, 0.3, 0.8))
    runs = _core.find(objects, mask, of_objects, geometry, part_of(progress, 0.8, 1), kept)
    parents = Table(runs.measure(components))["intensity_min"].astype(np.uint32)
    return runs, parents


def _mask_of(volume: Volume, mask: Any, box: Any) -> np.ndarray[Any, Any] | None:
    """The mask for the engine: the voxels of the mask that are in the box."""
    masked = volume.companion("mask", mask)
    if box is None:
        return masked
    slices = box if isinstance(box, tuple) else (box,)
    if not all(isinstance(one, slice) or one is Ellipsis for one in slices):
        raise TypeError(f"box must be slices such as np.s_[10:60, :, 20:80], not {box!r}")
    shape = volume.array.shape[:: -1 if volume.is_reversed else 1]
    inside = np.zeros(shape, np.bool_)
    try:
        inside[slices] = True
    except IndexError as error:
        raise ValueError(f"box does not fit the image, whose shape is {shape}: {error}") from None
    if not inside.any():
        raise ValueError(f"box={box!r} has no voxel of the image, whose shape is {shape}")
    if volume.is_reversed:
        inside = np.ascontiguousarray(inside.T)
    return inside if masked is None else inside & (masked != 0)


def remark_on(device: str) -> str:
    """Why `label` does not run on a device; empty if it does."""
    volume = as_volume(np.zeros(1, np.uint8))
    rules = rules_of(volume, device=device)
    return _core.find(volume.array, None, rules, volume.geometry(None, None), None, None).remark


def _rules(volume: Volume, given: Mapping[str, Any]) -> _core.Rules:
    if given["minimum_volume"] is not None and volume.in_voxels(given["spacing"]):
        raise ValueError("minimum_volume is in mm^3 and needs spacing=")
    return rules_of(
        volume,
        criterion_of(
            given["criterion"], given["range"], given["background"], given["tolerance"], narrow_float_of(volume)
        ),
        given["connectivity"],
        given["by_slice"],
        given["neighborhood"],
        given["periodic"],
        limits_of(given["order"], given["minimum_size"], given["maximum_size"], given["minimum_volume"], given["largest"]),
        given["algorithm"],
        given["device"],
        given["threads"],
    )


def _task_on_device(given: Mapping[str, Any]) -> Task:
    """The task of an image on a device, with these arguments of `label`."""
    image = given["image"]
    for name, nothing in _ON_HOST.items():
        value = given.get(name, nothing)
        if np.size(value) > 0 if name == "periodic" else value is not nothing and value is not False:
            raise NotImplementedError(
                f"{name}= is not available for arrays on a GPU; use device='cpu', which labels on the host and copies the "
                "labels back"
            )
    return Task(image, _rules(Volume(image, image), given), given["mask"], given["spacing"], given["device"])


#: The arguments of `label` that slabs on devices do not have, and how they are when they are not given.
_OF_SLABS: dict[str, Any] = {"return_table": False} | {
    name: value
    for name, value in DEFAULTS.items()
    if name in _ON_HOST
    or name in ("order", "minimum_size", "maximum_size", "minimum_volume", "largest", "device")
}


def _device_of(device: str, devices: Sequence[int]) -> str:
    """The name of several CUDA devices."""
    if device != "auto":
        raise ValueError(f"both device={device!r} and devices={devices!r} were given; use only one of them")
    numbers = [count_of("devices", number) for number in devices]
    if not numbers:
        raise ValueError("devices=[] is empty; give at least one device")
    return "cuda:" + ",".join(str(number) for number in numbers)


@overload
def label(
    image: Array,
    *,
    dtype: Any = ...,
    devices: Sequence[int] | None = ...,
    out: Array | None = ...,
    return_count: Literal[False] = ...,
    return_table: Literal[False] = ...,
    **arguments: Unpack[LabelArguments],
) -> Array: ...
@overload
def label(
    image: Array,
    *,
    dtype: Any = ...,
    devices: Sequence[int] | None = ...,
    out: Array | None = ...,
    return_count: Literal[True],
    return_table: Literal[False] = ...,
    **arguments: Unpack[LabelArguments],
) -> tuple[Array, int]: ...
@overload
def label(
    image: Array,
    *,
    dtype: Any = ...,
    devices: Sequence[int] | None = ...,
    out: Array | None = ...,
    return_count: Literal[False] = ...,
    return_table: Literal[True],
    **arguments: Unpack[LabelArguments],
) -> tuple[Array, Table]: ...
@overload
def label(
    image: Array,
    *,
    dtype: Any = ...,
    devices: Sequence[int] | None = ...,
    out: Array | None = ...,
    return_count: Literal[True],
    return_table: Literal[True],
    **arguments: Unpack[LabelArguments],
) -> tuple[Array, int, Table]: ...
@overload
def label(
    image: Any,
    *,
    dtype: Any = ...,
    devices: Sequence[int] | None = ...,
    out: Array | None = ...,
    return_count: Literal[True],
    return_table: Literal[False] = ...,
    **arguments: Unpack[LabelArguments],
) -> tuple[Any, int]: ...
@overload
def label(
    image: Any,
    *,
    dtype: Any = ...,
    devices: Sequence[int] | None = ...,
    out: Array | None = ...,
    return_count: Literal[False] = ...,
    return_table: Literal[True],
    **arguments: Unpack[LabelArguments],
) -> tuple[Any, Table]: ...
@overload
def label(
    image: Any,
    *,
    dtype: Any = ...,
    devices: Sequence[int] | None = ...,
    out: Array | None = ...,
    return_count: Literal[True],
    return_table: Literal[True],
    **arguments: Unpack[LabelArguments],
) -> tuple[Any, int, Table]: ...
@overload
def label(
    image: Any,
    *,
    dtype: Any = ...,
    devices: Sequence[int] | None = ...,
    out: Array | None = ...,
    return_count: bool = ...,
    return_table: bool = ...,
    **arguments: Unpack[LabelArguments],
) -> Any: ...
@shows_label_arguments
def label(
    image: Any,
    *,
    dtype: Any = "auto",
    devices: Sequence[int] | None = None,
    out: np.ndarray[Any, Any] | None = None,
    return_count: bool = False,
    return_table: bool = False,
    **arguments: Unpack[LabelArguments],
) -> Any:
    """Labels the connected components of an image.

    Parameters
    ----------
    image : array or image
        1 to 4 dimensions of bool, integers, float16, float32 or float64: a numpy array, a CPU array with DLPack, a
        SimpleITK.Image, an itk.Image or a nibabel image. Arrays in C order are not copied, others once;
        one without voxels has an empty label map. An array of CuPy or
        PyTorch on a CUDA device is labeled in place; `mask` and `out` must be on the same device. A list of such arrays is
        one volume: consecutive slabs along axis 0, each on its GPU. `mask`, `out` and the labels are then lists, too; labels
        are numbered over the whole volume.
    connectivity : int, optional
        The number of neighbors (in 2-D 4 or 8; in 3-D 6, 18 or 26; in 4-D 8, 32, 64 or 80), or the number of axes along which
        neighbors may differ, 1 to the dimension. By faces (1) if not given.
    range : (low, high), optional
        Foreground has low <= value <= high; bounds may be infinite. Numbers are compared as in numpy: Python numbers get the
        type of the image, so 0.1 means the nearest float32 (float16) in such an image; numpy scalars, such as
        ``numpy.float64(0.1)``, and numbers beyond the type do not change. The same holds for `background` and `tolerance`.
    mask : array or image, optional
        Same shape; voxels where it is 0 are ignored. NaN in masks is refused, also in `touching`.
    order : {"raster", "size"}
        Numbering of components: by their first voxels in C order of the array (of a nibabel image: in Fortran order), or the
        largest first.
    minimum_size : int, default 0
        Components of fewer voxels become background.
    minimum_volume : float, optional
        Components below this volume in mm^3 (in 2-D mm^2) become background; an array needs `spacing` for it.
    largest : int, optional
        Keep only this many of the largest. Limits of size apply after `fill_holes`, `seeds`, `clear_border` and `touching`,
        which apply in this order.
    spacing : float or sequence of float, optional
        Size of a voxel in mm, in the order of the array's axes (z, y, x). Images bring their own. Without it, tables are in
        voxels.
    dtype : dtype, default "auto"
        An integer type for the labels. "auto" is uint32 (int32 for PyTorch), and the same type of 64 bits only if there are
        more labels. "smallest" is the smallest unsigned type that holds them; it is not available for arrays on a device,
        where labels are written before their number is known.
    return_count, return_table : bool, default False
        Also return the number of components and the component table (`Table`), in this order.

    Other Parameters
    ----------------
    criterion : {"foreground", "equal-value", "tolerance"}
        Which neighbors are joined: all foreground voxels; voxels of equal value; voxels that differ by at most `tolerance`.
    background : number or None, default 0
        Without a range, all other values are foreground; None: every voxel is foreground. NaN is never foreground. Refused
        with a range.
    tolerance : number, optional
        Sets the criterion "tolerance". Differences of integers are exact; differences of floating-point values are computed
        in float64 (numpy rounds float32 differences to float32).
    box : tuple of slice, optional
        Label only in this box, like slices of the array: ``np.s_[10:60, :, 20:80]``, or what `scipy.ndimage.find_objects`
        returns. The labels have the image's shape. With `mask`, only voxels in both count.
    by_slice : int, optional
        An axis of the array; each slice across it is labeled separately.
    neighborhood : array or str, optional
        Replaces `connectivity`: 3 elements along each axis of the image, nonzero at neighbors of the center. It must be
        symmetric, like scipy's `structure`. Or a text: "8+z" means 8 neighbors in the slice and the two before and after
        along z, the first axis of a 3-D array.
    periodic : int, sequence of int, sequence of bool or str, optional
        Axes along which the opposite ends of the image are neighbors: axes of the array, a truth value for each axis, or
        letters, x the last axis ("xz"). `Labeling.table` explains the tables of such images.
    maximum_size : int, optional
        Components of more voxels become background.
    seeds : sequence of indices, optional
        Components stay if they contain one of these voxels, given as indices in the order of the array's axes.
    clear_border : bool, default False
        Components that touch the image's border (`by_slice`: the slice's) become background. Only axes along which voxels
        have neighbors have a border; axes of one voxel have none, unless there is no other axis.
    touching : array or image, optional
        Components stay if they have a voxel where this mask is not 0.
    fill_holes : bool or float, default False
        Fill holes: components of the background that do not reach the image's border, or only holes of at most this many
        mm^3. With the criterion "foreground", holes become foreground before labeling, so objects in a hole join their
        surroundings; otherwise a hole gets the label that it shares most faces with. See `fill_holes`.
    split : bool, float or str, optional
        Split touching objects of a component, as `brickccl.split` with the same neighbors: True, or its `height`. All
        results and limits then refer to objects, and tables have the column ``parent``, the component of each object.
        `fill_holes` applies before. Needs about 10 bytes per voxel more.
    device : str, default "auto"
        "cpu", "cuda", "cuda:N", several as "cuda:0,1", "cuda:all", or "auto": the device of the array, or a CUDA device if
        the image is so large that starting the device pays. With "cpu" an array on a CUDA device is copied to the host, and
        its labels back.
    algorithm : str, default "auto"
        A name from `info()["algorithms"]`; all give the same labels.
    threads : int, optional
        The number of CPU threads; all if not given, or -1.
    progress : callable or bar, optional
        Called with the fraction done every few hundredths of a second; an exception stops the work. Or a tqdm bar (or its
        class), or a Progress of rich, which gets a task.
    devices : sequence of int, optional
        The numbers of the CUDA devices that label a host image together, by slabs; replaces `device`.
    out : numpy.ndarray, optional
        Array for the labels: the image's shape, C order, an integer type.

    Returns
    -------
    labels : the same kind as the image, with its geometry
        0 is background; components are 1..count, consecutive. On a device the work goes to the array library's current
        stream.
    count : int
        If `return_count`.
    table : Table
        If `return_table`.

    Raises
    ------
    ValueError
        For invalid arguments, with valid ones in the message.
    TypeError
        For unsupported types; nothing is cast silently.
    OverflowError
        If `dtype` or `out` cannot hold the labels; nothing is written then.
    NotImplementedError
        For options that this build or algorithm lacks.
    MemoryError
        If there is not enough memory.

    Notes
    -----
    The labels are the same bit for bit for every number of threads, algorithm and device. Ctrl-C stops the work within 0.2 s.
    The interpreter's lock is free meanwhile.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> image = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]])
    >>> brickccl.label(image)
    array([[1, 1, 0, 0],
           [0, 0, 2, 0],
           [3, 0, 0, 0]], dtype=uint32)
    >>> labels, count = brickccl.label(image, connectivity=8, return_count=True)
    >>> count
    2
    """
    given = complete("label", arguments)
    if devices is not None:
        given["device"] = _device_of(given["device"], devices)
    given.update(image=image, out=out)
    device, progress = given["device"], given["progress"]
    if type(image) is not np.ndarray and are_slabs(image):
        refuse({"return_table": return_table} | {name: given[name] for name in _OF_SLABS if name in given}, _OF_SLABS)
        labels, count = label_slabs(image, _rules(Volume(image[0], image), given), given["mask"], dtype, out)
        if progress is not None:
            progress(1.0)
        return _results(labels, count, None, return_count)
    if type(image) is not np.ndarray and is_on_device(image) and device != "cpu":
        taken, give_back = exchanged(given, out)
        labels, count, table = label_on_device(_task_on_device(taken), dtype, out, return_table)
        if progress is not None:
            progress(1.0)
        return _results(give_back(labels), count, table, return_count)
    found = 0.3 if return_table else 0.7
    labeling = _find(given, None, part_of(progress, 0, found))
    # The table first: a request for both gets both or an error.
    table = labeling.table(progress=part_of(progress, found, 0.9)) if return_table else None
    labels = labeling.labels(dtype, out, progress=part_of(progress, 0.9 if return_table else found, 1))
    return _results(labels, labeling.count, table, return_count)


def _results(labels: Any, count: int, table: Table | None, return_count: bool) -> Any:
    if not return_count and table is None:
        return labels
    result: tuple[Any, ...] = (labels,)
    if return_count:
        result += (count,)
    if table is not None:
        result += (table,)
    return result
