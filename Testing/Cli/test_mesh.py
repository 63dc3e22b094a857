# SPDX-License-Identifier: Apache-2.0
"""What `brickccl mesh` writes: closed surfaces with the volumes of their components."""

import json
import math
import os
import random
import re
import struct
import unittest
import zlib

from support import CommandTest, write_nrrd


def read_ply(path):
    """Points and triangles of a binary PLY file, and its comments."""
    with open(path, "rb") as stream:
        content = stream.read()
    header, body = content.split(b"end_header\n", 1)
    header = header.decode()
    vertices = int(re.search(r"element vertex (\d+)", header).group(1))
    faces = int(re.search(r"element face (\d+)", header).group(1))
    properties = re.findall(r"property (\w+ \w+)\n", header.split("element vertex")[1].split("element face")[0])
    assert properties == ["float x", "float y", "float z", "uchar red", "uchar green", "uchar blue", "uint label"], header
    assert "little_endian" in header, header
    points = [struct.unpack_from("<3f3BI", body, 19 * i) for i in range(vertices)]
    triangles = []
    offset = 19 * vertices
    for _ in range(faces):
        count, a, b, c = struct.unpack_from("<B3i", body, offset)
        assert count == 3
        triangles.append((a, b, c))
        offset += 13
    assert len(body) == offset
    return points, triangles, re.findall(r"comment (.*)", header)


def read_vtp(path):
    """The arrays of the cells of a .vtp file whose data are appended, raw and compressed by zlib."""
    with open(path, "rb") as stream:
        header, data = stream.read().split(b'<AppendedData encoding="raw">', 1)
    data = data[data.index(b"_") + 1:]
    arrays = {}
    for kind, name, offset in re.findall(rb'<DataArray type="(\w+)" Name="(\w+)"[^>]*offset="(\d+)"',
                                         header.split(b"<CellData")[1].split(b"</CellData>")[0]):
        at = int(offset)
        blocks, _, _ = struct.unpack_from("<3I", data, at)
        sizes = struct.unpack_from("<%dI" % blocks, data, at + 12)
        at += 12 + 4 * blocks
        content = b""
        for size in sizes:
            content += zlib.decompress(data[at:at + size])
            at += size
        letter = {b"Float64": "d", b"UInt64": "Q"}[kind]
        arrays[name.decode()] = struct.unpack("<%d%s" % (len(content) // 8, letter), content)
    return arrays


def read_stl(path):
    with open(path, "rb") as stream:
        content = stream.read()
    count = struct.unpack_from("<I", content, 80)[0]
    assert len(content) == 84 + 50 * count
    triangles = []
    for i in range(count):
        values = struct.unpack_from("<12f", content, 84 + 50 * i)
        triangles.append((values[:3], (values[3:6], values[6:9], values[9:12])))
    return content[:80].rstrip(b"\0 ").decode(), triangles


def volume_of(triangles):
    total = 0
    for a, b, c in triangles:
        total += (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                  a[2] * (b[0] * c[1] - b[1] * c[0]))
    return total / 6


class MeshTest(CommandTest):
    SIZE = (30, 28, 26)

    def setUp(self):
        CommandTest.setUp(self)  # also of suites with the same label map
        width, height, depth = self.SIZE
        voxels = []
        for z in range(depth):
            for y in range(height):
                for x in range(width):
                    ball = (x - 10) ** 2 + (y - 12) ** 2 + (z - 11) ** 2 <= 64
                    plate = x >= 20 and z == 20  # one voxel thick, at the border
                    voxels.append(3 if ball else 7 if plate else 0)
        self.counts = {label: voxels.count(label) for label in (3, 7)}
        self.labels = self.path("labels.nrrd")
        write_nrrd(self.labels, "uint8", self.SIZE, voxels, spacing=(0.5, 0.25, 2), origin=(100, -50, 20))
        self.voxel = 0.25

    def check_closed(self, triangles):
        """Every edge is passed once in each direction by as many triangles."""
        edges = {}
        for a, b, c in triangles:
            for edge in ((a, b), (b, c), (c, a)):
                edges[edge] = edges.get(edge, 0) + 1
        for (a, b), count in edges.items():
            self.assertEqual(edges.get((b, a), 0), count, "an open edge")

    def test_surfaces_are_closed_and_hold_the_volumes(self):
        for smooth in (0, 20):
            out = self.path("mesh%d.ply" % smooth)
            self.ok("mesh", self.labels, out, "--one-file-each", "--smooth", smooth, "--quiet")
            for label, count in self.counts.items():
                points, triangles, comments = read_ply(self.path("mesh%d_%d.ply" % (smooth, label)))
                self.check_closed(triangles)
                # Positive: normals point outwards.
                volume = volume_of([[points[i] for i in t] for t in triangles])
                self.assertAlmostEqual(volume / (count * self.voxel), 1, delta=0.002, msg="label %d" % label)
                self.assertTrue(any("LPS" in comment for comment in comments), comments)

    def test_points_lie_where_the_voxels_do(self):
        self.ok("mesh", self.labels, self.path("m.ply"), "--labels", "3", "--quiet")
        points, _, _ = read_ply(self.path("m.ply"))
        center = [sum(p[axis] for p in points) / len(points) for axis in range(3)]
        expected = (100 + 10 * 0.5, -50 + 12 * 0.25, 20 + 11 * 2)
        for axis in range(3):
            self.assertAlmostEqual(center[axis], expected[axis], delta=0.02)
        self.assertAlmostEqual(max(p[2] for p in points), 20 + 2 * (11 + 8.5), delta=0.4)
        self.ok("mesh", self.labels, self.path("r.ply"), "--labels", "3", "--ras", "--quiet")
        turned, triangles, comments = read_ply(self.path("r.ply"))
        self.assertTrue(any("RAS" in comment for comment in comments), comments)
        self.assertAlmostEqual(sum(p[0] for p in turned) / len(turned), -expected[0], delta=0.02)
        self.assertGreater(volume_of([[turned[i] for i in t] for t in triangles]), 0)

    def test_any_grid_has_outward_normals_and_its_volumes(self):
        # Axes that are mirrored, exchanged or oblique, and voxels ten times as long as wide.
        cosine, sine = math.cos(0.6), math.sin(0.6)
        rotation = ((cosine, sine, 0), (-sine * 0.8, cosine * 0.8, 0.6), (sine * 0.6, -cosine * 0.6, 0.8))
        grids = {"mirrored": ((-1, 0, 0), (0, 1, 0), (0, 0, 1)), "exchanged": ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
                 "oblique": rotation, "oblique and mirrored": (rotation[0], rotation[1], tuple(-v for v in rotation[2]))}
        with open(self.labels, "rb") as stream:
            header, voxels = stream.read().split(b"\n\n", 1)
        spacing = (0.3, 0.3, 3)
        for name, axes in grids.items():
            columns = [tuple(step * value for value in axis) for step, axis in zip(spacing, axes)]
            text = " ".join("(%.17g,%.17g,%.17g)" % column for column in columns)
            with open(self.path("turned.nrrd"), "wb") as stream:
                stream.write(re.sub(rb"space directions: .*", b"space directions: " + text.encode(), header) + b"\n\n" + voxels)
            for options in ((), ("--ras",), ("--smooth", "20")):
                with self.subTest(name, options=options):
                    self.ok("mesh", self.path("turned.nrrd"), self.path("t.ply"), "--one-file-each", *options, "--quiet")
                    for label, count in self.counts.items():
                        points, triangles, _ = read_ply(self.path("t_%d.ply" % label))
                        self.check_closed(triangles)
                        volume = volume_of([[points[i] for i in t] for t in triangles])
                        self.assertAlmostEqual(volume / (count * math.prod(spacing)), 1, delta=0.002, msg="label %d" % label)
                    points, _, _ = read_ply(self.path("t_3.ply"))
                    center = [origin + sum(index * column[axis] for index, column in zip((10, 12, 11), columns))
                              for axis, origin in enumerate((100, -50, 20))]
                    sign = (-1, -1, 1) if options == ("--ras",) else (1, 1, 1)
                    for axis in range(3):
                        self.assertAlmostEqual(sum(p[axis] for p in points) / len(points), sign[axis] * center[axis], delta=0.05)

    def test_stl_has_outward_normals_and_names_its_space(self):
        self.ok("mesh", self.labels, self.path("m.stl"), "--quiet")
        header, triangles = read_stl(self.path("m.stl"))
        self.assertIn("LPS", header)
        self.assertFalse(header.startswith("solid"), "readers would take it for text")
        total = sum(self.counts.values()) * self.voxel
        self.assertAlmostEqual(volume_of([t for _, t in triangles]) / total, 1, delta=0.002)
        for normal, (a, b, c) in triangles:
            u = [b[i] - a[i] for i in range(3)]
            v = [c[i] - a[i] for i in range(3)]
            cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
            length = math.sqrt(sum(value * value for value in cross))
            if length > 1e-6:
                self.assertGreater(sum(normal[i] * cross[i] for i in range(3)) / length, 0.9)

    def test_obj_and_vtp(self):
        self.ok("mesh", self.labels, self.path("m.obj"), "--quiet")
        with open(self.path("m.obj")) as stream:
            lines = stream.read().split("\n")
        self.assertIn("LPS", lines[0])
        points = [tuple(map(float, l.split()[1:4])) for l in lines if l.startswith("v ")]
        triangles = [tuple(int(p.split("/")[0]) - 1 for p in l.split()[1:]) for l in lines if l.startswith("f ")]
        self.check_closed(triangles)
        total = sum(self.counts.values()) * self.voxel
        self.assertAlmostEqual(volume_of([[points[i] for i in t] for t in triangles]) / total, 1, delta=0.002)
        self.ok("mesh", self.labels, self.path("m.vtp"), "--quiet")
        with open(self.path("m.vtp"), "rb") as stream:
            content = stream.read()
        for name in (b"Label", b"voxel_count", b"volume_mm3", b"equivalent_spherical_diameter_mm"):
            self.assertIn(b'Name="%s"' % name, content)
        self.assertNotIn(b"sphericity", content)
        self.assertIn(b'Name="SPACE"', content)

    def test_measures_and_colors_are_those_of_the_components(self):
        self.ok("mesh", self.labels, self.path("m.vtp"), "--where", "sphericity > 0", "--quiet")
        self.ok("stats", self.labels, "-o", self.path("t.json"), "--columns", "surface", "--quiet")
        with open(self.path("t.json")) as stream:
            rows = json.load(stream)["components"]
        arrays = read_vtp(self.path("m.vtp"))
        for name in ("voxel_count", "volume_mm3", "equivalent_spherical_diameter_mm", "sphericity"):
            self.assertEqual({(label, value) for label, value in zip(arrays["Label"], arrays[name])},
                             {(row["label"], row[name]) for row in rows}, name)
        self.ok("mesh", self.labels, self.path("m.ply"), "--quiet")
        points, triangles, _ = read_ply(self.path("m.ply"))
        colors = {}
        for point in points:
            colors.setdefault(point[6], set()).add(point[3:6])
        self.assertEqual(set(colors), {row["label"] for row in rows})
        self.assertEqual({len(one) for one in colors.values()}, {1})
        self.assertEqual(len(set.union(*colors.values())), len(rows))
        self.assertTrue(all(points[a][6] == points[b][6] == points[c][6] for a, b, c in triangles))

    def test_output_is_stated_once(self):
        for command in ("mesh", "render"):
            text = self.ok(command, "--help-all").stdout
            self.assertEqual((text.count("\n  OUTPUT or -o FILE "), text.count("--output")), (1, 0))

    def test_chosen_components(self):
        summary = json.loads(self.ok("mesh", self.labels, self.path("m.stl"), "--where", "voxel_count > 1000",
                                     "--json").stdout)
        self.assertEqual(summary["components"], 1)
        self.assertLess(summary["largest_volume_difference"], 0.02)
        self.ok("mesh", self.labels, self.path("n.stl"), "--labels", "3,7", "--quiet")
        self.fails("mesh", self.labels, self.path("o.stl"), "--labels", "4", saying="has no label 4")
        self.fails("mesh", self.labels, self.path("o.stl"), "--labels", "1-", saying="1,2,5-9")
        self.fails("mesh", self.labels, self.path("o.stl"), "--labels", "7-3", saying="must rise")
        self.fails("mesh", self.labels, self.path("o.stl"), "--labels", "18446744073709551615",
                   saying="has no label 18446744073709551615")
        self.fails("mesh", self.labels, self.path("o.stl"), "--labels", "1-18446744073709551615", saying="at most")
        self.fails("mesh", self.labels, self.path("o.stl"), "--labels", "", saying="empty")
        self.fails("mesh", self.labels, self.path("o.stl"), "--where", "", saying="empty")
        self.fails("mesh", self.labels, self.path("o.stl"), "--where", "voxel_count < 0", saying="no component is left")

    def test_what_is_too_small_to_be_smoothed_stays_as_it_is(self):
        size = (24, 8, 8)
        voxels = [0] * (24 * 8 * 8)
        for label, (begin, end) in {1: (2, 3), 2: (5, 7), 3: (9, 17)}.items():
            for x in range(begin, end):
                voxels[(4 * 8 + 4) * 24 + x] = label
        for z in range(2, 4):
            for y in range(2, 4):
                for x in range(19, 21):
                    voxels[(z * 8 + y) * 24 + x] = 4
        spacing = (0.5, 0.5, 5)
        write_nrrd(self.path("small.nrrd"), "uint8", size, voxels, spacing=spacing)
        for passes in (2, 10, 20, 50, 200, 1000):
            summary = json.loads(self.ok("mesh", self.path("small.nrrd"), self.path("s.ply"), "--smooth", passes,
                                         "--json").stdout)
            self.assertLess(summary["largest_volume_difference"], 0.01, passes)
            points, triangles, _ = read_ply(self.path("s.ply"))
            self.check_closed(triangles)
            # No side moves by more than a voxel: the first component to the left, the cube to the right, above and below.
            for axis, (low, high) in enumerate(((1.5, 20.5), (1.5, 4.5), (1.5, 4.5))):
                self.assertLess(abs(min(p[axis] for p in points) / spacing[axis] - low), 1.01, passes)
                self.assertLess(abs(max(p[axis] for p in points) / spacing[axis] - high), 1.01, passes)
        noise = random.Random(1)
        inside = {(z, y, x) for z in range(1, 11) for y in range(1, 11) for x in range(1, 39)}
        write_nrrd(self.path("noise.nrrd"), "uint8", (40, 12, 12),
                   [int((z, y, x) in inside and noise.random() < 0.3)
                    for z in range(12) for y in range(12) for x in range(40)])
        summary = json.loads(self.ok("mesh", self.path("noise.nrrd"), self.path("s.ply"), "--smooth", 200, "--json").stdout)
        self.assertLess(summary["largest_volume_difference"], 0.01)
        self.fails("mesh", self.path("small.nrrd"), self.path("t.ply"), "--smooth", "1", saying="2 and more")

    def test_each_file_spares_the_label_map(self):
        with open(self.path("d.mhd"), "w") as stream:
            stream.write("ObjectType = Image\nNDims = 3\nDimSize = 4 4 4\nElementType = MET_UCHAR\n"
                         "ElementDataFile = d.raw\n")
        with open(self.path("d.raw"), "wb") as stream:
            stream.write(bytes([2] * 20 + [0] * 44))
        os.symlink(self.path("d.raw"), self.path("m_2.stl"))
        self.fails("mesh", self.path("d.mhd"), self.path("m.stl"), "--one-file-each", saying="a part of the input")
        os.mkdir(self.path("n_2.stl"))
        self.fails("mesh", self.path("d.mhd"), self.path("n.stl"), "--one-file-each", saying="it is a folder")
        os.rmdir(self.path("n_2.stl"))
        with open(self.path("one"), "w") as stream:
            stream.write("old")
        with open(self.path("e.raw"), "wb") as stream:
            stream.write(bytes([1] * 20 + [2] * 44))
        with open(self.path("d.mhd")) as stream:
            header = stream.read()
        with open(self.path("e.mhd"), "w") as stream:
            stream.write(header.replace("d.raw", "e.raw"))
        for name in ("k_1.stl", "k_2.stl"):
            os.link(self.path("one"), self.path(name))
        # The old file of both names stays as it is.
        self.ok("mesh", self.path("e.mhd"), self.path("k.stl"), "--one-file-each", "--quiet")
        with open(self.path("one")) as stream:
            self.assertEqual(stream.read(), "old")
        for name in ("s_1.stl", "s_2.stl"):
            os.symlink(self.path("one"), self.path(name))
        self.fails("mesh", self.path("e.mhd"), self.path("s.stl"), "--one-file-each", saying="also the output")
        os.symlink("q_2.obj", self.path("q_1.obj"))
        self.fails("mesh", self.path("e.mhd"), self.path("q.obj"), "--one-file-each", saying="also the output")
        self.fails("mesh", self.labels, self.path("m.stl"), "--series", "1", saying="--series")
        # Thousands of files are checked in no time, also where they are there already.
        count = 3000
        write_nrrd(self.path("many.nrrd"), "uint16", (2 * count, 1, 1), [x // 2 + 1 if x % 2 else 0 for x in range(2 * count)])
        os.mkdir(self.path("each"))
        for _ in range(2):
            self.ok("mesh", self.path("many.nrrd"), self.path("each/m.stl"), "--one-file-each", "--quiet")
        self.assertEqual(len(os.listdir(self.path("each"))), count)

    def test_far_from_the_origin(self):
        write_nrrd(self.path("far.nrrd"), "uint8", (3, 3, 3), [1] * 27, spacing=(0.005, 0.005, 0.005),
                   origin=(20000, 0, 0))
        self.fails("mesh", self.path("far.nrrd"), self.path("f.stl"), saying=["32-bit", ".vtp or .obj"])
        self.ok("mesh", self.path("far.nrrd"), self.path("f.vtp"), "--quiet")

    def test_bad_input(self):
        self.fails("mesh", self.labels, self.path("o.wrl"), saying=".stl, .ply, .glb, .obj or .vtp")
        self.fails("mesh", self.labels, self.path("none/o.stl"), saying="none")
        self.fails("mesh", self.labels, self.path("o.stl"), "--smooth", "-1", saying="--smooth")
        write_nrrd(self.path("flat.nrrd"), "uint8", (4, 3), [1] * 12)
        self.fails("mesh", self.path("flat.nrrd"), self.path("o.stl"), saying="3 dimensions")
        write_nrrd(self.path("float.nrrd"), "float", (2, 2, 2), [0.5] * 8)
        self.fails("mesh", self.path("float.nrrd"), self.path("o.stl"), saying="whole number")
        os.link(self.labels, self.path("same.stl"))
        self.fails("mesh", self.labels, self.path("same.stl"), saying="OUTPUT")


def ball_of(radius, center, size, spacing):
    """A ball whose voxels hold the share of them that is in it, 0 to 1000; x fastest."""
    cuts = 5
    shifts = [(i + 0.5) / cuts - 0.5 for i in range(cuts)]
    squares = [[[((i + shift) * step - middle) ** 2 for shift in shifts] for i in range(count)]
               for count, step, middle in zip(size, spacing, center)]
    values = []
    for z in squares[2]:
        for y in squares[1]:
            for x in squares[0]:
                near, far = (sum(pick(axis) for axis in (x, y, z)) for pick in (min, max))
                if far <= radius ** 2 or near > radius ** 2:
                    values.append(1000 if far <= radius ** 2 else 0)
                else:
                    values.append(round(1000 * sum(a + b + c <= radius ** 2 for a in x for b in y for c in z) / cuts ** 3))
    return values


class IsoSurfaceTest(CommandTest):
    """Surfaces of gray values."""

    def mesh(self, *arguments):
        result = self.ok("mesh", *arguments, self.path("m.ply"), "--json")
        points, triangles, _ = read_ply(self.path("m.ply"))
        return json.loads(result.stdout), points, triangles

    def test_a_ball_has_its_radius_and_volume(self):
        """8 mm, unblurred, with voxels of 1 and 0.5 mm."""
        radius, errors = 8, []
        for step in (1, 0.5):
            size = [round(20 / step)] * 3
            center = [9.3, 9.6, 9.45]
            write_nrrd(self.path("ball.nrrd"), "uint16", size, ball_of(radius, center, size, [step] * 3), [step] * 3)
            summary, points, triangles = self.mesh(self.path("ball.nrrd"), "--iso", "iso50")
            self.assertAlmostEqual(summary["iso"], 500, delta=1)
            MeshTest.check_closed(self, triangles)
            mean = sum(math.dist(point[:3], center) for point in points) / len(points)
            self.assertAlmostEqual(mean, radius, delta=0.1 * step)
            volume = volume_of([[points[i] for i in t] for t in triangles])
            self.assertAlmostEqual(summary["volume_mm3"], volume, delta=0.01)
            errors.append(volume / (4 / 3 * math.pi * radius ** 3) - 1)
        self.assertLess(abs(errors[0]), 0.02)
        self.assertLess(abs(errors[1]), abs(errors[0]) / 3)

    def test_each_component_has_its_own_on_any_grid(self):
        """Two balls, bright or dark, on an oblique grid and on a mirrored one."""
        size, spacing, radius = (40, 24, 15), (0.5, 0.7, 1.1), 4
        centers = ((6, 8, 8), (16, 8, 8.2))
        balls = [ball_of(radius, center, size, spacing) for center in centers]
        cosine, sine = math.cos(0.6), math.sin(0.6)
        axes = ((cosine, sine, 0), (-sine * 0.8, cosine * 0.8, 0.6), (sine * 0.6, -cosine * 0.6, 0.8))
        for mirrored in (1, -1):
            for bright in (True, False):
                values = [200 + (a + b if bright else 1000 - a - b) for a, b in zip(*balls)]
                write_nrrd(self.path("scan.nrrd"), "int16", size, values, spacing, (100, -50, 20))
                with open(self.path("scan.nrrd"), "rb") as stream:
                    header, voxels = stream.read().split(b"\n\n", 1)
                columns = [[step * value for value in axis] for step, axis in zip(spacing, axes)]
                columns[2] = [mirrored * value for value in columns[2]]
                text = " ".join("(%.17g,%.17g,%.17g)" % tuple(column) for column in columns)
                header = re.sub(rb"space directions: .*", b"space directions: " + text.encode(), header)
                with open(self.path("scan.nrrd"), "wb") as stream:
                    stream.write(header + b"\n\n" + voxels)
                self.ok("label", self.path("scan.nrrd"), self.path("l.nrrd"), "--threshold", "700",
                        *([] if bright else ["--below"]), "--quiet")
                _, points, triangles = self.mesh(self.path("l.nrrd"), "--iso", "700", "--intensity", self.path("scan.nrrd"))
                self.check(points, triangles, centers, columns, spacing, radius)

    def check(self, points, triangles, centers, columns, spacing, radius):
        for label, center in zip((1, 2), centers):
            place = [origin + sum(column[row] * middle / step for column, middle, step in zip(columns, center, spacing))
                     for row, origin in enumerate((100, -50, 20))]
            own = [point for point in points if point[6] == label]
            mean = sum(math.dist(point[:3], place) for point in own) / len(own)
            self.assertAlmostEqual(mean, radius, delta=0.05)
            self.assertLess(max(abs(math.dist(point[:3], place) - radius) for point in own), 0.2)
            faces = [t for t in triangles if points[t[0]][6] == label]
            MeshTest.check_closed(self, faces)
            volume = volume_of([[points[i] for i in t] for t in faces])
            self.assertAlmostEqual(volume / (4 / 3 * math.pi * radius ** 3), 1, delta=0.05)

    def test_the_image_border_closes_the_surface(self):
        write_nrrd(self.path("full.nrrd"), "uint8", (4, 5, 7), [100] * 120 + [0] * 20)
        summary, _, triangles = self.mesh(self.path("full.nrrd"), "--iso", "50")
        MeshTest.check_closed(self, triangles)
        # Edges are cut off half-way between voxel centers, as those of label maps before they get their volume back.
        self.assertAlmostEqual(summary["volume_mm3"] / 120, 0.93, delta=0.05)

    def test_columns(self):
        values = ball_of(4, (6, 6, 6), (13, 13, 13), (1, 1, 1))
        write_nrrd(self.path("scan.nrrd"), "uint16", (13, 13, 13), values)
        self.ok("mesh", self.path("scan.nrrd"), self.path("m.vtp"), "--iso", "500", "--columns", "shape,sphericity", "--quiet")
        arrays = read_vtp(self.path("m.vtp"))
        for name in ("Label", "voxel_count", "elongation", "sphericity", "mesh_volume_mm3"):
            self.assertEqual(len(set(arrays[name])), 1, name)
        self.assertAlmostEqual(arrays["mesh_volume_mm3"][0] / (4 / 3 * math.pi * 64), 1, delta=0.08)

    def test_bad_input(self):
        write_nrrd(self.path("scan.nrrd"), "uint8", (3, 3, 3), [0] * 13 + [9] + [0] * 13)
        write_nrrd(self.path("l.nrrd"), "uint8", (3, 3, 3), [0] * 13 + [1] + [0] * 13)
        for iso in (-1, 0, 10):
            saying = "scan.nrrd' go from 0 to 9; %d (--iso) is outside" % iso
            self.fails("mesh", self.path("scan.nrrd"), self.path("m.ply"), "--iso", iso, saying=saying)
            self.fails("mesh", self.path("l.nrrd"), self.path("m.ply"), "--iso", iso, "--intensity", self.path("scan.nrrd"), saying=saying)
        for arguments, saying in ((("m.ply", "--iso", "local:5"), "differs from place to place"),
                                  (("m.ply", "--iso", "5", "--smooth", "20"), "--smooth"),
                                  (("m.ply", "--iso", "big"), "big"),
                                  (("m.ply", "--columns", "shape"), "needs a .vtp file"),
                                  (("m.ply", "--intensity", self.path("scan.nrrd")), "--iso, --color-by or --columns")):
            self.fails("mesh", self.path("scan.nrrd"), self.path(arguments[0]), *arguments[1:], saying=saying)
        write_nrrd(self.path("scan.nrrd"), "uint8", (3, 3, 3), [9] * 27)
        for iso, saying in ((9, "go from 9 to 9; 9 (--iso) is outside"), ("iso50", "all voxels have the same value"),
                            ("valley", "all voxels have the same value")):
            self.fails("mesh", self.path("scan.nrrd"), self.path("m.ply"), "--iso", iso, saying=saying)


if __name__ == "__main__":
    unittest.main()
