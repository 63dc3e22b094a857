# SPDX-License-Identifier: Apache-2.0
"""`brickccl score`: defects that are found, missed and wrong, counted by hand."""

import csv
import importlib.util
import itertools
import json
import math
import os
import random
import re
import shutil
import unittest

from support import CommandTest, write_nrrd


class ScoreTest(CommandTest):
    def score(self, labels, truth, *options, size=(8, 3, 1)):
        write_nrrd(self.path("l.nrrd"), "uint8", size, labels)
        write_nrrd(self.path("t.nrrd"), "uint8", size, truth)
        return json.loads(self.ok("score", self.path("l.nrrd"), self.path("t.nrrd"), "--json", *options).stdout)

    #         found in part, split in two, missed; a wrong label (9); two values that touch are two defects
    TRUTH = [1, 1, 0, 1, 1, 1, 0, 1,
             1, 1, 0, 0, 0, 0, 0, 0,
             0, 0, 0, 5, 6, 6, 0, 0]
    LABELS = [7, 0, 0, 2, 0, 3, 0, 0,
              7, 0, 0, 0, 0, 0, 0, 0,
              0, 0, 0, 4, 4, 4, 0, 9]

    def test_by_hand(self):
        score = self.score(self.LABELS, self.TRUTH)
        self.assertEqual([score[key] for key in ("true_defects", "found_defects", "labels", "right_labels")], [5, 4, 5, 4])
        self.assertEqual(score["case"], "l")
        self.assertEqual([score[key] for key in ("true_voxels", "label_voxels", "common_voxels")], [11, 8, 7])
        self.assertEqual((score["recall"], score["precision"], score["dice"]), (4 / 5, 4 / 5, 2 * 7 / 19))
        matches = [(m["truth_voxels"], m["label"], m["label_voxels"], m["common_voxels"]) for m in score["matches"]]
        self.assertEqual(matches, [(4, 7, 2, 2), (3, 2, 1, 1), (1, None, 0, 0), (1, 4, 3, 1), (2, 4, 3, 2)])
        self.assertEqual(score["matches"][0]["size_error"], -0.5)
        self.assertIsNone(score["matches"][2]["size_error"])
        self.assertEqual(score["matches"][4]["dice"], 2 * 2 / 5)

    def test_minimum_size_and_overlap(self):
        score = self.score(self.LABELS, self.TRUTH, "--minimum-size", 2)
        self.assertEqual((score["true_defects"], score["recall"], score["precision"]), (3, 1, 4 / 5))
        self.assertRegex(self.ok("score", "--help").stdout, r"smaller\s+true\s+defects\s+may\s+be\s+found\s+or\s+missed")
        score = self.score([1, 1, 1, 0, 0], [0, 0, 1, 1, 1], "--overlap", 0.5, size=(5, 1, 1))
        self.assertEqual((score["recall"], score["precision"], score["dice"]), (0, 0, 1 / 3))
        score = self.score([1, 1, 1, 0, 0], [0, 0, 1, 1, 1], "--overlap", 0.33, size=(5, 1, 1))
        self.assertEqual((score["recall"], score["precision"]), (1, 1))

    def test_an_overlap_at_the_share_matches(self):
        for percent in (7, 14, 28, 55, 56):
            labels = [1] * percent + [0] * (100 - percent) + [1] * 100
            score = self.score(labels, [1] * 100 + [0] * 100, "--overlap", percent / 100, size=(200, 1, 1))
            self.assertEqual((score["recall"], score["precision"]), (1, 1), percent)

    def test_nothing_to_find(self):
        score = self.score([0] * 24, [0] * 24)
        self.assertEqual((score["recall"], score["precision"], score["dice"]), (None, None, None))

    def test_recall_by_diameter(self):
        truth = [1, 0] * 3 + [1] * 3 + [0] + [1] * 30 + [0] + [1] * 64
        labels = [0, 0] * 2 + [1, 0] + [0] * 3 + [0] + [1] * 30 + [0] + [0] * 64
        score = self.score(labels, truth, size=(len(truth), 1, 1))
        # The diameters' ratio is 4, the cube root of 64, so that classes begin at volumes of 1, 8 ^ 0.5, 8 and 8 ^ 1.5 voxels.
        self.assertEqual([(c["true_defects"], c["found"]) for c in score["recall_by_diameter"]], [(3, 1), (1, 0), (2, 1)])
        for c, voxels in zip(score["recall_by_diameter"], (1, 8 ** 0.5, 8 ** 1.5)):
            self.assertAlmostEqual(c["from_diameter_mm"], (6 * voxels / math.pi) ** (1 / 3))
        self.assertIn("found by diameter: 1 of 3 from 1.241 mm, 0 of 1 from 1.755 mm, 1 of 2 from 3.509 mm\n",
                      self.ok("score", self.path("l.nrrd"), self.path("t.nrrd")).stdout + "\n")
        score = self.score([1, 0, 0], [1, 0, 2], size=(3, 1, 1))
        self.assertEqual([(c["true_defects"], c["found"]) for c in score["recall_by_diameter"]], [(2, 1)])
        self.assertEqual(self.score([0], [0], size=(1, 1, 1))["recall_by_diameter"], [])

    def test_what_does_not_fit(self):
        write_nrrd(self.path("l.nrrd"), "uint8", (2, 2, 2), [0] * 8)
        write_nrrd(self.path("t.nrrd"), "uint8", (2, 2, 1), [0] * 4)
        self.fails("score", self.path("l.nrrd"), self.path("t.nrrd"), saying=["t.nrrd' has the extent", "l.nrrd' has ", "2 x 2 x 2"])
        write_nrrd(self.path("t.nrrd"), "uint8", (2, 2, 2), [0] * 8, (1, 1, 2))
        self.fails("score", self.path("l.nrrd"), self.path("t.nrrd"), saying=["spacing", "than '%s'" % self.path("l.nrrd")])
        self.fails("score", self.path("l.nrrd"), self.path("l.nrrd"), "--overlap", 2, saying="--overlap")

    def test_a_scan_as_truth_is_noted(self):
        values = [random.Random(z).randrange(60, 255) for z in range(20 * 20 * 20)]
        write_nrrd(self.path("l.nrrd"), "uint8", (20, 20, 20), [int(value > 250) for value in values])
        write_nrrd(self.path("t.nrrd"), "uint8", (20, 20, 20), values)
        self.assertIn("TRUTH must be an image of the true defects", self.ok("score", self.path("l.nrrd"), self.path("t.nrrd")).stderr)
        self.assertNotIn("TRUTH", self.ok("score", self.path("l.nrrd"), self.path("l.nrrd")).stderr)


SIZE = (20, 18, 16)


def balls(seed, count=12):
    """Balls at random places: their centers and radii."""
    numbers = random.Random(seed)
    return [([numbers.uniform(1, size - 2) for size in SIZE], numbers.uniform(1, 3)) for _ in range(count)]


def mask_of(some_balls):
    """The voxels of balls, as (x, y, z)."""
    return {place for place in itertools.product(*map(range, SIZE))
            if any(math.dist(place, center) <= radius for center, radius in some_balls)}


def components_of(mask):
    """The components of voxels that share faces, edges or corners."""
    mask, components = set(mask), []
    while mask:
        stack = [mask.pop()]
        components.append(set(stack))
        while stack:
            x, y, z = stack.pop()
            near = {(x + i, y + j, z + k) for i, j, k in itertools.product((-1, 0, 1), repeat=3)} & mask
            mask -= near
            stack += near
            components[-1] |= near
    return components


def scored_by_sets(labels, truth, least_iou):
    """What one-to-one matching by intersection over union says of masks, from each pair of components."""
    found, true = components_of(labels), components_of(truth)
    shares = sorted(((len(t & l) / len(t | l), i, j) for i, t in enumerate(true) for j, l in enumerate(found) if t & l), reverse=True)
    matched = {}
    for share, i, j in shares:
        if share >= least_iou and all(i != other[0] and j != other[1] for other in matched):
            matched[i, j] = share
    mean_iou, f1 = sum(matched.values()) / len(matched), 2 * len(matched) / (len(true) + len(found))
    common = len(labels & truth)
    return {"true_defects": len(true), "found_defects": len(matched), "labels": len(found), "right_labels": len(matched),
            "recall": len(matched) / len(true), "precision": len(matched) / len(found), "f1": f1, "mean_iou": mean_iou,
            "panoptic_quality": f1 * mean_iou, "dice": 2 * common / (len(labels) + len(truth)),
            "volume_error": len(labels) / len(truth) - 1, "true_voxels": len(truth), "label_voxels": len(labels),
            "common_voxels": common, "true_volume_mm3": 3 * len(truth), "label_volume_mm3": 3 * len(labels)}


class SeveralCasesTest(CommandTest):
    def write(self, path, mask, size=SIZE):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        values = [int(place in mask) for place in itertools.product(*map(range, size[::-1]))]
        write_nrrd(self.path(path), "uint8", size, values, (1, 1, 3)[:len(size)])

    def setUp(self):
        super().setUp()
        self.masks = {}
        for name, seed in (("a", 1), ("b, c", 2), ("sub/d", 3)):
            true = balls(seed)
            found = [([c + 0.15 * seed for c in center], radius) for center, radius in true[3:]] + balls(10 + seed, 4)
            self.masks[name] = (mask_of(found), mask_of(true))
            for folder, mask in zip(("labels", "truth"), self.masks[name]):
                self.write(folder + "/" + name + ".nrrd", {place[::-1] for place in mask})

    def test_rows_and_summary_are_those_of_sets(self):
        table = self.path("t.csv")
        for least in (0.3, 0.5):
            told = json.loads(self.ok("score", self.path("labels"), self.path("truth"), "--components", "--iou", least,
                                      "-o", table, "--json").stdout)
            expected = {name: scored_by_sets(*masks, least) for name, masks in self.masks.items()}
            self.assertLess(min(one["f1"] for one in expected.values()), 1)
            self.assertEqual([row["case"] for row in told["cases"]], sorted(expected))
            with open(table, newline="") as stream:
                rows = list(csv.DictReader(stream))
            for row, written in zip(told["cases"], rows):
                self.assertEqual(row["case"], written["case"])
                for key, value in expected[row["case"]].items():
                    self.assertAlmostEqual(row[key], value, 14, key)
                    self.assertEqual(row[key], float(written[key]), key)
            for key in expected["a"]:
                values = [one[key] for one in expected.values()]
                is_mean = key in told["summary"]["cases_with"]
                self.assertAlmostEqual(told["summary"][key], sum(values) / (3 if is_mean else 1), 12, key)

    def test_text(self):
        lines = self.ok("score", self.path("labels"), self.path("truth"), "--components", "--iou", 0.3).stdout.splitlines()
        all_of = [scored_by_sets(*masks, 0.3) for masks in self.masks.values()]
        total = lambda key: sum(one[key] for one in all_of)
        self.assertEqual(lines[0], "3 cases")
        self.assertRegex(lines[1], "^%d of %d true defects found \\(mean recall " % (total("found_defects"), total("true_defects")))
        self.assertEqual(float(re.search("mean Dice ([0-9.]+)", lines[3])[1]), round(total("dice") / 3, 4))
        self.assertEqual(float(re.search("b, c: .* Dice ([0-9.]+)", lines[5])[1]), round(all_of[1]["dice"], 4))

    @unittest.skipUnless(importlib.util.find_spec("panoptica"), "panoptica is not installed")
    def test_panoptica_has_the_same_numbers(self):
        import numpy
        from panoptica import ConnectedComponentsInstanceApproximator, InputType, NaiveThresholdMatching, Panoptica_Evaluator
        for least in (0, 0.3, 0.5):
            peer = Panoptica_Evaluator(InputType.SEMANTIC, ConnectedComponentsInstanceApproximator(),
                                       NaiveThresholdMatching(matching_threshold=least), verbose=False)
            told = json.loads(self.ok("score", self.path("labels"), self.path("truth"), "--components", "--iou", least,
                                      "--json").stdout)
            for row in told["cases"]:
                masks = [numpy.zeros(SIZE, numpy.uint8) for _ in range(2)]
                for array, mask in zip(masks, self.masks[row["case"]]):
                    array[tuple(zip(*mask))] = 1
                result = next(iter(peer.evaluate(*masks).values()))
                for key, other in {"true_defects": "n_ref_instances", "labels": "n_pred_instances", "found_defects": "tp",
                                   "f1": "rq", "mean_iou": "sq", "panoptic_quality": "pq", "dice": "global_bin_dsc"}.items():
                    self.assertAlmostEqual(row[key], getattr(result, other), 12, key)

    def test_a_list_of_pairs(self):
        asked = ("--components", "--iou", 0.3, "--json")
        expected = json.loads(self.ok("score", self.path("labels"), self.path("truth"), *asked).stdout)
        list_file = self.path("pairs.csv")
        for begin, end in (("", "\n"), ("\ufeff", "\r\n")):
            rows = ["prediction,truth,name", "labels/a.nrrd,truth/a.nrrd,", '"labels/b, c.nrrd","truth/b, c.nrrd","b, c"',
                    self.path("labels/sub/d.nrrd") + ",truth/sub/d.nrrd,sub/d"]
            with open(list_file, "w", newline="", encoding="utf-8") as stream:
                stream.write(begin + end.join(rows) + end)
            told = json.loads(self.ok("score", list_file, *asked, "-o", self.path("t.csv")).stdout)
            self.assertEqual((told["cases"], told["summary"]), (expected["cases"], expected["summary"]))
        with open(list_file, "w") as stream:
            stream.write("\"prediction\",\"truth\"\ntruth/a.nrrd,labels/a.nrrd\n")
        one = json.loads(self.ok("score", list_file, *asked).stdout)["cases"]
        self.assertEqual([row["case"] for row in one], ["a"])
        for key, value in scored_by_sets(*self.masks["a"][::-1], 0.3).items():
            self.assertAlmostEqual(one[0][key], value, 14, key)
        for text, saying in (("prediction,truth\n", "is not a list of cases"), ("", "is not a list of cases"), ("truth,prediction\na,b\n", "(at 'truth,prediction')"),
                             ("prediction,truth\nlabels/a.nrrd\n", "(at 'labels/a.nrrd')"),
                             ("prediction,truth\nlabels/a.nrrd,truth/a.nrrd,x,y\n", "truth/a.nrrd,x,y')"),
                             ("prediction,truth\n" + 2 * "labels/a.nrrd,truth/a.nrrd\n", "a name of its own"),
                             ("prediction,truth\nlabels/none.nrrd,truth/a.nrrd\n", "labels/none.nrrd")):
            with self.subTest(text=text):
                with open(list_file, "w") as stream:
                    stream.write(text)
                self.fails("score", list_file, "-o", self.path("none.csv"), saying=saying)
                self.assertFalse(os.path.exists(self.path("none.csv")))
        self.fails("score", self.path("labels/a.nrrd"), saying="TRUTH is missing")
        self.fails("score", list_file, "-o", list_file, saying="would overwrite")

    def test_a_class_alone(self):
        both = self.masks["a"], self.masks["sub/d"]
        for name, side in (("l", 0), ("t", 1)):
            first, second = both[0][side], both[1][side] - both[0][side]
            write_nrrd(self.path(name + ".nrrd"), "uint8", SIZE, [4 * ((x, y, z) in first) + 9 * ((x, y, z) in second)
                       for z in range(SIZE[2]) for y in range(SIZE[1]) for x in range(SIZE[0])], (1, 1, 3))
        with open(self.path("names.tsv"), "w") as stream:
            stream.write("index\tname\n4\tliver\n9\tleft kidney\n")
        asked = ("score", self.path("l.nrrd"), self.path("t.nrrd"), "--components", "--iou", 0.3, "--json", "--names", self.path("names.tsv"))
        for label, name, masks in ((4, "liver", both[0]),
                                   (9, "left kidney", [both[1][side] - both[0][side] for side in range(2)])):
            for given in (label, name):
                told = json.loads(self.ok(*asked, "--class", given).stdout)
                for key, value in scored_by_sets(*masks, 0.3).items():
                    self.assertAlmostEqual(told[key], value, 14, key)
        for label in (5, 256, 1.5, -1):
            self.fails(*asked, "--class", label, "-o", self.path("none.csv"), saying="no image has voxels of the class '%s'" % label)
            self.assertFalse(os.path.exists(self.path("none.csv")))
        alone = [json.loads(self.ok(*asked, "--class", label).stdout) for label in (9, 4)]
        rows = json.loads(self.ok(*asked, "--class", '"left kidney",4', "-o", self.path("classes.csv")).stdout)["cases"]
        self.assertEqual([(row["case"], row["class"]) for row in rows], [("l", "left kidney"), ("l", "4")])
        for row, one in zip(rows, alone):
            self.assertEqual({key: one[key] for key in row if key not in ("case", "class")}, {key: row[key] for key in row if key not in ("case", "class")})
        with open(self.path("classes.csv"), newline="", encoding="utf-8") as stream:
            self.assertEqual([row["class"] for row in csv.DictReader(stream)], ["left kidney", "4"])
        self.fails(*asked, "--class", "9,5", saying="no image has voxels of the class '5'")
        self.fails(*asked, "--class", 0, saying="--class 0 is the background")
        self.fails(*asked, "--class", "4,4", saying="names a class twice")
        self.fails(*asked, "--class", '"liver,4', saying="a quote in")
        self.fails(*asked, "--class", "livre", saying="did you mean 'liver'?")
        self.fails(*asked[:-2], "--class", "liver", saying="'liver' for --class is not a number")

    def test_any_overlap_is_the_rule_of_challenges(self):
        # As the challenge ISLES counts: a true lesion with any common voxel is found, a label without one is wrong.
        told = json.loads(self.ok("score", self.path("labels"), self.path("truth"), "--components", "--json").stdout)
        for row in told["cases"]:
            labels, truth = self.masks[row["case"]]
            true, found = components_of(truth), components_of(labels)
            hits, wrong = sum(bool(t & labels) for t in true), sum(not l & truth for l in found)
            self.assertEqual(row["f1"], hits / (hits + (wrong + len(true) - hits) / 2))

    def test_cases_that_do_not_fit(self):
        score = ["score", self.path("labels"), self.path("truth"), "-o", self.path("t.csv")]
        self.fails(*score[:2], self.path("truth/a.nrrd"), saying=["truth/a.nrrd' must be two images or two folders"])
        self.fails(*score, "--iou", 0.5, "--overlap", 0.5, saying=["--iou", "--overlap"])
        self.fails(*score[:-1], self.path("t.txt"), saying=".csv, .tsv or .json")
        self.fails(*score[:-1], self.path("truth/a.nrrd"), saying="would overwrite")
        self.write("labels/e.nrrd", ())
        self.fails(*score, saying=["no image named 'e'", "truth", "labels/e.nrrd"])
        self.write("truth/e.nrrd", (), (20, 18, 15))
        self.fails(*score, saying="truth/e.nrrd")
        for folder in ("labels", "truth"):
            self.write(folder + "/e.nrrd", (), (3, 2))
        self.fails(*score, saying="other dimensions")
        self.ok("label", self.path("truth/a.nrrd"), self.path("truth/a.mha"))
        self.fails(*score, saying=["have the same name without extensions", "a.mha"])

    def test_cases_without_a_value(self):
        for folder in ("labels", "truth"):
            shutil.rmtree(self.path(folder + "/sub"))
            self.write(folder + "/e.nrrd", ())
        told = json.loads(self.ok("score", self.path("labels"), self.path("truth"), "--json", "-o", self.path("t.csv")).stdout)
        self.assertEqual([row["f1"] is None for row in told["cases"]], [False, False, True])
        self.assertEqual(told["summary"]["cases_with"]["f1"], 2)
        self.assertEqual(told["summary"]["f1"], sum(row["f1"] for row in told["cases"][:2]) / 2)
        with open(self.path("t.csv"), newline="") as stream:
            self.assertEqual(list(csv.DictReader(stream))[2]["f1"], "nan")

    def test_one_label_is_noted(self):
        result = self.ok("score", self.path("labels/a.nrrd"), self.path("truth/a.nrrd"))
        self.assertIn("--components counts its components", result.stderr)
        result = self.ok("score", self.path("labels/a.nrrd"), self.path("truth/a.nrrd"), "--components")
        self.assertNotIn("--components", result.stderr)


if __name__ == "__main__":
    unittest.main()
