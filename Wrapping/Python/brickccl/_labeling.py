# SPDX-License-Identifier: Apache-2.0
"""Components as runs, which give label maps, tables and lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._output import give_labels, new_labels, usual_dtype
from ._progress import Progress, hook_of
from ._table import Column, Table, group_names, plain
from ._volume import Volume, companion_of


class Runs(NamedTuple):
    """The runs of a labeled array, lines of voxels along its last axis, in C order (of a nibabel image: along its first
    axis, in
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

    `find` returns it. It makes label maps, tables and lists on request, independently of each other.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> labeling = brickccl.find(np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1]]))
    >>> labeling.count
    3
    >>> labeling.labels()
    array([[1, 1, 0],
           [0, 0, 2],
           [3, 0, 2]], dtype=uint32)
    >>> labeling.keep("voxel_count >= 2").labels()
    array([[1, 1, 0],
           [0, 0, 2],
           [0, 0, 2]], dtype=uint32)
    """

    def __init__(self, runs: _core.LabeledRuns, volume: Volume) -> None:
        self._runs = runs
        # Not the image itself: a labeling keeps no voxels.
        self._shape: tuple[int, ...] = volume.array.shape
        self._wrap = volume.wrap
        self._is_reversed = volume.is_reversed
        self._place = volume.place
        self._label_type = volume.label_type

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
        """The type of `labels` unless another one is requested."""
        return usual_dtype(self.count, self._label_type)

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
        """The number of labeled voxels, including filtered components."""
        return self._runs.foreground()

    def labels(self, dtype: Any = "auto", out: np.ndarray[Any, Any] | None = None, *, progress: Progress | None = None) -> Any:
        """The label map: 0 is background, components are 1..count.

        Parameters
        ----------
        dtype : dtype, default "auto"
            As for `label`.
        out : numpy.ndarray, optional
            Array for the labels: the image's shape, C order, an integer type. It is returned.
        progress : callable, optional
            Called with the fraction done; an exception stops the work.

        Returns
        -------
        The same kind as the labeled image: numpy.ndarray, SimpleITK.Image, itk.Image, nibabel image, DLPack array.

        Raises
        ------
        OverflowError
            If the type cannot hold the labels; nothing is written then.
        """
        array = new_labels(dtype, out, self._shape, self.count, self._is_reversed, self._label_type)
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
        """The component table: sizes, bounding boxes, centroids and the columns in `columns`.

        Parameters
        ----------
        columns : str or list of str, optional
            Groups, or columns of these groups: `place`, `shape`, `feret`, `surface`, `topology`, `inscribed`,
            `thickness`, `neighbors`, `intensity`, or "all". See `columns`.
        intensity : image, optional
            Same shape; adds `intensity_min`, `intensity_max`, `intensity_mean` and more.
        part : image, optional
            Mask of the inspected part; adds `surface_distance_mm`.
        progress : callable, optional
            Called with the fraction done.

        Raises
        ------
        ValueError
            For a column that does not exist, an image of another shape, or an intensity column without `intensity`.
        NotImplementedError
            For columns that are not available in this dimension or in periodic images.

        Notes
        -----
        In an image with `periodic` axes, boxes, centroids and moments describe unwrapped components, which may extend beyond
        the image. `wraps_x` is 1 for components that meet their own copy along x; their centroids along x are NaN. The groups
        `feret`, `surface`, `topology`, `inscribed`, `thickness` and `neighbors` are not available.
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
        """The runs of voxels of the components."""
        return Runs(*map(plain, self._runs.runs()))

    def keep(self, which: str | Sequence[bool] | np.ndarray[Any, Any], **images: Any) -> Labeling:
        """Keeps the components that fulfill a condition, in place, and renumbers them in their order.

        Parameters
        ----------
        which : str or sequence of bool
            A condition on columns (see `Table.where`), or one truth value for each component.
        **images
            `intensity` and `part`, if the condition needs them.

        Returns
        -------
        Labeling
            This one, changed.

        Raises
        ------
        RuntimeError
            If another call is using this labeling, on another thread or in its `progress`. The labeling does not change.
        """
        return self._choose(which, True, images)

    def remove(self, which: str | Sequence[bool] | np.ndarray[Any, Any], **images: Any) -> Labeling:
        """Removes the components that fulfill a condition; see `keep`."""
        return self._choose(which, False, images)

    def components(self) -> Iterator[Component]:
        """Each component with its bounding box and the mask inside it, in the order of labels."""
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
            raise TypeError("images cannot be combined with truth values")
        self._runs.renumber(numbers_of(holds, keeps, self.count))
        return self

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<brickccl.Labeling of {self.count} components, shape {self.shape}>"


def condition_columns(condition: str, dimension: int) -> list[str]:
    """The groups of columns that a condition uses."""
    groups = {row[0]: row[6] for row in _core.all_columns(dimension)}
    return [name for name in _core.condition_columns(condition) if groups.get(name)]


def numbers_of(holds: Any, keeps: bool, count: int) -> Column:
    """New numbers from 1 for the remaining components, 0 for the others."""
    stays = np.asarray(holds)
    if stays.dtype != np.bool_ or stays.shape != (count,):
        raise ValueError(f"give a truth value for each of {count} components, not {stays.dtype} of shape {stays.shape}")
    if not keeps:
        stays = ~stays
    return np.where(stays, np.cumsum(stays), 0).astype(np.uint64)
