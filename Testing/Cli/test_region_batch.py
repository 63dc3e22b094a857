# SPDX-License-Identifier: Apache-2.0
"""[region] of recipes, and regions of volumes that are labeled slab by slab."""

import itertools
import json
import os
import random
import shutil
import unittest

import batch_support
from support import labels_of, run, write_nrrd

SIZE = (20, 18, 16)
BOX = (4, 3, 5, 14, 12, 11)
REGION = "[region]\nbox = \"%s\"\n" % ",".join(map(str, BOX))
LARGEST = "[part]\nmethod = \"largest\"\nrange = [2, 9]\n"


def voxels(box):
    return set(itertools.product(*(range(box[axis], box[axis + 3] + 1) for axis in range(3))))


class RegionBatchTest(batch_support.BatchTest):
    def scan(self, seed=3):
        """A block of 5 with pores of 1, in air of 0 with noise of 1."""
        draw = random.Random(seed)
        block = voxels((2, 2, 2, 17, 15, 13))
        values = [0] * (SIZE[0] * SIZE[1] * SIZE[2])
        self.at = {}
        for k, j, i in itertools.product(*map(range, reversed(SIZE))):
            isInside = (i, j, k) in block
            isShell = isInside and (i in (2, 17) or j in (2, 15) or k in (2, 13))
            chance = draw.random()
            value = 5 if isShell or (isInside and chance < 0.9) else 1 if isInside or chance < 0.1 else 0
            self.at[i, j, k] = value
            values[(k * SIZE[1] + j) * SIZE[0] + i] = value
        write_nrrd(os.path.join(self.input, "a.nrrd"), "uint8", SIZE, values)
        return block

    def process(self, text):
        shutil.rmtree(self.output, ignore_errors=True)
        self.recipe(text + "[labeling]\nconnectivity = 6\n")
        self.batch()
        labels = labels_of(os.path.join(self.output, "items/a/labels.nrrd"))[1]
        return self.summary("a"), {at for at in self.at if labels[(at[2] * SIZE[1] + at[1]) * SIZE[0] + at[0]]}

    def test_defects_and_porosity_refer_to_the_region(self):
        block = self.scan()
        region = voxels(BOX)
        core = voxels((4, 4, 4, 15, 13, 11))
        pores = {at for at, value in self.at.items() if value == 1}
        summary, found = self.process(REGION + "[threshold]\nrange = [1, 1]\n")
        self.assertEqual(found, pores & region)
        self.assertAlmostEqual(summary["porosity_percent"], 100 * len(found) / len(region))
        self.assertEqual((summary["region"], summary["region_volume_mm3"]), ("region", len(region)))
        wide = "[region]\nbox = \"0,0,0,9,17,15; 12,0,0,12,17,15\"\n"
        either = {at for at in self.at if at[0] <= 9 or at[0] == 12}
        summary, found = self.process(wide + LARGEST + "[threshold]\nrange = [1, 1]\n")
        self.assertEqual(found, pores & block & either)
        self.assertAlmostEqual(summary["porosity_percent"], 100 * len(found) / len(block & either))
        summary, found = self.process(wide + LARGEST + "erode_mm = 2\n[threshold]\nrange = [1, 1]\n")
        self.assertEqual(summary["region_volume_mm3"], len(core & either))
        self.assertLess(len(found), len(pores & core & either) + 1)
        self.assertAlmostEqual(summary["porosity_percent"], 100 * len(found) / len(core & either))

    def test_the_pores_of_a_part_are_those_of_label(self):
        self.scan()
        summary, found = self.process(REGION + "[part]\nmethod = \"pores\"\nthreshold = \"otsu\"\n")
        result = self.ok("label", os.path.join(self.input, "a.nrrd"), self.path("own.nrrd"), "--pores", "--json", "--box",
                         ",".join(map(str, BOX)), "--connectivity", 6)
        own = json.loads(result.stdout)["pores"]
        self.assertEqual(len(found), own["pore_voxels"])
        self.assertAlmostEqual(summary["porosity_percent"], own["porosity_percent"])

    def test_thresholds_are_found_in_the_region(self):
        self.scan()
        summary, _ = self.process("[region]\nbox = \"5,5,5,10,10,10\"\n[threshold]\nmethod = \"otsu\"\n")
        info = self.ok("info", os.path.join(self.input, "a.nrrd"), "--box", "5,5,5,10,10,10", "--json")
        self.assertEqual(summary["threshold"], json.loads(info.stdout)["thresholds"][0]["value"])

    def test_rules_count_in_the_region(self):
        self.scan()
        slices = ("[[acceptance]]\nrule = \"porosity-per-slice\"\nat_most_percent = 50\n")
        self.process(REGION + "[threshold]\nrange = [1, 1]\n" + slices)
        rule = self.summary("a")["rules"][0]
        shares = [sum(self.at[at] == 1 for at in voxels(BOX[:2] + (k,) + BOX[3:5] + (k,))) / 110 for k in range(5, 12)]
        self.assertAlmostEqual(rule["value"], 100 * max(shares))

    def test_faults_of_recipes(self):
        self.scan()
        for text, saying in (("box = \"1,2\"", "region.box: the box 1,2 has 2 numbers; write X0,Y0,Z0,X1,Y1,Z1"),
                             ("box = [1, 2]", "region.box is [ 1, 2 ]; it must be a text in quotes"),
                             ("cylinder = \"5,5,5\"", "must begin with its axis"),
                             ("bux = \"0,0,0,1,1,1\"", "[region] has no key 'bux' (did you mean 'box'?)")):
            self.recipe("[region]\n" + text + "\n[threshold]\nrange = [1, 1]\n")
            result = run("recipe", "check", self.path("r.toml"))
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(saying, result.stdout + result.stderr)
        self.recipe("[region]\nbox = \"0,0,0,99,9,9\"\n[threshold]\nrange = [1, 1]\n")
        self.batch(code=3)
        with open(os.path.join(self.output, "items.csv"), encoding="utf-8") as stream:
            self.assertIn("reaches 99 along x, but the voxels there are 0 to 19", stream.read())

    def test_slabs_have_the_same_region(self):
        self.ok("phantom", "balls", self.path("balls.nrrd"), "--size", 448, 448, 24)
        self.ok("phantom", "balls", self.path("other.nrrd"), "--size", 448, 448, 24, "--seed", 9)
        for options in (("--box", "20,30,2,400,420,19"), ("--cylinder", "z:200,210,150", "--cylinder", "not:z:200,210,90"),
                        ("--sphere", "220,220,12,9mm", "--mask", self.path("other.nrrd"))):
            both = []
            for limit in ((), ("--memory", "96MB", "--threads", 2)):
                result = self.ok("label", self.path("balls.nrrd"), self.path("l.nrrd"), "--json", "--connectivity", 26, *options,
                                 *limit, "--statistics", self.path("t.csv"))
                summary = json.loads(result.stdout)
                files = self.contents()
                both.append((files["l.nrrd"], files["t.csv"], summary["totals"], summary["region"], summary["components"]))
            self.assertEqual(both[0], both[1])
            self.assertGreater(summary["slabs"]["count"], 1)

    def test_pores_in_a_region_by_slabs(self):
        self.ok("phantom", "casting", self.path("part.nrrd"), "--size", 448, 448, 24)
        both = []
        for limit in ((), ("--memory", "128MB", "--threads", 2)):
            result = self.ok("label", self.path("part.nrrd"), self.path("l.nrrd"), "--pores", "--json", "--cylinder",
                             "z:200,210,150", *limit)
            summary = json.loads(result.stdout)
            both.append((self.contents()["l.nrrd"], summary["pores"]["part_voxels"], summary["pores"]["pore_voxels"],
                         summary["threshold"], summary["region"]["cylinder"]))
        self.assertEqual(both[0], both[1])


class OneJobTest(batch_support.BatchTest):
    """The same options give the same labels, numbers and notes: a label map, an item of a batch, and slab by slab."""

    def test_an_item_and_slabs_are_what_label_finds(self):
        # Padding of -2000 around an edge; two pieces of material.
        scan = os.path.join(self.input, "a.nrrd")
        draw = random.Random(7)
        size = (26, 24, 22)
        block = voxels((2, 2, 2, 16, 20, 19))
        values = [-2000 if i == 0 else draw.randrange(9) + (1000 if i > 20 or ((i, j, k) in block and draw.random() > 0.03) else 0)
                  for k in range(size[2]) for j in range(size[1]) for i in range(size[0])]
        write_nrrd(scan, "int16", size, values)
        self.recipe("[region]\nbox = \"0,1,1,20,22,15\"\n[part]\nmethod = \"pores\"\nthreshold = \"otsu\"\n"
                    "[labeling]\nconnectivity = 26\nminimum_size = 2\n[measuring]\ncolumns = [\"surface\"]\n")
        self.batch()
        item = self.summary("a")
        options = ["--pores", "--box", "0,1,1,20,22,15", "--connectivity", 26, "--minimum-size", 2, "--columns", "surface",
                   "--statistics", self.path("t.csv"), "--json", "--threads", 1]
        told = None
        for memory in ([], ["--memory", "70MiB"]):
            labels = self.path("l%d.nrrd" % len(memory))
            summary = json.loads(self.ok("label", scan, labels, *options, *memory).stdout)
            self.assertEqual(item["components"], summary["components"])
            self.assertGreater(item["components"], 3)
            self.assertEqual(item["part_threshold"], summary["threshold"]["value"])
            self.assertEqual(item["porosity_percent"], summary["pores"]["porosity_percent"])
            self.assertEqual(item["defect_voxels"], summary["kept_voxels"])
            self.assertEqual(labels_of(labels), labels_of(os.path.join(self.output, "items", "a", "labels.nrrd")))
            with open(self.path("t.csv"), encoding="utf-8") as table:
                rows = [line.split(",", 1)[1] for line in self.defects("a")]
                self.assertEqual(table.read().splitlines(), rows)
            told = told or summary["notes"]
        # label also notes what makes measures doubtful.
        keys = [note.replace("--parts all", 'part.parts = "all"') for note in told]
        self.assertEqual(item["notes"], keys[:len(item["notes"])])
        self.assertTrue(any("-2000 is taken for padding" in note for note in item["notes"]), item["notes"])
        self.assertTrue(any("1 further piece" in note for note in item["notes"]), item["notes"])

    def defects(self, item):
        with open(os.path.join(self.output, "items", item, "defects.csv"), encoding="utf-8") as table:
            return table.read().splitlines()


if __name__ == "__main__":
    unittest.main()
