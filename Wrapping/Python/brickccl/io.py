# SPDX-License-Identifier: Apache-2.0
"""Image files: through the readers of the `brickccl` command, if the package was built with them (`BRICKCCL_PYTHON_IO`),
with the same voxels, geometry, notes and errors. See ``brickccl.info()["build"]``.

Otherwise through installed libraries: SimpleITK (NRRD, MetaImage, NIfTI, DICOM folders, PNG ...), nibabel (NIfTI, without
SimpleITK) and tifffile (TIFF). ``pip install brickccl[io]`` installs all three. They are less strict.
"""

from __future__ import annotations

import math
import os
import tempfile
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._slices import Accepted, check_slice_names, order_series, orthogonal, slice_images
from . import _own_files
from ._progress import Progress, hook_of
from ._volume import Volume, as_volume, float_of, from_nibabel, threads_of, voxels

__all__ = ["Image", "read", "write"]

_NIFTI = (".nii", ".nii.gz")
_TIFF = (".tif", ".tiff")
#: Formats that SimpleITK writes as one file.
_WRITTEN = (".nrrd", ".mha", ".nii", ".nii.gz", ".png")
_TWO_FILES = {".mhd": ".mha", ".nhdr": ".nrrd", ".hdr": ".nii", ".img": ".nii"}


class Image:
    """Voxels with their place in space: the result of `read`, accepted and returned by `label` and all other functions.

    Parameters
    ----------
    array : numpy.ndarray
        Voxels; the last axis is x.
    spacing : sequence of float, optional
        Size of a voxel in mm, in the order of the array's axes (z, y, x); 1 if not given.
    origin, direction : sequence of float, optional
        As in ITK, in the order x, y, z; `direction` row after row, or as a matrix.

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
        dimension = self.array.ndim
        self.spacing: tuple[float, ...] = _floats_of("spacing", spacing, (1.0,) * dimension)
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
        command (or of SimpleITK); a folder with a DICOM series or slice images; or a pattern of slice images
        (``"slices/ct_*.tif"``), ordered by the number in their names.
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
        big-endian and ``":skip=512"`` if bytes precede them. It needs the command's readers.
    as_labels : bool, default False
        The image is a label map: the command's readers read palette images as color numbers.
    threads : int, optional
        Threads of the command's readers; all if not given.
    progress : callable, bar of tqdm or Progress of rich, optional
        Called with the fraction read, from 0 to 1; the other libraries call it only at the end, and Ctrl-C cannot stop them.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ImportError
        If the library for this kind of file is missing.
    ValueError
        If the file cannot be read, or does not have one value per voxel; if slices are missing or axes are sheared and this
        is not accepted; if there are several series and none is chosen.
    """
    name = os.fspath(path)
    accepted = Accepted(accept_irregular_slices, accept_sheared)
    chosen = "" if series is None else str(series)
    count = threads_of(threads)
    hook = hook_of(progress)
    files = _own_files.import_files()
    if files is not None:
        layout = raw or ""
        found = _own_files.read(
            files, name, accepted, series=chosen, spacing=spacing, raw=layout, as_labels=as_labels, threads=count, progress=hook
        )
        image = Image(*found)
    elif raw is not None:
        raise ValueError(f"raw={raw!r} needs a package with the command's readers (BRICKCCL_PYTHON_IO)")
    else:
        image = _read(name, accepted, chosen)
        if spacing is not None:
            image = Image(image.array, spacing, image.origin, image.direction)
        if hook is not None:
            hook(1.0)
    for text in accepted.notes:
        warnings.warn(text, UserWarning, stacklevel=2)
    return image


def _read(name: str, accepted: Accepted, series: str) -> Image:
    if os.path.isdir(name):
        return _read_folder(name, accepted, series)
    if series:
        raise ValueError(f"series={series} needs a folder with DICOM series, not '{name}'")
    if os.path.exists(name):
        return _read_file(name, accepted)
    files = slice_images(name)
    if not files:
        raise FileNotFoundError(f"there is no file '{name}'")
    return _read_slices(files, accepted)


def _read_file(name: str, accepted: Accepted) -> Image:
    ending = _ending(name)
    if ending in _TIFF:
        return _read_tiff(name)
    simpleitk = _import_simpleitk()
    if simpleitk is not None:
        return _read_simpleitk(simpleitk, name, accepted)
    if ending in _NIFTI:
        return _read_nibabel(name, accepted)
    raise _missing(name, "SimpleITK")


def _read_folder(name: str, accepted: Accepted, chosen: str) -> Image:
    simpleitk = _import_simpleitk()
    series = [] if simpleitk is None else list(simpleitk.ImageSeriesReader.GetGDCMSeriesIDs(name))
    if series:
        return _read_series(simpleitk, name, _choose(series, chosen, name), accepted)
    if chosen:
        raise ValueError(f"series={chosen} chooses one of several DICOM series, and '{name}' has none")
    files = slice_images(name)
    if files:
        return _read_slices(files, accepted)
    if simpleitk is None:
        raise _missing(name, "SimpleITK")
    raise ValueError(f"'{name}' cannot be read: the folder holds 0 DICOM series and no slice images")


def _choose(series: Sequence[str], chosen: str, name: str) -> str:
    """One of the series of a folder, by its UID or its number."""
    if not chosen and len(series) == 1:
        return series[0]
    found = [uid for number, uid in enumerate(series, 1) if chosen in (uid, str(number))]
    if len(found) == 1:
        return found[0]
    listed = "".join(f"\n  {number}: {uid}" for number, uid in enumerate(series, 1))
    problem = f"series={chosen} does not exist" if chosen else "there must be 1, or choose one with series="
    raise ValueError(f"'{name}' cannot be read: the folder holds {len(series)} DICOM series, {problem}:{listed}")


def _read_slices(files: Sequence[str], accepted: Accepted) -> Image:
    """Slice images, read one by one into one array."""
    check_slice_names(files, accepted)
    first = _read_file(files[0], accepted)
    shape, spacing = first.shape[-2:], first.spacing[-2:]
    whole = np.empty((len(files), *shape), first.dtype)
    for place, file in enumerate(files):
        image = _read_file(file, accepted)
        if image.array.size != whole[place].size or image.shape[-2:] != shape or image.dtype != first.dtype:
            raise ValueError(
                f"'{file}' has the shape {image.shape} and the type {image.dtype}; it must be one slice as '{files[0]}', of "
                f"{shape} and {first.dtype}"
            )
        whole[place] = image.array.reshape(shape)
    return Image(whole, (1.0, *spacing))


def _read_series(simpleitk: Any, name: str, series: str, accepted: Accepted) -> Image:
    """A DICOM series, possibly of many files."""
    files = list(simpleitk.ImageSeriesReader.GetGDCMSeriesFileNames(name, series))
    step = None
    if len(files) > 1:
        files, step = order_series(simpleitk, files, accepted)
    image = _read_by(simpleitk, name, files)
    if step is None:
        return _image_of(simpleitk, name, image)
    vectors = np.array(image.GetDirection()).reshape(3, 3) * np.array(image.GetSpacing())
    vectors[:, 2] = step
    lengths, directions = orthogonal(vectors, f"'{name}'", accepted)
    image.SetSpacing([float(length) for length in lengths])
    image.SetDirection([float(value) for value in directions.ravel()])
    return _image_of(simpleitk, name, image)


def _read_tiff(name: str) -> Image:
    try:
        import tifffile
    except ImportError:
        raise _missing(name, "tifffile") from None
    try:
        with tifffile.TiffFile(name) as file:
            array, axes = file.asarray(), file.series[0].axes if file.series else ""
    except Exception as error:
        raise ValueError(f"'{name}' cannot be read: {error}") from error
    if array.size == 0:
        raise ValueError(f"'{name}' cannot be read: it has no images, or is damaged")
    # Samples of a pixel lie side by side, or each in a plane of its own.
    if "S" in axes and len(axes) == array.ndim:
        raise ValueError(f"'{name}' has {array.shape[axes.index('S')]} values in each pixel; it must have 1")
    return Image(array)


def _read_by(simpleitk: Any, name: str, files: Any) -> Any:
    try:
        return simpleitk.ReadImage(files)
    except RuntimeError as error:
        raise ValueError(f"'{name}' cannot be read: {str(error).strip().splitlines()[-1]}") from error


def _read_simpleitk(simpleitk: Any, name: str, accepted: Accepted) -> Image:
    try:
        return _image_of(simpleitk, name, _read_by(simpleitk, name, name))
    except ValueError as error:
        # ITK does not read sheared NIfTI files, nibabel does.
        if "orthonormal" not in str(error) or _ending(name) not in _NIFTI:
            raise
    return _read_nibabel(name, accepted)


def _image_of(simpleitk: Any, name: str, image: Any) -> Image:
    if image.GetNumberOfComponentsPerPixel() != 1:
        raise ValueError(f"'{name}' has {image.GetNumberOfComponentsPerPixel()} values in each voxel; it must have 1")
    array = simpleitk.GetArrayFromImage(image)
    return Image(array, image.GetSpacing()[::-1], image.GetOrigin(), image.GetDirection())


def _read_nibabel(name: str, accepted: Accepted) -> Image:
    try:
        import nibabel
        from nibabel.filebasedimages import ImageFileError
    except ImportError:
        raise _missing(name, "SimpleITK or nibabel") from None
    try:
        volume = from_nibabel(nibabel.load(name), f"'{name}'", accepted)
    except (ImageFileError, EOFError, OSError) as error:
        raise ValueError(f"'{name}' cannot be read: {error}") from error
    assert volume.spacing is not None
    return Image(volume.array, volume.spacing[::-1], volume.origin, volume.direction)


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
        `.nrrd`, `.mha`, `.nii`, `.nii.gz`, `.tif`, `.tiff` or `.png`; with the command's writers also `.nhdr`, `.mhd`, `.hdr`
        and `.img` (two files), and `.seg.nrrd`, a segmentation of 3D Slicer.
    image : array or image
        An image that `label` accepts, or `Image`.
    spacing : float or sequence of float, optional
        Size of a voxel in mm, in the order of the array's axes; the image's spacing if not given.
    progress : callable, bar of tqdm or Progress of rich, optional
        Called with the fraction written, from 0 to 1; the other libraries call it only at the end, and Ctrl-C cannot stop
        them.

    Raises
    ------
    ValueError
        For other extensions.
    ImportError
        If the library for this kind of file is missing.
    """
    name = os.fspath(path)
    volume = as_volume(image)
    dimension = volume.array.ndim
    steps = list(volume.spacing) if volume.spacing is not None else [1.0] * dimension
    if spacing is not None:
        steps = volume.along_axes("spacing", spacing, float_of)
    _check_lengths(steps)
    hook = hook_of(progress)
    files = _own_files.import_files()
    if files is not None:
        lost = _own_files.write(files, name, volume.array, steps, volume.origin, volume.direction, hook)
    else:
        lost = _write(name, volume, steps)
        if hook is not None:
            hook(1.0)
    for text in lost:
        warnings.warn(text, UserWarning, stacklevel=2)


def _write(name: str, volume: Volume, steps: list[float]) -> list[str]:
    """Writes with the installed libraries; returns what the file cannot store."""
    ending = _ending(name)
    if ending in _TWO_FILES:
        raise ValueError(f"'{name}' would be two files; write {_TWO_FILES[ending]}")
    if ending not in _WRITTEN + _TIFF:
        raise ValueError(f"files '{ending}' are not written; choose {', '.join(_WRITTEN + _TIFF)}")
    if ending == ".png" and any(size > 1 for size in volume.array.shape[:-2]):
        raise ValueError(
            f"'{name}' cannot be written: it can hold only one slice of {volume.array.shape}; write each slice, or .tif, "
            ".nrrd, .mha"
        )
    if ending not in _TIFF and volume.array.ndim < 2:
        raise ValueError(f"'{name}' cannot be written: such files have 2 to 4 dimensions, not 1")
    array = volume.array.view(np.uint8) if volume.array.dtype == bool else volume.array
    save = _save_tiff if ending in _TIFF else _save_simpleitk if _import_simpleitk() else _save_nibabel
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(name) or ".", prefix=".brickccl-", suffix=ending)
    os.close(handle)
    try:
        lost = save(name, temporary, array, steps, volume)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, name)
    except BaseException:
        os.unlink(temporary)
        raise
    return lost


def _save_tiff(name: str, temporary: str, array: Any, spacing: list[float], volume: Volume) -> list[str]:
    try:
        import tifffile
    except ImportError:
        raise _missing(name, "tifffile") from None
    tifffile.imwrite(temporary, array, photometric="minisblack", compression="zlib")
    is_lost = any(step != 1 for step in spacing)
    return [f"'{name}' cannot store this spacing"] if is_lost else []


def _save_simpleitk(name: str, temporary: str, array: Any, spacing: list[float], volume: Volume) -> list[str]:
    simpleitk = _import_simpleitk()
    image = simpleitk.GetImageFromArray(array, isVector=False)
    try:
        image.SetSpacing(spacing)
        if len(volume.origin):
            image.SetOrigin(list(volume.origin))
            image.SetDirection(list(volume.direction))
        simpleitk.WriteImage(image, temporary, useCompression=True)
    except RuntimeError as error:
        raise ValueError(f"'{name}' cannot be written: {str(error).strip().splitlines()[-1]}") from error
    return []


def _save_nibabel(name: str, temporary: str, array: Any, spacing: list[float], volume: Volume) -> list[str]:
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
    return []
