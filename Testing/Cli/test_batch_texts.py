# SPDX-License-Identifier: Apache-2.0
"""What batches and reports say: of names with odd characters, and of files that are damaged."""

import json
import os
import shutil
import subprocess
import unittest

from batch_support import BatchTest, rows_of
from support import COMMAND, run, write_nrrd


class Names(BatchTest):
    def rename(self, name):
        """Makes a volume of any name."""
        self.volume("plain.nrrd", [(1, 1, 1, 2, 2, 2)])
        os.rename(os.path.join(self.input, "plain.nrrd"), os.path.join(os.fsencode(self.input), name))

    def test_control_characters_reach_no_terminal_and_no_log(self):
        self.recipe("[[acceptance]]\nrule = \"number\"\nname = \"two\\nlines\\u009b31m\"\nat_most_count = 0\n")
        self.rename("\u00e4.nrrd".encode())
        with open(os.path.join(self.input, "broken.nhdr"), "wb") as stream:
            stream.write(b"NRRD0004\ntype: \x1b[2J\xc2\x9b\n\n")
        said = self.batch("--dry-run").stdout
        result = self.batch("--report", code=3)
        with open(os.path.join(self.output, "log.txt"), encoding="utf-8", newline="") as stream:
            log = stream.read()
        for text in (said, result.stderr, log):
            self.assertFalse([c for c in text if ord(c) < 32 and c != "\n" or 126 < ord(c) < 160], text)
        self.assertIn("\u00e4: fail, 1 defect; two\\x0alines\\x9b31m: 1 defect, limit 0", log)


class Undecided(BatchTest):
    def test_a_rule_that_cannot_be_decided_does_not_pass(self):
        """The deviation of what is infinite is not a number."""
        rule = ("[labeling]\nconnectivity = 6\n[measuring]\nintensity = true\n[[acceptance]]\nname = \"Deviation\"\n"
                "column = \"intensity_std\"\n%s\n")
        size, values = (6, 3, 1), [0] * 18
        values[0:3] = 1, 1, 7
        values[4:6] = values[16:18] = 1, float("inf")
        write_nrrd(os.path.join(self.input, "a.nrrd"), "float", size, values)
        for text, passes, value, label, undecided in (
                ("rule = \"largest\"\nat_most = 4", False, None, 2, 2),
                ("rule = \"smallest\"\nat_least = 0", False, None, 2, 2),
                ("rule = \"largest\"\nat_most = 1", False, 3.4641, 1, 2),
                ("rule = \"largest\"\nat_most = 4\nwhere = \"voxel_count > 2\"", True, 3.4641, 1, None),
                ("rule = \"largest\"\nat_most = 4\nwhere = \"voxel_count > 9\"", True, None, None, None)):
            with self.subTest(text):
                self.recipe(rule % text)
                shutil.rmtree(self.output, ignore_errors=True)
                said = self.batch().stderr
                summary = self.summary("a")
                judged = summary["rules"][0]
                self.assertEqual((judged["passes"], judged["label"], judged.get("undecided")), (passes, label, undecided))
                self.assertEqual(summary["verdict"], "pass" if passes else "fail")
                if value is None:
                    self.assertIsNone(judged["value"])
                else:
                    self.assertAlmostEqual(judged["value"], value, 4)
                notes = self.items()["a"]["notes"]
                self.assertEqual("'Deviation' cannot pass: intensity_std of 2 defects is not a number; exclude such defects with where" in notes, undecided is not None, notes)
                self.assertEqual("Deviation is not a number, limit" in said, not passes and value is None, said)

    def test_infinite_values_are_numbers_in_tables(self):
        write_nrrd(os.path.join(self.input, "a.nrrd"), "float", (3, 1, 1), [1, float("inf"), 0])
        self.recipe("[measuring]\nintensity = true\n[[acceptance]]\nrule = \"largest\"\nname = \"-Infinity\"\n"
                    "column = \"intensity_mean\"\nat_most = 9\n")
        self.batch()
        row = self.items()["a"]
        self.assertEqual((row["verdict"], row["value"], row["decided_by"]), ("fail", "inf", "'-Infinity"))

    def test_a_lone_defect_keeps_its_distance(self):
        self.recipe("[labeling]\nconnectivity = 6\n[[acceptance]]\nrule = \"smallest\"\ncolumn = \"nearest_distance_mm\"\nat_least = 2\n")
        self.volume("a.nrrd", [(1, 1, 1, 2, 2, 2)])
        self.batch()
        self.assertEqual(self.items()["a"]["verdict"], "pass")


class Memory(BatchTest):
    def test_an_item_that_runs_out_of_memory_ends_no_other(self):
        limited = ["sh", "-c", 'ulimit -v 300000 && exec "$@"', "sh", COMMAND]
        if subprocess.run([*limited, "--version"], capture_output=True).returncode != 0:
            self.skipTest("the program does not start with little memory, or memory cannot be limited here")
        self.recipe("[smoothing]\nfilter = \"gaussian\"\ndeviation_mm = 1\n[threshold]\nmethod = \"otsu\"\n")
        for name, side in (("large", 400), ("small", 32)):
            self.ok("phantom", "casting", os.path.join(self.input, name + ".nrrd"), "--size", side, side, side, "--quiet")
        result = subprocess.run([*limited, "batch", self.path("r.toml"), self.input, "-o", self.output, "--jobs", "1"],
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(self.items()["large"]["error"], "not enough memory for this item; lower --jobs, or label it "
                                                         "with `brickccl label --memory`")
        self.assertEqual(self.items()["small"]["verdict"], "none")


class DamagedFiles(BatchTest):
    def damaged(self, file, text):
        with open(os.path.join(self.output, file), "w", encoding="utf-8") as stream:
            stream.write(text)

    def test_a_sentence_names_the_file_and_what_to_do(self):
        self.recipe()
        self.volume("a.nrrd", [(1, 1, 1, 2, 2, 2)])
        self.volume("b.nrrd", [(1, 1, 1, 2, 2, 2)])
        self.batch("--report")
        good = self.path("good")
        shutil.copytree(self.output, good)
        with open(os.path.join(good, "manifest.json"), encoding="utf-8") as stream:
            manifest = json.load(stream)
        says = ["out/manifest.json' is damaged", "--resume` makes it again"]
        for text in ("", "{", "[]", "5", "{\"items\": 5}"):
            self.damaged("manifest.json", text)
            for command in (("report", self.output), ("compare", self.output, good)):
                result = self.fails(*command, saying=says)
                self.assertNotIn("json", result.stderr.replace("manifest.json", ""))
        a, b = manifest["items"]
        for key, value in (("items", 5), ("items", [a]), ("items", [b, a]), ("items", [a, {**b, "item": "c"}]), ("items", [a, 5]),
                           ("items", [a, {**b, "verdict": "fail"}]), ("items", [a, {**b, "input": 5}]), ("outputs", []),
                           ("outputs", 5), ("recipe", "x"), ("complete", 1), ("brickccl", None)):
            with self.subTest(key=key, value=value):
                self.damaged("manifest.json", json.dumps({**manifest, key: value}))
                self.fails("report", self.output, saying=says)
        self.batch("--resume", "--report")
        self.assertEqual(self.tree(), self.tree(good))
        self.damaged("items/a/summary.json", "[]")
        self.fails("compare", self.output, good, saying=["out/items/a/summary.json' is damaged", "--resume"])


if __name__ == "__main__":
    unittest.main()
