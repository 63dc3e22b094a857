# SPDX-License-Identifier: Apache-2.0
"""Components as runs, which give label maps, tables and lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._output import give_labels, new_labels, usual_dtype
from ._progress import Progress, hook_of, part_of
from ._rules import rules_of
from ._table import Column, Table, counted, engine_names, group_names, plain, shown_name
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

    `find` returns it. It makes label maps, tables and lists on request, independently of each other. `len` is the number of
    components. A labeling can be pickled; the labels of an image of another library are a numpy array after that.

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

    def __init__(self, runs: _core.LabeledRuns, volume: Volume, given: Mapping[str, Any] | None = None) -> None:
        self._runs = runs
        # The arguments that a pickled labeling is found again with.
        self._given = {name: (given or {}).get(name) for name in _KEPT}
        self._foreground: int | None = None
        self._in_voxels = volume.in_voxels(self._given["spacing"])
        # Not the image itself: a labeling keeps no voxels.
        self._shape: tuple[int, ...] = volume.array.shape
        self._wrap = volume.wrap
        self._is_reversed = volume.is_reversed
        self._place = volume.place
        self._has_spacing = volume.has_spacing
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
        return self._runs.foreground() if self._foreground is None else self._foreground

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
        if array.size:
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
            Groups, or columns of these groups: `place`, `shape`, `feret`, `hull`, `geodesic`, `skeleton`, `surface`,
            `topology`, `inscribed`, `thickness`, `neighbors`, `intensity`, or "all". See `columns`.
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
        `place`, `shape` and `intensity` are available.
        """
        gray, mask = (
            None if image is None else companion_of(self._shape, self._is_reversed, self._place, name, image)
            for name, image in (("intensity", intensity), ("part", part))
        )
        groups = group_names(columns, len(self._shape), gray is not None, self._in_voxels)
        hook = hook_of(progress)
        native = self._runs.measure(gray, mask, groups, part_of(hook, 0, 0.5))
        if self._given["parents"] is not None:
            _core.set_parents(native, self._given["parents"])
        return Table(native, self._is_reversed, self._runs.threads, self._in_voxels, part_of(hook, 0.5, 1))

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
            holds = self.table(condition_columns(which, len(self._shape), self._in_voxels), **images).where(which)
        elif images:
            raise TypeError("images cannot be combined with truth values")
        numbers = numbers_of(holds, keeps, self.count)
        self._runs.renumber(numbers)
        if self._given["parents"] is not None:
            self._given["parents"] = self._given["parents"][numbers > 0]
        return self

    def __reduce__(self) -> Any:
        given = self._given
        if given["fill_holes"] and given["neighborhood"] is not None:
            raise TypeError("a labeling with fill_holes and a neighborhood cannot be pickled; pickle its labels() instead")
        starts, lengths, labels = self.runs()
        gaps = starts - np.concatenate([[0], (starts + lengths)[:-1]])
        runs = [values.astype(np.min_scalar_type(values.max(initial=0))) for values in (gaps, lengths, labels)]
        place = {} if self._place is None else {name: list(values) for name, values in self._place._asdict().items()}
        volume = {
            **place, "has_spacing": self._has_spacing, "is_reversed": self._is_reversed, "label_type": self._label_type
        }
        return _unpickled, (runs, self._shape, volume, given, self.foreground_count)

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<brickccl.Labeling of {counted(self.count, 'component')}, shape {self.shape}>"


#: The arguments of `find` that tables depend on, or that decide whether components stay the same when they are found again,
#: and the component that each object of a split is a part of.
_KEPT = ("connectivity", "by_slice", "neighborhood", "periodic", "spacing", "start", "fill_holes", "parents")


def with_voxels(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array for the engine: background instead of an array without voxels."""
    return array if array.size else np.zeros((1,) * array.ndim, array.dtype)


def _unpickled(
    runs: list[Column], shape: tuple[int, ...], kept: dict[str, Any], given: dict[str, Any], foreground: int
) -> Labeling:
    """A labeling with the components of these runs: gaps before them, lengths, labels."""
    gaps, lengths, labels = runs
    array = np.zeros(shape, labels.dtype)
    values = np.stack([np.zeros_like(labels), labels], axis=1).ravel()
    filled = np.repeat(values, np.stack([gaps, lengths], axis=1).ravel())
    array.ravel()[: len(filled)] = filled
    volume = Volume(array, array, wrap=np.transpose if kept["is_reversed"] else None, **kept)
    # Voxels of a component are joined by their equal labels, and others are not.
    equal = ("equal-value", 0, None, None, None)
    options = {name: given[name] for name in ("connectivity", "by_slice", "neighborhood", "periodic")}
    rules = rules_of(volume, equal, **options, device="cpu")
    geometry = volume.geometry(given["spacing"], given["start"])
    labeling = Labeling(_core.find(with_voxels(array), None, rules, geometry, None, None), volume, given)
    # They were found in raster order.
    starts, _, found = labeling.runs()
    numbers = array.ravel()[starts[np.unique(found, return_index=True)[1]]]
    labeling._runs.renumber(numbers.astype(np.uint64))
    labeling._foreground = foreground
    return labeling


def condition_columns(condition: str, dimension: int, in_voxels: bool) -> list[str]:
    """The columns that a condition uses and that belong to groups."""
    groups = {row[0]: row[6] for row in _core.all_columns(dimension)}
    names = _core.condition_columns(engine_names(condition, in_voxels))
    return [shown_name(name, in_voxels) for name in names if groups.get(name)]


def numbers_of(holds: Any, keeps: bool, count: int) -> Column:
    """New numbers from 1 for the remaining components, 0 for the others."""
    stays = np.asarray(holds)
    if stays.dtype != np.bool_ or stays.shape != (count,):
        raise ValueError(f"give a truth value for each of {count} components, not {stays.dtype} of shape {stays.shape}")
    if not keeps:
        stays = ~stays
    return np.where(stays, np.cumsum(stays), 0).astype(np.uint64)
