# SPDX-License-Identifier: Apache-2.0
"""Volumes and checks that tests of `brickccl.big` share."""

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3")


def grains(shape, density=0.3, seed=1, dtype=np.uint8):
    random = np.random.default_rng(seed)
    return (random.random(shape) < density).astype(dtype)


def cube(seed=1):
    return grains((20, 20, 20), seed=seed)


def check_table(table, expected):
    assert list(table) == list(expected)
    for name in expected:
        np.testing.assert_array_equal(table[name], expected[name], name)


def make_image(path, version, shape=(2, 16, 20, 24)):
    """An OME-Zarr image of two channels with three levels, z too."""
    zarr_format = 2 if version == "0.4" else 3
    image = np.stack([grains(shape[1:], 0.3, channel) for channel in range(shape[0])])
    axes = [{"name": "c", "type": "channel"}] + [{"name": name, "type": "space", "unit": "micrometer"} for name in "zyx"]
    group = zarr.create_group(path, zarr_format=zarr_format)
    datasets = []
    for level in range(3):
        step = 2**level
        data = image[:, ::step, ::step, ::step]
        array = group.create_array(
            str(level),
            shape=data.shape,
            dtype=data.dtype,
            chunks=(1, 4, 5, 6),
            chunk_key_encoding={"name": "v2", "separator": "/"} if zarr_format == 2 else None,
            dimension_names=None if zarr_format == 2 else list("czyx"),
        )
        array[:] = data
        scale = {"type": "scale", "scale": [1.0, 2.0 * step, 1.5 * step, 1.5 * step]}
        datasets.append({"path": str(level), "coordinateTransformations": [scale]})
    multiscales = [{"axes": axes, "datasets": datasets, "name": "image"}]
    if version == "0.4":
        multiscales[0]["version"] = "0.4"
        group.attrs["multiscales"] = multiscales
    else:
        group.attrs["ome"] = {"version": version, "multiscales": multiscales}
    return image


class Stopped(Exception):
    pass


def stop_at(fraction):
    def progress(now):
        if now >= fraction:
            raise Stopped

    return progress
