"""Image files, through the libraries that are installed: SimpleITK (NRRD, MetaImage, NIfTI, DICOM folders, PNG ...),
nibabel (NIfTI, where SimpleITK is missing) and tifffile (TIFF). ``pip install brickccl[io]`` brings all three.

The `brickccl` command reads files by its own readers, which are stricter; these functions trust the libraries.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._volume import Volume, as_volume, voxels

__all__ = ["Image", "read", "write"]

_NIFTI = (".nii", ".nii.gz")
_TIFF = (".tif", ".tiff")
#: What is written as one file by SimpleITK.
_WRITTEN = (".nrrd", ".mha", ".nii", ".nii.gz", ".png")
_TWO_FILES = {".mhd": ".mha", ".nhdr": ".nrrd", ".hdr": ".nii", ".img": ".nii"}


class Image:
    """Voxels with their place in space, as `read` gives them and `label` and all others take and give them.

    Parameters
    ----------
    array : numpy.ndarray
        Voxels; the last axis is x.
    spacing : sequence of float, optional
        Size of a voxel in mm, in the order of the array's axes (z, y, x); 1 if not given.
    origin, direction : sequence of float, optional
        As ITK has them, in the order x, y, z; `direction` row after row.

    Examples
    --------
    >>> import numpy as np, brickccl
    >>> from brickccl.io import Image
    >>> image = Image(np.array([[1, 0], [0, 1]]), spacing=(0.5, 2.0))
    >>> brickccl.label(image)
    <brickccl.io.Image of uint8, shape (2, 2), spacing (0.5, 2.0)>
    """

    def __init__(
        self,
        array: np.ndarray[Any, Any],
        spacing: Sequence[float] | None = None,
        origin: Sequence[float] | None = None,
        direction: Sequence[float] | None = None,
    ) -> None:
        self.array: np.ndarray[tuple[int, ...], np.dtype[Any]] = np.asarray(array)
        dimension = self.array.ndim
        self.spacing: tuple[float, ...] = tuple(float(value) for value in (spacing or (1.0,) * dimension))
        self.origin: tuple[float, ...] = tuple(float(value) for value in (origin or (0.0,) * dimension))
        self.direction: tuple[float, ...] = tuple(float(value) for value in (direction or np.eye(dimension).ravel()))
        for name, values, count in (
            ("spacing", self.spacing, dimension),
            ("origin", self.origin, dimension),
            ("direction", self.direction, dimension * dimension),
        ):
            if len(values) != count:
                raise ValueError(f"the {name} has {len(values)} values; an array of {dimension} axes needs {count}")

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
            wrap=lambda labels: Image(labels, spacing, origin, direction),
        )


def _ending(path: str) -> str:
    name = os.path.basename(path).lower()
    return ".nii.gz" if name.endswith(".nii.gz") else os.path.splitext(name)[1]


def _missing(path: str, library: str) -> ImportError:
    return ImportError(f"'{path}' needs {library}, which is not installed: pip install brickccl[io]")


def _import_simpleitk() -> Any:
    try:
        import SimpleITK
    except ImportError:
        return None
    return SimpleITK


def read(path: str | os.PathLike[str]) -> Image:
    """Reads an image file, or the one DICOM series of a folder.

    Parameters
    ----------
    path : path
        `.nrrd`, `.nhdr`, `.mha`, `.mhd`, `.nii`, `.nii.gz`, `.tif`, `.tiff`, `.png`, `.dcm` and what else SimpleITK reads, or
        a folder. TIFF files have no spacing.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ImportError
        If the library for this kind of file is missing.
    ValueError
        If the file cannot be read, or holds something else than one value for each voxel.
    """
    name = os.fspath(path)
    if not os.path.exists(name):
        raise FileNotFoundError(f"there is no file '{name}'")
    ending = _ending(name)
    if ending in _TIFF:
        return _read_tiff(name)
    simpleitk = _import_simpleitk()
    if simpleitk is not None:
        return _read_simpleitk(simpleitk, name)
    if ending in _NIFTI:
        return _read_nibabel(name)
    raise _missing(name, "SimpleITK")


def _read_tiff(name: str) -> Image:
    try:
        import tifffile
    except ImportError:
        raise _missing(name, "tifffile") from None
    try:
        array = tifffile.imread(name)
    except Exception as error:
        raise ValueError(f"'{name}' cannot be read: {error}") from error
    if array.ndim > 2 and array.shape[-1] in (3, 4):
        raise ValueError(f"'{name}' has {array.shape[-1]} values in each pixel; it must have 1")
    return Image(array)


def _read_simpleitk(simpleitk: Any, name: str) -> Image:
    try:
        if os.path.isdir(name):
            series = simpleitk.ImageSeriesReader.GetGDCMSeriesIDs(name)
            if len(series) != 1:
                raise ValueError(f"the folder holds {len(series)} DICOM series; it must hold 1")
            image = simpleitk.ReadImage(simpleitk.ImageSeriesReader.GetGDCMSeriesFileNames(name, series[0]))
        else:
            image = simpleitk.ReadImage(name)
    except (RuntimeError, ValueError) as error:
        raise ValueError(f"'{name}' cannot be read: {str(error).strip().splitlines()[-1]}") from error
    if image.GetNumberOfComponentsPerPixel() != 1:
        raise ValueError(f"'{name}' has {image.GetNumberOfComponentsPerPixel()} values in each voxel; it must have 1")
    array = simpleitk.GetArrayFromImage(image)
    return Image(array, image.GetSpacing()[::-1], image.GetOrigin(), image.GetDirection())


def _read_nibabel(name: str) -> Image:
    try:
        import nibabel
        from nibabel.filebasedimages import ImageFileError
    except ImportError:
        raise _missing(name, "SimpleITK or nibabel") from None
    try:
        volume = as_volume(nibabel.load(name), f"'{name}'")
    except (ImageFileError, EOFError, OSError) as error:
        raise ValueError(f"'{name}' cannot be read: {error}") from error
    assert volume.spacing is not None
    return Image(volume.array, volume.spacing[::-1], volume.origin, volume.direction)


def write(path: str | os.PathLike[str], image: Any, *, spacing: float | Sequence[float] | None = None) -> None:
    """Writes an image file, compressed, as a whole or not at all.

    Parameters
    ----------
    path : path
        `.nrrd`, `.mha`, `.nii`, `.nii.gz`, `.tif`, `.tiff` or `.png`.
    image : array or image
        What `label` takes, or `Image`.
    spacing : float or sequence of float, optional
        Size of a voxel in mm, in the order of the array's axes; that of the image if not given.

    Raises
    ------
    ValueError
        For other endings.
    ImportError
        If the library for this kind of file is missing.
    """
    name = os.fspath(path)
    ending = _ending(name)
    if ending in _TWO_FILES:
        raise ValueError(f"'{name}' would be two files; write {_TWO_FILES[ending]}")
    if ending not in _WRITTEN + _TIFF:
        raise ValueError(f"files '{ending}' are not written; choose {', '.join(_WRITTEN + _TIFF)}")
    volume = as_volume(image)
    dimension = volume.array.ndim
    steps = list(volume.spacing) if volume.spacing is not None else [1.0] * dimension
    if spacing is not None:
        steps = [float(value) for value in np.broadcast_to(spacing, (dimension,))]
        steps = steps if volume.is_reversed else steps[::-1]
    array = volume.array.view(np.uint8) if volume.array.dtype == bool else volume.array
    save = _save_tiff if ending in _TIFF else _save_simpleitk if _import_simpleitk() else _save_nibabel
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(name) or ".", prefix=".brickccl-", suffix=ending)
    os.close(handle)
    try:
        save(name, temporary, array, steps, volume)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, name)
    except BaseException:
        os.unlink(temporary)
        raise


def _save_tiff(name: str, temporary: str, array: Any, spacing: list[float], volume: Volume) -> None:
    try:
        import tifffile
    except ImportError:
        raise _missing(name, "tifffile") from None
    if any(step != 1 for step in spacing):
        warnings.warn(f"'{name}' does not hold the spacing: TIFF has no place for it", stacklevel=4)
    tifffile.imwrite(temporary, array, photometric="minisblack", compression="zlib")


def _save_simpleitk(name: str, temporary: str, array: Any, spacing: list[float], volume: Volume) -> None:
    simpleitk = _import_simpleitk()
    image = simpleitk.GetImageFromArray(array, isVector=False)
    image.SetSpacing(spacing)
    if len(volume.origin):
        image.SetOrigin(list(volume.origin))
        image.SetDirection(list(volume.direction))
    try:
        simpleitk.WriteImage(image, temporary, useCompression=True)
    except RuntimeError as error:
        raise ValueError(f"'{name}' cannot be written: {str(error).strip().splitlines()[-1]}") from error


def _save_nibabel(name: str, temporary: str, array: Any, spacing: list[float], volume: Volume) -> None:
    if _ending(name) not in _NIFTI:
        raise _missing(name, "SimpleITK")
    try:
        import nibabel
    except ImportError:
        raise _missing(name, "SimpleITK or nibabel") from None
    dimension = array.ndim
    space = min(3, dimension)
    affine = np.eye(4)
    direction = np.asarray(volume.direction or np.eye(dimension).ravel(), dtype=float).reshape(dimension, dimension)
    affine[:space, :space] = direction[:space, :space] * np.asarray(spacing[:space])
    affine[:space, 3] = (list(volume.origin) or [0.0] * dimension)[:space]
    affine = np.diag([-1.0, -1.0, 1.0, 1.0]) @ affine
    kind = nibabel.Nifti1Image if max(array.shape) < 2**15 else nibabel.Nifti2Image
    image = kind(array.T, affine, dtype=array.dtype)
    if dimension == 4:
        image.header.set_zooms(spacing)
    nibabel.save(image, temporary)
