# SPDX-License-Identifier: Apache-2.0
"""`brickccl label --pores`: the pores of a part in one command."""

import csv
import json
import os
import unittest

from support import CommandTest, labels_of, write_nrrd

DATA = os.environ.get("BRICKCCL_REFERENCE_DATA", "")


def flood(size, is_open, seeds):
    """The places that are reached from the seeds through faces."""
    reached = {seed for seed in seeds if is_open(seed)}
    ways = list(reached)
    while ways:
        at = ways.pop()
        for axis in range(len(size)):
            for step in (-1, 1):
                beside = at[:axis] + (at[axis] + step,) + at[axis + 1:]
                if 0 <= beside[axis] < size[axis] and beside not in reached and is_open(beside):
                    reached.add(beside)
                    ways.append(beside)
    return reached


class PoresTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.scan = self.path("scan.nrrd")
        self.pores = self.path("pores.nrrd")
        self.table = self.path("pores.csv")

    def find(self, *options):
        result = self.ok("label", self.scan, self.pores, "--pores", "--json", *options)
        return json.loads(result.stdout), labels_of(self.pores)[1]

    def rows(self):
        with open(self.table, newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))

    def test_pores_of_castings_are_the_truth_at_any_size_and_seed(self):
        truth = self.path("truth.nrrd")
        sizes = ((96, 80, 48), (64, 64, 10), (24, 40, 30), (16, 16, 16), (90, 70, 5), (120, 130, 30))
        for seed in range(1, 5):
            for size in sizes:
                with self.subTest(size=size, seed=seed):
                    self.ok("phantom", "casting", self.scan, "--truth", truth, "--size", *size, "--seed", seed)
                    expected = [value == 3 for value in labels_of(truth)[1]]
                    for method in ((), ("--threshold", "valley"), ("--range", 500, "inf")):
                        summary, labels = self.find(*method)
                        self.assertEqual([label > 0 for label in labels], expected)
                        self.assertEqual(summary["pores"]["pore_voxels"], sum(expected))
                        self.assertEqual(summary["pores"]["other_material_voxels"], 0)

    def test_table_and_summary_know_the_part(self):
        self.ok("phantom", "casting", self.scan, "--size", 48, 48, 32, "--spacing", 0.5, 0.5, 0.25)
        summary, labels = self.find("--statistics", self.table, "--order", "size")
        pores = summary["pores"]
        values = labels_of(self.scan)[1]
        size = (48, 48, 32)
        at = lambda place: values[(place[2] * 48 + place[1]) * 48 + place[0]]
        border = [(x, y, z) for x in range(48) for y in range(48) for z in range(32) if x in (0, 47) or y in (0, 47)]
        outside = flood(size, lambda place: at(place) < 500, border)
        self.assertEqual(pores["part_voxels"], 48 * 48 * 32 - len(outside))
        self.assertAlmostEqual(pores["part_volume_mm3"], pores["part_voxels"] / 16)
        self.assertEqual(pores["pore_voxels"], sum(label > 0 for label in labels))
        self.assertAlmostEqual(pores["porosity_percent"], 100 * pores["pore_voxels"] / pores["part_voxels"])
        rows = self.rows()
        self.assertEqual(len(rows), summary["components"])
        self.assertEqual(int(rows[0]["voxel_count"]), pores["largest_voxels"])
        self.assertEqual(sum(int(row["voxel_count"]) for row in rows), pores["pore_voxels"])
        self.assertTrue(all(float(row["surface_distance_mm"]) >= 0 for row in rows))
        self.assertTrue(any(float(row["surface_distance_mm"]) > 1 for row in rows))
        shown = self.ok("label", self.scan, self.pores, "--pores", "--minimum-size", 5).stdout
        for text in ("material from 454 up (otsu)", "part %.0f mm3" % pores["part_volume_mm3"], "porosity", "largest pore",
                     "with the dropped pores: porosity"):
            self.assertIn(text, shown)

    def test_the_table_needs_no_label_map(self):
        self.ok("phantom", "casting", self.scan, "--size", 32, 32, 16)
        with_map, _ = self.find("--statistics", self.table)
        expected = self.rows()
        os.remove(self.pores)
        result = self.ok("label", self.scan, "--pores", "--json", "--statistics", self.table)
        self.assertEqual(self.rows(), expected)
        summary = json.loads(result.stdout)
        self.assertIsNone(summary["output"])
        self.assertEqual(summary["pores"], with_map["pores"])
        self.assertEqual(set(os.listdir(self.folder)), {"scan.nrrd", "pores.csv"})
        self.assertIn("porosity", self.ok("label", self.scan, "--pores").stdout)
        self.fails("label", self.scan, "--pores", "--quiet", saying="OUTPUT")

    def draw(self, picture, kind="uint8"):
        """Writes slices of a picture, '#' for material; returns the places of what is marked 'o'."""
        depth, height, width = len(picture), len(picture[0]), len(picture[0][0])
        text = "".join("".join(rows) for rows in picture)
        write_nrrd(self.scan, kind, (width, height, depth) if depth > 1 else (width, height), [200 if c == "#" else 10 for c in text])
        return [c == "o" for c in text]

    def test_open_cracks_count_when_they_are_closed(self):
        expected = self.draw([["...........", ".#########.", ".#########.", ".####oo###.", ".####.####.", ".####.####.", "..........."]])
        closed = [c for c in expected]
        for row in (4, 5):
            closed[row * 11 + 5] = True
        self.assertEqual(sum(label > 0 for label in self.find()[1]), 0)
        self.assertEqual([label > 0 for label in self.find("--close", 0.9)[1]], [False] * 77)
        self.assertEqual([label > 0 for label in self.find("--close", 2)[1]], closed)

    def test_smaller_pieces_and_islands_are_no_pores(self):
        expected = self.draw([["............", ".#######....", ".#ooooo#..#.", ".#oo#oo#..#.", ".#ooooo#....", ".#######....", "............"]])
        summary, labels = self.find()
        self.assertEqual([label > 0 for label in labels], expected)
        self.assertEqual(summary["pores"]["other_material_voxels"], 2)
        self.assertEqual(summary["pores"]["part_voxels"], 35)

    def test_bores_are_outside_and_told(self):
        ring = ["........", ".######.", ".##..##.", ".##..##.", ".######.", ".######.", "........"]
        pore = [row for row in ring]
        pore[4] = ".####o#."
        cut = [row for row in ring]
        cut[4] = ".#o####."
        expected = self.draw([cut, pore] + 6 * [ring])
        summary, labels = self.find()
        self.assertEqual([label > 0 for label in labels], expected)
        self.assertEqual((summary["pores"]["bores"], summary["pores"]["bore_voxels"]), (1, 32))
        self.assertIn("1 bore of 32 voxels", " ".join(summary["notes"]))

        expected = self.draw(3 * [ring])
        self.assertEqual(self.find()[0]["pores"]["pore_voxels"], 12, "of a stack of few slices nobody can say")

    def test_what_an_end_of_the_image_cuts_is_a_pore_unless_it_leads_outside(self):
        solid = [".......", ".#####.", ".#####.", ".#####.", "......."]
        cut = [".......", ".#####.", ".##o##.", ".#####.", "......."]
        self.assertEqual([label > 0 for label in (self.draw([cut, solid]), self.find()[1])[1]], self.draw([cut, solid]))
        leading = [".......", ".#####.", ".##....", ".#####.", "......."]
        self.draw([cut, leading, solid])
        self.assertEqual(sum(label > 0 for label in self.find()[1]), 0)

    def test_porosity_of_a_region_is_that_of_its_pores_and_its_part(self):
        # A block of 10 x 8 x 6 voxels with three pores, a bore from above and a region that cuts one of the pores.
        size = (14, 12, 10)
        places = [(x, y, z) for z in range(10) for y in range(12) for x in range(14)]
        pores = {(x, y, z) for x in (3, 4, 5) for y in (4, 5) for z in (3, 4)} | {(9, 4, 4), (9, 8, 5)}
        block = {(x, y, z) for x, y, z in places if 2 <= x < 12 and 2 <= y < 10 and 2 <= z < 8}
        air = {(x, y, z) for x, y, z in places if 6 <= x < 11 and 4 <= y < 8 and z == 7}
        region = {(x, y, z) for x, y, z in places if x >= 4 and y < 8}
        mask, part = self.path("mask.nrrd"), self.path("part.nrrd")
        write_nrrd(self.scan, "uint8", size, [200 if at in block - pores - air else 10 for at in places], (1, 1, 1))
        write_nrrd(mask, "uint8", size, [int(at in region) for at in places], (1, 1, 1))
        write_nrrd(part, "uint8", size, [int(at in (block - air) & region) for at in places], (1, 1, 1))
        in_part, in_pores = len((block - air) & region), len(pores & region)
        percent = 100 * in_pores / in_part
        for table in ((), ("--statistics", self.table), ("--statistics", self.path("t.json"))):
            summary, labels = self.find("--mask", mask, *table)
            self.assertEqual([label > 0 for label in labels], [at in pores & region for at in places])
            found = summary["pores"]
            self.assertEqual((found["part_voxels"], found["pore_voxels"], found["pore_voxels_before_filters"]),
                             (in_part, in_pores, in_pores))
            self.assertAlmostEqual(found["porosity_percent"], percent)
            self.assertAlmostEqual(found["porosity_percent_before_filters"], percent)
            self.assertAlmostEqual(100 * summary["totals"]["fraction"], percent)
            self.assertEqual(summary["totals"]["region_volume_mm3"], in_part)
            self.assertNotIn("porosity", found)
        with open(self.path("t.json"), encoding="utf-8") as stream:
            self.assertAlmostEqual(100 * json.load(stream)["totals"]["fraction"], percent)
        shown = self.ok("label", self.scan, self.pores, "--pores", "--mask", mask).stdout
        self.assertIn("part %d.0 mm3" % in_part, shown)
        self.assertIn("porosity %.3f %%" % percent, shown)
        self.assertNotIn("dropped", shown)
        measured = json.loads(self.ok("stats", self.pores, "-o", self.table, "--part", part, "--json").stdout)
        self.assertAlmostEqual(100 * measured["totals"]["fraction"], percent)
        write_nrrd(part, "uint8", size, [int(at in block - air) for at in places], (1, 1, 1))
        masked = json.loads(self.ok("label", self.scan, self.pores, "--range", 0, 99, "--mask", mask, "--part", part, "--statistics",
                                    self.table, "--json").stdout)
        self.assertAlmostEqual(100 * masked["totals"]["fraction"], percent)
        write_nrrd(mask, "uint8", size, [int(at == (0, 0, 0)) for at in places], (1, 1, 1))
        self.fails("label", self.scan, self.pores, "--pores", "--threshold", 99, "--mask", mask, saying="no voxel of the part is in the region")

    def test_what_an_inspector_must_know_is_noted(self):
        def notes(is_air, *options):
            block = lambda x, y, z: 3 <= x < 33 and 3 <= y < 33 and 3 <= z < 23
            values = [10 if not block(x, y, z) or is_air(x, y, z) else 200 for z in range(26) for y in range(36) for x in range(36)]
            write_nrrd(self.scan, "uint8", (36, 36, 26), values, (0.1, 0.1, 0.1))
            return self.find(*options)[0]["notes"]

        self.assertEqual(notes(lambda x, y, z: False), [])
        self.assertEqual(notes(lambda x, y, z: (x - 18) ** 2 + (y - 18) ** 2 < 50 and z > 9), [])
        slit = lambda x, y, z: 10 <= x < 12 and y > 12
        said = notes(slit)
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0], r"^1 crack or cavity \(800 voxels, 0.8 mm3\) is open to the outside through gaps of up to 0.4 mm and "
                                  "counts as outside, not as pores; --close closes such gaps$")
        self.assertEqual(notes(slit, "--close", 0.2), [])
        self.assertEqual(len(notes(slit, "--close", 0.1)), 1)
        said = notes(lambda x, y, z: x == 20 or (x, y, z) == (5, 2, 5))
        self.assertRegex(said[0], r"^1 further piece of 7.2 mm3 was left out; --parts all takes it$")
        full = ("label", self.scan, self.pores, "--pores", "--threshold", -5)
        self.fails(*full, saying=["the part fills the image", "give another threshold"])
        self.draw([["####", "#.##", "####"]] * 3)
        self.assertEqual(self.find()[0]["notes"],
                         ["the part fills the whole image; if the scan shows air around the part, the threshold is wrong"])

    def test_dark_parts(self):
        self.draw([["######", "#....#", "#.##.#", "#....#", "######"]])
        self.assertEqual(sum(label > 0 for label in self.find("--below")[1]), 2)

    def test_what_does_not_fit_is_refused(self):
        self.draw([["...", ".#.", "..."]])
        self.fails("label", self.scan, self.pores, "--pores", "--range", 300, 400, saying="no material")
        self.fails("label", self.scan, self.pores, "--pores", "--part", self.scan, "--statistics", self.table, saying="excludes")
        self.fails("label", self.scan, self.pores, "--pores", "--equal-value", saying="excludes")
        self.fails("label", self.scan, self.pores, "--close", 1, saying="--pores")
        self.fails("label", self.scan, self.pores, "--pores", "--close", "0,5", saying="0,5")
        self.fails("label", self.scan, self.pores, "--pores", "--close", "1e9", saying=["1e+09 mm", "--close", "mm long"])

    @unittest.skipUnless(os.path.exists(os.path.join(DATA, "vol")), "no reference data")
    def test_the_engine(self):
        engine = os.path.join(DATA, "vol", "engine_256x256x128.nrrd")
        for threshold, count in ((75, 0), (120, 2)):
            result = self.ok("label", engine, self.pores, "--pores", "--threshold", threshold, "--minimum-size", 8, "--json")
            self.assertEqual(json.loads(result.stdout)["components"], count, threshold)


if __name__ == "__main__":
    unittest.main()
