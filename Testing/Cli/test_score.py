# SPDX-License-Identifier: Apache-2.0
"""`brickccl score`: defects that are found, missed and wrong, counted by hand."""

import json
import math
import os
import random
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

    def hits_and_misses(self, seed, sizes):
        """Lines of true voxels of these lengths, one voxel apart; the longer, the likelier a label lies on the first one."""
        draw = random.Random(seed)
        truth, labels, data = [], [], []
        for size in sizes:
            hit = draw.random() < 1 / (1 + math.exp(-3.5 * (math.log(size) - math.log(4))))
            truth += [1] * size + [0]
            labels += [1 if hit else 0] + [0] * size
            data.append((1.0 * size, hit))
        return labels, truth, data

    @staticmethod
    def log_likelihood(data, intercept, slope):
        total = 0
        for size, hit in data:
            odds = intercept + slope * math.log(size)
            total -= math.log1p(math.exp(-odds if hit else odds))
        return total

    def best_through(self, data, size, odds):
        """The highest log-likelihood of the curves that have such log-odds at a size, by a search for the slope."""
        def of(slope):
            return self.log_likelihood(data, odds - slope * math.log(size), slope)
        low, high = -60.0, 60.0
        for _ in range(200):
            a, b = low + (high - low) / 3, high - (high - low) / 3
            low, high = (a, high) if of(a) < of(b) else (low, b)
        return of((low + high) / 2)

    def test_probability_of_detection(self):
        for seed in (1, 2, 3):
            sizes = [1 + i % 12 for i in range(96)]
            labels, truth, data = self.hits_and_misses(seed, sizes)
            score = self.score(labels, truth, size=(len(truth), 1, 1))
            curve = score["probability_of_detection"]
            # Diameters of balls of that volume, where each voxel has 1 mm3.
            data = [((6 * size / math.pi) ** (1 / 3), hit) for size, hit in data]
            for (size, hit), match in zip(data, score["matches"]):
                self.assertAlmostEqual(match["truth_diameter_mm"], size)
                self.assertEqual(match["label"] is not None, hit)
            self.assertEqual((curve["defects"], curve["hits"], curve["problem"]), (96, sum(hit for _, hit in data), None))
            intercept, slope = curve["intercept"], curve["slope"]
            best = self.log_likelihood(data, intercept, slope)
            for step in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01), (0.01, -0.01), (-0.01, 0.01)):
                self.assertLess(self.log_likelihood(data, intercept + step[0], slope + step[1]), best)
            self.assertAlmostEqual(intercept + slope * math.log(curve["a50"]), 0)
            self.assertAlmostEqual(intercept + slope * math.log(curve["a90"]), math.log(9))
            # At the bound, twice the loss of log-likelihood is the 90 % point of chi-squared: P(|normal| < 1.64485) = 0.9.
            self.assertAlmostEqual(math.erf(1.6448536269514722 / math.sqrt(2)), 0.9)
            self.assertGreater(curve["a90_95"], curve["a90"])
            loss = 2 * (best - self.best_through(data, curve["a90_95"], math.log(9)))
            self.assertAlmostEqual(loss, 1.6448536269514722 ** 2, places=4)
            self.assertFalse(curve["fewer_than_60_defects"])

    def test_no_curve_without_hits_misses_or_overlap(self):
        for labels, truth, saying in (([0] * 4, [0] * 4, "there are no true defects"),
                                      ([1, 0, 0, 1], [1, 0, 1, 1], "nothing was missed"),
                                      ([0, 0, 0, 0], [1, 0, 1, 1], "no true defect was found"),
                                      ([0, 0, 1, 1], [1, 0, 1, 1], "do not overlap"),
                                      ([1, 0, 0, 0], [1, 0, 1, 1], "do not overlap"),
                                      ([1, 0, 1, 1, 0, 0, 0, 0, 0, 0], [1, 0, 1, 1, 0, 1, 0, 1, 1, 1], "not found more often than smaller ones")):
            curve = self.score(labels, truth, size=(len(truth), 1, 1))["probability_of_detection"]
            self.assertIn(saying, curve["problem"])
            self.assertEqual((curve["a90"], curve["a90_95"], curve["slope"]), (None, None, None))
        labels, truth, _ = self.hits_and_misses(1, [1 + i % 12 for i in range(24)])
        self.score(labels, truth, size=(len(truth), 1, 1))
        result = self.ok("score", self.path("l.nrrd"), self.path("t.nrrd"))
        self.assertIn("only 24 true defects: MIL-HDBK-1823A asks for at least 60", result.stdout)
        self.assertRegex(result.stdout, r"a90 [0-9.]+ mm.*\na90/95 ")

    def test_chart(self):
        labels, truth, _ = self.hits_and_misses(2, [1 + i % 12 for i in range(72)])
        self.score(labels, truth, size=(len(truth), 1, 1))
        for name in ("c.svg", "c.png"):
            self.ok("score", self.path("l.nrrd"), self.path("t.nrrd"), "--plot", self.path(name))
            self.assertGreater(os.path.getsize(self.path(name)), 1000)
        with open(self.path("c.svg"), encoding="utf-8") as stream:
            self.assertIn("a90/95", stream.read())
        self.fails("score", self.path("l.nrrd"), self.path("t.nrrd"), "--plot", self.path("c.txt"), saying=".svg")
        self.fails("score", self.path("t.nrrd"), self.path("t.nrrd"), "--plot", self.path("d.svg"), saying="nothing was missed")
        self.fails("score", self.path("l.nrrd"), self.path("t.nrrd"), "--plot", self.path("t.nrrd"), saying=".svg")

    def test_what_does_not_fit(self):
        write_nrrd(self.path("l.nrrd"), "uint8", (2, 2, 2), [0] * 8)
        write_nrrd(self.path("t.nrrd"), "uint8", (2, 2, 1), [0] * 4)
        self.fails("score", self.path("l.nrrd"), self.path("t.nrrd"), saying="2 x 2 x 2")
        write_nrrd(self.path("t.nrrd"), "uint8", (2, 2, 2), [0] * 8, (1, 1, 2))
        self.fails("score", self.path("l.nrrd"), self.path("t.nrrd"), saying="spacing")
        self.fails("score", self.path("l.nrrd"), self.path("l.nrrd"), "--overlap", 2, saying="--overlap")

    def test_a_scan_as_truth_is_noted(self):
        values = [random.Random(z).randrange(60, 255) for z in range(20 * 20 * 20)]
        write_nrrd(self.path("l.nrrd"), "uint8", (20, 20, 20), [int(value > 250) for value in values])
        write_nrrd(self.path("t.nrrd"), "uint8", (20, 20, 20), values)
        self.assertIn("TRUTH must be an image of the true defects", self.ok("score", self.path("l.nrrd"), self.path("t.nrrd")).stderr)
        self.assertNotIn("TRUTH", self.ok("score", self.path("l.nrrd"), self.path("l.nrrd")).stderr)


if __name__ == "__main__":
    unittest.main()
