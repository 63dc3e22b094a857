# SPDX-License-Identifier: Apache-2.0
"""The bricks that a volume is cut into."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any

Box = tuple[slice, ...]

#: Number of voxels of a brick whose shape is not given, about: 256^3.
VOXELS_OF_BRICK = 2**24


class Grid:
    """Bricks of one shape, smaller ones at the upper ends, in C order. They are not stored: a grid of any size is a few
    numbers."""

    def __init__(self, shape: Sequence[int], brick: Sequence[int]) -> None:
        self.shape = tuple(shape)
        self.brick = tuple(min(size, whole) for size, whole in zip(brick, shape))
        self.counts = tuple(-(-whole // size) for whole, size in zip(self.shape, self.brick))

    def __len__(self) -> int:
        return math.prod(self.counts)

    def position(self, index: int) -> tuple[int, ...]:
        """The place of a brick in the grid."""
        if not 0 <= index < len(self):
            raise ValueError(f"there is no brick {index}; there are {len(self)}, from 0 on")
        places: list[int] = []
        for count in reversed(self.counts):
            index, place = divmod(index, count)
            places.append(place)
        return tuple(reversed(places))

    def box(self, index: int) -> Box:
        """The voxels of a brick."""
        return tuple(
            slice(place * size, min((place + 1) * size, whole))
            for place, size, whole in zip(self.position(index), self.brick, self.shape)
        )

    def before(self, index: int) -> list[int]:
        """The bricks before this one along some axes and next to it along the others."""
        found = []
        for steps in itertools.product((0, 1), repeat=len(self.shape)):
            places = [place - step for place, step in zip(self.position(index), steps)]
            if any(steps) and min(places) >= 0:
                number = 0
                for place, count in zip(places, self.counts):
                    number = number * count + place
                found.append(number)
        return found

    def name(self, index: int) -> str:
        """The name of a brick's files: "z-y-x"."""
        return "-".join(map(str, self.position(index)))

    def describe(self, index: int) -> str:
        """The name of a brick in errors."""
        voxels = ", ".join(f"{part.start}:{part.stop}" for part in self.box(index))
        return f"brick {index} (voxels [{voxels}])"


def shape_of(name: str, value: Any, dimension: int) -> tuple[int, ...]:
    """A user's shape: a whole number for each axis, or one for all."""
    try:
        sizes = tuple(map(operator.index, value)) if hasattr(value, "__len__") else (operator.index(value),) * dimension
    except TypeError:
        raise TypeError(f"{name} must be a whole number or {dimension} of them, not {value!r}") from None
    if len(sizes) != dimension or min(sizes) < 1:
        raise ValueError(f"{name}={value!r} must be {dimension} numbers of at least 1, one for each axis")
    return sizes


def choose_brick(shape: Sequence[int], unit: Sequence[int]) -> tuple[int, ...]:
    """The shape of bricks that consist of whole units (shards, chunks) and have about `VOXELS_OF_BRICK` voxels."""
    brick = [min(size, whole) for size, whole in zip(unit, shape)]
    while True:
        grows = [axis for axis, whole in enumerate(shape) if brick[axis] < whole]
        if not grows or 2 * math.prod(brick) > VOXELS_OF_BRICK:
            return tuple(brick)
        axis = min(grows, key=lambda candidate: (brick[candidate], -candidate))
        brick[axis] = min(2 * brick[axis], shape[axis])


def piece_of(size: int, whole: int, usual: int) -> int:
    """The length of a chunk or shard along an axis that bricks of `size` consist of: the usual one if it fits, or else the
    largest part of the brick below it, unless that is very small."""
    if size >= whole or size % usual == 0:
        return usual
    piece = max(part for part in range(1, min(size, usual) + 1) if size % part == 0)
    return piece if 4 * piece >= min(size, usual) else usual


def check_brick(shape: Sequence[int], brick: Sequence[int], unit: Sequence[int], what: str) -> None:
    """Two writers of one chunk or shard lose voxels, so a brick must consist of whole ones."""
    right = tuple(
        size if size >= whole else -(-size // own) * own for size, whole, own in zip(brick, shape, unit)
    )
    if tuple(brick) != right:
        raise ValueError(
            f"bricks of {tuple(brick)} voxels cut through the target's {what}s of {tuple(unit)}, but writing a part of a "
            f"{what} at the same time as another writer loses voxels; a brick must consist of whole {what}s, for example "
            f"{right}"
        )
