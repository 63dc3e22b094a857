# SPDX-License-Identifier: Apache-2.0
"""The ready recipes on scans with known defects: each defect that is large enough is found, and nothing else."""

import csv
import json
import os
import shutil
import unittest

from support import CommandTest, labels_of, run, write_nrrd

# Seeds that the recipes were not made with, at the default noise, and artifacts of which the phantoms have none by default.
SEEDS = [11, 12, 13]
ARTIFACTS = ("--blur", 0.5, "--rings", 40)


class EndToEndTest(CommandTest):
    def batch(self, recipe, inputs, code=0):
        result = run("batch", recipe, inputs, "-o", self.path("out"))
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)

    def summary(self, item):
        with open(self.path(os.path.join("out", "items", item, "summary.json")), encoding="utf-8") as stream:
            return json.load(stream)

    def labels(self, item):
        return labels_of(self.path(os.path.join("out", "items", item, "labels.nrrd")))[1]

    def scans(self, kind, *options):
        """Scans with the default artifacts, and with more of them; the names of the items."""
        os.mkdir(self.path("in"))
        names = []
        for seed in SEEDS:
            for more in ((), ARTIFACTS):
                names.append("s%d%s" % (seed, "-more" if more else ""))
                self.ok("phantom", kind, self.path("in/%s.nrrd" % names[-1]), "--seed", seed, "--truth",
                        self.path("t-%s.nrrd" % names[-1]), *options, *more)
        return names

    def finds(self, name, least, *options):
        """All but a twentieth of the defects of at least so many voxels are found, and of what is found all but that is true."""
        truth = self.path("t-%s.nrrd" % name)
        if options:
            self.ok("label", truth, self.path("chosen.nrrd"), "--connectivity", 26, *options)
            truth = self.path("chosen.nrrd")
        labels = self.path(os.path.join("out", "items", name, "labels.nrrd"))
        score = json.loads(self.ok("score", labels, truth, "--minimum-size", least, "--json").stdout)
        self.assertGreater(score["true_defects"], 4, name)
        self.assertGreaterEqual(score["recall"], 0.95, name)
        self.assertGreaterEqual(score["precision"], 0.95, name)

    def test_casting_porosity(self):
        names = self.scans("casting", "--spacing", 0.1, 0.1, 0.1)
        self.batch("casting-porosity", self.path("in"))
        for name in names:
            # Balls of 3 voxels in diameter have 19 voxels.
            self.finds(name, 19)
            rules = {rule["name"]: rule for rule in self.summary(name)["rules"]}
            self.assertTrue(rules["Porosity"]["passes"])

    def results(self, recipe):
        """What a recipe finds in the scans: label maps and tables."""
        shutil.rmtree(self.path("out"), ignore_errors=True)
        with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
            stream.write(recipe + "[outputs]\npictures = false\n")
        self.batch(self.path("r.toml"), self.path("in"))
        found = {}
        for item in sorted(os.listdir(self.path("out/items"))):
            for name in ("labels.nrrd", "defects.csv"):
                with open(self.path("out/items/%s/%s" % (item, name)), "rb") as stream:
                    found[item, name] = stream.read()
            self.assertGreater(self.summary(item)["defects"], 0, item)
        return found

    def test_thresholds_as_numbers(self):
        os.mkdir(self.path("in"))
        self.ok("phantom", "casting", self.path("in/scan.nrrd"), "--size", 64, 64, 56, "--quiet")
        part = "[part]\nmethod = \"pores\"\n%s\n"
        found = self.results(part % "threshold = \"otsu\"")
        threshold = self.summary("scan")["part_threshold"]
        for same in ("threshold = %r" % threshold, "range = [%r, inf]" % threshold):
            self.assertEqual(self.results(part % same), found, same)
        for method, same in (("method = 500", "range = [-inf, 499]"), ("method = 500\nside = \"above\"", "range = [500, inf]")):
            self.assertEqual(self.results("[threshold]\n%s\n" % method), self.results("[threshold]\n%s\n" % same), method)
        os.remove(self.path("in/scan.nrrd"))
        # 0.7 is not a 32-bit number; the nearest one is used.
        write_nrrd(self.path("in/tenths.nrrd"), "float", (10, 10, 9), [(i * 7919) % 11 / 10 for i in range(900)])
        for method, same in (("method = 0.7", "range = [-inf, 0.6]"), ("method = 0.7\nside = \"above\"", "range = [0.7, inf]")):
            self.assertEqual(self.results("[threshold]\n%s\n" % method), self.results("[threshold]\n%s\n" % same), method)
        material = "[part]\nmethod = \"largest\"\nfill_holes = \"none\"\n%s\n[threshold]\nrange = [0.5, 1]\n"
        self.assertEqual(self.results(material % "threshold = 0.7"), self.results(material % "range = [0.7, inf]"))

    def test_print_porosity(self):
        names = self.scans("print", "--spacing", 0.02, 0.02, 0.02)
        self.batch("print-porosity", self.path("in"))
        for name in names:
            self.finds(name, 19)

    def test_print_porosity_finds_balls_of_three_voxels(self):
        names = self.scans("print", "--spacing", 0.02, 0.02, 0.02, "--diameters", 3, "--size", 96, 96, 64)
        self.batch("print-porosity", self.path("in"))
        for name in names:
            self.finds(name, 19)

    def test_log_defects(self):
        names = self.scans("log")
        self.batch("log-defects", self.path("in"))
        for name in names:
            # Cracks of at least 0.5 cm3; voxels have 16 mm3.
            self.finds(name, 63, "--range", 1, 1)

    def test_foam_pores(self):
        os.mkdir(self.path("in"))
        self.ok("phantom", "balls", self.path("solid.nrrd"), "--seed", 11, "--density", 0.2, "--size", 64, 64, 64)
        _, solid = labels_of(self.path("solid.nrrd"))
        write_nrrd(self.path("in/foam.nrrd"), "uint8", (64, 64, 64), [40 if v else 200 for v in solid], (0.1, 0.1, 0.1))
        self.batch("foam-pores", self.path("in"))
        summary = self.summary("foam")
        self.ok("label", self.path("solid.nrrd"), self.path("l.nrrd"), "--minimum-size", 8)
        self.assertEqual(self.labels("foam"), labels_of(self.path("l.nrrd"))[1])
        self.assertAlmostEqual(summary["porosity_percent"], 100 * sum(map(bool, self.labels("foam"))) / 64 ** 3)

    def test_lung_nodules(self):
        # A body with two lungs that are joined, a nodule of 8 mm in one, one of 4 mm in the other, and the spine.
        size = 64
        values = []
        for z in range(48):
            for y in range(size):
                for x in range(size):
                    def near(cx, cy, cz, radius):
                        return (x - cx) ** 2 + (y - cy) ** 2 + (z - cz) ** 2 <= radius ** 2
                    isBody = (x - 32) ** 2 + (y - 32) ** 2 <= 29 ** 2
                    isLung = (near(20, 32, 24, 10) or near(44, 32, 24, 10) or (abs(y - 32) < 3 and abs(z - 24) < 3 and 20 < x < 44))
                    isNodule = near(20, 32, 26, 4) or near(44, 34, 22, 2)
                    values.append(-1000 if not isBody else 30 if isNodule or not isLung else -850)
        os.mkdir(self.path("in"))
        write_nrrd(self.path("in/chest.nrrd"), "int16", (size, size, 48), values, (1, 1, 1))
        self.batch("lung-nodules", self.path("in"))
        summary = self.summary("chest")
        self.assertEqual((summary["defects"], summary["verdict"]), (2, "fail"))
        with open(self.path("out/defects.csv"), newline="", encoding="utf-8") as stream:
            sizes = sorted(int(row["voxel_count"]) for row in csv.DictReader(stream))
        self.assertEqual(sizes, [33, 257])
        self.assertEqual(summary["rules"][0]["value"], 1)


if __name__ == "__main__":
    unittest.main()
