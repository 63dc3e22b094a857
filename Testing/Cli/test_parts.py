# SPDX-License-Identifier: Apache-2.0
"""Several parts in one scan: `brickccl label --pores --parts` and `[part] parts`, beside a plain flood fill."""

import csv
import itertools
import json
import os
import random
import unittest

from batch_support import BatchTest, rows_of
from support import labels_of, place_in, run, write_nrrd


def neighbors(at, size, full):
    """The places beside one: by faces, or by edges and corners, too."""
    for step in itertools.product((-1, 0, 1), repeat=len(size)):
        if 0 < sum(map(abs, step)) <= (len(size) if full else 1):
            beside = tuple(a + s for a, s in zip(at, step))
            if all(0 <= b < n for b, n in zip(beside, size)):
                yield beside


def flood(seeds, size, full, may):
    reached = set(seeds)
    ways = list(reached)
    while ways:
        for beside in neighbors(ways.pop(), size, full):
            if beside not in reached and may(beside):
                reached.add(beside)
                ways.append(beside)
    return reached


def components(places, size, full, same=lambda a, b: True):
    """The connected sets of places, in raster order: x, the first index, is the fastest."""
    left, found = set(places), []
    for start in sorted(places, key=lambda at: at[::-1]):
        if start in left:
            own = flood([start], size, full, lambda at: at in left and same(start, at))
            left -= own
            found.append(own)
    return found


def parts_of(material, size, wanted=None):
    """The part of each voxel that has one: from the largest piece on, each with what it encloses."""
    first = lambda piece: min(at[::-1] for at in piece)
    pieces = sorted(components(material, size, True), key=lambda piece: (-len(piece), first(piece)))
    border = [at for at in itertools.product(*map(range, size)) if any(a in (0, n - 1) and n > 1 for a, n in zip(at, size))]
    part = {}
    for piece in pieces:
        if len(piece) * 1000 < len(pieces[0]) or len(set(part.values())) == wanted:
            break
        if first(piece)[::-1] not in part:
            outside = flood([at for at in border if at not in piece], size, False, lambda at: at not in piece)
            number = len(set(part.values())) + 1
            part.update({at: number for at in itertools.product(*map(range, size)) if at not in outside and at not in part})
    return part


class PartsTest(BatchTest):
    def setUp(self):
        super().setUp()
        self.scan = self.path("scan.nrrd")
        self.pores = self.path("pores.nrrd")
        self.table = self.path("pores.csv")

    def find(self, *options):
        result = self.ok("label", self.scan, self.pores, "--pores", "--range", 50, 255, "--statistics", self.table, "--json", *options)
        with open(self.table, newline="", encoding="utf-8") as stream:
            return json.loads(result.stdout), labels_of(self.pores)[1], list(csv.DictReader(stream))

    def write(self, size, material, spacing=None):
        write_nrrd(self.scan, "uint8", size, [200 if at in material else 10 for at in place_in(size)], spacing)

    def tray(self, path=None, holes=((), ())):
        """Two blocks of 1000 and 512 voxels, each with its holes, and a speck of 8; 0.5 x 0.5 x 2 mm."""
        size = (26, 12, 12)
        box = lambda at, begin, end: all(begin <= a < e for a, e in zip(at, (end, end, end)))
        values = []
        for x, y, z in place_in(size):
            large, small = (x - 1, y - 1, z - 1), (x - 12, y - 1, z - 1)
            speck = 22 <= x < 24 and 2 <= y < 4 and 2 <= z < 4
            isIn = (box(large, 0, 10) and large not in holes[0]) or (box(small, 0, 8) and small not in holes[1]) or speck
            values.append(200 if isIn else 10)
        write_nrrd(path or self.scan, "uint8", size, values, (0.5, 0.5, 2))

    def test_parts_and_their_pores_are_those_of_a_flood_fill(self):
        chance = random.Random(5)
        spacing = (0.5, 0.25, 2)
        for size in ((24, 17), (9, 8, 7), (12, 7, 6), (40, 1), (7, 11, 6)):
            for share in (0.3, 0.45, 0.62):
                for border in (True, False):
                    inside = [at for at in place_in(size) if border or all(n == 1 or 0 < a < n - 1 for a, n in zip(at, size))]
                    material = {at for at in inside if chance.random() < share}
                    if len(size) == 3 and border:
                        # Holes in the faces of volumes have other rules.
                        material = {at for at in material if all(0 < a < n - 1 for a, n in zip(at, size))}
                    with self.subTest(size=size, share=share, border=border):
                        self.compare(size, material, spacing)

    def compare(self, size, material, spacing):
        self.write(size, material, spacing)
        part = parts_of(material, size)
        pores = {at for at in part if at not in material}
        expected = components(pores, size, False, lambda a, b: part[a] == part[b])
        numbers = {at: number for number, own in enumerate(expected, 1) for at in own}
        summary, labels, rows = self.find("--parts", "all")
        self.assertEqual(labels, [numbers.get(at, 0) for at in place_in(size)])
        self.assertEqual([int(row["part"]) for row in rows], [part[min(own)] for own in expected])
        voxel = 1
        for length in spacing[:len(size)] if len(size) == 3 else ():
            voxel *= length
        size_name = "area_mm2" if len(size) == 2 else "volume_mm3"
        self.assertEqual([one["part"] for one in summary["parts"]], list(range(1, max(part.values()) + 1)))
        for one in summary["parts"]:
            own = [at for at in part if part[at] == one["part"]]
            of_part = [pore for pore in expected if part[min(pore)] == one["part"]]
            voxels = sum(map(len, of_part))
            self.assertEqual((one["part_voxels"], one["pores"], one["pore_voxels"], one["largest_voxels"]),
                             (len(own), len(of_part), voxels, max(map(len, of_part), default=0)))
            self.assertAlmostEqual(one["part_" + size_name], len(own) * voxel)
            self.assertAlmostEqual(one["porosity_percent"], 100 * voxels / len(own))
        self.assertAlmostEqual(summary["pores"]["porosity_percent"], 100 * len(pores) / len(part))

    def test_each_part_is_what_it_would_be_alone(self):
        """Also with gaps closed, with faces of the image, and beside others: the scan of a piece without the others has the same pores."""
        size = (30, 16, 12)
        chance = random.Random(3)
        for seed in range(4):
            blocks = [((0, 0, 0), (13, 12, 12)), ((15, 2, 1), (28, 14, 9))]
            pieces = []
            for begin, end in blocks:
                own = {at for at in place_in(size) if all(b <= a < e for a, b, e in zip(at, begin, end))}
                own -= {at for at in own if chance.random() < 0.08}
                slit = begin[0] + 3 + seed
                own -= {at for at in own if at[0] == slit and at[1] < end[1] - 3}
                pieces.append(own)
            found = {}
            for number, own in enumerate(pieces, 1):
                self.write(size, own, (0.5, 0.5, 0.5))
                summary, labels, rows = self.find("--close", 0.6)
                found[number] = {at for at, label in zip(place_in(size), labels) if label > 0}
                found[-number] = summary["pores"]["part_voxels"]
            self.write(size, pieces[0] | pieces[1], (0.5, 0.5, 0.5))
            for parts in ("all", 2):
                summary, labels, rows = self.find("--close", 0.6, "--parts", parts)
                part = {int(row["label"]): int(row["part"]) for row in rows}
                for one in summary["parts"][:2]:
                    own = {at for at, label in zip(place_in(size), labels) if label > 0 and part[label] == one["part"]}
                    number = 1 if min(own)[0] < 14 else 2
                    self.assertEqual(own, found[number])
                    self.assertEqual(one["part_voxels"], found[-number])

    def test_the_largest_ones_and_what_is_left_out(self):
        self.tray(holes=({(5, 5, 5)}, {(3, 3, 3), (3, 3, 5), (3, 4, 5)}))
        note = "2 further pieces of up to 254.5 mm3 were left out; --parts all takes them"
        for options in ((), ("--parts", "largest")):
            summary, labels, rows = self.find(*options)
            self.assertEqual((summary["components"], summary["notes"]), (1, [note]))
            self.assertNotIn("part", rows[0])
            self.assertNotIn("parts", summary)
        summary, labels, rows = self.find("--parts", 1)
        self.assertEqual((summary["components"], summary["notes"], rows[0]["part"]), (1, [note], "1"))
        summary, labels, rows = self.find("--parts", 2)
        self.assertEqual(summary["notes"], ["1 further piece of 4 mm3 was left out; --parts all takes it"])
        self.assertEqual([row["part"] for row in rows], ["2", "2", "1"])
        summary, labels, rows = self.find("--parts", "all", "--minimum-size", 2)
        self.assertEqual(summary["notes"], [])
        self.assertEqual([(one["part"], one["part_voxels"], one["pores"], one["pore_voxels"]) for one in summary["parts"]],
                         [(1, 1000, 0, 0), (2, 512, 1, 2), (3, 8, 0, 0)])
        self.assertAlmostEqual(summary["parts"][1]["porosity_percent"], 100 * 2 / 512)
        shown = self.ok("label", self.scan, self.pores, "--pores", "--range", 50, 255, "--parts", 2).stdout
        self.assertIn("part 1: 500.0 mm3, 1 pore, porosity 0.1000 %, largest pore 0.5000 mm3\n"
                      "part 2: 256.0 mm3, 2 pores, porosity 0.5859 %, largest pore 1.000 mm3\n", shown)
        for options in (("--box", "12,0,0,25,11,11"), ("--box", "13,0,0,25,11,11", "--split"), ("--box", "13,0,0,25,11,11", "--fill-holes")):
            summary, labels, rows = self.find("--parts", 2, *options)
            self.assertEqual([one["part"] for one in summary["parts"]], [2])
            self.assertEqual({row["part"] for row in rows}, {"2"})
            self.assertEqual(summary["parts"][0]["part_voxels"], 512 if len(options) == 2 else 448)
            self.assertEqual(summary["parts"][0]["porosity_percent"], summary["pores"]["porosity_percent"])

    def test_what_does_not_fit_is_refused(self):
        self.tray()
        label = ("label", self.scan, self.pores, "--pores", "--range", 50, 255)
        self.fails("label", self.scan, self.pores, "--threshold", 50, "--parts", "all", saying=["--parts", "--pores"])
        for wrong in ("0", "256", "some", "2.5"):
            self.fails(*label, "--parts", wrong, saying=["--parts", "all, largest or a whole number from 1 to 255"])
        self.fails(*label, "--parts", 4, saying="4 parts are asked for (--parts, part.parts), but there are only 3 pieces of material with at least "
                                                "a thousandth of the largest one's voxels; pieces that touch are one")
        self.fails(*label, "--columns", "part", "--statistics", self.table, saying="the table has no column 'part', which needs `brickccl label --pores --parts all`")
        self.fails("select", self.scan, self.pores, "--where", "part == 1", "--keep", saying="'part', which needs `brickccl label --pores --parts all`")
        self.write((60, 60), {(x, y) for x in range(0, 60, 3) for y in range(0, 60, 3)})
        self.fails(*label, "--parts", "all", saying=["there are more than 255 pieces of material", "--parts N"])
        self.assertEqual(len(self.find("--parts", 255)[0]["parts"]), 255)
        told = " further pieces of up to 1 mm2 were left out; "
        self.assertIn("399" + told + "at most 255 can be parts", self.find()[0]["notes"])
        self.assertIn("398" + told + "at most 255 can be parts", self.find("--parts", 2, "--memory", "100MB", "--threads", 1)[0]["notes"])
        for count in (255, 256):
            self.write((48, 48), set([(x, y) for x in range(0, 48, 3) for y in range(0, 48, 3)][:count]))
            self.assertIn(str(count - 1) + told + ("--parts all takes them" if count == 255 else "at most 255 can be parts"), self.find()[0]["notes"])
        self.fails(*label, "--parts", "all", saying="there are more than 255 pieces of material")
        self.write((60, 60), {(30, 30)})
        self.fails(*label, "--parts", 2, saying="there is only 1 piece of material")

    def test_each_part_has_a_verdict_of_its_own(self):
        self.tray(os.path.join(self.input, "bad.nrrd"), ({(5, 5, 5)}, {(3, 3, 3), (3, 3, 5), (3, 4, 5)}))
        self.tray(os.path.join(self.input, "good.nrrd"), ({(5, 5, 5), (5, 6, 5)}, {(3, 3, 3)}))
        recipe = ("[part]\nmethod = \"pores\"\nthreshold = 50\nparts = %s\n"
                  "[[acceptance]]\nname = \"Porosity\"\nrule = \"porosity\"\nat_most_percent = 0.3\n"
                  "[[acceptance]]\nname = \"Number\"\nrule = \"number\"\nat_most_count = 1\n")
        self.recipe(recipe % "2")
        done = self.batch("--report", "--xlsx")
        self.assertRegex(done.stderr, r"bad: fail, 3 defects; Porosity 0.5859 %, limit 0.3 % \(part 2\); Number: 2 defects, limit 1 \(part 2\)")
        self.assertEqual({name: row["verdict"] for name, row in self.items().items()}, {"bad": "fail", "good": "pass"})
        row = self.items()["bad"]
        self.assertEqual((row["decided_by"], row["value"], row["defect_label"]), ("Porosity", str(100 * 3 / 512), "2"))
        summary = self.summary("bad")
        self.assertEqual([(one["part"], one["verdict"], one["defects"]) for one in summary["parts"]],
                         [(1, "pass", 1), (2, "fail", 2)])
        self.assertEqual([one["porosity_percent"] for one in summary["parts"]], [0.1, 100 * 3 / 512])
        self.assertEqual([rule["parts"] for rule in summary["rules"]], [[2], [2]])
        self.assertEqual(summary["notes"], ["1 further piece of 4 mm3 was left out; part.parts = \"all\" takes it"])
        # The summary has the part nearest to the limit for a rule that passes everywhere.
        self.assertEqual([rule["parts"] for rule in self.summary("good")["rules"]], [[1], [1]])
        parts = rows_of(os.path.join(self.output, "parts.csv"))
        self.assertEqual([(row["item"], row["part"], row["verdict"], row["decided_by"], row["defects"]) for row in parts],
                         [("bad", "1", "pass", "", "1"), ("bad", "2", "fail", "Porosity", "2"),
                          ("good", "1", "pass", "", "1"), ("good", "2", "pass", "", "1")])
        self.assertEqual([(row["item"], row["part"]) for row in rows_of(os.path.join(self.output, "defects.csv"))],
                         [("bad", "2"), ("bad", "2"), ("bad", "1"), ("good", "2"), ("good", "1")])
        with open(os.path.join(self.output, "manifest.json"), encoding="utf-8") as stream:
            self.assertIn("parts.csv", [output["path"] for output in json.load(stream)["outputs"]])
        with open(os.path.join(self.output, "report.html"), encoding="utf-8") as stream:
            page = stream.read()
        self.assertIn("Porosity 0.5859 %, limit 0.3 % (part 2)", page)
        self.assertRegex(page, "<td class=\"number\">2</td><td class=\"verdict fail\">[^<]*fail</td><td><div>Porosity 0.5859 %, limit 0.3 %</div>")
        self.assertIn("Each of the 2 largest pieces of material", page)
        self.ok("report", self.output, "--report-field", "language=de")
        with open(os.path.join(self.output, "report.html"), encoding="utf-8") as stream:
            self.assertIn("Porosity 0,5859 %, Grenzwert 0,3 % (Bauteil 2)", stream.read())

    def test_the_item_has_the_value_of_its_worst_part(self):
        for holes, worst in ((({(5, 5, 5), (5, 5, 7), (5, 7, 5), (7, 5, 5)}, {(3, 3, 3), (3, 3, 5), (3, 5, 5)}), 100 * 3 / 512),
                             (({(5, 5, z) for z in range(1, 9)}, {(3, 3, 3), (3, 3, 5)}), 0.8)):
            self.tray(os.path.join(self.input, "scan.nrrd"), holes)
            self.recipe("[part]\nmethod = \"pores\"\nthreshold = 50\nparts = 2\n"
                        "[[acceptance]]\nname = \"Porosity\"\nrule = \"porosity\"\nat_most_percent = 0.3\n")
            self.assertIn("limit 0.3 % (parts 1, 2)", self.batch("--resume").stderr)
            self.assertEqual(float(self.items()["scan"]["value"]), worst)
            self.assertEqual(self.summary("scan")["rules"][0]["parts"], [1, 2])

    def test_an_item_with_an_error_has_no_parts(self):
        self.tray(os.path.join(self.input, "good.nrrd"), ({(5, 5, 5)}, {(3, 3, 3)}))
        self.volume("empty.nrrd", [])
        self.recipe("[part]\nmethod = \"pores\"\nthreshold = 50\nparts = 2\n")
        self.batch("--report", code=3)
        self.assertEqual({name: row["verdict"] for name, row in self.items().items()}, {"good": "none", "empty": "error"})
        self.assertEqual([row["item"] for row in rows_of(os.path.join(self.output, "parts.csv"))], ["good", "good"])

    def test_rules_and_cores_are_of_the_part(self):
        """Neighbors, clusters, windows and cores are among the defects of one part."""
        self.tray(os.path.join(self.input, "a.nrrd"), ({(8, 3, 3), (3, 4, 4)}, {(1, 3, 3), (4, 4, 4)}))
        rules = ("[[acceptance]]\nname = \"Gap\"\nrule = \"spacing\"\nat_least_mm = 1\n"
                 "[[acceptance]]\nname = \"Per slice\"\nrule = \"porosity-per-slice\"\nat_most_percent = 1.2\n")
        alone = "[part]\nmethod = \"pores\"\nthreshold = 50\nparts = \"all\"\n"
        self.recipe(alone + rules)
        self.batch()
        one, two, speck = self.summary("a")["parts"]
        self.assertEqual([rule["value"] for rule in one["rules"]], [2, 1])
        self.assertEqual([rule["passes"] for rule in two["rules"]], [True, False])
        self.assertAlmostEqual(two["rules"][1]["value"], 100 / 64)
        self.assertEqual(speck["verdict"], "pass")
        self.recipe(alone + "erode_mm = 1.2\n" + rules, "core.toml")
        self.output = self.path("core")
        self.batch(recipe=self.path("core.toml"))
        summary = self.summary("a")
        # 6 of 10 and 4 of 8 voxels are deeper than 1.2 mm along x and y, 8 and 6 along z. The speck has none.
        self.assertEqual([(one["part"], one["region_volume_mm3"], one["defects"]) for one in summary["parts"]],
                         [(1, 6 * 6 * 8 / 2, 1), (2, 4 * 4 * 6 / 2, 1)])

    def test_recipes_are_refused_and_explained(self):
        for text, saying in (("[part]\nmethod = \"largest\"\nthreshold = 5\nparts = 2\n", "part.parts needs part.method = \"pores\""),
                             ("[part]\nmethod = \"pores\"\nthreshold = 5\nparts = true\n", "part.parts is true; it must be all, largest or a whole number from 1"),
                             ("[part]\nmethod = \"pores\"\nthreshold = 5\nparts = 0\n", "part.parts is 0; it must be all, largest or a whole number from 1"),
                             ("[part]\nmethod = \"pores\"\nthreshold = 5\n[selection]\nkeep = \"part == 1\"\n", "the column 'part', which numbers parts: set part.parts"),
                             ("[part]\nmethod = \"pores\"\nthreshold = 5\nparts = 2\n[[acceptance]]\nrule = \"largest\"\ncolumn = \"part\"\nat_most = 2\n", "names 'part', a number")):
            with self.subTest(text=text):
                self.fails("recipe", "check", self.recipe(text), saying=saying)
        self.recipe("[part]\nmethod = \"pores\"\nthreshold = \"otsu\"\nparts = \"all\"\n")
        self.assertIn("Each piece of material (values at or above the threshold that otsu finds) of at least a thousandth of the largest one's voxels is a "
                      "part with its pores; through-bores do not belong to it. Each part is judged by itself; an item passes if all of its parts pass.",
                      self.ok("recipe", "explain", self.path("r.toml")).stdout)
        schema = json.loads(run("recipe", "schema").stdout)
        self.assertEqual(schema["properties"]["part"]["properties"]["parts"]["type"], ["number", "string"])


if __name__ == "__main__":
    unittest.main()
