# SPDX-License-Identifier: Apache-2.0
"""What `brickccl thickness` writes of phantoms whose walls are known."""

import csv
import json
import random
import struct
import unittest

from support import CommandTest, read_nrrd, write_nrrd

try:
    import numpy
except ImportError:
    numpy = None


class ThicknessTest(CommandTest):
    sizes = (60, 30, 30)
    spacing = (0.2, 0.2, 0.2)

    def setUp(self):
        super().setUp()
        self.mask = self.path("mask.nrrd")
        self.output = self.path("out.nrrd")
        # Steps of 2, 1 and 4 mm, which are 10, 5 and 20 voxels.
        self.values = [1 if 2 <= y < 28 and 3 <= z < 3 + (10, 5, 20)[x // 20] else 0
                       for z in range(30) for y in range(30) for x in range(60)]
        write_nrrd(self.mask, "uint8", self.sizes, self.values, spacing=self.spacing)

    def measure(self, *options, part=None):
        summary = json.loads(self.ok("thickness", part or self.mask, self.output, "--json", *options).stdout)
        fields, found = read_nrrd(self.output)
        self.assertEqual(fields["type"], "float")
        return summary, struct.unpack("<%df" % len(self.values), found) if isinstance(found, bytes) else list(found)

    def test_steps_within_a_voxel(self):
        summary, found = self.measure("--limit", "1.5 mm", "--histogram", self.path("h.csv"), "--picture", self.path("p.png"))
        self.assertAlmostEqual(summary["thinnest_wall"]["thickness_mm"], 1, delta=1e-6)
        voxel = summary["thinnest_wall"]["voxel"]
        self.assertTrue(20 <= voxel[0] < 40 and voxel[2] == 5, voxel)
        self.assertEqual([round(at / 0.2) for at in summary["thinnest_wall"]["position_mm"]], voxel)
        for step, thickness in enumerate((2, 1, 4)):
            self.assertAlmostEqual(max(value for i, value in enumerate(found) if 8 <= i % 60 - 20 * step < 12), thickness, delta=0.201)
        of_part = [value for value, label in zip(found, self.values) if label]
        self.assertEqual([value for value, label in zip(found, self.values) if not label and value], [])
        self.assertAlmostEqual(summary["mean_thickness_mm"], sum(of_part) / len(of_part), delta=1e-6)
        self.assertAlmostEqual(summary["largest_thickness_mm"], max(of_part), delta=1e-6)
        self.assertAlmostEqual(summary["below_limit_percent"], 100 * sum(value < 1.4999 for value in of_part) / len(of_part), delta=1e-9)
        self.assertEqual(summary["part_voxels"], len(of_part))
        with open(self.path("h.csv"), encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual(sum(int(row["voxel_count"]) for row in rows), len(of_part))
        for row in rows:
            inside = [value for value in of_part if float(row["from_mm"]) <= value + 1e-6 < float(row["to_mm"])]
            self.assertEqual(int(row["voxel_count"]), len(inside), row)
            self.assertAlmostEqual(float(row["volume_mm3"]), 0.008 * len(inside))
        self.assertEqual([row["from_mm"] for row in rows[:3]], ["0", "0.1", "0.2"])
        self.assertEqual(len(summary["histogram"]), len(rows))
        with open(self.path("p.png"), "rb") as stream:
            self.assertEqual(stream.read(8), b"\x89PNG\r\n\x1a\n")
        lines = self.ok("thickness", self.mask, self.output, "--limit", 1.5).stdout.splitlines()
        self.assertIn("thinnest wall 1.000 mm, at voxel [%d,%d,%d]" % tuple(voxel), lines[0])
        self.assertIn("is thinner than 1.500 mm", lines[1])

    def test_same_on_any_number_of_threads(self):
        one = self.measure("--threads", 1)
        self.assertEqual(one[1], self.measure("--threads", 3)[1])

    def test_scans(self):
        draw = random.Random(3)
        scan = self.path("scan.nrrd")
        # A pore in the middle of the thick step, and a speck outside.
        solid = list(self.values)
        for z in range(11, 14):
            for y in range(13, 16):
                for x in range(48, 51):
                    solid[(z * 30 + y) * 60 + x] = 0
        solid[60 * 30 * 29 + 5] = 1
        write_nrrd(scan, "uint16", self.sizes, [round(draw.gauss(200 + 1000 * value, 30)) for value in solid], spacing=self.spacing)
        expected = self.measure()[1]
        self.assertEqual(self.measure("--threshold", "iso50", part=scan)[1], expected)
        self.assertEqual(self.measure("--threshold", 700, part=scan)[1], expected)
        solid[60 * 30 * 29 + 5] = 0
        write_nrrd(self.mask, "uint8", self.sizes, solid, spacing=self.spacing)
        self.assertEqual(self.measure("--threshold", 700, "--pores-are-air", part=scan)[1], self.measure()[1])
        self.assertIn("looks like a grayscale scan", self.ok("thickness", scan, self.output).stderr)

    def test_slices_and_empty_parts(self):
        summary, found = self.measure("--by-slice", "z")
        self.assertAlmostEqual(max(found), 5.2 - 0.2, delta=1e-6)
        self.assertEqual(len(summary["thinnest_wall"]["voxel"]), 3)
        write_nrrd(self.mask, "uint8", self.sizes, [0] * len(self.values), spacing=self.spacing)
        summary, _ = self.measure("--picture", self.path("p.png"))
        self.assertIsNone(summary["thinnest_wall"]["thickness_mm"])
        self.assertIn("the part has no voxels", summary["notes"])

    @unittest.skipUnless(numpy, "numpy is missing")
    def test_openings_of_planar_cracks(self):
        """Volume over half the surface, where balls are up to 60 % too small: straight and oblique cracks of 1 to 5 voxels."""
        side, voxel = 60, 0.05
        at = numpy.stack(numpy.indices((80, 80, 80))[::-1], -1) - 39.5
        for normal in ((1, 0, 0), (0, 0, 1), (1, 0.36, 0), (1, 0.5, 0.3), (0.9, 0.2, 0.6), (0.2, -0.5, 0.8)):
            w = numpy.array(normal) / numpy.linalg.norm(normal)
            u = numpy.cross(w, (0, 1, 0)) / numpy.linalg.norm(numpy.cross(w, (0, 1, 0)))
            for opening in (1, 2, 3, 4, 5):
                with self.subTest(normal=normal, opening=opening):
                    # A plane through voxel centers, if they are an odd number.
                    place = at - 0.5 * (opening % 2)
                    inside = numpy.max(numpy.abs((place @ u, place @ numpy.cross(w, u))), 0) < side / 2
                    crack = inside & (numpy.abs(place @ w) < opening / 2)
                    write_nrrd(self.mask, "uint8", (80, 80, 80), crack.ravel().astype(int).tolist(), spacing=(voxel,) * 3)
                    self.ok("stats", self.mask, "-o", self.path("t.csv"), "--columns", "opening_mm,thickness", "--quiet")
                    with open(self.path("t.csv"), encoding="utf-8", newline="") as stream:
                        (row,) = csv.DictReader(stream)
                    # The rim is a part of the surface.
                    right = opening * voxel / (1 + 2 * opening / side)
                    least, most = (1.08, 1.11) if max(normal) == sum(normal) else (1, 1.17) if opening == 1 else (0.98, 1.05)
                    self.assertTrue(least < float(row["opening_mm"]) / right < most, (float(row["opening_mm"]) / right, row))
                    if opening == 3 and normal[2] and normal[0] > 0.9:
                        self.assertLess(float(row["thickness_mean_mm"]), 0.5 * opening * voxel)

    def test_refusals(self):
        for options, saying in ((["--below"], "--threshold"), (["--pores-are-air"], "--threshold"), (["--close", 1], "--threshold"),
                                (["--limit", "1kg"], "--limit"), (["--picture", "p.jpg"], "p.jpg"),
                                (["--histogram", "h.txt"], "h.txt"), (["--by-slice", "t"], "the image has no axis t"),
                                (["--histogram", self.mask.replace(".nrrd", ".csv"), "--threshold", "warm"], "warm")):
            self.fails("thickness", self.mask, self.output, *options, saying=saying)
        self.fails("thickness", self.mask, self.path("o.png"), saying="o.png")
        self.fails("thickness", self.mask, self.mask, saying="OUTPUT")
        write_nrrd(self.mask, "float", self.sizes, [0.5] * len(self.values), spacing=self.spacing)
        self.fails("thickness", self.mask, self.output, saying="a label is 0.5")


if __name__ == "__main__":
    unittest.main()
