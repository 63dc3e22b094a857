# SPDX-License-Identifier: Apache-2.0
"""Meshes of `brickccl mesh` as binary glTF, with colors by a column, and with fewer triangles."""

import json
import math
import struct
import unittest

from support import CommandTest, write_nrrd
import test_mesh
from test_mesh import read_ply, read_vtp

try:
    import trimesh
except ImportError:
    trimesh = None


def read_glb(path):
    """Points in space, triangles, colors and labels of a binary glTF file of one mesh."""
    with open(path, "rb") as stream:
        content = stream.read()
    magic, version, size, length, kind = struct.unpack_from("<4s3I4s", content)
    assert (magic, version, size, kind) == (b"glTF", 2, len(content), b"JSON") and length % 4 == 0
    model = json.loads(content[20:20 + length])
    size, kind = struct.unpack_from("<I4s", content, 20 + length)
    data = content[28 + length:]
    assert kind == b"BIN\0" and size == len(data) == model["buffers"][0]["byteLength"] and size % 4 == 0

    def values(number):
        accessor = model["accessors"][number]
        view = model["bufferViews"][accessor["bufferView"]]
        letters = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]] * {5121: "B", 5125: "I", 5126: "f"}[accessor["componentType"]]
        step = view.get("byteStride", struct.calcsize("<" + letters))
        first = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        read = [struct.unpack_from("<" + letters, data, first + step * i) for i in range(accessor["count"])]
        for name, pick in (("min", min), ("max", max)):
            assert accessor.get(name, [pick(axis) for axis in zip(*read)]) == [pick(axis) for axis in zip(*read)], name
        return read
    (primitive,) = model["meshes"][0]["primitives"]
    node = model["nodes"][model["scenes"][model["scene"]]["nodes"][0]]
    x, y, z, w = node["rotation"]
    points = []
    for point in values(primitive["attributes"]["POSITION"]):
        point = [a * b for a, b in zip(point, node["scale"])]
        # p + 2 q x (q x p + w p)
        cross = lambda a, b: (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
        inner = [c + w * p for c, p in zip(cross((x, y, z), point), point)]
        points.append(tuple(p + 2 * c for p, c in zip(point, cross((x, y, z), inner))))
    corners = [i for i, in values(primitive["indices"])]
    return (points, list(zip(*[iter(corners)] * 3)), values(primitive["attributes"]["COLOR_0"]),
            [label for label, in values(primitive["attributes"]["_LABEL"])], model)


class MeshColorsTest(CommandTest):
    SIZE = test_mesh.MeshTest.SIZE
    setUp = test_mesh.MeshTest.setUp
    check_closed = test_mesh.MeshTest.check_closed

    def test_glb_is_the_mesh_of_ply_in_meters_with_y_upwards(self):
        self.ok("mesh", self.labels, self.path("m.ply"), "--quiet")
        expected, faces, _ = read_ply(self.path("m.ply"))
        self.ok("mesh", self.labels, self.path("m.glb"), "--quiet")
        points, triangles, colors, labels, model = read_glb(self.path("m.glb"))
        self.assertEqual(triangles, faces)
        self.assertEqual(labels, [point[6] for point in expected])
        for point, (x, y, z, *_) in zip(points, expected):
            for a, b in zip(point, (x, z, -y)):
                self.assertAlmostEqual(1000 * a, b, delta=1e-4)
        # Colors are linear in glTF and sRGB in .ply.
        for color, point in zip(colors, expected):
            for linear, shown in zip(color, point[3:6]):
                share = linear / 255
                self.assertAlmostEqual(255 * (12.92 * share if share <= 0.0031308 else 1.055 * share ** (1 / 2.4) - 0.055), shown, delta=3)
            self.assertEqual(color[3], 255)
        self.assertEqual(model["materials"][0]["pbrMetallicRoughness"]["metallicFactor"], 0)
        self.assertIn("LPS", model["asset"]["generator"])

    @unittest.skipUnless(trimesh, "trimesh is not installed")
    def test_trimesh_reads_glb(self):
        self.ok("mesh", self.labels, self.path("m.glb"), "--quiet")
        mesh = trimesh.load(self.path("m.glb"), force="mesh")
        self.assertTrue(mesh.is_watertight and mesh.is_winding_consistent)
        self.assertAlmostEqual(mesh.volume * 1e9 / (sum(self.counts.values()) * self.voxel), 1, delta=0.002)
        self.assertEqual(set(mesh.vertex_attributes["_LABEL"].ravel()), set(self.counts))

    def test_colors_show_a_column(self):
        """Dark blue is the smallest of it, yellow the largest."""
        lowest, highest = (58, 50, 150), (253, 226, 80)
        largest = max(self.counts, key=self.counts.get)
        self.ok("mesh", self.labels, self.path("m.ply"), "--color-by", "volume_um3", "--quiet")
        for point in read_ply(self.path("m.ply"))[0]:
            self.assertEqual(point[3:6], highest if point[6] == largest else lowest)
        self.ok("mesh", self.labels, self.path("m.glb"), "--color-by", "sphericity", "--labels", "7", "--quiet")
        self.assertEqual(len(set(read_glb(self.path("m.glb"))[2])), 1)
        self.fails("mesh", self.labels, self.path("m.stl"), "--color-by", "volume_mm3", saying=["--color-by", ".ply or .glb"])
        self.fails("mesh", self.labels, self.path("m.ply"), "--color-by", "volume", saying="did you mean 'volume_mm3'")

    def test_segments_keep_their_colors(self):
        with open(self.path("names.txt"), "w", encoding="utf-8") as stream:
            stream.write('7 255 0 51 1 1 1 "liver"\n')
        for name, colors in (("m.ply", lambda: {point[6]: point[3:6] for point in read_ply(self.path("m.ply"))[0]}),
                             ("m.glb", lambda: dict(zip(*reversed(read_glb(self.path("m.glb"))[2:4]))))):
            self.ok("mesh", self.labels, self.path(name), "--quiet")
            before = colors()
            self.ok("mesh", self.labels, self.path(name), "--names", self.path("names.txt"), "--quiet")
            self.assertEqual(colors(), {**before, 7: (255, 0, 51) if name == "m.ply" else (255, 0, 8, 255)})
            self.fails("mesh", self.labels, self.path(name), "--names", self.path("names.txt"), "--color-by", "name",
                       saying="without it, segments have their own colors")

    def test_what_is_said_of_glb(self):
        self.assertIn("in meters of glTF, y up (x, z, -y of LPS)", self.ok("mesh", self.labels, self.path("m.glb")).stdout)
        self.assertIn("in RAS mm", self.ok("mesh", self.labels, self.path("m.ply"), "--ras").stdout)
        write_nrrd(self.path("far.nrrd"), "uint32", (3, 3, 3), [2 ** 24 + 1] * 27)
        self.fails("mesh", self.path("far.nrrd"), self.path("f.glb"), saying="cannot hold the label 16777217")
        self.ok("mesh", self.path("far.nrrd"), self.path("f.ply"), "--quiet")

    def test_fewer_triangles_keep_volumes_places_and_the_labels(self):
        """Also far from the origin, where points of 32 bits would not lie within a voxel."""
        size, radius, centers = (64, 34, 34), 14.6, ((16, 16.4, 16.2), (47.3, 16, 16))
        voxels = [next((i for i, center in enumerate(centers, 1) if math.dist((x, y, z), center) <= radius), 0)
                  for z in range(size[2]) for y in range(size[1]) for x in range(size[0])]
        for origin in (0, 3e5):
            write_nrrd(self.path("two.nrrd"), "uint8", size, voxels, (0.1, 0.1, 0.1), (origin, 0, 0))
            summaries = {}
            for most in (10 ** 9, 3000, 600):
                result = self.ok("mesh", self.path("two.nrrd"), self.path("m.obj"), "--triangles", most, "--json")
                summary = summaries[most] = json.loads(result.stdout)
                self.assertEqual(summary["notes"], [])
                self.assertLess(summary["largest_volume_difference"], 0.01)
                with open(self.path("m.obj")) as stream:
                    lines = [line.split() for line in stream if line[:2] in ("v ", "f ")]
                points = [tuple(map(float, line[1:4])) for line in lines if line[0] == "v"]
                triangles = [tuple(int(place.split("/")[0]) - 1 for place in line[1:4]) for line in lines if line[0] == "f"]
                self.assertEqual(summary["triangles"], len(triangles))
                self.check_closed(triangles)
                for x, y, z in points:
                    place = ((x - origin) / 0.1, y / 0.1, z / 0.1)
                    self.assertLess(min(abs(math.dist(place, center) - radius) for center in centers), 1)
            self.assertGreater(summaries[10 ** 9]["triangles"], 6000)
            for most in (3000, 600):
                self.assertTrue(0.98 * most <= summaries[most]["triangles"] <= most, summaries[most])
        self.ok("mesh", self.path("two.nrrd"), self.path("m.vtp"), "--triangles", 600, "--quiet")
        arrays = read_vtp(self.path("m.vtp"))
        self.assertEqual(sorted(set(zip(arrays["Label"], arrays["voxel_count"]))), [(i, voxels.count(i)) for i in (1, 2)])
        self.assertIn("--triangles 4 is too few", self.ok("mesh", self.path("two.nrrd"), self.path("m.vtp"), "--triangles", 4).stderr)
        self.fails("mesh", self.labels, self.path("m.stl"), "--triangles", "3", saying="--triangles")

    def test_fewer_triangles_touch_no_others(self):
        """Every side belongs to two triangles, which have different corners."""
        self.ok("phantom", "balls", self.path("b.nrrd"), "--size", 60, 50, 40, "--density", 0.2, "--seed", 3,
                "--spacing", 0.1, 0.2, 0.3)
        self.ok("label", self.path("b.nrrd"), self.path("bl.nrrd"))
        counts = []
        for most in (10000, 2000, 800):
            self.ok("mesh", self.path("bl.nrrd"), self.path("b.ply"), "--triangles", most)
            _, triangles, _ = read_ply(self.path("b.ply"))
            sides = [side for a, b, c in triangles for side in ((a, b), (b, c), (c, a))]
            self.assertEqual(len(set(sides)), len(sides))
            self.assertEqual({(b, a) for a, b in sides}, set(sides))
            self.assertEqual(len({frozenset(triangle) for triangle in triangles}), len(triangles))
            counts.append(len(triangles))
        self.assertGreater(counts[0], counts[1])
        self.assertGreater(counts[1], counts[2])


if __name__ == "__main__":
    unittest.main()
