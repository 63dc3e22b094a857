# SPDX-License-Identifier: Apache-2.0
"""`brickccl compare` of scans and label maps: alignment, defects through time."""

import csv
import json
import math
import os
import re
import unittest

from support import CommandTest, place_in, run, write_nrrd

try:
    import numpy
except ImportError:
    numpy = None
try:
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


def follow(maps):
    """The tracks of label maps, by counting each pair of labels: their labels, and what they parted from and joined."""
    tracks, numbers = [], {}
    for label in numpy.unique(maps[0][maps[0] > 0]):
        tracks.append({"labels": {0: int(label)}, "parted_from": "", "joined": ""})
        numbers[int(label)] = len(tracks)
    for scan in range(1, len(maps)):
        before, after = maps[scan - 1], maps[scan]
        common = {}
        for pair in zip(before.ravel().tolist(), after.ravel().tolist()):
            common[pair] = common.get(pair, 0) + all(pair)

        def best(label, side, common=common):
            """The other label of most common voxels, the lowest of several; 0: none."""
            return max(((n, -pair[1 - side]) for pair, n in common.items() if n and pair[side] == label), default=(0, 0))[1] * -1

        now = {}
        for b in map(int, numpy.unique(after[after > 0])):
            a = best(b, 1)
            if not a or best(a, 0) != b:
                tracks.append({"labels": {}, "parted_from": str(numbers[a]) if a else "", "joined": ""})
            now[b] = numbers[a] if a and best(a, 0) == b else len(tracks)
            tracks[now[b] - 1]["labels"][scan] = b
        for a in map(int, numpy.unique(before[before > 0])):
            b = best(a, 0)
            if b and best(b, 1) != a:
                tracks[numbers[a] - 1]["joined"] = str(now[b])
        numbers = now
    return tracks


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

    def test_tracks_by_hand(self):
        #       grows       joins its neighbor and parts again  vanishes  new
        maps = [[1, 0, 0, 0, 2, 2, 2, 0, 3, 3, 0, 0, 4, 0, 0],
                [1, 1, 0, 0, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 3],
                [5, 5, 5, 0, 6, 6, 6, 0, 7, 7, 0, 0, 0, 0, 8]]
        paths = [self.path("%d.nrrd" % i) for i in range(3)]
        for path, values in zip(paths, maps):
            write_nrrd(path, "uint8", (15, 1, 1), values, (0.5, 1, 2))
        result = self.ok("compare", *paths, "--tracks", self.path("t.csv"), "--json")
        rows = self.rows("t.csv")
        self.assertEqual([[row[name] for name in ("track", "change", "parted_from", "joined")] for row in rows],
                         [["1", "grown", "", ""], ["2", "same", "", ""], ["3", "merged", "", "2"], ["4", "vanished", "", ""],
                          ["5", "new", "", ""], ["6", "split", "2", ""]])
        self.assertEqual([[row["voxel_count_%d" % i] for i in (1, 2, 3)] for row in rows],
                         [["1", "2", "3"], ["3", "6", "3"], ["2", "", ""], ["1", "", ""], ["", "1", "1"], ["", "", "2"]])
        self.assertEqual([[float(value or -1) for value in (row["volume_mm3_3"], row["centroid_x_mm"])] for row in rows[:3]],
                         [[3, 0.5], [3, 3.25], [-1, 4.25]])
        tracks = json.loads(result.stdout)["tracks"]
        self.assertEqual(tracks["columns"], list(rows[0]))
        self.assertEqual([["" if value is None else value if isinstance(value, str) else float(value) for value in row] for row in tracks["rows"]],
                         [[value if not value or value.isalpha() else float(value) for value in row.values()] for row in rows])
        # The order of scans matters, and maps without labels have a table, too.
        write_nrrd(self.path("none.nrrd"), "uint8", (15, 1, 1), [0] * 15, (0.5, 1, 2))
        self.ok("compare", self.path("none.nrrd"), self.path("none.nrrd"), "--tracks", self.path("n.csv"), "--report", self.path("n.html"))
        with open(self.path("n.csv"), encoding="utf-8") as stream:
            self.assertEqual(stream.read().count("\n"), 1)
        with open(self.path("n.html"), encoding="utf-8") as stream:
            self.assertIn("0 defects stayed the same.", stream.read())

    @unittest.skipUnless(numpy, "numpy is missing")
    def test_tracks_beside_an_oracle(self):
        kinds = set()
        for seed in range(5):
            random = numpy.random.default_rng(seed)
            maps = []
            boxes = [random.integers(0, (10, 16, 20)) for _ in range(30)]
            for scan in range(4):
                values = numpy.zeros((12, 18, 22), "uint8")
                for label, low in enumerate(boxes):
                    if random.random() < 0.8:
                        z, y, x = numpy.maximum(0, low + random.integers(-1, 2, 3))
                        dz, dy, dx = random.integers(1, 5, 3)
                        # Some of the boxes have one label.
                        values[z:z + dz, y:y + dy, x:x + dx] = 1 + (label if random.random() < 0.8 else random.integers(30))
                maps.append(values)
                write_nrrd(self.path("%d.nrrd" % scan), "uint8", (22, 18, 12), values.ravel().tolist(), (0.5, 1, 2))
            self.ok("compare", *(self.path("%d.nrrd" % i) for i in range(4)), "--tracks", self.path("t.csv"), "--least-change", 0.25)
            rows, right = self.rows("t.csv"), follow(maps)
            self.assertEqual(len(rows), len(right))
            for number, (row, track) in enumerate(zip(rows, right), 1):
                with self.subTest(seed=seed, track=number):
                    sizes = [int(numpy.sum(values == track["labels"].get(i, -1))) for i, values in enumerate(maps)]
                    change = ("merged" if track["joined"] else "vanished" if not sizes[3] else "split" if track["parted_from"] else
                              "new" if not sizes[0] else "grown" if sizes[3] > 1.25 * sizes[0] else "shrunk" if sizes[3] < 0.75 * sizes[0] else "same")
                    kinds.add(change)
                    largest = sizes.index(max(sizes))
                    places = numpy.argwhere(maps[largest] == track["labels"][largest]).mean(0)
                    self.assertEqual([row[name] for name in ("track", "change", "parted_from", "joined")],
                                     [str(number), change, track["parted_from"], track["joined"]])
                    for i, size in enumerate(sizes, 1):
                        self.assertEqual([row["label_%d" % i], row["voxel_count_%d" % i]], [str(track["labels"].get(i - 1, "")), str(size or "")])
                        self.assertEqual(float(row["volume_mm3_%d" % i] or 0), size)
                    for axis, spacing in enumerate((2, 1, 0.5)):
                        self.assertAlmostEqual(float(row["centroid_%s_mm" % "zyx"[axis]]), places[axis] * spacing, 9)
        self.assertEqual(kinds, {"same", "grown", "shrunk", "new", "vanished", "merged", "split"})

    @unittest.skipUnless(SimpleITK and numpy, "SimpleITK or numpy is missing")
    def test_defects_of_scans_through_time(self):
        """Balls that grow, vanish, appear, join and part, drawn into the metal of a scan."""
        image = SimpleITK.ReadImage(self.casting())
        metal = SimpleITK.GetArrayFromImage(image).astype(float)
        # Far from other pores, and from each other.
        depth = SimpleITK.GetArrayFromImage(SimpleITK.SignedMaurerDistanceMap(SimpleITK.Cast(image > 900, SimpleITK.sitkUInt8), True, False, False))
        sites = []
        for site in numpy.argwhere(depth > 11):
            if min(site) > 11 and min(numpy.subtract(depth.shape, site)) > 12 and all(numpy.linalg.norm(site - other) > 26 for other in sites):
                sites.append(site)
            if len(sites) == 5:
                break
        self.assertEqual(len(sites), 5)
        z, y, x = numpy.indices(metal.shape)
        series = [[(0, 0, 4), (1, 0, 3), (2, -5, 3), (2, 5, 3), (3, 0, 6)],
                  [(0, 0, 5), (1, 0, 3), (2, -4, 5), (2, 4, 4), (3, -5, 3), (3, 4, 3)],
                  [(0, 0, 6), (4, 0, 3), (2, -4, 5), (2, 4, 4), (3, -5, 3), (3, 4, 3)]]
        for scan, balls in enumerate(series):
            values = metal.copy()
            for site, dx, radius in balls:
                c = sites[site]
                values[(x - c[2] - dx)**2 + (y - c[1])**2 + (z - c[0])**2 <= radius**2] = 0
            made = SimpleITK.GetImageFromArray(values.astype("int16"))
            made.CopyInformation(image)
            SimpleITK.WriteImage(made, self.path("s%d.nrrd" % scan))
        scans = [self.path("s%d.nrrd" % i) for i in range(3)]
        self.ok("compare", *scans, "--recipe", "casting-porosity", "--tracks", self.path("t.csv"), "--report", self.path("r.html"),
                "--report-field", "customer=A & <B>", "--report-field", "date=today")
        rows = self.rows("t.csv")
        near = lambda site, dx: [row for row in rows if math.dist(
            [float(row["centroid_%s_mm" % axis]) for axis in "xyz"], [0.1 * (sites[site][2] + dx), 0.1 * sites[site][1], 0.1 * sites[site][0]]) < 0.25]
        sizes = lambda row: [int(row["voxel_count_%d" % i] or 0) for i in (1, 2, 3)]
        ball = lambda radius: int(numpy.sum((numpy.indices((19, 19, 19)) - 9).astype(int).__pow__(2).sum(0) <= radius**2))
        (grown,), (vanished,), (new,) = near(0, 0), near(1, 0), near(4, 0)
        self.assertEqual([(row["change"], sizes(row)) for row in (grown, vanished, new)],
                         [("grown", [ball(4), ball(5), ball(6)]), ("vanished", [ball(3), ball(3), 0]), ("new", [0, 0, ball(3)])])
        (merged,) = [row for row in rows if row["change"] == "merged"]
        joined = rows[int(merged["joined"]) - 1]
        self.assertEqual([sizes(merged), sizes(joined)[0]], [[ball(3), 0, 0], ball(3)])
        self.assertGreater(sizes(joined)[1], ball(5))
        (parted,) = [row for row in rows if row["parted_from"]]
        self.assertEqual([sizes(parted), sizes(rows[int(parted["parted_from"]) - 1])], [[0, ball(3), ball(3)], [ball(6), ball(3), ball(3)]])
        with open(self.path("r.html"), encoding="utf-8") as stream:
            page = stream.read()
        self.assertRegex(page, "stayed the same, 2 grew, 1 shrank, 1 is new, 1 vanished, 1 joined another one, 1 parted from another one.")
        self.assertIn("A &amp; &lt;B&gt;", page)
        # Four defects with a picture from each scan; the first and the last one differ.
        pictures = re.findall('<figure><img [^>]*src="(data:image/jpeg;base64,[^"]*)"', page)
        self.assertEqual((len(pictures), [i for i in range(0, 12, 3) if pictures[i] == pictures[i + 2]]), (12, []))
        self.assertNotRegex(page, '(src|href)="(?!data:|#)')
        self.assertLess(len(page), 5e6)
        # The same files give the same page.
        os.remove(self.path("r.html"))
        self.ok("compare", *scans, "--recipe", "casting-porosity", "--report", self.path("r.html"), "--threads", 1,
                "--report-field", "customer=A & <B>", "--report-field", "date=today")
        with open(self.path("r.html"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), page)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".")], [])

    def test_bad_input(self):
        write_nrrd(self.path("a.nrrd"), "uint8", (9, 9, 9), [0] * 729)
        write_nrrd(self.path("flat.nrrd"), "uint8", (9, 9, 1), [1] * 81)
        a, flat = self.path("a.nrrd"), self.path("flat.nrrd")
        self.fails("compare", a, flat, saying=["scans need one grid or --align: ", "9 x 9 x 1", "but '%s' has" % a])
        self.fails("compare", a, saying="SCAN needs 2 or more values")
        self.fails("compare", a, a, "--different-recipes", "--recipe", "print-porosity", saying="--different-recipes is for two batches")
        self.fails("compare", a, a, "--different-recipes", saying="a.nrrd' is not the folder of a batch")
        self.fails("compare", a, a, "--transform", self.path("t.tfm"), saying="--align")
        self.fails("compare", a, a, "--align", "--transform", self.path("t.txt"), saying="a file .tfm, not 2 scans and")
        self.fails("compare", a, a, a, "--align", "--transform", self.path("t.tfm"), saying="two scans and a file .tfm, not 3 scans")
        self.fails("compare", a, a, "-o", a, saying=".csv")
        self.fails("compare", a, a, "--tracks", self.path("t.xlsx"), saying="cannot write tracks to '%s': its extension must be .csv" % self.path("t.xlsx"))
        self.fails("compare", a, a, "--report", self.path("r.pdf"), saying="cannot write a report to '%s': its extension must be .html" % self.path("r.pdf"))
        self.fails("compare", a, a, "--report", self.path("none/r.html"), saying="none")
        self.fails("compare", a, a, "--report-field", "customer=A", saying="--report")
        self.fails("compare", a, a, "--report", self.path("r.html"), "--report-field", "client=A", saying="a report has no field 'client'")
        self.fails("compare", a, a, "--report", self.path("r.html"), "--report-field", "logo=none.png", saying="cannot read the logo 'none.png'")
        self.assertFalse(os.path.exists(self.path("r.html")))
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
        """One to three cubes: each map with itself, and shifted by 3 voxels."""
        size = (40, 36, 32)
        first, second = self.path("first.nrrd"), self.path("second.nrrd")
        for corners, isDetermined in (([(10, 12, 9)], False), ([(8, 9, 9), (25, 9, 9)], False), ([(5, 6, 7), (13, 20, 13), (29, 8, 19)], True)):
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
