# SPDX-License-Identifier: Apache-2.0
"""Labeling of arrays on a CUDA device: CuPy, PyTorch, and through them others (JAX)."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _core
from ._output import is_automatic
from ._table import Table
from ._volume import AXES, Volume, taken_back, taker_of, voxels

_CUDA_DEVICES = (2, 13)  # kDLCUDA and kDLCUDAManaged of DLPack
_FLOATS = ("float32", "float64")
_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


def is_on_device(image: Any) -> bool:
    """Whether an object other than a numpy array is in CUDA memory. Does not touch a device."""
    library = type(image).__module__.partition(".")[0]
    if library == "cupy":
        return True
    if library == "torch":
        return bool(getattr(image, "is_cuda", False))
    if hasattr(image, "__dlpack_device__"):
        return int(image.__dlpack_device__()[0]) in _CUDA_DEVICES
    return hasattr(image, "__cuda_array_interface__")


class _CuPy:
    """The parts of CuPy that labeling needs."""

    automatic = "uint32"

    def __init__(self, image: Any) -> None:
        self.library = sys.modules["cupy"]
        self.image = image
        self.device = int(image.device.id)

    def owns(self, array: Any) -> bool:
        return isinstance(array, self.library.ndarray) and int(array.device.id) == self.device

    def dtype_name(self, array: Any) -> str:
        return str(array.dtype.name)

    def as_dtype(self, dtype: Any) -> Any:
        return np.dtype(dtype)

    def name_of(self, dtype: Any) -> str:
        return str(np.dtype(dtype).name)

    def in_c_order(self, array: Any) -> Any:
        return array if array.flags.c_contiguous else self.library.ascontiguousarray(array)

    def is_c_order(self, array: Any) -> bool:
        return bool(array.flags.c_contiguous)

    def as_float32(self, array: Any) -> Any:
        return array.astype(self.library.float32, order="C")

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def stream(self) -> int:
        return int(self.library.cuda.get_current_stream(self.device).ptr)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        with self.library.cuda.Device(self.device):
            return self.library.empty(shape, dtype)

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        return np.asarray(self.library.asnumpy(array))

    def from_host(self, array: np.ndarray[Any, Any]) -> Any:
        with self.library.cuda.Device(self.device):
            return self.library.asarray(array)


class _Torch:
    """The parts of PyTorch that labeling needs."""

    automatic = "int32"

    def __init__(self, image: Any) -> None:
        self.library = sys.modules["torch"]
        self.image = image
        self.device = int(image.device.index)

    def owns(self, array: Any) -> bool:
        return isinstance(array, self.library.Tensor) and array.device == self.image.device

    def dtype_name(self, array: Any) -> str:
        return str(array.dtype).rpartition(".")[2]

    def as_dtype(self, dtype: Any) -> Any:
        if isinstance(dtype, self.library.dtype):
            return dtype
        name = np.dtype(dtype).name
        if not hasattr(self.library, name):
            raise TypeError(f"PyTorch has no type {name}")
        return getattr(self.library, name)

    def name_of(self, dtype: Any) -> str:
        return str(dtype).rpartition(".")[2]

    def in_c_order(self, array: Any) -> Any:
        return array.contiguous()

    def is_c_order(self, array: Any) -> bool:
        return bool(array.is_contiguous())

    def as_float32(self, array: Any) -> Any:
        return array.to(self.library.float32).contiguous()

    def address(self, array: Any) -> int:
        return int(array.data_ptr())

    def stream(self) -> int:
        return int(self.library.cuda.current_stream(self.image.device).cuda_stream)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return self.library.empty(shape, dtype=dtype, device=self.image.device)

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        known = array.to(self.library.float32) if array.dtype == self.library.bfloat16 else array
        return np.asarray(known.cpu().numpy())

    def from_host(self, array: np.ndarray[Any, Any]) -> Any:
        return self.library.from_numpy(array).to(self.image.device)


def _library_of(image: Any, name: str) -> Any:
    library = type(image).__module__.partition(".")[0]
    if library == "cupy":
        return _CuPy(image)
    if library == "torch":
        return _Torch(image)
    raise NotImplementedError(
        f"{name} is on a GPU and has type {type(image).__module__}.{type(image).__name__}; convert it without a copy with "
        "cupy.from_dlpack or torch.from_dlpack"
    )


def exchanged(given: Mapping[str, Any], out: Any) -> tuple[Mapping[str, Any], Callable[[Any], Any]]:
    """The arguments of `label` with arrays of another library (JAX) as CuPy or PyTorch arrays of the same memory, and a
    function that converts the labels back."""
    image = given["image"]
    taken_by = None
    if type(image).__module__.partition(".")[0] not in ("cupy", "torch") and hasattr(image, "__dlpack__"):
        taken_by = taker_of(image)
    carrier = None if taken_by is None else _carrier()
    if taken_by is None or carrier is None:
        return given, lambda labels: labels
    if out is not None:
        raise TypeError(f"out= is not available for arrays of {type(image).__module__.partition('.')[0]} on a GPU; omit it")
    mask = given["mask"]
    taken = {"image": carrier.from_dlpack(image)} | ({} if mask is None else {"mask": carrier.from_dlpack(mask)})
    return {**given, **taken}, lambda labels: taken_back(taken_by, labels, image)


def _carrier() -> Any:
    """The library that labels this array in place; None if there is none."""
    for name in sorted(("cupy", "torch"), key=lambda name: name not in sys.modules):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def _readable(library: Any, array: Any, name: str) -> tuple[Any, tuple[int, str, list[int]]]:
    """An array in C order, and its description for the engine. The array must live until it has been read."""
    dtype = library.dtype_name(array)
    if not 1 <= array.ndim <= len(AXES):
        raise ValueError(f"{name} has {array.ndim} dimensions; it must have 1 to {len(AXES)}")
    shape = [int(size) for size in array.shape]
    if 0 in shape:
        raise ValueError(f"{name} has no voxels: its shape is {tuple(shape)}")
    if dtype in ("float16", "bfloat16"):
        array, dtype = library.as_float32(array), "float32"
    if dtype == "bool":
        dtype = "uint8"
    elif dtype not in _INTEGERS and dtype not in _FLOATS:
        raise TypeError(f"{name} is of type {dtype}; it must be bool, an integer type or a floating type of up to 64 bits")
    array = library.in_c_order(array)
    return array, (library.address(array), dtype, shape)


def on_host(given: Mapping[str, Any]) -> tuple[Volume, dict[str, Any]]:
    """Copies the arrays in the arguments of `label` to the host. Label maps go back to the image's device."""
    library = _library_of(given["image"], "the image")
    copies = {name: library.to_host(value) for name, value in given.items() if is_on_device(value)}
    return Volume(voxels(copies["image"], "the image"), given["image"], wrap=library.from_host), {**given, **copies}


#: Engines that are not at work, by device and stream; each keeps its memory.
_idle: dict[tuple[int, int], list[_core.DeviceLabels]] = {}


def release_device_memory() -> None:
    """Releases the memory that labeling on CUDA devices keeps for the next call.

    Examples
    --------
    >>> import brickccl
    >>> brickccl.release_device_memory()
    """
    from ._device_slabs import release_slab_memory

    _idle.clear()
    release_slab_memory()


def _label_dtype(library: Any, dtype: Any, out: Any, shape: tuple[int, ...]) -> tuple[Any, str]:
    """The type of the result, as a type of the array library and as a name."""
    if isinstance(dtype, str) and dtype == "smallest":
        raise NotImplementedError("dtype='smallest' is not available for arrays on a GPU; give a type, for example 'uint16'")
    if out is not None:
        if not library.owns(out):
            raise TypeError("out must be an array of the image's library, on the image's device")
        if tuple(out.shape) != shape:
            raise ValueError(f"out has the shape {tuple(out.shape)}; it must have the image's shape, {shape}")
        if not library.is_c_order(out):
            raise ValueError("out must be laid out in C order")
        if not is_automatic(dtype) and library.as_dtype(dtype) != out.dtype:
            raise TypeError(f"out is of type {out.dtype}, but dtype={dtype!r} was requested")
        chosen = out.dtype
    else:
        chosen = library.as_dtype(library.automatic if is_automatic(dtype) else dtype)
    name = library.name_of(chosen)
    if name not in _INTEGERS:
        raise TypeError(f"labels of type {name} are not possible; choose an integer type")
    return chosen, name


def check_count(count: int, name: str) -> None:
    limit = np.iinfo(name).max
    if count > limit:
        raise OverflowError(
            f"{count} components do not fit labels of type {name}, the largest of which is {limit}; give another dtype="
        )


def _unsigned(name: str) -> str:
    return "uint" + name.lstrip("uint")


class Task:
    """An array on a device, and the engine that labels it, on the library's current stream."""

    def __init__(
        self,
        image: Any,
        rules: _core.Rules,
        mask: Any,
        spacing: Any,
        device: str,
    ) -> None:
        library = _library_of(image, "the image")
        self.library: Any = library
        if device not in ("auto", "cuda", f"cuda:{library.device}"):
            raise ValueError(
                f"device={device!r}, but the image is on cuda:{library.device}; arrays on GPUs are labeled in place"
            )
        # Both must live as long as they are read.
        self._image, self._source = _readable(library, image, "the image")
        self._mask = self._masked = None
        space = Volume(self._image, self._image)
        self.geometry: _core.Geometry = space.geometry(spacing, None)
        self.in_voxels: bool = spacing is None
        self.shape: tuple[int, ...] = tuple(self._source[2])
        if mask is not None:
            if not library.owns(mask):
                raise TypeError("the mask must be an array of the image's library, on the image's device")
            if tuple(mask.shape) != self.shape:
                raise ValueError(f"mask has the shape {tuple(mask.shape)}; it must have the image's shape, {self.shape}")
            self._mask, self._masked = _readable(library, mask, "mask")
        self.rules: _core.Rules = rules
        self.stream: int = library.stream()
        self.engines: list[_core.DeviceLabels] = _idle.setdefault((library.device, self.stream), [])
        try:
            self.engine: _core.DeviceLabels = self.engines.pop()
        except IndexError:
            self.engine = _core.DeviceLabels(library.device)

    def find(self, labels: Any = None, name: str = "uint32") -> int:
        """Labels the image, writes the label map if there is an array for it, and returns the number of components."""
        return self.engine.label(
            self._source,
            self._masked,
            0 if labels is None else self.library.address(labels),
            _unsigned(name),
            self.rules,
            self.stream,
        )

    def relabel(self, labels: Any = None, name: str = "uint32") -> int:
        """Filters components by size and orders the rest by the rules. Returns the number of remaining components."""
        address = 0 if labels is None else self.library.address(labels)
        return self.engine.relabel(self.rules, self.geometry, address, _unsigned(name), self.stream)

    def write(self, labels: Any, name: str) -> None:
        self.engine.write(self.library.address(labels), _unsigned(name), self.stream)

    def table(self) -> Table:
        return Table(self.engine.table(self.geometry, self.stream), in_voxels=self.in_voxels)

    def release(self) -> None:
        """Returns the engine. Its pending reads and writes come before its next work on this stream."""
        self.engines.append(self.engine)


def new_labels(task: Task, dtype: Any, out: Any) -> tuple[Any, str]:
    """The array for a label map, and the name of its type."""
    chosen, name = _label_dtype(task.library, dtype, out, task.shape)
    return task.library.empty(task.shape, chosen) if out is None else out, name


def label(task: Task, dtype: Any, out: Any, return_table: bool) -> tuple[Any, int, Table | None]:
    """As `brickccl.label`, for arrays on a device; the data stay there."""
    try:
        labels, name = new_labels(task, dtype, out)
        # The engine knows unsigned types only. Other narrow ones wait for the number of components.
        waits = name in ("int8", "int16")
        target = None if waits else labels
        if task.rules.keeps_all:
            count = task.find(target, name)
        else:
            task.find()
            count = task.relabel(target, name)
        check_count(count, name)
        if waits:
            task.write(labels, name)
        return labels, count, task.table() if return_table else None
    finally:
        task.release()
