"""The readers and writers of image files of the brickccl command."""

from collections.abc import Sequence
from typing import Any

import numpy.typing


class LoadedImage:
    @property
    def array(self) -> numpy.typing.NDArray[Any]: ...

    @property
    def spacing(self) -> list[float]: ...

    @property
    def origin(self) -> list[float]: ...

    @property
    def direction(self) -> list[float]: ...

    @property
    def has_spacing(self) -> bool: ...

    @property
    def segments(self) -> list[tuple[int, str, list[float]]]: ...

    @property
    def notes(self) -> list[str]: ...

def read(path: bytes, accept_irregular_slices: bool, accept_sheared: bool, series: bytes, spacing: Sequence[float], raw: str, as_labels: bool, threads: int, progress: object | None) -> LoadedImage: ...

def write(path: bytes, array: numpy.typing.NDArray[Any], spacing: Sequence[float], origin: Sequence[float], direction: Sequence[float], largest_label: int, threads: int, progress: object | None) -> list[str]: ...

def readable() -> str: ...

def writable() -> str: ...
