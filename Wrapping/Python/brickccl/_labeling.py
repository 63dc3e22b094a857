"""Labeling: label maps, tables and lists from runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._device import Task, is_on_device
from ._device import label as label_on_device
from ._device_slabs import are_slabs, label_slabs, refuse
from ._filter import filter_of
from ._output import give_labels, new_labels, smallest_dtype
from ._table import Column, Table, group_names, plain
from ._volume import Progress, Volume, as_volume, companion_of, count_of, threads_of


class Runs(NamedTuple):
    """The runs of a labeled array, lines of voxels along its last axis, in C order."""

    #: Flat index of the first voxel.
    starts: Column
    #: Number of voxels.
    lengths: Column
    labels: Column


class VoxelLists(NamedTuple):
    """All voxels of each component, grouped."""

    #: N + 1 numbers: the voxels of label k are indices[offsets[k - 1]:offsets[k]].
    offsets: Column
    #: Flat indices, ascending within each component.
    indices: Column


class Component(NamedTuple):
    """One component, cropped."""

    label: int
    #: The bounding box: image[slices] is the crop.
    slices: tuple[slice, ...]
    #: Where the component is within the crop.
    mask: np.ndarray[Any, np.dtype[np.bool_]]


class Labeling:
    """The components of an image, kept as runs: about 1 bit for each voxel and 4 bytes for each run.

    `find` makes it. Label maps, tables and lists come from it on request; none of them needs another.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> labeling = brickccl.find(np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1]]))
    >>> labeling.count
    3
    >>> labeling.labels()
    array([[1, 1, 0],
           [0, 0, 2],
           [3, 0, 2]], dtype=uint8)
    >>> labeling.keep("voxel_count >= 2").labels()
    array([[1, 1, 0],
           [0, 0, 2],
           [0, 0, 2]], dtype=uint8)
    """

    def __init__(self, runs: _core.LabeledRuns, volume: Volume) -> None:
        self._runs = runs
        # Not the image itself: a labeling keeps no voxels.
        self._shape: tuple[int, ...] = volume.array.shape
        self._wrap = volume.wrap
        self._is_reversed = volume.is_reversed
        self._is_plain = volume.is_plain

    @property
    def count(self) -> int:
        """The number of components, after size filters."""
        return self._runs.count

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the image (of a nibabel image: in its order of axes)."""
        return self._shape[::-1] if self._is_reversed else self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The smallest type for the labels."""
        return smallest_dtype(self.count)

    @property
    def algorithm(self) -> str:
        """The name of the algorithm that ran."""
        return self._runs.algorithm

    @property
    def device(self) -> str:
        """Where it ran: "cpu" or "cuda:N"."""
        return self._runs.device

    @property
    def foreground_count(self) -> int:
        """The number of voxels that took part, filtered components included."""
        return self._runs.foreground()

    def labels(self, dtype: Any = "auto", out: np.ndarray[Any, Any] | None = None, *, progress: Progress | None = None) -> Any:
        """The label map: 0 is background, components are 1..count.

        Parameters
        ----------
        dtype : dtype, default "auto"
            An integer type; "auto" is the smallest unsigned one that holds `count`.
        out : numpy.ndarray, optional
            Where the labels go: of the image's shape, in C order, of an integer type. It is then what is returned.
        progress : callable, optional
            Called with the fraction that is done; an exception of it ends the work.

        Returns
        -------
        The kind of image that was labeled: numpy.ndarray, SimpleITK.Image, itk.Image, nibabel image, DLPack array.

        Raises
        ------
        OverflowError
            If the type does not hold the labels; nothing is written then.
        """
        array = new_labels(dtype, out, self._shape, self.count, self._is_reversed)
        self._runs.write(array, progress)
        return give_labels(array, out, self._is_reversed, self._wrap)

    def table(
        self,
        columns: str | Iterable[str] | None = None,
        *,
        intensity: Any = None,
        part: Any = None,
        progress: Progress | None = None,
    ) -> Table:
        """The component table: sizes, bounding boxes, centroids and what `columns` adds.

        Parameters
        ----------
        columns : str or list of str, optional
            Groups, or columns that stand for theirs: `place`, `shape`, `feret`, `surface`, `topology`, `inscribed`,
            `thickness`, `neighbours`, `intensity`, or "all". See `columns`.
        intensity : image, optional
            Of the same shape; adds `intensity_min`, `intensity_max`, `intensity_mean` and more.
        part : image, optional
            Mask of the part that is inspected; adds `surface_distance_mm`.
        progress : callable, optional
            Called with the fraction that is done.

        Raises
        ------
        ValueError
            For a column that does not exist, an image of another shape, or an intensity column without `intensity`.
        NotImplementedError
            For columns that images of this dimension, or periodic ones, do not have.

        Notes
        -----
        Of an image with `periodic` axes, boxes, centroids and moments are those of components put together, which may end
        beyond the image. `wraps_x` tells which of them meet their own copy along x; their centroids along it are NaN. The
        groups feret, surface, topology, inscribed, thickness and neighbours are not there.
        """
        gray, mask = (
            None if image is None else companion_of(self._shape, self._is_reversed, self._is_plain, name, image)
            for name, image in (("intensity", intensity), ("part", part))
        )
        groups = group_names(columns, len(self._shape), gray is not None)
        return Table(self._runs.measure(gray, mask, groups, progress))

    def voxels(self, *, progress: Progress | None = None) -> VoxelLists:
        """All voxels of each component, grouped, as flat indices in C order (of a nibabel image: in Fortran order)."""
        return VoxelLists(*map(plain, self._runs.voxels(progress)))

    def runs(self) -> Runs:
        """The runs of voxels that components consist of."""
        return Runs(*map(plain, self._runs.runs()))

    def keep(self, which: str | Sequence[bool] | np.ndarray[Any, Any], **images: Any) -> Labeling:
        """Keeps the components for which a condition holds, here, and numbers them anew in their order.

        Parameters
        ----------
        which : str or sequence of bool
            A condition on columns (see `Table.where`), or one truth value for each component.
        **images
            `intensity` and `part`, where the condition needs them.

        Returns
        -------
        Labeling
            This one, changed.
        """
        return self._choose(which, True, images)

    def remove(self, which: str | Sequence[bool] | np.ndarray[Any, Any], **images: Any) -> Labeling:
        """Removes the components for which a condition holds; see `keep`."""
        return self._choose(which, False, images)

    def components(self) -> Iterator[Component]:
        """Each component with its bounding box and its mask within that, in the order of labels."""
        lists = self.voxels()
        for label in range(1, self.count + 1):
            places = np.unravel_index(lists.indices[lists.offsets[label - 1] : lists.offsets[label]], self._shape)
            low = [int(axis.min()) for axis in places]
            high = [int(axis.max()) + 1 for axis in places]
            mask = np.zeros([end - begin for begin, end in zip(low, high)], np.bool_)
            mask[tuple(axis - begin for axis, begin in zip(places, low))] = True
            slices = tuple(slice(begin, end) for begin, end in zip(low, high))
            yield Component(label, slices[::-1], mask.T) if self._is_reversed else Component(label, slices, mask)

    def _choose(self, which: Any, keeps: bool, images: dict[str, Any]) -> Labeling:
        holds = which
        if isinstance(which, str):
            holds = self.table(condition_columns(which, len(self._shape)), **images).where(which)
        elif images:
            raise TypeError("images are of no use beside a truth value for each component")
        self._runs.renumber(numbers_of(holds, keeps, self.count))
        return self

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<brickccl.Labeling of {self.count} components, shape {self.shape}>"


def condition_columns(condition: str, dimension: int) -> list[str]:
    """The columns of groups that a condition names."""
    groups = {row[0]: row[6] for row in _core.all_columns(dimension)}
    return [name for name in _core.condition_columns(condition) if groups.get(name)]


def numbers_of(holds: Any, keeps: bool, count: int) -> Column:
    """New numbers 1.. for the components that stay, 0 for the others."""
    stays = np.asarray(holds)
    if stays.dtype != np.bool_ or stays.shape != (count,):
        raise ValueError(f"there must be a truth value for each of {count} components, not {stays.dtype} of shape {stays.shape}")
    if not keeps:
        stays = ~stays
    return np.where(stays, np.cumsum(stays), 0).astype(np.uint64)


def find(
    image: Any,
    *,
    connectivity: int | None = None,
    criterion: str = "foreground",
    range: tuple[float, float] | None = None,
    background: float | None = 0,
    tolerance: float | None = None,
    mask: Any = None,
    by_slice: int | None = None,
    neighbourhood: Any = None,
    periodic: Any = (),
    order: str = "raster",
    minimum_size: int = 0,
    maximum_size: int | None = None,
    minimum_volume: float | None = None,
    largest: int | None = None,
    seeds: Any = None,
    clear_border: bool = False,
    touching: Any = None,
    fill_holes: bool | float = False,
    device: str = "auto",
    algorithm: str = "auto",
    threads: int | None = None,
    spacing: float | Sequence[float] | None = None,
    start: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> Labeling:
    """Finds connected components and keeps them as runs, without a label map.

    Parameters
    ----------
    start : sequence of int, optional
        The index of the first voxel in a larger image, for `merge_tables`.

    Other Parameters
    ----------------
    connectivity, criterion, range, background, tolerance, mask, by_slice, neighbourhood, periodic, order, minimum_size, \
maximum_size, minimum_volume, largest, seeds, clear_border, touching, fill_holes, device, algorithm, threads, spacing, progress
        As for `label`.

    Returns
    -------
    Labeling
        Of an array of CuPy or PyTorch on a CUDA device a `DeviceLabeling`, which keeps everything there.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> brickccl.find(np.eye(4), connectivity=8).count
    1
    """
    if type(image) is not np.ndarray and is_on_device(image):
        from ._device_labeling import DeviceLabeling

        _check_on_device((seeds, clear_border, touching, fill_holes), (neighbourhood, periodic), minimum_volume, spacing)
        if start is not None:
            raise NotImplementedError("start needs the image on the host")
        labeling = DeviceLabeling(
            Task(
                image,
                rules_of(criterion, range, background, tolerance),
                None if connectivity is None else count_of("connectivity", connectivity),
                mask,
                by_slice,
                spacing,
                device,
                algorithm,
            ),
            limits_of(order, minimum_size, maximum_size, minimum_volume, largest),
        )
        if progress is not None:
            progress(1.0)
        return labeling
    return _find(
        as_volume(image),
        connectivity,
        criterion,
        range,
        background,
        tolerance,
        mask,
        by_slice,
        neighbourhood,
        periodic,
        order,
        minimum_size,
        maximum_size,
        minimum_volume,
        largest,
        (seeds, clear_border, touching, fill_holes),
        device,
        algorithm,
        threads,
        spacing,
        start,
        progress,
    )


def _find(
    volume: Volume,
    connectivity: Any,
    criterion: Any,
    limits: Any,
    background: Any,
    tolerance: Any,
    mask: Any,
    by_slice: Any,
    neighbourhood: Any,
    periodic: Any,
    order: Any,
    minimum_size: Any,
    maximum_size: Any,
    minimum_volume: Any,
    largest: Any,
    kept: tuple[Any, Any, Any, Any],
    device: Any,
    algorithm: Any,
    threads: Any,
    spacing: Any,
    start: Any,
    progress: Any,
) -> Labeling:
    if minimum_volume is not None and spacing is None and volume.spacing is None:
        raise ValueError("minimum_volume is in mm^3 and needs spacing=, which arrays do not have")
    if neighbourhood is not None and not (connectivity is None and by_slice is None):
        raise ValueError("a neighbourhood takes the place of connectivity and by_slice; give it alone")
    runs = _core.find(
        volume.array,
        None if mask is None else volume.companion("mask", mask),
        *rules_of(criterion, limits, background, tolerance),
        None if connectivity is None else count_of("connectivity", connectivity),
        [] if by_slice is None else [volume.axis("by_slice", by_slice)],
        *limits_of(order, minimum_size, maximum_size, minimum_volume, largest),
        "Auto" if algorithm == "auto" else algorithm,
        device,
        0 if threads is None else threads_of(threads),
        volume.geometry(spacing, start),
        progress,
        filter_of(volume, kept, spacing),
        [] if neighbourhood is None else volume.neighbourhood(neighbourhood),
        volume.axes("periodic", periodic),
    )
    if runs.remark and device != "auto":
        warnings.warn(runs.remark, RuntimeWarning, stacklevel=3)
    return Labeling(runs, volume)


def _check_on_device(
    kept: tuple[Any, Any, Any, Any], joined: tuple[Any, Any], minimum_volume: Any, spacing: Any
) -> None:
    seeds, clear_border, touching, fill_holes = kept
    neighbourhood, periodic = joined
    if seeds is not None or clear_border or touching is not None or fill_holes:
        raise NotImplementedError("seeds, clear_border, touching and fill_holes need the image on the host")
    if neighbourhood is not None or np.size(periodic) > 0:
        raise NotImplementedError("neighbourhood and periodic need the image on the host")
    if minimum_volume is not None and spacing is None:
        raise ValueError("minimum_volume is in mm^3 and needs spacing=, which arrays do not have")


def rules_of(criterion: Any, limits: Any, background: Any, tolerance: Any) -> tuple[str, Any, Any, Any, Any]:
    """Criterion, background, low, high and tolerance as the engine takes them."""
    if tolerance is not None and criterion == "foreground":
        criterion = "tolerance"
    if tolerance is not None and criterion != "tolerance":
        raise ValueError(f"a tolerance is of no use with criterion={criterion!r}")
    low = high = None
    if limits is not None:
        try:
            low, high = limits
        except (TypeError, ValueError):
            raise TypeError(f"range must be a pair (low, high), not {limits!r}") from None
    return criterion, background, low, high, tolerance


def limits_of(
    order: Any, minimum_size: Any, maximum_size: Any, minimum_volume: Any, largest: Any
) -> tuple[str, int, int | None, float, int]:
    """Which components stay, and their order, as the engine takes them."""
    return (
        order,
        minimum_size if minimum_size == 0 else count_of("minimum_size", minimum_size),
        None if maximum_size is None else count_of("maximum_size", maximum_size),
        0.0 if minimum_volume is None else float(minimum_volume),
        0 if largest is None else largest_of(largest),
    )


def largest_of(largest: Any) -> int:
    number = count_of("largest", largest)
    if number == 0:
        raise ValueError("largest=0 leaves no component; give at least 1, or None for all")
    return number


#: The options of `label` that slabs on devices do not have, at rest.
_OF_SLABS = {
    "neighbourhood": None,
    "periodic": (),
    "order": "raster",
    "minimum_size": 0,
    "maximum_size": None,
    "minimum_volume": None,
    "largest": None,
    "seeds": None,
    "clear_border": False,
    "touching": None,
    "fill_holes": False,
    "return_table": False,
    "device": "auto",
}


def _device_of(device: str, devices: Sequence[int]) -> str:
    """The name of several CUDA devices."""
    if device != "auto":
        raise ValueError(f"both device={device!r} and devices={devices!r} were given; one of them says where to label")
    numbers = [count_of("devices", number) for number in devices]
    if not numbers:
        raise ValueError("devices=[] leaves nothing to label on")
    return "cuda:" + ",".join(str(number) for number in numbers)


def label(
    image: Any,
    *,
    connectivity: int | None = None,
    criterion: str = "foreground",
    range: tuple[float, float] | None = None,
    background: float | None = 0,
    tolerance: float | None = None,
    mask: Any = None,
    by_slice: int | None = None,
    neighbourhood: Any = None,
    periodic: Any = (),
    order: str = "raster",
    minimum_size: int = 0,
    maximum_size: int | None = None,
    minimum_volume: float | None = None,
    largest: int | None = None,
    seeds: Any = None,
    clear_border: bool = False,
    touching: Any = None,
    fill_holes: bool | float = False,
    dtype: Any = "auto",
    device: str = "auto",
    devices: Sequence[int] | None = None,
    algorithm: str = "auto",
    threads: int | None = None,
    spacing: float | Sequence[float] | None = None,
    out: np.ndarray[Any, Any] | None = None,
    return_count: bool = False,
    return_table: bool = False,
    progress: Progress | None = None,
) -> Any:
    """Labels the connected components of an image.

    Parameters
    ----------
    image : array or image
        1 to 4 dimensions of bool, integers, float16, float32 or float64: a numpy array, anything that gives a CPU array
        through DLPack, a SimpleITK.Image, an itk.Image or a nibabel image. Arrays in C order are not copied, others once.
        An array of CuPy or PyTorch on a CUDA device is labeled where it lies; `mask` and `out` must lie there too. A list
        of such arrays is one volume: slabs that follow each other along axis 0, each on its GPU. `mask` and `out` are then
        lists, too, and so are the labels, which are numbered over the whole volume.
    connectivity : int, optional
        The number of neighbours (in 2-D 4 or 8; in 3-D 6, 18 or 26; in 4-D 8, 32, 64 or 80), or the number of axes along
        which neighbours may differ, 1 to the dimension. By faces (1) if not given.
    criterion : {"foreground", "equal", "tolerance"}
        Which neighbours belong together: all of the foreground; those of equal value; those that differ by at most
        `tolerance`.
    range : (low, high), optional
        Foreground are the values low <= value <= high; bounds may be infinite.
    background : number or None, default 0
        Without a range, foreground is what differs from this value; None: every voxel is. NaN never is.
    tolerance : number, optional
        Sets the criterion "tolerance". Differences of integers are exact.
    mask : array or image, optional
        Of the same shape; voxels where it is 0 take no part.
    by_slice : int, optional
        An axis of the array; the slices across it are labeled each on its own.
    neighbourhood : array, optional
        In the place of `connectivity`: 3 elements along each axis of the image, not 0 at neighbours of the element in the
        middle. It must be symmetric about that, as scipy's `structure`.
    periodic : int, sequence of int, sequence of bool or str, optional
        Axes along which the image goes on with its other end: axes of the array, a truth value for each axis, or letters,
        x the last axis ("xz"). `Labeling.table` says what tables hold then.
    order : {"raster", "size"}
        How components are numbered: by their first voxels in C order of the array (of a nibabel image: in Fortran
        order), or the largest first.
    minimum_size, maximum_size : int, optional
        Components of fewer (more) voxels become background.
    minimum_volume : float, optional
        Components of less than that, in mm^3 (in 2-D mm^2), become background; an array needs `spacing` for it.
    largest : int, optional
        Only so many of the largest stay. The limits on sizes come after what follows, in this order.
    fill_holes : bool or float, default False
        Fill holes: components of the background that do not reach the image's border, or only those of at most so many
        mm^3. With the criterion "foreground" a hole is foreground before anything is labeled, and what lies in it is
        joined to what is around it; otherwise it gets the label that it shares the most faces with. See `fill_holes`.
    seeds : sequence of indices, optional
        Components stay if they contain one of these voxels, given as indices in the order of the array's axes.
    clear_border : bool, default False
        Components that have a voxel at the image's border (`by_slice`: of the slice) become background.
    touching : array or image, optional
        Components stay if they have a voxel where this mask is not 0.
    dtype : dtype, default "auto"
        An integer type for the labels; "auto" is the smallest unsigned one that holds them, of arrays on a device uint32
        (CuPy) or int32 (PyTorch), since labels are written before their number is known.
    device : str, default "auto"
        "cpu", "cuda", "cuda:N", several as "cuda:0,1", "cuda:all", or "auto": a CUDA device for images that take a CPU
        longer than making one ready, and the one where an array lies.
    devices : sequence of int, optional
        The numbers of CUDA devices that label an image of the host together, by slabs; in the place of `device`.
    algorithm : str, default "auto"
        A name of `info()["algorithms"]`; the labels are the same for all.
    threads : int, optional
        The number of CPU threads; all if not given.
    spacing : float or sequence of float, optional
        Size of a voxel in mm, in the order of the array's axes (z, y, x). Images bring their own.
    out : numpy.ndarray, optional
        Where the labels go: of the image's shape, in C order, of an integer type.
    return_count, return_table : bool, default False
        Also return the number of components, the component table (`Table`), in this order.
    progress : callable, optional
        Called with the fraction that is done every few hundredths of a second; an exception of it ends the work.

    Returns
    -------
    labels : the kind of image that was given, with its geometry
        0 is background; components are 1..count, consecutive. On a device the work goes to the array library's current
        stream.
    count : int
        If `return_count`.
    table : Table
        If `return_table`.

    Raises
    ------
    ValueError
        For arguments without meaning, with what would be right.
    TypeError
        For types that are not taken; nothing is cast silently.
    OverflowError
        If `dtype` or `out` does not hold the labels; nothing is written then.
    NotImplementedError
        For what this build or algorithm does not offer.
    MemoryError
        If there is not enough memory.

    Notes
    -----
    The labels are the same bit for bit for every number of threads, algorithm and device. Ctrl-C ends the work within
    0.2 s. The interpreter's lock is free meanwhile.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> image = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]])
    >>> brickccl.label(image)
    array([[1, 1, 0, 0],
           [0, 0, 2, 0],
           [3, 0, 0, 0]], dtype=uint8)
    >>> labels, count = brickccl.label(image, connectivity=8, return_count=True)
    >>> count
    2
    """
    if devices is not None:
        device = _device_of(device, devices)
    if are_slabs(image):
        refuse(
            {
                "neighbourhood": neighbourhood,
                "periodic": periodic,
                "order": order,
                "minimum_size": minimum_size,
                "maximum_size": maximum_size,
                "minimum_volume": minimum_volume,
                "largest": largest,
                "seeds": seeds,
                "clear_border": clear_border,
                "touching": touching,
                "fill_holes": fill_holes,
                "return_table": return_table,
                "device": device,
            },
            _OF_SLABS,
        )
        neighbours = None if connectivity is None else count_of("connectivity", connectivity)
        rules = rules_of(criterion, range, background, tolerance)
        labels, count = label_slabs(image, rules, neighbours, mask, by_slice, algorithm, dtype, out)
        if progress is not None:
            progress(1.0)
        return _results(labels, count, None, return_count)
    if type(image) is not np.ndarray and is_on_device(image):
        _check_on_device((seeds, clear_border, touching, fill_holes), (neighbourhood, periodic), minimum_volume, spacing)
        on_device = label_on_device(
            image,
            rules_of(criterion, range, background, tolerance),
            None if connectivity is None else count_of("connectivity", connectivity),
            mask,
            by_slice,
            limits_of(order, minimum_size, maximum_size, minimum_volume, largest),
            spacing,
            device,
            algorithm,
            dtype,
            out,
            return_table,
        )
        if progress is not None:
            progress(1.0)
        return _results(*on_device, return_count)
    labeling = _find(
        as_volume(image),
        connectivity,
        criterion,
        range,
        background,
        tolerance,
        mask,
        by_slice,
        neighbourhood,
        periodic,
        order,
        minimum_size,
        maximum_size,
        minimum_volume,
        largest,
        (seeds, clear_border, touching, fill_holes),
        device,
        algorithm,
        threads,
        spacing,
        None,
        _part(progress, 0, 0.7),
    )
    # The table first: who asks for both gets both or an error.
    table = labeling.table() if return_table else None
    labels = labeling.labels(dtype, out, progress=_part(progress, 0.7, 1))
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


def _part(progress: Progress | None, begin: float, end: float) -> Progress | None:
    if progress is None:
        return None
    return lambda fraction: progress(begin + (end - begin) * fraction)
