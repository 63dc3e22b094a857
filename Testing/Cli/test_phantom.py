# SPDX-License-Identifier: Apache-2.0
"""What `brickccl phantom` makes, and that the sample of Data/ is made by it."""

import csv
import hashlib
import itertools
import json
import math
import os
import statistics
import struct
import unittest

from support import CommandTest, labels_of, read_nrrd

DATA = os.path.join(os.path.dirname(__file__), "..", "..", "Data")


# The SHA-256 of the voxels of two scans.
PRINT = "91ffe5c1d8734ba236dbf8ed5160c5f025ac53ef4e70b17d3f3c04c0b4c67b14"
LOG = "377662ff771f7fb634ddbe5ff261fd2e09ba2349da5014c17f942b57cc12fcf5"


class PhantomTest(CommandTest):
    def test_every_kind(self):
        for kind in ("balls", "random", "grains", "powder", "foam", "log", "casting", "print"):
            out = self.path(kind + ".nrrd")
            self.ok("phantom", kind, out, "--size", 40, 32, 24)
            fields, data = read_nrrd(out)
            self.assertEqual(fields["sizes"], "40 32 24", kind)
            scan = kind in ("grains", "log", "casting", "print")
            self.assertEqual(fields["type"], "short" if scan else "unsigned char")
            self.assertEqual(len(data), 40 * 32 * 24 * (2 if scan else 1))
            self.assertGreater(len(set(data)), 1)

    def test_one_axis_is_told(self):
        told = "512 voxels along x, the only axis; --size X Y Z"
        self.assertIn(told, self.ok("phantom", "random", self.path("a.nrrd"), "--size", 512).stdout)
        self.assertNotIn("the only axis", self.ok("phantom", "random", self.path("a.nrrd"), "--size", 512, 1).stdout)

    def test_seed_density_and_truth(self):
        first, again, other = (self.path(name) for name in ("a.nrrd", "b.nrrd", "c.nrrd"))
        self.ok("phantom", "random", first, "--size", 64, 64, "--density", 0.25, "--seed", 5)
        self.ok("phantom", "random", again, "--size", 64, 64, "--density", 0.25, "--seed", 5)
        self.ok("phantom", "random", other, "--size", 64, 64, "--density", 0.25, "--seed", 6)
        a, b, c = (read_nrrd(path)[1] for path in (first, again, other))
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)
        self.assertAlmostEqual(sum(a) / 4096, 0.25, delta=0.04)
        self.ok("phantom", "log", first, "--truth", again, "--size", 64, 64, 40)
        self.assertEqual(set(read_nrrd(again)[1]), {0, 1, 2})

    def values(self, path):
        fields, data = read_nrrd(path)
        code = "h" if fields["type"] == "short" else "B"
        return struct.unpack("<%d%s" % (len(data) // struct.calcsize(code), code), data)

    def test_powder_and_foam_are_objects_that_touch(self):
        for kind, sizes in (("powder", (60, 54, 48)), ("foam", (60, 54, 48)), ("powder", (90, 70)), ("foam", (90, 70))):
            mask, truth = self.path("mask.nrrd"), self.path("truth.nrrd")
            self.ok("phantom", kind, mask, "--truth", truth, "--size", *sizes, "--seed", 3)
            objects = labels_of(truth)[1]
            self.assertEqual([int(label > 0) for label in objects], list(read_nrrd(mask)[1]), kind)
            count = len(set(objects) - {0})
            self.assertGreater(count, 5)
            connectivity = 26 if len(sizes) == 3 else 8

            def components(path, *options):
                return json.loads(self.ok("label", path, "--connectivity", connectivity, "--json", *options).stdout)["components"]

            # Objects are in one piece each, and touch.
            self.assertEqual(components(truth, "--equal-value"), count, (kind, sizes))
            self.assertLess(components(mask), 0.6 * count, (kind, sizes))
            first = read_nrrd(mask)[1]
            self.ok("phantom", kind, mask, "--size", *sizes, "--seed", 3)
            self.assertEqual(read_nrrd(mask)[1], first)
            self.ok("phantom", kind, mask, "--size", *sizes, "--seed", 4)
            self.assertNotEqual(read_nrrd(mask)[1], first)

    def test_artifacts_of_scans(self):
        size = (48, 48, 24)
        clean = ("--noise", 0, "--blur", 0, "--rings", 0, "--hardening", 0)

        def make(*options, kind="print"):
            self.ok("phantom", kind, self.path("s.nrrd"), "--truth", self.path("t.nrrd"), "--size", *size, "--seed", 4, *options)
            return self.values(self.path("s.nrrd"))

        ideal = make(*clean)
        truth = self.values(self.path("t.nrrd"))
        self.assertEqual(set(ideal), {-1000, 2400})
        self.assertEqual(set(truth), {0, 3})
        self.assertTrue(all(value == -1000 for value, defect in zip(ideal, truth) if defect))
        # Noise: its deviation, and no other.
        noise = [a - b for a, b in zip(make(*clean[:1], 50, *clean[2:]), ideal)]
        self.assertAlmostEqual(statistics.pstdev(noise), 50, delta=2)
        self.assertAlmostEqual(statistics.fmean(noise), 0, delta=2)
        # Blur: that of a Gaussian of this width, by its definition, at some voxels; its values are 3400 apart.
        blurred = make("--noise", 0, "--blur", 1.5, "--rings", 0, "--hardening", 0)
        self.assertAlmostEqual(statistics.fmean(blurred), statistics.fmean(ideal), delta=1)
        weights = [math.exp(-k * k / (2 * 1.5 ** 2)) for k in range(-7, 8)]
        for index in range(101, len(ideal), 2503):
            at = index % 48, index // 48 % 48, index // 2304
            total = 0
            for i, j, k in itertools.product(range(-7, 8), repeat=3):
                x, y, z = (min(max(c + d, 0), n - 1) for c, d, n in zip(at, (i, j, k), size))
                total += weights[i + 7] * weights[j + 7] * weights[k + 7] * ideal[(z * 48 + y) * 48 + x]
            self.assertAlmostEqual(blurred[index], total / sum(weights) ** 3, delta=60)
        # Rings: the same at one distance from the middle, and in all slices.
        rings = [a - b for a, b in zip(make("--noise", 0, "--blur", 0, "--rings", 80, "--hardening", 0), ideal)]
        of_ring = {}
        for index, value in enumerate(rings):
            x, y = index % 48 - 23.5, index // 48 % 48 - 23.5
            of_ring.setdefault(int(math.sqrt(x * x + y * y)), set()).add(value)
        self.assertTrue(all(len(found) == 1 for found in of_ring.values()))
        self.assertGreater(len({value for found in of_ring.values() for value in found}), 2)
        self.assertLessEqual(max(map(abs, rings)), 80)
        # Beam hardening: metal is brighter at the rim; air is not.
        hard = [a - b for a, b in zip(make("--noise", 0, "--blur", 0, "--rings", 0, "--hardening", 300), ideal)]
        for index, value in enumerate(hard):
            x, y = index % 48 - 23.5, index // 48 % 48 - 23.5
            expected = 300 * (x * x + y * y) / 23.5 ** 2 if ideal[index] == 2400 else 0
            self.assertAlmostEqual(value, expected, delta=2)
        # The defaults are what the help states.
        for kind, defaults in (("log", (22, 0, 0, 0)), ("casting", (40, 0, 0, 150)), ("print", (60, 0.5, 40, 150))):
            stated = [part for pair in zip(clean[::2], defaults) for part in pair]
            self.assertEqual(make(kind=kind), make(*stated, kind=kind), kind)
            self.assertNotEqual(make(kind=kind), make("--blur", 0.9, kind=kind), kind)

    def test_scans_are_the_same_bit_for_bit(self):
        for kind, options, expected in (("print", (), PRINT), ("log", ("--blur", 0.8, "--rings", 30, "--hardening", 90), LOG)):
            self.ok("phantom", kind, self.path("s.nrrd"), "--size", 40, 36, 30, "--seed", 7, *options)
            self.assertEqual(hashlib.sha256(read_nrrd(self.path("s.nrrd"))[1]).hexdigest(), expected, kind)

    def test_sizes_of_the_true_defects(self):
        self.ok("phantom", "print", self.path("s.nrrd"), "--truth", self.path("t.nrrd"),
                "--diameters", 3, 5, 8, "--size", 96, 90, 80, "--spacing", 0.1, 0.1, 0.1)
        self.ok("label", self.path("t.nrrd"), "--equal-value", "--connectivity", 26, "--statistics", self.path("s.csv"), "--quiet")
        with open(self.path("s.csv"), newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        self.assertGreater(len(rows), 60)
        # Balls around the centers of voxels.
        voxels = {d: sum(x * x + y * y + z * z <= (d / 2) ** 2 for x in range(-4, 5) for y in range(-4, 5) for z in range(-4, 5))
                  for d in (3, 5, 8)}
        self.assertEqual({int(row["voxel_count"]) for row in rows}, set(voxels.values()))
        for size in voxels.values():
            self.assertGreater(sum(int(row["voxel_count"]) == size for row in rows), len(rows) // 4)
        self.assertEqual({row["value"] for row in rows}, {"3"})

    def test_options_of_other_kinds_are_refused(self):
        for kind, options, kinds in (("balls", ("--grain", 4), "phantoms random, grains and foam"),
                                     ("casting", ("--density", 0.1), "phantoms balls, random and powder"),
                                     ("random", ("--diameters", 5), "phantom print"),
                                     ("balls", ("--truth", self.path("t.nrrd")), "phantoms log, casting, print, powder and foam")):
            self.fails("phantom", kind, self.path("p.nrrd"), *options, saying=[options[0], kinds + ", not with " + kind])

    def test_bad_requests(self):
        out = self.path("out.nrrd")
        self.fails("phantom", "cube", out, saying="KIND")
        self.fails("phantom", "random", out, "--density", 2, saying="from 0 to 1")
        for options in (("--size", 99, 99, 5), ("--size", 48, 48, 48, "--density", 0.8)):
            self.fails("phantom", "powder", out, *options, saying=["balls fill only 0", "lower the density"])
        for size, wrong in (((0, 4), "0"), ((-5, 4), "-5"), ((4, 2.5), "2.5"), (("4x4",), "4x4"), (("9" * 20, 1), "9" * 20)):
            self.fails("phantom", "random", out, "--size", *size, saying="--size: '%s' is not a whole number from 1 to 1000000000000" % wrong)
        self.fails("phantom", "random", out, "--size", 99999999999, 99999999999, saying="99999999999 x 99999999999 has more than 2^62 voxels")
        self.fails("phantom", "balls", out, "--truth", out, saying="--truth")
        self.fails("phantom", "balls", out, "--noise", 3, saying="--noise works only with the phantoms log, casting and print")
        self.fails("phantom", "casting", out, "--diameters", 3, saying="--diameters")
        for diameter in ("0", "-3", "0.5", "1001", "1e300", "inf", "nan", "5mm"):
            self.fails("phantom", "print", out, "--diameters", 3, diameter, saying="--diameters: '%s' is not a number from 1 to 1000" % diameter)
        for diameters, wrong in (((60,), "60"), ((3, 99.5, 3), "99.5")):
            self.fails("phantom", "print", out, "--size", 64, 64, 32, "--diameters", *diameters,
                       saying="no place was found for a pore of diameter " + wrong + " in an image of 64 x 64 x 32 voxels; lower the diameter")
        for option, most in (("--noise", 10000), ("--blur", 20), ("--rings", 10000), ("--hardening", 10000)):
            self.fails("phantom", "print", out, option, most + 1, saying="%s: '%d' is not a number from 0 to %d" % (option, most + 1, most))
        self.fails("phantom", "print", out, "--truth", out, saying="--truth")
        self.fails("phantom", "balls", out, "--size", 9, 9, "--spacing", 1, saying="--spacing")
        for spacing in ("1e-320", "1e31"):
            self.fails("phantom", "balls", out, "--size", 9, 9, "--spacing", spacing, 1, saying="1e30 mm")
        self.fails("phantom", "balls", self.path("out.xyz"), saying="extension")

    def test_the_sample_is_regenerated_bit_for_bit(self):
        with open(os.path.join(DATA, "log.json")) as stream:
            sample = json.load(stream)
        for name in ("log.nrrd", "log_truth.nrrd"):
            fields, data = read_nrrd(os.path.join(DATA, name))
            self.assertEqual(hashlib.sha256(data).hexdigest(), sample["sha256"][name], name)
        self.ok(*[argument.replace("Data", self.folder) for argument in sample["command"].split()[1:]])
        for name in ("log.nrrd", "log_truth.nrrd"):
            fields, data = read_nrrd(self.path(name))
            self.assertEqual(hashlib.sha256(data).hexdigest(), sample["sha256"][name], name)


if __name__ == "__main__":
    unittest.main()
