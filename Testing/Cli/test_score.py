# SPDX-License-Identifier: Apache-2.0
"""`brickccl score`: defects that are found, missed and wrong, counted by hand."""

import json
import math
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
