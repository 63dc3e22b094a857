# SPDX-License-Identifier: Apache-2.0
"""Zones: `--zones` of `brickccl label` and `stats`, and `[zones]` of recipes, beside plain counts of the voxels."""

import json
import math
import os
import random
import unittest

from batch_support import BatchTest, rows_of
from support import CommandTest, labels_of, place_in, write_nrrd


class ZonesTest(CommandTest):
    """`--zones`: beside plain counts of the voxels."""

    def setUp(self):
        super().setUp()
        self.image, self.zones, self.table = self.path("image.nrrd"), self.path("zones.nrrd"), self.path("t.csv")

    def write(self, size, values, zones, kind="uint16"):
        write_nrrd(self.image, "uint8", size, values, (0.5, 1, 2))
        write_nrrd(self.zones, kind, size, zones, (0.5, 1, 2))

    def compare(self, command, zones, labels, region, nouns, percent):
        """The column and the totals of zones; `region` are the places that zones are shares of."""
        result = self.ok(*command, "--zones", self.zones, "--json")
        summary = json.loads(result.stdout)
        rows = rows_of(self.table)
        expected = []
        for row in rows:
            own = [zone for label, zone in zip(labels, zones) if label == int(row["label"]) and zone > 0]
            expected.append(min((-own.count(zone), zone) for zone in own)[1] if own else 0)
        self.assertEqual([int(row["zone"]) for row in rows], expected)
        self.assertEqual([one["zone"] for one in summary["zones"]], sorted({zones[i] for i in region} - {0}))
        for one in summary["zones"]:
            inside = [i for i in region if zones[i] == one["zone"]]
            own = [int(row["voxel_count"]) for row, zone in zip(rows, expected) if zone == one["zone"]]
            voxels = sum(1 for label, zone in zip(labels, zones) if zone == one["zone"] and label > 0)
            self.assertEqual((one[nouns[0] + "_voxels"], one[nouns[1] + "s"], one[nouns[1] + "_voxels"], one["largest_voxels"]),
                             (len(inside), len(own), voxels, max(own, default=0)))
            self.assertAlmostEqual(one[percent], 100 * voxels / len(inside))
            if len(summary["extent"]) == 3:
                self.assertAlmostEqual(one[nouns[0] + "_volume_mm3"], len(inside))
        return summary

    def test_columns_and_totals_are_those_of_plain_counts(self):
        chance = random.Random(8)
        for size, kind, ids in (((9, 8, 7), "uint16", (0, 1, 2, 300)), ((21, 17), "float", (0, 4, 7)), ((12, 5, 6), "int64", (2, 2 ** 40)),
                                ((6, 6, 6), "uint8", (0, 3))):
            with self.subTest(size=size):
                count = len(place_in(size))
                values = [chance.random() < 0.4 for _ in range(count)]
                zones = [chance.choice(ids) for _ in range(count)]
                self.write(size, values, zones, kind)
                label = ("label", self.image, self.path("l.nrrd"), "--statistics", self.table)
                self.ok(*label)
                labels = labels_of(self.path("l.nrrd"))[1]
                everywhere = [i for i in range(count) if zones[i] > 0]
                self.compare(label, zones, labels, everywhere, ("region", "component"), "percent")
                self.compare(("stats", self.path("l.nrrd"), "-o", self.table), zones, labels, everywhere, ("region", "component"), "percent")
                box = "0,0,0,4,3,2" if len(size) == 3 else "0,0,4,3"
                within = [i for i, at in enumerate(place_in(size)) if zones[i] > 0 and all(a <= limit for a, limit in zip(at, (4, 3, 2)))]
                inside = set(within) | {i for i, at in enumerate(place_in(size)) if all(a <= limit for a, limit in zip(at, (4, 3, 2)))}
                cut = [label_ if i in inside else 0 for i, label_ in enumerate(labels)]
                self.compare(("stats", self.path("l.nrrd"), "-o", self.table, "--box", box), zones, cut, within, ("region", "component"), "percent")

    def test_porosity_of_zones(self):
        size = (14, 12, 10)
        inside = lambda at: all(1 <= a < n - 1 for a, n in zip(at, size))
        holes = {(3, 3, 3), (4, 3, 3), (7, 5, 5), (6, 5, 5), (5, 5, 5), (11, 8, 6)}
        values = [200 if inside(at) and at not in holes else 10 for at in place_in(size)]
        zones = [0 if at[0] < 4 else 1 if at[0] < 7 else 2 for at in place_in(size)]
        self.write(size, values, zones)
        label = ("label", self.image, self.path("l.nrrd"), "--pores", "--range", 50, 255, "--statistics", self.table)
        self.ok(*label)
        labels = labels_of(self.path("l.nrrd"))[1]
        part = [i for i, at in enumerate(place_in(size)) if inside(at)]
        summary = self.compare(label, zones, labels, part, ("part", "pore"), "porosity_percent")
        self.assertEqual([row["zone"] for row in rows_of(self.table)], ["1", "1", "2"])
        self.assertEqual([one["pores"] for one in summary["zones"]], [2, 1])
        shown = self.ok(*label[:-2], "--zones", self.zones).stdout
        self.assertIn("zone 1: 240.0 mm3, 2 pores, porosity 1.250 %, largest pore 3.000 mm3\nzone 2: 480.0 mm3, 1 pore, porosity 0.4167 %, largest pore 1.000 mm3\n", shown)
        both = json.loads(self.ok(*label, "--parts", "all", "--zones", self.zones, "--json").stdout)
        self.assertEqual(both["zones"], summary["zones"])
        self.assertEqual({(row["part"], row["zone"]) for row in rows_of(self.table)}, {("1", "1"), ("1", "2")})

    def test_percentages_have_the_same_last_digit(self):
        """Of label maps, pores and batches: 31 of 60 voxels are not the same if multiplied by 100 first."""
        size = (9, 8, 7)
        holes = set([tuple(at) for at in place_in((5, 4, 3))][:31])
        values = [10 if any(a in (0, n - 1) for a, n in zip(at, size)) or tuple(a - 2 for a in at) in holes else 200 for at in place_in(size)]
        zones = [1 if all(2 <= a < 2 + n for a, n in zip(at, (5, 4, 3))) else 0 for at in place_in(size)]
        self.write(size, values, zones)
        summary = json.loads(self.ok("label", self.image, self.path("l.nrrd"), "--pores", "--range", 50, 255, "--zones", self.zones, "--json").stdout)
        with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
            stream.write("[zones]\nfile = \"%s\"\n[part]\nmethod = \"pores\"\nthreshold = 50\n" % os.path.basename(self.zones))
        self.ok("batch", self.path("r.toml"), self.image, "-o", self.path("out"))
        with open(self.path("out/items/image/summary.json"), encoding="utf-8") as stream:
            batch = json.load(stream)
        self.assertEqual(summary["zones"][0]["porosity_percent"], 100 * (31 / 60))
        self.assertEqual(batch["zones"][0]["porosity_percent"], 100 * (31 / 60))
        self.assertEqual(batch["porosity_percent"], summary["pores"]["porosity_percent"])

    def test_a_dry_run_names_a_file_of_zones_that_is_missing(self):
        """And a comparison finds the file of zones next to the recipe, as a batch does."""
        size = (6, 5, 4)
        os.mkdir(self.path("r"))
        for name in ("a", "b"):
            write_nrrd(self.path(name + ".nrrd"), "uint8", size, [200 if 0 < z < 3 and 0 < x < 5 else 9 for x, y, z in place_in(size)])
        write_nrrd(self.path("r/z_a.nrrd"), "uint8", size, [1] * 120)
        recipe = "[zones]\nfile = \"%s\"\n[threshold]\nrange = [50, 255]\n"
        with open(self.path("r/r.toml"), "w", encoding="utf-8") as stream:
            stream.write(recipe % "z_{item}.nrrd")
        self.fails("batch", self.path("r/r.toml"), self.path("a.nrrd"), self.path("b.nrrd"), "-o", self.path("out"), "--dry-run",
                   saying="r/z_b.nrrd' (zones.file) is missing")
        with open(self.path("r/r.toml"), "w", encoding="utf-8") as stream:
            stream.write(recipe % "z_a.nrrd")
        self.ok("batch", self.path("r/r.toml"), self.path("a.nrrd"), self.path("b.nrrd"), "-o", self.path("out"), "--dry-run")
        self.assertFalse(os.path.exists(self.path("out")))
        self.assertIn("1 same", self.ok("compare", self.path("a.nrrd"), self.path("b.nrrd"), "--recipe", self.path("r/r.toml")).stdout)

    def test_what_does_not_fit_is_refused(self):
        self.write((4, 3, 2), [1] * 24, [0] * 24)
        label = ("label", self.image, self.path("l.nrrd"))
        self.fails(*label, "--zones", self.zones, saying="zones.nrrd' (--zones) is not a label map of zones: every voxel is 0")
        self.write((4, 3, 2), [1] * 24, [-1] * 24, "int16")
        self.fails(*label, "--zones", self.zones, saying=["(--zones) is not a label map of zones", "-1", "whole numbers"])
        self.write((4, 3, 2), [1] * 24, [0.5] * 24, "float")
        self.fails("stats", self.image, "--print", "--zones", self.zones, saying=["(--zones) is not a label map of zones", "0.5"])
        self.write((4, 3, 2), [1] * 24, [math.nan] + [1] * 23, "float")
        self.fails(*label, "--zones", self.zones, saying="(--zones) is not a label map of zones: 1 voxel is NaN; write 0 there")
        write_nrrd(self.zones, "uint8", (4, 3, 3), [1] * 36)
        self.fails(*label, "--zones", self.zones, saying=["zones.nrrd", "4 x 3 x 3"])
        self.write((4, 3, 2), [1] * 24, [1] * 24)
        self.fails(*label, "--zones", self.path("no.nrrd"), saying="no.nrrd")
        self.fails("label", self.image, self.zones, "--zones", self.zones, saying="--zones")
        self.fails(*label, "--columns", "zone", "--statistics", self.table, saying="the table has no column 'zone', which needs --zones FILE")
        self.fails("stats", self.image, "--histogram", "zone", saying=["'zone'", "--zones FILE"])
        for text, saying in (("[selection]\nkeep = \"zone == 1\"\n", "set zones.file"),
                             ("[[acceptance]]\nrule = \"number\"\nat_most_count = 0\nzone = 1\n", "set zones.file"),
                             ("[zones]\nfile = \"z.nrrd\"\n[[acceptance]]\nrule = \"number\"\nat_most_count = 0\nzone = 0\n", "1"),
                             ("[zones]\nfile = \"z.nrrd\"\n[[acceptance]]\nrule = \"spacing\"\nat_least_mm = 1\nzone = 1\n", "takes no zone"),
                             ("[zones]\nfile = \"z.nrrd\"\n[part]\nmethod = \"pores\"\nthreshold = 1\nparts = \"all\"\n",
                              "cannot be combined"),
                             ("[zones]\nfile = \"z.nrrd\"\n", ["z.nrrd' (zones.file) is missing"])):
            with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
                stream.write(text)
            self.fails("recipe", "check", self.path("r.toml"), saying=saying)
        # The file is next to the recipe, wherever the command runs.
        self.write((4, 3, 2), [1] * 24, [1] * 24)
        with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
            stream.write("[zones]\nfile = \"%s\"\n" % os.path.basename(self.zones))
        self.ok("recipe", "check", self.path("r.toml"))

    def test_zones_alone_are_a_result(self):
        self.write((4, 3, 2), [1, 1, 1] + [0] * 21, [5] + [0] * 23)
        self.assertIn("\nzone 5: 1.000 mm3, 1 component, 100.0 % of it", self.ok("stats", self.image, "--zones", self.zones).stdout)
        self.fails("stats", self.image, saying="nothing to do")

    def test_zones_have_one_unit(self):
        self.write((24, 10, 10), [int(i < 1200 or i == 2399) for i in range(2400)], [1 + i // 1200 for i in range(2400)])
        self.assertIn("\nzone 1: 1200 mm3, 1 component, 100.0 % of it, largest component 1200 mm3"
                      "\nzone 2: 1200 mm3, 1 component, 0.08333 % of it, largest component 1.000 mm3\n",
                      self.ok("label", self.image, self.path("l.nrrd"), "--zones", self.zones).stdout)

    def test_zones_that_look_like_a_gray_scan_are_told(self):
        size = (20, 15, 12)
        told = ["'%s' (--zones) looks like a grayscale scan: every value counts as a zone" % self.zones]
        for zones, notes in (([1 + i for i in range(3600)], told), ([1 + i // 1200 for i in range(3600)], [])):
            self.write(size, [i % 3 == 0 for i in range(3600)], zones)
            for command in (("label", self.image, self.path("l.nrrd")), ("stats", self.image)):
                for memory in ((), ("--memory", "100MB", "--threads", 1)) if command[0] == "label" else ((),):
                    self.assertEqual(json.loads(self.ok(*command, "--zones", self.zones, "--json", *memory).stdout)["notes"], notes)

    def test_gray_images_are_not_zones(self):
        size = (41, 40, 40)
        self.write(size, [1] * 65600, [i + 1 for i in range(65600)], "uint32")
        label = ("label", self.image, self.path("l.nrrd"), "--zones", self.zones)
        self.fails(*label, saying="it has 65600 values; up to 65535 are supported")
        self.ok("phantom", "casting", self.zones, "--size", *size, "--spacing", 0.5, 1, 2)
        self.fails(*label, saying="is not a label map of zones")


class ZonesInRecipesTest(BatchTest):
    """`[zones]` and rules for one zone: beside plain counts."""

    SIZE = (12, 10, 8)

    def write_zones(self, item, split):
        os.makedirs(self.path("zones"), exist_ok=True)
        zones = [0 if at[0] == 0 else 1 if at[0] < split else 2 for at in place_in(self.SIZE)]
        write_nrrd(self.path("zones/%s.nrrd" % item), "uint16", self.SIZE, zones, (1, 1, 1))
        return zones

    def test_each_rule_judges_its_zone(self):
        rules = "[labeling]\nconnectivity = 6\n[zones]\nfile = \"zones/{item}.nrrd\"\n"
        for zone in (1, 2):
            for name, keys in (("porosity", "at_most_percent = 2"), ("number", "at_most_count = 1"),
                               ("largest", "column = \"voxel_count\"\nat_most = 7"), ("smallest", "column = \"voxel_count\"\nat_least = 2")):
                rules += "[[acceptance]]\nname = \"%s %d\"\nrule = \"%s\"\n%s\nzone = %d\n" % (name, zone, name, keys, zone)
        self.recipe(rules)
        boxes = [(1, 1, 1, 2, 2, 2), (5, 5, 5, 3, 1, 1), (10, 3, 3, 1, 1, 1)]
        self.volume("a.nrrd", boxes)
        self.volume("b.nrrd", boxes)
        expected = {}
        for item, split in (("a", 6), ("b", 4)):
            zones = self.write_zones(item, split)
            found = {"zones": []}
            for zone in (1, 2):
                own = []
                inside = 0
                for x, y, z, w, h, d in boxes:
                    there = [zones[(k * 10 + j) * 12 + i] for k in range(z, z + d) for j in range(y, y + h) for i in range(x, x + w)]
                    inside += there.count(zone)
                    if there.count(zone) > len(there) - there.count(zone):
                        own.append(len(there))
                found["porosity %d" % zone] = 100 * inside / zones.count(zone)
                found["number %d" % zone] = len(own)
                found["largest %d" % zone] = max(own)
                found["smallest %d" % zone] = min(own)
                found["zones"].append((zone, len(own), inside, zones.count(zone), 100 * (inside / zones.count(zone))))
            expected[item] = found
        result = self.batch("--report")
        for item, found in expected.items():
            summary = self.summary(item)
            for rule in summary["rules"]:
                self.assertAlmostEqual(rule["value"], found[rule["name"]], msg=(item, rule["name"]))
                self.assertEqual(rule["zone"], int(rule["name"][-1]))
            self.assertEqual(summary["verdict"], "fail")
            keys = ("zone", "defects", "defect_voxels", "region_voxels", "porosity_percent")
            self.assertEqual([tuple(zone[key] for key in keys) for zone in summary["zones"]], found["zones"])
            self.assertEqual([zone["rules"] for zone in summary["zones"]], [summary["rules"][:4], summary["rules"][4:]])
            own = [row for row in rows_of(os.path.join(self.output, "zones.csv")) if row["item"] == item]
            self.assertEqual([tuple(float(row[key]) for key in keys) for row in own], found["zones"])
            for zone, row in zip(summary["zones"], own):
                failing = [rule["name"] for rule in zone["rules"] if not rule["passes"]]
                self.assertEqual((row["verdict"], row["decided_by"]), ("fail" if failing else "pass", failing[0] if failing else ""))
                self.assertEqual((zone["verdict"], zone["region_volume_mm3"]), (row["verdict"], zone["region_voxels"]))
            self.assertEqual([row["zone"] for row in rows_of(os.path.join(self.output, "items", item, "defects.csv"))], ["1", "2", "2"])
            self.assertEqual(len(summary["input"]["files"]), 2)
        self.assertIn("number 2: 2 defects, limit 1 (zone 2)", result.stdout + result.stderr)
        self.assertIn("in zone 2", self.ok("recipe", "explain", self.path("r.toml")).stdout)
        with open(os.path.join(self.output, "report.html"), encoding="utf-8") as stream:
            page = stream.read()
        self.assertRegex(page, "(?s)>zone</th>.*<td class=\"number\">2</td><td class=\"verdict fail\">[^<]*fail</td>"
                               "<td><div>number 2: 2 defects, limit 1 \\(zone 2\\)</div>")
        with open(os.path.join(self.output, "manifest.json"), encoding="utf-8") as stream:
            self.assertIn("zones.csv", [output["path"] for output in json.load(stream)["outputs"]])

    def test_zones_have_the_voxels_of_the_part(self):
        """Also without rules: its voxels in the part, pores included, and the pores in it."""
        inside = lambda at: all(0 < a < n - 1 for a, n in zip(at, self.SIZE))
        holes = {(3, 3, 3), (4, 3, 3), (7, 5, 5), (6, 5, 5), (5, 5, 5), (9, 7, 5)}
        values = [200 if inside(at) and at not in holes else 10 for at in place_in(self.SIZE)]
        write_nrrd(os.path.join(self.input, "a.nrrd"), "uint8", self.SIZE, values, (0.5, 1, 2))
        zones = [0 if at[0] < 4 else 5 if at[0] < 7 else 2 if at[0] < 11 else 9 for at in place_in(self.SIZE)]
        write_nrrd(self.path("z.nrrd"), "uint8", self.SIZE, zones, (0.5, 1, 2))
        self.recipe("[zones]\nfile = \"z.nrrd\"\n[part]\nmethod = \"pores\"\nthreshold = 50\n")
        self.batch()
        expected = []
        for zone in (2, 5):
            own = [at for at, number in zip(place_in(self.SIZE), zones) if number == zone and inside(at)]
            pores = len(holes.intersection(own))
            expected.append((zone, "none", pores, len(own), float(len(own)), 100 * (pores / len(own))))
        found = self.summary("a")["zones"]
        keys = ("zone", "verdict", "defect_voxels", "region_voxels", "region_volume_mm3", "porosity_percent")
        self.assertEqual([tuple(zone[key] for key in keys) for zone in found], expected)
        # A pore of three voxels is in two zones, and counts in the zone of most of them.
        self.assertEqual([zone["defects"] for zone in found], [1, 2])

    def test_files_that_are_missing(self):
        self.volume("a.nrrd", [(1, 1, 1, 2, 2, 2)])
        self.volume("b.nrrd", [(1, 1, 1, 2, 2, 2)])
        for name in ("none.nrrd", "zones/{item}.nrrd"):
            self.recipe("[zones]\nfile = \"%s\"\n" % name)
            for options in ((), ("--dry-run",)):
                self.fails("batch", self.path("r.toml"), self.input, "-o", self.output, *options,
                           saying="%s' (zones.file) is missing" % name.replace("{item}", "a"))
                self.assertFalse(os.path.exists(self.output))
        self.write_zones("b", 5)
        self.batch(code=3)
        self.assertEqual({name: row["error"] == "" for name, row in self.items().items()}, {"a": False, "b": True})

    def test_zones_of_all_items_next_to_them_are_no_item(self):
        self.recipe("[zones]\nfile = \"in/z.nrrd\"\n[[acceptance]]\nrule = \"number\"\nat_most_count = 0\nzone = 3\n")
        self.volume("a.nrrd", [(1, 1, 1, 2, 2, 2)])
        self.volume("z.nrrd", [(6, 6, 6, 1, 1, 1)], value=3)
        self.batch()
        self.assertEqual({name: row["verdict"] for name, row in self.items().items()}, {"a": "pass"})
        # Other zones are noticed.
        self.volume("z.nrrd", [(1, 1, 1, 1, 1, 1)], value=3)
        self.batch("--resume")
        self.assertEqual(self.items()["a"]["verdict"], "fail")
        self.volume("z.nrrd", [(6, 6, 6, 1, 1, 1)], value=2)
        result = self.batch("--resume", code=3)
        self.assertIn("zone 3 of the rule 'number' has no voxel in the part", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
