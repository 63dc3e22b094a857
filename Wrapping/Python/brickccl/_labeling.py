"""Components as runs: label maps, tables and lists come from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._output import give_labels, new_labels, smallest_dtype
from ._progress import Progress, hook_of
from ._table import Column, Table, group_names, plain
from ._volume import Volume, companion_of


class Runs(NamedTuple):
    """The runs of a labeled array, lines of voxels along its last axis, in C order (of a nibabel image: along its first axis, in
    Fortran order)."""

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
        self._place = volume.place

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
        self._runs.write(array, hook_of(progress))
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
            None if image is None else companion_of(self._shape, self._is_reversed, self._place, name, image)
            for name, image in (("intensity", intensity), ("part", part))
        )
        groups = group_names(columns, len(self._shape), gray is not None)
        return Table(self._runs.measure(gray, mask, groups, hook_of(progress)), self._is_reversed, self._runs.threads)

    def voxels(self, *, progress: Progress | None = None) -> VoxelLists:
        """All voxels of each component, grouped, as flat indices in C order (of a nibabel image: in Fortran order)."""
        return VoxelLists(*map(plain, self._runs.voxels(hook_of(progress))))

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

        Raises
        ------
        RuntimeError
            Another call works with this labeling: on another thread, or the one whose `progress` calls this. It stays as it was.
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
