# SPDX-License-Identifier: Apache-2.0
"""`brickccl compare` of scans and label maps: alignment, defects through time."""

import csv
import json
import math
import os
import unittest

from support import CommandTest, place_in, run, write_nrrd

try:
    import numpy
    import SimpleITK
except ImportError:
    SimpleITK = None

HAS_ITK = "ITK ON" in run("info").stdout


def write_turned(path, output, degrees, offset):
    """Writes the same voxels elsewhere in space: turned about x, and moved."""
    with open(path, "rb") as stream:
        header, data = stream.read().split(b"\n\n", 1)
    c, s = math.cos(math.radians(degrees)) / 10, math.sin(math.radians(degrees)) / 10
    lines = [line for line in header.decode().splitlines() if not line.startswith(("space directions", "space origin"))]
    lines += ["space directions: (0.1,0,0) (0,%.17g,%.17g) (0,%.17g,%.17g)" % (c, s, -s, c), "space origin: (%g,%g,%g)" % offset]
    with open(output, "wb") as stream:
        stream.write("\n".join(lines).encode() + b"\n\n" + data)


def moved(motion, point):
    return [sum(a * x for a, x in zip(row, point)) + offset for row, offset in zip(motion["rotation"], motion["offset_mm"])]


class CompareScansTest(CommandTest):
    def compare(self, *arguments):
        return json.loads(self.ok("compare", *arguments, "--json").stdout)["items"][0]

    def rows(self, name):
        with open(self.path(name), encoding="utf-8") as stream:
            return list(csv.DictReader(stream))

    def casting(self):
        """A scan of 160 x 160 x 120 voxels of 0.1 mm."""
        scan = self.path("scan.nrrd")
        self.ok("phantom", "casting", scan, "--size", 160, 160, 120, "--spacing", 0.1, 0.1, 0.1, "--seed", 1, "--quiet")
        return scan

    def check_found_again(self, item, share):
        """Defects of the first scan that have a partner in the second one."""
        before = sum(item[change] for change in ("same", "grown", "shrunk", "merged", "vanished"))
        self.assertGreater(before, 50)
        self.assertGreaterEqual(before - item["vanished"], share * before, item)

    def test_label_maps_by_hand(self):
        maps = [[1, 1, 0, 2, 2, 0, 0, 0, 3, 3, 3, 0], [1, 1, 0, 2, 2, 2, 0, 0, 3, 0, 4, 0]]
        for i, values in enumerate(maps):
            write_nrrd(self.path("%d.nrrd" % i), "uint8", (12, 1, 1), values)
        paths = [self.path("%d.nrrd" % i) for i in range(2)]
        result = self.ok("compare", *paths, "-o", self.path("c.csv"))
        self.assertIn("1.nrrd: 1 same, 1 grown, 1 shrunk, 1 split\n", result.stdout)
        self.assertEqual([list(row.values())[1:] for row in self.rows("c.csv")],
                         [["same", "1", "1", "2", "2", "2"], ["grown", "2", "2", "2", "3", "2"],
                          ["shrunk", "3", "3", "3", "1", "1"], ["split", "3", "4", "3", "1", "1"]])

    def test_nearly_all_new_is_noted(self):
        values = [0] * 8000
        for z in range(2, 6):
            for x in range(4):
                for y in range(3):
                    values[(z * 2 * 20 + y * 5) * 20 + x * 3] = 3 * x + y + 1
        write_nrrd(self.path("a.nrrd"), "uint8", (20, 20, 20), values)
        write_nrrd(self.path("b.nrrd"), "uint8", (20, 20, 20), [0] * 7 + values[:-7])
        result = self.ok("compare", self.path("a.nrrd"), self.path("b.nrrd"))
        self.assertIn("12 of 12 defects of ", result.stderr)
        self.assertIn("are new and 12 of 12 vanished, which is doubtful", result.stderr)
        self.assertIn("a scan may be shifted or turned; the centers are 7.000 mm apart; --align", result.stderr)
        self.assertNotIn("doubtful", self.ok("compare", self.path("a.nrrd"), self.path("a.nrrd")).stderr)

    def test_bad_input(self):
        write_nrrd(self.path("a.nrrd"), "uint8", (9, 9, 9), [0] * 729)
        write_nrrd(self.path("flat.nrrd"), "uint8", (9, 9, 1), [1] * 81)
        a, flat = self.path("a.nrrd"), self.path("flat.nrrd")
        self.fails("compare", a, flat, saying=["scans need one grid or --align: ", "9 x 9 x 1"])
        self.fails("compare", a, saying="SCAN needs 2 or more values")
        self.fails("compare", a, a, "--different-recipes", "--recipe", "print-porosity", saying="label maps no --different-recipes")
        self.fails("compare", a, a, "--different-recipes", saying="a.nrrd' is not the folder of a batch")
        self.fails("compare", a, a, "--transform", self.path("t.tfm"), saying="--align")
        self.fails("compare", a, a, "--align", "--transform", self.path("t.txt"), saying="a file .tfm, not 2 scans and")
        self.fails("compare", a, a, a, "--align", "--transform", self.path("t.tfm"), saying="two scans and a file .tfm, not 3 scans")
        self.fails("compare", a, a, "-o", a, saying=".csv")
        self.fails("compare", a, a, "--recipe", "none", saying="none")
        self.fails("compare", a, self.path("b.nrrd"), saying="b.nrrd")
        if HAS_ITK:
            b = self.path("b.nrrd")
            write_nrrd(b, "uint8", (9, 9, 9), [i % 2 for i in range(729)], (1, 1, 1))
            for first, second in ((a, b), (b, a)):
                self.fails("compare", first, second, "--align", saying="--align needs labels, but '%s' has none" % a)
            self.fails("compare", b, flat, "--align", saying="at least 8 voxels along each axis; one has 9 x 9 x 1")
            os.remove(b)
        else:
            self.fails("compare", a, a, "--align", saying="needs a build with ITK")

    @unittest.skipUnless(HAS_ITK, "this build has no ITK")
    def test_the_same_voxels_elsewhere(self):
        scan, other = self.casting(), self.path("other.nrrd")
        write_turned(scan, other, 20, (1, -2, 0.5))
        self.fails("compare", scan, other, "--recipe", "casting-porosity", saying="is elsewhere in space")
        texts = []
        for threads in (1, 2):
            item = self.compare(scan, other, "--recipe", "casting-porosity", "--align", "--transform",
                                self.path("t.tfm"), "--threads", threads)
            with open(self.path("t.tfm"), encoding="utf-8") as stream:
                texts.append(stream.read())
        self.assertEqual(texts[0], texts[1])
        self.check_found_again(item, 1)
        motion = item["alignment"]
        c, s = math.cos(math.radians(20)), math.sin(math.radians(20))
        for x, y, z in ((0, 0, 0), (15.9, 0, 11.9), (0, 15.9, 0), (15.9, 15.9, 11.9)):
            self.assertLess(math.dist(moved(motion, (x, y, z)), (x + 1, c * y - s * z - 2, s * y + c * z + 0.5)), 0.05)

    @unittest.skipUnless(HAS_ITK and SimpleITK, "ITK or SimpleITK is missing")
    def test_turned_scans(self):
        # With air around it, so that no scan ends within the part.
        image = SimpleITK.ConstantPad(SimpleITK.ReadImage(self.casting()), (20, 20, 30), (20, 20, 30), -1000)
        scan, again = self.path("scan.nrrd"), self.path("again.nrrd")
        SimpleITK.WriteImage(image, scan)
        for axis in range(3):
            with self.subTest("xyz"[axis]):
                turn = SimpleITK.Euler3DTransform()
                turn.SetCenter(image.TransformContinuousIndexToPhysicalPoint([(n - 1) / 2 for n in image.GetSize()]))
                turn.SetRotation(*(math.radians(20) * (i == axis) for i in range(3)))
                turn.SetTranslation((0, 1, 0))
                SimpleITK.WriteImage(SimpleITK.Resample(image, turn, SimpleITK.sitkBSpline, -1000), again)
                result = self.ok("compare", scan, again, "--recipe", "casting-porosity")
                self.assertRegex(result.stderr, "which is doubtful: .*the centers are (1|0.9[5-9]).* mm")
                item = self.compare(scan, again, "--recipe", "casting-porosity", "--align", "--transform", self.path("t.tfm"))
                self.check_found_again(item, 0.95)
                found = SimpleITK.ReadTransform(self.path("t.tfm"))
                for corner in ((0, 0, 0), (15.9, 0, 11.9), (0, 15.9, 0), (15.9, 15.9, 11.9)):
                    place = turn.GetInverse().TransformPoint(corner)
                    self.assertLess(math.dist(found.TransformPoint(corner), place), 0.1)

    @unittest.skipUnless(HAS_ITK, "this build has no ITK")
    def test_few_labels_are_not_turned(self):
        """Cubes on a line and two in the plane: each map with itself, and shifted by 3 voxels."""
        size = (40, 36, 32)
        first, second = self.path("first.nrrd"), self.path("second.nrrd")
        for corners, isDetermined in (([(10, 12, 9)], False), ([(8, 9, 9), (25, 9, 9)], False), ([(5, 6, 7), (13, 14, 13), (21, 22, 19)], False),
                                      ([(5, 6, 7), (13, 20, 13), (29, 8, 19)], True)):
            for shift in (0, 3)[len(corners) // 3:]:
                for path, moved_by in ((first, 0), (second, shift)):
                    voxels = [0] * (size[0] * size[1] * size[2])
                    for label, corner in enumerate(corners):
                        for at in place_in((3, 3, 3)):
                            x, y, z = (a + b for a, b in zip(at, corner))
                            voxels[(z * size[1] + y) * size[0] + x + moved_by] = label + 1
                    write_nrrd(path, "uint8", size, voxels, (1, 1, 1))
                result = self.ok("compare", first, second, "--align", "--json")
                motion = json.loads(result.stdout)["items"][0]
                self.assertEqual(motion["alignment"]["rotation"], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], (corners, shift))
                self.assertLess(math.dist(motion["alignment"]["offset_mm"], (shift, 0, 0)), 0.3, (corners, shift))
                self.assertEqual(motion["same"], len(corners))
                self.assertEqual("the rotation is not determined" in result.stderr + result.stdout, not isDetermined)

    @unittest.skipUnless(HAS_ITK and SimpleITK, "ITK or SimpleITK is missing")
    def test_common_voxels_of_moved_labels(self):
        labels, again = self.path("labels.nrrd"), self.path("again.nrrd")
        self.ok("label", self.casting(), labels, "--pores", "--quiet")
        turn = SimpleITK.Euler3DTransform((8, 8, 6), 0.1, -0.2, 0.3, (1, 0, 0))
        first = SimpleITK.ReadImage(labels)
        SimpleITK.WriteImage(SimpleITK.Resample(first, first, turn, SimpleITK.sitkNearestNeighbor, 0), again)
        item = self.compare(labels, again, "--align", "--transform", self.path("t.tfm"))
        motion = SimpleITK.ReadTransform(self.path("t.tfm"))
        moved_labels = SimpleITK.Resample(SimpleITK.ReadImage(again), first, motion, SimpleITK.sitkNearestNeighbor, 0)
        before, after = (SimpleITK.GetArrayFromImage(image) for image in (first, moved_labels))
        right = [defect for defect in item["defects"] if defect["common_voxels"] > 0]
        self.assertGreater(len(right), 60)
        for defect in right:
            common = numpy.count_nonzero((before == defect["label_1"]) & (after == defect["label_2"]))
            self.assertEqual(defect["common_voxels"], common)
            self.assertEqual(defect["label_1"], defect["label_2"])


if __name__ == "__main__":
    unittest.main()
