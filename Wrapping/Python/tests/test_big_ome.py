# SPDX-License-Identifier: Apache-2.0
"""Label images beside the images of OME-Zarr."""

import json
import subprocess
import sys

import numpy as np
import pytest

import brickccl
from volumes import check_table, make_image

zarr = pytest.importorskip("zarr", minversion="3")

from brickccl import big  # noqa: E402


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_label_images_of_ome_zarr(tmp_path, version):
    image = make_image(tmp_path / "image.zarr", version)
    path = tmp_path / "image.zarr"
    with pytest.raises(ValueError, match="2 channels"):
        big.label(path, path / "labels" / "pores")
    arguments = {"select": {"c": 1}, "brick": (8, 10, 12), "minimum_volume": 1e-8, "return_table": True}
    found = big.label(path, path / "labels" / "pores", **arguments)
    labels, table = brickccl.label(image[1], spacing=(0.002, 0.0015, 0.0015), minimum_volume=1e-8, return_table=True)
    check_table(found.table, table)
    group = zarr.open(path / "labels" / "pores")
    for level in range(3):
        step = 2**level
        np.testing.assert_array_equal(group[str(level)][:], labels[::step, ::step, ::step])
    attributes = group.attrs.asdict() if version == "0.4" else group.attrs["ome"]
    own = attributes["image-label"]
    assert [row["voxel_count"] for row in own["properties"]] == table["voxel_count"].tolist()
    assert [color["label-value"] for color in own["colors"]] == list(range(1, found.count + 1))
    assert own["source"]["image"] == "../../"
    assert [axis["unit"] for axis in attributes["multiscales"][0]["axes"]] == ["micrometer"] * 3
    parent = zarr.open(path / "labels").attrs
    assert (parent["labels"] if version == "0.4" else parent["ome"]["labels"]) == ["pores"]
    big.label(path, path / "labels" / "others", select={"c": 0}, brick=(8, 10, 12))
    parent = zarr.open(path / "labels").attrs
    assert (parent["labels"] if version == "0.4" else parent["ome"]["labels"]) == ["pores", "others"]
    with pytest.raises(FileExistsError):
        big.label(path, path / "labels" / "pores", select={"c": 1})
    with pytest.raises(ValueError, match="at level 0"):
        big.label(path, path / "labels" / "coarse", select={"c": 1}, level=1)


def test_a_finished_label_image_gets_other_properties(tmp_path):
    path = tmp_path / "image.zarr"
    make_image(path, "0.5")
    target = path / "labels" / "pores"
    for properties in (["voxel_count"], "volume_mm3", None):
        big.label(path, target, select={"c": 1}, brick=(8, 10, 12), state=tmp_path / "state", properties=properties)
        row = zarr.open(target).attrs["ome"]["image-label"]["properties"][0]
        expected = ["voxel_count", "volume_mm3"] if properties is None else [properties] if isinstance(properties, str) else properties
        assert list(row) == ["label-value", *expected]
    (target / "1" / "c" / "0" / "0" / "0").unlink()
    big.label(path, target, select={"c": 1}, brick=(8, 10, 12), state=tmp_path / "state")
    np.testing.assert_array_equal(zarr.open(target)["1"][:], zarr.open(target)["0"][::2, ::2, ::2])


def files_of(folder):
    """The contents of all files, but for the folder's name and what says which work wrote them."""
    contents = {}
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            if path.name in ("zarr.json", ".zattrs"):
                described = json.loads(data)
                (described.get("attributes", described)).pop("brickccl", None)
                data = json.dumps(described, sort_keys=True).replace(f'"{folder.name}"', '"name"')
            contents[str(path.relative_to(folder))] = data
    return contents


def test_four_executors_write_the_same_bytes_beside_one_image(tmp_path):
    distributed = pytest.importorskip("distributed")
    path = tmp_path / "image.zarr"
    image = make_image(path, "0.5")
    arguments = {"select": {"c": 1}, "brick": (8, 10, 12), "minimum_size": 3}

    def label(name, executor):
        table = tmp_path / f"{name}.csv"
        return big.label(path, path / "labels" / name, executor=executor, state=tmp_path / name, table=table, **arguments)

    counts = {name: label(name, name).count for name in ("threads", "processes")}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        counts["dask"] = label("dask", client).count
    # Tasks of a job array: processes of their own that start at once and know of each other only through the folder.
    command = [sys.executable, "-m", "brickccl", "big"]
    state = str(tmp_path / "steps")
    plan = ["plan", str(path), str(path / "labels" / "steps"), "--state", state, "--select", "c=1", "--brick", "8", "10", "12"]
    plan += ["--minimum-size", "3", "--table", str(tmp_path / "steps.csv")]
    subprocess.run([*command, *plan], check=True)
    for step in ("brick", "merge", "write", "finish"):
        parts = [["--part", f"{part}/3"] for part in range(3)] if step in ("brick", "write") else [[]]
        tasks = [subprocess.Popen([*command, step, state, *part]) for part in parts]
        assert [task.wait() for task in tasks] == [0] * len(parts)
    expected, table = brickccl.label(image[1], minimum_size=3, spacing=(0.002, 0.0015, 0.0015), return_table=True)
    assert set(counts.values()) == {table.row_count} and table.row_count > 100
    np.testing.assert_array_equal(zarr.open(path / "labels" / "steps" / "0")[:], expected)
    first = files_of(path / "labels" / "threads")
    assert len(first) > 40
    for name in ("processes", "dask", "steps"):
        assert files_of(path / "labels" / name) == first, name
        assert (tmp_path / f"{name}.csv").read_bytes() == (tmp_path / "threads.csv").read_bytes()
    assert zarr.open(path / "labels").attrs["ome"]["labels"] == ["threads", "processes", "dask", "steps"]


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_ome_zarr_py_reads_the_label_images(tmp_path, version):
    pytest.importorskip("ome_zarr")
    from ome_zarr.io import parse_url
    from ome_zarr.reader import Reader

    image = make_image(tmp_path / "image.zarr", version)
    path = tmp_path / "image.zarr"
    big.label(path, path / "labels" / "pores", select={"c": 1}, brick=(8, 10, 12))
    nodes = list(Reader(parse_url(str(path)))())
    (node,) = [node for node in nodes if node.zarr.basename() == "pores"]
    assert [level.shape for level in node.data] == [(16, 20, 24), (8, 10, 12), (4, 5, 6)]
    np.testing.assert_array_equal(node.data[0].compute(), brickccl.label(image[1]))
    assert node.metadata["axes"][0]["unit"] == "micrometer"
    assert len(node.metadata["color"]) >= 1


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_an_image_without_units_is_measured_in_voxels(tmp_path, version):
    image = make_image(tmp_path / "image.zarr", version)
    path = tmp_path / "image.zarr" / (".zattrs" if version == "0.4" else "zarr.json")
    path.write_text(path.read_text().replace('"unit"', '"no_unit"'))
    expected = brickccl.label(image[1], return_table=True)[1]
    found = big.label(tmp_path / "image.zarr", tmp_path / "labels", select={"c": 1}, return_table=True)
    check_table(found.table, expected)
    assert found.table["volume_voxels"].tolist() == expected["voxel_count"].tolist()
    counted = big.statistics(tmp_path / "labels")
    assert counted["volume_voxels"].tolist() == expected["voxel_count"].tolist()
    if "files ON" in brickccl.info()["build"] and version == "0.4":
        channel = path.parent / "channel.zarr"
        zarr.create_array(channel / "0", data=image[1], zarr_format=2)
        axes = [{"name": name, "type": "space"} for name in "zyx"]
        scale = [{"type": "scale", "scale": [2, 3, 4]}]
        multiscale = {"version": "0.4", "axes": axes, "datasets": [{"path": "0", "coordinateTransformations": scale}]}
        zarr.open_group(channel, zarr_format=2).attrs["multiscales"] = [multiscale]
        with pytest.warns(UserWarning, match="its OME scale has no unit, so sizes are in voxels"):
            read = brickccl.io.read(channel)
        check_table(brickccl.find(read).table(), expected)
        assert brickccl.label(read).spacing == (2, 3, 4)
        read.spacing = (2, 3, 4)
        assert brickccl.find(read).table()["volume_mm3"].tolist() == (24 * expected["voxel_count"]).tolist()
    with pytest.raises(ValueError, match="minimum_volume is in mm"):
        big.label(tmp_path / "image.zarr", tmp_path / "a", select={"c": 1}, minimum_volume=1)
    with pytest.raises(ValueError, match="give spacing="):
        big.label(tmp_path / "image.zarr", tmp_path / "a", select={"c": 1}, columns="axis_length_1_mm", table=tmp_path / "t.csv")
