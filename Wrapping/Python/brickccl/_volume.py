# SPDX-License-Identifier: Apache-2.0
"""Arrays and images of other libraries for the engine, and label maps as the kind of the input."""

from __future__ import annotations

import atexit
import mmap
import operator
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core
from ._warnings import warn

if TYPE_CHECKING:
    from ._orthogonal import Accepted

AXES = "xyzt"
#: Images of which only counts whether a value is 0.
MASKS = ("mask", "touching", "part")


class Place(NamedTuple):
    """The place of an image's voxels in space, along x, y, z, t."""

    spacing: Sequence[float]
    origin: Sequence[float]
    direction: Sequence[float]


class Volume:
    """An array in C order and native byte order, with its geometry and a conversion back to the kind of the input."""

    __slots__ = ("array", "source", "spacing", "origin", "direction", "has_spacing", "wrap", "is_reversed", "label_type")

    def __init__(
        self,
        array: np.ndarray[Any, Any],
        source: Any,
        *,
        spacing: Sequence[float] | None = None,
        origin: Sequence[float] = (),
        direction: Sequence[float] = (),
        has_spacing: bool = True,
        wrap: Callable[[np.ndarray[Any, Any]], Any] | None = None,
        is_reversed: bool = False,
        label_type: str = "u4",
    ) -> None:
        self.array: np.ndarray[Any, Any] = array
        # A view into an image is only good while the image lives.
        self.source: Any = source
        # Along x, y, z, t: the last axis of the array is x.
        self.spacing: Sequence[float] | None = spacing
        self.origin: Sequence[float] = origin
        self.direction: Sequence[float] = direction
        # Whether the spacing is the voxels' own, not 1 for want of one.
        self.has_spacing: bool = has_spacing and spacing is not None
        self.wrap: Callable[[np.ndarray[Any, Any]], Any] | None = wrap
        # Whether the user's axes are x, y, z and the array's z, y, x.
        self.is_reversed: bool = is_reversed
        self.label_type: str = label_type

    @property
    def is_plain(self) -> bool:
        """Whether it is a plain array, without a place in space."""
        return self.spacing is None

    def in_voxels(self, spacing: Any) -> bool:
        """Whether sizes are in voxels, because neither the image nor the argument `spacing` says how large a voxel is."""
        return spacing is None and not self.has_spacing

    @property
    def place(self) -> Place | None:
        """Its place in space; None for arrays."""
        return None if self.spacing is None else Place(self.spacing, self.origin, self.direction)

    def geometry(self, spacing: Any, start: Any) -> _core.Geometry:
        """The geometry, from a spacing and a start in the order of the user's axes."""
        dimension = self.array.ndim
        if spacing is None and start is None and self.spacing is None:
            return _plain_geometry(dimension)
        along = self.spacing if self.spacing is not None and self.has_spacing else (1.0,) * dimension
        if spacing is not None:
            along = self.along_axes("spacing", spacing, float_of)
        first = [] if start is None else self.along_axes("start", start, operator.index)
        for begin, size in zip(first, self.array.shape[::-1]):
            if not -(2**63) <= begin <= 2**63 - size:
                raise ValueError(f"start has the index {begin}; all voxel indices must be below 2^63")
        return _core.Geometry.make(list(along), list(self.origin), list(self.direction), list(first))

    def axis(self, name: str, axis: int) -> int:
        """An axis of the user's array as one of x, y, z, t."""
        dimension = self.array.ndim
        try:
            number = operator.index(axis)
        except TypeError:
            number = None
        # A truth value would be axis 0 or 1.
        if number is None or isinstance(axis, bool):
            raise TypeError(f"{name} must be the number of an axis, not {axis!r}")
        if not -dimension <= number < dimension:
            raise ValueError(f"{name}={axis} is not an axis of an array of {dimension} dimensions")
        number %= dimension
        return number if self.is_reversed else dimension - 1 - number

    def axes(self, name: str, axes: Any) -> list[int]:
        """Axes of the user's array as some of x, y, z, t: numbers, one truth value for each axis, or letters."""
        dimension = self.array.ndim
        if isinstance(axes, str):
            letters = axes.replace(",", "")
            if any(letter not in AXES[:dimension] for letter in letters) or len(set(letters)) < len(letters):
                raise ValueError(f"{name}={axes!r} must be different letters of {AXES[:dimension]!r}")
            return [AXES.index(letter) for letter in letters]
        given = [axes] if np.ndim(axes) == 0 else list(axes)
        if given and all(isinstance(value, (bool, np.bool_)) for value in given):
            if len(given) != dimension:
                raise ValueError(f"{name} has {len(given)} truth values; the image has {dimension} axes")
            given = [axis for axis, value in enumerate(given) if value]
        try:
            found = [self.axis(name, axis) for axis in given]
        except TypeError:
            raise TypeError(f"{name} must be axes, a truth value for each axis or letters, not {axes!r}") from None
        if len(set(found)) < len(found):
            raise ValueError(f"{name}={axes!r} names an axis twice")
        return found

    def neighborhood(self, element: Any) -> list[int]:
        """A structuring element in the order of the user's axes, or a text such as 8+z, for the engine."""
        dimension = self.array.ndim
        if isinstance(element, str):
            return list(_core.neighborhood_of(element, dimension))
        array = np.asarray(element)
        if array.dtype.kind not in "biuf" or array.shape != (3,) * dimension:
            raise ValueError(
                f"neighborhood must be an array of numbers or truth values of the shape {(3,) * dimension}, as the image "
                f"has {dimension} axes; it is of {array.dtype} and the shape {array.shape}"
            )
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise ValueError("neighborhood contains NaN; remove it")
        chosen = [int(value) for value in ((array.T if self.is_reversed else array) != 0).ravel()]
        if sum(chosen) == chosen[len(chosen) // 2]:
            warn("neighborhood has no neighbor, so every voxel would be a component")
        return chosen

    def labels(self, array: np.ndarray[Any, Any]) -> Any:
        """A label map as the kind of the input."""
        return array if self.wrap is None else self.wrap(array)

    def companion(self, name: str, value: Any) -> np.ndarray[Any, Any] | None:
        """A mask or image of the same shape and axes as the input."""
        return None if value is None else companion_of(self.array.shape, self.is_reversed, self.place, name, value)

    def along_axes(self, name: str, values: Any, convert: Callable[[Any], Any]) -> list[Any]:
        """One value, or one per axis in the user's order, along x, y, z, t."""
        dimension = self.array.ndim
        try:
            given = [convert(values)] * dimension if np.ndim(values) == 0 else [convert(value) for value in values]
        except (TypeError, ValueError):
            raise TypeError(f"{name} must be a number or {dimension} numbers, not {values!r}") from None
        if len(given) != dimension:
            raise ValueError(f"{name} has {len(given)} values; the image has {dimension} axes")
        return given if self.is_reversed else given[::-1]


@lru_cache(maxsize=8)
def _plain_geometry(dimension: int) -> _core.Geometry:
    return _core.Geometry.make([1.0] * min(dimension, len(AXES)))


atexit.register(_plain_geometry.cache_clear)


def voxels(array: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    """The array, or a copy with the engine's type, byte order and layout."""
    kind = array.dtype.kind
    if kind not in "biuf" or array.dtype.itemsize > 8:
        raise TypeError(f"{name} is of type {array.dtype}; it must be bool, an integer type, float16, float32 or float64")
    if not 1 <= array.ndim <= 4:
        raise ValueError(f"{name} has {array.ndim} dimensions; it must have 1 to 4")
    if array.size == 0:
        raise ValueError(f"{name} has no voxels: its shape is {array.shape}")
    if array.dtype.itemsize == 2 and kind == "f":
        return np.ascontiguousarray(array, dtype=np.float32)
    if not array.dtype.isnative:
        return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def float_of(value: Any) -> float:
    """A number as a float; TypeError also for texts, which `float` accepts."""
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{value!r} is a text, not a number")
    return float(value)


def count_of(name: str, value: Any) -> int:
    """A whole number of at least 0."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None
    if not 0 <= number < 2**64:
        raise ValueError(f"{name}={value} must be at least 0 and below 2^64")
    return number


def threads_of(threads: Any) -> int:
    """A number of threads, None for all."""
    if threads is None or type(threads) is int and threads == -1:
        return 0
    number = count_of("threads", max(threads, 0) if type(threads) is int else threads)
    if not 1 <= number <= 4096:
        raise ValueError(f"threads={threads} must be 1 to 4096, or None or -1 for all")
    return number


def workers_of(workers: Any) -> int | None:
    """A number of threads or processes, None for one per processor."""
    if workers is None or type(workers) is int and workers == -1:
        return None
    number = count_of("workers", max(workers, 0) if type(workers) is int else workers)
    if not 1 <= number <= 4096:
        raise ValueError(f"workers={workers} must be 1 to 4096, or None or -1 for as many as processors")
    return number


def check_mapped(array: np.ndarray[Any, Any], name: str) -> None:
    """Raises if an array is in a mapped file that was truncated since, because reading it would kill the process (SIGBUS)."""
    base: Any = array
    begin = 0
    while base is not None and not isinstance(base, mmap.mmap):
        if isinstance(base, np.memmap) and base.offset is not None:
            # numpy maps the file from a whole page on.
            begin = base.offset - base.offset % mmap.ALLOCATIONGRANULARITY
        base = getattr(base, "base", None)
    if base is None:
        return
    try:
        size, needed = base.size(), begin + len(base)
    except (ValueError, OSError):
        # It has no file, or that was closed.
        return
    if size < needed:
        raise ValueError(
            f"{name} is in a file that was truncated after mapping: it has {size} bytes of {needed}; write and map it again"
        )


def as_volume(image: Any, name: str = "the image") -> Volume:
    """Accepts an array, or an image of a known library."""
    if isinstance(image, np.ndarray) and image.base is not None:
        check_mapped(image, name)
    if type(image) is np.ndarray:
        return Volume(voxels(image, name), image)
    library = type(image).__module__.partition(".")[0]
    if library == "SimpleITK":
        return _from_simpleitk(image, name)
    if library == "itk" or library == "itkImagePython":
        return _from_itk(image, name)
    if library == "nibabel" or _is_nibabel(image):
        return from_nibabel(image, name)
    if library == "brickccl" and hasattr(image, "to_volume"):
        return image.to_volume(name)  # type: ignore[no-any-return]
    if isinstance(image, np.ma.MaskedArray) or isinstance(getattr(image, "_meta", None), np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; pass its data, and mask=~array.mask")
    if isinstance(image, np.ndarray):
        return Volume(voxels(np.asarray(image), name), image)
    if hasattr(image, "__dlpack__") and hasattr(image, "__dlpack_device__"):
        return _from_dlpack(image, name)
    if hasattr(image, "__cuda_array_interface__"):
        raise NotImplementedError(
            f"{name} is on a GPU; only label accepts such arrays; copy it to the host (cupy.asnumpy, tensor.cpu())"
        )
    if isinstance(image, (str, bytes)) or not (hasattr(image, "__array__") or isinstance(image, (Sequence, memoryview))):
        raise TypeError(
            f"{name} is of type {type(image).__name__}; it must be an array, or an image of SimpleITK, ITK or nibabel"
        )
    return Volume(voxels(np.asarray(image), name), image)


def companion_of(
    shape: tuple[int, ...], is_reversed: bool, place: Place | None, name: str, value: Any
) -> np.ndarray[Any, Any]:
    """A mask or image for an image of this shape and place; the user's axes are x, y, z if `is_reversed`. A plain array has
    the same axes as the image."""
    other = as_volume(value, name)
    array = other.array
    if (is_reversed and other.is_plain) or (place is None and other.is_reversed):
        array = voxels(array.T, name)
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}; it must have the image's shape, {shape}")
    if place is not None and other.place is not None:
        check_place(place, other.place, name)
    if name in MASKS:
        check_numbers(array, name)
    return array


def check_place(place: Place, other: Place, name: str) -> None:
    """Raises if another image of the same shape is elsewhere in space, as exactly as the command does."""
    steps = place.spacing
    for what, theirs, ours, limits in (
        ("spacing", other.spacing, steps, [1e-4 * step for step in steps]),
        ("origin", other.origin, place.origin, [1e-3 * step for step in steps]),
        ("direction", other.direction, place.direction, [1e-4] * len(place.direction)),
    ):
        if any(abs(one - own) > limit for one, own, limit in zip(theirs, ours, limits)):
            raise ValueError(
                f"{name} is elsewhere in space than the image: its {what} is {tuple(theirs)} instead of {tuple(ours)}; "
                "resample it to the grid of the image, or pass only its array"
            )


def check_numbers(array: np.ndarray[Any, Any], name: str) -> None:
    """Raises for NaN, which would be ambiguous."""
    if array.dtype.kind == "f" and np.isnan(array.min()):
        raise ValueError(f"{name} contains NaN; remove it")


def taker_of(image: Any) -> Any:
    """The function of an array's library that imports DLPack arrays; None if unknown."""
    if hasattr(image, "__array_namespace__"):
        library = image.__array_namespace__()
    else:
        library = sys.modules.get(type(image).__module__.partition(".")[0])
    return getattr(library, "from_dlpack", None)


def taken_back(taken_by: Callable[[Any], Any], labels: Any, image: Any) -> Any:
    """Labels as an array of the image's library."""
    result = taken_by(labels)
    if str(result.dtype).rpartition(".")[2] != str(labels.dtype).rpartition(".")[2]:
        raise TypeError(
            f"labels of {labels.dtype} became {result.dtype} in an array of {type(image).__module__.partition('.')[0]}; "
            "choose another dtype=, for example 'uint32' (JAX needs jax_enable_x64 for 64-bit types)"
        )
    return result


def _from_dlpack(image: Any, name: str) -> Volume:
    device = image.__dlpack_device__()
    if int(device[0]) != 1:
        raise NotImplementedError(
            f"{name} is on a GPU; only label accepts such arrays; copy it to the host (cupy.asnumpy, tensor.cpu())"
        )
    taken_by = taker_of(image)

    def wrap(labels: np.ndarray[Any, Any]) -> Any:
        # Types without a way back get numpy arrays.
        return labels if taken_by is None else taken_back(taken_by, labels, image)

    readable = image
    if str(getattr(image, "dtype", "")).endswith("bfloat16"):
        # numpy has no such type; float32 holds its values.
        readable = image.float() if hasattr(image, "float") else image.astype(np.float32)
    # PyTorch computes with signed types only.
    label_type = "i4" if type(image).__module__.partition(".")[0] == "torch" else "u4"
    return Volume(voxels(np.from_dlpack(readable), name), image, wrap=wrap, label_type=label_type)


def _from_simpleitk(image: Any, name: str) -> Volume:
    import SimpleITK

    if not isinstance(image, SimpleITK.Image):
        raise TypeError(f"{name} is a SimpleITK.{type(image).__name__}; it must be an Image")
    if "label" in image.GetPixelIDTypeAsString():
        raise TypeError(f"{name} is a label map of SimpleITK; convert it with LabelMapToLabel")
    if image.GetNumberOfComponentsPerPixel() != 1:
        raise TypeError(f"{name} has {image.GetNumberOfComponentsPerPixel()} values in each voxel; it must have 1")
    spacing, origin, direction = image.GetSpacing(), image.GetOrigin(), image.GetDirection()

    def wrap(labels: np.ndarray[Any, Any]) -> Any:
        result = SimpleITK.GetImageFromArray(labels, isVector=False)
        result.SetSpacing(spacing)
        result.SetOrigin(origin)
        result.SetDirection(direction)
        return result

    array = SimpleITK.GetArrayViewFromImage(image)
    return Volume(
        voxels(array, name), image, spacing=spacing, origin=origin, direction=direction, wrap=wrap
    )


def _from_itk(image: Any, name: str) -> Volume:
    import itk

    if not hasattr(image, "GetBufferedRegion"):
        raise TypeError(f"{name} is an itk.{type(image).__name__}; it must be an Image (Update() and GetOutput() of a filter)")
    if image.GetNumberOfComponentsPerPixel() != 1:
        raise TypeError(f"{name} has {image.GetNumberOfComponentsPerPixel()} values in each voxel; it must have 1")
    dimension = image.GetImageDimension()
    region = image.GetBufferedRegion()
    if region.GetNumberOfPixels() == 0:
        raise ValueError(f"{name} has no voxels; call Update() of the filter that makes it, or Allocate()")
    spacing = [float(value) for value in image.GetSpacing()]
    origin = [float(image.GetOrigin()[axis]) for axis in range(dimension)]
    direction = itk.array_from_matrix(image.GetDirection())
    # The first voxel may have another index than 0 and is then not at the origin.
    first = image.TransformIndexToPhysicalPoint(region.GetIndex())

    def wrap(labels: np.ndarray[Any, Any]) -> Any:
        try:
            result = itk.image_from_array(labels)
        except KeyError:
            raise TypeError(
                f"this build of ITK does not support images of {labels.dtype}; choose another dtype, for example dtype='uint16'"
            ) from None
        result.SetSpacing(spacing)
        result.SetOrigin(origin)
        result.SetDirection(direction)
        result.SetRegions(region)
        return result

    return Volume(
        voxels(itk.array_view_from_image(image), name),
        image,
        spacing=spacing,
        origin=[float(first[axis]) for axis in range(dimension)],
        direction=[float(value) for value in direction.ravel()],
        wrap=wrap,
    )


def _is_nibabel(image: Any) -> bool:
    nibabel = sys.modules.get("nibabel")
    return nibabel is not None and isinstance(image, nibabel.spatialimages.SpatialImage)


def from_nibabel(image: Any, name: str, accepted: Accepted | None = None) -> Volume:
    """A nibabel image; a sheared one only if accepted."""
    from ._orthogonal import Accepted, orthogonal

    array = np.asarray(image.dataobj).T
    dimension = array.ndim
    if image.affine is None:
        raise ValueError(f"{name} has no affine and thus no spacing")
    space = min(3, dimension)
    affine = np.asarray(image.affine, dtype=float)
    # nibabel's axes point to the right and to the front, ITK's to the left and to the back.
    columns = np.diag([-1.0, -1.0, 1.0]) @ affine[:3, :3]
    lengths, unit = orthogonal(columns[:, :space], f"the affine of {name}", accepted or Accepted())
    spacing = [float(length) for length in lengths[:space]]
    if dimension == 4:
        spacing.append(float(image.header.get_zooms()[3]) or 1.0)
    direction = np.eye(dimension)
    origin = np.zeros(dimension)
    direction[:space, :space] = unit[:space]
    origin[:space] = (affine[:3, 3] * [-1.0, -1.0, 1.0])[:space]

    kind, header = type(image), image.header.copy()

    def wrap(labels: np.ndarray[Any, Any]) -> Any:
        try:
            header.set_data_dtype(labels.dtype)
        except Exception as error:
            # nibabel's own HeaderDataError.
            raise TypeError(
                f"images of nibabel's {kind.__name__} have no voxels of {labels.dtype}; choose another dtype, for example "
                "dtype='int16'"
            ) from error
        return kind(labels.T, affine, header)

    return Volume(
        voxels(array, name),
        image,
        spacing=spacing,
        origin=[float(value) for value in origin],
        direction=[float(value) for value in direction.ravel()],
        wrap=wrap,
        is_reversed=True,
    )
