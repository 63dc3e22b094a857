# SPDX-License-Identifier: Apache-2.0
"""The components of an array on a CUDA device, kept there."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ._device import Task, check_count, new_labels
from ._labeling import Labeling, VoxelLists, condition_columns
from ._table import Table, counted


class DeviceLabeling(Labeling):
    """The components of an array of CuPy or PyTorch on a CUDA device.

    `find` returns it. Only the number of components and the table come to the host; the label map is made on request. Results
    are arrays of the image's library on the image's device. Use it on the stream that was current when it was made. The image
    must not change meanwhile: lists of voxels may read it again if values decide which voxels are joined. Each thread needs
    its own labeling.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._release = weakref.finalize(self, task.release)
        self._shape = task.shape
        self._count = task.find()
        if not task.rules.keeps_all:
            self._count = task.relabel()

    @property
    def count(self) -> int:
        """The number of components, after size filters."""
        return self._count

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the image."""
        return self._shape

    @property
    def algorithm(self) -> str:
        """The name of the algorithm that ran."""
        return self._task.engine.algorithm

    @property
    def device(self) -> str:
        """Where it ran: "cuda:N"."""
        return f"cuda:{self._task.library.device}"

    @property
    def foreground_count(self) -> int:
        """The number of voxels of all components."""
        return self._offsets()[1]

    def labels(self, dtype: Any = "auto", out: Any = None, *, progress: Any = None) -> Any:
        """The label map, as an array on the device; see `Labeling.labels`. "auto" is uint32 (CuPy) or int32 (PyTorch)."""
        task = self._current()
        labels, name = new_labels(task, dtype, out)
        check_count(self._count, name)
        task.write(labels, name)
        return labels

    def sizes(self) -> Any:
        """The number of voxels of each component, as an array of int64 on the device."""
        task = self._current()
        sizes = self._empty(self._count)
        if self._count > 0:
            task.engine.sizes(task.library.address(sizes), task.stream)
        return sizes

    def table(self, columns: Any = None, *, intensity: Any = None, part: Any = None, progress: Any = None) -> Table:
        """The component table with its default columns, on the host."""
        if columns is not None or intensity is not None or part is not None:
            raise NotImplementedError(
                "on a device the table has only its default columns; copy the image to the host for others"
            )
        return self._current().table()

    def voxels(self, *, progress: Any = None) -> VoxelLists:
        """All voxels of each component, grouped, as flat indices in C order: arrays of int64 on the device."""
        task = self._current()
        offsets, total = self._offsets()
        indices = self._empty(total)
        if total > 0:
            task.engine.voxels(task.library.address(indices), task.stream)
        return VoxelLists(offsets, indices)

    def runs(self) -> Any:
        """Not available: runs are kept only on the host."""
        raise NotImplementedError("runs are kept only on the host; copy the image there")

    def components(self) -> Any:
        """Not available: components are cropped only on the host."""
        raise NotImplementedError("components are cropped only on the host; use voxels() for lists on the device")

    def _choose(self, which: Any, keeps: bool, images: dict[str, Any]) -> DeviceLabeling:
        task = self._current()
        holds = which
        if isinstance(which, str):
            if condition_columns(which, len(self._shape), self._task.in_voxels):
                raise NotImplementedError(f"the condition {which!r} needs columns that only the host measures")
            holds = self.table().where(which)
        elif images:
            raise TypeError("images cannot be combined with truth values")
        if isinstance(holds, (list, tuple, np.ndarray)):
            holds = task.library.from_host(np.ascontiguousarray(holds))
        if not task.library.owns(holds):
            raise TypeError(
                f"the truth values must be an array of the image's library on the image's device, not {type(holds)}"
            )
        name = task.library.dtype_name(holds)
        if name != "bool" or tuple(holds.shape) != (self._count,):
            raise ValueError(
                f"give a truth value for each of {self._count} components, not {name} of shape {tuple(holds.shape)}"
            )
        if self._count > 0:
            stays = task.library.in_c_order(holds if keeps else ~holds)
            self._count = task.engine.keep(task.library.address(stays), task.stream)
        return self

    def _empty(self, count: int) -> Any:
        return self._task.library.empty((count,), self._task.library.as_dtype("int64"))

    def _offsets(self) -> tuple[Any, int]:
        """The offsets of the lists of voxels, and the number of all voxels."""
        task = self._current()
        offsets = self._empty(self._count + 1)
        return offsets, task.engine.offsets(task.library.address(offsets), task.stream)

    def _current(self) -> Task:
        stream = self._task.library.stream()
        if stream != self._task.stream:
            raise ValueError("this labeling belongs to another stream, not the current one")
        return self._task

    def __repr__(self) -> str:
        return f"<brickccl.DeviceLabeling of {counted(self.count, 'component')}, shape {self.shape}, on {self.device}>"
