# SPDX-License-Identifier: Apache-2.0
"""--box, --cylinder, --sphere and --mask: the results of commands in a region, beside masks made voxel by voxel."""

import csv
import itertools
import json
import math
import os
import random
import unittest

from support import CommandTest, labels_of, write_nrrd

SIZE = (23, 17, 11)
SPACING = (0.5, 0.5, 0.25)
ORIGIN = (-3, 2, 10)

# Options, and whether a voxel (i, j, k) at a point (x, y, z) in mm is inside.
REGIONS = [
    (("--box", "2,3,1,12,9,7"), lambda i, p: 2 <= i[0] <= 12 and 3 <= i[1] <= 9 and 1 <= i[2] <= 7),
    (("--box", "0,0,0,22,16,10"), lambda i, p: True),
    (("--box", "4,4,4,4,4,4"), lambda i, p: i == (4, 4, 4)),
    (("--box", "-2mm,2.1mm,10mm,3mm,6mm,0.0115m"), lambda i, p: -2 <= p[0] <= 3 and 2.1 <= p[1] <= 6 and p[2] <= 11.5),
    (("--box=1,1,1,3,3,3", "--box=8,2,2,12,6,6"),
     lambda i, p: all(1 <= n <= 3 for n in i) or (8 <= i[0] <= 12 and all(2 <= n <= 6 for n in i[1:]))),
    (("--box", "not:3,3,3,9,9,9"), lambda i, p: not all(3 <= n <= 9 for n in i)),
    (("--cylinder", "z:10,8,5"), lambda i, p: (i[0] - 10) ** 2 + (i[1] - 8) ** 2 <= 25),
    (("--cylinder", "z:10,8,2.5mm,2,8"),
     lambda i, p: (0.5 * (i[0] - 10)) ** 2 + (0.5 * (i[1] - 8)) ** 2 <= 6.25 and 2 <= i[2] <= 8),
    (("--cylinder", "x:5mm,11mm,1mm"), lambda i, p: (p[1] - 5) ** 2 + (p[2] - 11) ** 2 <= 1),
    (("--cylinder", "y:10,5,1.25mm,3,9"),
     lambda i, p: (0.5 * (i[0] - 10)) ** 2 + (0.25 * (i[2] - 5)) ** 2 <= 1.5625 and 3 <= i[1] <= 9),
    (("--cylinder", "z:10,8,7", "--cylinder", "not:z:10,8,3"),
     lambda i, p: 9 < (i[0] - 10) ** 2 + (i[1] - 8) ** 2 <= 49),
    (("--sphere", "3mm,6mm,11mm,1.5mm"), lambda i, p: math.dist(p, (3, 6, 11)) <= 1.5 + 1e-9),
    (("--sphere", "11,8.5,5,1.25mm"), lambda i, p: math.dist(p, (2.5, 6.25, 11.25)) <= 1.25 + 1e-9),
    (("--sphere", "11,8,5,500um", "--box", "0,0,0,3,3,3"),
     lambda i, p: math.dist(p, (2.5, 6, 11.25)) <= 0.5 + 1e-9 or all(n <= 3 for n in i)),
]


class RegionShapesTest(CommandTest):
    def setUp(self):
        super().setUp()
        choose = random.Random(4)
        self.values = [choose.choice((0, 0, 40, 100, 160)) for _ in range(math.prod(SIZE))]
        self.image = self.path("in.nrrd")
        write_nrrd(self.image, "uint8", SIZE, self.values, SPACING, ORIGIN)

    @staticmethod
    def inside(contains):
        """The mask of a region, x fastest."""
        mask = []
        for k, j, i in itertools.product(*map(range, reversed(SIZE))):
            point = tuple(o + s * n for o, s, n in zip(ORIGIN, SPACING, (i, j, k)))
            mask.append(1 if contains((i, j, k), point) else 0)
        return mask

    def summary(self, *arguments):
        return json.loads(self.ok(*arguments, "--json").stdout)

    def masked(self, contains):
        mask = self.inside(contains)
        self.assertGreater(sum(mask), 0)
        write_nrrd(self.path("mask.nrrd"), "uint8", SIZE, mask, SPACING, ORIGIN)
        return mask

    def test_labels_are_those_of_a_mask(self):
        for options, contains in REGIONS:
            with self.subTest(options=options):
                mask = self.masked(contains)
                asked = ("--threshold", "otsu" if sum(mask) > 1 else 90, "--statistics")
                own = self.summary("label", self.image, self.path("own.nrrd"), *asked, self.path("own.csv"), *options)
                other = self.summary("label", self.image, self.path("other.nrrd"), *asked, self.path("other.csv"),
                                     "--mask", self.path("mask.nrrd"))
                self.assertEqual(labels_of(self.path("own.nrrd")), labels_of(self.path("other.nrrd")))
                self.assertEqual(self.contents()["own.csv"], self.contents()["other.csv"])
                for key in ("components", "foreground_voxels", "threshold", "totals"):
                    self.assertEqual(own[key], other[key], key)
                self.assertEqual(own["region"]["voxels"], sum(mask))
                self.assertEqual(own["totals"]["fraction"], own["foreground_voxels"] / sum(mask))

    def test_labels_are_those_of_the_cut_image(self):
        box = (2, 3, 1, 12, 9, 7)
        self.ok("label", self.image, self.path("own.nrrd"), "--box", ",".join(map(str, box)), "--threshold", 90)
        ranges = [range(box[axis], box[axis + 3] + 1) for axis in (2, 1, 0)]
        places = [(k * SIZE[1] + j) * SIZE[0] + i for k, j, i in itertools.product(*ranges)]
        write_nrrd(self.path("cut.nrrd"), "uint8", (11, 7, 7), [self.values[place] for place in places], SPACING)
        self.ok("label", self.path("cut.nrrd"), self.path("other.nrrd"), "--threshold", 90)
        own = labels_of(self.path("own.nrrd"))[1]
        self.assertEqual([own[place] for place in places], labels_of(self.path("other.nrrd"))[1])
        self.assertEqual(sum(label > 0 for label in own), sum(own[place] > 0 for place in places))

    def test_shapes_and_a_mask_are_intersected(self):
        choose = random.Random(8)
        mask = [choose.choice((0.0, 1.0, -2.0, math.nan)) for _ in self.values]
        write_nrrd(self.path("mask.nrrd"), "float", SIZE, mask, SPACING, ORIGIN)
        options, contains = REGIONS[0]
        both = [1 if value and own not in (0, math.nan) and own == own else 0
                for value, own in zip(self.inside(contains), mask)]
        found = self.summary("label", self.image, self.path("own.nrrd"), "--threshold", "otsu", *options, "--mask",
                             self.path("mask.nrrd"))
        write_nrrd(self.path("both.nrrd"), "uint8", SIZE, both, SPACING, ORIGIN)
        other = self.summary("label", self.image, self.path("other.nrrd"), "--threshold", "otsu", "--mask",
                             self.path("both.nrrd"))
        self.assertEqual(labels_of(self.path("own.nrrd")), labels_of(self.path("other.nrrd")))
        self.assertEqual(found["threshold"], other["threshold"])
        self.assertEqual(found["region"]["voxels"], sum(both))

    def test_voxels_of_a_mask_that_are_not_a_number_have_no_part_in_thresholds(self):
        mask = [1.0 if value < 150 else math.nan for value in self.values]
        write_nrrd(self.path("mask.nrrd"), "float", SIZE, mask, SPACING, ORIGIN)
        info = self.summary("info", self.image, "--mask", self.path("mask.nrrd"))
        self.assertEqual(info["maximum"], 100)

    def test_statistics_in_a_region(self):
        self.ok("label", self.image, self.path("labels.nrrd"), "--threshold", 90, "--connectivity", 26)
        labels = labels_of(self.path("labels.nrrd"))[1]
        part = [1 if n % 5 else 0 for n in range(len(labels))]
        write_nrrd(self.path("part.nrrd"), "uint8", SIZE, part, SPACING, ORIGIN)
        for options, contains in REGIONS:
            with self.subTest(options=options):
                mask = self.inside(contains)
                cut = [label * own for label, own in zip(labels, mask)]
                table = ("--columns", "shape", "-o")
                found = self.summary("stats", self.path("labels.nrrd"), *options, *table, self.path("own.csv"))
                write_nrrd(self.path("cut.nrrd"), "uint16", SIZE, cut, SPACING, ORIGIN)
                self.ok("stats", self.path("cut.nrrd"), *table, self.path("other.csv"))
                self.assertEqual(self.contents()["own.csv"], self.contents()["other.csv"])
                voxels = sum(1 for label in cut if label)
                self.assertEqual(found["totals"]["voxel_count"], voxels)
                self.assertEqual(found["totals"]["fraction"], voxels / sum(mask))
                both = sum(own * other for own, other in zip(part, mask))
                within = sum(1 for label, own in zip(cut, part) if label and own)
                found = self.summary("stats", self.path("labels.nrrd"), *options, "--part", self.path("part.nrrd"),
                                     "-o", self.path("own.csv"))
                self.assertEqual(found["totals"]["fraction"], within / both if both else 0)

    def test_sweep_and_info_in_a_region(self):
        for options, contains in REGIONS:
            with self.subTest(options=options):
                mask = self.inside(contains)
                own = [value for value, is_in in zip(self.values, mask) if is_in]
                self.ok("sweep", self.image, "--range-from", 50, "--range-to", 130, "--steps", 3, "-o",
                        self.path("curve.csv"), *options)
                with open(self.path("curve.csv"), encoding="utf-8", newline="") as stream:
                    rows = list(csv.DictReader(stream))
                self.assertEqual([float(row["fraction"]) for row in rows],
                                 [sum(value >= low for value in own) / len(own) for low in (50, 90, 130)])
                info = self.summary("info", self.image, *options)
                self.assertEqual((info["minimum"], info["maximum"]), (min(own), max(own)))
                self.assertEqual(sum(bar["count"] for bar in info["histogram"]), len(own))
                self.assertEqual(info["region"]["voxels"], len(own))

    def test_lengths_are_coordinates_of_oblique_images(self):
        axes = ((0.3, 0.4, 0), (-0.4, 0.3, 0), (0, 0, -0.25))
        with open(self.image, "rb") as stream:
            content = stream.read()
        old = b"space directions: (0.5,0,0) (0,0.5,0) (0,0,0.25)"
        new = "space directions: " + " ".join("(%g,%g,%g)" % axis for axis in axes)
        self.assertIn(old, content)
        with open(self.image, "wb") as stream:
            stream.write(content.replace(old, new.encode()))
        cases = (("--box", "-4.01mm,3.01mm,8.01mm,-1.03mm,7.02mm,9.6mm",
                  lambda p: -4.01 <= p[0] <= -1.03 and 3.01 <= p[1] <= 7.02 and 8.01 <= p[2] <= 9.6),
                 ("--cylinder", "y:-4.01mm,9.02mm,1.3mm,3.01mm,8mm",
                  lambda p: math.dist((p[0], p[2]), (-4.01, 9.02)) <= 1.3 and 3.01 <= p[1] <= 8),
                 ("--sphere", "-3.01mm,7.02mm,8.9mm,2.1mm", lambda p: math.dist(p, (-3.01, 7.02, 8.9)) <= 2.1))
        for option, text, contains in cases:
            self.ok("label", self.image, self.path("own.nrrd"), option, text, "--background", "none")
            expected = []
            for k, j, i in itertools.product(*map(range, reversed(SIZE))):
                point = [o + sum(n * axis[row] for n, axis in zip((i, j, k), axes)) for row, o in enumerate(ORIGIN)]
                expected.append(1 if contains(point) else 0)
            self.assertGreater(sum(expected), 50)
            self.assertEqual([1 if label else 0 for label in labels_of(self.path("own.nrrd"))[1]], expected)

    def test_a_row_of_the_table_is_a_box(self):
        self.ok("label", self.image, self.path("labels.nrrd"), "--threshold", 90, "--connectivity", 26, "--statistics",
                self.path("all.csv"))
        with open(self.path("all.csv"), encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        for row in rows[:20]:
            for unit, end in (("", ""), ("mm", "_mm")):
                box = ",".join(row["bbox_%s_%s%s" % (which, axis, end)] + unit for which in ("min", "max") for axis in "xyz")
                self.ok("stats", self.path("labels.nrrd"), "--box", box, "-o", self.path("one.csv"))
                with open(self.path("one.csv"), encoding="utf-8", newline="") as stream:
                    same = [one for one in csv.DictReader(stream) if one["label"] == row["label"]]
                self.assertEqual([one["voxel_count"] for one in same], [row["voxel_count"]])

    def test_pores_in_a_region(self):
        self.ok("phantom", "casting", self.image, "--size", 48, 48, 32)
        mask = [1 if 10 <= i <= 30 and 8 <= j <= 40 and 4 <= k <= 20 else 0
                for k, j, i in itertools.product(range(32), range(48), range(48))]
        write_nrrd(self.path("mask.nrrd"), "uint8", (48, 48, 32), mask)
        own = self.summary("label", self.image, self.path("own.nrrd"), "--pores", "--box", "10,8,4,30,40,20")
        other = self.summary("label", self.image, self.path("other.nrrd"), "--pores", "--mask", self.path("mask.nrrd"))
        self.assertEqual(own["pores"], other["pores"])
        self.assertGreater(own["pores"]["part_voxels"], 0)
        self.assertEqual(labels_of(self.path("own.nrrd")), labels_of(self.path("other.nrrd")))

    def test_a_mask_without_a_voxel_size_is_refused_for_that(self):
        with open(self.path("mask.npy"), "wb") as stream:
            shape = "(%d, %d, %d)" % SIZE[::-1]
            head = "{'descr': '|u1', 'fortran_order': False, 'shape': %s, }" % shape
            stream.write(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + head.ljust(117).encode() + b"\n")
            stream.write(bytes(math.prod(SIZE)))
        self.fails("label", self.image, self.path("own.nrrd"), "--mask", self.path("mask.npy"),
                   saying="assumed since its file has no voxel size; save it with one, or set --spacing X Y Z for both")
        self.fails("score", self.path("mask.npy"), self.image, saying="assumed since the input has no voxel size")
        write_nrrd(self.path("placed.nrrd"), "uint8", (2, 2, 2), [1] * 8, (0.5, 0.5, 0.5), (3, 4, 5))
        write_nrrd(self.path("unplaced.nrrd"), "uint8", (2, 2, 2), [1] * 8, (0.5, 0.5, 0.5))
        self.fails("label", self.path("placed.nrrd"), self.path("own.nrrd"), "--mask", self.path("unplaced.nrrd"),
                   saying="its origin is 0 instead of 3; if its file has no geometry, save it with the geometry of the input image, else resample it")

    def test_slices(self):
        write_nrrd(self.path("slice.nrrd"), "uint8", (9, 7), [1] * 63)
        for options, count in ((("--box", "1,2,5,4"), 15), (("--sphere", "4,3,2"), 13), (("--box", "not:0,0,8,5"), 9)):
            found = self.summary("label", self.path("slice.nrrd"), self.path("own.nrrd"), *options)
            self.assertEqual(found["foreground_voxels"], count)

    def test_bad_shapes_are_refused_in_a_sentence(self):
        write_nrrd(self.path("slice.nrrd"), "uint8", (9, 7), [1] * 63)
        cases = [
            (("--box", "1,2,3"), "has 3 numbers; write X0,Y0,Z0,X1,Y1,Z1"),
            (("--box", "1,2,3,4,five,6"), "'five' in the box 1,2,3,4,five,6 must be a number of voxels or a length"),
            (("--box", "5,0,0,4,9,9"), "the box 5,0,0,4,9,9 ends before it begins: 4 is below 5"),
            (("--box", "0,0,0,23,9,9"), "reaches 23 along x, but the voxels there are 0 to 22"),
            (("--box=-1,0,0,3,9,9",), "reaches -1 along x, but the voxels there are 0 to 22"),
            (("--box", "0.5,0,0,3,9,9"), "reaches 0.5 along x, but the voxels there are 0 to 22"),
            (("--box", "0,0,5,5"), "has 2 dimensions, but the image has 3"),
            (("--box", "0,0,0,5,5,5mm"), "mixes voxels and lengths"),
            (("--box", "90mm,90mm,90mm,91mm,91mm,91mm"), "no voxel of the image has its center in the box"),
            (("--cylinder", "10,8,5"), "must begin with its axis, as z:X,Y,R"),
            (("--cylinder", "z:10,8"), "has 2 numbers; write z:X,Y,R"),
            (("--cylinder", "z:10,8,0"), "the radius of the cylinder z:10,8,0 must be above 0"),
            (("--cylinder", "x:8,5,3"), "is in voxels, which measure 0.5 and 0.25 mm; write it in mm"),
            (("--cylinder", "z:10mm,8mm,5"), "mixes voxels and lengths"),
            (("--sphere", "1,2"), "has 2 numbers; write X,Y,Z,R"),
            (("--sphere", "1,2,3,4"), "is in voxels, which measure 0.5 and 0.25 mm; write it in mm"),
            (("--sphere", "5,5,5,3kg"), "'3kg' in the sphere 5,5,5,3kg must be a number of voxels or a length"),
            (("--box", "0,0,0,9,9,9", "--box", "not:0,0,0,9,9,9"), "no voxel is in the region"),
        ]
        for options, saying in cases:
            with self.subTest(options=options):
                self.fails("label", self.image, self.path("own.nrrd"), *options, saying=saying)
                self.fails("info", self.image, *options, saying=saying)
        self.fails("label", self.path("slice.nrrd"), self.path("own.nrrd"), "--box", "0mm,0mm,5mm,5mm",
                   saying="is in mm, but the image has no voxel size; set it with --spacing")
        self.ok("label", self.path("slice.nrrd"), self.path("own.nrrd"), "--box", "0mm,0mm,5mm,5mm", "--spacing", 1, 1)


if __name__ == "__main__":
    unittest.main()
