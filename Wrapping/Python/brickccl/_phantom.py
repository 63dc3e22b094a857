# SPDX-License-Identifier: Apache-2.0
"""A scan to try the package on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._volume import count_of


def phantom(shape: Sequence[int] = (64, 80, 96), pores: int = 12, *, seed: int = 1) -> np.ndarray[Any, np.dtype[np.uint16]]:
    """A simulated CT scan of a metal block in air, with round pores inside.

    Air has about the value 200, metal about 1000; 500 separates them.

    Parameters
    ----------
    shape : sequence of int, default (64, 80, 96)
        2 or 3 sizes of at least 32.
    pores : int, default 12
        The number of pores. They have radii of 1.5 to 5 voxels and do not touch each other.
    seed : int, default 1
        Of the random numbers: the same seed gives the same scan.

    Raises
    ------
    ValueError
        If the pores do not fit into the shape.

    Examples
    --------
    >>> import brickccl
    >>> scan = brickccl.phantom(pores=5)
    >>> brickccl.find(scan, range=(0, 500), clear_border=True).count
    5
    """
    sizes = [count_of("shape", size) for size in shape]
    if len(sizes) not in (2, 3) or min(sizes) < 32:
        raise ValueError(f"shape={tuple(shape)} must be 2 or 3 sizes of at least 32")
    random = np.random.default_rng(count_of("seed", seed))
    metal = np.zeros(sizes, bool)
    metal[tuple(slice(size // 8, size - size // 8) for size in sizes)] = True
    placed: list[tuple[Any, float]] = []
    tries = 0
    while len(placed) < count_of("pores", pores):
        tries += 1
        if tries > 1000 + 100 * pores:
            raise ValueError(f"there is no room for {pores} pores in the shape {tuple(sizes)}; give fewer, or a larger shape")
        radius = random.uniform(1.5, 5.0)
        center = np.array([random.uniform(size // 8 + 8, size - size // 8 - 8) for size in sizes])
        if any(np.linalg.norm(center - other) < radius + reach + 3 for other, reach in placed):
            continue
        placed.append((center, radius))
        box = tuple(slice(int(at) - 6, int(at) + 8) for at in center)
        grid = np.ogrid[box]
        distance = sum((along - at) ** 2 for along, at in zip(grid, center)) ** 0.5
        metal[box] &= distance > radius
    values = np.where(metal, 1000, 200) + random.normal(0, 40, sizes).clip(-180, 180)
    scan: np.ndarray[Any, np.dtype[np.uint16]] = values.astype(np.uint16)
    return scan
