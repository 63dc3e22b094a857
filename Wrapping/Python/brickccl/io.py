# SPDX-License-Identifier: Apache-2.0
"""Image files through the readers and writers of the `brickccl` command: the same voxels, geometry, notes and errors. Wheels have
them; a package from the sources does if it was built with `BRICKCCL_PYTHON_IO`. See ``brickccl.info()["build"]``."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _own_files
from ._orthogonal import Accepted
from ._progress import Progress, hook_of
from ._volume import Volume, as_volume, float_of, threads_of, voxels

__all__ = ["Image", "read", "write"]


class Image:
    """Voxels with their place in space: the result of `read`, accepted and returned by `label` and all other functions.

    Parameters
    ----------
    array : numpy.ndarray
        Voxels; the last axis is x.
    spacing : sequence of float, optional
        Size of a voxel in mm, in the order of the array's axes (z, y, x). Without it sizes are in voxels, as for arrays, and
        `spacing` is 1 along each axis.
    origin, direction : sequence of float, optional
        As in ITK, in the order x, y, z; `direction` row after row, or as a matrix.

    Attributes
    ----------
    has_spacing : bool
        Whether the spacing is known.
    names, colors : dict
        For each label that the file names: its name, and its red, green and blue from 0 to 1. `write` does not write them.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> from brickccl.io import Image
    >>> image = Image(np.array([[1, 0], [0, 1]]), spacing=(0.5, 2.0))
    >>> brickccl.label(image)
    <brickccl.io.Image of uint32, shape (2, 2), spacing (0.5, 2.0)>
    """

    def __init__(
        self,
        array: np.ndarray[Any, Any],
        spacing: Sequence[float] | None = None,
        origin: Sequence[float] | None = None,
        direction: Sequence[float] | None = None,
    ) -> None:
        self.array: np.ndarray[tuple[int, ...], np.dtype[Any]] = np.asarray(array)
        self.names: dict[int, str] = {}
        self.colors: dict[int, tuple[float, float, float]] = {}
        dimension = self.array.ndim
        self.has_spacing: bool = spacing is not None and np.size(spacing) > 0
        self._spacing: tuple[float, ...] = _floats_of("spacing", spacing, (1.0,) * dimension)
        self.origin: tuple[float, ...] = _floats_of("origin", origin, (0.0,) * dimension)
        self.direction: tuple[float, ...] = _floats_of("direction", direction, np.eye(dimension).ravel())
        for name, values, count in (
            ("spacing", self.spacing, dimension),
            ("origin", self.origin, dimension),
            ("direction", self.direction, dimension * dimension),
        ):
            if len(values) != count:
                raise ValueError(f"the {name} has {len(values)} values; an array of {dimension} axes needs {count}")
            if not all(math.isfinite(value) for value in values):
                raise ValueError(f"the {name} {values} has a value that is infinite or not a number")
        _check_lengths(self.spacing)

    @property
    def spacing(self) -> tuple[float, ...]:
        return self._spacing

    @spacing.setter
    def spacing(self, spacing: Sequence[float]) -> None:
        self._spacing, self.has_spacing = tuple(spacing), True

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.array.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy:
            return np.array(self.array, dtype=dtype)
        return self.array if dtype is None else self.array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<brickccl.io.Image of {self.dtype}, shape {self.shape}, spacing {self.spacing}>"

    def to_volume(self, name: str) -> Volume:
        """For the functions of the package."""
        spacing, origin, direction = self.spacing, self.origin, self.direction
        return Volume(
            voxels(self.array, name),
            self,
            spacing=spacing[::-1],
            origin=origin,
            direction=direction,
            has_spacing=self.has_spacing,
            wrap=self._like,
        )

    def _like(self, array: np.ndarray[Any, Any]) -> Image:
        image = Image(array, self.spacing, self.origin, self.direction)
        image.has_spacing = self.has_spacing
        return image


def _floats_of(name: str, given: Any, usual: Any) -> tuple[float, ...]:
    """Numbers of a sequence or an array, or the defaults."""
    try:
        values = usual if given is None or len(given) == 0 else np.ravel(given)
        return tuple(float_of(value) for value in values)
    except TypeError:
        raise TypeError(f"the {name} must be numbers, one for each axis, not {given!r}") from None


def _check_lengths(spacing: Sequence[float]) -> None:
    if not all(0 < step < math.inf for step in spacing):
        raise ValueError(f"the spacing {tuple(spacing)} is invalid; all lengths must be finite and above 0")


def read(
    path: str | os.PathLike[str],
    *,
    accept_irregular_slices: bool = False,
    accept_sheared: bool = False,
    series: str | int | None = None,
    spacing: Sequence[float] | None = None,
    raw: str | None = None,
    as_labels: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Image:
    """Reads an image file, a DICOM series of a folder, or slice images. Unusual properties cause warnings.

    Parameters
    ----------
    path : path
        `.nrrd`, `.nhdr`, `.mha`, `.mhd`, `.nii`, `.nii.gz`, `.tif`, `.tiff`, `.png`, `.dcm` and all other formats of the
        command; a folder with a DICOM series or slice images; or a pattern of slice images (``"slices/ct_*.tif"``), ordered by
        the number in their names.
    accept_irregular_slices : bool, default False
        Accept, with a warning, unevenly spaced slices of a DICOM series (with the mean distance), and slice images with gaps
        in their numbers or different names.
    accept_sheared : bool, default False
        Accept, with a warning, axes that are not at right angles (a tilted gantry). The image gets the nearest orthogonal
        geometry, which keeps the plane of x and y and the volume of a voxel.
    series : str or int, optional
        The DICOM series, if a folder has several: its UID, or its number in the error's list, from 1.
    spacing : sequence of float, optional
        Size of a voxel in mm along each axis, in the order of the array's axes, overriding the file.
    raw : str, optional
        Size along x, y and z and type of voxels without a header: ``"1024x1024x800:uint16"``, with ``":big"`` if they are
        big-endian and ``":skip=512"`` if bytes precede them.
    as_labels : bool, default False
        The image is a label map: palette images are read as color numbers.
    threads : int, optional
        The number of threads; all if not given.
    progress : callable, bar of tqdm or Progress of rich, optional
        Called with the fraction read, from 0 to 1.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ImportError
        If the package was built without readers and writers.
    ValueError
        If the file cannot be read, or does not have one value per voxel; if slices are missing or axes are sheared and this
        is not accepted; if there are several series and none is chosen.
    """
    name = os.fspath(path)
    accepted = Accepted(accept_irregular_slices, accept_sheared)
    chosen = "" if series is None else str(series)
    count = threads_of(threads)
    hook = hook_of(progress)
    found = _own_files.read(
        name, accepted, series=chosen, spacing=spacing, raw=raw or "", as_labels=as_labels, threads=count, progress=hook
    )
    image = Image(*found[:4])
    image.has_spacing = found[5]
    image.names = {label: text for label, text, _ in found[4] if text}
    image.colors = {label: (color[0], color[1], color[2]) for label, _, color in found[4] if color}
    for text in accepted.notes:
        warnings.warn(text, UserWarning, stacklevel=2)
    return image


def write(
    path: str | os.PathLike[str],
    image: Any,
    *,
    spacing: float | Sequence[float] | None = None,
    progress: Progress | None = None,
) -> None:
    """Writes a compressed image file, completely or not at all.

    Parameters
    ----------
    path : path
        `.nrrd`, `.mha`, `.nii`, `.nii.gz`, `.tif`, `.tiff` or `.png`; `.nhdr`, `.mhd`, `.hdr` and `.img` (two files); or
        `.seg.nrrd`, a segmentation of 3D Slicer.
    image : array or image
        An image that `label` accepts, or `Image`.
    spacing : float or sequence of float, optional
        Size of a voxel in mm, in the order of the array's axes; the image's spacing if not given.
    progress : callable, bar of tqdm or Progress of rich, optional
        Called with the fraction written, from 0 to 1.

    Raises
    ------
    ValueError
        For other extensions.
    ImportError
        If the package was built without readers and writers.
    """
    name = os.fspath(path)
    volume = as_volume(image)
    dimension = volume.array.ndim
    steps = list(volume.spacing) if volume.spacing is not None else [1.0] * dimension
    if spacing is not None:
        steps = volume.along_axes("spacing", spacing, float_of)
    _check_lengths(steps)
    lost = _own_files.write(name, volume.array, steps, volume.origin, volume.direction, hook_of(progress))
    for text in lost:
        warnings.warn(text, UserWarning, stacklevel=2)
