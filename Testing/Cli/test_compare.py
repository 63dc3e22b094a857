# SPDX-License-Identifier: Apache-2.0
"""`brickccl compare`: defects of two batches, matched by overlap."""

import json
import os
import shutil
import unittest

from support import CommandTest, run, write_nrrd


class CompareTest(CommandTest):
    def batch(self, name, volumes, size=(12, 3, 1), recipe="[outputs]\npictures = false\n"):
        os.mkdir(self.path(name))
        for item, values in volumes.items():
            write_nrrd(os.path.join(self.path(name), item + ".nrrd"), "uint8", size, values)
        with open(self.path("r.toml"), "w", encoding="utf-8") as stream:
            stream.write(recipe)
        self.ok("batch", self.path("r.toml"), self.path(name), "-o", self.path(name + "-out"))
        return self.path(name + "-out")

    #          same       grown                vanished
    BEFORE = [1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1,
              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0]
    AFTER = [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0,
             0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
             1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0]

    def test_less_than_the_least_change_is_the_same(self):
        before = self.batch("one", {"a": [1] * 100}, (100, 1, 1))
        after = self.batch("two", {"a": [1] * 55 + [0] * 45}, (100, 1, 1))
        for tolerance, change in ((0.45, "1 same"), (0.44, "1 shrunk")):
            self.assertIn(change, self.ok("compare", before, after, "--least-change", tolerance).stdout)

    def test_by_hand(self):
        before = self.batch("one", {"a": self.BEFORE, "b": [0] * 36, "only-before": [1] * 36})
        after = self.batch("two", {"a": self.AFTER, "b": [0] * 36, "only-after": [1] * 36})
        result = self.ok("compare", before, after, "-o", self.path("c.csv"))
        self.assertIn("a: 1 same, 2 grown, 1 shrunk, 1 new, 1 vanished, 1 split, 1 merged\n", result.stdout)
        self.assertIn("b: no defects\n", result.stdout)
        self.assertIn("only-before: not compared", result.stdout)
        self.assertIn("only-after: not compared", result.stdout)
        with open(self.path("c.csv"), encoding="utf-8") as stream:
            rows = stream.read().splitlines()
        self.assertEqual(rows, ["item,change,label_1,label_2,voxel_count_1,voxel_count_2,common_voxels",
                                "a,same,1,1,2,2,2", "a,grown,2,2,2,3,2", "a,vanished,3,,1,0,0", "a,grown,4,4,1,3,1",
                                "a,merged,5,4,1,3,1", "a,shrunk,6,5,5,2,2", "a,new,,3,0,1,0", "a,split,6,6,5,1,1"])
        result = self.ok("compare", before, after, "--least-change", 0.5)
        self.assertIn("a: 2 same, 1 grown, 1 shrunk", result.stdout)

    def test_json(self):
        before = self.batch("one", {"a": self.BEFORE, "only-before": [1] * 36})
        after = self.batch("two", {"a": self.AFTER})
        items = json.loads(self.ok("compare", before, after, "--json").stdout)["items"]
        self.assertEqual({key: items[0][key] for key in ("item", "same", "grown", "new", "vanished", "split")},
                         {"item": "a", "same": 1, "grown": 2, "new": 1, "vanished": 1, "split": 1})
        self.assertEqual(items[0]["defects"][2], {"change": "vanished", "label_1": 3, "label_2": None, "voxel_count_1": 1,
                                                  "voxel_count_2": 0, "common_voxels": 0})
        self.assertIn("has no such item", items[1]["not_compared"])

    def test_different_recipes_are_refused_unless_asked_for(self):
        before = self.batch("one", {"a": self.BEFORE})
        with open(os.path.join(before, "recipe.toml"), encoding="utf-8") as stream:
            recipe = stream.read()
        after = self.batch("two", {"a": self.AFTER}, recipe=recipe + "[labeling]\nconnectivity = 26\n")
        self.fails("compare", before, after, saying=["made with different recipes", "compare them with --different-recipes"])
        self.assertIn("a: ", self.ok("compare", before, after, "--different-recipes").stdout)

    def test_texts_with_the_mark_of_comments_differ(self):
        text = "[outputs]\npictures = false\n[recipe]\nname = \"a #%d\"\n"
        before, after = (self.batch("name-%d" % i, {"a": self.BEFORE}, recipe=text % i) for i in (1, 2))
        self.fails("compare", before, after, saying="different recipes")

    def test_recipes_that_differ_in_comments_are_the_same(self):
        first = "[labeling]\nconnectivity = 26\n[outputs]\npictures = false\n"
        before = self.batch("two", {"a": self.BEFORE}, recipe=first)
        after = self.batch("three", {"a": self.BEFORE}, recipe="# The same.\n\n" + first.replace("\n", "  # none\n"))
        self.ok("compare", before, after)
        after = self.batch("other", {"a": self.BEFORE}, recipe=first.replace("26", "18"))
        self.fails("compare", before, after, saying="made with different recipes")

    def test_what_does_not_fit(self):
        before = self.batch("one", {"a": self.BEFORE})
        after = self.batch("two", {"a": self.BEFORE[:24]}, size=(12, 2, 1))
        self.fails("compare", before, after, saying="no item of")
        self.fails("compare", before, self.folder, saying="is not the folder of a batch")
        self.fails("compare", before, self.path("none"), saying="none' does not exist")
        self.fails("compare", before, before, "-o", self.path("x.txt"), saying=".csv")
        for option in ("--tracks=" + self.path("t.csv"), "--report=" + self.path("r.html")):
            self.fails("compare", before, before, option, saying="--report and options of reading, which are for scans")

    def test_the_batches_own_files_are_not_overwritten(self):
        batch = self.batch("one", {"a": self.BEFORE})
        other = self.batch("two", {"a": self.BEFORE})
        for output in ("items.csv", "items/a/defects.csv", "new.csv", "../one-out/items/../defects.csv"):
            for first, second in ((batch, other), (other, batch)):
                self.fails("compare", first, second, "-o", os.path.join(batch, output), saying="the folder of a batch; choose a file outside")
        self.assertNotIn("new.csv", os.listdir(batch))
        with open(os.path.join(batch, "items.csv"), encoding="utf-8") as stream:
            self.assertTrue(stream.read().startswith("item,folder,verdict"))
        self.ok("compare", batch, other, "-o", batch + "-2.csv")

    def test_items_with_an_error_are_not_compared(self):
        before = self.batch("one", {"a": self.BEFORE, "b": self.BEFORE})
        after = self.batch("two", {"a": self.BEFORE, "b": self.BEFORE})
        write_nrrd(self.path("two/b.nrrd"), "uint8", (12, 3, 1), [0] * 36, truncate=8)
        result = run("batch", self.path("r.toml"), self.path("two"), "-o", after, "--resume")
        self.assertEqual(result.returncode, 3, result.stderr)
        result = run("compare", before, after)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("a: 6 same", result.stdout)
        self.assertIn("b: not compared: error: ", result.stdout)
        with open(os.path.join(after, "items/a/labels.nrrd"), "ab") as stream:
            stream.write(b"x")
        self.fails("compare", before, after, saying="no item of")
        os.remove(os.path.join(after, "items/a/labels.nrrd"))
        self.assertIn("labels.nrrd' is gone", run("compare", before, after).stdout)
        with open(os.path.join(after, "items/a/summary.json"), "w", encoding="utf-8") as stream:
            stream.write("{")
        self.fails("compare", before, after, saying="summary.json' is damaged")

    def test_an_item_that_is_damaged_is_no_success(self):
        before = self.batch("one", {"a": self.BEFORE, "b": self.BEFORE, "only-before": self.BEFORE})
        after = self.batch("two", {"a": self.BEFORE, "b": self.BEFORE})
        # An item that only one batch was given is not a fault.
        self.ok("compare", before, after)
        whole = self.path("whole")
        shutil.copytree(after, whole)

        def damage(name):
            with open(os.path.join(after, "items/b", name), "ab") as stream:
                stream.write(b"x")

        for harm, saying in ((lambda: damage("labels.nrrd"), "labels.nrrd' was changed after the batch"),
                             (lambda: os.remove(os.path.join(after, "items/b/labels.nrrd")), "is gone"),
                             (lambda: shutil.rmtree(os.path.join(after, "items/b")), "its results are not in ")):
            with self.subTest(saying):
                harm()
                for first, second in ((before, after), (after, before)):
                    for options in ((), ("--json",), ("-o", self.path("c.csv"))):
                        result = run("compare", first, second, *options)
                        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
                        self.assertIn(saying, result.stdout)
                        self.assertEqual(result.stderr, "")
                shutil.rmtree(after)
                shutil.copytree(whole, after)
        self.ok("compare", before, after)
        # A missing label map is a failure, too.
        recipe = "[outputs]\npictures = false\nlabels = \"none\"\n"
        first, second = self.batch("three", {"a": self.BEFORE}, recipe=recipe), self.batch("four", {"a": self.BEFORE}, recipe=recipe)
        self.fails("compare", first, second, saying="no item of")


if __name__ == "__main__":
    unittest.main()
